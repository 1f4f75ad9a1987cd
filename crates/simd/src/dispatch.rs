//! Run-time dispatch: the instruction set is detected once, and whole loops are compiled for each.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// The environment variable that forces an [instruction set](InstructionSet) by its name.
pub const VARIABLE: &str = "TABIYA_CPU";

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
#[non_exhaustive]
pub enum InstructionSet {
    /// Plain Rust, compiled for the baseline of the target: the specification.
    Scalar,
    /// aarch64 with NEON: 16-byte vectors.
    Neon,
    /// x86-64-v3, that is AVX2 and FMA: 32-byte vectors.
    Avx2,
    /// x86-64-v4, that is AVX-512 F, BW, CD, DQ and VL: 64-byte vectors.
    Avx512,
    /// The same and VNNI: dot products of int8 and int16.
    Avx512Vnni,
}

/// Passes the CPU features of an x86-64 instruction set to the macro in parentheses, with what follows it.
#[cfg(target_arch = "x86_64")]
macro_rules! features {
    (avx2 [$($more:tt)*] ($($then:tt)*) $($rest:tt)*) => {
        $($then)*!(["avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt" "movbe" $($more)*] $($rest)*)
    };
    (avx512 [$($more:tt)*] $($then:tt)*) => {
        $crate::dispatch::features!(avx2 ["avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" $($more)*] $($then)*)
    };
    (avx512vnni [] $($then:tt)*) => {
        $crate::dispatch::features!(avx512 ["avx512vnni"] $($then)*)
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use features;

/// Defines a function that is compiled for CPU features, with the module of its instruction set as `set`.
macro_rules! compiled_for {
    ([$($feature:tt)*] $module:path, fn $name:ident [$($generics:tt)*] ($($arg:ident: $type:ty),*) $(-> $out:ty)? { $($body:tt)* }) => {
        $(#[target_feature(enable = $feature)])*
        fn $name<$($generics)*>($($arg: $type),*) $(-> $out)? {
            #[allow(unused_imports, reason = "loops that the compiler vectorizes need no registers")]
            use $module as set;
            $($body)*
        }
    };
}
pub(crate) use compiled_for;

impl InstructionSet {
    /// All instruction sets, slowest first.
    pub const ALL: [Self; 5] =
        [Self::Scalar, Self::Neon, Self::Avx2, Self::Avx512, Self::Avx512Vnni];

    /// Its name in [`VARIABLE`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Vnni => "avx512vnni",
        }
    }

    /// Whether this CPU supports it.
    pub fn is_supported(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        macro_rules! detected {
            ([$($feature:tt)*]) => { $(is_x86_feature_detected!($feature))&&* };
        }
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => features!(avx2 [] (detected)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => features!(avx512 [] (detected)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => features!(avx512vnni [] (detected)),
            #[allow(unreachable_patterns, reason = "depends on the target")]
            _ => false,
        }
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why [`VARIABLE`] cannot be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ForceError {
    /// The value names no instruction set.
    Unknown(String),
    /// The CPU does not support it.
    Unsupported(InstructionSet),
}

impl fmt::Display for ForceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(value) => {
                let names = InstructionSet::ALL.map(InstructionSet::name).join(", ");
                write!(f, "{VARIABLE}: '{}' is none of {names}", value.escape_debug())
            }
            Self::Unsupported(set) => write!(f, "{VARIABLE}: this CPU does not support {set}"),
        }
    }
}

impl std::error::Error for ForceError {}

/// The kernels of an instruction set that this CPU supports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernels(InstructionSet);

/// The instruction set of [`Kernels::current`] plus one; 0 before it is chosen.
static CURRENT: AtomicU8 = AtomicU8::new(0);

impl Kernels {
    /// The scalar ones, the specification.
    pub const SCALAR: Self = Self(InstructionSet::Scalar);

    /// The kernels of an instruction set that the CPU is known to support.
    #[inline(always)]
    pub(crate) const fn of(set: InstructionSet) -> Self {
        Self(set)
    }

    /// The kernels of an instruction set, if this CPU supports it.
    pub fn new(set: InstructionSet) -> Option<Self> {
        set.is_supported().then_some(Self(set))
    }

    /// The kernels of the fastest instruction set of this CPU.
    pub fn detect() -> Self {
        Self(
            InstructionSet::ALL
                .into_iter()
                .rfind(|set| set.is_supported())
                .unwrap_or(InstructionSet::Scalar),
        )
    }

    /// The kernels that [`VARIABLE`] names, if it is set.
    pub fn forced() -> Result<Option<Self>, ForceError> {
        static FORCED: OnceLock<Result<Option<Kernels>, ForceError>> = OnceLock::new();
        FORCED
            .get_or_init(|| {
                let Some(value) = std::env::var_os(VARIABLE) else { return Ok(None) };
                let mut sets = InstructionSet::ALL.into_iter();
                let set = sets.find(|set| value == set.name());
                let unknown = || ForceError::Unknown(value.to_string_lossy().into_owned());
                let set = set.ok_or_else(unknown)?;
                Self::new(set).map(Some).ok_or(ForceError::Unsupported(set))
            })
            .clone()
    }

    /// The kernels that the process uses: the [forced](Self::forced) ones, or the
    /// [fastest](Self::detect).
    #[inline(always)]
    pub fn current() -> Self {
        match CURRENT.load(Ordering::Relaxed) {
            1 => Self(InstructionSet::Scalar),
            2 => Self(InstructionSet::Neon),
            3 => Self(InstructionSet::Avx2),
            4 => Self(InstructionSet::Avx512),
            5 => Self(InstructionSet::Avx512Vnni),
            _ => Self::choose(),
        }
    }

    #[cold]
    #[inline(never)]
    fn choose() -> Self {
        let kernels = Self::forced().ok().flatten().unwrap_or_else(Self::detect);
        CURRENT.store(kernels.0 as u8 + 1, Ordering::Relaxed);
        kernels
    }

    /// Changes to another instruction set, for tests and benchmarks; returns `false`, and changes nothing, if
    /// this CPU does not support it.
    pub fn select(&mut self, set: InstructionSet) -> bool {
        let kernels = Self::new(set);
        *self = kernels.unwrap_or(*self);
        kernels.is_some()
    }

    /// Their instruction set.
    pub fn instruction_set(self) -> InstructionSet {
        self.0
    }
}

/// Defines functions whose body is compiled once for each instruction set. In the body, `set` is the module
/// of the instruction set, with its registers, and the CPU is known to support it. What the body calls must
/// be `#[inline(always)]`, or it is compiled without the instruction set.
///
/// A function with a first parameter `kernels;` takes the [`Kernels`] to run; others run the current ones.
/// Generic parameters are in brackets, because a macro cannot find the end of `<…>`.
macro_rules! dispatch {
    ($($(#[$attr:meta])* $vis:vis fn $name:ident $([$($generics:tt)*])? ($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? { $($body:tt)* })*) => {
        $(
            $(#[$attr])*
            #[inline]
            $vis fn $name $(<$($generics)*>)? ($($arg: $type),*) $(-> $out)? {
                dispatch!(@match $crate::Kernels::current(), [$($($generics)*)?] ($($arg: $type),*) $(-> $out)? { $($body)* })
            }
        )*
    };
    ($($(#[$attr:meta])* $vis:vis fn $name:ident $([$($generics:tt)*])? ($kernels:ident; $($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? { $($body:tt)* })*) => {
        $(
            $(#[$attr])*
            #[inline]
            $vis fn $name $(<$($generics)*>)? ($kernels: $crate::Kernels, $($arg: $type),*) $(-> $out)? {
                dispatch!(@match $kernels, [$($($generics)*)?] ($($arg: $type),*) $(-> $out)? { $($body)* })
            }
        )*
    };
    (@match $kernels:expr, [$($generics:tt)*] ($($arg:ident: $type:ty),*) $(-> $out:ty)? { $($body:tt)* }) => {{
        #[cfg(target_arch = "x86_64")]
        $crate::dispatch::features!(avx512vnni [] ($crate::dispatch::compiled_for) $crate::avx512::vnni, fn avx512vnni [$($generics)*] ($($arg: $type),*) $(-> $out)? { $($body)* });
        #[cfg(target_arch = "x86_64")]
        $crate::dispatch::features!(avx512 [] ($crate::dispatch::compiled_for) $crate::avx512, fn avx512 [$($generics)*] ($($arg: $type),*) $(-> $out)? { $($body)* });
        #[cfg(target_arch = "x86_64")]
        $crate::dispatch::features!(avx2 [] ($crate::dispatch::compiled_for) $crate::avx2, fn avx2 [$($generics)*] ($($arg: $type),*) $(-> $out)? { $($body)* });
        #[cfg(target_arch = "aarch64")]
        $crate::dispatch::compiled_for!(["neon"] $crate::neon, fn neon [$($generics)*] ($($arg: $type),*) $(-> $out)? { $($body)* });
        $crate::dispatch::compiled_for!([] $crate::scalar, fn scalar [$($generics)*] ($($arg: $type),*) $(-> $out)? { $($body)* });
        match $kernels.instruction_set() {
            // SAFETY: kernels exist only for instruction sets that the CPU supports.
            #[cfg(target_arch = "x86_64")]
            $crate::InstructionSet::Avx512Vnni => unsafe { avx512vnni($($arg),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            $crate::InstructionSet::Avx512 => unsafe { avx512($($arg),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            $crate::InstructionSet::Avx2 => unsafe { avx2($($arg),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            $crate::InstructionSet::Neon => unsafe { neon($($arg),*) },
            _ => scalar($($arg),*),
        }
    }};
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_supported_instruction_set_is_detected() {
        let fastest = Kernels::detect().instruction_set();
        assert!(fastest.is_supported());
        assert!(InstructionSet::ALL.into_iter().all(|set| set <= fastest || !set.is_supported()));
        assert!(Kernels::new(InstructionSet::Scalar).is_some());
        // NEON and AVX2 exclude each other.
        let [neon, avx2] = [InstructionSet::Neon, InstructionSet::Avx2].map(Kernels::new);
        assert!(neon.is_none() || avx2.is_none());
    }

    #[test]
    fn current_kernels_are_those_that_are_forced_or_the_fastest() {
        let expected = Kernels::forced().unwrap().unwrap_or_else(Kernels::detect);
        assert_eq!(Kernels::current(), expected);
        // The second call reads what the first has stored.
        assert_eq!(Kernels::current(), expected);
    }

    #[test]
    fn errors_name_the_variable_and_the_choices() {
        assert_eq!(
            ForceError::Unknown("sse\n".into()).to_string(),
            "TABIYA_CPU: 'sse\\n' is none of scalar, neon, avx2, avx512, avx512vnni"
        );
        let error = ForceError::Unsupported(InstructionSet::Neon).to_string();
        assert_eq!(error, "TABIYA_CPU: this CPU does not support neon");
    }
}
