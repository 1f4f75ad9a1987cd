//! HalfKP, Stockfish's first NNUE architecture: (41024 → 256)×2 → 32 → 32 → 1, as nnue-probe reads it.
//!
//! The feature transformer has an accumulator of 256 int16 values for each perspective: the bias plus one
//! row of weights for each piece, chosen by king square, piece and square ([`features`]). Both accumulators,
//! the side to move's first, are clipped to 0..=127 and pass two hidden layers of 32 and the output, with
//! int8 weights. The instruction set is detected at run time; all give the same bits
//! ([`simd::halfkp`]).
//!
//! [`Network::from_bytes`] parses a file, [`Network::evaluate`] evaluates a position with refreshed
//! accumulators, and [`AccumulatorStack`] updates them during a search. Values are those of nnue-probe:
//! Stockfish's internal units (a pawn is a little above 200), from the side to move.
//!
//! Reference: <https://www.chessprogramming.org/Stockfish_NNUE#HalfKP>.

pub mod features;
mod file;

use std::fmt;

use chess::{Board, Color, Piece, PieceType, Position, Square};
use simd::halfkp::{self as kernel, Layers};
use simd::{AlignedVec, IntegerKernels, Kernels};

pub use file::{LoadError, VERSION};
pub use simd::InstructionSet;
pub use simd::halfkp::{Accumulator, HALF_DIMENSIONS};

use crate::accumulators::{self, Architecture};
use features::Features;

/// The accumulators of a search.
pub type AccumulatorStack = accumulators::AccumulatorStack<Network>;

/// The output of the last layer is the value times this.
const OUTPUT_SCALE: i32 = 16;

/// An accumulator of zeros.
const ZERO: Accumulator = simd::CacheAligned([0; HALF_DIMENSIONS]);

/// A HalfKP network: immutable, and shared between threads by reference or [`Arc`](std::sync::Arc).
///
/// ```no_run
/// use tabiya_nnue::chess::Position;
/// use tabiya_nnue::halfkp::Network;
/// let network = Network::from_bytes(&std::fs::read("nn-62ef826d1a6d.nnue")?)?;
/// println!("{}", network.evaluate(&Position::INITIAL));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Network {
    description: String,
    bias: Accumulator,
    /// A row for each feature.
    weights: AlignedVec<i16>,
    layers: Layers,
    kernels: Kernels,
}

impl Network {
    /// The description in the file.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The instruction set of its kernels.
    pub fn instruction_set(&self) -> InstructionSet {
        self.kernels.instruction_set()
    }

    /// Selects an instruction set, as [`Kernels::select`] does. Values do not depend on it.
    pub fn set_instruction_set(&mut self, set: InstructionSet) -> bool {
        self.kernels.select(set)
    }

    /// The value of a position from the side to move, with refreshed accumulators.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let kings = Color::ALL.map(|color| position.king(color));
        self.evaluate_pieces(position.board(), kings, position.turn())
    }

    /// The value of a board from the side to move. The position need not be legal, but each side must have
    /// exactly one king.
    pub fn evaluate_board(&self, board: &Board, turn: Color) -> Option<i32> {
        let [white, black] = Color::ALL.map(|color| king(board, color));
        Some(self.evaluate_pieces(board, [white?, black?], turn))
    }

    fn evaluate_pieces(&self, board: &Board, kings: [Square; 2], turn: Color) -> i32 {
        let mut accumulators = [ZERO; 2];
        for (features, accumulator) in features::active(board, kings).iter().zip(&mut accumulators)
        {
            self.accumulate(self.kernels, &self.bias, accumulator, features.as_slice(), &[]);
        }
        self.evaluate_accumulators(&accumulators, turn)
    }

    /// The refreshed accumulator of a perspective; none unless that color has exactly one king.
    pub fn refresh(&self, board: &Board, perspective: Color) -> Option<Accumulator> {
        let king = king(board, perspective)?;
        let mut features = Features::new(0);
        for (square, piece) in board.iter() {
            if let Some(feature) = features::feature(perspective, king, piece, square) {
                features.push(feature);
            }
        }
        Some(self.update(&self.bias, features.as_slice(), &[]))
    }

    /// An accumulator after a feature delta. Features that do not exist are skipped.
    pub fn update(&self, accumulator: &Accumulator, added: &[u16], removed: &[u16]) -> Accumulator {
        let mut updated = ZERO;
        self.accumulate(self.kernels, accumulator, &mut updated, added, removed);
        updated
    }

    /// The value from the side to move, from the accumulators of White and Black.
    pub fn evaluate_accumulators(&self, accumulators: &[Accumulator; 2], turn: Color) -> i32 {
        self.value(self.kernels, accumulators, turn)
    }

    #[inline(always)]
    fn value(&self, kernels: Kernels, accumulators: &[Accumulator; 2], turn: Color) -> i32 {
        let (own, other) = (&accumulators[turn.index()], &accumulators[(!turn).index()]);
        kernel::forward(kernels, &self.layers, own, other) / OUTPUT_SCALE
    }
}

impl Architecture for Network {
    type Accumulator = Accumulator;
    type Perspective = (Color, Square);
    const PERSPECTIVES: usize = 2 * 64;

    #[inline]
    fn kernels(&self) -> Kernels {
        self.kernels
    }

    #[inline(always)]
    fn perspective(&self, color: Color, king: Square) -> (Color, Square) {
        (color, king)
    }

    #[inline(always)]
    fn index((color, king): (Color, Square)) -> usize {
        64 * color.index() + king.index()
    }

    #[inline(always)]
    fn feature((color, king): (Color, Square), piece: Piece, square: Square) -> Option<u16> {
        features::feature(color, king, piece, square)
    }

    fn bias(&self) -> Accumulator {
        self.bias
    }

    #[inline(always)]
    fn accumulate(
        &self,
        kernels: impl IntegerKernels,
        src: &Accumulator,
        dst: &mut Accumulator,
        added: &[u16],
        removed: &[u16],
    ) {
        kernels.accumulate(&self.weights, &src.0, &mut dst.0, added, removed);
    }

    #[inline(always)]
    fn forward(
        &self,
        kernels: impl IntegerKernels,
        accumulators: &[Accumulator; 2],
        position: &Position,
    ) -> i32 {
        self.value(kernels.kernels(), accumulators, position.turn())
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("description", &self.description)
            .field("instruction_set", &self.instruction_set())
            .finish_non_exhaustive()
    }
}

/// The square of a color's king, if it has exactly one.
fn king(board: &Board, color: Color) -> Option<Square> {
    let kings = board.pieces(color, PieceType::King);
    kings.first().filter(|_| kings.len() == 1)
}
