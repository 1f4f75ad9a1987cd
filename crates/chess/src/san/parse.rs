//! The SAN parser.
//!
//! Nearly all moves of a file have at most seven bytes and a common form. They are parsed within one 64-bit
//! word, without a loop and almost without data-dependent branches ([`San::parse_word`]). All others are
//! parsed byte by byte.

use alloc::string::String;

use super::{San, SanError};
use crate::{Bitboard, File, PieceType, Rank, Square};

/// The origin mask of each disambiguation byte; zero for other bytes, index 0 for none.
static ORIGINS: [Bitboard; 256] = {
    let mut table = [Bitboard::EMPTY; 256];
    table[0] = Bitboard::FULL;
    let mut n = 0;
    while n < 8 {
        table[b'a' as usize + n] = File::ALL[n].bitboard();
        table[b'1' as usize + n] = Rank::ALL[n].bitboard();
        n += 1;
    }
    table
};

/// The piece type of each capital letter; pawn for any other byte.
static PIECES: [PieceType; 256] = {
    let mut table = [PieceType::Pawn; 256];
    table[b'N' as usize] = PieceType::Knight;
    table[b'B' as usize] = PieceType::Bishop;
    table[b'R' as usize] = PieceType::Rook;
    table[b'Q' as usize] = PieceType::Queen;
    table[b'K' as usize] = PieceType::King;
    table
};

impl San {
    /// Parses a move.
    ///
    /// ```
    /// use tabiya_chess::San;
    /// assert_eq!(San::parse(b"0-0-0+")?, San::Castling { king_side: false });
    /// assert_eq!(San::parse(b"Ng1-f3")?, San::parse(b"Ng1f3")?);
    /// assert!(San::parse(b"Nj3").is_err());
    /// # Ok::<(), tabiya_chess::SanError>(())
    /// ```
    #[inline]
    pub fn parse(text: &[u8]) -> Result<Self, SanError> {
        if (2..8).contains(&text.len()) {
            let mut word = [0; 8];
            word[..text.len()].copy_from_slice(text);
            if let Some(san) = Self::parse_word(u64::from_le_bytes(word), text.len() as u32) {
                return Ok(san);
            }
        }
        Self::read(text)
            .or_else(|| Self::read(&super::plain_text(text)?))
            .ok_or_else(|| SanError::Malformed { text: String::from_utf8_lossy(text).into() })
    }

    /// Parses a move of common form from the first `length` bytes of a little-endian word: piece, at most one
    /// disambiguation, capture mark, target, one check mark. `None` for all others: use [`San::parse`].
    #[inline(always)]
    pub(crate) fn parse_word(word: u64, length: u32) -> Option<Self> {
        let byte = |n: u32| (word >> (8 * (n & 7))) as u8;
        if !(2..=7).contains(&length) {
            return None;
        }
        let last = byte(length - 1);
        let length = length - u32::from(last == b'+' || last == b'#');
        let target = (word << (64 - 8 * length)) >> 48;
        let (file, rank) =
            ((target as u8).wrapping_sub(b'a'), ((target >> 8) as u8).wrapping_sub(b'1'));
        if file > 7 || rank > 7 || length < 2 {
            return None;
        }
        let piece = PIECES[byte(0) as usize];
        let is_pawn = piece == PieceType::Pawn;
        // What stands between the piece's letter and the target.
        let start = u32::from(!is_pawn);
        let between = length - 2 - start;
        let takes = between > 0 && byte(length - 3) == b'x';
        let hints = between - u32::from(takes);
        if hints > 1 || (is_pawn && takes && hints == 0) {
            return None;
        }
        let hint = if hints == 0 { 0 } else { byte(start) };
        let mut from = ORIGINS[hint as usize];
        if is_pawn && hints == 0 {
            from = Bitboard(0x0101_0101_0101_0101 << file);
        }
        if from.is_empty() || (is_pawn && hint.is_ascii_digit()) {
            return None;
        }
        let to = Square::from_index_wrapping((rank * 8 + file) as usize);
        Some(Self::Move { piece, from, to, promotion: None })
    }

