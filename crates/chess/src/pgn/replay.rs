//! Replaying games: from tokens to positions.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::tags::{GameTag, game_tag};
use super::{GameResult, Nag, Next, PgnError, PgnProblem, TagValue, Token, Visitor};
use crate::{Color, Move, Position, San};

/// The maximum nesting depth of variations. Each takes 66 bytes while it is open.
pub const MAX_DEPTH: usize = 200_000;

/// A visitor of the positions of a [`Replay`].
///
/// All methods but [`Watcher::error`] do nothing unless they are implemented, and variations are
/// skipped. After [`Next::Skip`] or an error only [`Watcher::result`] and [`Watcher::end_game`] are called.
#[allow(unused_variables, reason = "the names document what the defaults do not need")]
pub trait Watcher {
    /// A game begins.
    #[inline(always)]
    fn begin_game(&mut self) -> Next {
        Next::Go
    }

    /// A game begins at this byte offset; by default calls [`Watcher::begin_game`].
    #[inline(always)]
    fn begin_game_at(&mut self, offset: usize) -> Next {
        self.begin_game()
    }

    /// A tag pair.
    #[inline(always)]
    fn tag(&mut self, name: &[u8], value: TagValue<'_>) -> Next {
        Next::Go
    }

    /// The tags are complete, and the game begins with this position.
    #[inline(always)]
    fn begin_moves(&mut self, start: &Position) -> Next {
        Next::Go
    }

    /// A legal move was played.
    #[inline(always)]
    fn played(&mut self, before: &Position, m: Move, after: &Position) -> Next {
        Next::Go
    }

    /// A null move was played: the player passed.
    #[inline(always)]
    fn passed(&mut self, before: &Position, after: &Position) -> Next {
        Next::Go
    }

    /// A comment, without its braces or semicolon.
    #[inline(always)]
    fn comment(&mut self, text: &[u8]) -> Next {
        Next::Go
    }

    /// A numeric annotation glyph.
    #[inline(always)]
    fn nag(&mut self, nag: Nag) -> Next {
        Next::Go
    }

    /// A variation begins: other moves instead of the last one, from this position on.
    #[inline(always)]
    fn begin_variation(&mut self, from: &Position) -> Next {
        Next::Skip
    }

    /// The innermost variation that was not skipped is over.
    #[inline(always)]
    fn end_variation(&mut self) -> Next {
        Next::Go
    }

    /// The result of the game by its tag and termination marker, as defined by [`GameResult::or_token`].
    /// Called for every game just before its end, even if it was skipped or is broken.
    #[inline(always)]
    fn result(&mut self, result: GameResult) {}

    /// Tag and termination marker disagree: the tag counts, and the game remains valid.
    fn result_conflict(&mut self, conflict: PgnError) {}

    /// The game is broken; its rest is skipped.
    fn error(&mut self, error: PgnError);

    /// The game is over, or was skipped, or is broken.
    #[inline(always)]
    fn end_game(&mut self) {}
}

/// The last move of the current line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    Nothing,
    Null,
    Move(Move),
}

/// A [`Visitor`] that plays the moves and calls a [`Watcher`]. It can be reused for any number of games and
/// allocates only for variations and errors.
#[derive(Debug)]
pub struct Replay<W> {
    watcher: W,
    /// Double buffer of the positions before and after the last move; `turn` is the index of the latter, so
    /// that neither is copied.
    positions: [Position; 2],
    turn: bool,
    last: Last,
    /// For every open variation: the position before the move it replaces, and that move.
    open: Vec<Position>,
    open_moves: Vec<Last>,
    games: u64,
    /// The tag `Result` and its offset.
    tag: (GameResult, usize),
    token: Option<GameResult>,
}

impl<W: Watcher> Replay<W> {
    /// Replays games for a watcher.
    pub fn new(watcher: W) -> Self {
        Self {
            watcher,
            positions: [Position::INITIAL; 2],
            turn: false,
            last: Last::Nothing,
            open: Vec::new(),
            open_moves: Vec::new(),
            games: 0,
            tag: (GameResult::Unknown, 0),
            token: None,
        }
    }

    /// The number of games begun.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// The watcher.
    pub const fn watcher(&self) -> &W {
        &self.watcher
    }

    /// The watcher, mutably.
    pub const fn watcher_mut(&mut self) -> &mut W {
        &mut self.watcher
    }

    /// Returns the watcher.
    pub fn into_watcher(self) -> W {
        self.watcher
    }

    /// The position after the last move.
    #[inline(always)]
    const fn position(&self) -> &Position {
        &self.positions[self.turn as usize]
    }

    /// The position before the last move.
    #[inline(always)]
    const fn before(&self) -> &Position {
        &self.positions[!self.turn as usize]
    }

    #[inline(always)]
    fn set_position(&mut self, position: Position) {
        self.positions[self.turn as usize] = position;
    }

