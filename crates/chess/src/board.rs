//! Which piece stands where, in 32 bytes.
//!
//! Four *planes* of 64 bits: the n-th bit of all planes together is the code of what stands on
//! square n. The code is chosen by how pieces move, so that every set a move generator asks for is
//! one or two operations away:
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
//! The fourth plane holds Black's pieces. An empty square has no bit in any plane. Two piece sets of
//! a square can never overlap, because a square has only one code; a move is an exclusive-or of the
//! planes with the two squares, and what is on a square is four bits and one look-up.

use std::fmt;

use crate::{Bitboard, Color, Piece, PieceType, Square, picture};

/// A placement of pieces, with no rules attached: what [`Setup`](crate::Setup) and
/// [`Position`](crate::Position) share.
///
/// ```
/// use chess::{Board, Color, Piece, PieceType, Square};
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

    /// The start of a game of chess.
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
    /// use chess::{Board, PieceType};
    /// let [black, white] = Board::INITIAL.bitboards();
    /// assert_eq!(black[PieceType::Pawn.index()].0, 0x00ff_0000_0000_0000);
    /// assert_eq!(white[PieceType::Knight.index()].0, 0x0000_0000_0000_0042);
    /// ```
    pub fn bitboards(&self) -> [[Bitboard; 6]; 2] {
        [Color::Black, Color::White]
            .map(|color| PieceType::ALL.map(|piece_type| self.pieces(color, piece_type)))
    }

    /// What stands on a square.
    #[inline(always)]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        PIECE_OF_CODE[self.code_at(square)]
    }

    /// The type of what stands on a square.
    #[inline(always)]
    pub const fn piece_type_at(&self, square: Square) -> Option<PieceType> {
        match self.piece_at(square) {
            Some(piece) => Some(piece.piece_type()),
            None => None,
        }
    }

    /// Bits 0–2 say how the piece moves, bit 3 whether it is Black's; 0 for none.
    #[inline(always)]
    pub(crate) const fn code_at(&self, square: Square) -> usize {
        let n = square.index();
        let code = (self.leaps >> n & 1)
            | (self.diagonal >> n & 1) << 1
            | (self.straight >> n & 1) << 2
            | (self.black >> n & 1) << 3;
        (code & 15) as usize
    }

    /// Every piece with its square, from a1 to h8.
    pub fn iter(&self) -> impl Iterator<Item = (Square, Piece)> {
        let board = *self;
        board
            .occupied()
            .into_iter()
            .filter_map(move |square| board.piece_at(square).map(|piece| (square, piece)))
    }

    /// Puts a piece on a square; what stood there is gone.
    pub const fn put(&mut self, square: Square, piece: Piece) {
        self.remove(square);
        self.flip(piece.color(), piece.piece_type(), square.bitboard());
    }

    /// Takes away what stands on a square.
    #[inline(always)]
    pub const fn remove(&mut self, square: Square) {
        let keep = !square.bitboard().0;
        self.leaps &= keep;
        self.diagonal &= keep;
        self.straight &= keep;
        self.black &= keep;
    }

    /// Adds a piece on those squares where there was none, and takes it from those where it stood.
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
    fn all_views_agree_with_what_was_put() {
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
    fn the_initial_board_is_the_one_everybody_knows() {
        let mut board = Board::EMPTY;
        for (n, letter) in "RNBQKBNRPPPPPPPP".chars().enumerate() {
            let white = Square::from_index(n);
            board.put(white, Piece::from_letter(letter).unwrap());
            board.put(white.flip_rank(), Piece::from_letter(letter.to_ascii_lowercase()).unwrap());
        }
        assert_eq!(board, Board::INITIAL);
        assert_eq!(size_of::<Board>(), 32);
    }
}
