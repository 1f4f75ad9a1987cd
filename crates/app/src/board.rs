//! `tabiya board`: a position as text or SVG.

use std::io::Write;
use std::process::ExitCode;

use chess::picture::{Style, text_board};
use chess::svg::{self, Arrow, BoardPicture, ShapeColor};
use chess::{Color, Square};
use serde_json::json;

use crate::{Outcome, input};

/// Print a board as text or SVG
///
/// Examples:
///   tabiya board --fen 'startpos moves e2e4 e7e5'
///   tabiya board --fen '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1' --svg > board.svg
///   tabiya board --svg --arrows Ge2e4,Rd8h4 --marks Yf7 > board.svg
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct BoardArgs {
    /// Position: a FEN, 'FEN moves e2e4 …' or 'startpos moves …'
    #[arg(long, default_value = "startpos")]
    fen: String,
    /// Side at the bottom: white or black
    #[arg(long, value_name = "COLOR", default_value = "white", value_parser = parse_orientation)]
    orientation: Color,
    /// Text board: ascii (FEN letters), unicode (chess symbols) or ansi (on colored squares)
    #[arg(long, default_value = "unicode", conflicts_with_all = ["svg", "json"], value_parser = parse_style)]
    style: Style,
    #[command(flatten)]
    svg: SvgArgs,
    /// Draw the SVG without coordinates
    #[arg(long, requires = "svg")]
    no_coordinates: bool,
    /// Print the position as JSON
    #[arg(long)]
    json: bool,
}

/// Options of an SVG board.
#[derive(clap::Args)]
pub struct SvgArgs {
    /// Print SVG instead of text
    #[arg(long, conflicts_with = "json")]
    pub svg: bool,
    /// Width and height of the SVG in pixels
    #[arg(long, default_value_t = 400, requires = "svg", value_parser = clap::value_parser!(u32).range(16..=16384))]
    size: u32,
    /// Arrows of the SVG: color G, R, Y or B and two squares, as in Ge2e4,Rd8h4
    #[arg(long, requires = "svg", value_delimiter = ',', value_parser = str::parse::<Arrow>)]
    arrows: Vec<Arrow>,
    /// Marked squares of the SVG: color and square, as in Ye4,Rf7
    #[arg(long, requires = "svg", value_delimiter = ',', value_parser = svg::parse_mark)]
    marks: Vec<(Square, ShapeColor)>,
}

impl SvgArgs {
    /// Applies the options to a picture.
    pub fn picture(self, orientation: Color, picture: BoardPicture) -> BoardPicture {
        let Self { size, arrows, marks, .. } = self;
        BoardPicture { orientation, size, arrows, marks, ..picture }
    }
}

fn parse_orientation(text: &str) -> Result<Color, String> {
    match text {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err("must be white or black".to_owned()),
    }
}

fn parse_style(text: &str) -> Result<Style, String> {
    match text {
        "ascii" => Ok(Style::Ascii),
        "unicode" => Ok(Style::Unicode),
        "ansi" => Ok(Style::Ansi),
        _ => Err("must be ascii, unicode or ansi".to_owned()),
    }
}

pub fn run(args: BoardArgs, out: &mut dyn Write) -> Outcome {
    let game = input::game(&args.fen)?;
    let position = game.position();
    let orientation = args.orientation;
    if args.svg.svg {
        let picture = BoardPicture {
            coordinates: !args.no_coordinates,
            title: position.fen(),
            ..BoardPicture::of_game(&game)
        };
        writeln!(out, "{}", args.svg.picture(orientation, picture).to_svg())?;
    } else if args.json {
        let report = json!({
            "fen": position.fen(),
            "turn": position.turn().letter(),
            "key": format!("{:016x}", position.key()),
            "legal_moves": position.count_legal_moves(),
            "check": position.in_check(),
            "state": game.status(),
        });
        writeln!(out, "{report}")?;
    } else {
        write!(out, "{}", text_board(|square| position.piece_at(square), orientation, args.style))?;
        writeln!(out, "\nFEN  {}", position.fen())?;
        writeln!(out, "Key  {:016x}", position.key())?;
        writeln!(out, "{}", game.status())?;
    }
    Ok(ExitCode::SUCCESS)
}
