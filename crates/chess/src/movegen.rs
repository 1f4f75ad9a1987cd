//! Legal moves, without making any to find out.
//!
//! On entry the king's troubles are worked out once: who gives check, hence where other pieces may go
//! (*targets*: capture the checker or step between), and which own pieces are pinned, in two masks:
//! along ranks and files, along diagonals. After that every move generated is legal; nothing is
//! taken back. Pawns move all at once, by shifts of the whole set.
//!
//! The generator does not know what its moves are for: it tells a [`MoveVisitor`]. The same code,
//! compiled for each visitor and each player, lists moves, counts them without looking at them, stops
//! at the first ("is there one?"), or makes each of them.

use std::ops::ControlFlow;

use crate::position::NO_FILE;
use crate::side::{Black, Side, White};
use crate::{
    Bitboard, Color, File, Move, MoveKind, MoveList, PieceType, Position, Square, attacks, sliders,
};

/// Goes on, or stops the generator.
pub type Flow = ControlFlow<()>;

/// How a set of pawns moves: all by the same step, and all in the same way.
#[derive(Clone, Copy, Debug)]
pub struct PawnStep {
    /// The square number of the target less that of the pawn.
    pub step: i8,
    /// What sort of move it is. For `Promotion` and `PromotionCapture` each target stands for four
    /// moves.
    pub kind: MoveKind,
}

/// Takes what the generator finds, in sets as large as the generator has them.
pub trait MoveVisitor {
    /// A piece (no pawn) can go from a square to any of these; some may be enemies'. A queen is
    /// visited twice, with her straight and with her diagonal moves.
    fn piece(&mut self, piece: PieceType, from: Square, to: Bitboard, enemies: Bitboard) -> Flow;

    /// Pawns can go to these squares.
    fn pawns(&mut self, step: PawnStep, to: Bitboard) -> Flow;

    /// A single move: en passant or castling.
    fn special(&mut self, m: Move) -> Flow;
}

/// Which of the legal moves are wanted.
///
/// ```
/// use chess::{MoveFilter, Position, Square};
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
    /// Everything that is no capture.
    pub quiets: bool,
    /// Only if the player is in check: evasions, and nothing otherwise.
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
    /// Tells a visitor all legal moves that pass the filter, until it has seen enough.
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
    /// use chess::Position;
    /// let most: Position = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1".parse()?;
    /// assert_eq!(most.legal_moves().len(), 218);
    /// # Ok::<(), chess::FenError>(())
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

    /// How many legal moves there are, counted without listing them.
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

    /// Whether the move is legal here. Any 16 bits may be asked about, such as what a hash table
    /// remembers of perhaps another position.
    ///
    /// ```
    /// use chess::{Move, MoveKind, Position, Square};
    /// let push = Move::new(Square::E2, Square::E4, MoveKind::DoublePush);
    /// assert!(Position::INITIAL.is_legal(push));
    /// assert!(!Position::INITIAL.after(push).is_legal(push));
    /// ```
    pub fn is_legal(&self, m: Move) -> bool {
        let filter =
            MoveFilter { from: m.from().bitboard(), to: m.to().bitboard(), ..MoveFilter::ALL };
        self.visit_moves(filter, &mut Seeker(m)).is_break()
    }

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
                clear_castling(king, rooks, occupied)
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
        if checkers.many() {
            return Flow::Continue(());
        }

        // Everyone else must answer a check by taking the checker or stepping between.
        let evasions = match checkers.first() {
            None => Bitboard::FULL,
            Some(checker) => attacks::between(king, checker) | checkers,
        };
        let targets = wanted & evasions;
        let movers = own & filter.from;
        let pinned = straight_pins | diagonal_pins;

        self.generate_pawns::<S, V>(filter, movers, enemies, evasions, pins, v)?;

        for from in (board.piece_type(PieceType::Knight) & movers) - pinned {
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

    /// Pawns, all at once. A pinned pawn moves only within its pin: forward on a file, or capturing
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

        if filter.quiets {
            let pushers = pawns - diagonal_pins;
            let pushed = (S::forward(pushers - straight_pins)
                | (S::forward(pushers & straight_pins) & straight_pins))
                & empty;
            let double = S::forward(pushed & S::THIRD_RANK) & empty & targets;
            let single = pushed & targets;
            let step = S::FORWARD;
            v.pawns(PawnStep { step, kind: MoveKind::Quiet }, single - last_rank)?;
            v.pawns(PawnStep { step: 2 * step, kind: MoveKind::DoublePush }, double)?;
            if (single & last_rank).any() {
                v.pawns(PawnStep { step, kind: MoveKind::Promotion }, single & last_rank)?;
            }
        }

        if filter.captures {
            let takers = pawns - straight_pins;
            let (free, pinned) = (takers - diagonal_pins, takers & diagonal_pins);
            let victims = enemies & targets;
            let towards_a = (S::forward_a(free) | (S::forward_a(pinned) & diagonal_pins)) & victims;
            let towards_h = (S::forward_h(free) | (S::forward_h(pinned) & diagonal_pins)) & victims;
            for (step, taken) in [(S::FORWARD - 1, towards_a), (S::FORWARD + 1, towards_h)] {
                v.pawns(PawnStep { step, kind: MoveKind::Capture }, taken - last_rank)?;
                if (taken & last_rank).any() {
                    let kind = MoveKind::PromotionCapture;
                    v.pawns(PawnStep { step, kind }, taken & last_rank)?;
                }
            }
            if self.en_passant_file != NO_FILE {
                self.generate_en_passant(filter.to, pawns, v)?;
            }
        }
        Flow::Continue(())
    }

    /// En passant is rare, and the one capture that empties two squares of a line: each is tried.
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

    /// The squares a player attacks, with those of his `[straight, diagonal]` sliders that matter.
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

