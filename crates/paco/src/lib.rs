//! Paco Ŝako: the game of peace, on chess's board with chess's pieces.
//!
//! Nothing is ever captured. A piece that arrives on an enemy piece forms a **union** with it; a
//! piece that arrives on a union takes the place of its own color's piece there, which goes on: a
//! **chain**. Who unites with the enemy king has won. The rules in full are in `docs/PACO.md`.
//!
//! ```
//! use paco::{Game, Outcome};
//! let mut game = Game::default();
//! for turn in ["e2>e4", "d7>d5", "Bf1>b5", "d5xe4", "Bb5xe8"] {
//!     for action in game.position().parse_turn(turn)? {
//!         game.play(action)?;
//!     }
//! }
//! assert_eq!(game.outcome(), Some(Outcome::PacoVictory(chess::Color::White)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to begin reading:
//!
//! * [`Position`] and [`Required`]: the state of the board and of the turn; [`Action`], [`Legal`],
//!   [`Position::play`]; [`Game`] adds what has been before. [`Setup`] is a board that may be
//!   nonsense; [`Rules::Compat`] replays the reference library's games.
//! * [`Position::from_fen`], [`Position::notation`], [`Position::to_matrix`]: texts.
//! * [`Position::sako`], [`Position::paco_sequences`], [`Position::paco_in`]: can the king be
//!   reached, and how; [`Turns`]: whole turns, each end once.
//! * [`Options`], [`Position::write_indices`], [`Position::write_tensor`], [`TensorBatch`]: numbers
//!   for a network.
//! * [`Player`], [`self_play`]: play, and games to learn from.
//!
//! The crate does no I/O, starts no thread, reads no clock, and contains no `unsafe`; its tables are
//! made at compile time.

#![forbid(unsafe_code)]

mod action;
pub mod bench;
mod castling;
mod chain;
mod eval;
mod fen;
mod game;
mod invariants;
mod legal;
mod letters;
mod match_game;
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
mod rng;
mod sako;
mod selfplay;
mod setup;
mod shift;
mod states;
mod turns;
mod zobrist;

pub use action::{Action, ParseActionError};
pub use chain::{Answer, threats};
pub use eval::{WIN, evaluate};
pub use fen::{FenError, FenReason};
pub use game::{DRAW_AFTER_REPETITIONS, Game, Outcome};
pub use legal::Legal;
pub use letters::{letter_of, pieces_of};
pub use match_game::{Strategy, play_turns};
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
pub use rng::Rng;
pub use sako::{PacoSequences, SAKO_NODES};
pub use selfplay::{Ask, Record, Row, self_play};
pub use setup::{Setup, SetupError};
pub use states::{ActionJsonError, GameJsonError, game_from_json, state_json};
pub use turns::{TURN_NODES, Turn, Turns};
