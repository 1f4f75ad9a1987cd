//! One thread of the search: the state kept between searches, and the state of one search.

use arrayvec::ArrayVec;
use chess::{Bitboard, Move, PieceType, Position};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::Report;
use super::limits::{Control, Limits};
use super::root::RootMove;
use super::time::TimeManager;
use crate::correction::Correction;
use crate::eval::Evaluator;
use crate::history::{ButterflyIndex, CONTINUATIONS, History, NO_MOVE, PieceTo, QuietContext};
use crate::picker::threats;
use crate::repetition;
use crate::syzygy::Tablebases;
use crate::table::SharedTable;
use crate::value::{self, DRAW, MAX_PLY, Value};

/// Stack frames before the root, so that looking back needs no bounds check.
const BEFORE_ROOT: usize = 8;
/// Nodes between two checks of the limits: a millisecond or less.
const CHECK_INTERVAL: u64 = 1024;

/// Kings and pieces of the endings whose evaluation is not corrected.
const FEW_MEN: usize = 5;

/// An upper bound for the memory of a [`Worker`], including what its evaluator allocates in a search.
pub(super) const WORKER_BYTES: usize = 8 << 20;

/// A thread's state, kept between searches.
pub struct Worker {
    pub(super) history: History,
    pub(super) evaluator: Evaluator,
    frames: Box<[Frame]>,
    /// Keys of the earlier positions since the last irreversible move before the root, oldest first.
    pub(super) keys: Vec<u64>,
    /// The principal variation from each ply on (triangular PV table).
    pub(super) pv_table: Box<[Variation]>,
    pub(super) root_moves: Vec<RootMove>,
    pub(super) completed_depth: i32,
    /// The first line as it was last reported.
    pub(super) reported: Variation,
    /// A new game has begun: histories are cleared before they are used again.
    new_game: bool,
}

/// A principal variation.
pub(super) type Variation = ArrayVec<Move, MAX_PLY>;

/// A frame of the search stack: the state of one ply of the current line.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub static_eval: Value,
    /// Piece and target square of the move made at this ply.
    pub piece_to: PieceTo,
    /// The move left out by a singular search.
    pub excluded: Option<Move>,
    pub killer: Option<Move>,
    /// Beta cutoffs at this ply since its grandparent was entered.
    pub cutoffs: u8,
    pub double_extensions: u8,
    pub in_check: bool,
    /// The butterfly index of the move made at this ply, if it is quiet.
    pub quiet: Option<ButterflyIndex>,
    /// By how many plies the search of the move made at this ply is reduced.
    pub reduction: i32,
    /// The number of the move made at this ply in the move order.
    pub number: i32,
}

impl Frame {
    const EMPTY: Self = Self {
        static_eval: value::NONE,
        piece_to: NO_MOVE,
        excluded: None,
        killer: None,
        cutoffs: 0,
        double_extensions: 0,
        in_check: false,
        quiet: None,
        reduction: 0,
        number: 0,
    };

    /// Forgets the killer and the cutoff count of siblings' children.
    #[inline(always)]
    pub fn clear_cutoffs(&mut self) {
        self.killer = None;
        self.cutoffs = 0;
    }
}

impl Worker {
    /// A worker with empty histories.
    pub fn new(evaluator: Evaluator) -> Self {
        Self {
            history: History::default(),
            evaluator,
            frames: vec![Frame::EMPTY; BEFORE_ROOT + MAX_PLY + 4].into_boxed_slice(),
            keys: Vec::new(),
            pv_table: vec![Variation::new(); MAX_PLY + 2].into_boxed_slice(),
            root_moves: Vec::new(),
            completed_depth: 0,
            reported: Variation::new(),
            new_game: false,
        }
    }

    /// Starts a new game. The histories, some MiB, are cleared lazily by the thread that uses them next.
    pub fn new_game(&mut self) {
        self.new_game = true;
    }

    pub(super) fn prepare(&mut self, position: &Position, keys: &[u64], moves: &[RootMove]) {
        self.frames.fill(Frame::EMPTY);
        self.keys.clear();
        self.keys.extend_from_slice(keys);
        self.root_moves.clear();
        self.root_moves.extend_from_slice(moves);
        self.completed_depth = 0;
        self.reported.clear();
        self.evaluator.reset(position);
    }

