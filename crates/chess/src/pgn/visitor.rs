//! What a [`Reader`](super::Reader) tells, and to whom.

use std::fmt;

use super::{Nag, PgnProblem, TagValue};
use crate::San;

/// What a visitor wants next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Next {
    /// To go on.
    Go,
    /// To skip the variation that begins; anywhere else, what is left of the game.
    Skip,
    /// To skip what is left of the game.
    SkipGame,
}

/// A piece of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    /// Its bytes.
    pub text: &'a [u8],
    /// Where it begins, in bytes from the start of what is read.
    pub offset: usize,
}

/// Takes the tokens of games as a [`Reader`](super::Reader) finds them.
///
/// All methods do nothing unless they are implemented, and variations are skipped. After
/// [`Next::Skip`] only [`Visitor::end_game`] is called, which every game that began gets.
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

    /// All tags have been told, and moves may follow.
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

    /// The result at the end of the moves: what the token says, whatever the tag does.
    #[inline(always)]
    fn result(&mut self, result: GameResult) {}

    /// Something that is no PGN. The rest of the game is skipped.
    #[inline(always)]
    fn error(&mut self, offset: usize, problem: PgnProblem) {}

    /// The game is over, or was skipped, or is broken.
    #[inline(always)]
    fn end_game(&mut self) {}
}

/// Wants nothing: what the reader uses to skip.
pub(super) struct Nobody;

impl Visitor for Nobody {
    fn begin_variation(&mut self, _: usize) -> Next {
        Next::Go
    }
}

/// The result of a game as PGN writes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GameResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: the game goes on, was abandoned, or nobody knows.
    #[default]
    Unknown,
}

impl GameResult {
    /// The four results.
    pub const ALL: [Self; 4] = [Self::WhiteWins, Self::BlackWins, Self::Draw, Self::Unknown];

    /// The text of PGN.
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
    /// use chess::pgn::GameResult;
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

    /// The result that a tag `Result` tells; unknown if it is none.
    pub fn of_tag(value: TagValue<'_>) -> Self {
        let text = value.raw().trim_ascii();
        let plain = || crate::san::plain_text(text).and_then(|text| Self::parse(&text));
        Self::parse(text).or_else(plain).unwrap_or_default()
    }

    /// The result of a game by its tag and by the token at the end of its moves, if there is one: what
    /// the tag says counts, unless it says nothing.
    ///
    /// ```
    /// use chess::pgn::GameResult::{BlackWins, Draw, Unknown, WhiteWins};
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
