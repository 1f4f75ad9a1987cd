//! Boards as SVG: coordinates, last move, check, marked squares, arrows, and a piece set of our own.
//!
//! A [`BoardPicture`] is a plain description with public fields; [`BoardPicture::to_svg`] turns it
//! into one self-contained file. It is made of squares and pieces, not of a position, so that it can also
//! draw illegal positions: a diagram with two pieces, a set of squares, a Paco Ŝako union.
//!
//! A square is 100 units wide and a shape fills it, so most pieces need no more than
//! `<use href="#tabiya-n" x="100" y="0"/>`; each kind of piece that occurs is defined once. From
//! bottom to top lie squares, last move, highlights, check, marks, pieces, arrows. The same
//! description always gives the same bytes. Invalid numbers (a NaN width, an opacity of 7) are clamped.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

mod escape;
mod notation;
mod offset;
mod pieces;

use core::fmt::Write;

use crate::{Bitboard, Color, File, Game, Piece, PieceType, Rank, Square};
pub use escape::escape_xml;
pub use notation::{ParseShapeError, parse_mark};
pub use offset::{OffsetPiece, piece_sheet};
use pieces::{ID, paint};
pub use pieces::{piece_defs, piece_svg};

const LIGHT: &str = "#efe9dc";
const DARK: &str = "#8fa3a3";
const FRAME: &str = "#46555a";
const FRAME_TEXT: &str = "#dfe3dc";
const LAST_MOVE: &str = "#e8bf2e";
const HIGHLIGHT: &str = "#7a5cc8";
const CHECK: &str = "#e0261b";
/// The width of the frame where it carries the coordinates, at the left and below; a square has 100.
const MARGIN: i32 = 40;
/// The width of the frame on the two other sides.
const EDGE: i32 = 14;

/// The color of a marked square or an arrow, as in `[%csl …]` and `[%cal …]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "self-explanatory names")]
pub enum ShapeColor {
    #[default]
    Green,
    Red,
    Yellow,
    Blue,
}

impl ShapeColor {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Green, Self::Red, Self::Yellow, Self::Blue];

    /// The letter in a PGN comment, as in `[%csl Ge4]`.
    pub const fn letter(self) -> char {
        match self {
            Self::Green => 'G',
            Self::Red => 'R',
            Self::Yellow => 'Y',
            Self::Blue => 'B',
        }
    }

    /// The color of such a letter.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'G' => Some(Self::Green),
            'R' => Some(Self::Red),
            'Y' => Some(Self::Yellow),
            'B' => Some(Self::Blue),
            _ => None,
        }
    }

    /// The color as SVG and CSS write it.
    pub const fn hex(self) -> &'static str {
        match self {
            Self::Green => "#2f8f4e",
            Self::Red => "#c23b32",
            Self::Yellow => "#e0a010",
            Self::Blue => "#2a6fb5",
        }
    }
}

/// An arrow from the middle of one square to the middle of another.
///
/// An arrow from a square to itself is drawn as a mark on it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arrow {
    /// The tail's square.
    pub from: Square,
    /// The head's square.
    pub to: Square,
    /// Its color.
    pub color: ShapeColor,
    /// The width of the shaft in squares, between 0.02 and 0.3; the head grows with it.
    pub width: f32,
    /// From 0, invisible, to 1, solid.
    pub opacity: f32,
}

impl Arrow {
    /// The default width, in squares.
    pub const WIDTH: f32 = 0.14;
    /// The default opacity.
    pub const OPACITY: f32 = 0.75;

    /// An arrow of default width and opacity.
    pub const fn new(from: Square, to: Square, color: ShapeColor) -> Self {
        Self { from, to, color, width: Self::WIDTH, opacity: Self::OPACITY }
    }
}

