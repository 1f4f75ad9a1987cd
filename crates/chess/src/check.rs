//! Whether a move gives check, without making it.

use crate::{Bitboard, Move, MoveKind, PieceType, Position, Square, attacks, sliders};

impl Position {
    /// Whether a legal move gives check.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let position: Position = "4k3/8/8/8/8/8/4N3/K3R3 w - - 0 1".parse().unwrap();
    /// let uncovers = position.parse_uci("e2c3").unwrap();
    /// assert!(position.gives_check(uncovers));
    /// ```
    pub fn gives_check(&self, m: Move) -> bool {
        let board = self.board();
        let own = board.color(self.turn());
        let king = self.king(!self.turn());
        let (from, to) = (m.from().bitboard(), m.to().bitboard());
        let moved = board.piece_type_at(m.from()).unwrap_or(PieceType::Pawn);
        let straight = board.straight_sliders() & own;
        let diagonal = board.diagonal_sliders() & own;

        if m.is_castling() {
            let rook_to = m.castling_rook_to().bitboard();
            let occupied =
                (self.occupied() ^ from ^ to) | m.castling_king_to().bitboard() | rook_to;
            return hit(king, occupied, (straight - to) | rook_to, diagonal);
        }
        let mut occupied = (self.occupied() - from) | to;
        if m.kind() == MoveKind::EnPassant {
            occupied -= Square::new(m.to().file(), m.from().rank()).bitboard();
        }
        let piece = m.promotion().unwrap_or(moved);
        let direct = match piece {
            PieceType::Pawn => attacks::pawn(self.turn(), m.to()).has(king),
            PieceType::Knight => attacks::knight(m.to()).has(king),
            _ => false,
        };
        let arrives = |slides: bool| if slides { to } else { Bitboard::EMPTY };
        let straight_now = arrives(matches!(piece, PieceType::Rook | PieceType::Queen));
        let diagonal_now = arrives(matches!(piece, PieceType::Bishop | PieceType::Queen));
        direct
            || hit(
                king,
                occupied,
                (straight - from) | straight_now,
                (diagonal - from) | diagonal_now,
            )
    }
}

/// Whether any of these sliders attacks the king.
fn hit(king: Square, occupied: Bitboard, straight: Bitboard, diagonal: Bitboard) -> bool {
    !sliders::rook(king, occupied).is_disjoint(straight)
        || !sliders::bishop(king, occupied).is_disjoint(diagonal)
}
