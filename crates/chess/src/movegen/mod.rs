//! Legal move generation.
//!
//! On entry checkers and pins are computed once: the checkers give the *targets* of other pieces (capture the
//! checker or interpose), the pins two masks, along ranks and files and along diagonals. Every move generated
//! from then on is legal; none is made and taken back. Pawns are generated set-wise, by shifts.
//!
//! The generator follows the visitor pattern: it calls a [`MoveVisitor`]. The same code, compiled for each
//! visitor and each player, lists moves, counts them without listing, stops at the first, or makes each.

mod castling;
mod visitors;

use core::ops::ControlFlow;

pub(crate) use castling::CastlingPath;

use crate::position::NO_FILE;
use crate::side::Side;
use crate::{Bitboard, Move, MoveKind, PieceType, Position, Square, attacks, sliders};

/// Continues or stops the generator.
pub type Flow = ControlFlow<()>;

/// A set-wise pawn move: one step and one kind for all.
#[derive(Clone, Copy, Debug)]
pub struct PawnStep {
    /// Target index minus origin index.
    pub step: i8,
    /// The kind. For `Promotion` and `PromotionCapture` each target is four moves.
    pub kind: MoveKind,
}

impl PawnStep {
    /// The origin of the pawn that moves to this square.
    #[inline(always)]
    pub fn origin(self, target: Square) -> Square {
        target.step(-self.step)
    }
}

/// A visitor of generated moves, in sets as the generator finds them.
pub trait MoveVisitor {
    /// A piece other than a pawn can move from a square to these, captures included. A queen is visited twice,
    /// with its straight and its diagonal moves.
    fn piece(&mut self, piece: PieceType, from: Square, to: Bitboard, enemies: Bitboard) -> Flow;

    /// Pawns can move to these squares.
    fn pawns(&mut self, step: PawnStep, to: Bitboard) -> Flow;

    /// A single move: en passant or castling.
    fn special(&mut self, m: Move) -> Flow;
}

/// A filter of legal moves.
///
/// ```
/// use tabiya_chess::{MoveFilter, Position, Square};
/// let start = Position::INITIAL;
/// let of_the_knight = MoveFilter { from: Square::G1.bitboard(), ..MoveFilter::ALL };
/// assert_eq!(start.moves(of_the_knight).len(), 2);
/// assert!(start.moves(MoveFilter::CAPTURES).is_empty());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MoveFilter {
    /// Only moves from these squares.
    pub from: Bitboard,
    /// Only moves to these squares; castling goes to the rook's square.
    pub to: Bitboard,
    /// Captures, en passant and capturing promotions included.
    pub captures: bool,
    /// Moves that are not captures.
    pub quiets: bool,
    /// Evasions only: no moves unless in check.
    pub only_in_check: bool,
}

impl MoveFilter {
    /// All legal moves.
    pub const ALL: Self = Self {
        from: Bitboard::FULL,
        to: Bitboard::FULL,
        captures: true,
        quiets: true,
        only_in_check: false,
    };
    /// Captures alone.
    pub const CAPTURES: Self = Self { quiets: false, ..Self::ALL };
    /// All but captures.
    pub const QUIETS: Self = Self { captures: false, ..Self::ALL };
    /// All moves if in check, none otherwise.
    pub const EVASIONS: Self = Self { only_in_check: true, ..Self::ALL };
}