/// The description of a board picture. All fields may be set freely.
///
/// ```
/// use tabiya_chess::svg::{Arrow, BoardPicture, ShapeColor};
/// use tabiya_chess::{Color, Piece, PieceType, Square};
///
/// let picture = BoardPicture {
///     pieces: vec![(Square::G1, Piece::new(Color::White, PieceType::Knight))],
///     marks: vec![(Square::E5, ShapeColor::Red)],
///     arrows: vec![Arrow::new(Square::G1, Square::F3, ShapeColor::Green)],
///     title: "A knight in the corner".to_owned(),
///     ..BoardPicture::default()
/// };
/// let svg = picture.to_svg();
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// assert!(svg.contains("<title>A knight in the corner</title>"));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct BoardPicture {
    /// The pieces on their squares.
    pub pieces: Vec<(Square, Piece)>,
    /// Pieces that are moved or scaled within their squares, drawn over the others in this order.
    pub offset_pieces: Vec<OffsetPiece>,
    /// The player at the bottom.
    pub orientation: Color,
    /// Whether a frame with the letters of the files and the digits of the ranks is drawn.
    pub coordinates: bool,
    /// The two squares of the last move.
    pub last_move: Option<(Square, Square)>,
    /// The square of a king in check.
    pub check: Option<Square>,
    /// Squares to be tinted, such as the moves of a piece.
    pub highlights: Bitboard,
    /// Squares to be circled.
    pub marks: Vec<(Square, ShapeColor)>,
    /// Arrows, drawn in this order.
    pub arrows: Vec<Arrow>,
    /// Width and height in pixels.
    pub size: u32,
    /// The accessible title. Any text; it is escaped.
    pub title: String,
}

impl Default for BoardPicture {
    /// An empty board of 400 pixels with coordinates, White below.
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            offset_pieces: Vec::new(),
            orientation: Color::White,
            coordinates: true,
            last_move: None,
            check: None,
            highlights: Bitboard::EMPTY,
            marks: Vec::new(),
            arrows: Vec::new(),
            size: 400,
            title: "Chess board".to_owned(),
        }
    }
}

impl BoardPicture {
    /// A picture of a function from squares to pieces.
    ///
    /// ```
    /// use tabiya_chess::svg::BoardPicture;
    /// use tabiya_chess::{Color, Piece, PieceType, Square};
    /// let king = Piece::new(Color::Black, PieceType::King);
    /// let picture = BoardPicture::of(|square| (square == Square::E8).then_some(king));
    /// assert_eq!(picture.pieces, [(Square::E8, king)]);
    /// ```
    pub fn of(piece_on: impl Fn(Square) -> Option<Piece>) -> Self {
        let pieces = Square::all().filter_map(|square| Some((square, piece_on(square)?))).collect();
        Self { pieces, ..Self::default() }
    }

    /// The current position of a game: its pieces, the last move and the king in check.
    pub fn of_game(game: &Game) -> Self {
        let position = game.position();
        Self {
            last_move: game.moves().last().map(|m| (m.from(), m.to())),
            check: position.in_check().then(|| position.king(position.turn())),
            ..Self::of(|square| position.piece_at(square))
        }
    }

    /// The upper left corner of a square in the units of the drawing, 100 to a square.
    fn corner(&self, square: Square) -> (i32, i32) {
        let (file, rank) = (square.file().index() as i32, square.rank().index() as i32);
        match self.orientation {
            Color::White => (100 * file, 100 * (7 - rank)),
            Color::Black => (100 * (7 - file), 100 * rank),
        }
    }

    /// The picture as one SVG file.
    pub fn to_svg(&self) -> String {
        let (margin, edge) = if self.coordinates { (MARGIN, EDGE) } else { (0, 0) };
        let (left, top, side, size) = (-margin, -edge, 800 + margin + edge, self.size);
        let title = escape_xml(&self.title);
        let mut out = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {side} {side}""#
        );
        let _ = write!(out, r#" width="{size}" height="{size}" role="img" aria-label="{title}">"#);
        let _ = write!(out, "<title>{title}</title>");
        self.write_description(&mut out);
        self.write_defs(&mut out);
        if self.coordinates {
            self.write_frame(&mut out);
        }
        self.write_squares(&mut out);
        self.write_marks(&mut out);
        self.write_pieces(&mut out);
        for arrow in &self.arrows {
            self.write_arrow(&mut out, arrow);
        }
        out.push_str("</svg>\n");
        out
    }

