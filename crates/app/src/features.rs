//! `tabiya features`: the bitboards and the 768 features of a position.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::nnue::features::{Bitboards, Features, offset};
use chess::{Bitboard, Color, File, PieceType, Position, Rank, Square};
use layout::{prose, width};
use serde_json::{Value, json};

use crate::{Outcome, input};

/// Print the bitboards and the 768 input features of a position
///
/// The features are Black's pawns (0-63), knights, bishops, rooks, queens and king (320-383), then
/// White's (384-767), each by square from a1 to h8. From the perspective of the side to move, its
/// 384 features come first, and ranks are flipped for Black.
///
/// Examples:
///   tabiya features
///   tabiya features --fen '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1' --json
///   tabiya features --file positions.txt > features.jsonl
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct FeaturesArgs {
    /// Position: a FEN, 'FEN moves e2e4 …' or 'startpos moves …'
    #[arg(long, default_value = "startpos", conflicts_with = "file")]
    fen: String,
    /// File with one position per line, or - for standard input; prints one JSON object per line
    #[arg(long)]
    file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: FeaturesArgs, out: &mut dyn Write) -> Outcome {
    if let Some(file) = &args.file {
        return each(file, out);
    }
    let game = input::game(&args.fen)?;
    let position = game.position();
    if args.json {
        writeln!(out, "{}", describe(position))?;
    } else {
        show(position, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One JSON object per line; an invalid line yields an error, and exit code 1 at the end.
fn each(file: &Path, out: &mut dyn Write) -> Outcome {
    let mut code = ExitCode::SUCCESS;
    input::each_line(input::open(file)?, |number, line| {
        match line.and_then(input::game) {
            Ok(game) => writeln!(out, "{}", describe(game.position())),
            Err(error) => {
                code = ExitCode::FAILURE;
                writeln!(out, "{}", json!({ "line": number, "error": format!("{error:#}") }))
            }
        }?;
        Ok(())
    })?;
    Ok(code)
}

fn describe(position: &Position) -> Value {
    let bitboards = Bitboards::of(position.board());
    let material = bitboards.material();
    let counts = bitboards.counts();
    let by_type = |color: usize| -> Value {
        let named = PieceType::ALL.into_iter().zip(counts[color]);
        named.map(|(piece_type, count)| (piece_type.to_string(), json!(count))).collect()
    };
    json!({
        "fen": position.fen(),
        "turn": position.turn().letter(),
        "active": Features::of(position.board()).iter().collect::<Vec<_>>(),
        "mover": Features::for_mover(position).iter().collect::<Vec<_>>(),
        "pieces": bitboards.len(),
        "counts": {
            "black": by_type(::nnue::features::BLACK),
            "white": by_type(::nnue::features::WHITE),
        },
        "material": {
            "white": material.white,
            "black": material.black,
            "balance": material.balance(),
        },
    })
}

fn show(position: &Position, out: &mut dyn Write) -> anyhow::Result<()> {
    let bitboards = Bitboards::of(position.board());
    writeln!(out, "{}\n", position.fen())?;
    for color in [Color::Black, Color::White] {
        let heads = PieceType::ALL.map(|piece_type| {
            let first = offset(color, piece_type);
            (format!("{piece_type} {first}"), bitboards.pieces(color, piece_type))
        });
        writeln!(out, "{color}")?;
        for row in heads.chunks(boards_in_a_row(width())) {
            side_by_side(row, out)?;
            writeln!(out)?;
        }
    }
    let features = Features::of(position.board());
    let mover = Features::for_mover(position);
    prose(out, format_args!("Active      {}", list(&features)))?;
    prose(out, format_args!("For mover   {}", list(&mover)))?;
    let [black, white] = bitboards.counts().map(|counts| counts.iter().sum::<usize>());
    writeln!(out, "Pieces      {} (White {white}, Black {black})", bitboards.len())?;
    let material = bitboards.material();
    let balance = material.balance();
    writeln!(
        out,
        "Material    White {}, Black {}, balance {balance:+}",
        material.white, material.black
    )?;
    writeln!(out, "To move     {}", position.turn())?;
    Ok(())
}

/// How many of the six boards fit side by side, in rows of equal length.
fn boards_in_a_row(width: usize) -> usize {
    [6, 3, 2].into_iter().find(|boards| 17 * boards <= width).unwrap_or(1)
}

/// Prints small boards in a row, each below its name.
fn side_by_side(sets: &[(String, Bitboard)], out: &mut dyn Write) -> std::io::Result<()> {
    let names: Vec<String> = sets.iter().map(|(name, _)| format!("{name:<15}")).collect();
    writeln!(out, "  {}", names.join("  ").trim_end())?;
    for rank in (0..8).rev().map(Rank::from_index_wrapping) {
        let rows: Vec<String> = sets.iter().map(|&(_, set)| row(set, rank)).collect();
        writeln!(out, "{} {}", rank.digit(), rows.join("  "))?;
    }
    Ok(())
}

fn row(set: Bitboard, rank: Rank) -> String {
    let marks = (0..8).map(|file| {
        let square = Square::new(File::from_index_wrapping(file), rank);
        if set.has(square) { "1" } else { "·" }
    });
    marks.collect::<Vec<_>>().join(" ")
}

fn list(features: &Features) -> String {
    features.iter().map(|feature| feature.to_string()).collect::<Vec<_>>().join(" ")
}
