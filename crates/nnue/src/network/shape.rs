//! The size of a network, and the feature of a piece on a square.

use std::fmt;

use chess::{Color, Piece, Square};

use super::dense;

/// Features of one king bucket: two colors, six piece types, 64 squares.
pub const INPUTS_PER_BUCKET: usize = 768;
/// The hidden layer is a multiple of this, before a [linear head](Head::Linear): a whole number of the widest
/// registers.
pub const HIDDEN_STEP: usize = simd::quantized::STEP;
/// The largest hidden layer.
pub const MAX_HIDDEN: usize = 2048;
/// The largest number of king buckets, and of output buckets.
pub const MAX_BUCKETS: usize = 16;

/// The size of a network and the meaning of its features.
///
/// The features of a perspective are a color's own pieces and the opponent's; Black's perspective flips
/// the ranks. If the shape is `mirrored`, files are flipped as well where the king is on files e–h, so that
/// it is always on a–d. `king_buckets` maps each king square, after flipping, to one of several sets of
/// feature weights.
///
/// ```
/// use tabiya_nnue::chess::{Color, Piece, Square};
/// use tabiya_nnue::Shape;
/// let shape = Shape::plain(256);
/// let knight = Piece::from_letter('n').unwrap();
/// // A black knight on b8: the opponent's for White; for Black an own knight, flipped to b1.
/// assert_eq!(shape.feature(Color::White, Square::E1, knight, Square::B8), 384 + 64 + 57);
/// assert_eq!(shape.feature(Color::Black, Square::E8, knight, Square::B8), 64 + 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Size of the hidden layer, per perspective.
    pub hidden: usize,
    /// Horizontal mirroring: whether files are flipped so that the king is on a–d.
    pub mirrored: bool,
    /// The king bucket of each square, a1 first.
    pub king_buckets: [u8; 64],
    /// How many output buckets there are; the number of pieces selects one.
    pub output_buckets: usize,
    /// The layers after the accumulators.
    pub head: Head,
}

/// The layers after the accumulators, once for each output bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Head {
    /// SCReLU and one output layer, 2·*N* → 1.
    #[default]
    Linear,
    /// Pairwise multiplication and dense layers, *N* → 16 → 32 → 1.
    Dense,
}

/// Why a shape is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The hidden layer is too small, too large, or no multiple of the head's step.
    #[error("a hidden layer of {0}: not a multiple of {1} from {1} to {MAX_HIDDEN}")]
    Hidden(usize, usize),
    /// Too many king buckets.
    #[error("the king on {0} is in bucket {1}: there are at most {MAX_BUCKETS}")]
    KingBucket(Square, u8),
    /// Too few or too many output buckets.
    #[error("{0} output buckets: not 1 to {MAX_BUCKETS}")]
    OutputBuckets(usize),
}

impl Shape {
    /// The simplest shape: no buckets, no mirroring.
    pub const fn plain(hidden: usize) -> Self {
        Self {
            hidden,
            mirrored: false,
            king_buckets: [0; 64],
            output_buckets: 1,
            head: Head::Linear,
        }
    }

    /// Whether the shape is valid.
    pub fn check(&self) -> Result<(), ShapeError> {
        let step = match self.head {
            Head::Linear => HIDDEN_STEP,
            Head::Dense => dense::STEP,
        };
        if !self.hidden.is_multiple_of(step) || !(step..=MAX_HIDDEN).contains(&self.hidden) {
            return Err(ShapeError::Hidden(self.hidden, step));
        }
        for (square, &bucket) in Square::all().zip(&self.king_buckets) {
            if usize::from(bucket) >= MAX_BUCKETS {
                return Err(ShapeError::KingBucket(square, bucket));
            }
        }
        if !(1..=MAX_BUCKETS).contains(&self.output_buckets) {
            return Err(ShapeError::OutputBuckets(self.output_buckets));
        }
        Ok(())
    }

    /// How many king buckets there are.
    pub fn king_bucket_count(&self) -> usize {
        self.king_buckets.iter().max().map_or(1, |&bucket| usize::from(bucket) + 1)
    }

    /// How many features each perspective has.
    pub fn inputs(&self) -> usize {
        self.king_bucket_count() * INPUTS_PER_BUCKET
    }

    /// The output bucket for a number of pieces on the board: few pieces first.
    ///
    /// ```
    /// let shape = tabiya_nnue::Shape { output_buckets: 8, ..tabiya_nnue::Shape::plain(256) };
    /// assert_eq!((shape.output_bucket(2), shape.output_bucket(32)), (0, 7));
    /// ```
    #[inline(always)]
    pub fn output_bucket(&self, pieces: usize) -> usize {
        (pieces.saturating_sub(2) * self.output_buckets / 31).min(self.output_buckets - 1)
    }

    /// The perspective of a color whose king is on this square.
    #[inline(always)]
    pub fn perspective(&self, color: Color, king: Square) -> Perspective {
        let mut flip = if color == Color::Black { 56 } else { 0 };
        if self.mirrored && king.index() & 4 != 0 {
            flip ^= 7;
        }
        let king_bucket = self.king_buckets[(king.index() ^ flip) & 63];
        Perspective { color, flip: flip as u8, king_bucket }
    }

    /// The feature of a piece on a square, for a color whose king is on `king`.
    #[inline]
    pub fn feature(&self, color: Color, king: Square, piece: Piece, square: Square) -> usize {
        self.perspective(color, king).feature(piece, square)
    }
}