impl Position {
    /// The generator. Always inlined, so that a constant filter costs nothing.
    #[inline(always)]
    pub(crate) fn generate<S: Side, V: MoveVisitor>(&self, filter: MoveFilter, v: &mut V) -> Flow {
        let board = &self.board;
        let occupied = board.occupied();
        let own = board.color(S::COLOR);
        let enemies = occupied ^ own;
        let king = (board.piece_type(PieceType::King) & own).first_or_a1();
        let enemy_pawns = board.piece_type(PieceType::Pawn) & enemies;
        let enemy_knights = board.piece_type(PieceType::Knight) & enemies;

        // Checks and pins. A slider on one line with the king gives check if nothing stands between,
        // and pins a piece if it alone does.
        let mut checkers =
            (attacks::pawn(S::COLOR, king) & enemy_pawns) | (attacks::knight(king) & enemy_knights);
        let mut pins = [Bitboard::EMPTY; 2];
        let snipers = [
            attacks::straight_rays(king) & board.straight_sliders() & enemies,
            attacks::diagonal_rays(king) & board.diagonal_sliders() & enemies,
        ];
        for (snipers, pins) in snipers.into_iter().zip(&mut pins) {
            for sniper in snipers {
                let between = attacks::between(king, sniper);
                let blockers = between & occupied;
                if blockers.is_empty() {
                    checkers |= sniper.bitboard();
                } else if !blockers.many() {
                    // If the blocker is an enemy's, the mask contains nothing of ours: no harm done.
                    *pins |= between | sniper.bitboard();
                }
            }
        }
        let [straight_pins, diagonal_pins] = pins;

        if filter.only_in_check && checkers.is_empty() {
            return Flow::Continue(());
        }
        let wanted = match (filter.captures, filter.quiets) {
            (true, true) => !own,
            (true, false) => enemies,
            (false, true) => !occupied,
            (false, false) => Bitboard::EMPTY,
        } & filter.to;

        // The king, who must not step onto an attacked square, nor castle over one. Castling needs a
        // free square next to him too, or the rook itself there: mostly there is neither.
        let around = if filter.from.has(king) { attacks::king(king) } else { Bitboard::EMPTY };
        let rooks = if filter.quiets && filter.from.has(king) {
            self.castling & S::HOME_RANK & filter.to
        } else {
            Bitboard::EMPTY
        };
        if !around.is_disjoint(!own | rooks) {
            let targets = around & wanted;
            let castling = if checkers.is_empty() {
                castling::clear(king, rooks, occupied)
            } else {
                Bitboard::EMPTY
            };
            if (targets | castling).any() {
                // For his steps, only sliders that can reach a square next to him matter.
                let far =
                    if castling.any() { [Bitboard::FULL; 2] } else { attacks::approaches(king) };
                let attacked =
                    self.attacked_by::<S::Opponent>(enemies, occupied ^ king.bitboard(), far);
                v.piece(PieceType::King, king, targets - attacked, enemies)?;
                for rook in castling {
                    let path = CastlingPath::of(king, rook);
                    if path.safe.is_disjoint(attacked) && !straight_pins.has(rook) {
                        v.special(Move::new(king, rook, MoveKind::Castling))?;
                    }
                }
            }
        }
        // Mostly the king is at ease. Then the rest is compiled without checks and pins.
        let pinned = straight_pins | diagonal_pins;
        if (checkers | pinned).is_empty() {
            let free = [Bitboard::EMPTY; 2];
            return self.generate_others::<S, V>(filter, wanted, Bitboard::FULL, free, v);
        }
        if checkers.many() {
            return Flow::Continue(());
        }
        // Everyone else must answer a check by taking the checker or stepping between.
        let evasions = match checkers.first() {
            None => Bitboard::FULL,
            Some(checker) => attacks::between(king, checker) | checkers,
        };
        self.generate_others::<S, V>(filter, wanted, evasions, pins, v)
    }

    /// All pieces but the king: to `wanted` squares that are `evasions`, within their pins.
    #[inline(always)]
    fn generate_others<S: Side, V: MoveVisitor>(
        &self,
        filter: MoveFilter,
        wanted: Bitboard,
        evasions: Bitboard,
        pins: [Bitboard; 2],
        v: &mut V,
    ) -> Flow {
        let board = &self.board;
        let occupied = board.occupied();
        let own = board.color(S::COLOR);
        let enemies = occupied ^ own;
        let targets = wanted & evasions;
        let movers = own & filter.from;
        let [straight_pins, diagonal_pins] = pins;

        self.generate_pawns::<S, V>(filter, movers, enemies, evasions, pins, v)?;

        let knights = board.piece_type(PieceType::Knight) & movers;
        for from in knights - straight_pins - diagonal_pins {
            v.piece(PieceType::Knight, from, attacks::knight(from) & targets, enemies)?;
        }

        let queens = board.piece_type(PieceType::Queen);
        let diagonal = (board.diagonal_sliders() & movers) - straight_pins;
        let kind = |from| if queens.has(from) { PieceType::Queen } else { PieceType::Bishop };
        for from in diagonal - diagonal_pins {
            v.piece(kind(from), from, sliders::bishop(from, occupied) & targets, enemies)?;
        }
        for from in diagonal & diagonal_pins {
            let to = sliders::bishop(from, occupied) & targets & diagonal_pins;
            v.piece(kind(from), from, to, enemies)?;
        }

        let straight = (board.straight_sliders() & movers) - diagonal_pins;
        let kind = |from| if queens.has(from) { PieceType::Queen } else { PieceType::Rook };
        for from in straight - straight_pins {
            v.piece(kind(from), from, sliders::rook(from, occupied) & targets, enemies)?;
        }
        for from in straight & straight_pins {
            let to = sliders::rook(from, occupied) & targets & straight_pins;
            v.piece(kind(from), from, to, enemies)?;
        }
        Flow::Continue(())
    }

