//! Starts the build for this CPU.
//!
//! A release has the program built for plain x86-64, which runs everywhere, and beside it in the directory
//! `levels` the same program built for newer CPUs, whose move generation and search are faster:
//!
//! | build            | CPU                                             | sliding pieces  |
//! |------------------|-------------------------------------------------|-----------------|
//! | `x86-64-v4`      | with AVX-512                                    | pext            |
//! | `x86-64-v3-pext` | with AVX2 and a fast pext                       | pext            |
//! | `x86-64-v3`      | with AVX2                                       | magic bitboards |
//!
//! The plain one replaces itself by the best of them. Without the directory it does the work itself.

#![cfg_attr(
    not(all(target_arch = "x86_64", not(target_feature = "avx2"), unix)),
    allow(dead_code, reason = "only the plain build starts another")
)]

/// The directory with the other builds, beside the program.
const FOLDER: &str = "levels";

/// Replaces the process by a build for this CPU, if this one is the plain one and there is another.
pub fn best_build() {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2"), unix))]
    {
        use std::os::unix::process::CommandExt;
        let set = simd::Kernels::current().instruction_set();
        let Some(name) = simd::levels::build_for_this_cpu(set) else { return };
        let Ok(own) = std::env::current_exe() else { return };
        let Some(folder) = own.parent() else { return };
        let build = folder.join(FOLDER).join(format!("tabiya-{name}"));
        if build.is_file() {
            // It returns only if it fails: then this build does the work.
            let _ = std::process::Command::new(build).args(std::env::args_os().skip(1)).exec();
        }
    }
}
