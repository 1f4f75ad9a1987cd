//! `tabiya version`: the version, and how the program was built and runs.

use std::io::Write;
use std::process::ExitCode;

use simd::{InstructionSet, Kernels, gemm::bf16};

use crate::Outcome;

/// Show the version, and with --verbose the build and the CPU
///
/// Example: tabiya version --verbose
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct VersionArgs {
    /// Also show the target, the slider backend, the instruction sets detected and chosen, and whether
    /// the CPU has AVX-512 BF16
    #[arg(short, long)]
    verbose: bool,
}

pub fn run(args: VersionArgs, out: &mut dyn Write) -> Outcome {
    writeln!(out, "tabiya {}", env!("CARGO_PKG_VERSION"))?;
    if args.verbose {
        let supported = InstructionSet::ALL.into_iter().filter(|set| set.is_supported());
        let supported: Vec<_> = supported.map(InstructionSet::name).collect();
        let chosen = Kernels::current().instruction_set();
        let forced = if Kernels::forced()?.is_some() { " (TABIYA_CPU)" } else { "" };
        writeln!(out, "build    {}, {}", target(), profile())?;
        writeln!(out, "sliders  {}", chess::sliders::BACKEND)?;
        writeln!(out, "detected {}", supported.join(" "))?;
        writeln!(out, "chosen   {chosen}{forced}")?;
        // It decides in which precision `pra train` computes by default.
        let bf16 = if bf16::is_supported() { "supported" } else { "not supported" };
        writeln!(out, "bf16     {bf16}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The architecture that the compiler targets; for x86-64 its level, by a feature that is new in each.
fn target() -> &'static str {
    cfg_select! {
        all(target_arch = "x86_64", target_feature = "avx512bw") => "x86-64-v4",
        all(target_arch = "x86_64", target_feature = "avx2") => "x86-64-v3",
        all(target_arch = "x86_64", target_feature = "sse4.2") => "x86-64-v2",
        target_arch = "x86_64" => "x86-64",
        _ => std::env::consts::ARCH,
    }
}

fn profile() -> &'static str {
    if cfg!(debug_assertions) { "with all checks" } else { "optimized" }
}