    /// The static evaluation of a position.
    pub(super) fn static_evaluation(&mut self, position: &Position) -> Value {
        self.evaluator.reset(position);
        self.evaluator.evaluate(position)
    }
}

/// The state shared by all threads of a search.
pub(super) struct Shared<'a> {
    pub table: SharedTable<'a>,
    pub correction: &'a Correction,
    pub control: &'a Control,
    pub limits: &'a Limits,
    pub time: TimeManager,
    pub root: &'a Position,
    pub tablebases: Option<&'a Tablebases>,
    /// Nodes and tablebase hits of each thread.
    pub counters: &'a [Counters],
    pub multi_pv: usize,
    /// Set when the main thread is done, to stop the helpers.
    pub finished: AtomicBool,
    pub report: &'a (dyn Fn(Report<'_>) + Sync),
}

#[derive(Default)]
#[repr(align(64))]
pub(super) struct Counters {
    pub nodes: AtomicU64,
    pub tablebase_hits: AtomicU64,
}

impl Shared<'_> {
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|c| c.nodes.load(Relaxed)).sum()
    }

    pub fn tablebase_hits(&self) -> u64 {
        self.counters.iter().map(|c| c.tablebase_hits.load(Relaxed)).sum()
    }
}

/// A worker during a search.
pub(super) struct Searcher<'a> {
    pub worker: &'a mut Worker,
    pub shared: &'a Shared<'a>,
    /// 0 is the main thread, which checks the limits and reports.
    pub id: usize,
    pub nodes: u64,
    pub tablebase_hits: u64,
    pub seldepth: usize,
    /// The depth of the current iteration.
    pub root_depth: i32,
    /// The index of the line being searched (MultiPV).
    pub pv_index: usize,
    /// During null-move verification: the ply from which null moves are allowed again.
    pub null_from_ply: usize,
    /// The exact node limit of a single-threaded search.
    node_limit: u64,
    pub stopped: bool,
    /// Changes of the best root move, halved with every iteration.
    pub best_move_changes: f64,
    /// The width of the aspiration window.
    pub root_window: Value,
}

impl<'a> Searcher<'a> {
    pub fn new(worker: &'a mut Worker, shared: &'a Shared<'a>, id: usize) -> Self {
        if std::mem::take(&mut worker.new_game) {
            worker.history.clear();
        }
        let alone = shared.counters.len() == 1;
        // Each root move with a tablebase score was probed once.
        let known = worker.root_moves.iter().filter(|m| m.tablebase_score.is_some()).count();
        let tablebase_hits = if id == 0 { known as u64 } else { 0 };
        Self {
            worker,
            shared,
            id,
            nodes: 0,
            tablebase_hits,
            seldepth: 0,
            root_depth: 0,
            pv_index: 0,
            null_from_ply: 0,
            node_limit: shared.limits.nodes.filter(|_| alone).unwrap_or(u64::MAX),
            stopped: false,
            best_move_changes: 0.0,
            root_window: 1,
        }
    }

    #[inline(always)]
    pub fn frame(&self, ply: usize) -> &Frame {
        &self.worker.frames[ply + BEFORE_ROOT]
    }

