//! The arithmetic of a network, once for each instruction set: [`scalar`] says what is to come out,
//! the others give the same bits.
//!
//! Which one is used is asked of the machine when a network is loaded, not when the program is built:
//! a library that others link should be fast wherever it is carried. Each call does enough work that
//! the question which set it is costs nothing.
//!
//! Loops over vectors go by index: the functions behind iterators are compiled without the
//! instructions, are then not inlined where they are used, and vectors go through memory.
//!
//! No sum can saturate on the way: an input is at most 127 and a weight at least −128, so two products
//! fit into 16 bits. Sums that could overflow, because a file says so, wrap around in all of them.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use super::Half;
use super::layers::Layers;

/// A set of instructions that the arithmetic is written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InstructionSet {
    /// Plain Rust: the specification.
    Scalar,
    /// x86-64 with vectors of 32 bytes.
    Avx2,
    /// x86-64 with vectors of 64 bytes and dot products of bytes (F, BW, VNNI).
    Avx512,
}

impl InstructionSet {
    /// All of them, the slowest first.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Avx2, Self::Avx512];

    /// Whether this machine has them.
    pub fn is_there(self) -> bool {
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

    /// The fastest that this machine has.
    pub fn best() -> Self {
        Self::ALL.into_iter().rfind(|set| set.is_there()).unwrap_or(Self::Scalar)
    }

    /// `to` is `from` with the rows of some features taken away and those of others added. Features
    /// that have no row are passed over.
    #[inline]
    pub(super) fn change(
        self,
        rows: &[Half],
        from: &Half,
        removed: &[u16],
        added: &[u16],
        to: &mut Half,
    ) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a network is only given instructions that the machine has.
            Self::Avx2 => unsafe { avx2::change(rows, from, removed, added, to) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512 => unsafe { avx512::change(rows, from, removed, added, to) },
            _ => scalar::change(rows, from, removed, added, to),
        }
    }

    /// What the last layer gives for these halves, the mover's first.
    #[inline]
    pub(super) fn output(self, layers: &Layers, own: &Half, other: &Half) -> i32 {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a network is only given instructions that the machine has.
            Self::Avx2 => unsafe { avx2::output(layers, own, other) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512 => unsafe { avx512::output(layers, own, other) },
            _ => scalar::output(layers, own, other),
        }
    }
}

/// The same bytes as another type of the same size, whose alignment asks for no more.
///
/// # Safety
/// Both types are made of whole numbers, or vectors of them; if they are padded, at the same place.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn view<T, U>(numbers: &T) -> &U {
    const {
        assert!(size_of::<T>() == size_of::<U>());
        assert!(align_of::<T>() >= align_of::<U>());
    }
    // SAFETY: size and alignment are checked above, and any bytes make numbers.
    unsafe { &*std::ptr::from_ref(numbers).cast() }
}
