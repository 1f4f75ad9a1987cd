//! `tabiya paco board`: a position for the eyes.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use chess::svg::{Arrow, BoardPicture, MarkColor, OffsetPiece};
use chess::{Bitboard, Color, File, Piece, Rank, Square};
use paco::{Legal, Position};
use serde_json::json;

use crate::Outcome;
use crate::board::{parse_arrow, parse_mark};
use crate::layout::has_color;

/// Show a board as text or SVG; a union is two pieces side by side
///
/// Examples:
///   tabiya paco board --fen 'rnbqkbnr/ppp1pppp/8/3a4/8/8/PPPP1PPP/RNBQKBNR b 0 AHah - -'
///   tabiya paco board --svg --arrows Ge2e4 > board.svg
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct BoardArgs {
    /// The position, as FEN
    #[arg(long, default_value = "startpos")]
    fen: String,
    /// Print an SVG picture instead of text
    #[arg(long, conflicts_with = "json")]
    svg: bool,
    /// Show the board from Black's side
    #[arg(long)]
    black: bool,
    /// Width and height of the SVG picture in pixels
    #[arg(long, default_value_t = 400, requires = "svg", value_parser = clap::value_parser!(u32).range(16..=16384))]
    size: u32,
    /// Arrows of the SVG picture: color G, R, Y or B and two squares, as in Ge2e4,Rd8h4
    #[arg(long, requires = "svg", value_delimiter = ',', value_parser = parse_arrow)]
    arrows: Vec<Arrow>,
    /// Marked squares of the SVG picture: color and square, as in Ye4,Rf7
    #[arg(long, requires = "svg", value_delimiter = ',', value_parser = parse_mark)]
    marks: Vec<(Square, MarkColor)>,
    /// What the SVG picture is called
    #[arg(long, requires = "svg", default_value = "Paco Ŝako board")]
    title: String,
    /// Print what is known of the position as JSON
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
    } else if args.svg {
        let picture = BoardPicture {
            orientation: side,
            size: args.size,
            arrows: args.arrows,
            marks: args.marks,
            title: args.title,
            ..picture(&position)
        };
        write!(out, "{}", picture.to_svg())?;
    } else {
        write!(out, "{}", text(&position, side, has_color()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn piece(color: Color, piece: paco::PieceType) -> Piece {
    Piece::new(color, piece.into())
}

/// The size of a union's pieces, in squares, and how far the two are moved to the right.
const UNION_SCALE: f32 = 0.68;
const UNION_DX: [f32; 2] = [-0.08, 0.40];
const UNION_DY: f32 = 0.20;

/// The picture of a position: lone pieces in the middle of their squares, White's piece of a union
/// to the left and Black's to the right, what is in the hand raised above its square, and the
/// squares where it can go tinted.
fn picture(position: &Position) -> BoardPicture {
    let mut picture = BoardPicture::default();
    for square in Square::all() {
        let [white, black] =
            Color::ALL.map(|color| position.piece_at(color, square).map(|kind| piece(color, kind)));
        match (white, black) {
            (Some(white), Some(black)) => {
                for (piece, dx) in [white, black].into_iter().zip(UNION_DX) {
                    let scale = UNION_SCALE;
                    picture.offset_pieces.push(OffsetPiece {
                        piece,
                        square,
                        dx,
                        dy: UNION_DY,
                        scale,
                    });
                }
            }
            (Some(alone), None) | (None, Some(alone)) => picture.pieces.push((square, alone)),
            (None, None) => {}
        }
    }
    if let Some(hand) = position.hand() {
        let me = position.player();
        let own = piece(me, hand.piece);
        let square = hand.square;
        if let Some(partner) = hand.partner {
            let mut pair = [own, piece(!me, partner)];
            pair.sort_by_key(|piece| piece.color());
            for (piece, dx) in pair.into_iter().zip(UNION_DX) {
                let (dy, scale) = (UNION_DY - 0.3, UNION_SCALE);
                picture.offset_pieces.push(OffsetPiece { piece, square, dx, dy, scale });
            }
        } else {
            let over_union = position.occupied().has(square);
            let (dx, dy, scale) = if over_union { (0.16, -0.38, 0.68) } else { (0.0, -0.22, 1.0) };
            picture.offset_pieces.push(OffsetPiece { piece: own, square, dx, dy, scale });
        }
        if let Legal::Places(places) = position.legal() {
            picture.highlights = places;
        }
    } else if let Some(square) = position.promotion() {
        picture.highlights = square.bitboard();
    }
    picture
}

/// Colors of a square, from the palette of 256: dark or light, and where the hand can go.
fn background(square: Square, is_target: bool) -> u8 {
    match (is_target, square.is_light()) {
        (true, true) => 215,
        (true, false) => 172,
        (false, true) => 180,
        (false, false) => 66,
    }
}

/// The board in characters: two places for each square, White's piece and Black's. With `color`,
/// squares have ANSI colors; then both players' pieces are the filled ones, in white and black.
pub fn text(position: &Position, side: Color, color: bool) -> String {
    let mut lines = String::new();
    let symbol = |owner, square| {
        // Unicode's black pieces are filled: both players have them where color tells them apart.
        let drawn = if color { Color::Black } else { owner };
        position.piece_at(owner, square).map(|kind| piece(drawn, kind).symbol())
    };
    let targets = match position.legal() {
        Legal::Places(places) => places,
        _ => Bitboard::EMPTY,
    };
    let mut ranks = Rank::ALL;
    let mut files = File::ALL;
    match side {
        Color::White => ranks.reverse(),
        Color::Black => files.reverse(),
    }
    for rank in ranks {
        lines.push(rank.digit());
        lines.push(' ');
        for file in files {
            let square = Square::new(file, rank);
            let [white, black] = Color::ALL.map(|owner| symbol(owner, square));
            if color {
                let background = background(square, targets.has(square));
                let [white, black] = [white, black].map(|symbol| symbol.unwrap_or(' '));
                let _ = write!(
                    lines,
                    "\x1b[48;5;{background}m \x1b[38;5;231m{white}\x1b[38;5;16m{black}\x1b[0m"
                );
                continue;
            }
            let (left, right) = match (white, black) {
                (None, None) if targets.has(square) => ('*', ' '),
                (None, None) => ('·', ' '),
                (white, black) => (white.unwrap_or(' '), black.unwrap_or(' ')),
            };
            lines.extend([' ', left, right]);
        }
        lines.push('\n');
    }
    lines.push_str("  ");
    for file in files {
        lines.extend([' ', file.letter(), ' ']);
    }
    lines.push('\n');
    if let Some(hand) = position.hand() {
        let own = piece(position.player(), hand.piece).symbol();
        let partner = hand.partner.map(|kind| piece(!position.player(), kind).symbol());
        let partner = partner.map_or(String::new(), String::from);
        lines.push_str(&format!("in hand over {}: {own}{partner}\n", hand.square));
    }
    lines
}
