//! A position in 32 bytes with score, move and result: the row format of data sets and trainers.

mod codes;

use crate::pgn::{GameResult, Score};
use crate::{
    Bitboard, Board, Color, Move, Piece, PieceType, Position, Rank, Setup, SetupError,
    SetupProblems, Square,
};
use codes::{
    BLACK_KING_TO_MOVE, CASTLING_BLACK, CASTLING_WHITE, CODES, EN_PASSANT_PAWN, PLANES, encode,
};

/// A position with score, move and result in 32 bytes.
///
/// | bytes | content (little-endian) |
/// |---|---|
/// | 0–7 | the occupancy bitboard, bit 0 is a1, bit 63 is h8 |
/// | 8–23 | a four-bit code for each occupied square, from a1 to h8; the first in the low half of byte 8. Unused bits are zero |
/// | 24–25 | score, signed, White's view: centipawns up to ±31,999; mate in *n* moves as 32,000 + *n*, being mated in *n* as −32,000 − *n*, *n* up to 127; −32,768 for none |
/// | 26–27 | the played move, as the bits of a [`Move`]; 0 for none |
/// | 28–29 | the fullmove number |
/// | 30–31 | bits 0–13: the halfmove clock; bits 14–15, the result: 0 unknown, 1 Black won, 2 draw, 3 White won |
///
/// The codes are those of [`Piece::to_bits`]: pawn 0, knight 1, bishop 2, rook 3, queen 4, king 5,
/// and 8 more for Black. The remaining four encode castling, en passant and the side to move:
///
/// | code | piece |
/// |---|---|
/// | 6, 14 | a white, a black rook with castling right |
/// | 7 | a pawn that can be captured en passant: White's on the fourth rank, Black's on the fifth |
/// | 15 | Black's king, with Black to move |
///
/// Every position, Chess960 included, round-trips exactly. The encoding is canonical: only bytes that
/// [`PackedRow::new`] writes are accepted.
///
/// ```
/// use tabiya_chess::{PackedRow, Position, pgn::{GameResult, Score}};
/// let position: Position = "4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 30".parse()?;
/// let row = PackedRow::new(&position).unwrap()
///     .with_move(position.parse_uci("e5d6")?)
///     .with_score(Some(Score::Centipawns(512)))
///     .with_result(GameResult::WhiteWins);
/// let copy = PackedRow::from_bytes(*row.as_bytes()).unpack()?;
/// assert_eq!(copy.position, position);
/// assert_eq!(copy.score, Some(Score::Centipawns(512)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct PackedRow([u8; 32]);

/// Why bytes are not a valid row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackedError {
    /// More than 32 squares are occupied.
    #[error("{0} squares are occupied")]
    TooManyPieces(u32),
    /// Unused code bits are set.
    #[error("there are bits set beyond the last piece")]
    Leftover,
    /// An en-passant pawn on the wrong rank, or that cannot be captured.
    #[error("the en-passant pawn cannot be captured")]
    EnPassant,
    /// The fullmove number is 0.
    #[error("the number of the move is 0")]
    MoveNumber,
    /// The position is illegal.
    #[error(transparent)]
    Position(#[from] SetupError),
    /// The score is out of range.
    #[error("{0} is no score")]
    Score(i16),
    /// The move is not legal in the position.
    #[error("the move {0} is not legal in its position")]
    Move(Move),
}

/// The content of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unpacked {
    /// The position.
    pub position: Position,
    /// The played move.
    pub best_move: Option<Move>,
    /// The score, White's view.
    pub score: Option<Score>,
    /// The result of the game.
    pub result: GameResult,
}

/// No score.
const NO_SCORE: i16 = i16::MIN;
/// Offset of mate scores.
const MATE: i16 = 32_000;

impl PackedRow {
    /// The size of a row in bytes.
    pub const SIZE: usize = 32;
    /// The largest centipawn score.
    pub const MAX_CENTIPAWNS: i32 = MATE as i32 - 1;
    /// The longest mate, in moves.
    pub const MAX_MATE: i32 = 127;
    /// The largest halfmove clock.
    pub const MAX_HALFMOVES: u16 = (1 << 14) - 1;

