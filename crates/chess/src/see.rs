//! Static exchange evaluation (SEE): the material gain of a capture if both sides keep recapturing on that
//! square with the least valuable attacker, and stop when it no longer pays.
//!
//! It ignores pins, checks and promotions during the exchange: a heuristic for ordering and pruning moves.

use crate::{Bitboard, Color, Move, MoveKind, PieceType, Position, Square, sliders};

/// Piece values in centipawns. The king can capture but is never captured.
pub const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 20_000];

const fn value(piece_type: PieceType) -> i32 {
    VALUES[piece_type.index()]
}

impl Position {
    /// The static exchange evaluation of a legal move, from the side to move's view.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let position: Position = "4k3/8/3p4/4p3/8/8/8/4RK2 w - - 0 1".parse().unwrap();
    /// let takes = position.parse_uci("e1e5").unwrap();
    /// assert_eq!(position.see(takes), 100 - 500);
    /// assert!(!position.see_reaches(takes, 0));
    /// ```
    pub fn see(&self, m: Move) -> i32 {
        if m.is_castling() {
            return 0;
        }
        let (gain, mut on_square, mut occupied) = self.first_capture(m);
        // gains[n]: what the n-th capture is worth if the exchange stops after it.
        let mut gains = [0; 33];
        gains[0] = gain;
        let mut depth = 0;
        let mut turn = !self.turn();
        let mut attackers = self.exchange_attackers(m.to(), occupied);
        while let Some((piece, from)) = self.cheapest(attackers & occupied, turn) {
            if piece == PieceType::King && self.defended(attackers & occupied, !turn) {
                break; // a king does not take what is defended
            }
            depth += 1;
            gains[depth % 33] = value(on_square) - gains[depth - 1];
            on_square = piece;
            occupied -= from.bitboard();
            attackers |= self.uncovered(piece, m.to(), occupied);
            turn = !turn;
        }
        // Backwards: nobody has to capture.
        for n in (1..=depth).rev() {
            gains[n - 1] = -gains[n].max(-gains[n - 1]);
        }
        gains[0]
    }

    /// Whether [`see`](Position::see) is at least a threshold, with early exits.
    pub fn see_reaches(&self, m: Move, threshold: i32) -> bool {
        if m.is_castling() {
            return 0 >= threshold;
        }
        let (gain, on_square, mut occupied) = self.first_capture(m);
        // `balance` is the result for the side that has just captured if the exchange stopped here.
        let mut balance = gain - threshold;
        if balance < 0 {
            return false;
        }
        balance -= value(on_square);
        if balance >= 0 {
            return true; // even if the capturing piece is lost for nothing
        }
        let mut turn = !self.turn();
        let mut attackers = self.exchange_attackers(m.to(), occupied);
        // From here on `balance` is negative for the side that has just captured if it is taken back.
        while let Some((piece, from)) = self.cheapest(attackers & occupied, turn) {
            if piece == PieceType::King && self.defended(attackers & occupied, !turn) {
                break;
            }
            occupied -= from.bitboard();
            attackers |= self.uncovered(piece, m.to(), occupied);
            turn = !turn;
            balance = -balance - 1 - value(piece);
            if balance >= 0 {
                break; // the other side need not continue
            }
        }
        // Whoever is to capture and cannot, or need not, has lost the exchange.
        turn != self.turn()
    }

    /// The immediate gain, the piece then on the square, and the occupancy after the move.
    fn first_capture(&self, m: Move) -> (i32, PieceType, Bitboard) {
        let board = self.board();
        let moved = board.piece_type_at(m.from()).unwrap_or(PieceType::Pawn);
        let mut occupied = (self.occupied() - m.from().bitboard()) | m.to().bitboard();
        let mut gain = board.piece_type_at(m.to()).map_or(0, value);
        if m.kind() == MoveKind::EnPassant {
            occupied -= Square::new(m.to().file(), m.from().rank()).bitboard();
            gain = value(PieceType::Pawn);
        }
        let on_square = m.promotion().unwrap_or(moved);
        gain += value(on_square) - value(moved);
        (gain, on_square, occupied)
    }

    fn exchange_attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attackers(square, occupied) & occupied
    }

    /// X-ray attackers: sliders that reach the square once this piece has left a line it can stand on.
    #[inline(always)]
    fn uncovered(&self, piece: PieceType, square: Square, occupied: Bitboard) -> Bitboard {
        let straight = || sliders::rook(square, occupied) & self.board().straight_sliders();
        let diagonal = || sliders::bishop(square, occupied) & self.board().diagonal_sliders();
        match piece {
            PieceType::Knight => Bitboard::EMPTY,
            PieceType::Pawn | PieceType::Bishop => diagonal(),
            PieceType::Rook => straight(),
            PieceType::Queen | PieceType::King => straight() | diagonal(),
        }
    }

    fn cheapest(&self, attackers: Bitboard, color: Color) -> Option<(PieceType, Square)> {
        PieceType::ALL.into_iter().find_map(|piece_type| {
            (attackers & self.pieces(color, piece_type)).first().map(|from| (piece_type, from))
        })
    }

    fn defended(&self, attackers: Bitboard, color: Color) -> bool {
        !attackers.is_disjoint(self.board().color(color))
    }
}
