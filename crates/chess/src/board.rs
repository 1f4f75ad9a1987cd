//! Piece placement in 32 bytes.
//!
//! Four *planes* of 64 bits: bit n of all planes together is the code of the piece on square n. The code
//! reflects how pieces move, so that every set a move generator needs takes one or two operations:
//!
//! | piece  | leaps | diagonal | straight |
//! |--------|-------|----------|----------|
//! | pawn   | 1     | 0        | 0        |
//! | knight | 1     | 1        | 0        |
//! | king   | 1     | 0        | 1        |
//! | bishop | 0     | 1        | 0        |
//! | rook   | 0     | 0        | 1        |
//! | queen  | 0     | 1        | 1        |
//!
//! The fourth plane holds Black's pieces. An empty square has no bit in any plane. Piece sets cannot
//! overlap, because a square has only one code; a move is an XOR of the planes with the two squares, and the
//! piece on a square is four bits and one table lookup.

use core::fmt;

use crate::{Bitboard, Color, Piece, PieceType, Square, attacks, picture, sliders};

/// A piece placement without rules, shared by [`Setup`](crate::Setup) and [`Position`](crate::Position).
///
/// ```
/// use tabiya_chess::{Board, Color, Piece, PieceType, Square};
/// let mut board = Board::INITIAL;
/// assert_eq!(board.piece_at(Square::D8), Piece::from_letter('q'));
/// assert_eq!(board.pieces(Color::White, PieceType::Rook).len(), 2);
/// board.remove(Square::D8);
/// assert_eq!(board.occupied().len(), 31);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Board {
    pub(crate) leaps: u64,
    pub(crate) diagonal: u64,
    pub(crate) straight: u64,
    pub(crate) black: u64,
}

/// The code of a piece type: bit 0 leaps, bit 1 diagonal, bit 2 straight.
#[inline(always)]
pub(crate) const fn code(piece_type: PieceType) -> u64 {
    match piece_type {
        PieceType::Pawn => 0b001,
        PieceType::Knight => 0b011,
        PieceType::King => 0b101,
        PieceType::Bishop => 0b010,
        PieceType::Rook => 0b100,
        PieceType::Queen => 0b110,
    }
}

/// The piece of each code, with Black in bit 3.
static PIECE_OF_CODE: [Option<Piece>; 16] = {
    let mut table = [None; 16];
    let mut i = 0;
    while i < 12 {
        let piece = Piece::ALL[i];
        table[code(piece.piece_type()) as usize | (piece.color() as usize) << 3] = Some(piece);
        i += 1;
    }
    table
};

impl Board {
    /// No piece at all.
    pub const EMPTY: Self = Self { leaps: 0, diagonal: 0, straight: 0, black: 0 };

    /// The initial position's placement.
    pub const INITIAL: Self = Self {
        leaps: 0x52ff_0000_0000_ff52,
        diagonal: 0x6e00_0000_0000_006e,
        straight: 0x9900_0000_0000_0099,
        black: 0xffff_0000_0000_0000,
    };

