//! The slow path of movetext tokens.
//!
//! Castling and promotions, moves with suffixes, results, and text beyond the standard: figurines, dashes,
//! glyphs and words. Unambiguous tokens are accepted; unknown ones end the game with an error.

use super::reader::End;
use super::scan::count_work;
use super::{GameResult, Nag, Next, PgnProblem, Reader, Token, Visitor, decode};
use crate::San;
use crate::san::plain_text;

/// Redundant words that belong to the move before.
const IGNORED: [&[u8]; 9] =
    [b"e.p.", b"e.p", b"ep", b"ch", b"ch.", b"check", b"dbl", b"dis", b"dis."];

/// Words about the end of the game in the movetext. They are reported as comments.
const REMARKS: [&str; 18] = [
    "white",
    "black",
    "resigns",
    "resigned",
    "resign",
    "draw",
    "drawn",
    "agreed",
    "mate",
    "checkmate",
    "stalemate",
    "wins",
    "won",
    "timeout",
    "forfeit",
    "forfeits",
    "adjourned",
    "abandoned",
];

impl Reader<'_> {
    /// A result, a move outside the fast path, or another token of letters and signs. `None` if reading
    /// continues.
    #[inline(never)]
    pub(super) fn odd_token<V: Visitor>(&mut self, visitor: &mut V) -> Option<End> {
        let start = self.at;
        let blank = if self.text[start] >= 0x80 { odd_blank(self.text, start) } else { 0 };
        if blank > 0 {
            self.at += blank;
            return None;
        }
        let length = token_length(&self.text[start..]);
        let token = &self.text[start..start + length.max(1)];
        self.at = start + token.len();
        if let Some(result) = GameResult::parse(token) {
            return self.end_with(visitor, result);
        }
        let next = match San::read(token) {
            Some(san) => tell_move(visitor, san, token, token, start),
            None => match Nag::parse(token) {
                Some(nag) => visitor.nag(nag),
                None => return self.strange_token(visitor, start, token),
            },
        };
        (next != Next::Go).then_some(End::Skip)
    }

    /// Text beyond the standard.
    #[cold]
    fn strange_token<V: Visitor>(
        &mut self,
        visitor: &mut V,
        start: usize,
        token: &[u8],
    ) -> Option<End> {
        let plain = plain_text(token).unwrap_or_default();
        if let Some(result) = GameResult::parse(&plain) {
            return self.end_with(visitor, result);
        }
        // A move, and perhaps a glyph behind it: the shortest glyph that there is.
        let moves = (2..=plain.len()).rev().find_map(|end| {
            let (san, nag) = plain.split_at(end);
            let nag = if nag.is_empty() { None } else { Some(Nag::parse(nag)?) };
            Some((San::read(san)?, san, nag))
        });
        let next = if let Some((san, text, nag)) = moves {
            match tell_move(visitor, san, text, token, start) {
                Next::Go => nag.map_or(Next::Go, |nag| visitor.nag(nag)),
                next => next,
            }
        } else if let Some(nag) = Nag::parse(&plain) {
            visitor.nag(nag)
        } else if IGNORED.contains(&&*plain) || plain.iter().all(|byte| b"!?.,".contains(byte)) {
            Next::Go
        } else if is_remark(token) {
            visitor.comment(Token { text: token, offset: start })
        } else {
            let text = decode(&token[..token.len().min(40)]).into_owned();
            visitor.error(start, PgnProblem::UnknownToken(text));
            Next::Skip
        };
        (next != Next::Go).then_some(End::Skip)
    }

    /// Comments, NAGs and remarks after the result, or a second result. False if the visitor stops.
    pub(super) fn trailing<V: Visitor>(&mut self, visitor: &mut V) -> bool {
        loop {
            self.skip_blanks();
            let start = self.at;
            match self.text.get(start) {
                Some(&byte @ (b'{' | b';' | b'$')) => match self.other(visitor, byte, usize::MAX) {
                    Some(End::Skip) => return false,
                    Some(_) => return true,
                    None => {}
                },
                Some(b'*') => self.at += 1,
                Some(b'0' | b'1' | 0x80.. | b'A'..=b'Z' | b'a'..=b'z') => {
                    let end = start + token_length(&self.text[start..]);
                    let token = &self.text[start..end];
                    let is_result = GameResult::parse(token).is_some()
                        || plain_text(token).is_some_and(|text| GameResult::parse(&text).is_some());
                    if !is_result && !is_remark(token) {
                        return true;
                    }
                    self.at = end;
                    let remark = Token { text: token, offset: start };
                    if !is_result && visitor.comment(remark) != Next::Go {
                        return false;
                    }
                }
                _ => return true,
            }
        }
    }
}

