//! A position in 32 bytes, with what a training needs to know of it: the row that data sets and
//! trainers share.
//!
//! | bytes | what (numbers are little-endian) |
//! |---|---|
//! | 0–7 | the occupied squares, bit 0 is a1, bit 63 is h8 |
//! | 8–23 | a code of four bits for each occupied square, from a1 to h8; the first in the low half of byte 8. What is left over is zero |
//! | 24–25 | score, signed, White's view: centipawns up to ±31,999; mate in *n* moves as 32,000 + *n*, being mated in *n* as −32,000 − *n*, *n* up to 127; −32,768 for none |
//! | 26–27 | the move that was played, as the bits of a [`Move`]; 0 for none |
//! | 28–29 | the number of the move, as in FEN |
//! | 30–31 | bits 0–13: half moves since the last capture or pawn move; bits 14–15, the result: 0 not known, 1 Black won, 2 draw, 3 White won |
//!
//! The codes are those of [`Piece::to_bits`]: pawn 0, knight 1, bishop 2, rook 3, queen 4, king 5,
//! and 8 more for Black. The four that are left carry what else belongs to a position:
//!
//! | code | piece |
//! |---|---|
//! | 6, 14 | a rook of White's, of Black's, that may still castle |
//! | 7 | a pawn that may be taken en passant; White's on the fourth rank, Black's on the fifth |
//! | 15 | Black's king, with Black to move |
//!
//! So every position, Chess960 included, comes back exactly; and of every 32 bytes it can be said
//! whether they are a position, since only what [`PackedRow::new`] writes is read.

use crate::pgn::{GameResult, Score};
use crate::{
    Bitboard, Board, Color, Move, Piece, PieceType, Position, Rank, Setup, SetupError,
    SetupProblems, Square,
};

/// A row: see the head of this module for every bit.
///
/// ```
/// use chess::{PackedRow, Position, pgn::{GameResult, Score}};
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

/// Why bytes are no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackedError {
    /// More squares are occupied than there are pieces.
    #[error("{0} squares are occupied")]
    TooManyPieces(u32),
    /// There is a code beyond the last piece.
    #[error("there are bits set beyond the last piece")]
    Leftover,
    /// A pawn that can be taken en passant where there can be none, or where nobody can take it.
    #[error("a pawn cannot be taken en passant as the row says")]
    EnPassant,
    /// The first move of a game has the number 1.
    #[error("the number of the move is 0")]
    MoveNumber,
    /// It describes something that is no position.
    #[error(transparent)]
    Position(#[from] SetupError),
    /// The score means nothing.
    #[error("{0} is no score")]
    Score(i16),
    /// The move is not legal in the position.
    #[error("the move {0} is not legal in its position")]
    Move(Move),
}

/// What is in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unpacked {
    /// The position.
    pub position: Position,
    /// The move that was played.
    pub best_move: Option<Move>,
    /// What an engine thinks of the position.
    pub score: Option<Score>,
    /// How the game ended.
    pub result: GameResult,
}

const CASTLING_WHITE: u8 = 6;
const CASTLING_BLACK: u8 = 14;
const PASSED_PAWN: u8 = 7;
const BLACK_KING_TO_MOVE: u8 = 15;

/// Stands for "no score".
const NO_SCORE: i16 = i16::MIN;
/// What mates are counted from.
const MATE: i16 = 32_000;

/// The code of four planes' bits; see [`Board`].
static NIBBLES: [u8; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 12 {
        let piece = Piece::ALL[i];
        let code = crate::board::code(piece.piece_type()) as usize;
        table[code | (piece.color() as usize) << 3] = piece.to_bits();
        i += 1;
    }
    table
};

/// The piece of each code. A pawn that may be taken en passant is White's here: its rank tells.
static CODES: [Piece; 16] = {
    let mut table = [Piece::new(Color::White, PieceType::Pawn); 16];
    let mut code = 0;
    while code < 16 {
        let bits = match code as u8 {
            CASTLING_WHITE => PieceType::Rook as u8,
            CASTLING_BLACK => PieceType::Rook as u8 | 8,
            BLACK_KING_TO_MOVE => PieceType::King as u8 | 8,
            bits => bits,
        };
        if let Some(piece) = Piece::from_bits(bits) {
            table[code] = piece;
        }
        code += 1;
    }
    table
};