/// As in `(768×4 mirrored → 512)×2 → 1×8`.
///
/// ```
/// assert_eq!(tabiya_nnue::Shape::plain(256).to_string(), "(768 → 256)×2 → 1");
/// ```
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = |n: usize| if n == 1 { String::new() } else { format!("×{n}") };
        let mirrored = if self.mirrored { " mirrored" } else { "" };
        let (kings, outputs) = (times(self.king_bucket_count()), times(self.output_buckets));
        let dense = match self.head {
            Head::Linear => "",
            Head::Dense => " → 16 → 32",
        };
        write!(f, "({INPUTS_PER_BUCKET}{kings}{mirrored} → {})×2{dense} → 1{outputs}", self.hidden)
    }
}

/// A color's perspective: flips of the board and a king bucket. While it stays the same, a move changes
/// only the features of the pieces that move; when it changes, the accumulator needs a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perspective {
    color: Color,
    /// XOR of square indices.
    flip: u8,
    king_bucket: u8,
}

impl Perspective {
    /// The feature of a piece on a square.
    #[inline(always)]
    pub fn feature(self, piece: Piece, square: Square) -> usize {
        usize::from(self.placed(Self::plain_feature(self.color, piece, square)))
    }

    /// The feature of a piece for a color without flips and king buckets: 0 to 767.
    #[inline(always)]
    pub fn plain_feature(color: Color, piece: Piece, square: Square) -> u16 {
        let side = if piece.color() == color { 0 } else { 384 };
        (side + 64 * piece.piece_type().index() + square.index()) as u16
    }

    /// The feature in this perspective of a [plain one](Self::plain_feature) of its color. The lowest six bits
    /// are the square, which is why the flip is an exclusive or.
    #[inline(always)]
    pub fn placed(self, plain: u16) -> u16 {
        u16::from(self.king_bucket) * INPUTS_PER_BUCKET as u16 + (plain ^ u16::from(self.flip))
    }

    /// A unique index below [`Perspective::COUNT`].
    #[inline(always)]
    pub fn index(self) -> usize {
        let mirrored = usize::from(self.flip & 7 != 0);
        (self.color.index() * 2 + mirrored) * MAX_BUCKETS + usize::from(self.king_bucket)
    }

    /// How many perspectives there can be.
    pub const COUNT: usize = 4 * MAX_BUCKETS;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn bucketed() -> Shape {
        let mut king_buckets = [0; 64];
        for (square, bucket) in king_buckets.iter_mut().enumerate() {
            *bucket = (square / 16) as u8;
        }
        Shape { hidden: 64, mirrored: true, king_buckets, output_buckets: 4, head: Head::Linear }
    }

    #[test]
    fn features_of_a_perspective_are_distinct_and_in_their_bucket() {
        let shape = bucketed();
        for color in Color::ALL {
            for king in Square::all() {
                let perspective = shape.perspective(color, king);
                let features: HashSet<usize> = Piece::ALL
                    .iter()
                    .flat_map(|&piece| Square::all().map(move |square| (piece, square)))
                    .map(|(piece, square)| perspective.feature(piece, square))
                    .collect();
                assert_eq!(features.len(), INPUTS_PER_BUCKET);
                let first = usize::from(perspective.king_bucket) * INPUTS_PER_BUCKET;
                assert!(features.iter().all(|f| (first..first + INPUTS_PER_BUCKET).contains(f)));
                assert!(first + INPUTS_PER_BUCKET <= shape.inputs());
            }
        }
    }

    #[test]
    fn a_flipped_position_has_the_same_features_for_the_other_color() {
        let shape = bucketed();
        for king in Square::all() {
            for square in Square::all() {
                for piece in Piece::ALL {
                    let other = Piece::new(!piece.color(), piece.piece_type());
                    assert_eq!(
                        shape.feature(Color::White, king, piece, square),
                        shape.feature(Color::Black, king.flip_rank(), other, square.flip_rank()),
                    );
                    let mirrored = |square: Square| Square::from_index_wrapping(square.index() ^ 7);
                    assert_eq!(
                        shape.feature(Color::White, king, piece, square),
                        shape.feature(Color::White, mirrored(king), piece, mirrored(square)),
                    );
                }
            }
        }
    }

    #[test]
    fn output_buckets_increase_with_the_pieces_and_are_all_used() {
        for output_buckets in 1..=MAX_BUCKETS {
            let shape = Shape { output_buckets, ..Shape::plain(32) };
            let used: Vec<usize> = (2..=32).map(|pieces| shape.output_bucket(pieces)).collect();
            assert!(used.is_sorted());
            assert_eq!(used.iter().collect::<HashSet<_>>().len(), output_buckets);
        }
    }

    #[test]
    fn an_invalid_shape_is_rejected_with_the_reason() {
        assert_eq!(Shape::plain(0).check(), Err(ShapeError::Hidden(0, 32)));
        assert_eq!(Shape::plain(48).check(), Err(ShapeError::Hidden(48, 32)));
        assert_eq!(Shape::plain(4096).check(), Err(ShapeError::Hidden(4096, 32)));
        let dense = Shape { head: Head::Dense, ..Shape::plain(192) };
        assert_eq!(dense.check(), Err(ShapeError::Hidden(192, 128)));
        let shape = Shape { output_buckets: 17, ..Shape::plain(32) };
        assert_eq!(shape.check(), Err(ShapeError::OutputBuckets(17)));
        let mut shape = Shape::plain(32);
        shape.king_buckets[28] = 16;
        assert_eq!(shape.check(), Err(ShapeError::KingBucket(Square::E4, 16)));
        assert_eq!(bucketed().check(), Ok(()));
    }
}