    /// The accessible description: the pieces in words.
    fn write_description(&self, out: &mut String) {
        let offset = self.offset_pieces.iter().map(|piece| (piece.square, piece.piece));
        let mut all: Vec<(Square, Piece)> = self.pieces.iter().copied().chain(offset).collect();
        if all.is_empty() {
            return;
        }
        // White before Black, kings first, squares from a1 to h8.
        all.sort_by_key(|&(square, piece)| {
            (piece.color(), core::cmp::Reverse(piece.piece_type()), square)
        });
        out.push_str("<desc>");
        let mut before = None;
        for (square, piece) in all {
            let _ = if before == Some(piece) {
                write!(out, " {square}")
            } else {
                let comma = if before.is_some() { ", " } else { "" };
                write!(out, "{comma}{} {} {square}", piece.color(), piece.piece_type())
            };
            before = Some(piece);
        }
        out.push_str("</desc>");
    }

    fn write_defs(&self, out: &mut String) {
        let offset = self.offset_pieces.iter().map(|piece| piece.piece);
        let used: Vec<PieceType> = self
            .pieces
            .iter()
            .map(|&(_, piece)| piece)
            .chain(offset)
            .map(Piece::piece_type)
            .collect();
        if used.is_empty() && self.check.is_none() {
            return;
        }
        out.push_str("<defs>");
        out.push_str(&piece_defs(used));
        if self.check.is_some() {
            let _ = write!(
                out,
                r#"<radialGradient id="{ID}check"><stop offset=".25" stop-color="{CHECK}"/>"#
            );
            let _ = write!(
                out,
                r#"<stop offset="1" stop-color="{CHECK}" stop-opacity="0"/></radialGradient>"#
            );
        }
        out.push_str("</defs>");
    }

