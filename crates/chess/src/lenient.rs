//! A lenient FEN parser for real files.
//!
//! The text is normalized for the strict parser, [`Setup::from_fen`], and [`SetupProblems::FORGIVABLE`]
//! problems are forgiven. All leniencies:
//!
//! 1. leading and trailing blanks; several blanks, tabs or underscores between fields;
//! 2. missing fields at the end: White to move, no castling rights, no en passant, clocks 0 and 1;
//! 3. two numbers of empty squares in a row (`44` is 8), `0` for none, and `~` behind promoted pieces;
//! 4. the side to move in capitals or written out: `W`, `White`, `black`;
//! 5. castling rights given twice, or with a `-` among them, or as `.`;
//! 6. castling rights without king or rook at home are dropped; of two on one side the outer stays;
//! 7. an en-passant square on the wrong rank, or one that no pawn can have passed, is dropped;
//! 8. `-` for a clock, and a clock beyond 65535, which counts as that;
//! 9. an impossible check;
//! 10. anything after the sixth field.
//!
//! Still rejected: wrong letters, ranks too short or too long, anything but one king each, pawns on
//! the last ranks, too many pieces, and an opponent in check.

use alloc::format;
use alloc::string::String;

use crate::{FenError, Position, Setup, SetupProblems, Square};

impl Position {
    /// Parses a FEN leniently; the module documentation lists all leniencies. Errors refer to the normalized
    /// text.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let position = Position::from_fen_lenient("  4k3/8/8/8/8/8/44/4K2R W KQkq ")?;
    /// assert_eq!(position.fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    /// assert!(Position::from_fen("4k3/8/8/8/8/8/44/4K2R W KQkq").is_err());
    /// # Ok::<(), tabiya_chess::FenError>(())
    /// ```
    pub fn from_fen_lenient(fen: &str) -> Result<Self, FenError> {
        Ok(Setup::from_fen_lenient(fen)?.position_forgiving(SetupProblems::FORGIVABLE)?)
    }
}

impl Setup {
    /// Parses a FEN leniently without checking that the position is legal.
    pub fn from_fen_lenient(fen: &str) -> Result<Self, FenError> {
        Self::from_fen(&strict_form(fen))
    }
}

/// The text normalized for the strict parser.
fn strict_form(fen: &str) -> String {
    let is_blank = |c: char| c.is_ascii_whitespace() || c == '_';
    let mut fields = fen.split(is_blank).filter(|field| !field.is_empty());
    let placement = fields.next().map(placement).unwrap_or_default();
    let turn = match fields.next().unwrap_or("w") {
        turn if turn.eq_ignore_ascii_case("w") || turn.eq_ignore_ascii_case("white") => "w",
        turn if turn.eq_ignore_ascii_case("b") || turn.eq_ignore_ascii_case("black") => "b",
        other => other,
    };
    let castling = castling(fields.next().unwrap_or("-"));
    let en_passant = match fields.next().unwrap_or("-") {
        field if en_passant_is_possible(field, turn) => field,
        field if field.parse::<Square>().is_ok() => "-",
        other => other,
    };
    let halfmove_clock = clock(fields.next().unwrap_or("0"), "0");
    let fullmove_number = clock(fields.next().unwrap_or("1"), "1");
    format!("{placement} {turn} {castling} {en_passant} {halfmove_clock} {fullmove_number}")
}

/// Adjacent digits added up, promotion marks dropped.
fn placement(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut empty = 0u32;
    for c in field.chars() {
        match c.to_digit(10) {
            Some(digit) if empty + digit <= 8 => empty += digit,
            _ => {
                if empty > 0 {
                    text.push((b'0' + empty as u8) as char);
                    empty = 0;
                }
                if c != '~' {
                    text.push(c);
                }
            }
        }
    }
    if empty > 0 {
        text.push((b'0' + empty as u8) as char);
    }
    text
}

fn castling(field: &str) -> String {
    let mut rights = String::with_capacity(field.len());
    for c in field.chars().filter(|c| !matches!(c, '-' | '.')) {
        if !rights.contains(c) {
            rights.push(c);
        }
    }
    if rights.is_empty() {
        rights.push('-');
    }
    rights
}

fn en_passant_is_possible(field: &str, turn: &str) -> bool {
    let rank = if turn == "b" { '3' } else { '6' };
    field.parse::<Square>().is_ok_and(|square| square.rank().digit() == rank)
}

fn clock<'a>(field: &'a str, default: &'a str) -> &'a str {
    if field == "-" {
        default
    } else if field.bytes().all(|byte| byte.is_ascii_digit()) && field.parse::<u16>().is_err() {
        "65535"
    } else {
        field
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_leniency_is_accepted_here_and_rejected_by_the_strict_parser() {
        let cases = [
            ("1", " 4k3/8/8/8/8/8/8/4K3\tw  -_- 0 1\n", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
            ("2", "4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
            ("2", "4k3/8/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
            ("3", "4k3/44/1N~06/8/8/8/8/4K3 w - - 0 1", "4k3/8/1N6/8/8/8/8/4K3 w - - 0 1"),
            ("4", "4k3/8/8/8/8/8/8/4K3 Black - - 0 1", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
            ("5", "4k3/8/8/8/8/8/8/4K2R w KK- - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
            ("6", "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
            ("7", "4k3/8/8/8/8/8/8/4K3 w - e3 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
            ("7", "4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
            ("8", "4k3/8/8/8/8/8/8/4K3 w - - - 99999", "4k3/8/8/8/8/8/8/4K3 w - - 0 65535"),
            ("9", "4k3/8/8/4R3/8/8/8/KR2R3 b - - 0 1", "4k3/8/8/4R3/8/8/8/KR2R3 b - - 0 1"),
            ("10", "4k3/8/8/8/8/8/8/4K3 w - - 0 1 id x;", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ];
        for (number, odd, plain) in cases {
            let position = Position::from_fen_lenient(odd);
            assert_eq!(position.map(|p| p.fen()), Ok(plain.to_owned()), "leniency {number}");
            if number != "9" {
                assert!(Position::from_fen(odd).is_err(), "leniency {number}");
            }
        }
    }

    #[test]
    fn invalid_input_is_rejected() {
        for fen in ["", "  ", "x", "8/8/8/8/8/8/8/8 w", "4k3/8/8/8/8/8/9/4K3", "4k3/8/8/8 w - -"] {
            assert!(Position::from_fen_lenient(fen).is_err(), "{fen}");
        }
    }
}
