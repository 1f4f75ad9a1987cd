//! A legal position, in one cache line.
//!
//! A [`Position`] can only be made from a [`Setup`](crate::Setup) that passes every check in
//! [`validate`](crate::validate), or from another position by a legal move. It therefore always has
//! one king each, never leaves the side that is not to move in check, and holds castling rights only
//! with the king and rook still at home. It is 64 bytes and `Copy`: moves are made by copying
//! ("copy-make"), without undo. [`Game`](crate::Game) keeps the history for repetitions.

use core::fmt;

use crate::{Bitboard, Board, Color, File, Piece, PieceType, Rank, Square, zobrist};

/// The en-passant file of a position without en passant.
pub(crate) const NO_FILE: u8 = 8;

/// A legal position of chess or Chess960.
///
/// ```
/// use tabiya_chess::{Position, Color};
/// let start = Position::INITIAL;
/// assert_eq!(start.legal_moves().len(), 20);
/// let e4 = start.parse_uci("e2e4")?;
/// let next = start.after(e4);
/// assert_eq!(next.turn(), Color::Black);
/// assert_eq!(next.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
/// # Ok::<(), tabiya_chess::UciError>(())
/// ```
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Position {
    pub(crate) board: Board,
    pub(crate) key: u64,
    pub(crate) pawn_key: u64,
    /// The castling rights, as the squares of their rooks.
    pub(crate) castling: Bitboard,
    pub(crate) halfmove_clock: u16,
    pub(crate) fullmove_number: u16,
    /// The file of a pawn that can be captured en passant, or [`NO_FILE`].
    pub(crate) en_passant_file: u8,
    pub(crate) turn: Color,
}

impl Position {
    /// The initial position of chess.
    pub const INITIAL: Self = Self {
        board: Board::INITIAL,
        key: INITIAL_KEYS.0,
        pawn_key: INITIAL_KEYS.1,
        castling: Bitboard(0x8100_0000_0000_0081),
        halfmove_clock: 0,
        fullmove_number: 1,
        en_passant_file: NO_FILE,
        turn: Color::White,
    };

    /// The piece placement.
    #[inline(always)]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The side to move.
    #[inline(always)]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The castling rights, as the squares of their rooks (in chess: a1, h1, a8, h8).
    #[inline(always)]
    pub const fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// The en-passant square, present only if the capture is legal.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        (self.en_passant_file < NO_FILE).then(|| {
            let rank = Rank::Sixth.relative_to(self.turn);
            Square::new(File::from_index_wrapping(self.en_passant_file as usize), rank)
        })
    }

    /// The halfmove clock: plies since the last capture or pawn move.
    #[inline(always)]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The fullmove number: 1 at the start, incremented after each move of Black.
    #[inline(always)]
    pub const fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The Zobrist key: equal for positions that are the same under the repetition rule.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The Zobrist key of the pawns alone.
    #[inline(always)]
    pub const fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// Every square with a piece on it.
    #[inline(always)]
    pub const fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// The pieces of one color and type.
    #[inline(always)]
    pub const fn pieces(&self, color: Color, piece_type: PieceType) -> Bitboard {
        self.board.pieces(color, piece_type)
    }

    /// The piece on a square.
    #[inline(always)]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board.piece_at(square)
    }

    /// The square of a player's king.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, PieceType::King).first_or_a1()
    }

    /// The pieces of both players that attack a square, with these squares taken as occupied.
    #[inline]
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.board.attackers(square, occupied)
    }

    /// The enemy pieces that give check.
    pub fn checkers(&self) -> Bitboard {
        let king = self.king(self.turn);
        self.attackers(king, self.occupied()) & self.board.color(!self.turn)
    }

    /// Whether the player to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers().any()
    }

    /// Whether the side to move is checkmated.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Whether the side to move is stalemated.
    pub fn is_stalemate(&self) -> bool {
        !self.in_check() && !self.has_legal_move()
    }

    /// Whether no sequence of legal moves lets this player mate: see [`Board::has_insufficient_material`].
    pub fn has_insufficient_material(&self, color: Color) -> bool {
        self.board.has_insufficient_material(color)
    }

    /// Whether neither player can mate: an automatic draw.
    pub fn is_insufficient_material(&self) -> bool {
        Color::ALL.into_iter().all(|color| self.has_insufficient_material(color))
    }

    /// Asserts all invariants; debug builds call this after every move.
    #[cfg(debug_assertions)]
    pub(crate) fn assert_invariants(&self) {
        let problems = crate::validate::problems(&crate::Setup::from(*self));
        assert!(problems.is_empty(), "{self:?}: {problems}");
        assert_eq!((self.key, self.pawn_key), zobrist::keys(self), "{self:?}");
        if self.en_passant_file != NO_FILE {
            assert!(self.legal_moves().iter().any(|m| m.kind() == crate::MoveKind::EnPassant));
        }
    }
}

/// The keys of the initial position; a test recomputes them.
const INITIAL_KEYS: (u64, u64) = zobrist::initial_keys();

/// All fields are compared, clocks included. For equality under the repetition rule compare
/// [keys](Position::key).
impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        (self.board, self.castling, self.en_passant_file, self.turn)
            == (other.board, other.castling, other.en_passant_file, other.turn)
            && (self.halfmove_clock, self.fullmove_number)
                == (other.halfmove_clock, other.fullmove_number)
    }
}

impl Eq for Position {}

impl core::hash::Hash for Position {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::INITIAL
    }
}

/// The position as FEN.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}