/// The bits in the four planes of each code: leaps, diagonal, straight, black.
static PLANES: [[u64; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut code = 0;
    while code < 16 {
        let bits = match code as u8 {
            CASTLING_WHITE => PieceType::Rook as u8,
            CASTLING_BLACK => PieceType::Rook as u8 | 8,
            // The color is told by the rank.
            PASSED_PAWN => PieceType::Pawn as u8,
            BLACK_KING_TO_MOVE => PieceType::King as u8 | 8,
            bits => bits,
        };
        let plane = match Piece::from_bits(bits) {
            Some(piece) => crate::board::code(piece.piece_type()) | (piece.color() as u64) << 3,
            None => 0,
        };
        table[code] = [plane & 1, plane >> 1 & 1, plane >> 2 & 1, plane >> 3 & 1];
        code += 1;
    }
    table
};

impl PackedRow {
    /// How many bytes a row has.
    pub const SIZE: usize = 32;
    /// The largest evaluation that has room, in centipawns.
    pub const MAX_CENTIPAWNS: i32 = MATE as i32 - 1;
    /// The longest mate that has room, in moves.
    pub const MAX_MATE: i32 = 127;
    /// The largest clock that has room: half moves without a capture or pawn move.
    pub const MAX_HALFMOVES: u16 = (1 << 14) - 1;

    /// The row of a position of which nothing else is known; nothing if its half-move clock is larger
    /// than [`PackedRow::MAX_HALFMOVES`], which no game has ever come near.
    #[inline]
    pub fn new(position: &Position) -> Option<Self> {
        if position.halfmove_clock > Self::MAX_HALFMOVES {
            return None;
        }
        let occupied = position.occupied();
        let mut codes = pieces(&position.board);
        // How far up the code of a square is. Every piece but pawns and Black's king is changed by
        // adding three: 3 → 6, 11 → 14.
        let place = |square: u64| 4 * (occupied.0 & (square - 1)).count_ones();
        let mut rooks = position.castling.0;
        while rooks != 0 {
            codes += 3 << place(rooks & rooks.wrapping_neg());
            rooks &= rooks - 1;
        }
        if let Some(square) = position.en_passant() {
            let pawn = match position.turn {
                Color::White => square.bitboard().0 >> 8,
                Color::Black => square.bitboard().0 << 8,
            };
            let at = place(pawn);
            codes = codes & !(15 << at) | u128::from(PASSED_PAWN) << at;
        }
        if position.turn == Color::Black {
            let king = position.pieces(Color::Black, PieceType::King);
            codes |= u128::from(BLACK_KING_TO_MOVE) << place(king.0);
        }
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&occupied.0.to_le_bytes());
        bytes[8..24].copy_from_slice(&codes.to_le_bytes());
        bytes[24..26].copy_from_slice(&NO_SCORE.to_le_bytes());
        bytes[28..30].copy_from_slice(&position.fullmove_number.to_le_bytes());
        bytes[30..].copy_from_slice(&position.halfmove_clock.to_le_bytes());
        Some(Self(bytes))
    }

    /// A row of these bytes, whatever they are.
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

    /// Whether a score has room.
    pub const fn has_room_for(score: Score) -> bool {
        match score {
            Score::Centipawns(value) => value.unsigned_abs() <= Self::MAX_CENTIPAWNS as u32,
            Score::Mate(moves) => moves.unsigned_abs() <= Self::MAX_MATE as u32,
        }
    }

    /// The row with this score, White's view; one that has no room counts as none.
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

    /// Who is to move, if this is a position.
    #[inline]
    pub fn turn(&self) -> Color {
        let codes = self.codes();
        // A code of four ones: all four bits of some group.
        let pairs = codes & codes >> 1;
        let all = pairs & pairs >> 2 & 0x1111_1111_1111_1111_1111_1111_1111_1111;
        if all == 0 { Color::White } else { Color::Black }
    }

    fn codes(&self) -> u128 {
        self.0[8..24].first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes))
    }

    /// The pieces from a1 to h8, without asking whether they make a position: at most 32, whatever the
    /// bytes are. This is how trainers read rows by the million.
    ///
    /// ```
    /// use chess::{PackedRow, Piece, Position, Square};
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
        std::iter::from_fn(move || {
            if rest == 0 || given == 32 {
                return None;
            }
            if given == 16 {
                low = high;
            }
            let n = rest.trailing_zeros() as usize;
            let code = (low & 15) as usize;
            let piece = match code as u8 {
                PASSED_PAWN if n >= 32 => Piece::new(Color::Black, PieceType::Pawn),
                _ => CODES[code],
            };
            (low, rest, given) = (low >> 4, rest & (rest - 1), given + 1);
            Some((Square::from_index(n), piece))
        })
    }

    /// What the row describes: fast, and without asking whether it is legal.
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
                    PASSED_PAWN => {
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

    /// The position, if this is one.
    pub fn position(&self) -> Result<Position, PackedError> {
        let setup = self.setup()?;
        // A check that cannot have come about is no reason: games begin with all sorts of positions.
        let position = setup.position_forgiving(SetupProblems::IMPOSSIBLE_CHECK)?;
        // A position forgets en passant where nobody can take.
        if position.en_passant() != setup.en_passant {
            return Err(PackedError::EnPassant);
        }
        Ok(position)
    }

    /// Everything, checked: the position is legal and the move is legal in it.
    pub fn unpack(&self) -> Result<Unpacked, PackedError> {
        let position = self.position()?;
        let best_move = self.best_move();
        if let Some(m) = best_move.filter(|&m| !position.is_legal(m)) {
            return Err(PackedError::Move(m));
        }
        Ok(Unpacked { position, best_move, score: self.score()?, result: self.result() })
    }
}