    fn write_frame(&self, out: &mut String) {
        let side = 800 + MARGIN + EDGE;
        let _ = write!(
            out,
            r#"<rect x="-{MARGIN}" y="-{EDGE}" width="{side}" height="{side}" rx="12" fill="{FRAME}"/>"#
        );
        let _ = write!(
            out,
            r#"<g fill="{FRAME_TEXT}" font-family="sans-serif" font-size="26" text-anchor="middle">"#
        );
        // Text stands on its baseline, so that lies below the middle: by half the height of a
        // digit, or of a small letter.
        for file in File::ALL {
            let (x, _) = self.corner(Square::new(file, Rank::First));
            let (x, y, letter) = (x + 50, 800 + MARGIN / 2 + 6, file.letter());
            let _ = write!(out, r#"<text x="{x}" y="{y}">{letter}</text>"#);
        }
        for rank in Rank::ALL {
            let (_, y) = self.corner(Square::new(File::A, rank));
            let (x, y, digit) = (-MARGIN / 2, y + 59, rank.digit());
            let _ = write!(out, r#"<text x="{x}" y="{y}">{digit}</text>"#);
        }
        out.push_str("</g>");
    }

    /// The squares, and the tints that fill whole squares.
    fn write_squares(&self, out: &mut String) {
        let _ = write!(
            out,
            r#"<g shape-rendering="crispEdges"><path fill="{LIGHT}" d="M0 0h800v800H0z"/>"#
        );
        self.write_tint(out, Bitboard::DARK_SQUARES, DARK, "");
        if let Some((from, to)) = self.last_move {
            let squares = from.bitboard() | to.bitboard();
            self.write_tint(out, squares, LAST_MOVE, r#" fill-opacity=".5""#);
        }
        self.write_tint(out, self.highlights, HIGHLIGHT, r#" fill-opacity=".4""#);
        out.push_str("</g>");
    }

    fn write_tint(&self, out: &mut String, squares: Bitboard, color: &str, attributes: &str) {
        if squares.is_empty() {
            return;
        }
        let _ = write!(out, r#"<path fill="{color}"{attributes} d=""#);
        for square in squares {
            let (x, y) = self.corner(square);
            let _ = write!(out, "M{x} {y}h100v100h-100z");
        }
        out.push_str(r#""/>"#);
    }

    /// The glow under a king in check, and the circles.
    fn write_marks(&self, out: &mut String) {
        if let Some(square) = self.check {
            let (x, y) = self.corner(square);
            let _ = write!(
                out,
                r#"<rect x="{x}" y="{y}" width="100" height="100" fill="url(#{ID}check)"/>"#
            );
        }
        for &(square, color) in &self.marks {
            self.write_mark(out, square, color, Arrow::OPACITY);
        }
    }

    fn write_mark(&self, out: &mut String, square: Square, color: ShapeColor, opacity: f32) {
        let (x, y) = self.corner(square);
        let (x, y, color, opacity) = (x + 50, y + 50, color.hex(), number(opacity));
        let _ = write!(
            out,
            r#"<circle cx="{x}" cy="{y}" r="45.5" fill="none" stroke="{color}" stroke-width="6""#
        );
        let _ = write!(out, r#" opacity="{opacity}"/>"#);
    }

    fn write_pieces(&self, out: &mut String) {
        for color in Color::ALL {
            let mut mine =
                self.pieces.iter().filter(|(_, piece)| piece.color() == color).peekable();
            if mine.peek().is_none() {
                continue;
            }
            let _ = write!(out, "<g {}>", paint(color));
            for &(square, piece) in mine {
                let (x, y) = self.corner(square);
                let letter = piece.piece_type().letter();
                let _ = write!(out, r##"<use href="#{ID}{letter}" x="{x}" y="{y}"/>"##);
            }
            out.push_str("</g>");
        }
        for offset in &self.offset_pieces {
            offset.write(self.corner(offset.square), out);
        }
    }

    /// One outline for shaft and head, so that a translucent arrow has no darker overlap.
    fn write_arrow(&self, out: &mut String, arrow: &Arrow) {
        let opacity = in_range(arrow.opacity, 0.0, 1.0, Arrow::OPACITY);
        if arrow.from == arrow.to {
            return self.write_mark(out, arrow.from, arrow.color, opacity);
        }
        let middle = |square| {
            let (x, y) = self.corner(square);
            (x as f32 + 50.0, y as f32 + 50.0)
        };
        let ((x0, y0), (x1, y1)) = (middle(arrow.from), middle(arrow.to));
        let length = hypot(x1 - x0, y1 - y0);
        let (ux, uy) = ((x1 - x0) / length, (y1 - y0) / length);
        let width = 100.0 * in_range(arrow.width, 0.02, 0.3, Arrow::WIDTH);

        // Along the arrow: the tail leaves the middle of its square free, the tip rests on the
        // middle of the other. Across it: half the shaft and half the head.
        let (tail, tip) = (22.0, length);
        let barb = tip - (2.4 * width).min(0.75 * (tip - tail));
        let neck = barb + 0.3 * width;
        let (shaft, head) = (0.5 * width, 1.3 * width);
        let outline = [
            (tail, shaft),
            (neck, shaft),
            (barb, head),
            (tip, 0.0),
            (barb, -head),
            (neck, -shaft),
            (tail, -shaft),
        ];
        let (color, opacity) = (arrow.color.hex(), number(opacity));
        let _ = write!(
            out,
            r#"<path fill="{color}" stroke="{color}" stroke-width="4" stroke-linejoin="round""#
        );
        let _ = write!(out, r#" opacity="{opacity}" d=""#);
        for (step, (along, across)) in outline.into_iter().enumerate() {
            let x = number(x0 + along * ux - across * uy);
            let y = number(y0 + along * uy + across * ux);
            let _ = write!(out, "{}{x} {y}", if step == 0 { 'M' } else { 'L' });
        }
        out.push_str(r#"z"/>"#);
    }
}

/// Clamps a value; NaN becomes the default.
fn in_range(value: f32, low: f32, high: f32, default: f32) -> f32 {
    if value.is_nan() { default } else { value.clamp(low, high) }
}

/// A number in its shortest SVG form, to three decimals; 0 if not finite.
fn number(value: f32) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "" | "0" | "-0" => "0".to_owned(),
        _ => match text.strip_prefix("-0.") {
            Some(decimals) => format!("-.{decimals}"),
            None => text.strip_prefix("0.").map_or(text.to_owned(), |rest| format!(".{rest}")),
        },
    }
}

/// The length of a vector, by Newton's method: `core` has no square root.
fn hypot(x: f32, y: f32) -> f32 {
    let square = f64::from(x) * f64::from(x) + f64::from(y) * f64::from(y);
    let mut root = square.max(1.0);
    loop {
        let next = (root + square / root) / 2.0;
        // From above, every step but the last comes closer.
        if next >= root || next.is_nan() {
            return root as f32;
        }
        root = next;
    }
}

#[cfg(test)]
mod tests;