    /// Every square with a piece on it.
    #[inline(always)]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.leaps | self.diagonal | self.straight)
    }

    /// The pieces of one player.
    #[inline(always)]
    pub const fn color(&self, color: Color) -> Bitboard {
        match color {
            Color::White => Bitboard(self.occupied().0 & !self.black),
            Color::Black => Bitboard(self.black),
        }
    }

    /// The pieces of one type, both players'.
    #[inline(always)]
    pub const fn piece_type(&self, piece_type: PieceType) -> Bitboard {
        let Self { leaps, diagonal, straight, .. } = *self;
        Bitboard(match piece_type {
            PieceType::Pawn => leaps & !(diagonal | straight),
            PieceType::Knight => leaps & diagonal,
            PieceType::King => leaps & straight,
            PieceType::Bishop => diagonal & !(leaps | straight),
            PieceType::Rook => straight & !(leaps | diagonal),
            PieceType::Queen => diagonal & straight,
        })
    }

    /// The pieces of one color and type.
    #[inline(always)]
    pub const fn pieces(&self, color: Color, piece_type: PieceType) -> Bitboard {
        Bitboard(self.piece_type(piece_type).0 & self.color(color).0)
    }

    /// Bishops and queens of both players.
    #[inline(always)]
    pub const fn diagonal_sliders(&self) -> Bitboard {
        Bitboard(self.diagonal & !self.leaps)
    }

    /// Rooks and queens of both players.
    #[inline(always)]
    pub const fn straight_sliders(&self) -> Bitboard {
        Bitboard(self.straight & !self.leaps)
    }

    /// All twelve sets as `[color][piece type]`, **Black first**: `[0]` is Black, `[1]` is White.
    /// Flattened, this is the order of the 768 input features of the networks.
    ///
    /// ```
    /// use tabiya_chess::{Board, PieceType};
    /// let [black, white] = Board::INITIAL.bitboards();
    /// assert_eq!(black[PieceType::Pawn.index()].0, 0x00ff_0000_0000_0000);
    /// assert_eq!(white[PieceType::Knight.index()].0, 0x0000_0000_0000_0042);
    /// ```
    pub fn bitboards(&self) -> [[Bitboard; 6]; 2] {
        [Color::Black, Color::White]
            .map(|color| PieceType::ALL.map(|piece_type| self.pieces(color, piece_type)))
    }

    /// The piece on a square.
    #[inline(always)]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        PIECE_OF_CODE[self.code_at(square)]
    }

    /// The piece on the square with this number; `None` for an empty square and for numbers above 63.
    ///
    /// ```
    /// use tabiya_chess::Board;
    /// assert_eq!(Board::INITIAL.get(4).map(|piece| piece.letter()), Some('K'));
    /// assert_eq!((Board::INITIAL.get(30), Board::INITIAL.get(64)), (None, None));
    /// ```
    #[inline]
    pub const fn get(&self, index: usize) -> Option<Piece> {
        match Square::from_index(index) {
            Some(square) => self.piece_at(square),
            None => None,
        }
    }

    /// The type of the piece on a square.
    #[inline(always)]
    pub const fn piece_type_at(&self, square: Square) -> Option<PieceType> {
        match self.piece_at(square) {
            Some(piece) => Some(piece.piece_type()),
            None => None,
        }
    }

    /// The plane bits of a square: bits 0–2 the code of the type, bit 3 set for Black; 0 if empty.
    #[inline(always)]
    pub(crate) const fn code_at(&self, square: Square) -> usize {
        let n = square.index();
        let code = (self.leaps >> n & 1)
            | (self.diagonal >> n & 1) << 1
            | (self.straight >> n & 1) << 2
            | (self.black >> n & 1) << 3;
        (code & 15) as usize
    }

    /// The pieces of both players that attack a square, with these squares taken as occupied.
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let [white_pawns, black_pawns] =
            Color::ALL.map(|color| self.pieces(color, PieceType::Pawn));
        // A white pawn attacks the squares from which a black one would attack it, and vice versa.
        (attacks::pawn(Color::Black, square) & white_pawns)
            | (attacks::pawn(Color::White, square) & black_pawns)
            | (attacks::knight(square) & self.piece_type(PieceType::Knight))
            | (attacks::king(square) & self.piece_type(PieceType::King))
            | (sliders::bishop(square, occupied) & self.diagonal_sliders())
            | (sliders::rook(square, occupied) & self.straight_sliders())
    }

    /// Whether no sequence of legal moves lets this player mate: a bare king, or minor pieces that cannot
    /// mate even with the opponent's help.
    ///
    /// A lone knight can mate only if the opponent has a blocker other than a queen; bishops on squares of
    /// one color need a pawn or knight as blocker.
    pub fn has_insufficient_material(&self, color: Color) -> bool {
        let own = self.color(color);
        let pawns_and_majors = self.piece_type(PieceType::Pawn) | self.straight_sliders();
        if (own & pawns_and_majors).any() {
            return false;
        }
        let kings = self.piece_type(PieceType::King);
        if (own & self.piece_type(PieceType::Knight)).any() {
            let helpful = self.color(!color) - kings - self.piece_type(PieceType::Queen);
            return own.len() == 2 && helpful.is_empty();
        }
        let bishops = self.piece_type(PieceType::Bishop);
        if (own & bishops).any() {
            let one_color = (bishops & Bitboard::LIGHT_SQUARES).is_empty()
                || (bishops & Bitboard::DARK_SQUARES).is_empty();
            let blockers = self.piece_type(PieceType::Pawn) | self.piece_type(PieceType::Knight);
            return one_color && blockers.is_empty();
        }
        true
    }

    /// Every piece with its square, from a1 to h8.
    pub fn iter(&self) -> impl Iterator<Item = (Square, Piece)> {
        let board = *self;
        board
            .occupied()
            .into_iter()
            .filter_map(move |square| board.piece_at(square).map(|piece| (square, piece)))
    }

    /// Puts a piece on a square, replacing any piece there.
    pub const fn put(&mut self, square: Square, piece: Piece) {
        self.remove(square);
        self.flip(piece.color(), piece.piece_type(), square.bitboard());
    }

    /// Empties a square.
    #[inline(always)]
    pub const fn remove(&mut self, square: Square) {
        let keep = !square.bitboard().0;
        self.leaps &= keep;
        self.diagonal &= keep;
        self.straight &= keep;
        self.black &= keep;
    }

    /// XORs a piece onto squares: adds it to empty ones, removes it from those it occupies.
    #[inline(always)]
    pub(crate) const fn flip(&mut self, color: Color, piece_type: PieceType, squares: Bitboard) {
        // All ones where the bit of the code is set: no branch, and nothing at all for constants.
        let code = code(piece_type);
        self.leaps ^= squares.0 & 0u64.wrapping_sub(code & 1);
        self.diagonal ^= squares.0 & 0u64.wrapping_sub(code >> 1 & 1);
        self.straight ^= squares.0 & 0u64.wrapping_sub(code >> 2 & 1);
        self.black ^= squares.0 & 0u64.wrapping_sub(color as u64);
    }
}

