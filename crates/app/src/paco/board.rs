//! `tabiya paco board`: a position as text or SVG.

use std::io::Write;
use std::process::ExitCode;

use chess::Color;
use chess::svg::BoardPicture;
use layout::has_color;
use paco::{board_picture, text_board};
use serde_json::json;

use crate::Outcome;
use crate::board::SvgArgs;

/// Print a board as text or SVG; the pieces of a union share its square
///
/// Examples:
///   tabiya paco board --fen 'rnbqkbnr/ppp1pppp/8/3a4/8/8/PPPP1PPP/RNBQKBNR b 0 AHah - -'
///   tabiya paco board --svg --arrows Ge2e4 > board.svg
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct BoardArgs {
    /// Position as FEN
    #[arg(long, default_value = "startpos")]
    fen: String,
    #[command(flatten)]
    svg: SvgArgs,
    /// Put Black's side at the bottom
    #[arg(long)]
    black: bool,
    /// Title of the SVG
    #[arg(long, requires = "svg", default_value = "Paco Ŝako board")]
    title: String,
    /// Print the position as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: BoardArgs, out: &mut dyn Write) -> Outcome {
    let position = super::position(&args.fen, paco::Rules::Exact)?;
    let side = if args.black { Color::Black } else { Color::White };
    if args.json {
        let matrix = position.to_matrix();
        writeln!(
            out,
            "{}",
            json!({
                "fen": position.to_extended_fen(),
                "matrix": matrix.lines().collect::<Vec<_>>(),
                "to_move": position.player().letter().to_string(),
                "required": position.required().name(),
                "legal": position.legal().iter().map(|a| a.policy_index()).collect::<Vec<_>>(),
            })
        )?;
    } else if args.svg.svg {
        let picture = BoardPicture { title: args.title, ..board_picture(&position) };
        write!(out, "{}", args.svg.picture(side, picture).to_svg())?;
    } else {
        write!(out, "{}", text_board(&position, side, has_color()))?;
    }
    Ok(ExitCode::SUCCESS)
}
