//! A network of two towers: one looks at the mover's pieces, the other at the opponent's.
//!
//! ```text
//! mover's 384 ──▶ 512, clipped ─┐
//!                               + ──▶ 64, clipped ──┬──▶ 64, clipped ──▶ 64 ──+ clipped ──▶ 64, clipped ──▶ 1
//! opponent's 384 ▶ 512, clipped ┘                   └─────────────────────────┘
//! ```
//!
//! Inputs are the 768 features in the order of the mover ([`Features::for_mover`]). Each tower has
//! weights of its own; both outputs are clipped to 0…1 (clipped ReLU) and added. What follows is a
//! layer to 64, a residual block of two layers (clipped between, its input added before it is clipped
//! again), another layer, and the output: the evaluation from the view of the player to move, in
//! pawns. These are 439,617 parameters, biases included.
//!
//! Two towers, 512, 64, the residual block and the number of parameters are given; that the towers'
//! outputs are clipped before they are added, where the residual is added, and that the output is in
//! pawns is our reading.
//!
//! # How it is fast
//!
//! Of 768 inputs 32 are active at most, so the first layer is a sum of 32 rows of weights. The 512
//! are worked on in eight *slabs* of 64: the weights that lead to them and from them
//! ([`Slab`]) are 209 kB and stay in the cache while a block of positions passes. From there on
//! everything is a product with a matrix of 64 × 64 ([`multiply_add`]), whose sums stay in registers.
//! One position alone and a batch give the same bits.
//!
//! ```
//! use chess::Position;
//! use nnue::features::Features;
//! use nnue::towers::Towers;
//!
//! let model = Towers::random(1);
//! let start = Position::INITIAL;
//! let value = model.evaluate(&start); // in centipawns, the mover's view
//! let after_e4 = start.after(start.parse_uci("e2e4")?);
//! // A batch.
//! let positions = [start, after_e4].map(|position| Features::for_mover(&position));
//! let mut values = [0.0; 2];
//! model.evaluate_batch(&positions, &mut values);
//! assert_eq!(values[0], value);
//! # Ok::<(), chess::UciError>(())
//! ```
//!
//! [`Features::for_mover`]: crate::features::Features::for_mover

mod checkpoint;
mod forward;
mod lanes;
mod parameters;
mod row;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use forward::{BLOCK, DenseError};
pub use parameters::{
    HEAD_ROWS, Head, Layer, PARAMETERS, SCALE, SLAB_ROWS, SLABS, Slab, TOTAL_ROWS, Towers,
};
pub use row::{Row, multiply_add, transpose};
