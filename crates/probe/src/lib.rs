//! HalfKP networks for programs in C: the functions of nnue-probe, so that who uses it can switch.
//!
//! The interface is described for its users in `include/nnue.h`. Here is the border: pointers become
//! slices and values that Rust can trust, errors become [`ERROR`] and a message, and no panic gets
//! across. What is computed is in [`nnue::halfkp`].
//!
//! | file | what |
//! |---|---|
//! | `lib` | the functions with C names |
//! | `loaded` | the network that was loaded last |
//! | `pieces` | lists of pieces |
//! | `incremental` | evaluation from the sums of earlier positions |
//! | `error` | what can go wrong, and where the message is kept |

mod error;
mod incremental;
mod loaded;
mod pieces;

use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use chess::{Board, Color, Setup};
use nnue::halfkp::Network;

pub use error::{ProbeError, Status};
pub use incremental::{Accumulator, DirtyPiece, NNUEdata};

/// What is returned instead of a value.
pub const ERROR: c_int = c_int::MIN;

/// Runs what may fail, or even panic, and gives what a caller in C can take.
fn at_the_border(work: impl FnOnce() -> Result<i32, ProbeError>) -> c_int {
    match catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(ProbeError::Internal)) {
        Ok(value) => value,
        Err(error) => {
            error::remember(&error);
            ERROR
        }
    }
}

/// The text behind a pointer.
///
/// # Safety
/// The pointer is null or leads to a string that ends with 0 and lives for `'a`.
unsafe fn text<'a>(pointer: *const c_char, what: &'static str) -> Result<&'a CStr, ProbeError> {
    if pointer.is_null() {
        return Err(ProbeError::Null(what));
    }
    // SAFETY: not null; the rest is the caller's promise.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

fn player(number: c_int) -> Result<Color, ProbeError> {
    match number {
        0 => Ok(Color::White),
        1 => Ok(Color::Black),
        _ => Err(ProbeError::Player(number)),
    }
}

fn value(network: &Network, board: &Board, turn: Color) -> Result<i32, ProbeError> {
    network.evaluate_board(board, turn).ok_or(ProbeError::Kings)
}

/// Loads a network; see the header.
///
/// # Safety
/// `eval_file` is null or leads to a string that ends with 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nnue_init(eval_file: *const c_char) {
    let work = || {
        // SAFETY: the caller's promise.
        loaded::load(unsafe { text(eval_file, "the file name") }?)
    };
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(ProbeError::Internal));
    let status = match outcome {
        Ok(()) => Status::Loaded,
        Err(error) => {
            error::remember(&error);
            error.status()
        }
    };
    loaded::STATUS.store(status as c_int, Ordering::Release);
}

/// What came of the last [`nnue_init`].
#[unsafe(no_mangle)]
pub extern "C" fn nnue_init_status() -> c_int {
    loaded::STATUS.load(Ordering::Acquire)
}

/// What went wrong last on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn nnue_last_error() -> *const c_char {
    error::last()
}

/// The value of a FEN; see the header.
///
/// # Safety
/// `fen` is null or leads to a string that ends with 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nnue_evaluate_fen(fen: *const c_char) -> c_int {
    at_the_border(|| {
        // SAFETY: the caller's promise.
        let fen = unsafe { text(fen, "the FEN") }?.to_string_lossy();
        let setup = Setup::from_fen(fen.trim())?;
        loaded::with_network(|network| value(network, &setup.board, setup.turn))
    })
}

/// The value of pieces on squares; see the header.
///
/// # Safety
/// `pieces` and `squares` are null or lead to as many numbers as the list has, its 0 included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nnue_evaluate(
    player: c_int,
    pieces: *mut c_int,
    squares: *mut c_int,
) -> c_int {
    at_the_border(|| {
        let turn = self::player(player)?;
        // SAFETY: the caller's promise.
        let board = unsafe { pieces::board(pieces, squares) }?;
        loaded::with_network(|network| value(network, &board, turn))
    })
}

/// The value of pieces on squares, from the sums of earlier positions; see the header.
///
/// # Safety
/// As [`nnue_evaluate`]; `nnue_data` is null or leads to three pointers, each null or to an
/// [`NNUEdata`] that nobody else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nnue_evaluate_incremental(
    player: c_int,
    pieces: *mut c_int,
    squares: *mut c_int,
    nnue_data: *mut *mut NNUEdata,
) -> c_int {
    at_the_border(|| {
        let turn = self::player(player)?;
        // SAFETY: the caller's promise.
        let board = unsafe { pieces::board(pieces, squares) }?;
        // SAFETY: the caller's promise.
        loaded::with_network(|network| unsafe {
            incremental::evaluate(network, &board, turn, nnue_data)
        })
    })
}
