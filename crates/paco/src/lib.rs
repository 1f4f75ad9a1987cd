//! Paco Ŝako.

mod action;
mod castling;
mod chain;
mod eval;
mod fen;
mod game;
mod invariants;
mod legal;
mod letters;
mod matrix;
mod notation;
mod paco_in;
mod perft;
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
mod turns;
mod zobrist;

pub use action::{Action, ParseActionError};
pub use chain::{Answer, threats};
pub use eval::{WIN, evaluate};
pub use fen::{FenError, FenReason};
pub use game::{DRAW_AFTER_REPETITIONS, Game, Outcome};
pub use legal::Legal;
pub use letters::{letter_of, pieces_of};
pub use matrix::MatrixError;
pub use notation::{NotationError, NotationReason};
pub use paco_in::PacoIn;
pub use perft::{perft, perft_played, turn_perft};
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
pub use turns::{TURN_NODES, Turn, Turns};
