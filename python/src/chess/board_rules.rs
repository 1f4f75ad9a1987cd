//! `Board`: attacks, checks, castling rights and draws.

use chess::Bitboard;
use pyo3::prelude::*;

use super::board::Board;
use super::convert::{AnyColor, AnySquare, AnySquares, MoveArgument};
use super::square_set::SquareSet;
use super::state::State;

impl Board {
    fn occurrences(&self, state: &State) -> usize {
        self.stack.iter().filter(|(earlier, _)| earlier.repeats(state)).count()
    }
}

#[pymethods]
impl Board {
    /// The squares of the pieces of a color that attack a square, as a number.
    #[pyo3(signature = (color, square, occupied=None))]
    fn attackers_mask(
        &self,
        color: AnyColor,
        square: AnySquare,
        occupied: Option<AnySquares>,
    ) -> u64 {
        let occupied = occupied.map_or(self.state.occupied(), |squares| squares.0);
        self.state.attackers(color.0, square.0, occupied).0
    }

    /// The pieces of a color that attack a square; pinned ones count, en passant does not.
    #[pyo3(signature = (color, square, occupied=None))]
    fn attackers(
        &self,
        color: AnyColor,
        square: AnySquare,
        occupied: Option<AnySquares>,
    ) -> SquareSet {
        SquareSet(Bitboard(self.attackers_mask(color, square, occupied)))
    }

    /// Whether a color attacks a square.
    #[pyo3(signature = (color, square, occupied=None))]
    fn is_attacked_by(
        &self,
        color: AnyColor,
        square: AnySquare,
        occupied: Option<AnySquares>,
    ) -> bool {
        self.attackers_mask(color, square, occupied) != 0
    }

    /// The squares that the piece on a square attacks, as a number.
    fn attacks_mask(&self, square: AnySquare) -> u64 {
        self.state.attacks(square.0).0
    }

    /// The squares that the piece on a square attacks; none if it is empty.
    fn attacks(&self, square: AnySquare) -> SquareSet {
        SquareSet(self.state.attacks(square.0))
    }

    /// The pieces that give check, as a number.
    fn checkers_mask(&self) -> u64 {
        self.state.checkers().0
    }

    /// The pieces that give check.
    fn checkers(&self) -> SquareSet {
        SquareSet(self.state.checkers())
    }

    /// Whether the side to move is in check.
    fn is_check(&self) -> bool {
        self.state.checkers().any()
    }

