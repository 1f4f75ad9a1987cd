//! Errors, and the last error message of each thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};

use chess::FenError;
use nnue::halfkp::LoadError;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages document it")]
pub enum ProbeError {
    #[error("{0} is NULL")]
    Null(&'static str),
    #[error("cannot read {file}: {error}")]
    Unreadable { file: String, error: std::io::Error },
    #[error("{file}: {error}")]
    BadFile { file: String, error: LoadError },
    #[error("no network is loaded")]
    NoNetwork,
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error("the player is 0 (White) or 1 (Black), not {0}")]
    Player(c_int),
    #[error("piece {n} of the list is {code}; pieces are 1 to 12, and 0 ends the list")]
    Piece { n: usize, code: c_int },
    #[error("square {n} of the list is {number}; squares are 0 to 63")]
    Square { n: usize, number: c_int },
    #[error("two pieces of the list stand on {0}")]
    SharedSquare(chess::Square),
    #[error("the list begins with the white king (1) and the black king (7)")]
    KingsFirst,
    #[error("each player must have one king")]
    Kings,
    #[error("there is no 0 after 32 pieces")]
    Endless,
    #[error("dirtyNum is {0}; a move changes 0 to 3 pieces")]
    DirtyNumber(c_int),
    #[error("dirty piece {n} is {piece} from {from} to {to}: no piece, or no squares")]
    DirtyPiece { n: usize, piece: c_int, from: c_int, to: c_int },
    #[error("internal error: please report it")]
    Internal,
}

/// The values of `nnue_init_status`, as in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs, reason = "documented in the header")]
pub enum Status {
    NotInitialized = -1,
    Loaded = 0,
    BadArgument = 1,
    Unreadable = 2,
    BadFile = 3,
    Internal = 4,
}

impl ProbeError {
    /// The status after a failed `nnue_init`.
    pub fn status(&self) -> Status {
        match self {
            Self::Null(_) => Status::BadArgument,
            Self::Unreadable { .. } => Status::Unreadable,
            Self::BadFile { .. } => Status::BadFile,
            _ => Status::Internal,
        }
    }
}

thread_local! {
    /// The last error message of this thread.
    static LAST: RefCell<CString> = RefCell::new(CString::default());
}

/// Stores the message. While a thread exits, its thread-local storage is gone and the message is dropped.
pub fn set_last_error(error: &ProbeError) {
    let message: Vec<u8> = error.to_string().bytes().filter(|&byte| byte != 0).collect();
    let _ = LAST.try_with(|last| {
        if let (Ok(mut last), Ok(message)) = (last.try_borrow_mut(), CString::new(message)) {
            *last = message;
        }
    });
}

/// The message, valid until the next error.
pub fn last_error() -> *const c_char {
    LAST.try_with(|last| last.try_borrow().map_or(c"".as_ptr(), |last| last.as_ptr()))
        .unwrap_or(c"".as_ptr())
}
