//! The Tabiya piece set: six shapes, drawn for this project.
//!
//! Each shape lives in a box of 100 by 100 and stands on the same foot, its baseline at 93. It has
//! three layers: the *body*, one closed silhouette; the *shade*, the side turned away from the
//! light, which comes from the left; the *lines* of collars, eye and mane, which end where the
//! outline begins so that the light lines of a black piece do not cross it.
//!
//! A shape has no color of its own. It takes fill, stroke, depth of shade (`fill-opacity`) and
//! color of the lines (`color`) from whoever uses it, so that one definition serves both players.

use alloc::format;
use alloc::string::String;
use core::fmt::Write;

use super::number;
use crate::{Color, Piece, PieceType};

/// The three layers of one kind of piece, as path data.
pub(super) struct Shape {
    pub body: &'static str,
    pub shade: &'static str,
    pub lines: &'static str,
}

const PAWN: Shape = Shape {
    body: "M50 21A13 13 0 0 0 43.1 45H37.5A3 3 0 0 0 37.5 51H43.8C43.8 65 33 70 31 83H30\
           Q26 83 26 87V90Q26 93 29 93H71Q74 93 74 90V87Q74 83 70 83H69C67 70 56.2 65 56.2 51H62.5\
           A3 3 0 0 0 62.5 45H56.9A13 13 0 0 0 50 21z",
    shade: "M50 21A13 13 0 0 1 56.9 45H62.5A3 3 0 0 1 62.5 51H56.2C56.2 65 67 70 69 83H70\
            Q74 83 74 87V90Q74 93 71 93H60V83C59 71 53 64 53 51V45C58.5 37 57.5 26.5 50 21z",
    lines: "M44.6 45H55.4M45.3 51H54.7M32.5 83H67.5",
};

const KNIGHT: Shape = Shape {
    body: "M27.5 83C27.5 71 43.5 68 46 54C41 56.5 37.5 56.5 34.5 59C32 62 30.5 67.5 25 67.5\
           C19.5 67.5 15.5 64 15.5 59.5C15.5 53 25 45 27 37C28.5 30.5 32.5 25.5 39 22.5L39.5 10.5\
           C45.5 12.5 49.5 15.5 52 20C60 21 67 26 70.5 34C75.5 43.5 77 60 73 83H74Q78 83 78 87V90\
           Q78 93 75 93H25Q22 93 22 90V87Q22 83 26 83z",
    shade: "M52 20C60 21 67 26 70.5 34C75.5 43.5 77 60 73 83H74Q78 83 78 87V90Q78 93 75 93H62V83\
            Q61.5 74 63 68C67.5 48 62.5 30 52 20z",
    lines: "M29 83H71.5M34.2 38.6Q35.6 35.4 39.8 35.4Q38 38.6 34.2 38.6zM20.6 60.2L22.2 58.8\
            M25.4 65.8Q26.2 64 28.2 63M47 52.8C48.8 50.2 49.5 47.6 49 44.5M44.5 17.2L45.2 23\
            M53.2 21.2C62.8 31 67.4 48.4 63 68",
};

const BISHOP: Shape = Shape {
    body: "M50 8A4.7 4.7 0 0 0 46.8 16.2C39 22 32.5 32 32.5 41.5C32.5 48 35.5 52.5 40.5 56H37\
           A3 3 0 0 0 37 62H42.6C42.6 70.5 30.5 74 28.5 83H26Q22 83 22 87V90Q22 93 25 93H75\
           Q78 93 78 90V87Q78 83 74 83H71.5C69.5 74 57.4 70.5 57.4 62H63A3 3 0 0 0 63 56H59.5\
           C64.5 52.5 67.5 48 67.5 41.5C67.5 32 61 22 53.2 16.2A4.7 4.7 0 0 0 50 8z",
    shade: "M53.2 16.2C61 22 67.5 32 67.5 41.5C67.5 48 64.5 52.5 59.5 56H63A3 3 0 0 1 63 62H57.4\
            C57.4 70.5 69.5 74 71.5 83H74Q78 83 78 87V90Q78 93 75 93H62V83\
            C60.5 75 53.4 71 53.4 62V56C60.5 45 60 30 53.2 16.2z",
    lines: "M60.8 27.7L51 42M42 56H58M44.1 62H55.9M30 83H70",
};

const ROOK: Shape = Shape {
    body: "M50 21H45V27.5H38V21H28V32C28 36 34.5 37.5 36.5 42H36A3 3 0 0 0 36 48H38.2\
           C38.2 62 35 73 28.5 83H26Q22 83 22 87V90Q22 93 25 93H75Q78 93 78 90V87Q78 83 74 83H71.5\
           C65 73 61.8 62 61.8 48H64A3 3 0 0 0 64 42H63.5C65.5 37.5 72 36 72 32V21H62V27.5H55V21z",
    shade: "M72 21V32C72 36 65.5 37.5 63.5 42H64A3 3 0 0 1 64 48H61.8C61.8 62 65 73 71.5 83H74\
            Q78 83 78 87V90Q78 93 75 93H62V83C59 70 56.5 60 56.5 48V42C57.5 37 62 35 62 27.5V21z",
    lines: "M38 42H62M39.7 48H60.3M30 83H70",
};