/// The codes of all pieces in the order of their squares.
#[inline(always)]
fn pieces(board: &Board) -> u128 {
    let Board { leaps, diagonal, straight, black } = *board;
    let mut halves = [0u64; 2];
    let mut rest = board.occupied().0;
    for half in &mut halves {
        let mut at = 0;
        while rest != 0 && at < 64 {
            let n = rest.trailing_zeros();
            let bit = |plane: u64| (plane >> n & 1) as usize;
            let code = bit(leaps) | bit(diagonal) << 1 | bit(straight) << 2 | bit(black) << 3;
            *half |= u64::from(NIBBLES[code]) << at;
            at += 4;
            rest &= rest - 1;
        }
    }
    u128::from(halves[0]) | u128::from(halves[1]) << 64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The obvious way: one square after the other, one question after the other.
    fn pack_slowly(position: &Position) -> [u8; 32] {
        let mut bytes = [0; 32];
        let mut codes = Vec::new();
        for square in Square::all() {
            let Some(piece) = position.piece_at(square) else { continue };
            bytes[square.index() / 8] |= 1 << (square.index() % 8);
            let behind = match piece.color() {
                Color::White => square.index().checked_sub(8),
                Color::Black => Some(square.index() + 8),
            };
            let is_passed = piece.piece_type() == PieceType::Pawn
                && piece.color() != position.turn()
                && position.en_passant().map(Square::index) == behind;
            codes.push(match piece.letter() {
                _ if is_passed => 7,
                'R' if position.castling_rooks().has(square) => 6,
                'r' if position.castling_rooks().has(square) => 14,
                'k' if position.turn() == Color::Black => 15,
                letter => "PNBRQK??pnbrqk".find(letter).unwrap() as u8,
            });
        }
        for (n, code) in codes.into_iter().enumerate() {
            bytes[8 + n / 2] |= code << (4 * (n % 2));
        }
        bytes[25] = 0x80;
        bytes[28..30].copy_from_slice(&position.fullmove_number().to_le_bytes());
        bytes[30..].copy_from_slice(&position.halfmove_clock().to_le_bytes());
        bytes
    }

    #[test]
    fn every_position_of_random_games_is_packed_as_the_obvious_way_does_and_comes_back() {
        let mut state = 11u64;
        let mut random = move |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            (state >> 33) as usize % n
        };
        let mut with_en_passant = 0;
        for game in 0..120 {
            let start = if game % 3 == 0 { 518 } else { random(960) as u16 };
            let mut position = crate::chess960::start(start).unwrap();
            for _ in 0..150 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let m = moves[random(moves.len())];
                let plain = PackedRow::new(&position).unwrap();
                assert_eq!(*plain.as_bytes(), pack_slowly(&position), "{position}");
                assert_eq!(plain.turn(), position.turn());
                assert_eq!(plain.setup(), Ok(Setup::from(position)));
                let all = Square::all().filter_map(|s| Some((s, position.piece_at(s)?)));
                assert!(plain.pieces().eq(all), "{position}");
                let score = match random(4) {
                    0 => None,
                    1 => Some(Score::Mate(random(255) as i32 - 127)),
                    _ => Some(Score::Centipawns(random(63_999) as i32 - 31_999)),
                };
                let result = GameResult::ALL[random(4)];
                let row = plain.with_move(m).with_score(score).with_result(result);
                let unpacked = Unpacked { position, best_move: Some(m), score, result };
                assert_eq!(row.unpack(), Ok(unpacked));
                assert_eq!(row.position_only(), plain);
                with_en_passant += usize::from(position.en_passant().is_some());
                position = position.after(m);
            }
        }
        assert!(with_en_passant > 10, "{with_en_passant}");
    }

    #[test]
    fn scores_and_clocks_without_room_are_not_bent_into_others() {
        let row = PackedRow::new(&Position::INITIAL).unwrap();
        for score in [Score::Centipawns(32_000), Score::Centipawns(i32::MIN), Score::Mate(128)] {
            assert!(!PackedRow::has_room_for(score));
            assert_eq!(row.with_score(Some(score)).score(), Ok(None));
        }
        let with_clock = |clock| {
            let fen = format!("4k3/8/8/8/8/8/8/4K2R w - - {clock} 9000");
            PackedRow::new(&fen.parse().unwrap()).map(|row| row.position().unwrap().fen() == fen)
        };
        assert_eq!(with_clock(16_383), Some(true));
        assert_eq!(with_clock(16_384), None);
    }

    #[test]
    fn whatever_the_bytes_are_there_are_at_most_thirty_two_pieces() {
        let mut state = 3u64;
        for _ in 0..2_000 {
            let bytes = std::array::from_fn(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
                (state >> 56) as u8
            });
            assert!(PackedRow::from_bytes(bytes).pieces().count() <= 32);
        }
        assert_eq!(PackedRow::from_bytes([255; 32]).pieces().count(), 32);
        assert_eq!(PackedRow::from_bytes([0; 32]).pieces().count(), 0);
    }

    #[test]
    fn what_is_no_row_is_refused_with_the_reason() {
        let good = *PackedRow::new(&Position::INITIAL).unwrap().as_bytes();
        let with = |changes: &[(usize, u8)]| {
            let mut bytes = good;
            for &(at, byte) in changes {
                bytes[at] = byte;
            }
            PackedRow::from_bytes(bytes).unpack().map(|_| ())
        };
        assert_eq!(with(&[]), Ok(()));
        assert_eq!(with(&[(3, 1)]), Err(PackedError::TooManyPieces(33)));
        assert_eq!(with(&[(1, 0)]), Err(PackedError::Leftover));
        assert_eq!(with(&[(28, 0)]), Err(PackedError::MoveNumber));
        assert_eq!(with(&[(12, 0x07)]), Err(PackedError::EnPassant));
        assert_eq!(with(&[(25, 0x7e)]), Err(PackedError::Score(0x7e00)));
        assert!(matches!(with(&[(26, 1)]), Err(PackedError::Move(_))));
        assert!(matches!(with(&[(8, 0x55)]), Err(PackedError::Position(_))));
    }
}
