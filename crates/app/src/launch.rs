//! Starts the build for this CPU.
//!
//! A release has the program built for plain x86-64, which runs everywhere, and beside it in the directory
//! `levels` the same program built for x86-64-v3 and -v4, whose move generation and search are faster. The
//! plain one replaces itself by the best that the CPU supports. Without the folder it does the work itself.

#![cfg_attr(
    not(all(target_arch = "x86_64", not(target_feature = "avx2"), unix)),
    allow(dead_code, reason = "only the plain build starts another")
)]

use std::path::{Path, PathBuf};

use simd::{InstructionSet, Kernels};

/// The directory with the other builds, beside the program.
const FOLDER: &str = "levels";

/// Replaces the process by a build for this CPU, if this one is the plain one and there is another.
pub fn best_build() {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2"), unix))]
    if let Some(build) = std::env::current_exe().ok().and_then(|own| other_build(&own)) {
        use std::os::unix::process::CommandExt;
        // It returns only if it fails: then this build does the work.
        let _ = std::process::Command::new(build).args(std::env::args_os().skip(1)).exec();
    }
}

/// The build for the instruction set that is forced or detected.
fn other_build(own: &Path) -> Option<PathBuf> {
    let name = match Kernels::current().instruction_set() {
        InstructionSet::Avx512 | InstructionSet::Avx512Vnni => "x86-64-v4",
        InstructionSet::Avx2 => "x86-64-v3",
        _ => return None,
    };
    let build = own.parent()?.join(FOLDER).join(format!("tabiya-{name}"));
    build.is_file().then_some(build)
}
