//! One thread of the search: what it keeps from search to search, and what it keeps in one.

use arrayvec::ArrayVec;
use chess::{Bitboard, Move, PieceType, Position};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::Report;
use super::limits::{Control, Limits};
use super::root::RootMove;
use super::time::TimeManager;
use crate::eval::Evaluator;
use crate::history::{Arrival, CONTINUATIONS, History, NO_MOVE};
use crate::picker::{QuietContext, pawn_threats};
use crate::repetition;
use crate::score::{self, DRAW, MAX_PLY, Score};
use crate::syzygy::Tablebases;
use crate::table::SharedTable;

/// Frames before the root, so that looking back needs no check.
const BEFORE_ROOT: usize = 8;
/// Limits are looked at after so many nodes: a thousandth of a second or less.
const CHECK_INTERVAL: u64 = 1024;

/// At least the memory that a [`Worker`] takes, with what its evaluator allocates as it searches.
pub(super) const WORKER_BYTES: usize = 8 << 20;

/// What a thread knows, kept from search to search.
pub struct Worker {
    pub(super) history: History,
    pub(super) evaluator: Evaluator,
    frames: Box<[Frame]>,
    /// Keys of the positions before the current one since the last capture or pawn move before the
    /// root, oldest first.
    pub(super) keys: Vec<u64>,
    pub(super) lines: Box<[Line]>,
    pub(super) root_moves: Vec<RootMove>,
    pub(super) completed_depth: i32,
    /// The first line as it was last reported.
    pub(super) reported: Line,
    /// A new game has begun: histories are cleared before they are used again.
    new_game: bool,
}

/// The moves that are thought best from some ply on.
pub type Line = ArrayVec<Move, MAX_PLY>;

/// What is remembered of each ply of the line that is being searched.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub evaluation: Score,
    /// The piece and square of the move played here.
    pub arrival: Arrival,
    /// A move that is left out, to see whether the others come near it.
    pub excluded: Option<Move>,
    pub killer: Option<Move>,
    /// How often a child of this node failed high.
    pub cutoffs: u8,
    pub double_extensions: u8,
    pub in_check: bool,
}

impl Frame {
    const EMPTY: Self = Self {
        evaluation: score::NONE,
        arrival: NO_MOVE,
        excluded: None,
        killer: None,
        cutoffs: 0,
        double_extensions: 0,
        in_check: false,
    };
}

impl Worker {
    /// A thread that knows nothing yet.
    pub fn new(evaluator: Evaluator) -> Self {
        Self {
            history: History::default(),
            evaluator,
            frames: vec![Frame::EMPTY; BEFORE_ROOT + MAX_PLY + 4].into_boxed_slice(),
            keys: Vec::new(),
            lines: vec![Line::new(); MAX_PLY + 2].into_boxed_slice(),
            root_moves: Vec::new(),
            completed_depth: 0,
            reported: Line::new(),
            new_game: false,
        }
    }

    /// A new game begins. The histories, some MiB, are cleared by the thread that uses them next.
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

    /// The evaluation of a position without searching.
    pub(super) fn static_evaluation(&mut self, position: &Position) -> Score {
        self.evaluator.reset(position);
        self.evaluator.evaluate(position)
    }
}

/// What all threads of a search share.
pub(super) struct Shared<'a> {
    pub table: SharedTable<'a>,
    pub control: &'a Control,
    pub limits: &'a Limits,
    pub time: TimeManager,
    pub root: &'a Position,
    pub tablebases: Option<&'a Tablebases>,
    /// Nodes and tablebase hits of each thread.
    pub counters: &'a [Counters],
    pub multi_pv: usize,
    /// The first thread is done, and the others are to end.
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

