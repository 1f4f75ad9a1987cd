//! The flat form: 768 features as twelve 64-bit words, the bitboards.

use chess::{Bitboard, Board, Color, FenError, PieceType, Position};

use super::{Bitboards, COUNT};

/// The most active features: one for each square.
pub const MAX_ACTIVE: usize = 64;

/// 768 binary features.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Features([u64; 12]);

impl Features {
    /// The features of a board: Black's 384, then White's.
    ///
    /// ```
    /// use tabiya_nnue::chess::Board;
    /// use tabiya_nnue::features::Features;
    /// let features = Features::of(&Board::INITIAL);
    /// assert_eq!(features.words()[0], 0x00ff_0000_0000_0000); // black pawns
    /// assert_eq!(features.words()[11], 0x0000_0000_0000_0010); // white kings
    /// ```
    #[inline]
    pub fn of(board: &Board) -> Self {
        Self::ordered(board, [Color::Black, Color::White], false)
    }

    /// The features from the side to move, the order that networks are trained on: the side to move's 384,
    /// then the opponent's; ranks flipped if Black is to move.
    ///
    /// ```
    /// use tabiya_nnue::chess::Position;
    /// use tabiya_nnue::features::Features;
    /// let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".parse()?;
    /// let features = Features::for_mover(&after_e4);
    /// assert_eq!(features.words()[0], 0xff00); // own pawns, flipped to the second rank
    /// assert_eq!(features.words()[6], 0x00ef_0010_0000_0000); // the opponent's, e4 as e5
    /// # Ok::<(), tabiya_nnue::chess::FenError>(())
    /// ```
    #[inline]
    pub fn for_mover(position: &Position) -> Self {
        Self::seen_by(position.board(), position.turn())
    }

    /// The features of a board with this side to move.
    #[inline]
    pub fn seen_by(board: &Board, turn: Color) -> Self {
        Self::ordered(board, [turn, !turn], turn == Color::Black)
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "`map` is not inlined reliably without LTO")]
    fn ordered(board: &Board, colors: [Color; 2], flips_ranks: bool) -> Self {
        let mut words = [0; 12];
        for half in 0..2 {
            let own = board.color(colors[half]).0;
            for n in 0..6 {
                let set = Bitboard(board.piece_type(PieceType::ALL[n]).0 & own);
                words[6 * half + n] = if flips_ranks { set.flip_ranks().0 } else { set.0 };
            }
        }
        Self(words)
    }

    /// The features of a legal position in FEN: Black's 384, then White's. Without the check of legality,
    /// `Setup::from_fen` gives a board in less time.
    ///
    /// ```
    /// use tabiya_nnue::features::Features;
    /// let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    /// assert_eq!(Features::from_fen(fen)?.len(), 32);
    /// # Ok::<(), tabiya_nnue::chess::FenError>(())
    /// ```
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        Position::from_fen(fen).map(|position| Self::of(position.board()))
    }

    /// The features of a legal position in FEN, from the side to move.
    pub fn from_fen_for_mover(fen: &str) -> Result<Self, FenError> {
        Position::from_fen(fen).map(|position| Self::for_mover(&position))
    }

    /// The bits: feature *n* is bit *n* mod 64 of word *n* / 64.
    #[inline(always)]
    pub const fn words(&self) -> &[u64; 12] {
        &self.0
    }

    /// The number of active features.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no feature is active.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 12]
    }

    /// Whether a feature is active; false beyond 767.
    pub fn has(&self, feature: usize) -> bool {
        self.0.get(feature / 64).is_some_and(|word| word >> (feature % 64) & 1 != 0)
    }

    /// The active features in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..).step_by(64).zip(self.0).flat_map(|(first, word)| {
            Bitboard(word).into_iter().map(move |square| first + square.index())
        })
    }

    /// The active features, ascending, in the buffer: those of the first 384, and those of the others.
    ///
    /// ```
    /// use tabiya_nnue::chess::Board;
    /// use tabiya_nnue::features::{Features, MAX_ACTIVE};
    /// let mut buffer = [0; MAX_ACTIVE];
    /// let [black, white] = Features::of(&Board::INITIAL).active(&mut buffer);
    /// assert_eq!(black[..3], [48, 49, 50]);
    /// assert_eq!(white.last(), Some(&708));
    /// ```
    #[inline]
    pub fn active<'a>(&self, buffer: &'a mut [u16; MAX_ACTIVE]) -> [&'a [u16]; 2] {
        let mut ends = [0; 2];
        let (mut count, mut first) = (0, 0);
        for (half, end) in self.0.as_chunks::<6>().0.iter().zip(&mut ends) {
            for &word in half {
                let mut rest = word;
                while rest != 0 {
                    // There are never more than the buffer holds.
                    buffer[count % MAX_ACTIVE] = first + rest.trailing_zeros() as u16;
                    count += 1;
                    rest &= rest - 1;
                }
                first += 64;
            }
            *end = count.min(MAX_ACTIVE);
        }
        let (first, rest) = buffer.split_at(ends[0]);
        [first, &rest[..ends[1] - ends[0]]]
    }

    /// Writes 0 or 1 for each feature.
    #[inline]
    pub fn write<T: Copy + From<u8>>(&self, row: &mut [T; COUNT]) {
        // Most are 0: filling, then setting the few, is faster than testing each.
        row.fill(T::from(0));
        let one = T::from(1);
        for (part, &word) in row.as_chunks_mut::<64>().0.iter_mut().zip(&self.0) {
            let mut rest = word;
            while rest != 0 {
                part[rest.trailing_zeros() as usize & 63] = one;
                rest &= rest - 1;
            }
        }
    }

    /// The features as `f32`.
    pub fn to_f32(&self) -> [f32; COUNT] {
        let mut row = [0.0; COUNT];
        self.write(&mut row);
        row
    }

    /// The features as bytes, 0 or 1 each.
    pub fn to_u8(&self) -> [u8; COUNT] {
        let mut row = [0; COUNT];
        self.write(&mut row);
        row
    }

    /// The features as bits: feature *n* is bit *n* mod 8 of byte *n* / 8.
    ///
    /// ```
    /// use tabiya_nnue::chess::Board;
    /// use tabiya_nnue::features::Features;
    /// let features = Features::of(&Board::INITIAL);
    /// let bits = features.to_bits();
    /// assert_eq!(bits[6], 0xff); // features 48 to 55: black pawns on a7 to h7
    /// assert_eq!(Features::from_bits(&bits), features);
    /// ```
    #[inline]
    pub fn to_bits(&self) -> [u8; COUNT / 8] {
        let mut bytes = [0; COUNT / 8];
        for (part, word) in bytes.as_chunks_mut().0.iter_mut().zip(&self.0) {
            *part = word.to_le_bytes();
        }
        bytes
    }

    /// The features of these bits. Beyond [`MAX_ACTIVE`], which no board has, further bits are dropped.
    pub fn from_bits(bytes: &[u8; COUNT / 8]) -> Self {
        let mut words = [0; 12];
        for (word, &part) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(part);
        }
        Self::limited(words)
    }

    /// The features with these indices; none if there are more than [`MAX_ACTIVE`] or an index is not below
    /// 768.
    ///
    /// ```
    /// use tabiya_nnue::features::Features;
    /// let features = Features::from_active(&[708, 8]).unwrap();
    /// assert_eq!(features.iter().collect::<Vec<_>>(), [8, 708]);
    /// assert_eq!(Features::from_active(&[768]), None);
    /// ```
    pub fn from_active(active: &[u16]) -> Option<Self> {
        let mut words = [0; 12];
        for &feature in active {
            *words.get_mut(usize::from(feature) / 64)? |= 1u64 << (feature % 64);
        }
        (active.len() <= MAX_ACTIVE).then_some(Self(words))
    }

    /// Drops active features beyond [`MAX_ACTIVE`].
    fn limited(mut words: [u64; 12]) -> Self {
        let mut room = MAX_ACTIVE as u32;
        for word in &mut words {
            while word.count_ones() > room {
                *word &= !(1 << (63 - word.leading_zeros()));
            }
            room -= word.count_ones();
        }
        Self(words)
    }
}