    /// The row of a position without score, move and result; `None` if its halfmove clock exceeds
    /// [`PackedRow::MAX_HALFMOVES`].
    #[inline]
    pub fn new(position: &Position) -> Option<Self> {
        if position.halfmove_clock > Self::MAX_HALFMOVES {
            return None;
        }
        let occupied = position.occupied();
        let mut codes = encode(&position.board);
        // The shift of a square's code. Adding 3 to a rook's code gives it the castling right: 3 → 6,
        // 11 → 14.
        let shift = |square: u64| 4 * (occupied.0 & (square - 1)).count_ones();
        let mut rooks = position.castling.0;
        while rooks != 0 {
            codes += 3 << shift(rooks & rooks.wrapping_neg());
            rooks &= rooks - 1;
        }
        if let Some(square) = position.en_passant() {
            let pawn = match position.turn {
                Color::White => square.bitboard().0 >> 8,
                Color::Black => square.bitboard().0 << 8,
            };
            let at = shift(pawn);
            codes = codes & !(15 << at) | u128::from(EN_PASSANT_PAWN) << at;
        }
        if position.turn == Color::Black {
            let king = position.pieces(Color::Black, PieceType::King);
            codes |= u128::from(BLACK_KING_TO_MOVE) << shift(king.0);
        }
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&occupied.0.to_le_bytes());
        bytes[8..24].copy_from_slice(&codes.to_le_bytes());
        bytes[24..26].copy_from_slice(&NO_SCORE.to_le_bytes());
        bytes[28..30].copy_from_slice(&position.fullmove_number.to_le_bytes());
        bytes[30..].copy_from_slice(&position.halfmove_clock.to_le_bytes());
        Some(Self(bytes))
    }

    /// A row of any bytes, not validated.
    #[inline(always)]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[inline(always)]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn word(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    /// The row with this move.
    #[inline]
    #[must_use]
    pub fn with_move(mut self, m: Move) -> Self {
        self.0[26..28].copy_from_slice(&m.to_bits().to_le_bytes());
        self
    }

    /// Whether a score is in range.
    pub const fn has_room_for(score: Score) -> bool {
        match score {
            Score::Centipawns(value) => value.unsigned_abs() <= Self::MAX_CENTIPAWNS as u32,
            Score::Mate(moves) => moves.unsigned_abs() <= Self::MAX_MATE as u32,
        }
    }

    /// The row with this score, White's view; none if it is out of range.
    #[inline]
    #[must_use]
    pub fn with_score(mut self, score: Option<Score>) -> Self {
        let bits = match score.filter(|&score| Self::has_room_for(score)) {
            None => NO_SCORE,
            Some(Score::Centipawns(value)) => value as i16,
            Some(Score::Mate(moves)) if moves < 0 => moves as i16 - MATE,
            Some(Score::Mate(moves)) => moves as i16 + MATE,
        };
        self.0[24..26].copy_from_slice(&bits.to_le_bytes());
        self
    }

    /// The row with this result.
    #[inline]
    #[must_use]
    pub fn with_result(mut self, result: GameResult) -> Self {
        let bits = match result {
            GameResult::Unknown => 0,
            GameResult::BlackWins => 1,
            GameResult::Draw => 2,
            GameResult::WhiteWins => 3,
        };
        self.0[31] = self.0[31] & 0x3f | bits << 6;
        self
    }

    /// The row of the position alone: no score, no move, no result.
    #[inline]
    #[must_use]
    pub fn position_only(mut self) -> Self {
        self.0[24..26].copy_from_slice(&NO_SCORE.to_le_bytes());
        self.0[26..28].fill(0);
        self.0[31] &= 0x3f;
        self
    }

    /// The score, White's view.
    #[inline]
    pub fn score(&self) -> Result<Option<Score>, PackedError> {
        let bits = self.word(24) as i16;
        let limit = MATE + Self::MAX_MATE as i16;
        match bits {
            NO_SCORE => Ok(None),
            _ if bits.unsigned_abs() < MATE as u16 => Ok(Some(Score::Centipawns(bits.into()))),
            _ if bits >= MATE && bits <= limit => Ok(Some(Score::Mate((bits - MATE).into()))),
            _ if bits < -MATE && bits >= -limit => Ok(Some(Score::Mate((bits + MATE).into()))),
            _ => Err(PackedError::Score(bits)),
        }
    }

    /// The move, legal or not.
    #[inline]
    pub fn best_move(&self) -> Option<Move> {
        Some(self.word(26)).filter(|&bits| bits != 0).map(Move::from_bits)
    }

    /// The result.
    #[inline]
    pub fn result(&self) -> GameResult {
        match self.0[31] >> 6 {
            1 => GameResult::BlackWins,
            2 => GameResult::Draw,
            3 => GameResult::WhiteWins,
            _ => GameResult::Unknown,
        }
    }

    /// The side to move, if the row is valid.
    #[inline]
    pub fn turn(&self) -> Color {
        let codes = self.codes();
        // Whether any code is 15, all four bits set.
        let pairs = codes & codes >> 1;
        let all = pairs & pairs >> 2 & 0x1111_1111_1111_1111_1111_1111_1111_1111;
        if all == 0 { Color::White } else { Color::Black }
    }

    fn codes(&self) -> u128 {
        self.0[8..24].first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes))
    }

    /// The pieces from a1 to h8, not validated: at most 32 for any bytes. The fastest way to read rows.
    ///
    /// ```
    /// use tabiya_chess::{PackedRow, Piece, Position, Square};
    /// let row = PackedRow::new(&Position::INITIAL).unwrap();
    /// assert_eq!(row.pieces().next(), Some((Square::A1, Piece::from_letter('R').unwrap())));
    /// assert_eq!(row.pieces().count(), 32);
    /// ```
    #[inline]
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + use<> {
        let mut rest = self.0.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let codes = self.codes();
        let (mut low, high) = (codes as u64, (codes >> 64) as u64);
        let mut given = 0;
        core::iter::from_fn(move || {
            if rest == 0 || given == 32 {
                return None;
            }
            if given == 16 {
                low = high;
            }
            let n = rest.trailing_zeros() as usize;
            let code = (low & 15) as usize;
            let piece = match code as u8 {
                EN_PASSANT_PAWN if n >= 32 => Piece::new(Color::Black, PieceType::Pawn),
                _ => CODES[code],
            };
            (low, rest, given) = (low >> 4, rest & (rest - 1), given + 1);
            Some((Square::from_index_wrapping(n), piece))
        })
    }

    /// The setup, not checked for legality.
    #[inline]
    pub fn setup(&self) -> Result<Setup, PackedError> {
        let occupied = self.0.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let count = occupied.count_ones();
        if count > 32 {
            return Err(PackedError::TooManyPieces(count));
        }
        let mut codes = self.codes();
        if count < 32 && codes >> (4 * count) != 0 {
            return Err(PackedError::Leftover);
        }
        let mut setup = Setup { fullmove_number: self.word(28), ..Setup::EMPTY };
        if setup.fullmove_number == 0 {
            return Err(PackedError::MoveNumber);
        }
        setup.halfmove_clock = self.word(30) & Self::MAX_HALFMOVES;
        setup.turn = self.turn();
        let [mut leaps, mut diagonal, mut straight, mut black] = [0; 4];
        let mut rest = occupied;
        while rest != 0 {
            let (square, n) = (rest & rest.wrapping_neg(), rest.trailing_zeros());
            let code = (codes & 15) as usize;
            let planes = &PLANES[code];
            leaps |= planes[0] << n;
            diagonal |= planes[1] << n;
            straight |= planes[2] << n;
            black |= planes[3] << n;
            if code & 7 >= 6 {
                match code as u8 {
                    CASTLING_WHITE | CASTLING_BLACK => setup.castling_rooks.0 |= square,
                    EN_PASSANT_PAWN => {
                        let (rank, behind) = match setup.turn {
                            Color::White => (Rank::Fifth, square << 8),
                            Color::Black => (Rank::Fourth, square >> 8),
                        };
                        if setup.en_passant.is_some() || rank.bitboard().0 & square == 0 {
                            return Err(PackedError::EnPassant);
                        }
                        setup.en_passant = Bitboard(behind).first();
                        black |= if setup.turn == Color::White { square } else { 0 };
                    }
                    _ => {}
                }
            }
            codes >>= 4;
            rest &= rest - 1;
        }
        setup.board = Board { leaps, diagonal, straight, black };
        Ok(setup)
    }

    /// The position, checked for legality.
    pub fn position(&self) -> Result<Position, PackedError> {
        let setup = self.setup()?;
        // Impossible checks are accepted: games start from arbitrary positions.
        let position = setup.position_forgiving(SetupProblems::IMPOSSIBLE_CHECK)?;
        // A position drops an en-passant square without a legal capture.
        if position.en_passant() != setup.en_passant {
            return Err(PackedError::EnPassant);
        }
        Ok(position)
    }

    /// The content, validated: a legal position and a legal move.
    pub fn unpack(&self) -> Result<Unpacked, PackedError> {
        let position = self.position()?;
        let best_move = self.best_move();
        if let Some(m) = best_move.filter(|&m| !position.is_legal(m)) {
            return Err(PackedError::Move(m));
        }
        Ok(Unpacked { position, best_move, score: self.score()?, result: self.result() })
    }
}

#[cfg(test)]
mod tests;