/// Visits a move and its suffix, such as `!?`. The text is the move as parsed, the token as in the file.
fn tell_move<V: Visitor>(
    visitor: &mut V,
    san: San,
    text: &[u8],
    token: &[u8],
    offset: usize,
) -> Next {
    let marks = text.iter().rev().take_while(|byte| matches!(byte, b'!' | b'?')).count();
    let marks = &text[text.len() - marks..];
    let token = token.strip_suffix(marks).unwrap_or(token);
    if visitor.san(san, Token { text: token, offset }) != Next::Go {
        return Next::Skip;
    }
    // Nothing for no marks, and for three of a kind.
    Nag::parse(marks).map_or(Next::Go, |nag| visitor.nag(nag))
}

/// Whether a token is a remark rather than a move: a word about the end of the game, or a non-ASCII sign.
fn is_remark(token: &[u8]) -> bool {
    if token.len() > 40 {
        return false;
    }
    let text = decode(token);
    let word = text.trim_end_matches(['.', ',', '!', ':']);
    REMARKS.iter().any(|known| known.eq_ignore_ascii_case(word))
        || text.chars().all(|c| !c.is_ascii() && !c.is_alphanumeric())
}

/// The length of the token at the start of a text: up to a blank or a sign that begins another token.
/// `e8(Q)` is one token.
fn token_length(text: &[u8]) -> usize {
    let length = part_length(text);
    let length = match text[length..] {
        [b'(', b'N' | b'B' | b'R' | b'Q', b')', ..] if length > 0 => {
            length + 3 + part_length(&text[length + 3..])
        }
        _ => length,
    };
    count_work(length);
    length
}

fn part_length(text: &[u8]) -> usize {
    let mut length = 0;
    while let Some(&byte) = text.get(length) {
        let ends = match STOPS[byte as usize] {
            GOES_ON => false,
            STOPS_HERE => true,
            _ => length > 0 && odd_space(text, length) > 0,
        };
        if ends {
            break;
        }
        length += 1;
    }
    length
}

const GOES_ON: u8 = 0;
const STOPS_HERE: u8 = 1;
const MAY_STOP: u8 = 2;

/// Whether a token ends before a byte.
static STOPS: [u8; 256] = {
    let mut table = [GOES_ON; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            0..=b' ' | b'{' | b'}' | b'(' | b')' | b'[' | b']' | b';' | b'$' => STOPS_HERE,
            0x80.. => MAY_STOP,
            _ => GOES_ON,
        };
        byte += 1;
    }
    table
};

/// The length of the character here, if it is a non-ASCII space: U+00A0 (in UTF-8
/// or Latin-1), U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000, or an ellipsis.
fn odd_space(text: &[u8], at: usize) -> usize {
    match text[at..] {
        [0xc2, 0xa0, ..] => 2,
        [0xe2, 0x80, 0x80..=0x8a | 0xa6 | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..] => 3,
        // After an ASCII character this byte is no continuation of UTF-8.
        [0xa0, ..] if at == 0 || text[at - 1] < 0x80 => 1,
        _ => 0,
    }
}

/// The length of the character here, if it separates tokens or is invisible: a space, a
/// byte order mark, U+200B to U+200F, U+202A to U+202E, U+2060 to U+2069.
pub(super) fn odd_blank(text: &[u8], at: usize) -> usize {
    match text[at..] {
        [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..]
        | [0xe2, 0x81, 0xa0..=0xa9, ..]
        | [0xef, 0xbb, 0xbf, ..] => 3,
        // At the beginning of a token it cannot be the end of a character.
        [0xa0, ..] => 1,
        _ => odd_space(text, at),
    }
}
