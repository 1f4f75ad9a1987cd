//! `tabiya paco sako`: searches for Ŝako and for forced Paco.

use std::io::Write;
use std::process::ExitCode;

use cpu_time::ThreadTime;
use paco::{Answer, PacoIn};
use serde_json::json;

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
    let found = match by_me {
        Answer::No => paco::PacoSequences { sequences: Vec::new(), complete: true },
        _ => position.paco_sequences(args.nodes, args.limit),
    };
    let mut texts = Vec::new();
    for actions in &found.sequences {
        texts.push(position.notation(actions)?);
    }
    let forced = args.turns.map(|turns| position.paco_in(turns, args.budget));
    let forced_turn = match &forced {
        Some(PacoIn::Yes(actions)) => Some(position.notation(actions)?),
        _ => None,
    };
    if args.json {
        let mut report = json!({
            "sako_by_me": by_me.to_json(),
            "sako_by_opp": by_opp.to_json(),
            "sequences": texts,
            "complete": found.complete,
            "seconds": seconds,
        });
        if let Some(forced) = &forced {
            report["paco_in"] = json!({
                "turns": args.turns,
                "forced": match forced {
                    PacoIn::Yes(_) => Some(true),
                    PacoIn::No => Some(false),
                    PacoIn::Unknown => None,
                },
                "turn": forced_turn,
            });
        }
        writeln!(out, "{report}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let player = position.player();
    writeln!(out, "{player} can unite with the king this turn: {}", by_me)?;
    for text in &texts {
        writeln!(out, "  {text}")?;
    }
    if !found.complete {
        writeln!(out, "  … and perhaps more")?;
    }
    writeln!(out, "{player} is in Ŝako: {}", by_opp)?;
    writeln!(out, "{:.3} ms of CPU time", 1000.0 * seconds)?;
    match (forced, forced_turn) {
        (Some(PacoIn::Yes(_)), Some(turn)) => writeln!(out, "Paco can be forced, with {turn}")?,
        (Some(PacoIn::No), _) => writeln!(out, "Paco cannot be forced within these turns")?,
        (Some(_), _) => {
            writeln!(out, "Whether Paco can be forced is unknown; try a larger --budget")?
        }
        (None, _) => {}
    }
    Ok(ExitCode::SUCCESS)
}
