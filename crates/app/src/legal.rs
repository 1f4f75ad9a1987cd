//! `tabiya legal`: the legal moves of positions.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use chess::{CastlingStyle, FenStyle, Game};
use serde_json::json;

use crate::{Outcome, input};

/// List the legal moves of positions
///
/// Reads one position per line: a FEN, `FEN moves e2e4 e7e5 …` or `startpos moves …`. Prints one line
/// for each: its legal moves in UCI notation, separated by spaces. An invalid line yields `error: …`;
/// reading continues.
///
/// Example: echo 'startpos moves e2e4' | tabiya legal
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct LegalArgs {
    /// Input file, or - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Print castling as king takes rook, and FEN castling rights by rook file
    #[arg(long)]
    chess960: bool,
    /// Print one JSON object per line: moves, FEN, check, mate, draws and keys
    #[arg(long)]
    json: bool,
}

pub fn run(args: LegalArgs, out: &mut dyn Write) -> Outcome {
    let style = input::castling_style(args.chess960);
    let file = input::open(&args.file)?;
    input::each_line(file, |_, line| {
        match line.and_then(input::game) {
            Err(error) if args.json => {
                writeln!(out, "{}", json!({ "error": format!("{error:#}") }))
            }
            Err(error) => writeln!(out, "error: {error:#}"),
            Ok(game) if args.json => writeln!(out, "{}", describe(&game, style)),
            Ok(game) => writeln!(out, "{}", legal_moves(&game, style).join(" ")),
        }?;
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn legal_moves(game: &Game, style: CastlingStyle) -> Vec<String> {
    let position = game.position();
    position.legal_moves().iter().map(|&m| position.uci(m, style).to_string()).collect()
}

fn describe(game: &Game, style: CastlingStyle) -> serde_json::Value {
    let position = game.position();
    let fen_style = match style {
        CastlingStyle::Standard => FenStyle::Standard,
        CastlingStyle::Chess960 => FenStyle::Shredder,
    };
    json!({
        "fen": position.fen_in(fen_style),
        "moves": legal_moves(game, style),
        "check": position.in_check(),
        "checkmate": position.is_checkmate(),
        "stalemate": position.is_stalemate(),
        "insufficient_material": position.is_insufficient_material(),
        "repetitions": game.repetitions(),
        "outcome": game.outcome().map(|outcome| outcome.to_string()),
        "claimable": game.claimable_draw().map(|reason| reason.to_string()),
        "key": format!("{:016x}", position.key()),
        "pawn_key": format!("{:016x}", position.pawn_key()),
    })
}
