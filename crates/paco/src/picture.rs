//! Boards as text and as SVG: a union is two pieces side by side.

use std::fmt::Write;

use chess::svg::{BoardPicture, OffsetPiece};
use chess::{Bitboard, Color, File, Piece, Rank, Square};

use crate::{Legal, PieceType, Position};

/// Scale of a union's pieces, and their offsets in squares: White's to the left, Black's to the right.
const UNION_SCALE: f32 = 0.68;
const UNION_DX: [f32; 2] = [-0.08, 0.40];
const UNION_DY: f32 = 0.20;

fn piece(color: Color, piece: PieceType) -> Piece {
    Piece::new(color, piece.into())
}

/// The SVG picture of a position: the piece in hand is raised above its square, and its target squares
/// are highlighted.
pub fn board_picture(position: &Position) -> BoardPicture {
    let mut picture = BoardPicture::default();
    let union = |square, pieces: [Piece; 2], dy| {
        let offset = move |(piece, dx)| OffsetPiece { piece, square, dx, dy, scale: UNION_SCALE };
        pieces.into_iter().zip(UNION_DX).map(offset)
    };
    for square in Square::all() {
        let [white, black] =
            Color::ALL.map(|color| position.piece_at(color, square).map(|kind| piece(color, kind)));
        match (white, black) {
            (Some(white), Some(black)) => {
                picture.offset_pieces.extend(union(square, [white, black], UNION_DY));
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
            picture.offset_pieces.extend(union(square, pair, UNION_DY - 0.3));
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
