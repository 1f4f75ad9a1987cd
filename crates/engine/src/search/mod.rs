//! The search: from a position and limits to a move.
//!
//! | file | holds |
//! |---|---|
//! | `limits` | when a search ends, and how it is stopped from outside |
//! | `time` | how long to think |
//! | `root` | iterative deepening and the moves at the root |
//! | `node` | the search of a node, as numbered steps |
//! | `quiescence` | captures at the horizon |
//! | `margins` | every number, by name |
//! | `worker` | what a thread keeps |
//!
//! Several threads search the same root with one transposition table ("lazy SMP"): each has its own
//! histories, so that they differ in the order of moves, and each finds in the table what the others
//! have done. The first watches the limits and reports.

mod limits;
mod margins;
mod node;
mod quiescence;
mod root;
mod time;
mod worker;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use chess::{Game, Move};
use nnue::AnyNetwork;

pub use limits::{Clock, Control, Limits};
pub use root::RootMove;
use time::TimeManager;
pub use worker::Line;
use worker::{Counters, Searcher, Shared, Worker};

use crate::eval::Evaluator;
use crate::score::{self, Score};
use crate::syzygy::Tablebases;
use crate::table::{Bound, OutOfMemory, Table};

/// Enough for the deepest line in a debug build.
pub(crate) const STACK_BYTES: usize = 32 << 20;

/// What a running search tells.
#[derive(Clone, Copy, Debug)]
pub enum Report<'a> {
    /// A line and its score.
    Line(LineReport<'a>),
    /// The move that is being looked at.
    CurrentMove {
        /// In this iteration.
        depth: i32,
        /// The move.
        m: Move,
        /// Its place in the order, from 1.
        number: usize,
    },
}

/// A line and its score.
#[derive(Clone, Copy, Debug)]
pub struct LineReport<'a> {
    /// How deeply it was searched.
    pub depth: i32,
    /// The deepest that was looked at.
    pub seldepth: usize,
    /// 1 for the best line, 2 for the next.
    pub number: usize,
    /// For the player to move.
    pub score: Score,
    /// What the score says.
    pub bound: Bound,
    /// Positions looked at by all threads.
    pub nodes: u64,
    /// Positions found in the tablebases.
    pub tablebase_hits: u64,
    /// How full the transposition table is, in thousandths.
    pub fullness: usize,
    /// Time since the search began.
    pub elapsed: Duration,
    /// The moves.
    pub line: &'a [Move],
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The move to play; none if there is no legal move.
    pub best: Option<Move>,
    /// The answer that is expected.
    pub ponder: Option<Move>,
    /// For the player to move.
    pub score: Score,
    /// The last depth that was completed.
    pub depth: i32,
    /// Positions looked at by all threads.
    pub nodes: u64,
    /// All moves that were considered, best first.
    pub moves: Vec<RootMove>,
}

/// What a search is asked for besides its limits.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many lines.
    pub multi_pv: usize,
    /// Time that may be lost between us and the clock.
    pub overhead: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { multi_pv: 1, overhead: Duration::from_millis(10) }
    }
}

/// An engine: a transposition table, threads with their histories, tablebases if there are any.
pub struct Engine {
    table: Table,
    workers: Vec<Worker>,
    evaluator: Evaluator,
    tablebases: Option<Tablebases>,
}

