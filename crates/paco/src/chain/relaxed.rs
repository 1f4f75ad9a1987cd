//! The relaxed problem: every piece that could ever be left in a union is available there, and the board is as
//! open as it can become.
//!
//! Every real chain is possible here, so that "no" is a proof. The sets only grow: a fixed point over at most
//! five piece types on sixteen unions.

use chess::{Bitboard, Square};

use super::{Board, Origin};
use crate::PieceType;

/// How far a piece type on a union is from a target in the relaxed problem; `FAR` if it is out of
/// reach.
pub(crate) const FAR: u8 = u8::MAX;

/// The five types that can be in a chain.
const CHAINING: [PieceType; 5] =
    [PieceType::Pawn, PieceType::Rook, PieceType::Knight, PieceType::Bishop, PieceType::Queen];

/// Which types may be in the hand over which squares.
struct Reach<'a, 'b> {
    board: &'a Board<'b>,
    open: Bitboard,
    /// Where each type may be found in a union.
    present: [Bitboard; 5],
    /// Which unions may be arrived at.
    arrived: Bitboard,
    /// Which types have been taken in hand where.
    done: [Bitboard; 5],
}

impl<'a, 'b> Reach<'a, 'b> {
    fn new(board: &'a Board<'b>, occupied: Bitboard) -> Self {
        let mut present = [Bitboard::EMPTY; 5];
        for square in board.unions {
            if let Some(set) = present.get_mut(board.kind(square).index()) {
                *set |= square.bitboard();
            }
        }
        let mut open = occupied;
        if let Some(strike) = board.strike {
            // The runner's union may stand on either of two squares; its first one may open lines.
            open -= strike.from.bitboard();
            for set in &mut present {
                if set.has(strike.from) {
                    *set |= strike.to.bitboard();
                }
            }
        }
        Self { board, open, present, arrived: Bitboard::EMPTY, done: [Bitboard::EMPTY; 5] }
    }

    /// A piece goes from the square wherever it can. Returns what it attacks.
    #[inline]
    fn go(&mut self, piece: PieceType, square: Square) -> Bitboard {
        let attacked = self.board.attack(piece, square, self.open);
        let mut hits = attacked & self.board.links(piece);
        if let Some(strike) = self.board.strike {
            // Arriving at the runner's union in one place may be arriving in the other.
            if hits.has(strike.to) || hits.has(strike.from) {
                hits |= strike.to.bitboard() | strike.from.bitboard();
            } else if attacked.has(strike.to) {
                hits |= strike.to.bitboard();
            }
        }
        self.arrived |= hits;
        if piece == PieceType::Pawn {
            let promoted = hits & self.board.last_row();
            self.present[0] |= hits - promoted;
            for promotion in PieceType::PROMOTIONS {
                self.present[promotion.index()] |= promoted;
            }
        } else {
            self.present[piece.index()] |= hits;
        }
        attacked
    }

    /// Follows every piece that may be in the hand, until nothing new turns up or `stop` is hit.
    /// Returns whether it was.
    fn follow(&mut self, stop: Bitboard) -> bool {
        loop {
            let mut grown = false;
            for piece in CHAINING {
                let i = piece.index();
                let fresh = (self.present[i] & self.arrived) - self.done[i];
                self.done[i] |= fresh;
                for square in fresh {
                    grown = true;
                    if !self.go(piece, square).is_disjoint(stop) {
                        return true;
                    }
                }
            }
            if !grown {
                return false;
            }
        }
    }
}

/// Whether a chain from one of the origins reaches a target in the relaxed problem. `occupied` must
/// not contain squares that may be empty in a chain.
pub(crate) fn may_reach(
    board: &Board<'_>,
    occupied: Bitboard,
    origins: &[Origin],
    targets: Bitboard,
) -> bool {
    let mut reach = Reach::new(board, occupied);
    for origin in origins {
        if !reach.go(origin.piece, origin.square).is_disjoint(targets) {
            return true;
        }
    }
    reach.follow(targets)
}

/// For each type and square: in how many steps a hand with it may reach a target, at best.
pub(crate) fn distances(
    board: &Board<'_>,
    occupied: Bitboard,
    origin: Origin,
    targets: Bitboard,
) -> [[u8; 64]; 5] {
    let mut reach = Reach::new(board, occupied);
    reach.go(origin.piece, origin.square);
    reach.follow(Bitboard::EMPTY);
    let mut distances = [[FAR; 64]; 5];
    // Backwards from the targets: a hand that attacks the front is one step behind it.
    let mut waiting = reach.done;
    let mut front = targets;
    for distance in 0..FAR {
        let mut next = Bitboard::EMPTY;
        for piece in CHAINING {
            let i = piece.index();
            for square in waiting[i] {
                let mut aims = front;
                if distance > 0 {
                    aims &= board.links(piece)
                        | board.strike.map_or(Bitboard::EMPTY, |strike| strike.to.bitboard());
                }
                if !board.attack(piece, square, reach.open).is_disjoint(aims) {
                    distances[i][square.index()] = distance;
                    waiting[i] -= square.bitboard();
                    next |= square.bitboard();
                }
            }
        }
        if next.is_empty() {
            break;
        }
        front = next;
    }
    distances
}
