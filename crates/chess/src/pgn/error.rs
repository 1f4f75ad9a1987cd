//! What can be wrong with a game.

use super::GameResult;
use crate::{FenError, SanError};

/// What is wrong with a game of a PGN file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PgnProblem {
    /// A word among the moves that means nothing.
    #[error("'{0}' means nothing here")]
    UnknownToken(String),
    /// A move that the position does not allow.
    #[error(transparent)]
    Move(#[from] SanError),
    /// A comment without an end, up to the next game.
    #[error("the comment is not closed")]
    UnclosedComment,
    /// A closing brace without an opening one.
    #[error("'}}' without '{{'")]
    UnmatchedBrace,
    /// Variations without an end, up to the next game.
    #[error("{0} variation(s) not closed")]
    UnclosedVariation(usize),
    /// A closing parenthesis without an opening one.
    #[error("')' without '('")]
    UnmatchedParenthesis,
    /// A variation where no move has been made that it could replace.
    #[error("a variation before the first move")]
    VariationOfNothing,
    /// Deeper than anybody nests variations.
    #[error("more than {0} variations within each other")]
    TooDeep(usize),
    /// The tag `FEN` holds no legal position.
    #[error("tag FEN: {0}")]
    Fen(#[from] FenError),
    /// The tag `Variant` names a game with other rules.
    #[error("tag Variant: the rules of '{0}' are not known")]
    UnknownVariant(String),
    /// The tag `Result` and the result at the end of the moves contradict each other. (The game is not
    /// broken by this.)
    #[error("the tag Result says {tag}, and the moves end with {token}; the tag counts")]
    ResultConflict {
        /// What the tag says.
        tag: GameResult,
        /// What stands at the end of the moves.
        token: GameResult,
    },
    /// The tree of the game takes more memory than any real game's.
    #[error("the game has more moves and comments than fit into {0} bytes")]
    TooLarge(usize),
    /// Larger than any game is; it was not read.
    #[error("no game ends within {0} bytes; skipped to the next")]
    TooLong(usize),
}

/// A bad game: which, where, at which move, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game}, byte {offset}{}: {problem}", at_move(.at))]
pub struct PgnError {
    /// The number of the game, counted from 1.
    pub game: u64,
    /// The byte where the trouble is, counted from the start of the text.
    pub offset: u64,
    /// The move with its number as it stands there, such as `12...Qd9`, if it is about a move.
    pub at: Option<String>,
    /// What is wrong.
    pub problem: PgnProblem,
}

fn at_move(at: &Option<String>) -> String {
    at.as_ref().map_or_else(String::new, |at| format!(", move {at}"))
}
