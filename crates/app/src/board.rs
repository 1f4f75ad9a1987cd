//! `tabiya board`: a position as text or SVG.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use chess::picture::{Style, text_board};
use chess::svg::{Arrow, BoardPicture, MarkColor};
use chess::{Color, Game, Outcome as Ending, Square};
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
    #[arg(long, requires = "svg", value_delimiter = ',', value_parser = parse_arrow)]
    arrows: Vec<Arrow>,
    /// Marked squares of the SVG: color and square, as in Ye4,Rf7
    #[arg(long, requires = "svg", value_delimiter = ',', value_parser = parse_mark)]
    marks: Vec<(Square, MarkColor)>,
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

/// Splits off the color letter.
fn split_color(text: &str) -> anyhow::Result<(MarkColor, &str)> {
    let mut rest = text.chars();
    let color = rest.next().and_then(MarkColor::from_letter);
    let color =
        color.ok_or_else(|| anyhow!("'{text}' does not start with a color G, R, Y or B"))?;
    Ok((color, rest.as_str()))
}

fn parse_mark(text: &str) -> anyhow::Result<(Square, MarkColor)> {
    let (color, square) = split_color(text)?;
    Ok((square.parse()?, color))
}

fn parse_arrow(text: &str) -> anyhow::Result<Arrow> {
    let (color, squares) = split_color(text)?;
    let (from, to) = squares.split_at_checked(2).context("an arrow needs two squares")?;
    Ok(Arrow::new(from.parse()?, to.parse()?, color))
}

pub fn run(args: BoardArgs, out: &mut dyn Write) -> Outcome {
    let game = input::game(&args.fen)?;
    let position = game.position();
    let orientation = args.orientation;
    if args.svg.svg {
        let picture = BoardPicture {
            coordinates: !args.no_coordinates,
            last_move: game.moves().last().map(|m| (m.from(), m.to())),
            check: position.in_check().then(|| position.king(position.turn())),
            title: position.fen(),
            ..BoardPicture::of(|square| position.piece_at(square))
        };
        writeln!(out, "{}", args.svg.picture(orientation, picture).to_svg())?;
    } else if args.json {
        let report = json!({
            "fen": position.fen(),
            "turn": position.turn().letter(),
            "key": format!("{:016x}", position.key()),
            "legal_moves": position.count_legal_moves(),
            "check": position.in_check(),
            "state": state(&game),
        });
        writeln!(out, "{report}")?;
    } else {
        write!(out, "{}", text_board(|square| position.piece_at(square), orientation, args.style))?;
        writeln!(out, "\nFEN  {}", position.fen())?;
        writeln!(out, "Key  {:016x}", position.key())?;
        writeln!(out, "{}", state(&game))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The state of the game in a sentence.
fn state(game: &Game) -> String {
    let position = game.position();
    match game.outcome() {
        Some(Ending::Checkmate(winner)) => format!("{winner} has mated"),
        Some(Ending::Draw(reason)) => format!("Draw: {reason}"),
        None => {
            let check = if position.in_check() { ", in check" } else { "" };
            let moves = match position.count_legal_moves() {
                1 => "1 legal move".to_owned(),
                n => format!("{n} legal moves"),
            };
            format!("{} to move{check}, {moves}", position.turn())
        }
    }
}
