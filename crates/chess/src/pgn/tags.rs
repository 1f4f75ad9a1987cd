//! Tag pairs: raw values, and the meaning of some.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::str;

use super::PgnProblem;
use crate::{FenError, Position};

/// The raw value of a tag: any bytes, with `\"` and `\\` still escaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TagValue<'a>(&'a [u8]);

impl<'a> TagValue<'a> {
    /// The value of this text between quotes.
    pub const fn new(raw: &'a [u8]) -> Self {
        Self(raw)
    }

    /// The raw bytes.
    pub const fn raw(self) -> &'a [u8] {
        self.0
    }

    /// The bytes without escapes.
    ///
    /// ```
    /// use tabiya_chess::pgn::TagValue;
    /// assert_eq!(&*TagValue::new(br#"The \"big\" one"#).bytes(), br#"The "big" one"#);
    /// ```
    pub fn bytes(self) -> Cow<'a, [u8]> {
        if !self.0.contains(&b'\\') {
            return Cow::Borrowed(self.0);
        }
        let mut plain = Vec::with_capacity(self.0.len());
        let mut rest = self.0;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            match (byte, tail) {
                (b'\\', [escaped @ (b'"' | b'\\'), tail @ ..]) => {
                    plain.push(*escaped);
                    rest = tail;
                }
                _ => plain.push(byte),
            }
        }
        Cow::Owned(plain)
    }

    /// The value as text: see [`decode`].
    pub fn text(self) -> Cow<'a, str> {
        match self.bytes() {
            Cow::Borrowed(bytes) => decode(bytes),
            Cow::Owned(bytes) => Cow::Owned(decode(&bytes).into_owned()),
        }
    }

    /// The value as a number, if it is one, as ratings are.
    pub fn number(self) -> Option<u32> {
        let digits = self.0.trim_ascii();
        if digits.is_empty() || digits.len() > 9 {
            return None;
        }
        digits.iter().try_fold(0, |number, &byte| {
            byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'))
        })
    }
}

/// Decodes text of a PGN file: UTF-8, otherwise Latin-1 as in the standard.
///
/// ```
/// use tabiya_chess::pgn::decode;
/// assert_eq!(decode("Réti".as_bytes()), "Réti");
/// assert_eq!(decode(b"R\xe9ti"), "Réti");
/// ```
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| byte as char).collect()),
    }
}

/// The supported variants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Variant {
    /// Chess.
    #[default]
    Standard,
    /// Chess960, also called Fischer random chess.
    Chess960,
}

impl Variant {
    /// Parses a tag value in its common spellings; case, blanks and hyphens are ignored.
    ///
    /// ```
    /// use tabiya_chess::pgn::Variant;
    /// for name in ["Chess960", "chess 960", "Fischerandom", "Fischer Random", "FRC"] {
    ///     assert_eq!(Variant::parse(name.as_bytes()), Some(Variant::Chess960));
    /// }
    /// assert_eq!(Variant::parse(b"From Position"), Some(Variant::Standard));
    /// assert_eq!(Variant::parse(b"Atomic"), None);
    /// ```
    pub fn parse(name: &[u8]) -> Option<Self> {
        let mut plain = arrayvec::ArrayVec::<u8, 32>::new();
        for byte in name.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
            plain.try_push(byte.to_ascii_lowercase()).ok()?;
        }
        match &*plain {
            b"" | b"standard" | b"normal" | b"chess" | b"classical" | b"orthodox" | b"regular"
            | b"fromposition" => Some(Self::Standard),
            b"chess960"
            | b"960"
            | b"fischerandom"
            | b"fischerrandom"
            | b"fischerandomchess"
            | b"fischerrandomchess"
            | b"fischerrandom960"
            | b"frc"
            | b"dfrc"
            | b"freestyle"
            | b"freestylechess"
            | b"chess9lx"
            | b"chess324"
            | b"doublefischerrandom"
            | b"doublefischerrandomchess" => Some(Self::Chess960),
            _ => None,
        }
    }
}

/// The effect of a tag on the replay.
pub(super) enum GameTag {
    /// Nothing.
    Other,
    /// The start position.
    Position(Position),
    /// The result.
    Result,
}

/// Interprets a tag. `FEN` counts with or without `SetUp`, which is often missing or wrong in real files.
#[inline(always)]
pub(super) fn game_tag(name: &[u8], value: TagValue<'_>) -> Result<GameTag, PgnProblem> {
    match name {
        b"FEN" | b"Fen" | b"fen" => fen(value),
        b"Variant" | b"variant" => variant(value),
        b"Result" => Ok(GameTag::Result),
        _ => Ok(GameTag::Other),
    }
}

#[cold]
fn fen(value: TagValue<'_>) -> Result<GameTag, PgnProblem> {
    let text = value.text();
    if text.trim().is_empty() || matches!(text.trim(), "?" | "-") {
        return Ok(GameTag::Other);
    }
    let position: Result<_, FenError> = Position::from_fen_lenient(&text);
    Ok(GameTag::Position(position?))
}

#[cold]
fn variant(value: TagValue<'_>) -> Result<GameTag, PgnProblem> {
    match Variant::parse(value.raw()) {
        Some(_) => Ok(GameTag::Other),
        None if matches!(value.raw(), b"?" | b"-") => Ok(GameTag::Other),
        None => Err(PgnProblem::UnknownVariant(value.text().into_owned())),
    }
}
