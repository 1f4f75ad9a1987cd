#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! C ABI for HalfKP networks: a drop-in replacement for nnue-probe.
//!
//! `include/nnue.h` documents the interface. This crate is the FFI boundary: it validates pointers and
//! values, converts errors to [`ERROR`] and a message, and catches panics. The computation is in
//! [`nnue::halfkp`].
//!
//! | file | holds |
//! |---|---|
//! | `lib` | the exported functions |
//! | `loaded` | the loaded network |
//! | `pieces` | piece lists |
//! | `incremental` | incremental evaluation in the caller's structures |
//! | `error` | errors and the last error message |

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

/// Returned in place of a value when a call fails.
pub const ERROR: c_int = c_int::MIN;

/// Runs a function, catches panics, and converts errors to [`ERROR`].
fn guard(work: impl FnOnce() -> Result<i32, ProbeError>) -> c_int {
    match catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(ProbeError::Internal)) {
        Ok(value) => value,
        Err(error) => {
            error::set_last_error(&error);
            ERROR
        }
    }
}

/// The C string behind a pointer.
///
/// # Safety
/// The pointer is null or points to a NUL-terminated string that lives for `'a`.
unsafe fn text<'a>(pointer: *const c_char, what: &'static str) -> Result<&'a CStr, ProbeError> {
    if pointer.is_null() {
        return Err(ProbeError::Null(what));
    }
    // SAFETY: not null; the rest is the caller's promise.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

fn color(player: c_int) -> Result<Color, ProbeError> {
    match player {
        0 => Ok(Color::White),
        1 => Ok(Color::Black),
        _ => Err(ProbeError::Player(player)),
    }
}

fn value(network: &Network, board: &Board, turn: Color) -> Result<i32, ProbeError> {
    network.evaluate_board(board, turn).ok_or(ProbeError::Kings)
}

/// Loads a network; see the header.
///
/// # Safety
/// `eval_file` is null or points to a NUL-terminated string.
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
            error::set_last_error(&error);
            error.status()
        }
    };
    loaded::STATUS.store(status as c_int, Ordering::Release);
}

/// The status of the last [`nnue_init`].
#[unsafe(no_mangle)]
pub extern "C" fn nnue_init_status() -> c_int {
    loaded::STATUS.load(Ordering::Acquire)
}

/// The last error message of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn nnue_last_error() -> *const c_char {
    error::last_error()
}

/// The value of a FEN; see the header.
///
/// # Safety
/// `fen` is null or points to a NUL-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nnue_evaluate_fen(fen: *const c_char) -> c_int {
    guard(|| {
        // SAFETY: the caller's promise.
        let fen = unsafe { text(fen, "the FEN") }?.to_string_lossy();
        let setup = Setup::from_fen(fen.trim())?;
        loaded::with_network(|network| value(network, &setup.board, setup.turn))
    })
}

/// The value of a piece list; see the header.
///
/// # Safety
/// `pieces` and `squares` are null or point to arrays as long as the list, its terminating 0 included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nnue_evaluate(
    player: c_int,
    pieces: *mut c_int,
    squares: *mut c_int,
) -> c_int {
    guard(|| {
        let turn = color(player)?;
        // SAFETY: the caller's promise.
        let board = unsafe { pieces::board(pieces, squares) }?;
        loaded::with_network(|network| value(network, &board, turn))
    })
}

/// The value of a piece list, incrementally; see the header.
///
/// # Safety
/// As [`nnue_evaluate`]; `nnue_data` is null or points to three pointers, each null or to an [`NNUEdata`]
/// that is not accessed concurrently.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nnue_evaluate_incremental(
    player: c_int,
    pieces: *mut c_int,
    squares: *mut c_int,
    nnue_data: *mut *mut NNUEdata,
) -> c_int {
    guard(|| {
        let turn = color(player)?;
        // SAFETY: the caller's promise.
        let board = unsafe { pieces::board(pieces, squares) }?;
        // SAFETY: the caller's promise.
        loaded::with_network(|network| unsafe {
            incremental::evaluate(network, &board, turn, nnue_data)
        })
    })
}
