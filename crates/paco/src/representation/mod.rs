//! Positions as numbers for a network: the compact index form and the tensor it stands for.
//!
//! The **tensor form** is `[L, 8, 8]` floats, flat at `layer * 64 + rank * 8 + file`:
//!
//! | layers | what |
//! |---|---|
//! | 0–5, 6–11 | settled pieces of the bottom and the top player: pawn, rook, knight, bishop, queen, king |
//! | 12–17, 18–23 | the same for lifted pieces |
//! | 24 | the en-passant square |
//! | 25–28 | castling: bottom queen side, bottom king side, top queen side, top king side |
//! | then | active player (without perspective), must lift, must promote, where enabled |
//! | last | the no-progress counter divided by 100 |
//!
//! Nearly all of it is zero, and all 32 pieces are always there, so that the **index form** is
//! equivalent, in `L + 8` numbers: 33 indices of ones (32 pieces, and the en-passant square or a repeat
//! of the first piece), then one number for each of the remaining layers.
//!
//! *Bottom* is White, or with [`USE_PERSPECTIVE`](Options::USE_PERSPECTIVE) the player to move; the
//! board is then mirrored by rank (not rotated) for Black. The *order* of the pieces in the index
//! form is absolute in both cases: settled white pieces from a1 to h8, settled black pieces from a1
//! to h8, the mover's lifted piece, its partner.
//!
//! | options | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
//! |---|---|---|---|---|---|---|---|---|
//! | layers | 31 | 30 | 32 | 31 | 32 | 31 | 33 | 32 |
//! | indices | 39 | 38 | 40 | 39 | 40 | 39 | 41 | 40 |
//!
//! ```
//! use tabiya_paco::{Options, Position};
//! let options = Options::USE_PERSPECTIVE;
//! let indices = Position::default().indices(options)?;
//! assert_eq!(indices, [
//!     64, 129, 194, 259, 324, 197, 134,  71,   8,   9,  10,
//!     11,  12,  13,  14,  15, 432, 433, 434, 435, 436, 437,
//!    438, 439, 504, 569, 634, 699, 764, 637, 574, 511,  64,
//!     1, 1, 1, 1, // castling
//!     0,          // no-progress counter
//! ]);
//! # Ok::<(), tabiya_paco::RepresentationError>(())
//! ```
//!
//! ```
//! use tabiya_paco::{Options, Position};
//! let options = Options::WITH_MUST_LIFT | Options::WITH_MUST_PROMOTE;
//! let indices = Position::default().indices(options)?;
//! assert_eq!(indices, [
//!     64, 129, 194, 259, 324, 197, 134,  71,   8,   9,  10,
//!     11,  12,  13,  14,  15, 432, 433, 434, 435, 436, 437,
//!    438, 439, 504, 569, 634, 699, 764, 637, 574, 511,  64,
//!     1, 1, 1, 1, // castling
//!     0,          // active player
//!     1,          // must lift
//!     0,          // must promote
//!     0,          // no-progress counter
//! ]);
//! # Ok::<(), tabiya_paco::RepresentationError>(())
//! ```

mod buffer;
mod index;
mod tensor;

use chess::Square;

use crate::{Hand, PieceType};
pub use buffer::TensorBatch;
pub use index::write_indices_batch;
pub use tensor::{expand, expand_batch, write_tensors_batch};

bitflags::bitflags! {
    /// What a representation contains.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Options: u8 {
        /// The player to move is at the bottom, and there is no layer for the active player.
        const USE_PERSPECTIVE = 1;
        /// A layer that is one when a piece must be lifted, at once or after a promotion.
        const WITH_MUST_LIFT = 2;
        /// A layer that is one when a pawn must be promoted.
        const WITH_MUST_PROMOTE = 4;
    }
}

/// How many of the first indices are places of ones: 32 pieces and the en-passant square.
pub const PLACES: usize = 33;

/// Stands in for the hand that is not there, where a branch would cost more than what it writes.
pub(crate) const EMPTY_HAND: Hand =
    Hand { square: Square::A1, piece: PieceType::Pawn, partner: None };

/// The first layer of lifted pieces: those of settled pieces come before.
pub(crate) const LIFTED_LAYER: usize = 12;

/// The layer of the en-passant square, the last one that places point into.
pub(crate) const EN_PASSANT_LAYER: usize = 24;

/// The maximum number of indices with any options.
pub const MAX_INDICES: usize = 41;

/// The counter that counts as one in the tensor form.
pub(crate) const COUNTER_SCALE: f32 = 100.0;

impl Options {
    /// All eight option sets, by their number.
    pub fn all_sets() -> impl Iterator<Item = Self> {
        (0..8).map(Self::from_bits_retain)
    }

    /// The options of a number 0 to 7.
    ///
    /// ```
    /// use tabiya_paco::{Options, RepresentationError};
    /// assert_eq!(Options::from_number(1), Ok(Options::USE_PERSPECTIVE));
    /// assert_eq!(Options::from_number(8), Err(RepresentationError::UnknownOptions(8)));
    /// ```
    pub fn from_number(number: u32) -> Result<Self, RepresentationError> {
        u8::try_from(number)
            .ok()
            .and_then(Self::from_bits)
            .ok_or(RepresentationError::UnknownOptions(number))
    }

    /// How many layers the tensor form has.
    ///
    /// ```
    /// use tabiya_paco::Options;
    /// let layers: Vec<usize> = Options::all_sets().map(Options::layers).collect();
    /// assert_eq!(layers, [31, 30, 32, 31, 32, 31, 33, 32]);
    /// ```
    pub fn layers(self) -> usize {
        31 - usize::from(self.contains(Self::USE_PERSPECTIVE))
            + usize::from(self.contains(Self::WITH_MUST_LIFT))
            + usize::from(self.contains(Self::WITH_MUST_PROMOTE))
    }

    /// How many numbers the index form has.
    ///
    /// ```
    /// use tabiya_paco::Options;
    /// let indices: Vec<usize> = Options::all_sets().map(Options::index_len).collect();
    /// assert_eq!(indices, [39, 38, 40, 39, 40, 39, 41, 40]);
    /// ```
    pub fn index_len(self) -> usize {
        self.layers() + 8
    }

    /// How many floats the tensor form has.
    pub fn tensor_len(self) -> usize {
        self.layers() * 64
    }
}

/// Why there is no representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RepresentationError {
    /// The representation has places for exactly 32 pieces.
    #[error("the representation is for 32 pieces, the position has {0}")]
    PieceCount(usize),
    /// There are options 0 to 7.
    #[error("representation options are 0 to 7, not {0}")]
    UnknownOptions(u32),
    /// The buffer does not have the length required by the options (and the number of positions).
    #[error("the buffer holds {found} numbers, {expected} are needed")]
    BufferLength {
        /// The length that is needed.
        expected: usize,
        /// The length of the buffer.
        found: usize,
    },
    /// An index points outside the layers of ones.
    #[error("index {value} at place {place} points outside the first 25 layers")]
    IndexOutOfRange {
        /// Where it stands in the index form.
        place: usize,
        /// The index.
        value: u32,
    },
}

/// Whether the buffer has the length that is needed.
pub(crate) fn check_len(found: usize, expected: usize) -> Result<(), RepresentationError> {
    if found == expected {
        Ok(())
    } else {
        Err(RepresentationError::BufferLength { expected, found })
    }
}