    /// Parses a move byte by byte.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let text = without_marks(text);
        match text {
            b"--" | b"Z0" | b"0000" | b"@@@@" => return Some(Self::Null),
            b"O-O" | b"0-0" | b"o-o" => return Some(Self::Castling { king_side: true }),
            b"O-O-O" | b"0-0-0" | b"o-o-o" => return Some(Self::Castling { king_side: false }),
            _ => {}
        }
        let (text, promotion) = split_promotion(text);
        let (rest, to) = split_square(text)?;
        let (piece, rest) = match rest.split_first() {
            Some((b'P', rest)) => (PieceType::Pawn, rest),
            Some((letter, rest)) if PIECES[*letter as usize] != PieceType::Pawn => {
                (PIECES[*letter as usize], rest)
            }
            _ => (PieceType::Pawn, rest),
        };
        let rest = match rest {
            [rest @ .., b'x' | b'-' | b':'] => rest,
            _ => rest,
        };
        let from = match *rest {
            [] => Bitboard::FULL,
            [hint] if hint != 0 => ORIGINS[hint as usize],
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                ORIGINS[file as usize] & ORIGINS[rank as usize]
            }
            _ => Bitboard::EMPTY,
        };
        if from.is_empty() || (promotion.is_some() && piece != PieceType::Pawn) {
            return None;
        }
        // A pawn goes straight on unless its file is given.
        let has_file = rest.first().is_some_and(u8::is_ascii_lowercase);
        let from =
            if piece == PieceType::Pawn && !has_file { from & to.file().bitboard() } else { from };
        Some(Self::Move { piece, from, to, promotion })
    }
}

/// Redundant suffixes of a move.
const SUFFIXES: [&[u8]; 8] =
    [b"e.p.", b"e.p", b"ep", b"dis.ch", b"dbl.ch", b"check", b"ch", b"mate"];

/// The text without check marks, annotations, `e.p.` and the like.
fn without_marks(mut text: &[u8]) -> &[u8] {
    loop {
        text = match text {
            [rest @ .., b'+' | b'#' | b'!' | b'?' | b','] => rest,
            [rest @ .., b'.' | b'a'..=b'z'] => match without_suffix(text) {
                Some(rest) => rest,
                None if text.ends_with(b".") => rest,
                None => return text,
            },
            _ => return text,
        };
    }
}

/// The text before one of [`SUFFIXES`], if a move may end there.
fn without_suffix(text: &[u8]) -> Option<&[u8]> {
    let rest = SUFFIXES.iter().find_map(|suffix| text.strip_suffix(*suffix))?;
    matches!(rest, [_, .., b'0'..=b'8' | b'A'..=b'Z' | b'+' | b'#' | b')']).then_some(rest)
}

/// The text before a promotion, and the piece.
fn split_promotion(text: &[u8]) -> (&[u8], Option<PieceType>) {
    let (rest, letter) = match text {
        [rest @ .., b'=' | b'/', letter] | [rest @ .., b'(', letter, b')'] => (rest, *letter),
        [
            rest @ ..,
            b'1' | b'8',
            letter @ (b'N' | b'B' | b'R' | b'Q' | b'n' | b'b' | b'r' | b'q'),
        ] => (&text[..rest.len() + 1], *letter),
        _ => return (text, None),
    };
    let piece = PIECES[letter.to_ascii_uppercase() as usize];
    if matches!(piece, PieceType::Pawn | PieceType::King) {
        // No piece that a pawn becomes: what is left is no square, and the move is refused.
        return (text, None);
    }
    (rest, Some(piece))
}

