//! Why a message is refused, in one line for people.

use chess::pgn::TreeError;
use chess::{FenError, SanError, UciError};

use super::document::MAX_NODES;

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("The page is of another version (protocol {0}): reload it.")]
    Protocol(u32),
    #[error("This message is not about chess.")]
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
    #[error("'{0}' is no variant of chess that is known here.")]
    Variant(String),
    #[error("'{0}' is no tag that can be set.")]
    Tag(String),
    #[error("There is no Chess960 position {0}: they have the numbers 0 to 959.")]
    Chess960(u16),
    #[error("There is no level {0}.")]
    Level(usize),
    #[error("The temperature must be between 0 and 10.")]
    Temperature,
    #[error("A clock has between a second and a day, and an increment of at most an hour.")]
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
    #[error("There is nothing in this text.")]
    Empty,
    #[error("This is neither a FEN nor a game in PGN: {0}")]
    NoGameText(String),
    #[error("The upload is not there any more: load the file again.")]
    NoUpload,
    #[error("The upload has no game {0}.")]
    NoUploadedGame(usize),
    #[error("There is no such head of attention.")]
    NoHead,
    #[error("There is no move to analyse.")]
    NothingToAnalyse,
    #[error("The time for a position must be between 0.01 and 60 seconds.")]
    Seconds,
    #[error("The game is being analysed already.")]
    Analysing,
    #[error("Analyse the game first.")]
    NoReport,
    #[error("There is no mistake to learn from.")]
    NoMistakes,
    #[error("There is no exercise.")]
    NoExercise,
}
