//! `tabiya features`: the bitboards and the 768 features of a position.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::nnue::features::FeatureReport;
use chess::Game;
use serde_json::json;

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
    let report = report(&game);
    if args.json {
        writeln!(out, "{}", report.to_json())?;
    } else {
        write!(out, "{report}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn report(game: &Game) -> FeatureReport<'_> {
    FeatureReport { position: game.position(), columns: layout::width() }
}

/// One JSON object per line; an invalid line yields an error, and exit code 1 at the end.
fn each(file: &Path, out: &mut dyn Write) -> Outcome {
    let mut code = ExitCode::SUCCESS;
    input::each_line(input::open(file)?, |number, line| {
        match line.and_then(input::game) {
            Ok(game) => writeln!(out, "{}", report(&game).to_json()),
            Err(error) => {
                code = ExitCode::FAILURE;
                writeln!(out, "{}", json!({ "line": number, "error": format!("{error:#}") }))
            }
        }?;
        Ok(())
    })?;
    Ok(code)
}