fn split_square(text: &[u8]) -> Option<(&[u8], Square)> {
    match text {
        [rest @ .., file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            Some((rest, Square::from_index_wrapping(((rank - b'1') * 8 + file - b'a') as usize)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &[u8]) -> u64 {
        // What follows the move must not matter.
        let mut bytes = *b"~~~~~~~~";
        bytes[..text.len()].copy_from_slice(text);
        u64::from_le_bytes(bytes)
    }

    #[test]
    fn word_parsing_matches_byte_parsing() {
        let alphabet = b"NKPabh18x-+#=0O";
        let mut text = Vec::new();
        let (mut fast, mut valid) = (0, 0);
        // All texts of up to four letters, and longer ones that begin with a piece.
        for n in 0..15usize.pow(5) {
            text.clear();
            let mut left = n;
            while left > 0 {
                text.push(alphabet[left % 15]);
                left /= 15;
            }
            for prefix in [&b""[..], b"N", b"ax"] {
                let whole = [prefix, &text].concat();
                let slow = San::read(&whole);
                valid += usize::from(slow.is_some());
                if let Some(san) = San::parse_word(word(&whole), whole.len() as u32) {
                    assert_eq!(slow, Some(san), "{}", String::from_utf8_lossy(&whole));
                    fast += 1;
                }
            }
        }
        assert!(fast > 500 && valid > fast, "{fast} of {valid}");
    }

    #[test]
    fn common_forms_take_the_fast_path() {
        for text in ["e4", "Nf3", "Nbd7", "exd5", "Nxd5", "Rxd1+", "R1xd1#", "Qh4e1", "Kxa1"] {
            let bytes = text.as_bytes();
            let fast = San::parse_word(word(bytes), bytes.len() as u32);
            assert_eq!(fast.is_some(), text != "Qh4e1", "{text}");
        }
    }

    #[test]
    fn every_documented_leniency_is_accepted() {
        let pairs = [
            ("Ng1-f3", "Ng1f3"),
            ("Qh5++", "Qh5"),
            ("e8Q", "e8=Q"),
            ("e8(Q)", "e8=Q"),
            ("e8=q", "e8=Q"),
            ("dxe8Q+", "dxe8=Q"),
            ("0-0", "O-O"),
            ("o-o-o", "O-O-O"),
            ("0-0-0#", "O-O-O"),
            ("Pe4", "e4"),
            ("b5?", "b5"),
            ("Nf3!!", "Nf3"),
            ("exd6e.p.", "exd6"),
            ("exd6ep", "exd6"),
            ("exd6e.p", "exd6"),
            ("Z0", "--"),
            ("@@@@", "--"),
            ("e7e8q", "e7e8=Q"),
            ("e8/Q", "e8=Q"),
            ("N:f3", "Nxf3"),
            ("e:d5", "exd5"),
            ("N1-f3", "N1f3"),
            ("Qh5ch", "Qh5"),
            ("Qh5+ch.", "Qh5"),
            ("Qxf7mate", "Qxf7"),
            ("Nf3,", "Nf3"),
            ("e4.", "e4"),
            ("♘f3", "Nf3"),
            ("♞xe4", "Nxe4"),
            ("♟e5", "e5"),
            ("♕\u{fe0e}h5†", "Qh5+"),
            ("O–O", "O-O"),
            ("0‑0−0", "O-O-O"),
            ("e4×d5‼", "e4xd5"),
            ("N\u{200b}f3", "Nf3"),
        ];
        for (odd, plain) in pairs {
            assert_eq!(San::parse(odd.as_bytes()), San::parse(plain.as_bytes()), "{odd}");
            assert!(San::parse(plain.as_bytes()).is_ok(), "{plain}");
        }
    }

    #[test]
    fn other_texts_are_rejected_with_the_text() {
        for text in ["", "e", "e9", "i4", "OO", "O-O-O-O", "Nf3=Q", "e8=K", "e8=", "Nfg1f3", "xe4x"]
        {
            let error = San::parse(text.as_bytes()).unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        }
    }
}