impl Engine {
    /// An engine with a table of so many MiB and one thread, which evaluates with the embedded network
    /// if there is one.
    ///
    /// ```
    /// use chess::Game;
    /// use engine::search::{Control, Engine, Limits, Settings};
    /// let mut engine = Engine::new(1)?;
    /// let game = Game::new("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1".parse()?);
    /// let limits = Limits { depth: Some(4), ..Limits::default() };
    /// let found = engine.search(&game, &limits, Settings::default(), &Control::new(false), &|_| {});
    /// assert_eq!(found.best.unwrap().to_string(), "d1d8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(mebibytes: usize) -> Result<Self, OutOfMemory> {
        let evaluator = Evaluator::default();
        let workers = vec![Worker::new(evaluator.clone())];
        Ok(Self { table: Table::new(mebibytes)?, workers, evaluator, tablebases: None })
    }

    /// Exchanges the table for an empty one of another size; the old one is kept if there is not
    /// enough memory.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory> {
        self.table = Table::new(mebibytes)?;
        Ok(())
    }

    /// The size of the table in MiB.
    pub fn hash(&self) -> usize {
        self.table.mebibytes()
    }

    /// How many threads search together.
    pub fn set_threads(&mut self, threads: usize) {
        self.workers.resize_with(threads.max(1), || Worker::new(self.evaluator.clone()));
    }

    /// Endgame tablebases to use, or none.
    pub fn set_tablebases(&mut self, tablebases: Option<Tablebases>) {
        self.tablebases = tablebases;
    }

    /// The network to evaluate with; none: the hand-written terms. All threads share it. Evaluations are
    /// kept in the table and in histories, so that these are forgotten.
    pub fn set_network(&mut self, network: Option<AnyNetwork>) {
        self.evaluator = Evaluator::new(network);
        for worker in &mut self.workers {
            worker.evaluator = self.evaluator.clone();
        }
        self.new_game();
    }

    /// The network that evaluates; none: the hand-written terms do.
    pub fn network(&self) -> Option<AnyNetwork> {
        self.evaluator.network()
    }

    /// A new game begins: all that was learnt is forgotten.
    pub fn new_game(&mut self) {
        self.clear_table();
        for worker in &mut self.workers {
            worker.clear();
        }
    }

    /// Forgets what is in the table.
    pub fn clear_table(&mut self) {
        self.table.clear(self.workers.len().min(8));
    }

    /// The static evaluation for the player to move.
    pub fn evaluate(&mut self, position: &chess::Position) -> Score {
        let mut evaluator = self.evaluator.clone();
        evaluator.reset(position);
        evaluator.evaluate(position)
    }

    /// The score for the player to move after all that hangs has been taken; nothing else is searched.
    pub fn quiesce(&mut self, position: &chess::Position) -> Score {
        let limits = Limits::default();
        let shared = Shared {
            table: self.table.open(),
            control: &Control::new(false),
            limits: &limits,
            time: TimeManager::new(&limits, Duration::ZERO),
            root: position,
            tablebases: None,
            counters: &[Counters::default()],
            multi_pv: 1,
            finished: AtomicBool::new(false),
            report: &|_| {},
        };
        let worker = &mut self.workers[0];
        worker.prepare(position, &[], &[]);
        let mut searcher = Searcher::new(worker, &shared, 0);
        searcher.frame_mut(0).in_check = position.in_check();
        searcher.quiescence::<true>(position, -score::INFINITE, score::INFINITE, 0)
    }

    /// Searches the current position of a game until a limit is reached or `control` stops it, and
    /// tells `report` what it finds on the way.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        settings: Settings,
        control: &Control,
        report: &(dyn Fn(Report<'_>) + Sync),
    ) -> Found {
        let position = *game.position();
        let mut moves: Vec<RootMove> = position
            .legal_moves()
            .into_iter()
            .filter(|m| limits.moves.is_empty() || limits.moves.contains(m))
            .map(RootMove::new)
            .collect();
        if moves.is_empty() {
            control.wait(limits.infinite);
            let score = if position.in_check() { -score::MATE } else { score::DRAW };
            return Found { best: None, ponder: None, score, depth: 0, nodes: 0, moves };
        }
        if let Some(tablebases) = &self.tablebases {
            tablebases.rank_root(game, &mut moves);
        }
        let keys: Vec<u64> = game.reversible_keys().collect();
        self.table.new_search();
        let counters: Vec<Counters> = self.workers.iter().map(|_| Counters::default()).collect();
        let shared = Shared {
            table: self.table.open(),
            control,
            limits,
            time: TimeManager::new(limits, settings.overhead),
            root: &position,
            tablebases: self.tablebases.as_ref(),
            counters: &counters,
            multi_pv: settings.multi_pv.max(1),
            finished: AtomicBool::new(false),
            report,
        };
        for worker in &mut self.workers {
            worker.prepare(&position, &keys, &moves);
        }
        let (first, helpers) = self.workers.split_at_mut(1);
        std::thread::scope(|scope| {
            for (n, worker) in helpers.iter_mut().enumerate() {
                let shared = &shared;
                // A thread that cannot be started is missed, and that is all.
                let _ = std::thread::Builder::new()
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || Searcher::new(worker, shared, n + 1).deepen());
            }
            Searcher::new(&mut first[0], &shared, 0).deepen();
            control.wait(limits.infinite);
            shared.finished.store(true, Relaxed);
        });
        let nodes = shared.nodes();
        self.choose(&position, nodes)
    }

    /// The result of the thread that got furthest.
    fn choose(&mut self, position: &chess::Position, nodes: u64) -> Found {
        let mut chosen = &self.workers[0];
        for worker in &self.workers[1..] {
            let (ours, theirs) = (&chosen.root_moves[0], &worker.root_moves[0]);
            let deeper = worker.completed_depth > chosen.completed_depth;
            let better = theirs.told_score() > ours.told_score();
            let mates = score::is_mate(theirs.told_score());
            if better && (deeper || (mates && worker.completed_depth > 0)) {
                chosen = worker;
            }
        }
        let top = &chosen.root_moves[0];
        let expected = top.line.get(1).copied().or_else(|| {
            let next = position.after(top.m);
            let entry = self.table.open().look_up(next.key(), 0)?;
            entry.best.filter(|&m| next.is_legal(m))
        });
        Found {
            best: Some(top.m),
            ponder: expected,
            score: top.told_score(),
            depth: chosen.completed_depth,
            nodes,
            moves: chosen.root_moves.clone(),
        }
    }
}

/// Runs something with a stack that is deep enough for [`Engine::search`] in any build. Gives
/// nothing if no thread can be started.
pub fn with_deep_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        thread.ok()?.join().ok()
    })
}