    #[inline(always)]
    pub fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.worker.frames[ply + BEFORE_ROOT]
    }

    /// The stack frame `back` plies earlier; valid before the root too.
    #[inline(always)]
    pub fn earlier(&self, ply: usize, back: usize) -> &Frame {
        &self.worker.frames[ply + BEFORE_ROOT - back]
    }

    /// Counts a node; returns whether the search must stop.
    #[inline(always)]
    pub fn count_node(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(CHECK_INTERVAL) {
            self.check_limits();
        }
        if self.nodes >= self.node_limit || self.shared.control.is_stopped() {
            self.stopped = true;
        }
        self.stopped
    }

    pub fn publish_counters(&self) {
        let counters = &self.shared.counters[self.id];
        counters.nodes.store(self.nodes, Relaxed);
        counters.tablebase_hits.store(self.tablebase_hits, Relaxed);
    }

    #[cold]
    fn check_limits(&mut self) {
        self.publish_counters();
        if self.id != 0 {
            self.stopped |= self.shared.finished.load(Relaxed);
            return;
        }
        self.shared.control.publish_nodes(self.shared.nodes());
        if self.shared.control.is_pondering() {
            return;
        }
        let over = self.shared.time.is_limited()
            && self.shared.time.is_over(self.shared.control.clock_elapsed());
        let limits = self.shared.limits;
        if over || limits.nodes.is_some_and(|limit| self.shared.nodes() >= limit) {
            self.stopped = true;
        }
    }

    /// Whether the game is drawn by repetition, the fifty-move rule or insufficient material.
    #[inline]
    pub fn is_draw(&self, position: &Position, ply: usize) -> bool {
        if position.halfmove_clock() >= 100 && (!position.in_check() || position.has_legal_move()) {
            return true;
        }
        repetition::is_repetition(position, &self.worker.keys, ply)
            || (position.occupied().len() <= 4 && position.is_insufficient_material())
    }

    /// A draw score of -1 or 1, varied so that draws by repetition are not all alike to the search.
    #[inline(always)]
    pub fn draw_score(&self) -> Value {
        DRAW - 1 + (self.nodes & 2) as Value
    }

    /// The static evaluation of the current position.
    #[inline(always)]
    pub fn evaluate(&mut self, position: &Position) -> Value {
        self.worker.evaluator.evaluate_for_search(position)
    }

    /// The correction history's correction of the static evaluation; none in endings of [`FEW_MEN`], which
    /// are evaluated by rules.
    #[inline]
    pub fn correction(&self, position: &Position, ply: usize) -> Value {
        if position.occupied().len() <= FEW_MEN {
            return 0;
        }
        let last_two = [1, 2].map(|back| self.earlier(ply, back).piece_to);
        self.shared.correction.of(position, last_two)
    }

    /// Prefetches the table bucket of the position after a move that will probably be made.
    #[inline(always)]
    pub fn prefetch_after(&self, position: &Position, m: Move) {
        self.shared.table.prefetch(position.likely_key_after(m));
    }

    /// Makes a move: pushes stack, repetition keys and accumulators, and prefetches the table bucket.
    #[inline(always)]
    pub fn make_move(&mut self, position: &Position, m: Move, ply: usize) -> Position {
        let piece_to = crate::history::piece_to(position, m);
        self.frame_mut(ply).piece_to = piece_to;
        self.frame_mut(ply).quiet = None;
        self.worker.keys.push(position.key());
        let next = self.worker.evaluator.make_move(position, m);
        self.shared.table.prefetch(next.key());
        next
    }

    /// Undoes [`make_move`](Self::make_move).
    #[inline(always)]
    pub fn unmake_move(&mut self) {
        self.worker.keys.pop();
        self.worker.evaluator.unmake_move();
    }

    /// The history context of quiet moves at a ply.
    #[inline]
    pub fn quiet_context(&self, position: &Position, ply: usize) -> QuietContext {
        QuietContext {
            threats: threats(position),
            continuation: CONTINUATIONS.map(|back| self.earlier(ply, back).piece_to),
            killer: self.frame(ply).killer,
        }
    }

    /// The principal variation at a ply: the move, then the child's principal variation.
    pub fn update_pv(&mut self, ply: usize, m: Move) {
        let (here, after) = self.worker.pv_table.split_at_mut(ply + 1);
        set_pv(&mut here[ply], m, &after[0]);
    }
}

/// Sets a principal variation to a move followed by the child's.
pub(super) fn set_pv(line: &mut Variation, m: Move, child: &[Move]) {
    line.clear();
    line.push(m);
    let room = line.remaining_capacity();
    line.extend(child.iter().copied().take(room));
}

/// Whether the player has more than king and pawns, so that zugzwang is unlikely.
pub(super) fn has_non_pawn_material(position: &Position) -> bool {
    let board = position.board();
    let simple = board.piece_type(PieceType::Pawn) | board.piece_type(PieceType::King);
    (board.color(position.turn()) - simple) != Bitboard::EMPTY
}
