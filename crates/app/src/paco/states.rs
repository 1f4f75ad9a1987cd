//! `tabiya paco states`: JSON lines of games in, JSON lines of states out.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use paco::{game_from_json, state_json};
use serde_json::json;

use crate::{Outcome, input};

/// Replay games and print their final states, one JSON object per line
///
/// An input line has 'start_fen' (its no-progress counter is reset) or 'fen', and optionally
/// 'actions' (policy indices 1 to 132 with absolute squares, or objects like {"Lift":12}) and
/// 'draw_after_n_repetitions' (3 by default, 0 for never). An output line has fen, to_move,
/// required, hand, promotion, en_passant, castling (wQ, wK, bQ, bK), no_progress, victory, legal,
/// and what the options add. An invalid line yields {"error": …}; reading continues.
///
/// Examples:
///   echo '{"start_fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0 AHah - -","actions":[13,93]}' \
///     | tabiya paco states --options 0,1,6 --sako
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct StatesArgs {
    /// Input file, or - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Add the index representation for these option sets
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..8))]
    options: Vec<u32>,
    /// Add whether the player, and the opponent, can unite with the king this turn
    #[arg(long)]
    sako: bool,
    /// Follow the reference library's bugs
    #[arg(long)]
    compat: bool,
}

pub fn run(args: StatesArgs, out: &mut dyn Write) -> Outcome {
    let file = input::open(&args.file)?;
    let rules = super::rules(args.compat);
    input::each_line(file, |_, line| {
        let game = line.and_then(|line| Ok(game_from_json(line, rules)?));
        let state = game.map(|game| state_json(&game, &args.options, args.sako));
        let state = state.unwrap_or_else(|error| json!({ "error": format!("{error:#}") }));
        writeln!(out, "{state}")?;
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}
