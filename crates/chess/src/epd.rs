//! Extended Position Description (EPD): a position and operations in one line, the format of test suites.
//!
//! The first four fields are those of FEN. Operations follow, each an opcode with operands and a
//! semicolon: `bm Nf3 e4; id "WAC.001"; acd 20;`. Operands are words, or strings in quotes (with `\"`
//! and `\\` for what would end them). Clocks are the operations `hmvc` and `fmvn`.
//!
//! The parser is lenient, because suites are written by hand: the last semicolon may be missing, blanks may
//! repeat, both FEN clocks may precede the operations, and the position is parsed as
//! [lenient FEN](crate::Position::from_fen_lenient).

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::{FenError, FenStyle, Move, Position, SanError, Setup, SetupProblems};

/// A position with operations.
///
/// ```
/// use tabiya_chess::Epd;
/// let text = r#"4k3/8/8/8/8/8/8/4K2R w K - bm O-O Rh8+; id "castle; or check";"#;
/// let epd: Epd = text.parse()?;
/// assert_eq!(epd.operand("id"), Some("castle; or check"));
/// let best: Vec<String> = epd.moves("bm")?.iter().map(|m| m.to_string()).collect();
/// assert_eq!(best, ["e1g1", "h1h8"]);
/// assert_eq!(epd.to_string(), text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    /// The position; its clocks are those of `hmvc` and `fmvn`.
    pub position: Position,
    /// The operations in their order, `hmvc` and `fmvn` included.
    pub operations: Vec<Operation>,
}

/// An opcode and its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The opcode: `bm` (best move), `am` (avoid move), `id`, `c0` (comment) and so on.
    pub opcode: String,
    /// Words and strings, without quotes.
    pub operands: Vec<String>,
}

/// Why a line is not EPD.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EpdError {
    /// The position is malformed or illegal.
    #[error(transparent)]
    Position(#[from] FenError),
    /// An opcode begins with a letter or underscore, and has at most 15 letters, digits, underscores.
    #[error("'{text}' at byte {at} is not an opcode")]
    BadOpcode {
        /// The text.
        text: String,
        /// Its byte offset.
        at: usize,
    },
    /// An unterminated string.
    #[error("the string at byte {at} is not closed")]
    UnclosedString {
        /// Its byte offset.
        at: usize,
    },
    /// A clock that is not a number.
    #[error("{opcode} '{text}' is not a number from 0 to 65535")]
    BadClock {
        /// The opcode of the clock.
        opcode: &'static str,
        /// The operand.
        text: String,
    },
}

impl Epd {
    /// Parses a line.
    pub fn parse(line: &str) -> Result<Self, EpdError> {
        let line = line.trim_end();
        // Four fields, and perhaps the two clocks of a FEN.
        let mut at = 0;
        let mut fields = Vec::new();
        for n in 0..6 {
            let (start, end) = next_word(line, at);
            let word = &line[start..end];
            let is_clock = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            if n >= 4 && !is_clock {
                break;
            }
            fields.push(word);
            at = end;
        }
        let setup = Setup::from_fen_lenient(&fields.join(" "))?;
        let operations = operations(line, at)?;
        let mut epd = Self { position: Position::INITIAL, operations };
        let clock = |opcode, default| epd.clock(opcode).unwrap_or(Ok(default));
        let setup = Setup {
            halfmove_clock: clock("hmvc", setup.halfmove_clock)?,
            fullmove_number: clock("fmvn", setup.fullmove_number)?,
            ..setup
        };
        let position = setup.position_forgiving(SetupProblems::FORGIVABLE);
        epd.position = position.map_err(FenError::from)?;
        Ok(epd)
    }

    fn clock(&self, opcode: &'static str) -> Option<Result<u16, EpdError>> {
        let text = self.operand(opcode)?;
        Some(text.parse().map_err(|_| EpdError::BadClock { opcode, text: text.to_owned() }))
    }

    /// The operands of an operation, if it is present.
    pub fn operands(&self, opcode: &str) -> Option<&[String]> {
        let operation = self.operations.iter().find(|operation| operation.opcode == opcode);
        operation.map(|operation| operation.operands.as_slice())
    }

    /// The first operand of an operation.
    pub fn operand(&self, opcode: &str) -> Option<&str> {
        self.operands(opcode)?.first().map(String::as_str)
    }

    /// The operands of an operation as moves in SAN: `bm`, `am`, and `pv` (whose moves follow each other).
    pub fn moves(&self, opcode: &str) -> Result<Vec<Move>, SanError> {
        let mut position = self.position;
        let mut moves = Vec::new();
        for text in self.operands(opcode).unwrap_or_default() {
            let m = position.parse_san(text)?;
            moves.push(m);
            if opcode == "pv" {
                position = position.after(m);
            }
        }
        Ok(moves)
    }
}

impl core::str::FromStr for Epd {
    type Err = EpdError;

    fn from_str(line: &str) -> Result<Self, EpdError> {
        Self::parse(line)
    }
}

/// The byte range of the next word.
fn next_word(line: &str, at: usize) -> (usize, usize) {
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let bytes = line.as_bytes();
    let start = at + bytes[at..].iter().take_while(|byte| blank(byte)).count();
    (start, start + bytes[start..].iter().take_while(|byte| !blank(byte)).count())
}

