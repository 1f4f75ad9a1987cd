//! Validation of setups: one predicate for each problem.
//!
//! [`Setup::position`](crate::Setup::position) evaluates all of them and reports every problem; debug builds
//! repeat this after every move.

use core::fmt;

use crate::{Bitboard, Board, Color, PieceType, Rank, Setup, Square, attacks, sliders};

bitflags::bitflags! {
    /// The problems of a [`Setup`].
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct SetupProblems: u32 {
        /// White has no king.
        const NO_WHITE_KING = 1 << 0;
        /// Black has no king.
        const NO_BLACK_KING = 1 << 1;
        /// White has more than one king.
        const TOO_MANY_WHITE_KINGS = 1 << 2;
        /// Black has more than one king.
        const TOO_MANY_BLACK_KINGS = 1 << 3;
        /// White has more than 16 pieces.
        const TOO_MANY_WHITE_PIECES = 1 << 4;
        /// Black has more than 16 pieces.
        const TOO_MANY_BLACK_PIECES = 1 << 5;
        /// White has more than 8 pawns.
        const TOO_MANY_WHITE_PAWNS = 1 << 6;
        /// Black has more than 8 pawns.
        const TOO_MANY_BLACK_PAWNS = 1 << 7;
        /// White has more promoted pieces than missing pawns.
        const TOO_MANY_WHITE_PROMOTIONS = 1 << 8;
        /// Black has more promoted pieces than missing pawns.
        const TOO_MANY_BLACK_PROMOTIONS = 1 << 9;
        /// A pawn stands on the first or the eighth rank.
        const PAWN_ON_LAST_RANK = 1 << 10;
        /// The side that is not to move is in check: its king could be taken.
        const OPPONENT_IN_CHECK = 1 << 11;
        /// An impossible check: three checkers, two on one line, or a check inconsistent with the double push
        /// of the en-passant square.
        const IMPOSSIBLE_CHECK = 1 << 12;
        /// A castling right names a square where that player has no rook on his home rank.
        const CASTLING_RIGHT_WITHOUT_ROOK = 1 << 13;
        /// A castling right of a player whose king is not on his home rank.
        const CASTLING_RIGHT_WITHOUT_KING = 1 << 14;
        /// Two castling rights of a player on the same side of his king.
        const TWO_CASTLING_RIGHTS_ON_ONE_SIDE = 1 << 15;
        /// No pawn can just have passed the en-passant square.
        const IMPOSSIBLE_EN_PASSANT = 1 << 16;

        /// The problems that [`Setup::position_forgiving`] can forgive.
        const FORGIVABLE = Self::IMPOSSIBLE_CHECK.bits()
            | Self::CASTLING_RIGHT_WITHOUT_ROOK.bits()
            | Self::CASTLING_RIGHT_WITHOUT_KING.bits()
            | Self::TWO_CASTLING_RIGHTS_ON_ONE_SIDE.bits()
            | Self::IMPOSSIBLE_EN_PASSANT.bits();
    }
}

/// The message of each problem, in the order of the flags.
const SENTENCES: [&str; 17] = [
    "White has no king",
    "Black has no king",
    "White has more than one king",
    "Black has more than one king",
    "White has more than 16 pieces",
    "Black has more than 16 pieces",
    "White has more than 8 pawns",
    "Black has more than 8 pawns",
    "White has more promoted pieces than missing pawns",
    "Black has more promoted pieces than missing pawns",
    "a pawn stands on the first or the eighth rank",
    "the side not to move is in check",
    "the check cannot have come about",
    "a castling right without its rook",
    "a castling right without the king on his home rank",
    "two castling rights on one side of a king",
    "no pawn can have passed the en-passant square",
];