const QUEEN: Shape = Shape {
    body: "M50 7A4.7 4.7 0 0 0 47.2 15.5L42.6 28.5L35.2 17L31.6 32L20.5 23.5C24.5 35 31 45 35.5 56\
           H35A3 3 0 0 0 35 62H41.3C41.3 70.5 29.5 74 27.5 83H25Q21 83 21 87V90Q21 93 24 93H76\
           Q79 93 79 90V87Q79 83 75 83H72.5C70.5 74 58.7 70.5 58.7 62H65A3 3 0 0 0 65 56H64.5\
           C69 45 75.5 35 79.5 23.5L68.4 32L64.8 17L57.4 28.5L52.8 15.5A4.7 4.7 0 0 0 50 7z",
    shade: "M68.4 32L79.5 23.5C75.5 35 69 45 64.5 56H65A3 3 0 0 1 65 62H58.7\
            C58.7 70.5 70.5 74 72.5 83H75Q79 83 79 87V90Q79 93 76 93H62V83\
            C60.5 75 53.8 71 53.8 62V56C59 50 62.5 42 64.8 17z",
    lines: "M32.4 44.5C43 41 57 41 67.6 44.5M37.2 56H62.8M42.8 62H57.2M29 83H71",
};

const KING: Shape = Shape {
    body: "M50 4.6H45.4L46.8 10L40.8 8.6V17.6L46.8 16.2L46 22.2C38.5 22.6 32 24.6 27.8 27.4\
           Q24.8 29.6 25.5 33.4C27.6 42 33 48 36 56H35A3 3 0 0 0 35 62H41.3\
           C41.3 70.5 29.5 74 27.5 83H25Q21 83 21 87V90Q21 93 24 93H76Q79 93 79 90V87\
           Q79 83 75 83H72.5C70.5 74 58.7 70.5 58.7 62H65A3 3 0 0 0 65 56H64C67 48 72.4 42 74.5 33.4\
           Q75.2 29.6 72.2 27.4C68 24.6 61.5 22.6 54 22.2L53.2 16.2L59.2 17.6V8.6L53.2 10L54.6 4.6z",
    shade: "M54 22.2C61.5 22.6 68 24.6 72.2 27.4Q75.2 29.6 74.5 33.4C72.4 42 67 48 64 56H65\
            A3 3 0 0 1 65 62H58.7C58.7 70.5 70.5 74 72.5 83H75Q79 83 79 87V90Q79 93 76 93H62V83\
            C60.5 75 53.8 71 53.8 62V56C60 47 60.5 33 54 22.2z",
    lines: "M27.1 33C40 29 60 29 72.9 33M37.2 56H62.8M42.8 62H57.2M29 83H71",
};

/// The drawing of a kind of piece.
pub(super) const fn shape(piece_type: PieceType) -> &'static Shape {
    match piece_type {
        PieceType::Pawn => &PAWN,
        PieceType::Knight => &KNIGHT,
        PieceType::Bishop => &BISHOP,
        PieceType::Rook => &ROOK,
        PieceType::Queen => &QUEEN,
        PieceType::King => &KING,
    }
}

/// The attributes that turn a shape into a piece of this player.
pub(super) const fn paint(color: Color) -> &'static str {
    match color {
        Color::White => r##"fill="#fffcf5" stroke="#2b2622" color="#2b2622" fill-opacity=".13""##,
        Color::Black => r##"fill="#4a433f" stroke="#1c1917" color="#efe7d8" fill-opacity=".3""##,
    }
}

/// The shade has the color of a black outline, so that it does not show where the two overlap.
const SHADE: &str = "#1c1917";

/// The `id` of a shape's definition, before the letter of the piece.
pub(super) const ID: &str = "tabiya-";

/// The definitions that [`piece_svg`] refers to, to be put inside the `<defs>` of an SVG file.
///
/// Each kind of piece is defined once, however often it is named, in the order pawn to king.
///
/// ```
/// use tabiya_chess::{PieceType, svg};
/// let defs = svg::piece_defs([PieceType::King, PieceType::Pawn, PieceType::King]);
/// assert_eq!(defs.matches(r#"id="tabiya-k""#).count(), 1);
/// assert_eq!(defs.matches("<g ").count(), 2);
/// ```
pub fn piece_defs(piece_types: impl IntoIterator<Item = PieceType>) -> String {
    let mut used = [false; 6];
    for piece_type in piece_types {
        used[piece_type.index()] = true;
    }
    let mut out = String::new();
    for piece_type in PieceType::ALL.into_iter().filter(|kind| used[kind.index()]) {
        let Shape { body, shade, lines } = shape(piece_type);
        let letter = piece_type.letter();
        let layers = [
            format!(r#"<path id="{ID}{letter}-body" fill-opacity="1" d="{body}"/>"#),
            format!(r#"<path fill="{SHADE}" stroke="none" d="{shade}"/>"#),
            format!(r#"<path fill="none" stroke="currentColor" stroke-width="2.4" d="{lines}"/>"#),
        ];
        let _ = write!(out, r#"<g id="{ID}{letter}" stroke-width="3" "#);
        out.push_str(r#"stroke-linejoin="round" stroke-linecap="round">"#);
        out.extend(layers);
        out.push_str("</g>");
    }
    out
}

/// One piece in the square whose upper left corner is `(x, y)` and whose side is `size`.
///
/// It is a `<use>` of a definition that the file must hold, see [`piece_defs`].
///
/// ```
/// use tabiya_chess::{Color, Piece, PieceType, svg};
/// let knight = svg::piece_svg(Piece::new(Color::White, PieceType::Knight), 10.0, 0.0, 50.0);
/// assert!(knight.starts_with(r##"<use href="#tabiya-n" transform="translate(10 0) scale(.5)""##));
/// ```
pub fn piece_svg(piece: Piece, x: f32, y: f32, size: f32) -> String {
    let letter = piece.piece_type().letter();
    let (x, y, scale) = (number(x), number(y), number(size / 100.0));
    let paint = paint(piece.color());
    format!(
        r##"<use href="#{ID}{letter}" transform="translate({x} {y}) scale({scale})" {paint}/>"##
    )
}
