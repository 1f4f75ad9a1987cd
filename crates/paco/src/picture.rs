//! Boards as text and as SVG. In the drawing, the two pieces of a union face each other; in the text, they
//! stand side by side.

use alloc::format;
use alloc::string::String;
use core::fmt::Write;

use chess::svg::{BoardPicture, OffsetPiece};
use chess::{Bitboard, Color, File, Piece, Rank, Square};

use crate::{Legal, PieceType, Position};

/// How far what is in hand is raised, in squares; a piece over a union is smaller and higher, so that
/// all three are seen.
const RAISED: f32 = -0.22;
const RAISED_OVER_UNION: (f32, f32, f32) = (0.12, -0.44, 0.76);

fn piece(color: Color, piece: PieceType) -> Piece {
    Piece::new(color, piece.into())
}

/// The SVG picture of a position: the piece in hand is raised above its square, and its target squares
/// are highlighted.
pub fn board_picture(position: &Position) -> BoardPicture {
    let mut picture = BoardPicture::default();
    for square in Square::all() {
        match Color::ALL.map(|color| position.piece_at(color, square)) {
            [Some(white), Some(black)] => {
                picture.offset_pieces.extend(OffsetPiece::union(white.into(), black.into(), square))
            }
            [Some(alone), None] => picture.pieces.push((square, piece(Color::White, alone))),
            [None, Some(alone)] => picture.pieces.push((square, piece(Color::Black, alone))),
            [None, None] => {}
        }
    }
    if let Some(hand) = position.hand() {
        let me = position.player();
        let square = hand.square;
        if let Some(partner) = hand.partner {
            let (white, black) = match me {
                Color::White => (hand.piece, partner),
                Color::Black => (partner, hand.piece),
            };
            let union = OffsetPiece::union(white.into(), black.into(), square);
            let raise = |half: OffsetPiece| OffsetPiece { dy: half.dy + RAISED, ..half };
            picture.offset_pieces.extend(union.map(raise));
        } else {
            let over_union = position.occupied().has(square);
            let (dx, dy, scale) = if over_union { RAISED_OVER_UNION } else { (0.0, RAISED, 1.0) };
            let own = OffsetPiece::new(piece(me, hand.piece), square);
            picture.offset_pieces.push(OffsetPiece { dx, dy, scale, halo: true, ..own });
        }
        if let Legal::Places(places) = position.legal() {
            picture.highlights = places;
        }
    } else if let Some(square) = position.promotion() {
        picture.highlights = square.bitboard();
    }
    picture
}

/// The background of a square in the 256-color palette: light or dark, target or not.
fn background(square: Square, is_target: bool) -> u8 {
    match (is_target, square.is_light()) {
        (true, true) => 215,
        (true, false) => 172,
        (false, true) => 180,
        (false, false) => 66,
    }
}

/// The board as text with `side` at the bottom: two characters per square, White's piece and Black's.
/// With `color`, squares have ANSI colors and all pieces are the filled ones, in white and black.
pub fn text_board(position: &Position, side: Color, color: bool) -> String {
    let mut lines = String::new();
    let symbol = |owner, square| {
        // Unicode's black pieces are the filled ones.
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
                // Writing to a string does not fail.
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
