//! `tabiya pra bench`: throughput of training, inference and the data loader, and peak memory.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use pra::bench::{BenchReport, Benchmark, loader, peak_memory_mb};
use pra::{Precision, Transformer, Weights};

use super::model::{ConfigArgs, parse_in};
use super::train::OptimizerArg;
use crate::Outcome;
use crate::threads::Threads;

/// Measure the throughput of training, inference and the data loader
#[derive(clap::Args)]
pub struct BenchArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Optimizer of the training step
    #[arg(long, value_name = "NAME", default_value = "adamw")]
    optimizer: OptimizerArg,
    /// Precision of matmuls in training: f32 or bf16 [default: bf16 where the CPU has AVX-512 BF16]
    #[arg(long, value_name = "NAME")]
    precision: Option<Precision>,
    #[command(flatten)]
    threads: Threads,
    /// Duration of each measurement, in seconds
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = |text: &str| parse_in(text, 0.01..=3600.0))]
    seconds: f64,
    /// Measure only training steps, or inference with batches of 1, 64 or 256 positions; may be given
    /// several times
    #[arg(long, value_name = "WHAT", value_parser = ["train", "infer-1", "infer-64", "infer-256"])]
    only: Vec<String>,
    /// Measure only the data loader, on one core
    #[arg(long, conflicts_with = "only")]
    loader: bool,
    /// Data set for the loader [default: random games]
    #[arg(long, value_name = "DIR", requires = "loader")]
    data: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &BenchArgs, out: &mut dyn Write) -> Outcome {
    let config = args.config.config()?;
    let mut weights = Weights::random(&config, 1)?;
    let threads = args.threads.count().get();
    let mut model = Transformer::new(&config, threads);
    let precision = args.precision.unwrap_or_else(Precision::fastest);
    model.set_precision(precision)?;
    let time = Duration::from_secs_f64(args.seconds);
    let is_wanted = |name: &str| {
        !args.loader && (args.only.is_empty() || args.only.contains(&name.replace('_', "-")))
    };
    let mut rates: Vec<(&'static str, f64)> = Vec::new();
    for benchmark in Benchmark::ALL.iter().filter(|benchmark| is_wanted(benchmark.name)) {
        let rate = benchmark.run(&mut model, &mut weights, args.optimizer.kind(), time);
        rates.push((benchmark.name, rate));
    }
    if args.loader {
        rates.push(("loader", loader(&config, args.data.as_deref(), time)?));
    }
    let optimizer = args.optimizer.name();
    let peak_memory_mb = peak_memory_mb();
    let report = BenchReport { config, threads, optimizer, precision, rates, peak_memory_mb };
    match args.json {
        true => writeln!(out, "{}", report.to_json())?,
        false => write!(out, "{}", report.to_text(layout::width()))?,
    }
    Ok(ExitCode::SUCCESS)
}
