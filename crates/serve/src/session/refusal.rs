//! Errors of messages, one line each.

use chess::pgn::TreeError;
use chess::{FenError, SanError, UciError};
use pra::imitation::RATINGS;

use super::document::MAX_NODES;

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("The page is of another version (protocol {0}): reload it.")]
    Protocol(u32),
    #[error("This message is not for the chess session.")]
    NotChess,
    #[error("There is no such move in the game.")]
    NoSuchNode,
    #[error("{0}")]
    Uci(#[from] UciError),
    #[error("{0}")]
    San(#[from] SanError),
    #[error("{0}")]
    Tree(#[from] TreeError),
    #[error("{0}")]
    Fen(#[from] FenError),
    #[error("The game has {MAX_NODES} moves already: no more fit in.")]
    Full,
    #[error("The text is too long: at most {0} bytes.")]
    TooLong(usize),
    #[error("There are too many: at most {0}.")]
    TooMany(usize),
    #[error("The chess variant '{0}' is not supported.")]
    Variant(String),
    #[error("The tag '{0}' cannot be set.")]
    Tag(String),
    #[error("There is no Chess960 position {0}: the numbers are 0 to 959.")]
    Chess960(u16),
    #[error("There is no level {0}.")]
    Level(usize),
    #[error("The rating must be between {} and {}.", RATINGS.start(), RATINGS.end())]
    Rating,
    #[error("The temperature must be between 0 and 10.")]
    Temperature,
    #[error("A clock has 1 second to 1 day, and an increment of at most 1 hour.")]
    Clock,
    #[error("The game is over in this position.")]
    Over,
    #[error("There is no game in play.")]
    NoGame,
    #[error("It is not your turn.")]
    NotYourTurn,
    #[error("There is no move to take back.")]
    NothingToTakeBack,
    #[error("No draw can be claimed in this position.")]
    NoClaim,
    #[error("This text is empty.")]
    Empty,
    #[error("This is neither a FEN nor a game in PGN: {0}")]
    NoGameText(String),
    #[error("The upload is no longer there: load the file again.")]
    NoUpload,
    #[error("The upload has no game {0}.")]
    NoUploadedGame(usize),
    #[error("There is no such attention head.")]
    NoHead,
    #[error("There is no move to analyse.")]
    NothingToAnalyse,
    #[error("The time for a position must be between 0.01 and 60 seconds.")]
    Seconds,
    #[error("The game is already being analysed.")]
    Analysing,
    #[error("Analyse the game first.")]
    NoReport,
    #[error("There is no mistake to learn from.")]
    NoMistakes,
    #[error("There is no exercise.")]
    NoExercise,
}
