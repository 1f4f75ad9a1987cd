//! The x86-64 level of a CPU, for programs that ship a build for each.

use crate::InstructionSet;

/// The name of the fastest build that this CPU runs with the kernels of an instruction set: `x86-64-v4`,
/// `x86-64-v3-pext` where pext is fast, `x86-64-v3`, or none but the plain one.
///
/// ```
/// use tabiya_simd::{InstructionSet, levels::build_for_this_cpu};
/// assert_eq!(build_for_this_cpu(InstructionSet::Scalar), None);
/// ```
pub fn build_for_this_cpu(set: InstructionSet) -> Option<&'static str> {
    let (vendor, family) = vendor_and_family();
    build_for(&vendor, family, set)
}

/// The build for a CPU of this vendor and family, and for the instruction set that is forced or detected.
fn build_for(vendor: &[u8; 12], family: u32, set: InstructionSet) -> Option<&'static str> {
    match set {
        // All CPUs with AVX-512 have a fast pext.
        InstructionSet::Avx512 | InstructionSet::Avx512Vnni => Some("x86-64-v4"),
        InstructionSet::Avx2 if has_fast_pext(vendor, family) => Some("x86-64-v3-pext"),
        InstructionSet::Avx2 => Some("x86-64-v3"),
        _ => None,
    }
}

/// Whether pext takes a few cycles. On AMD before Zen 3 it is microcode and takes up to hundreds.
fn has_fast_pext(vendor: &[u8; 12], family: u32) -> bool {
    /// The family of Zen 3.
    const ZEN_3: u32 = 0x19;
    match vendor {
        b"GenuineIntel" => true,
        b"AuthenticAMD" => family >= ZEN_3,
        _ => false,
    }
}

/// The vendor and the family of this CPU; zeros on other architectures, which have none of the levels.
#[cfg(not(target_arch = "x86_64"))]
fn vendor_and_family() -> ([u8; 12], u32) {
    ([0; 12], 0)
}

/// The vendor and the family of this CPU.
#[cfg(target_arch = "x86_64")]
fn vendor_and_family() -> ([u8; 12], u32) {
    use std::arch::x86_64::__cpuid;
    let leaf = __cpuid(0);
    let mut vendor = [0; 12];
    for (part, word) in vendor.chunks_exact_mut(4).zip([leaf.ebx, leaf.edx, leaf.ecx]) {
        part.copy_from_slice(&word.to_le_bytes());
    }
    (vendor, family_of(__cpuid(1).eax))
}

/// The family in the signature of a CPU: from 15 on it is a sum.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "other CPUs have no signature"))]
fn family_of(signature: u32) -> u32 {
    let (family, extended) = (signature >> 8 & 0xf, signature >> 20 & 0xff);
    if family == 0xf { family + extended } else { family }
}

#[cfg(test)]
mod tests {
    use InstructionSet::{Avx2, Avx512, Avx512Vnni, Scalar};

    use super::*;

    #[test]
    fn a_cpu_gets_the_fastest_build_it_supports_and_pext_only_where_it_is_fast() {
        let (intel, amd) = (b"GenuineIntel", b"AuthenticAMD");
        for (vendor, signature, set, build) in [
            // Core 2, Haswell, Alder Lake, Skylake-X, Ice Lake
            (intel, 0x0001_0676, Scalar, None),
            (intel, 0x0003_06c3, Avx2, Some("x86-64-v3-pext")),
            (intel, 0x0009_0672, Avx2, Some("x86-64-v3-pext")),
            (intel, 0x0005_0654, Avx512, Some("x86-64-v4")),
            (intel, 0x0006_06a6, Avx512Vnni, Some("x86-64-v4")),
            // Excavator, Zen, Zen 2, Zen 3, Zen 4, Zen 5
            (amd, 0x0066_0f01, Avx2, Some("x86-64-v3")),
            (amd, 0x0080_0f11, Avx2, Some("x86-64-v3")),
            (amd, 0x0087_0f10, Avx2, Some("x86-64-v3")),
            (amd, 0x00a2_0f10, Avx2, Some("x86-64-v3-pext")),
            (amd, 0x00a6_0f12, Avx512Vnni, Some("x86-64-v4")),
            (amd, 0x00b4_0f40, Avx512Vnni, Some("x86-64-v4")),
            // Zen made by others, and a CPU without a name.
            (b"HygonGenuine", 0x0090_0f02, Avx2, Some("x86-64-v3")),
            (&[0; 12], 0, Avx2, Some("x86-64-v3")),
            // Forced by TABIYA_CPU.
            (amd, 0x00a6_0f12, Avx2, Some("x86-64-v3-pext")),
            (amd, 0x00a6_0f12, Scalar, None),
        ] {
            let name = vendor.escape_ascii();
            let found = build_for(vendor, family_of(signature), set);
            assert_eq!(found, build, "{name} {signature:#x} {set}");
        }
    }

    #[test]
    fn the_family_is_the_one_that_amd_counts() {
        let families = [0x0066_0f01, 0x0080_0f11, 0x00a2_0f10, 0x00b4_0f40, 0x0003_06c3];
        assert_eq!(families.map(family_of), [0x15, 0x17, 0x19, 0x1a, 6]);
    }
}
