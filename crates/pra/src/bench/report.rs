//! Measured rates as a table and as JSON.

use layout::{Table, wrap};
use serde_json::{Value, json};

use crate::{Config, Precision};

/// The results of a benchmark run.
#[derive(Clone, PartialEq, Debug)]
pub struct BenchReport {
    /// The configuration of the model.
    pub config: Config,
    /// Number of threads.
    pub threads: usize,
    /// The optimizer of the training step.
    pub optimizer: &'static str,
    /// The precision of the training step.
    pub precision: Precision,
    /// Names and positions per second; `loader` is the data loader.
    pub rates: Vec<(&'static str, f64)>,
    /// Peak resident memory in MB.
    pub peak_memory_mb: Option<f64>,
}

impl BenchReport {
    /// Configuration, memory and a field per rate.
    pub fn to_json(&self) -> Value {
        let mut report = json!({
            "config": self.config,
            "parameters": self.config.parameters(),
            "threads": self.threads,
            "optimizer": self.optimizer,
            "precision": self.precision,
            "peak_memory_mb": self.peak_memory_mb,
        });
        for &(name, rate) in &self.rates {
            report[name] = rate.into();
        }
        report
    }

    /// Positions and floating-point operations per second.
    pub fn to_text(&self, columns: usize) -> String {
        let Config { depth, n_embd, .. } = self.config;
        let (parameters, threads) = (self.config.parameters(), self.threads);
        let model = format!(
            "{depth} layers, embedding dimension {n_embd}, {parameters} parameters, {threads} threads"
        );
        let mut table = Table::new(["", "positions/s", "GFLOP/s"], &[0], 1);
        for &(name, rate) in &self.rates {
            let what = match name {
                "train" => {
                    format!("training, batches of 64, {}, {}", self.optimizer, self.precision)
                }
                "loader" => "data loader, on one core".to_owned(),
                _ => format!("inference, batches of {}", name.trim_start_matches("infer_")),
            };
            // The backward pass has two matrix multiplications for each one of the forward pass.
            let passes = if name == "train" { 3.0 } else { 1.0 };
            let gflops = rate * passes * self.config.forward_flops() as f64 / 1e9;
            let gflops = if name == "loader" { String::new() } else { format!("{gflops:.1}") };
            table.row([what, format!("{rate:.1}"), gflops]);
        }
        let memory =
            self.peak_memory_mb.map_or(String::new(), |mb| format!("peak memory {mb:.1} MB\n"));
        wrap(&model, columns, 2) + "\n" + &table.stacked(columns) + &memory
    }
}
