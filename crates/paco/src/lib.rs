#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! `docs/src/reference/paco.md` of the repository has the full rules.
//!
//! Entry points:
//!
//! * [`Position`] and [`Required`]: the state of the board and of the turn; [`Action`], [`Legal`],
//!   [`Position::play`]; [`Game`] adds the history. [`Setup`] is an unvalidated board;
//!   [`Rules::Compat`] replays the reference library's games.
//! * [`Position::from_fen`], [`Position::notation`], [`Position::to_matrix`]: notation.
//! * [`Position::sako`], [`Position::paco_sequences`], [`Position::paco_in`]: Ŝako search;
//!   [`Turns`]: whole turns, each final position once.
//! * [`Options`], [`Position::write_indices`], [`Position::write_tensor`], [`TensorBatch`]: network
//!   inputs.
//! * [`Player`], [`self_play`]: play and self-play.
//!
//! The crate has no I/O, threads, clock or `unsafe`; its tables are computed at compile time. [`chess`], whose types
//! are part of the interface, is re-exported.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod action;
pub mod bench;
#[cfg(feature = "std")]
mod bench_report;
mod castling;
mod chain;
mod eval;
mod fen;
mod game;
mod invariants;
mod legal;
mod letters;
mod match_game;
mod match_score;
mod matrix;
mod messages;
mod notation;
mod paco_in;
mod perft;
mod picture;
mod piece;
mod play;
mod player;
mod playout;
mod position;
mod representation;
mod sako;
mod sako_report;
mod selfplay;
mod setup;
mod shift;
mod states;
mod turns;
mod zobrist;

pub use action::{Action, ParseActionError};
pub use chain::{Answer, threats};
pub use chess;
pub use chess::rng::Rng;
pub use eval::{WIN, evaluate};
pub use fen::{FenError, FenReason};
pub use game::{DRAW_AFTER_REPETITIONS, Game, Outcome};
pub use legal::Legal;
pub use letters::{letter_of, pieces_of};
pub use match_game::{Strategy, play_turns};
pub use match_score::{Match, MatchOptions};
pub use matrix::MatrixError;
pub use notation::{NotationError, NotationReason};
pub use paco_in::PacoIn;
pub use perft::{perft, perft_played, turn_perft};
pub use picture::{board_picture, text_board};
pub use piece::PieceType;
pub use play::{IllegalAction, NO_PROGRESS_LIMIT};
pub use player::{Choice, Player, greedy_turn, random_turn};
pub use playout::random_playout;
pub use position::{Ending, Hand, Position, Required, Rules};
pub use representation::{
    MAX_INDICES, Options, PLACES, RepresentationError, TensorBatch, expand, expand_batch,
    write_indices_batch, write_tensors_batch,
};
pub use sako::{PacoSequences, SAKO_NODES};
pub use sako_report::SakoReport;
pub use selfplay::{Record, Row, SelfPlayEvent, self_play};
pub use setup::{Setup, SetupError};
pub use states::{ActionJsonError, GameJsonError, game_from_json, state_json};
pub use turns::{TURN_NODES, Turn, Turns};
