//! How large a network is, and which input a piece on a square is.

use std::fmt;

use chess::{Color, Piece, Square};

/// Inputs for one place of the king: two colors, six types, 64 squares.
pub const INPUTS_PER_BUCKET: usize = 768;
/// The hidden layer is a multiple of this: a whole number of the widest registers.
pub const HIDDEN_STEP: usize = 32;
/// The largest hidden layer.
pub const MAX_HIDDEN: usize = 2048;
/// The largest number of king buckets, and of output buckets.
pub const MAX_BUCKETS: usize = 16;

/// The size of a network and the meaning of its inputs.
///
/// Each player sees the board from his own side: the inputs of a perspective are his pieces and the
/// opponent's, with ranks counted from his own. If the shape is `mirrored`, files are turned as well
/// where his king stands on files e–h, so that it is always seen on a–d. `king_buckets` gives each
/// square of the king, seen so, one of several sets of feature weights.
///
/// ```
/// use chess::{Color, Piece, Square};
/// use nnue::Shape;
/// let shape = Shape::plain(256);
/// let knight = Piece::from_letter('n').unwrap();
/// // A black knight on b8: for White the opponent's, for Black his own on "b1".
/// assert_eq!(shape.feature(Color::White, Square::E1, knight, Square::B8), 384 + 64 + 57);
/// assert_eq!(shape.feature(Color::Black, Square::E8, knight, Square::B8), 64 + 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Neurons for each perspective.
    pub hidden: usize,
    /// Whether files are turned so that the king is on a–d.
    pub mirrored: bool,
    /// The bucket of each square of the king, a1 first.
    pub king_buckets: [u8; 64],
    /// How many output layers there are, chosen by the number of pieces.
    pub output_buckets: usize,
}

/// A shape that no network can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The hidden layer is too small, too large or not a whole number of registers.
    #[error(
        "a hidden layer of {0}: not a multiple of {HIDDEN_STEP} from {HIDDEN_STEP} to {MAX_HIDDEN}"
    )]
    Hidden(usize),
    /// Too many king buckets.
    #[error("the king on {0} is in bucket {1}: there are at most {MAX_BUCKETS}")]
    KingBucket(Square, u8),
    /// Too few or too many output buckets.
    #[error("{0} output buckets: not 1 to {MAX_BUCKETS}")]
    OutputBuckets(usize),
}

impl Shape {
    /// The simplest: no buckets, no mirroring.
    pub const fn plain(hidden: usize) -> Self {
        Self { hidden, mirrored: false, king_buckets: [0; 64], output_buckets: 1 }
    }

    /// Whether a network can have this shape.
    pub fn check(&self) -> Result<(), ShapeError> {
        let whole = self.hidden.is_multiple_of(HIDDEN_STEP);
        if !whole || !(HIDDEN_STEP..=MAX_HIDDEN).contains(&self.hidden) {
            return Err(ShapeError::Hidden(self.hidden));
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

    /// How many sets of feature weights there are.
    pub fn king_bucket_count(&self) -> usize {
        self.king_buckets.iter().max().map_or(1, |&bucket| usize::from(bucket) + 1)
    }

    /// How many inputs each perspective has.
    pub fn inputs(&self) -> usize {
        self.king_bucket_count() * INPUTS_PER_BUCKET
    }

    /// The output layer for so many pieces on the board: few pieces first.
    ///
    /// ```
    /// let shape = nnue::Shape { output_buckets: 8, ..nnue::Shape::plain(256) };
    /// assert_eq!((shape.output_bucket(2), shape.output_bucket(32)), (0, 7));
    /// ```
    #[inline(always)]
    pub fn output_bucket(&self, pieces: usize) -> usize {
        (pieces.saturating_sub(2) * self.output_buckets / 31).min(self.output_buckets - 1)
    }

    /// How a player sees the board while his king stands on this square.
    #[inline(always)]
    pub fn view(&self, perspective: Color, king: Square) -> View {
        let mut flip = if perspective == Color::Black { 56 } else { 0 };
        if self.mirrored && king.index() & 4 != 0 {
            flip ^= 7;
        }
        let bucket = self.king_buckets[(king.index() ^ flip) & 63];
        View { perspective, flip: flip as u8, bucket }
    }

    /// The input that a piece on a square is for a player whose king stands on `king`.
    #[inline]
    pub fn feature(&self, perspective: Color, king: Square, piece: Piece, square: Square) -> usize {
        self.view(perspective, king).feature(piece, square)
    }
}

/// As in `(768×4 mirrored → 512)×2 → 1×8`.
///
/// ```
/// assert_eq!(nnue::Shape::plain(256).to_string(), "(768 → 256)×2 → 1");
/// ```
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = |n: usize| if n == 1 { String::new() } else { format!("×{n}") };
        let mirrored = if self.mirrored { " mirrored" } else { "" };
        let (kings, outputs) = (times(self.king_bucket_count()), times(self.output_buckets));
        write!(f, "({INPUTS_PER_BUCKET}{kings}{mirrored} → {})×2 → 1{outputs}", self.hidden)
    }
}