/// The concatenated bitboards.
impl From<Bitboards> for Features {
    #[inline]
    fn from(bitboards: Bitboards) -> Self {
        let mut words = [0; 12];
        for (word, set) in words.iter_mut().zip(bitboards.sets().as_flattened()) {
            *word = set.0;
        }
        Self(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{PER_COLOR, index};
    use crate::testing::random_positions;

    /// The naive conversion.
    fn naive(position: &Position, for_mover: bool) -> Vec<f32> {
        let mut row = vec![0.0; COUNT];
        for (square, piece) in position.board().iter() {
            let (color, piece_type) = (piece.color(), piece.piece_type());
            let feature = if !for_mover {
                index(color, piece_type, square)
            } else {
                let flipped = position.turn() == Color::Black;
                let square = if flipped { square.flip_rank() } else { square };
                let half = if color == position.turn() { 0 } else { PER_COLOR };
                half + 64 * piece_type.index() + square.index()
            };
            row[feature] = 1.0;
        }
        row
    }

    #[test]
    fn all_forms_match_the_naive_conversion() {
        for position in random_positions(500) {
            for for_mover in [false, true] {
                let expected = naive(&position, for_mover);
                let fen = position.fen();
                let (features, from_fen) = if for_mover {
                    (Features::for_mover(&position), Features::from_fen_for_mover(&fen))
                } else {
                    (Features::of(position.board()), Features::from_fen(&fen))
                };
                assert_eq!(from_fen, Ok(features));
                assert_eq!(features.to_f32().to_vec(), expected);
                assert_eq!(features.to_u8().map(f32::from).to_vec(), expected);
                let bits = features.to_bits();
                let bit = |n: usize| f32::from(bits[n / 8] >> (n % 8) & 1);
                assert_eq!((0..COUNT).map(bit).collect::<Vec<_>>(), expected);
                let active: Vec<usize> = (0..COUNT).filter(|&n| expected[n] == 1.0).collect();
                assert_eq!(features.iter().collect::<Vec<_>>(), active);
                assert_eq!(features.len(), active.len());
                assert!((0..COUNT + 64).all(|n| features.has(n) == active.contains(&n)));
                let mut buffer = [0; MAX_ACTIVE];
                let [first, second] = features.active(&mut buffer);
                assert!(first.iter().all(|&n| usize::from(n) < PER_COLOR));
                assert!(second.iter().all(|&n| usize::from(n) >= PER_COLOR));
                let listed = [first, second].concat();
                assert_eq!(listed.iter().map(|&n| usize::from(n)).collect::<Vec<_>>(), active);
                assert_eq!(Features::from_active(&listed), Some(features));
                assert_eq!(Features::from_bits(&bits), features);
            }
        }
    }

    #[test]
    fn bits_of_no_board_are_limited_to_64_features() {
        let features = Features::from_bits(&[0xff; 96]);
        assert_eq!(features.len(), MAX_ACTIVE);
        let mut buffer = [0; MAX_ACTIVE];
        let [first, second] = features.active(&mut buffer);
        assert_eq!((first.len(), second.len()), (64, 0));
        assert_eq!(Features::from_active(&[0; 65]), None);
        let scattered = Features::from_bits(&[0x11; 96]);
        assert_eq!(scattered.len(), MAX_ACTIVE);
    }
}
