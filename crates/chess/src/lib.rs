#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! A [`Setup`] is an unvalidated position; a [`Position`] is always legal and 64 bytes; a [`Game`] is a
//! position with its history. The crate is pure computation: no threads, clock or init call, no I/O but the
//! reader that is passed to [`pgn::Games`], and no panic on any input.
//!
//! Entry points: [`Position::legal_moves`] and [`Position::play`], or [`Position::after`] for moves known to
//! be legal; [`Position::visit_moves`] and [`Position::for_each_child`] when speed matters;
//! [`Setup::position`] for validation; [`pgn`] for games; [`svg`] and [`picture`] for diagrams.

#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

pub mod attacks;
mod bitboard;
mod board;
mod check;
pub mod chess960;
mod color;
mod epd;
mod fen;
mod game;
mod game_text;
mod lenient;
mod make;
mod movegen;
mod moves;
mod packed;
pub mod perft;
pub mod perft_suite;
pub mod pgn;
pub mod picture;
mod piece;
mod position;
pub mod random;
pub mod rng;
mod san;
mod score;
pub mod see;
#[cfg(feature = "serde")]
mod serialize;
mod setup;
mod side;
pub mod sliders;
mod spoken;
mod square;
pub mod svg;
mod uci;
mod validate;
pub mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use board::Board;
pub use color::{Color, ParseColorError};
pub use epd::{Epd, EpdError, Operation};
pub use fen::{FenError, FenField, FenProblem, FenStyle, FenWriter};
pub use game::{DrawReason, Game, IllegalMove, Outcome};
pub use game_text::ParseGameError;
pub use make::Observer;
pub use movegen::{Flow, MoveFilter, MoveVisitor, PawnStep};
pub use moves::{MAX_MOVES, Move, MoveKind, MoveList};
pub use packed::{PackedError, PackedRow, Unpacked};
pub use piece::{Piece, PieceType};
pub use position::Position;
pub use san::{Illegality, San, SanError, SanText};
pub use score::Score;
pub use setup::{Setup, SetupError};
pub use square::{File, ParseSquareError, Rank, Square, SquareIndexError};
pub use uci::{CastlingStyle, UciError};
pub use validate::SetupProblems;