/// How a player sees the board: as long as it stays the same, moves change only the inputs of the
/// pieces that move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    perspective: Color,
    flip: u8,
    bucket: u8,
}

impl View {
    /// The input that a piece on a square is.
    #[inline(always)]
    pub fn feature(self, piece: Piece, square: Square) -> usize {
        let side = if piece.color() == self.perspective { 0 } else { 384 };
        usize::from(self.bucket) * INPUTS_PER_BUCKET
            + side
            + 64 * piece.piece_type().index()
            + (square.index() ^ usize::from(self.flip))
    }

    /// A number below [`View::COUNT`] that no other view of any shape has.
    #[inline(always)]
    pub fn index(self) -> usize {
        let mirrored = usize::from(self.flip & 7 != 0);
        (self.perspective.index() * 2 + mirrored) * MAX_BUCKETS + usize::from(self.bucket)
    }

    /// How many views there can be.
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
        Shape { hidden: 64, mirrored: true, king_buckets, output_buckets: 4 }
    }

    #[test]
    fn inputs_of_a_view_are_all_different_and_in_their_bucket() {
        let shape = bucketed();
        for perspective in Color::ALL {
            for king in Square::all() {
                let view = shape.view(perspective, king);
                let inputs: HashSet<usize> = Piece::ALL
                    .iter()
                    .flat_map(|&piece| Square::all().map(move |square| (piece, square)))
                    .map(|(piece, square)| view.feature(piece, square))
                    .collect();
                assert_eq!(inputs.len(), INPUTS_PER_BUCKET);
                let first = usize::from(view.bucket) * INPUTS_PER_BUCKET;
                assert!(inputs.iter().all(|&i| (first..first + INPUTS_PER_BUCKET).contains(&i)));
                assert!(first + INPUTS_PER_BUCKET <= shape.inputs());
            }
        }
    }

    #[test]
    fn a_position_turned_around_is_the_same_for_the_other_player() {
        let shape = bucketed();
        for king in Square::all() {
            for square in Square::all() {
                for piece in Piece::ALL {
                    let other = Piece::new(!piece.color(), piece.piece_type());
                    assert_eq!(
                        shape.feature(Color::White, king, piece, square),
                        shape.feature(Color::Black, king.flip_rank(), other, square.flip_rank()),
                    );
                    let turned = |square: Square| Square::from_index(square.index() ^ 7);
                    assert_eq!(
                        shape.feature(Color::White, king, piece, square),
                        shape.feature(Color::White, turned(king), piece, turned(square)),
                    );
                }
            }
        }
    }

    #[test]
    fn output_buckets_rise_with_the_pieces_and_are_all_used() {
        for output_buckets in 1..=MAX_BUCKETS {
            let shape = Shape { output_buckets, ..Shape::plain(32) };
            let used: Vec<usize> = (2..=32).map(|pieces| shape.output_bucket(pieces)).collect();
            assert!(used.is_sorted());
            assert_eq!(used.iter().collect::<HashSet<_>>().len(), output_buckets);
        }
    }

    #[test]
    fn a_shape_out_of_range_is_refused_with_what_is_wrong() {
        assert_eq!(Shape::plain(0).check(), Err(ShapeError::Hidden(0)));
        assert_eq!(Shape::plain(48).check(), Err(ShapeError::Hidden(48)));
        assert_eq!(Shape::plain(4096).check(), Err(ShapeError::Hidden(4096)));
        let shape = Shape { output_buckets: 17, ..Shape::plain(32) };
        assert_eq!(shape.check(), Err(ShapeError::OutputBuckets(17)));
        let mut shape = Shape::plain(32);
        shape.king_buckets[28] = 16;
        assert_eq!(shape.check(), Err(ShapeError::KingBucket(Square::E4, 16)));
        assert_eq!(bucketed().check(), Ok(()));
    }
}
