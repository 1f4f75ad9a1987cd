//! The visitor of a [`Reader`](super::Reader).

use core::fmt;

use super::{Nag, PgnProblem, TagValue};
use crate::San;

/// A visitor's control flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Next {
    /// Continue.
    Go,
    /// Skip the variation that begins; anywhere else, the rest of the game.
    Skip,
    /// Skip the rest of the game.
    SkipGame,
}

/// A token of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    /// Its bytes.
    pub text: &'a [u8],
    /// Its byte offset in the text.
    pub offset: usize,
}

/// A visitor of the tokens that a [`Reader`](super::Reader) finds.
///
/// By default all methods do nothing, and variations are skipped. After [`Next::Skip`] only
/// [`Visitor::end_game`] is called, once for every game.
#[allow(unused_variables, reason = "the names document what the defaults do not need")]
pub trait Visitor {
    /// A game begins at this byte.
    #[inline(always)]
    fn begin_game(&mut self, offset: usize) -> Next {
        Next::Go
    }

    /// A tag pair, `[Name "value"]`.
    #[inline(always)]
    fn tag(&mut self, name: Token<'_>, value: TagValue<'_>) -> Next {
        Next::Go
    }

    /// The end of the tag section.
    #[inline(always)]
    fn begin_moves(&mut self) -> Next {
        Next::Go
    }

    /// A move, or a null move.
    #[inline(always)]
    fn san(&mut self, san: San, token: Token<'_>) -> Next {
        Next::Go
    }

    /// A comment, without its braces or semicolon.
    #[inline(always)]
    fn comment(&mut self, comment: Token<'_>) -> Next {
        Next::Go
    }

    /// A numeric annotation glyph, or its symbol.
    #[inline(always)]
    fn nag(&mut self, nag: Nag) -> Next {
        Next::Go
    }

    /// A variation begins: other moves instead of the last one.
    #[inline(always)]
    fn begin_variation(&mut self, offset: usize) -> Next {
        Next::Skip
    }

    /// The innermost variation that was not skipped ends.
    #[inline(always)]
    fn end_variation(&mut self) -> Next {
        Next::Go
    }

    /// The termination marker at the end of the moves, independent of the tag.
    #[inline(always)]
    fn result(&mut self, result: GameResult) {}

    /// A syntax error. The rest of the game is skipped.
    #[inline(always)]
    fn error(&mut self, offset: usize, problem: PgnProblem) {}

    /// The game is over, or was skipped, or is broken.
    #[inline(always)]
    fn end_game(&mut self) {}
}

/// The visitor that skips everything.
pub(super) struct Nobody;

impl Visitor for Nobody {
    fn begin_variation(&mut self, _: usize) -> Next {
        Next::Go
    }
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GameResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: unfinished, abandoned or unknown.
    #[default]
    Unknown,
}

impl GameResult {
    /// The four results.
    pub const ALL: [Self; 4] = [Self::WhiteWins, Self::BlackWins, Self::Draw, Self::Unknown];

    /// The PGN text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    /// The result of a text; `1/2` and `0.5-0.5` stand for a draw too, and a colon for the hyphen.
    ///
    /// ```
    /// use tabiya_chess::pgn::GameResult;
    /// assert_eq!(GameResult::parse(b"1/2-1/2"), Some(GameResult::Draw));
    /// assert_eq!(GameResult::parse(b"2-0"), None);
    /// ```
    pub fn parse(text: &[u8]) -> Option<Self> {
        match text {
            b"1-0" | b"1:0" => Some(Self::WhiteWins),
            b"0-1" | b"0:1" => Some(Self::BlackWins),
            b"1/2-1/2" | b"1/2" | b"1/2:1/2" | b"0.5-0.5" => Some(Self::Draw),
            b"*" => Some(Self::Unknown),
            _ => None,
        }
    }

    /// The result of a `Result` tag; unknown if it is malformed.
    pub fn of_tag(value: TagValue<'_>) -> Self {
        let text = value.raw().trim_ascii();
        let plain = || crate::san::plain_text(text).and_then(|text| Self::parse(&text));
        Self::parse(text).or_else(plain).unwrap_or_default()
    }

    /// The result of a game by its tag and its termination marker: the tag counts unless it is unknown.
    ///
    /// ```
    /// use tabiya_chess::pgn::GameResult::{BlackWins, Draw, Unknown, WhiteWins};
    /// assert_eq!(BlackWins.or_token(Some(Unknown)), BlackWins);
    /// assert_eq!(Unknown.or_token(Some(Draw)), Draw);
    /// assert_eq!(BlackWins.or_token(Some(WhiteWins)), BlackWins);
    /// ```
    #[must_use]
    pub fn or_token(self, token: Option<Self>) -> Self {
        if self == Self::Unknown { token.unwrap_or_default() } else { self }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
