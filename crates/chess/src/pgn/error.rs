//! PGN errors.

use alloc::format;
use alloc::string::String;

use super::GameResult;
use crate::{FenError, SanError};

/// A problem of a PGN game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PgnProblem {
    /// An unknown token in the movetext.
    #[error("'{0}' means nothing here")]
    UnknownToken(String),
    /// An illegal move.
    #[error(transparent)]
    Move(#[from] SanError),
    /// An unterminated comment.
    #[error("the comment is not closed")]
    UnclosedComment,
    /// A closing brace without an opening one.
    #[error("'}}' without '{{'")]
    UnmatchedBrace,
    /// Unterminated variations.
    #[error("{0} variation(s) not closed")]
    UnclosedVariation(usize),
    /// A closing parenthesis without an opening one.
    #[error("')' without '('")]
    UnmatchedParenthesis,
    /// A variation before the first move.
    #[error("a variation before the first move")]
    VariationOfNothing,
    /// Variations nested too deeply.
    #[error("more than {0} variations within each other")]
    TooDeep(usize),
    /// The tag `FEN` is malformed or illegal.
    #[error("tag FEN: {0}")]
    Fen(#[from] FenError),
    /// The tag `Variant` names an unsupported variant.
    #[error("tag Variant: the rules of '{0}' are not known")]
    UnknownVariant(String),
    /// The tag `Result` and the termination marker disagree. (The game remains valid.)
    #[error("the tag Result is {tag}, but the moves end with {token}; the tag counts")]
    ResultConflict {
        /// The tag's result.
        tag: GameResult,
        /// The termination marker.
        token: GameResult,
    },
    /// The game tree exceeds the memory limit.
    #[error("the game has more moves and comments than fit into {0} bytes")]
    TooLarge(usize),
    /// The game exceeds the size limit and was not read.
    #[error("no game ends within {0} bytes; skipped to the next")]
    TooLong(usize),
}

/// A broken game: its number, the offset, the move and the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game}, byte {offset}{}: {problem}", at_move(.at))]
pub struct PgnError {
    /// The number of the game, counted from 1.
    pub game: u64,
    /// The byte offset of the problem from the start of the text.
    pub offset: u64,
    /// The move with its number, such as `12...Qd9`, if the problem is about a move.
    pub at: Option<String>,
    /// The problem.
    pub problem: PgnProblem,
}

fn at_move(at: &Option<String>) -> String {
    at.as_ref().map_or_else(String::new, |at| format!(", move {at}"))
}
