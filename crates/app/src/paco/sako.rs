//! `tabiya paco sako`: searches for Ŝako and for forced Paco.

use std::io::Write;
use std::process::ExitCode;

use cpu_time::ThreadTime;
use paco::SakoReport;

use crate::Outcome;

/// Search for Ŝako: can the player unite with the enemy king this turn, and how?
///
/// Examples:
///   tabiya paco sako --fen 'k7/2I2L2/l2rS1K1/w1T1L1o1/2sQ4/4S1j1/1sLi4/8 b 49 - - -'
///   tabiya paco sako --in 2 --fen '4k3/8/8/8/8/8/8/3RKR2 w 0 - - -'
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct SakoArgs {
    /// Position as FEN
    #[arg(long)]
    fen: String,
    /// Also search for a Paco that can be forced within TURNS turns
    #[arg(long = "in", value_name = "TURNS", value_parser = clap::value_parser!(u32).range(1..=8))]
    turns: Option<u32>,
    /// Maximum number of sequences to print
    #[arg(long, default_value_t = 5)]
    limit: usize,
    /// Node limit of the search; beyond it the answer is "unknown"
    #[arg(long, default_value_t = paco::SAKO_NODES)]
    nodes: u32,
    /// Node limit of the search for a forced Paco, in turns
    #[arg(long, default_value_t = 2_000_000)]
    budget: u64,
    /// Follow the reference library's bugs
    #[arg(long)]
    compat: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: SakoArgs, out: &mut dyn Write) -> Outcome {
    let position = super::position(&args.fen, super::rules(args.compat))?;
    let start = ThreadTime::now();
    let by_me = position.sako(args.nodes);
    let by_opp = position.sako_against(args.nodes);
    let seconds = start.elapsed().as_secs_f64();
    let mut report = SakoReport::new(&position, by_me, by_opp, args.nodes, args.limit)?;
    if let Some(turns) = args.turns {
        report = report.with_forced(turns, args.budget)?;
    }
    match args.json {
        true => writeln!(out, "{}", report.to_json(seconds))?,
        false => write!(out, "{}", report.to_text(seconds))?,
    }
    Ok(ExitCode::SUCCESS)
}
