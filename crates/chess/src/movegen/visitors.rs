//! The common move visitors: list, count, find one move, make each.

use core::marker::PhantomData;

use super::{Flow, MoveFilter, MoveVisitor, PawnStep};
use crate::side::{Black, Side, White};
use crate::{Bitboard, Color, Move, MoveKind, MoveList, PieceType, Position, Square};

impl Position {
    /// Visits all legal moves that pass the filter, until the visitor stops.
    #[inline(always)]
    pub fn visit_moves<V: MoveVisitor>(&self, filter: MoveFilter, visitor: &mut V) -> Flow {
        match self.turn {
            Color::White => self.generate::<White, V>(filter, visitor),
            Color::Black => self.generate::<Black, V>(filter, visitor),
        }
    }

    /// All legal moves.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let most: Position = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1".parse()?;
    /// assert_eq!(most.legal_moves().len(), 218);
    /// # Ok::<(), tabiya_chess::FenError>(())
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        let mut list = Lister(MoveList::new());
        let _ = self.visit_moves(MoveFilter::ALL, &mut list);
        list.0
    }

    /// The legal moves that pass the filter.
    pub fn moves(&self, filter: MoveFilter) -> MoveList {
        let mut list = Lister(MoveList::new());
        let _ = self.visit_moves(filter, &mut list);
        list.0
    }

    /// The number of legal moves, counted without listing them.
    pub fn count_legal_moves(&self) -> usize {
        match self.turn {
            Color::White => self.count::<White>() as usize,
            Color::Black => self.count::<Black>() as usize,
        }
    }

    #[inline(never)]
    pub(crate) fn count<S: Side>(&self) -> u64 {
        let mut counter = Counter(0);
        let _ = self.generate::<S, Counter>(MoveFilter::ALL, &mut counter);
        counter.0
    }

    /// Whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.visit_moves(MoveFilter::ALL, &mut Finder).is_break()
    }

    /// Whether a move is legal. Any 16 bits are accepted, such as a hash move of another position.
    ///
    /// ```
    /// use tabiya_chess::{Move, MoveKind, Position, Square};
    /// let push = Move::new(Square::E2, Square::E4, MoveKind::DoublePush);
    /// assert!(Position::INITIAL.is_legal(push));
    /// assert!(!Position::INITIAL.after(push).is_legal(push));
    /// ```
    pub fn is_legal(&self, m: Move) -> bool {
        let filter =
            MoveFilter { from: m.from().bitboard(), to: m.to().bitboard(), ..MoveFilter::ALL };
        self.visit_moves(filter, &mut Seeker(m)).is_break()
    }
}

/// Expands sets into single moves for a callback.
#[inline(always)]
fn each_piece_move(
    from: Square,
    to: Bitboard,
    enemies: Bitboard,
    mut f: impl FnMut(Move) -> Flow,
) -> Flow {
    for target in to & enemies {
        f(Move::new(from, target, MoveKind::Capture))?;
    }
    for target in to - enemies {
        f(Move::new(from, target, MoveKind::Quiet))?;
    }
    Flow::Continue(())
}

#[inline(always)]
fn each_pawn_move(step: PawnStep, to: Bitboard, mut f: impl FnMut(Move) -> Flow) -> Flow {
    for target in to {
        let from = step.origin(target);
        match step.kind {
            MoveKind::Promotion | MoveKind::PromotionCapture => {
                let captures = matches!(step.kind, MoveKind::PromotionCapture);
                for piece in PieceType::PROMOTIONS {
                    f(Move::promotion_to(from, target, piece, captures))?;
                }
            }
            kind => f(Move::new(from, target, kind))?,
        }
    }
    Flow::Continue(())
}

/// Collects moves.
struct Lister(MoveList);

impl Lister {
    #[inline(always)]
    fn push(&mut self, m: Move) -> Flow {
        let fits = self.0.try_push(m).is_ok();
        debug_assert!(fits, "more than {} moves", crate::MAX_MOVES);
        Flow::Continue(())
    }
}

impl MoveVisitor for Lister {
    #[inline(always)]
    fn piece(&mut self, _: PieceType, from: Square, to: Bitboard, enemies: Bitboard) -> Flow {
        each_piece_move(from, to, enemies, |m| self.push(m))
    }
    #[inline(always)]
    fn pawns(&mut self, step: PawnStep, to: Bitboard) -> Flow {
        each_pawn_move(step, to, |m| self.push(m))
    }
    #[inline(always)]
    fn special(&mut self, m: Move) -> Flow {
        self.push(m)
    }
}

/// Counts moves.
struct Counter(u64);

