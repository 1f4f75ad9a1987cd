//! Draws by repetition and the fifty-move rule, and what is wrong with a state, as flags.

use chess::{Color, PieceType, SetupProblems};

use super::moves::AnyMove;
use super::state::State;

/// The flags of `Status`, as in the Python enumeration.
mod flag {
    pub const NO_WHITE_KING: u32 = 1 << 0;
    pub const NO_BLACK_KING: u32 = 1 << 1;
    pub const TOO_MANY_KINGS: u32 = 1 << 2;
    pub const TOO_MANY_WHITE_PAWNS: u32 = 1 << 3;
    pub const TOO_MANY_BLACK_PAWNS: u32 = 1 << 4;
    pub const PAWNS_ON_BACKRANK: u32 = 1 << 5;
    pub const TOO_MANY_WHITE_PIECES: u32 = 1 << 6;
    pub const TOO_MANY_BLACK_PIECES: u32 = 1 << 7;
    pub const BAD_CASTLING_RIGHTS: u32 = 1 << 8;
    pub const INVALID_EP_SQUARE: u32 = 1 << 9;
    pub const OPPOSITE_CHECK: u32 = 1 << 10;
    pub const EMPTY: u32 = 1 << 11;
    pub const TOO_MANY_CHECKERS: u32 = 1 << 15;
    pub const IMPOSSIBLE_CHECK: u32 = 1 << 16;
}

impl State {
    /// What is wrong with the state; 0 if nothing is.
    pub fn status(&self) -> u32 {
        let problems = self.problems();
        let mut status = 0;
        let mut note = |flag: u32, holds: bool| {
            if holds {
                status |= flag;
            }
        };
        for (flag, problem) in [
            (flag::NO_WHITE_KING, SetupProblems::NO_WHITE_KING),
            (flag::NO_BLACK_KING, SetupProblems::NO_BLACK_KING),
            (flag::TOO_MANY_WHITE_PAWNS, SetupProblems::TOO_MANY_WHITE_PAWNS),
            (flag::TOO_MANY_BLACK_PAWNS, SetupProblems::TOO_MANY_BLACK_PAWNS),
            (flag::PAWNS_ON_BACKRANK, SetupProblems::PAWN_ON_LAST_RANK),
            (flag::TOO_MANY_WHITE_PIECES, SetupProblems::TOO_MANY_WHITE_PIECES),
            (flag::TOO_MANY_BLACK_PIECES, SetupProblems::TOO_MANY_BLACK_PIECES),
            (flag::INVALID_EP_SQUARE, SetupProblems::IMPOSSIBLE_EN_PASSANT),
            (flag::OPPOSITE_CHECK, SetupProblems::OPPONENT_IN_CHECK),
            (flag::IMPOSSIBLE_CHECK, SetupProblems::IMPOSSIBLE_CHECK),
        ] {
            note(flag, problems.contains(problem));
        }
        note(flag::EMPTY, self.occupied().is_empty());
        note(flag::TOO_MANY_KINGS, self.board().piece_type(PieceType::King).len() > 2);
        note(flag::TOO_MANY_CHECKERS, self.checkers().len() > 2);
        let castling = self.setup.castling_rooks;
        note(flag::BAD_CASTLING_RIGHTS, castling != self.clean_castling_rights());
        status
    }

    /// Whether the halfmove clock has reached this many plies and the game is not over by mate.
    pub fn is_halfmoves(&self, plies: u16) -> bool {
        self.setup.halfmove_clock >= plies && self.has_legal_move()
    }

    /// Whether the side to move can claim a draw by the fifty-move rule, with its next move at the latest.
    pub fn can_claim_fifty_moves(&self) -> bool {
        if self.is_halfmoves(100) {
            return true;
        }
        self.setup.halfmove_clock >= 99
            && self
                .all_moves()
                .into_iter()
                .filter(|&m| !self.is_zeroing(m))
                .any(|m| self.after(m).is_some_and(|next| next.is_halfmoves(100)))
    }

    /// Every legal move.
    pub fn all_moves(&self) -> Vec<AnyMove> {
        self.legal_moves(chess::Bitboard::FULL, chess::Bitboard::FULL)
    }

    /// Whether neither player can mate.
    pub fn is_insufficient_material(&self) -> bool {
        Color::ALL.into_iter().all(|color| self.board().has_insufficient_material(color))
    }

    /// Whether no earlier position can come back after the move: a capture, a pawn move, a loss of castling
    /// rights, or an en-passant capture that is forgone.
    pub fn is_irreversible(&self, m: AnyMove) -> bool {
        let Some(next) = self.after(m) else { return false };
        self.is_zeroing(m)
            || next.clean_castling_rights() != self.clean_castling_rights()
            || self.has_legal_en_passant()
    }
}
