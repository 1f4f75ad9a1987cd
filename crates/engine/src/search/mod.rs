//! The search: from a position and limits to a move.
//!
//! | file | holds |
//! |---|---|
//! | `limits` | when a search ends, and how it is stopped from outside |
//! | `time` | how long to think |
//! | `threads` | how threads are started |
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
mod threads;
mod time;
mod worker;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use chess::{Game, Move};
use nnue::AnyNetwork;

pub use limits::{Clock, Control, Limits};
pub use root::{RootMove, RootResult};
pub(crate) use threads::{STACK_BYTES, builder};
pub use threads::{ThreadError, with_deep_stack};
use time::TimeManager;
pub use worker::Line;
use worker::{Counters, Searcher, Shared, WORKER_BYTES, Worker};

use crate::eval::Evaluator;
use crate::memory::is_available;
use crate::score::{self, Score};
use crate::syzygy::Tablebases;
use crate::table::{Bound, OutOfMemory, SharedTable, Table};
use crate::weaken::{self, Weakening};

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
    /// Not all threads could be started: the search goes on with fewer.
    MissingThreads {
        /// How many search.
        started: usize,
        /// How many were asked for.
        wanted: usize,
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
    /// Time since the search began, pondering included.
    pub elapsed: Duration,
    /// The moves.
    pub line: &'a [Move],
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The move to play; none if there is no legal move. The last first line that was reported begins
    /// with it.
    pub best: Option<Move>,
    /// The answer that is expected: the second move of that line.
    pub ponder: Option<Move>,
    /// For the player to move.
    pub score: Score,
    /// The last depth that was completed.
    pub depth: i32,
    /// Positions looked at by all threads.
    pub nodes: u64,
    /// All moves that were considered: the one to play, then the others, best first.
    pub moves: Vec<RootMove>,
}

/// What a search is asked for besides its limits.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many lines.
    pub multi_pv: usize,
    /// Time that may be lost between us and the clock.
    pub overhead: Duration,
    /// Play below full strength.
    pub weakening: Option<Weakening>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { multi_pv: 1, overhead: Duration::from_millis(10), weakening: None }
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
        if !is_available(WORKER_BYTES) {
            return Err(OutOfMemory { mebibytes });
        }
        let evaluator = Evaluator::default();
        let workers = vec![Worker::new(evaluator.clone())];
        Ok(Self { table: Table::new(mebibytes)?, workers, evaluator, tablebases: None })
    }

    /// Exchanges the table for an empty one of another size; the old one is kept if there is not
    /// enough memory.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory> {
        let new = Table::new(mebibytes)?;
        // The threads of the next search must fit beside it.
        threads::check_memory(self.threads(), 0).map_err(|_| OutOfMemory { mebibytes })?;
        std::mem::replace(&mut self.table, new).free();
        Ok(())
    }

    /// The size of the table in MiB.
    pub fn hash(&self) -> usize {
        self.table.mebibytes()
    }

    /// How many threads search together. If there cannot be so many, there are as many as before.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), ThreadError> {
        let (threads, old) = (threads.max(1), self.workers.len());
        if threads > old {
            threads::check_memory(threads, threads - old)?;
        }
        self.workers.resize_with(threads, || Worker::new(self.evaluator.clone()));
        let result = if threads > old { threads::try_out(threads) } else { Ok(()) };
        if result.is_err() {
            self.workers.truncate(old);
        }
        self.workers.shrink_to_fit();
        result
    }

    /// How many threads search together.
    pub fn threads(&self) -> usize {
        self.workers.len()
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
            worker.new_game();
        }
    }

    /// Forgets what is in the table.
    pub fn clear_table(&mut self) {
        self.table.clear();
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
            let (mut started, wanted) = (1, counters.len());
            for (n, worker) in helpers.iter_mut().enumerate() {
                let shared = &shared;
                let search = move || Searcher::new(worker, shared, n + 1).deepen();
                let Ok(_) = builder().and_then(|builder| builder.spawn_scoped(scope, search))
                else {
                    break;
                };
                started += 1;
            }
            if started < wanted {
                report(Report::MissingThreads { started, wanted });
            }
            Searcher::new(&mut first[0], &shared, 0).deepen();
            control.wait(limits.infinite);
            shared.finished.store(true, Relaxed);
        });
        let chosen = choose(&self.workers);
        let mut moves = chosen.root_moves.clone();
        let depth = chosen.completed_depth;
        let played = settings.weakening.map_or(0, |weakening| weaken::choose(&moves, weakening));
        moves[..=played].rotate_right(1);
        let top = &mut moves[0];
        expect_answer(&mut top.line, &position, shared.table);
        let result = top.reported().unwrap_or_else(|| {
            // Stopped before anything was searched.
            let score = self.workers[0].static_evaluation(&position);
            *top.result.insert(RootResult { depth: 0, seldepth: 0, score, bound: Bound::Exact })
        });
        if self.workers[0].reported != moves[0].line {
            shared.report_lines(&moves);
        }
        Found {
            best: Some(moves[0].m),
            ponder: moves[0].line.get(1).copied(),
            score: result.score,
            depth,
            nodes: shared.nodes(),
            moves,
        }
    }
}

/// The thread that got furthest.
fn choose(workers: &[Worker]) -> &Worker {
    let mut chosen = &workers[0];
    for worker in &workers[1..] {
        let (ours, theirs) = (&chosen.root_moves[0], &worker.root_moves[0]);
        let (ours, theirs) = (ours.reported_order(), theirs.reported_order());
        let deeper = worker.completed_depth > chosen.completed_depth;
        let mates = score::is_mate(theirs.1);
        if theirs > ours && (deeper || (mates && worker.completed_depth > 0)) {
            chosen = worker;
        }
    }
    chosen
}

/// Adds the answer that the table knows to a line of one move.
fn expect_answer(line: &mut Line, position: &chess::Position, table: SharedTable<'_>) {
    if let [m] = line[..] {
        let next = position.after(m);
        let entry = table.look_up(next.key(), 0);
        line.extend(entry.and_then(|entry| entry.best).filter(|&m| next.is_legal(m)));
    }
}
