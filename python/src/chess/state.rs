//! The state of a Python board: any setup, legal or not, with the promoted pieces and the castling mode.
//!
//! A Python board is edited square by square and may hold anything, so the rules here assume nothing: no
//! king, three kings and pawns on the last rank are all allowed. For states that are legal positions,
//! `generate` takes the moves from the chess library; the tests compare the two.

use chess::{
    Bitboard, Board, Color, File, Piece, PieceType, Position, Rank, Setup, Square, attacks,
};

use super::moves::AnyMove;

/// A setup with what a Python board stores besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// Pieces, side to move, castling rights as set, en-passant square as set, clocks.
    pub setup: Setup,
    /// The promoted pieces.
    pub promoted: Bitboard,
    /// Whether castling rights may be those of Chess960 and castling is written as king takes rook.
    pub chess960: bool,
}

impl State {
    /// The initial position of chess.
    pub fn initial() -> Self {
        Self::from(Setup::from(Position::INITIAL))
    }

    /// The pieces.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.setup.board
    }

    /// The side to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.setup.turn
    }

    /// Every square with a piece on it.
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        self.setup.board.occupied()
    }

    /// The kings of a player that are no promoted pieces.
    pub fn kings(&self, color: Color) -> Bitboard {
        self.board().pieces(color, PieceType::King) - self.promoted
    }

    /// The square of a player's king: the last of several.
    pub fn king(&self, color: Color) -> Option<Square> {
        self.kings(color).last()
    }

    /// The pieces of a player that attack a square, with these squares taken as occupied.
    pub fn attackers(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        self.board().attackers(square, occupied) & self.board().color(color)
    }

    /// Whether a player attacks any of these squares.
    pub fn attacks_any(&self, color: Color, squares: Bitboard, occupied: Bitboard) -> bool {
        squares.into_iter().any(|square| self.attackers(color, square, occupied).any())
    }

    /// The squares attacked by the piece on a square.
    pub fn attacks(&self, square: Square) -> Bitboard {
        self.board().piece_at(square).map_or(Bitboard::EMPTY, |piece| {
            attacks::of(piece.color(), piece.piece_type(), square, self.occupied())
        })
    }

    /// The pieces that give check.
    pub fn checkers(&self) -> Bitboard {
        self.king(self.turn())
            .map_or(Bitboard::EMPTY, |king| self.attackers(!self.turn(), king, self.occupied()))
    }

    /// Whether the king of the side not to move can be captured.
    pub fn opponent_in_check(&self) -> bool {
        let king = self.king(!self.turn());
        king.is_some_and(|king| self.attackers(self.turn(), king, self.occupied()).any())
    }

    /// The line on which a piece of this player on the square is pinned to the king, from edge to edge; all
    /// squares if there is no pin.
    pub fn pin(&self, color: Color, square: Square) -> Bitboard {
        let Some(king) = self.king(color) else { return Bitboard::FULL };
        let line = attacks::line(king, square);
        if king == square || line.is_empty() {
            return Bitboard::FULL;
        }
        let straight = king.file() == square.file() || king.rank() == square.rank();
        let snipers = if straight {
            self.board().straight_sliders()
        } else {
            self.board().diagonal_sliders()
        };
        let blockers = self.occupied() | square.bitboard();
        let pins = |sniper| attacks::between(king, sniper) & blockers == square.bitboard();
        let mut snipers = (snipers & line & self.board().color(!color)).into_iter();
        if snipers.any(pins) { line } else { Bitboard::FULL }
    }

    /// The piece on a square, replaced or removed.
    pub fn set_piece(&mut self, square: Square, piece: Option<Piece>, promoted: bool) {
        self.setup.board.remove(square);
        self.promoted -= square.bitboard();
        if let Some(piece) = piece {
            self.setup.board.put(square, piece);
            if promoted {
                self.promoted |= square.bitboard();
            }
        }
    }

    /// Castling as king takes rook, for a move that castles by the king's target square.
    pub fn king_takes_rook(&self, m: AnyMove) -> AnyMove {
        let (Some(from), Some(to)) = (m.from(), m.to()) else { return m };
        let rook_file = match (from.file(), to.file()) {
            (File::E, File::G) => File::H,
            (File::E, File::C) => File::A,
            _ => return m,
        };
        let home = from.rank() == to.rank() && matches!(from.rank(), Rank::First | Rank::Eighth);
        let rook = Square::new(rook_file, from.rank());
        let castles = home
            && self.board().piece_type(PieceType::King).has(from)
            && !self.board().piece_type(PieceType::Rook).has(to)
            && self.board().piece_type(PieceType::Rook).has(rook);
        if castles { m.with_to(rook) } else { m }
    }

    /// Castling as it is written on this board: by the king's target square unless it is a Chess960 board.
    pub fn written_as(&self, m: AnyMove, chess960: bool) -> AnyMove {
        let (Some(from), Some(to)) = (m.from(), m.to()) else { return m };
        let home = from.rank() == to.rank() && matches!(from.rank(), Rank::First | Rank::Eighth);
        let king_file = match (from.file(), to.file()) {
            (File::E, File::H) => File::G,
            (File::E, File::A) => File::C,
            _ => return m,
        };
        if chess960 || !home || !self.board().piece_type(PieceType::King).has(from) {
            return m;
        }
        m.with_to(Square::new(king_file, from.rank()))
    }

    /// Whether the move castles, in either notation.
    pub fn is_castling(&self, m: AnyMove) -> bool {
        let (Some(from), Some(to)) = (m.from(), m.to()) else { return false };
        let own_rooks = self.board().pieces(self.turn(), PieceType::Rook);
        self.board().piece_type(PieceType::King).has(from)
            && (from.file().index().abs_diff(to.file().index()) > 1 || own_rooks.has(to))
    }

    /// Whether the move captures en passant.
    pub fn is_en_passant(&self, m: AnyMove) -> bool {
        let (Some(from), Some(to)) = (m.from(), m.to()) else { return false };
        self.setup.en_passant == Some(to)
            && self.board().piece_type(PieceType::Pawn).has(from)
            && from.file() != to.file()
            && from.rank().index().abs_diff(to.rank().index()) == 1
            && !self.occupied().has(to)
    }

    /// Whether the move captures, en passant included.
    pub fn is_capture(&self, m: AnyMove) -> bool {
        let (Some(_), Some(to)) = (m.from(), m.to()) else { return false };
        self.board().color(!self.turn()).has(to) || self.is_en_passant(m)
    }

    /// Whether the move captures or moves a pawn.
    pub fn is_zeroing(&self, m: AnyMove) -> bool {
        let (Some(from), Some(_)) = (m.from(), m.to()) else { return false };
        self.is_capture(m) || self.board().piece_type(PieceType::Pawn).has(from)
    }

    /// Makes a move, which need not be legal; `false` if there is no piece to move.
    pub fn push(&mut self, m: AnyMove) -> bool {
        let turn = self.turn();
        let m = self.king_takes_rook(m);
        let squares = (m.from(), m.to());
        let before = *self;
        self.setup.en_passant = None;
        self.setup.castling_rooks = self.clean_castling_rights();
        self.setup.halfmove_clock = self.setup.halfmove_clock.saturating_add(1);
        if turn == Color::Black {
            self.setup.fullmove_number = self.setup.fullmove_number.saturating_add(1);
        }
        self.setup.turn = !turn;
        if m.is_null() {
            return true;
        }
        let ((Some(from), Some(to)), None) = (squares, m.drop()) else {
            *self = before;
            return false;
        };
        let Some(piece) = before.board().piece_at(from) else {
            *self = before;
            return false;
        };
        if before.is_zeroing(m) {
            self.setup.halfmove_clock = 0;
        }
        self.setup.castling_rooks -= from.bitboard() | to.bitboard();
        let promoted = before.promoted.has(from);
        if piece.piece_type() == PieceType::King {
            self.setup.castling_rooks -= Rank::First.relative_to(turn).bitboard();
            if before.board().pieces(turn, PieceType::Rook).has(to) {
                self.castle(turn, from, to);
                return true;
            }
        }
        if before.is_en_passant(m) {
            self.set_piece(Square::new(to.file(), from.rank()), None, false);
        }
        self.set_piece(from, None, false);
        let (placed, promoted) = match m.promotion() {
            Some(piece_type) => (Piece::new(turn, piece_type), true),
            None => (Piece::new(turn, piece.piece_type()), promoted),
        };
        self.set_piece(to, Some(placed), promoted);
        let second = Rank::Second.relative_to(turn);
        let fourth = if turn == Color::White { Rank::Fourth } else { Rank::Fifth };
        if piece.piece_type() == PieceType::Pawn
            && (from.rank(), to.rank(), from.file()) == (second, fourth, to.file())
        {
            let third = Rank::Third.relative_to(turn);
            self.setup.en_passant = Some(Square::new(from.file(), third));
        }
        true
    }

    fn castle(&mut self, turn: Color, king: Square, rook: Square) {
        let king_side = rook.file() > king.file();
        let (king_file, rook_file) =
            if king_side { (File::G, File::F) } else { (File::C, File::D) };
        self.set_piece(king, None, false);
        self.set_piece(rook, None, false);
        let home = king.rank();
        self.set_piece(
            Square::new(king_file, home),
            Some(Piece::new(turn, PieceType::King)),
            false,
        );
        self.set_piece(
            Square::new(rook_file, home),
            Some(Piece::new(turn, PieceType::Rook)),
            false,
        );
    }

    /// The state after a move; `None` if there is no piece to move.
    pub fn after(&self, m: AnyMove) -> Option<Self> {
        let mut next = *self;
        next.push(m).then_some(next)
    }

    /// Whether both are the same position under the repetition rule.
    pub fn repeats(&self, other: &Self) -> bool {
        let legal_en_passant =
            |state: &Self| state.setup.en_passant.filter(|_| state.has_legal_en_passant());
        self.setup.board == other.setup.board
            && self.turn() == other.turn()
            && self.clean_castling_rights() == other.clean_castling_rights()
            && legal_en_passant(self) == legal_en_passant(other)
    }
}

impl From<Setup> for State {
    fn from(setup: Setup) -> Self {
        Self { setup, promoted: Bitboard::EMPTY, chess960: false }
    }
}
