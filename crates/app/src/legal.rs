//! `tabiya legal`: lines of positions in, lines of legal moves out.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use chess::{CastlingStyle, DrawReason, FenStyle, Game, Outcome as Ending};
use serde_json::json;

use crate::{Outcome, input};

/// List the legal moves of positions, one position a line
///
/// Reads one position a line, as FEN, `FEN moves e2e4 e7e5 …` or `startpos moves …`, and writes one
/// line for each: its legal moves in UCI notation, separated by blanks. A bad line gives `error: …`
/// in its place, and the next is read.
///
/// Example: echo 'startpos moves e2e4' | tabiya legal
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct LegalArgs {
    /// The file to read, or - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Write castling as king takes rook, and FEN castling rights by rook file
    #[arg(long)]
    chess960: bool,
    /// Write one JSON object a line: moves, FEN, check, mate, draws and keys
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
        "outcome": game.outcome().map(ending_name),
        "claimable": game.claimable_draw().map(draw_name),
        "key": format!("{:016x}", position.key()),
        "pawn_key": format!("{:016x}", position.pawn_key()),
    })
}

fn ending_name(ending: Ending) -> &'static str {
    match ending {
        Ending::Checkmate(_) => "checkmate",
        Ending::Draw(reason) => draw_name(reason),
    }
}

pub fn draw_name(reason: DrawReason) -> &'static str {
    match reason {
        DrawReason::Stalemate => "stalemate",
        DrawReason::InsufficientMaterial => "insufficient material",
        DrawReason::SeventyFiveMoves => "75 moves",
        DrawReason::FivefoldRepetition => "fivefold repetition",
        DrawReason::FiftyMoves => "50 moves",
        DrawReason::ThreefoldRepetition => "threefold repetition",
    }
}