    /// Whether a pseudo-legal move gives check.
    fn gives_check(&self, r#move: MoveArgument) -> bool {
        self.state.after(r#move.0).is_some_and(|next| next.checkers().any())
    }

    /// Whether a pseudo-legal move leaves the own king in check.
    fn is_into_check(&self, r#move: MoveArgument) -> bool {
        self.state.is_into_check(r#move.0)
    }

    /// Whether the king of the side not to move is attacked.
    fn was_into_check(&self) -> bool {
        self.state.opponent_in_check()
    }

    /// The line on which a piece of this color is pinned to its king, as a number; all squares if it is not.
    fn pin_mask(&self, color: AnyColor, square: AnySquare) -> u64 {
        self.state.pin(color.0, square.0).0
    }

    /// The line on which a piece of this color is pinned to its king; all squares if it is not.
    fn pin(&self, color: AnyColor, square: AnySquare) -> SquareSet {
        SquareSet(self.state.pin(color.0, square.0))
    }

    /// Whether a piece of this color on the square is (or would be) pinned to its king.
    fn is_pinned(&self, color: AnyColor, square: AnySquare) -> bool {
        self.state.pin(color.0, square.0) != Bitboard::FULL
    }

    /// Whether a pseudo-legal move captures.
    fn is_capture(&self, r#move: MoveArgument) -> bool {
        self.state.is_capture(r#move.0)
    }

    /// Whether a pseudo-legal move captures en passant.
    fn is_en_passant(&self, r#move: MoveArgument) -> bool {
        self.state.is_en_passant(r#move.0)
    }

    /// Whether a pseudo-legal move castles.
    fn is_castling(&self, r#move: MoveArgument) -> bool {
        self.state.is_castling(r#move.0)
    }

    /// Whether a pseudo-legal move captures or moves a pawn.
    fn is_zeroing(&self, r#move: MoveArgument) -> bool {
        self.state.is_zeroing(r#move.0)
    }

    /// Whether no earlier position can come back after the move.
    fn is_irreversible(&self, r#move: MoveArgument) -> bool {
        self.state.is_irreversible(r#move.0)
    }

    /// The castling rights that king and rook at home can have.
    fn clean_castling_rights(&self) -> u64 {
        self.state.clean_castling_rights().0
    }

    /// Whether a player has a castling right on the king's or the queen's side.
    fn has_castling_rights(&self, color: AnyColor) -> bool {
        [false, true].into_iter().any(|king_side| self.state.has_castling_right(color.0, king_side))
    }

    /// Whether a player has the right to castle on the king's side.
    fn has_kingside_castling_rights(&self, color: AnyColor) -> bool {
        self.state.has_castling_right(color.0, true)
    }

    /// Whether a player has the right to castle on the queen's side.
    fn has_queenside_castling_rights(&self, color: AnyColor) -> bool {
        self.state.has_castling_right(color.0, false)
    }

    /// Whether a pseudo-legal en-passant capture is possible.
    fn has_pseudo_legal_en_passant(&self) -> bool {
        !self.state.pseudo_legal_en_passant(Bitboard::FULL, Bitboard::FULL).is_empty()
    }

    /// Whether a legal en-passant capture is possible.
    fn has_legal_en_passant(&self) -> bool {
        self.state.has_legal_en_passant()
    }

    /// What is wrong with the position, as the number of `Status`.
    fn _status(&self) -> u32 {
        self.state.status()
    }

    /// Whether the side to move is checkmated.
    fn is_checkmate(&self) -> bool {
        self.state.checkers().any() && !self.state.has_legal_move()
    }

    /// Whether the side to move is stalemated.
    fn is_stalemate(&self) -> bool {
        self.state.checkers().is_empty() && !self.state.has_legal_move()
    }

    /// Whether neither player can mate.
    fn is_insufficient_material(&self) -> bool {
        self.state.is_insufficient_material()
    }

    /// Whether a player cannot mate with any sequence of legal moves.
    fn has_insufficient_material(&self, color: AnyColor) -> bool {
        self.state.board().has_insufficient_material(color.0)
    }

    /// Whether the game is drawn by 75 moves without capture or pawn move.
    fn is_seventyfive_moves(&self) -> bool {
        self.state.is_halfmoves(150)
    }

    /// Whether 50 moves have passed without capture or pawn move.
    fn is_fifty_moves(&self) -> bool {
        self.state.is_halfmoves(100)
    }

    /// Whether a draw by the fifty-move rule can be claimed, with the next move at the latest.
    fn can_claim_fifty_moves(&self) -> bool {
        self.state.can_claim_fifty_moves()
    }

    /// Whether the position has occurred at least this often.
    #[pyo3(signature = (count=3))]
    fn is_repetition(&self, count: usize) -> bool {
        self.occurrences(&self.state) + 1 >= count
    }

    /// Whether the position has occurred five times.
    fn is_fivefold_repetition(&self) -> bool {
        self.is_repetition(5)
    }

    /// Whether a draw by threefold repetition can be claimed, with the next move at the latest.
    fn can_claim_threefold_repetition(&self) -> bool {
        if self.is_repetition(3) {
            return true;
        }
        // The position itself is one of those that a move can lead back to.
        let recurs =
            |next: &State| self.occurrences(next) + usize::from(next.repeats(&self.state)) >= 2;
        self.stack.len() >= 3
            && self
                .state
                .all_moves()
                .into_iter()
                .filter_map(|m| self.state.after(m))
                .any(|next| recurs(&next))
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let (this, other) = (slf.try_borrow()?, other.try_borrow()?);
        let clocks = |state: &State| (state.setup.halfmove_clock, state.setup.fullmove_number);
        Ok(clocks(&this.state) == clocks(&other.state) && this.state.repeats(&other.state))
    }
}
