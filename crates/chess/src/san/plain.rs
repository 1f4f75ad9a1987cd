//! ASCII equivalents of Unicode text.

use arrayvec::ArrayVec;

use crate::pgn::decode;

/// The ASCII equivalent of a character in a move, a glyph or a result; itself if there is none.
fn ascii(c: char) -> Option<&'static str> {
    Some(match c {
        '♔' | '♚' => "K",
        '♕' | '♛' => "Q",
        '♖' | '♜' => "R",
        '♗' | '♝' => "B",
        '♘' | '♞' => "N",
        '♙' | '♟' => "P",
        '×' => "x",
        '†' => "+",
        '‡' => "#",
        '‼' => "!!",
        '⁇' => "??",
        '⁉' => "!?",
        '⁈' => "?!",
        '½' => "1/2",
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => "-",
        // What cannot be seen: joiners, directions, byte order marks, variation selectors.
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{fe0e}'
        | '\u{fe0f}'
        | '\u{ad}' => "",
        _ => return None,
    })
}

/// A short text with figurines, dashes, fractions and glyphs replaced by ASCII, without invisible characters.
/// `None` for a text longer than any move.
pub(crate) fn plain_text(text: &[u8]) -> Option<ArrayVec<u8, 40>> {
    let mut plain = ArrayVec::new();
    if text.len() > 120 {
        return None;
    }
    for c in decode(text).chars() {
        let mut buffer = [0; 4];
        let part = match ascii(c) {
            Some(part) => part,
            None => c.encode_utf8(&mut buffer),
        };
        plain.try_extend_from_slice(part.as_bytes()).ok()?;
    }
    Some(plain)
}
