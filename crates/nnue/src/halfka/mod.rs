//! HalfKAv2_hm, the architecture of Stockfish 15 to 17, as Stockfish 16 has it: (22528 → N)×2 → 16 → 32 → 1 with
//! PSQT and eight layer stacks.
//!
//! The feature transformer has, for each perspective, an accumulator of N int16 values (1536 in Stockfish 16)
//! and eight int32 sums of piece-square values (PSQT): the bias plus a row of weights for each piece, chosen
//! by king square, piece and square ([`features`]). The layers after it exist eight times, for 1–4, 5–8 …
//! 29–32 pieces, and so do the PSQT sums. The value is half the difference of both perspectives' PSQT sums plus
//! the output of the layers ([`simd::halfka`]), divided by 16.
//!
//! [`Network::from_bytes`] parses a file, [`Network::evaluate`] evaluates a position with refreshed
//! accumulators, and [`AccumulatorStack`] updates them during a search. Values are in Stockfish's internal
//! units, from the side to move; [`centipawns`] converts them.
//!
//! Reference: the documentation of nnue-pytorch, <https://github.com/official-stockfish/nnue-pytorch>.

pub mod features;
mod file;
mod leb128;

use std::fmt;

use chess::{Color, Piece, Position, Square};
use simd::halfka::{self as kernel, Layers};
use simd::{AlignedVec, IntegerKernels, Kernels};

pub use file::{LoadError, MAX_FILE_LEN, VERSION};
pub use leb128::Leb128Error;
pub use simd::InstructionSet;

use crate::accumulators::{self, Architecture, refreshed};
use features::Perspective;

/// The accumulators of a search.
pub type AccumulatorStack = accumulators::AccumulatorStack<Network>;

/// Layer stacks, and PSQT sums of a perspective, by the number of pieces.
pub const BUCKETS: usize = 8;
/// Outputs are values times this.
const OUTPUT_SCALE: i32 = 16;
/// A pawn in Stockfish 16's internal units: an advantage that wins every second game.
const PAWN: i64 = 328;

/// A HalfKAv2_hm network: immutable, and shared between threads by reference or [`Arc`](std::sync::Arc).
///
/// ```no_run
/// use tabiya_nnue::chess::Position;
/// use tabiya_nnue::halfka::{Network, centipawns};
/// let network = Network::from_bytes(&std::fs::read("nn-5af11540bbfe.nnue")?)?;
/// println!("{}", centipawns(network.evaluate(&Position::INITIAL)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Network {
    description: String,
    bias: AlignedVec<i16>,
    /// A row for each feature.
    weights: AlignedVec<i16>,
    /// A row for each feature.
    psqt_weights: Vec<[i32; BUCKETS]>,
    stacks: [Layers; BUCKETS],
    kernels: Kernels,
}

/// The sums of the feature transformer for one perspective.
#[derive(Debug)]
pub struct Accumulator {
    sums: AlignedVec<i16>,
    psqt: [i32; BUCKETS],
}

/// The two parts of a value, in Stockfish's internal units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// Piece-square values.
    pub psqt: i32,
    /// The output of the layers.
    pub positional: i32,
}

/// Converts a value to centipawns as Stockfish 16 prints them: to the nearest, a half to the even one.
///
/// ```
/// use tabiya_nnue::halfka::centipawns;
/// assert_eq!([328, 41, 123, -41].map(centipawns), [100, 12, 38, -12]);
/// ```
#[inline]
pub fn centipawns(value: i32) -> i32 {
    let hundredfold = 100 * i64::from(value);
    let (whole, rest) = (hundredfold.div_euclid(PAWN), hundredfold.rem_euclid(PAWN));
    let up = 2 * rest > PAWN || 2 * rest == PAWN && whole & 1 == 1;
    (whole + i64::from(up)) as i32
}

/// The layer stack for a number of pieces.
#[inline(always)]
fn bucket(pieces: usize) -> usize {
    pieces.saturating_sub(1) / 4 % BUCKETS
}

impl Network {
    /// The description in the file.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The number of values of an accumulator.
    pub fn width(&self) -> usize {
        self.bias.len()
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
        self.forward(self.kernels, &refreshed(self, position), position)
    }

    /// Both parts of the value from the side to move, by every layer stack; that for the number of pieces counts.
    pub fn outputs(&self, position: &Position) -> [Output; BUCKETS] {
        let accumulators = refreshed(self, position);
        std::array::from_fn(|bucket| {
            let (psqt, positional) =
                self.parts(self.kernels, &accumulators, position.turn(), bucket);
            Output { psqt: psqt / OUTPUT_SCALE, positional: positional / OUTPUT_SCALE }
        })
    }

    /// PSQT and output of a layer stack, times [`OUTPUT_SCALE`].
    #[inline(always)]
    fn parts(
        &self,
        kernels: Kernels,
        accumulators: &[Accumulator; 2],
        turn: Color,
        bucket: usize,
    ) -> (i32, i32) {
        let (own, other) = (&accumulators[turn.index()], &accumulators[(!turn).index()]);
        let psqt = own.psqt[bucket].wrapping_sub(other.psqt[bucket]) / 2;
        let layers = &self.stacks[bucket];
        (psqt, kernel::forward(kernels, layers, &own.sums, &other.sums))
    }
}

impl Architecture for Network {
    type Accumulator = Accumulator;
    type Perspective = Perspective;
    const PERSPECTIVES: usize = Perspective::COUNT;

    #[inline]
    fn kernels(&self) -> Kernels {
        self.kernels
    }

    #[inline(always)]
    fn perspective(&self, color: Color, king: Square) -> Perspective {
        Perspective::new(color, king)
    }

    #[inline(always)]
    fn index(perspective: Perspective) -> usize {
        perspective.index()
    }

    #[inline(always)]
    fn feature(perspective: Perspective, piece: Piece, square: Square) -> Option<u16> {
        Some(perspective.feature(piece, square))
    }

    fn bias(&self) -> Accumulator {
        Accumulator { sums: self.bias.clone(), psqt: [0; BUCKETS] }
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
        kernels.accumulate(&self.weights, &src.sums, &mut dst.sums, added, removed);
        let mut psqt = src.psqt;
        for row in added.iter().filter_map(|&row| self.psqt_weights.get(usize::from(row))) {
            psqt.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
        }
        for row in removed.iter().filter_map(|&row| self.psqt_weights.get(usize::from(row))) {
            psqt.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_sub(*weight));
        }
        dst.psqt = psqt;
    }

    #[inline(always)]
    fn forward(
        &self,
        kernels: impl IntegerKernels,
        accumulators: &[Accumulator; 2],
        position: &Position,
    ) -> i32 {
        let bucket = bucket(position.occupied().len());
        let (psqt, positional) =
            self.parts(kernels.kernels(), accumulators, position.turn(), bucket);
        psqt.wrapping_add(positional) / OUTPUT_SCALE
    }
}

impl Clone for Accumulator {
    fn clone(&self) -> Self {
        Self { sums: self.sums.clone(), psqt: self.psqt }
    }

    /// Reuses the allocation.
    fn clone_from(&mut self, source: &Self) {
        self.sums.clone_from(&source.sums);
        self.psqt = source.psqt;
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("description", &self.description)
            .field("width", &self.width())
            .field("instruction_set", &self.instruction_set())
            .finish_non_exhaustive()
    }
}