/// The board as text, White's side at the bottom.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board =
            picture::text_board(|on| self.piece_at(on), Color::White, picture::Style::Ascii);
        f.write_str(&board)
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", crate::fen::Placement(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_accessors_agree_with_the_placed_pieces() {
        let mut board = Board::EMPTY;
        let mut expected = [None; 64];
        for (n, square) in Square::all().enumerate() {
            // Thirteen things in turn: twelve pieces and nothing, each over what was there before.
            board.put(square, Piece::ALL[(n * 7) % 12]);
            match Piece::ALL.get((n * 5) % 13) {
                Some(&piece) => board.put(square, piece),
                None => board.remove(square),
            }
            expected[n] = Piece::ALL.get((n * 5) % 13).copied();
        }
        for (n, square) in Square::all().enumerate() {
            let piece = expected[n];
            assert_eq!(board.piece_at(square), piece);
            assert_eq!((board.get(n), board.get(n + 64)), (piece, None));
            assert_eq!(board.occupied().has(square), piece.is_some());
            for other in Piece::ALL {
                let (color, piece_type) = (other.color(), other.piece_type());
                assert_eq!(board.pieces(color, piece_type).has(square), piece == Some(other));
                let view = board.bitboards()[1 - color.index()][piece_type.index()];
                assert_eq!(view.has(square), piece == Some(other));
            }
        }
        let listed: Vec<_> = board.iter().collect();
        assert_eq!(listed.len(), board.occupied().len());
        assert!(listed.iter().all(|&(square, piece)| expected[square.index()] == Some(piece)));
        let sliders = board.diagonal_sliders() & board.straight_sliders();
        assert_eq!(sliders, board.piece_type(PieceType::Queen));
    }

    #[test]
    fn the_initial_board_is_correct() {
        let mut board = Board::EMPTY;
        for (n, letter) in "RNBQKBNRPPPPPPPP".chars().enumerate() {
            let white = Square::from_index_wrapping(n);
            board.put(white, Piece::from_letter(letter).unwrap());
            board.put(white.flip_rank(), Piece::from_letter(letter.to_ascii_lowercase()).unwrap());
        }
        assert_eq!(board, Board::INITIAL);
        assert_eq!(size_of::<Board>(), 32);
    }
}
