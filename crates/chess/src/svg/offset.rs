//! Pieces that do not fill their square: moved, scaled, mirrored, with a halo. The two pieces of a Paco
//! Ŝako union are drawn so, on a board and in the [`piece_sheet`] of a page.
//!
//! Two pieces of nearly full size share a square: White's stands on the left and looks to the right,
//! Black's on the right and looks to the left. They stand on the foot line of single pieces, and their feet
//! fill the square. A light halo separates the silhouettes where they overlap.

use alloc::format;
use alloc::string::String;
use core::fmt::Write;

use super::pieces::{ID, paint};
use super::{number, piece_defs};
use crate::{Color, Piece, PieceType, Square};

/// The side of the box of a union's piece, and how far its middle is from the middle of the square.
const UNION_SCALE: f32 = 0.92;
const UNION_SHIFT: f32 = 0.215;
/// The line on which all shapes stand, in their box.
const FOOT: f32 = 0.93;
/// The halo: its color, that of a white piece, and the width of its stroke; the outline has 3.
const HALO: &str = "#fffcf5";
const HALO_WIDTH: u32 = 8;

/// A piece that does not fill its square, such as one half of a Paco Ŝako union.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OffsetPiece {
    /// The piece.
    pub piece: Piece,
    /// The square it belongs to.
    pub square: Square,
    /// How far its box is moved to the right, in squares.
    pub dx: f32,
    /// How far its box is moved down, in squares.
    pub dy: f32,
    /// The side of its box, in squares.
    pub scale: f32,
    /// Whether left and right are exchanged.
    pub mirrored: bool,
    /// Whether a light halo separates it from what lies below.
    pub halo: bool,
}

/// How far behind a kind of piece is drawn in a union. The knight is in front, since its head reaches
/// over; of the others the lower one.
const fn layer(piece_type: PieceType) -> u8 {
    match piece_type {
        PieceType::Knight => 0,
        PieceType::Pawn => 1,
        PieceType::Rook => 2,
        PieceType::Bishop => 3,
        PieceType::Queen => 4,
        PieceType::King => 5,
    }
}

impl OffsetPiece {
    /// A piece that fills the box of its square, neither mirrored nor with a halo.
    pub const fn new(piece: Piece, square: Square) -> Self {
        Self { piece, square, dx: 0.0, dy: 0.0, scale: 1.0, mirrored: false, halo: false }
    }

    /// A piece in its place in a union. By themselves knights look to the left and bishops to the right.
    fn in_union(piece: Piece, square: Square) -> Self {
        let margin = (1.0 - UNION_SCALE) / 2.0;
        let (dx, backwards) = match piece.color() {
            Color::White => (margin - UNION_SHIFT, PieceType::Knight),
            Color::Black => (margin + UNION_SHIFT, PieceType::Bishop),
        };
        Self {
            dx,
            dy: FOOT * (1.0 - UNION_SCALE),
            scale: UNION_SCALE,
            mirrored: piece.piece_type() == backwards,
            halo: true,
            ..Self::new(piece, square)
        }
    }

    /// The two pieces of a union, in the order in which they are drawn.
    ///
    /// ```
    /// use tabiya_chess::svg::OffsetPiece;
    /// use tabiya_chess::{Color, PieceType, Square};
    /// let [behind, front] = OffsetPiece::union(PieceType::Queen, PieceType::Pawn, Square::D5);
    /// assert_eq!((behind.piece.color(), front.piece.color()), (Color::White, Color::Black));
    /// assert!(behind.dx < front.dx);
    /// ```
    pub fn union(white: PieceType, black: PieceType, square: Square) -> [Self; 2] {
        let white_in_front = layer(white) <= layer(black);
        let white = Self::in_union(Piece::new(Color::White, white), square);
        let black = Self::in_union(Piece::new(Color::Black, black), square);
        if white_in_front { [black, white] } else { [white, black] }
    }

    /// Writes the piece; `corner` is the upper left corner of its square.
    pub(super) fn write(&self, corner: (i32, i32), out: &mut String) {
        let letter = self.piece.piece_type().letter();
        let (mut x, y) = (corner.0 as f32 + 100.0 * self.dx, corner.1 as f32 + 100.0 * self.dy);
        let scale = number(self.scale);
        let scale = if self.mirrored {
            x += 100.0 * self.scale;
            format!("-{scale} {scale}")
        } else {
            scale
        };
        let transform =
            format!(r#"transform="translate({} {}) scale({scale})""#, number(x), number(y));
        if self.halo {
            let _ = write!(out, r##"<use href="#{ID}{letter}-body" {transform} fill="{HALO}" "##);
            let _ = write!(
                out,
                r#"stroke="{HALO}" stroke-width="{HALO_WIDTH}" stroke-linejoin="round"/>"#
            );
        }
        let paint = paint(self.piece.color());
        let _ = write!(out, r##"<use href="#{ID}{letter}" {transform} {paint}/>"##);
    }
}

/// All pieces as one SVG file of definitions, to be put into a page once and used from there.
///
/// `tabiya-n` is the shape of a knight in a box of 100 by 100 and takes its colors from its user, see
/// [`piece_defs`]. `tabiya-union-white-n` and `tabiya-union-black-n` are the knights of a union, in their colors and in
/// their places in the box of the square; of the two in a union, the one with the larger `data-layer`
/// is drawn first (White's if they are equal comes last).
///
/// ```
/// let sheet = tabiya_chess::svg::piece_sheet();
/// assert!(sheet.contains(r#"id="tabiya-n""#) && sheet.contains(r#"id="tabiya-union-black-k""#));
/// ```
pub fn piece_sheet() -> String {
    let defs = piece_defs(PieceType::ALL);
    let mut out = format!(r#"<svg xmlns="http://www.w3.org/2000/svg"><defs>{defs}"#);
    for color in Color::ALL {
        for piece_type in PieceType::ALL {
            let (letter, layer) = (piece_type.letter(), layer(piece_type));
            let name = match color {
                Color::White => "white",
                Color::Black => "black",
            };
            let _ = write!(out, r#"<g id="{ID}union-{name}-{letter}" data-layer="{layer}">"#);
            OffsetPiece::in_union(Piece::new(color, piece_type), Square::A8)
                .write((0, 0), &mut out);
            out.push_str("</g>");
        }
    }
    out.push_str("</defs></svg>\n");
    out
}