    #[cold]
    fn report(&mut self, offset: usize, at: Option<String>, problem: PgnProblem) -> Next {
        let error = PgnError { game: self.games, offset: offset as u64, at, problem };
        self.watcher.error(error);
        Next::SkipGame
    }

    /// A move with its number: `12.Nf3`, `12...Nf6`.
    fn numbered(&self, text: &[u8]) -> String {
        let dots = if self.position().turn() == Color::White { "." } else { "..." };
        let text = super::decode(&text[..text.len().min(40)]);
        format!("{}{dots}{text}", self.position().fullmove_number())
    }

    /// A null move, a move in UCI notation, or an illegal move.
    #[cold]
    fn odd(&mut self, san: San, token: Token<'_>) -> Next {
        if san == San::Null
            && let Some(after) = self.position().after_null()
        {
            self.turn = !self.turn;
            self.set_position(after);
            self.last = Last::Null;
            let [before, after] = [!self.turn, self.turn].map(|n| &self.positions[n as usize]);
            return self.watcher.passed(before, after);
        }
        if let Some(m) = self.position().find_by_squares(san) {
            let after = self.position().after(m);
            self.turn = !self.turn;
            self.set_position(after);
            self.last = Last::Move(m);
            let [before, after] = [!self.turn, self.turn].map(|n| &self.positions[n as usize]);
            return self.watcher.played(before, m, after);
        }
        let error = self.position().why_not(san, token.text);
        let at = self.numbered(token.text);
        self.report(token.offset, Some(at), error.into())
    }
}

impl<W: Watcher> Visitor for Replay<W> {
    #[inline]
    fn begin_game(&mut self, offset: usize) -> Next {
        self.games += 1;
        self.set_position(Position::INITIAL);
        self.last = Last::Nothing;
        self.tag = (GameResult::Unknown, offset);
        self.token = None;
        self.open.clear();
        self.open_moves.clear();
        self.watcher.begin_game_at(offset)
    }

    #[inline]
    fn tag(&mut self, name: Token<'_>, value: TagValue<'_>) -> Next {
        match game_tag(name.text, value) {
            Ok(GameTag::Other) => {}
            Ok(GameTag::Position(position)) => self.set_position(position),
            Ok(GameTag::Result) => self.tag = (GameResult::of_tag(value), name.offset),
            Err(problem) => return self.report(name.offset, None, problem),
        }
        self.watcher.tag(name.text, value)
    }

    #[inline]
    fn begin_moves(&mut self) -> Next {
        self.watcher.begin_moves(&self.positions[self.turn as usize])
    }

    #[inline(always)]
    fn san(&mut self, san: San, token: Token<'_>) -> Next {
        let [first, second] = &mut self.positions;
        let (position, next) = if self.turn { (second, first) } else { (first, second) };
        match position.play_san_to(san, next) {
            Some(m) => {
                self.turn = !self.turn;
                self.last = Last::Move(m);
                self.watcher.played(position, m, next)
            }
            None => self.odd(san, token),
        }
    }

    #[inline]
    fn comment(&mut self, comment: Token<'_>) -> Next {
        self.watcher.comment(comment.text)
    }

    #[inline]
    fn nag(&mut self, nag: Nag) -> Next {
        self.watcher.nag(nag)
    }

    fn begin_variation(&mut self, offset: usize) -> Next {
        if self.last == Last::Nothing {
            return self.report(offset, None, PgnProblem::VariationOfNothing);
        }
        if self.open.len() >= MAX_DEPTH {
            return self.report(offset, None, PgnProblem::TooDeep(MAX_DEPTH));
        }
        let before = *self.before();
        let next = self.watcher.begin_variation(&before);
        if next != Next::Go {
            return next;
        }
        self.open.push(before);
        self.open_moves.push(self.last);
        self.set_position(before);
        self.last = Last::Nothing;
        Next::Go
    }

    fn end_variation(&mut self) -> Next {
        if let (Some(before), Some(last)) = (self.open.pop(), self.open_moves.pop()) {
            self.last = last;
            self.positions[!self.turn as usize] = before;
            self.set_position(match last {
                Last::Move(m) => before.after(m),
                _ => before.after_null().unwrap_or(before),
            });
        }
        self.watcher.end_variation()
    }

    fn result(&mut self, result: GameResult) {
        self.token = Some(result);
    }

    #[cold]
    fn error(&mut self, offset: usize, problem: PgnProblem) {
        let at = match &problem {
            PgnProblem::UnknownToken(text) => Some(self.numbered(text.as_bytes())),
            _ => None,
        };
        let _ = self.report(offset, at, problem);
    }

    fn end_game(&mut self) {
        let (tag, offset) = self.tag;
        let result = tag.or_token(self.token);
        if let Some(token) = self.token.filter(|&token| token != GameResult::Unknown)
            && token != result
        {
            let problem = PgnProblem::ResultConflict { tag, token };
            let offset = offset as u64;
            self.watcher.result_conflict(PgnError { game: self.games, offset, at: None, problem });
        }
        self.watcher.result(result);
        self.watcher.end_game();
    }
}
