//! The two-tower MLP: one tower reads the side to move's pieces, the other the opponent's.
//!
//! ```text
//! own 384 ──────▶ 512, clipped ─┐
//!                               + ──▶ 64, clipped ──┬──▶ 64, clipped ──▶ 64 ──+ clipped ──▶ 64, clipped ──▶ 1
//! opponent's 384 ▶ 512, clipped ┘                   └─────────────────────────┘
//! ```
//!
//! Inputs are the 768 features from the side to move ([`Features::for_mover`]). Each tower has its own
//! weights; both outputs pass a clipped ReLU (0 to 1) and are added. A layer to 64 follows, a residual block
//! of two layers (clipped between; its input is added before the final clip), another layer, and the
//! output: the evaluation from the side to move, in pawns. Biases included, it has 439,617 parameters.
//!
//! Two towers, 512, 64, the residual block and the number of parameters are given; that the towers' outputs
//! are clipped before they are added, where the residual is added, and that the output is in pawns is our
//! interpretation.
//!
//! # Performance
//!
//! At most 32 of the 768 inputs are active, so the first layer is a sum of 32 rows of weights. The 512-wide
//! layer is processed in eight *slabs* of 64: the weights into and out of a [`Slab`] are 209 kB and stay in
//! the cache for a block of positions. The rest is products with 64×64 matrices, whose sums stay in
//! registers ([`simd::row64`]). Single positions and batches give the same bits.
//!
//! ```
//! use tabiya_nnue::chess::Position;
//! use tabiya_nnue::features::Features;
//! use tabiya_nnue::towers::Towers;
//!
//! let model = Towers::random(1);
//! let start = Position::INITIAL;
//! let value = model.evaluate(&start); // in centipawns, from the side to move
//! let after_e4 = start.after(start.parse_uci("e2e4")?);
//! // A batch.
//! let positions = [start, after_e4].map(|position| Features::for_mover(&position));
//! let mut values = [0.0; 2];
//! model.evaluate_batch(&positions, &mut values);
//! assert_eq!(values[0], value);
//! # Ok::<(), tabiya_nnue::chess::UciError>(())
//! ```
//!
//! [`Features::for_mover`]: crate::features::Features::for_mover

mod checkpoint;
mod forward;
mod parameters;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use forward::{BLOCK, DenseError};
pub use parameters::{
    HEAD_ROWS, Head, Layer, PARAMETERS, SCALE, SLAB_ROWS, SLABS, Slab, TOTAL_ROWS, Towers,
};
