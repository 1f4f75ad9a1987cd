//! `tabiya pra bench`: throughput of training, inference and the data loader, and peak memory.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use layout::{Table, prose, width};
use pra::bench::{Benchmark, loader, peak_memory_mb};
use pra::{Transformer, Weights};
use serde_json::json;

use super::model::{ConfigArgs, parse_in};
use super::train::OptimizerArg;
use crate::Outcome;
use crate::threads::Threads;

/// Measures the throughput of training, inference and the data loader
#[derive(clap::Args)]
pub struct BenchArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Optimizer of the training step
    #[arg(long, value_name = "NAME", default_value = "adamw")]
    optimizer: OptimizerArg,
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
    let time = Duration::from_secs_f64(args.seconds);
    let is_wanted = |name: &str| {
        !args.loader && (args.only.is_empty() || args.only.contains(&name.replace('_', "-")))
    };
    let mut rates: Vec<(&str, f64)> = Vec::new();
    for benchmark in Benchmark::ALL.iter().filter(|benchmark| is_wanted(benchmark.name)) {
        let rate = benchmark.run(&mut model, &mut weights, args.optimizer.kind(), time);
        rates.push((benchmark.name, rate));
    }
    if args.loader {
        rates.push(("loader", loader(&config, args.data.as_deref(), time)?));
    }
    let memory = peak_memory_mb();
    if args.json {
        let mut report = json!({
            "config": serde_json::to_value(config)?,
            "parameters": config.parameters(),
            "threads": threads,
            "optimizer": args.optimizer.name(),
            "peak_memory_mb": memory,
        });
        for (name, rate) in rates {
            report[name] = rate.into();
        }
        writeln!(out, "{report}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (depth, n_embd, parameters) = (config.depth, config.n_embd, config.parameters());
    prose(
        out,
        format_args!(
            "{depth} layers, embedding dimension {n_embd}, {parameters} parameters, {threads} threads"
        ),
    )?;
    let mut table = Table::new(["", "positions/s", "GFLOP/s"], &[0], 1);
    for (name, rate) in rates {
        let what = match name {
            "train" => format!("training, batches of 64, {}", args.optimizer.name()),
            "loader" => "data loader, on one core".to_owned(),
            _ => format!("inference, batches of {}", &name["infer_".len()..]),
        };
        // The backward pass has two matrix multiplications for each one of the forward pass.
        let passes = if name == "train" { 3.0 } else { 1.0 };
        let gflops = rate * passes * config.forward_flops() as f64 / 1e9;
        let gflops = if name == "loader" { String::new() } else { format!("{gflops:.1}") };
        table.row([what, format!("{rate:.1}"), gflops]);
    }
    write!(out, "{}", table.stacked(width()))?;
    if let Some(memory) = memory {
        writeln!(out, "peak memory {memory:.1} MB")?;
    }
    Ok(ExitCode::SUCCESS)
}
