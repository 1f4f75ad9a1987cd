//! CPU detection.

/// An instruction set that kernels are selected by at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InstructionSet {
    /// Plain Rust: the specification.
    Scalar,
    /// x86-64 with AVX2: 32-byte vectors.
    Avx2,
    /// x86-64 with AVX-512 F, BW and VNNI: 64-byte vectors, int8 dot products.
    Avx512,
}

impl InstructionSet {
    /// All instruction sets, slowest first.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Avx2, Self::Avx512];

    /// Whether this CPU supports it.
    pub fn is_supported(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The fastest instruction set that this CPU supports.
    pub fn detect() -> Self {
        Self::ALL.into_iter().rfind(|set| set.is_supported()).unwrap_or(Self::Scalar)
    }
}