    /// Set-wise pawn moves. A pinned pawn moves only within its pin: forward on a file, or capturing
    /// along a diagonal.
    #[inline(always)]
    fn generate_pawns<S: Side, V: MoveVisitor>(
        &self,
        filter: MoveFilter,
        movers: Bitboard,
        enemies: Bitboard,
        evasions: Bitboard,
        [straight_pins, diagonal_pins]: [Bitboard; 2],
        v: &mut V,
    ) -> Flow {
        let pawns = self.board.piece_type(PieceType::Pawn) & movers;
        let empty = !self.occupied();
        let last_rank = S::Opponent::HOME_RANK;
        let targets = filter.to & evasions;

        let pushers = pawns - diagonal_pins;
        let pushed = (S::forward(pushers - straight_pins)
            | (S::forward(pushers & straight_pins) & straight_pins))
            & empty;
        let double = S::forward(pushed & S::THIRD_RANK) & empty & targets;
        let takers = pawns - straight_pins;
        let (free, pinned) = (takers - diagonal_pins, takers & diagonal_pins);
        let victims = enemies & targets;
        // One step ahead, and captures towards the a-file and towards the h-file.
        let mut sets = [
            pushed & targets,
            (S::forward_a(free) | (S::forward_a(pinned) & diagonal_pins)) & victims,
            (S::forward_h(free) | (S::forward_h(pinned) & diagonal_pins)) & victims,
        ];
        let steps = [S::FORWARD, S::FORWARD - 1, S::FORWARD + 1];
        let wanted = [filter.quiets, filter.captures, filter.captures];

        if !last_rank.is_disjoint(sets[0] | sets[1] | sets[2]) {
            use MoveKind::{Promotion, PromotionCapture};
            for (n, kind) in [Promotion, PromotionCapture, PromotionCapture].into_iter().enumerate()
            {
                if wanted[n] {
                    v.pawns(PawnStep { step: steps[n], kind }, sets[n] & last_rank)?;
                }
                sets[n] -= last_rank;
            }
        }
        use MoveKind::{Capture, DoublePush, Quiet};
        for (n, kind) in [Quiet, Capture, Capture].into_iter().enumerate() {
            if wanted[n] {
                v.pawns(PawnStep { step: steps[n], kind }, sets[n])?;
            }
        }
        if filter.quiets {
            v.pawns(PawnStep { step: 2 * S::FORWARD, kind: DoublePush }, double)?;
        }
        if filter.captures && self.en_passant_file != NO_FILE {
            self.generate_en_passant(filter.to, pawns, v)?;
        }
        Flow::Continue(())
    }

    /// En passant, the one capture that can empty two squares of a line: each is tested by making it.
    #[cold]
    #[inline(never)]
    fn generate_en_passant<V: MoveVisitor>(
        &self,
        to: Bitboard,
        pawns: Bitboard,
        v: &mut V,
    ) -> Flow {
        let Some(square) = self.en_passant() else { return Flow::Continue(()) };
        if to.has(square) {
            for from in attacks::pawn(!self.turn, square) & pawns {
                if self.en_passant_is_safe(from, square) {
                    v.special(Move::new(from, square, MoveKind::EnPassant))?;
                }
            }
        }
        Flow::Continue(())
    }

    /// The squares a player attacks, with the given `[straight, diagonal]` sliders.
    #[inline(always)]
    fn attacked_by<S: Side>(
        &self,
        pieces: Bitboard,
        occupied: Bitboard,
        [straight, diagonal]: [Bitboard; 2],
    ) -> Bitboard {
        let board = &self.board;
        let pawns = board.piece_type(PieceType::Pawn) & pieces;
        let king = (board.piece_type(PieceType::King) & pieces).first_or_a1();
        let mut attacked = S::forward_a(pawns) | S::forward_h(pawns) | attacks::king(king);
        for knight in board.piece_type(PieceType::Knight) & pieces {
            attacked |= attacks::knight(knight);
        }
        for slider in board.diagonal_sliders() & pieces & diagonal {
            attacked |= sliders::bishop(slider, occupied);
        }
        for slider in board.straight_sliders() & pieces & straight {
            attacked |= sliders::rook(slider, occupied);
        }
        attacked
    }
}