/// Those of the rooks whose way, and the king's, is clear.
#[inline(always)]
fn clear_castling(king: Square, rooks: Bitboard, occupied: Bitboard) -> Bitboard {
    let mut clear = Bitboard::EMPTY;
    for rook in rooks {
        let others = occupied - king.bitboard() - rook.bitboard();
        if CastlingPath::of(king, rook).empty.is_disjoint(others) {
            clear |= rook.bitboard();
        }
    }
    clear
}

/// What castling asks of the squares of the home rank.
pub(crate) struct CastlingPath {
    /// Must be empty but for king and rook: all that either passes or ends on.
    pub empty: Bitboard,
    /// Must not be attacked: all that the king passes, and where he ends. (That he is not in check
    /// is asked elsewhere.)
    pub safe: Bitboard,
}

impl CastlingPath {
    /// The path of a king and a rook that stand on one home rank.
    #[inline(always)]
    pub(crate) fn of(king: Square, rook: Square) -> Self {
        let [empty, safe] = CASTLING_PATHS[king.index() & 7][rook.index() & 7];
        let shift = king.index() & 56;
        Self { empty: Bitboard((empty as u64) << shift), safe: Bitboard((safe as u64) << shift) }
    }
}

/// `[must be empty, must be safe]` on the home rank, by the files of king and rook.
static CASTLING_PATHS: [[[u8; 2]; 8]; 8] = {
    /// All files from one to another, both included.
    const fn span(a: usize, b: usize) -> u8 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        (0xff << low) & (0xff >> (7 - high))
    }
    let mut table = [[[0; 2]; 8]; 8];
    let mut king = 0;
    while king < 8 {
        let mut rook = 0;
        while rook < 8 {
            let (king_to, rook_to) = if rook > king {
                (File::G as usize, File::F as usize)
            } else {
                (File::C as usize, File::D as usize)
            };
            let safe = span(king, king_to);
            table[king][rook] = [safe | span(rook, rook_to), safe];
            rook += 1;
        }
        king += 1;
    }
    table
};

/// Calls back with each move in turn, as the visitors that want single moves do.
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
        let from = target.step(-step.step);
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

/// Lists.
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

/// Counts.
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

/// Stops at the first.
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

/// Looks for one move.
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

/// Makes each move, and shows what came of it.
struct Maker<S, F> {
    /// What all children have in common.
    passed: Position,
    show: F,
    side: std::marker::PhantomData<S>,
}

impl Position {
    /// Makes every legal move and shows it with the position it leads to: faster than listing the
    /// moves and making each, because what is known of a move when it is found need not be found
    /// out again.
    ///
    /// ```
    /// use chess::Position;
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
        let mut maker = Maker { passed, show, side: std::marker::PhantomData::<S> };
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
        each_pawn_move(step, to, |m| {
            let (from, to) = (m.from(), m.to());
            let child = match step.kind {
                MoveKind::Quiet => self.passed.quiet::<S, ()>(PieceType::Pawn, from, to, &mut ()),
                MoveKind::DoublePush => self.passed.double_push::<S, ()>(from, to, &mut ()),
                MoveKind::Capture => {
                    self.passed.capture::<S, ()>(PieceType::Pawn, from, to, &mut ())
                }
                _ => self.passed.made::<S, ()>(m, &mut ()),
            };
            (self.show)(m, &child);
            Flow::Continue(())
        })
    }

    #[inline(always)]
    fn special(&mut self, m: Move) -> Flow {
        (self.show)(m, &self.passed.made::<S, ()>(m, &mut ()));
        Flow::Continue(())
    }
}