impl MoveVisitor for Counter {
    #[inline(always)]
    fn piece(&mut self, _: PieceType, _: Square, to: Bitboard, _: Bitboard) -> Flow {
        self.0 += to.len() as u64;
        Flow::Continue(())
    }
    #[inline(always)]
    fn pawns(&mut self, step: PawnStep, to: Bitboard) -> Flow {
        let each = match step.kind {
            MoveKind::Promotion | MoveKind::PromotionCapture => 4,
            _ => 1,
        };
        self.0 += each * to.len() as u64;
        Flow::Continue(())
    }
    #[inline(always)]
    fn special(&mut self, _: Move) -> Flow {
        self.0 += 1;
        Flow::Continue(())
    }
}

/// Stops at the first move.
struct Finder;

impl MoveVisitor for Finder {
    #[inline(always)]
    fn piece(&mut self, _: PieceType, _: Square, to: Bitboard, _: Bitboard) -> Flow {
        if to.any() { Flow::Break(()) } else { Flow::Continue(()) }
    }
    #[inline(always)]
    fn pawns(&mut self, _: PawnStep, to: Bitboard) -> Flow {
        if to.any() { Flow::Break(()) } else { Flow::Continue(()) }
    }
    #[inline(always)]
    fn special(&mut self, _: Move) -> Flow {
        Flow::Break(())
    }
}

/// Searches for one move.
struct Seeker(Move);

impl Seeker {
    #[inline(always)]
    fn compare(&self, m: Move) -> Flow {
        if m == self.0 { Flow::Break(()) } else { Flow::Continue(()) }
    }
}

impl MoveVisitor for Seeker {
    #[inline(always)]
    fn piece(&mut self, _: PieceType, from: Square, to: Bitboard, enemies: Bitboard) -> Flow {
        each_piece_move(from, to, enemies, |m| self.compare(m))
    }
    #[inline(always)]
    fn pawns(&mut self, step: PawnStep, to: Bitboard) -> Flow {
        each_pawn_move(step, to, |m| self.compare(m))
    }
    #[inline(always)]
    fn special(&mut self, m: Move) -> Flow {
        self.compare(m)
    }
}

/// Makes each move and visits the child position.
struct Maker<S, F> {
    /// The state common to all children.
    passed: Position,
    show: F,
    side: PhantomData<S>,
}

impl Position {
    /// Makes every legal move and visits it with its child position: faster than listing and making moves,
    /// because piece and kind are known at generation.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let mut replies = 0;
    /// Position::INITIAL.for_each_child(|_, child| replies += child.count_legal_moves());
    /// assert_eq!(replies, 400);
    /// ```
    #[inline(always)]
    pub fn for_each_child(&self, show: impl FnMut(Move, &Position)) {
        match self.turn {
            Color::White => self.children::<White>(show),
            Color::Black => self.children::<Black>(show),
        }
    }

    #[inline(always)]
    pub(crate) fn children<S: Side>(&self, show: impl FnMut(Move, &Position)) {
        let passed = self.passed::<S>();
        let mut maker = Maker { passed, show, side: PhantomData::<S> };
        let _ = self.generate::<S, _>(MoveFilter::ALL, &mut maker);
    }
}

impl<S: Side, F: FnMut(Move, &Position)> MoveVisitor for Maker<S, F> {
    #[inline(always)]
    fn piece(&mut self, piece: PieceType, from: Square, to: Bitboard, enemies: Bitboard) -> Flow {
        for target in to & enemies {
            let m = Move::new(from, target, MoveKind::Capture);
            (self.show)(m, &self.passed.capture::<S, ()>(piece, from, target, &mut ()));
        }
        for target in to - enemies {
            let m = Move::new(from, target, MoveKind::Quiet);
            (self.show)(m, &self.passed.quiet::<S, ()>(piece, from, target, &mut ()));
        }
        Flow::Continue(())
    }

    #[inline(always)]
    fn pawns(&mut self, step: PawnStep, to: Bitboard) -> Flow {
        if matches!(step.kind, MoveKind::Promotion | MoveKind::PromotionCapture) {
            return each_pawn_move(step, to, |m| self.special(m));
        }
        for target in to {
            let from = step.origin(target);
            let passed = &self.passed;
            let child = match step.kind {
                MoveKind::DoublePush => passed.double_push::<S, ()>(from, target, &mut ()),
                MoveKind::Capture => {
                    passed.capture::<S, ()>(PieceType::Pawn, from, target, &mut ())
                }
                _ => passed.quiet::<S, ()>(PieceType::Pawn, from, target, &mut ()),
            };
            (self.show)(Move::new(from, target, step.kind), &child);
        }
        Flow::Continue(())
    }

    #[inline(always)]
    fn special(&mut self, m: Move) -> Flow {
        (self.show)(m, &self.passed.made::<S, ()>(m, &mut ()));
        Flow::Continue(())
    }
}