fn operations(line: &str, mut at: usize) -> Result<Vec<Operation>, EpdError> {
    let bytes = line.as_bytes();
    let mut operations: Vec<Operation> = Vec::new();
    let mut begins = true;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b';' => {
                begins = true;
                at += 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            b'"' if !begins => {
                let (text, end) = string(line, at).ok_or(EpdError::UnclosedString { at })?;
                at = end;
                if let Some(operation) = operations.last_mut() {
                    operation.operands.push(text);
                }
            }
            _ => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b';';
                let end = bytes[at..].iter().position(ends).map_or(bytes.len(), |n| at + n);
                let word = line[at..end].to_owned();
                match operations.last_mut() {
                    Some(operation) if !begins => operation.operands.push(word),
                    _ if is_opcode(&word) => {
                        operations.push(Operation { opcode: word, operands: Vec::new() });
                    }
                    _ => return Err(EpdError::BadOpcode { text: word, at }),
                }
                begins = false;
                at = end;
            }
        }
    }
    Ok(operations)
}

fn is_opcode(word: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    word.bytes().next().is_some_and(letter)
        && word.len() <= 15
        && word.bytes().all(|byte| letter(byte) || byte.is_ascii_digit())
}

/// The quoted string at an offset, and its end.
fn string(line: &str, at: usize) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut chars = line[at + 1..].char_indices();
    while let Some((n, c)) = chars.next() {
        match c {
            '"' => return Some((text, at + 1 + n + 1)),
            '\\' => match chars.next()?.1 {
                escaped @ ('"' | '\\') => text.push(escaped),
                other => text.extend(['\\', other]),
            },
            c => text.push(c),
        }
    }
    None
}

/// The line, with a semicolon after every operation. Operands that are not single words are quoted.
impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fen = self.position.fen_in(FenStyle::Standard);
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        f.write_str(&fields.join(" "))?;
        for operation in &self.operations {
            write!(f, " {}", operation.opcode)?;
            for operand in &operation.operands {
                let is_plain = |c: char| !c.is_whitespace() && !matches!(c, ';' | '"' | '\\');
                let is_text = operation.opcode == "id" || is_comment(&operation.opcode);
                if !is_text && !operand.is_empty() && operand.chars().all(is_plain) {
                    write!(f, " {operand}")?;
                } else {
                    let escaped = operand.replace('\\', "\\\\").replace('"', "\\\"");
                    write!(f, " \"{escaped}\"")?;
                }
            }
            f.write_str(";")?;
        }
        Ok(())
    }
}

/// `c0` to `c9`, whose operands are strings.
fn is_comment(opcode: &str) -> bool {
    matches!(opcode.as_bytes(), [b'c', b'0'..=b'9'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_of_all_kinds_round_trip() {
        let lines = [
            "8/8/8/8/8/8/8/K1k5 w - -",
            "r1bqkbnr/8/8/8/8/8/8/4K2R w K - bm O-O; c0 \"a; \\\"b\\\" \\\\\"; hmvc 7; fmvn 30; noop;",
            "4k3/8/8/8/8/8/8/4K3 b - - acd 20; pv Kd7 Kd2 Kd6; id \"x\" \"\";",
        ];
        for line in lines {
            let epd = Epd::parse(line).unwrap();
            assert_eq!(epd.to_string(), line);
            assert_eq!(Epd::parse(&epd.to_string()), Ok(epd));
        }
        let epd = Epd::parse(lines[1]).unwrap();
        assert_eq!((epd.position.halfmove_clock(), epd.position.fullmove_number()), (7, 30));
        assert_eq!(epd.operand("c0"), Some("a; \"b\" \\"));
        assert_eq!(epd.operands("noop"), Some(&[][..]));
        let line = Epd::parse(lines[2]).unwrap();
        let moves: Vec<String> = line.moves("pv").unwrap().iter().map(Move::to_string).collect();
        assert_eq!(moves, ["e8d7", "e1d2", "d7d6"]);
    }

    #[test]
    fn hand_written_lines_are_accepted() {
        let epd = Epd::parse("4k3/8/8/8/8/8/8/4K2R w KQ - 3 9   bm  Rh8+ ; id \"a\"").unwrap();
        assert_eq!(epd.to_string(), "4k3/8/8/8/8/8/8/4K2R w K - bm Rh8+; id \"a\";");
        assert_eq!((epd.position.halfmove_clock(), epd.position.fullmove_number()), (3, 9));
    }

    #[test]
    fn errors_name_the_text_and_its_offset() {
        let refused = |text: &str| {
            Epd::parse(&format!("4k3/8/8/8/8/8/8/4K3 w - - {text}")).unwrap_err().to_string()
        };
        assert_eq!(refused("id \"x"), "the string at byte 29 is not closed");
        assert_eq!(refused("bm Kd2; 2x y;"), "'2x' at byte 34 is not an opcode");
        assert_eq!(refused("hmvc many;"), "hmvc 'many' is not a number from 0 to 65535");
        assert!(Epd::parse("").is_err() && Epd::parse("id \"x\";").is_err());
    }
}