impl fmt::Display for SetupProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = SENTENCES
            .iter()
            .enumerate()
            .filter(|&(bit, _)| self.bits() & (1 << bit) != 0)
            .map(|(_, sentence)| *sentence);
        for (n, sentence) in named.enumerate() {
            write!(f, "{}{sentence}", if n == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

/// All problems of a setup.
pub(crate) fn problems(setup: &Setup) -> SetupProblems {
    let board = &setup.board;
    let mut found = SetupProblems::empty();
    for color in Color::ALL {
        // The flags of the two players stand side by side.
        let mut note = |problem: SetupProblems, holds: bool| {
            if holds {
                found |= SetupProblems::from_bits_truncate(problem.bits() << color.index());
            }
        };
        let kings = board.pieces(color, PieceType::King).len();
        note(SetupProblems::NO_WHITE_KING, kings == 0);
        note(SetupProblems::TOO_MANY_WHITE_KINGS, kings > 1);
        note(SetupProblems::TOO_MANY_WHITE_PIECES, board.color(color).len() > 16);
        let pawns = board.pieces(color, PieceType::Pawn).len();
        note(SetupProblems::TOO_MANY_WHITE_PAWNS, pawns > 8);
        let promotions = promoted(board, color);
        note(SetupProblems::TOO_MANY_WHITE_PROMOTIONS, promotions > 8usize.saturating_sub(pawns));
    }
    let last_ranks = Rank::First.bitboard() | Rank::Eighth.bitboard();
    let mut note = |problem: SetupProblems, holds: bool| {
        if holds {
            found |= problem;
        }
    };
    note(
        SetupProblems::PAWN_ON_LAST_RANK,
        !board.piece_type(PieceType::Pawn).is_disjoint(last_ranks),
    );
    note(SetupProblems::OPPONENT_IN_CHECK, checkers(setup, !setup.turn).any());
    if setup.en_passant.is_some() {
        note(SetupProblems::IMPOSSIBLE_EN_PASSANT, !en_passant_is_possible(setup));
    }
    note(SetupProblems::IMPOSSIBLE_CHECK, !check_is_possible(setup));
    if setup.castling_rooks.any() {
        found |= castling_problems(setup);
    }
    found
}

/// The number of promoted pieces a player must have.
fn promoted(board: &Board, color: Color) -> usize {
    let own = board.color(color);
    let beyond = |set: Bitboard, initial: usize| (set & own).len().saturating_sub(initial);
    let bishops = board.piece_type(PieceType::Bishop);
    beyond(board.piece_type(PieceType::Knight), 2)
        + beyond(bishops & Bitboard::LIGHT_SQUARES, 1)
        + beyond(bishops & Bitboard::DARK_SQUARES, 1)
        + beyond(board.piece_type(PieceType::Rook), 2)
        + beyond(board.piece_type(PieceType::Queen), 1)
}

/// The pieces that attack this player's king, with these squares occupied.
fn attackers_of_king(board: &Board, color: Color, occupied: Bitboard) -> Bitboard {
    let Some(king) = board.pieces(color, PieceType::King).first() else {
        return Bitboard::EMPTY;
    };
    let attackers = (attacks::pawn(color, king) & board.piece_type(PieceType::Pawn))
        | (attacks::knight(king) & board.piece_type(PieceType::Knight))
        | (attacks::king(king) & board.piece_type(PieceType::King))
        | (sliders::bishop(king, occupied) & board.diagonal_sliders())
        | (sliders::rook(king, occupied) & board.straight_sliders());
    attackers & board.color(!color)
}

fn checkers(setup: &Setup, color: Color) -> Bitboard {
    attackers_of_king(&setup.board, color, setup.board.occupied())
}

/// Whether a last move can have given this check.
fn check_is_possible(setup: &Setup) -> bool {
    let checkers = checkers(setup, setup.turn);
    let (Some(first), Some(last)) = (checkers.first(), checkers.last()) else { return true };
    let Some(king) = setup.board.pieces(setup.turn, PieceType::King).first() else { return true };
    if checkers.len() > 2 || (first != last && attacks::line(first, last).has(king)) {
        return false;
    }
    match setup.en_passant {
        Some(square) if en_passant_is_possible(setup) => {
            // The last move was a pawn's double step: it gave check itself, or its pawn uncovered
            // the checker when it left. A checker that was there before the step would have been
            // attacking a king whose player had just moved.
            let (pawn, origin) = passed(setup, square);
            let before = (setup.board.occupied() - pawn.bitboard()) | origin.bitboard();
            let old = attackers_of_king(&setup.board, setup.turn, before) - pawn.bitboard();
            old.is_empty()
        }
        _ => true,
    }
}

/// The squares of the double push over the en-passant square: target and origin.
fn passed(setup: &Setup, square: Square) -> (Square, Square) {
    let towards = if setup.turn == Color::White { -8 } else { 8 };
    (square.step(towards), square.step(-towards))
}

/// Whether the last move can have been a double push over the en-passant square.
fn en_passant_is_possible(setup: &Setup) -> bool {
    setup.en_passant.is_none_or(|square| {
        let (pawn, origin) = passed(setup, square);
        square.rank() == setup.en_passant_rank()
            && setup.board.pieces(!setup.turn, PieceType::Pawn).has(pawn)
            && setup.board.occupied().is_disjoint(square.bitboard() | origin.bitboard())
    })
}

fn castling_problems(setup: &Setup) -> SetupProblems {
    let mut found = SetupProblems::empty();
    let mut left = setup.castling_rooks;
    for color in Color::ALL {
        let home = Rank::First.relative_to(color).bitboard();
        let claimed = setup.castling_rooks & home;
        left -= home;
        if claimed.is_empty() {
            continue;
        }
        if !claimed.is_subset(setup.board.pieces(color, PieceType::Rook)) {
            found |= SetupProblems::CASTLING_RIGHT_WITHOUT_ROOK;
        }
        match (setup.board.pieces(color, PieceType::King) & home).first() {
            None => found |= SetupProblems::CASTLING_RIGHT_WITHOUT_KING,
            Some(king) if sides(claimed, king).into_iter().any(Bitboard::many) => {
                found |= SetupProblems::TWO_CASTLING_RIGHTS_ON_ONE_SIDE;
            }
            Some(_) => {}
        }
    }
    if left.any() {
        found |= SetupProblems::CASTLING_RIGHT_WITHOUT_ROOK;
    }
    found
}

/// The squares of a set below and above the king's index.
fn sides(set: Bitboard, king: Square) -> [Bitboard; 2] {
    let below = Bitboard(king.bitboard().0 - 1);
    [set & below, set - below - king.bitboard()]
}

/// The valid castling rights: king and rook at home, one on each side.
pub(crate) fn possible_castling(setup: &Setup) -> Bitboard {
    let mut possible = Bitboard::EMPTY;
    for color in Color::ALL {
        let home = Rank::First.relative_to(color).bitboard();
        let Some(king) = (setup.board.pieces(color, PieceType::King) & home).first() else {
            continue;
        };
        let rooks = setup.castling_rooks & home & setup.board.pieces(color, PieceType::Rook);
        let [queen_side, king_side] = sides(rooks, king);
        // Of several on one side the outermost is meant.
        possible |= queen_side.first().into_iter().chain(king_side.last()).collect();
    }
    possible
}