/// A worker at work.
pub(super) struct Searcher<'a> {
    pub worker: &'a mut Worker,
    pub shared: &'a Shared<'a>,
    /// 0 is the one that watches the limits and reports.
    pub id: usize,
    pub nodes: u64,
    pub tablebase_hits: u64,
    pub seldepth: usize,
    pub root_depth: i32,
    /// While a null move is verified: no other is made before this ply.
    pub null_from_ply: usize,
    /// Stop at exactly this many nodes, if one thread searches alone.
    node_limit: u64,
    pub stopped: bool,
}

impl<'a> Searcher<'a> {
    pub fn new(worker: &'a mut Worker, shared: &'a Shared<'a>, id: usize) -> Self {
        if std::mem::take(&mut worker.new_game) {
            worker.history.clear();
        }
        let alone = shared.counters.len() == 1;
        // Each move at the root that the tablebases know was looked up once.
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
            null_from_ply: 0,
            node_limit: shared.limits.nodes.filter(|_| alone).unwrap_or(u64::MAX),
            stopped: false,
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

    /// The frame some plies before; there are always some before the root.
    #[inline(always)]
    pub fn earlier(&self, ply: usize, back: usize) -> &Frame {
        &self.worker.frames[ply + BEFORE_ROOT - back]
    }

    /// Counts a node and says whether the search must end.
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

    /// Whether the game is drawn here by repetition, by the fifty-move rule, or for want of pieces.
    #[inline]
    pub fn is_draw(&self, position: &Position, ply: usize) -> bool {
        if position.halfmove_clock() >= 100 && (!position.in_check() || position.has_legal_move()) {
            return true;
        }
        repetition::is_repetition(position, &self.worker.keys, ply)
            || (position.occupied().len() <= 4 && position.is_insufficient_material())
    }

    /// A draw, by a hair more or less, so that the search does not take all of them for the same.
    #[inline(always)]
    pub fn draw_score(&self) -> Score {
        DRAW - 1 + (self.nodes & 2) as Score
    }

    /// By how much experience corrects the static evaluation.
    #[inline]
    pub fn correction(&self, position: &Position, ply: usize) -> Score {
        let (previous, before) = (self.earlier(ply, 1).arrival, self.earlier(ply, 2).arrival);
        self.worker.history.correction(position, previous, before)
    }

    /// Fetches what the table knows of the position after a move that will probably be made, while it
    /// is still being looked at.
    #[inline(always)]
    pub fn prefetch_after(&self, position: &Position, m: Move) {
        self.shared.table.prefetch(position.likely_key_after(m));
    }

    /// Makes a move, remembering it for the line, and prefetches what the table knows of the result.
    #[inline(always)]
    pub fn play(&mut self, position: &Position, m: Move, ply: usize) -> Position {
        let arrival = crate::history::arrival(position, m);
        self.frame_mut(ply).arrival = arrival;
        self.worker.keys.push(position.key());
        let next = self.worker.evaluator.play(position, m);
        self.shared.table.prefetch(next.key());
        next
    }

    #[inline(always)]
    pub fn take_back(&mut self) {
        self.worker.keys.pop();
        self.worker.evaluator.take_back();
    }

    /// What orders the quiet moves at a ply.
    #[inline]
    pub fn quiet_context(&self, position: &Position, ply: usize) -> QuietContext {
        QuietContext {
            pawn_threats: pawn_threats(position),
            before: CONTINUATIONS.map(|back| self.earlier(ply, back).arrival),
            killer: self.frame(ply).killer,
        }
    }

    /// The line at a ply is this move and the line after it.
    pub fn update_line(&mut self, ply: usize, m: Move) {
        let (here, after) = self.worker.lines.split_at_mut(ply + 1);
        let line = &mut here[ply];
        line.clear();
        line.push(m);
        let room = line.remaining_capacity();
        line.extend(after[0].iter().copied().take(room));
    }
}

/// Whether the player has more than king and pawns, so that passing is seldom better than any move.
pub(super) fn has_pieces(position: &Position) -> bool {
    let board = position.board();
    let simple = board.piece_type(PieceType::Pawn) | board.piece_type(PieceType::King);
    (board.color(position.turn()) - simple) != Bitboard::EMPTY
}
