//! A model as text: configuration, cost and tensors.

use std::fmt;

use layout::{Table, wrap};

use crate::config::HEADS;
use crate::{Config, Layout, Weights};

/// Columns of the tensors that a narrow terminal drops before it wraps names.
const UNIMPORTANT: [usize; 2] = [3, 4];

/// Configuration, cost and tensors of a model as text; with weights, also the root mean square of each
/// tensor.
#[derive(Clone, Copy, Debug)]
pub struct ModelText<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// The weights.
    pub weights: Option<&'a Weights>,
    /// The width of the text.
    pub columns: usize,
}

impl fmt::Display for ModelText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { config, weights, columns } = *self;
        let (depth, n_embd) = (config.depth, config.n_embd);
        let parameters = config.parameters();
        let flops = config.forward_flops() as f64 / 1e6;
        writeln!(f, "{parameters} parameters, {:.1} MB", 4.0 * parameters as f64 / 1e6)?;
        writeln!(f, "{depth} layers of {HEADS} heads, embedding dimension {n_embd}")?;
        let training = 3.0 * flops;
        let cost =
            format!("{flops:.0} MFLOPs per position in a forward pass, {training:.0} in training");
        writeln!(f, "{}\n", wrap(&cost, columns, 2))?;
        let mut table = Table::new(["option", "", "meaning"], &[0, 1, 2], 2);
        for (name, is_on, meaning) in config.options() {
            table.row([name, if is_on { "yes" } else { "no" }, meaning]);
        }
        writeln!(f, "{}", table.stacked(columns))?;
        write!(f, "{}", tensors(config, weights).without(&UNIMPORTANT, columns))?;
        if weights.is_some() {
            writeln!(f, "RMS: root mean square of the parameters")?;
        }
        Ok(())
    }
}

fn tensors(config: &Config, weights: Option<&Weights>) -> Table {
    let rms = weights.map(|_| "RMS");
    let heading = ["tensor", "shape", "parameters", "group"].into_iter().chain(rms);
    let mut table = Table::new(heading, &[0, 3], 1);
    for tensor in Layout::new(config).tensors() {
        let shape: Vec<String> = tensor.shape.iter().map(usize::to_string).collect();
        let rms = weights.map_or(String::new(), |weights| format!("{:.4}", weights.rms(tensor)));
        table.row([
            tensor.name.clone(),
            shape.join("×"),
            tensor.range.len().to_string(),
            tensor.kind.to_string(),
            rms,
        ]);
    }
    table
}
