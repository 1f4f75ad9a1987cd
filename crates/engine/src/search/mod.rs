//! The search: from a position and limits to a move.
//!
//! | file | holds |
//! |---|---|
//! | `limits` | limits of a search, and its control from another thread |
//! | `time` | time management |
//! | `threads` | spawning search threads |
//! | `root` | iterative deepening, aspiration windows, root moves |
//! | `node` | the search of a node, as numbered steps |
//! | `pruning`, `singular`, `reductions`, `update`, `previous` | its larger steps |
//! | `quiescence` | quiescence search |
//! | `margins` | the parameters |
//! | `worker` | the state of a thread |
//! | `vote` | voting among the threads for the best move |
//!
//! Lazy SMP: all threads search the same root, and share the transposition table and the correction history.
//! Each has its own move histories and aspiration windows, so that their trees differ. The main thread checks
//! the limits and reports. At the end the threads vote for the best move.

mod limits;
pub(crate) mod margins;
mod node;
mod previous;
mod pruning;
mod quiescence;
mod reductions;
mod root;
mod singular;
mod threads;
mod time;
mod update;
mod vote;
mod worker;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use chess::{Game, Move};
use nnue::AnyNetwork;

pub use limits::{Clock, Control, Limits};
use node::Pv;
pub use root::{RootMove, RootResult};
pub(crate) use threads::{STACK_BYTES, builder};
pub use threads::{ThreadError, with_deep_stack};
use time::TimeManager;

pub use crate::weaken::Weakening;
use vote::Ballot;
use worker::{Counters, Searcher, Shared, Variation, WORKER_BYTES, Worker};

use crate::correction::Correction;
use crate::eval::Evaluator;
use crate::memory::is_available;
use crate::syzygy::Tablebases;
use crate::table::{Bound, OutOfMemory, SharedTable, Table};
use crate::value::{self, Value};
use crate::weaken;

/// A report of a running search.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Report<'a> {
    /// A principal variation and its score.
    Line(LineReport<'a>),
    /// The root move being searched (`currmove`).
    CurrentMove {
        /// The depth of the iteration.
        depth: i32,
        /// The move.
        m: Move,
        /// Its number in the move order, from 1.
        number: usize,
    },
    /// Some threads could not be started: the search runs with fewer.
    MissingThreads {
        /// Threads that search.
        started: usize,
        /// Threads requested.
        wanted: usize,
    },
}

/// A principal variation and its score.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LineReport<'a> {
    /// The depth it was searched to.
    pub depth: i32,
    /// The selective depth: the deepest ply reached.
    pub seldepth: usize,
    /// 1 for the best line, 2 for the next.
    pub number: usize,
    /// From the side to move's view, in internal units: [`wdl::to_cp`](crate::wdl::to_cp) has centipawns.
    pub score: Value,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Whether the search has ended: this is the line of the move that it plays.
    pub is_last: bool,
    /// Nodes searched by all threads.
    pub nodes: u64,
    /// Tablebase hits.
    pub tablebase_hits: u64,
    /// Per mille of the transposition table in use (`hashfull`).
    pub fullness: usize,
    /// Time since the start of the search, pondering included.
    pub elapsed: Duration,
    /// The moves.
    pub line: &'a [Move],
}

impl LineReport<'_> {
    /// Whether no better report of this line is to come: an exact score follows every bound, unless the search
    /// ends before.
    pub fn is_settled(&self) -> bool {
        self.is_last || self.bound == Bound::Exact
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The best move; none if there is no legal move. The last reported first line begins with it.
    pub best: Option<Move>,
    /// The ponder move: the second move of that line.
    pub ponder: Option<Move>,
    /// From the side to move's view, in internal units: [`wdl::to_cp`](crate::wdl::to_cp) has centipawns.
    pub score: Value,
    /// The last completed depth of the thread that found it.
    pub depth: i32,
    /// Nodes searched by all threads.
    pub nodes: u64,
    /// All root moves: the one to play, then the others, best first.
    pub moves: Vec<RootMove>,
}

/// Search settings besides the limits.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The number of lines (MultiPV).
    pub multi_pv: usize,
    /// The move overhead: time lost between the engine and the clock.
    pub overhead: Duration,
    /// Play below full strength.
    pub weakening: Option<Weakening>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { multi_pv: 1, overhead: Duration::from_millis(10), weakening: None }
    }
}

/// An engine: a transposition table, workers with their histories and a correction history for all of them,
/// optional tablebases.
pub struct Engine {
    table: Table,
    workers: Vec<Worker>,
    /// Shared by the workers.
    correction: Correction,
    evaluator: Evaluator,
    tablebases: Option<Tablebases>,
}

impl Engine {
    /// An engine with a table of this many MiB and one thread. It evaluates with the embedded network if
    /// there is one.
    ///
    /// ```
    /// use tabiya_engine::chess::Game;
    /// use tabiya_engine::search::{Control, Engine, Limits, Settings};
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
        let (table, correction) = (Table::new(mebibytes)?, Correction::default());
        Ok(Self { table, workers, correction, evaluator, tablebases: None })
    }

    /// Replaces the table by an empty one of another size; keeps the old one if memory is short.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), OutOfMemory> {
        let new = Table::new(mebibytes)?;
        // The threads of the next search must fit too.
        threads::check_memory(self.threads(), 0).map_err(|_| OutOfMemory { mebibytes })?;
        std::mem::replace(&mut self.table, new).free();
        Ok(())
    }

    /// The table size in MiB.
    pub fn hash(&self) -> usize {
        self.table.mebibytes()
    }

    /// Sets the number of search threads; on failure the number is unchanged.
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

    /// The number of search threads.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Sets the endgame tablebases, or none.
    pub fn set_tablebases(&mut self, tablebases: Option<Tablebases>) {
        self.tablebases = tablebases;
    }

    /// Sets the network, shared by all threads; none: the classical evaluation. Clears the table and the
    /// histories, which hold evaluations.
    pub fn set_network(&mut self, network: Option<AnyNetwork>) {
        self.evaluator = Evaluator::new(network);
        for worker in &mut self.workers {
            worker.evaluator = self.evaluator.clone();
        }
        self.new_game();
    }

    /// The network; none: the classical evaluation.
    pub fn network(&self) -> Option<AnyNetwork> {
        self.evaluator.network()
    }

    /// Starts a new game: clears the table and all histories.
    pub fn new_game(&mut self) {
        self.clear_table();
        self.correction.clear();
        for worker in &mut self.workers {
            worker.new_game();
        }
    }

    /// Clears the table.
    pub fn clear_table(&mut self) {
        self.table.clear();
    }

    /// The static evaluation from the side to move's view.
    pub fn evaluate(&mut self, position: &chess::Position) -> Value {
        let mut evaluator = self.evaluator.clone();
        evaluator.reset(position);
        evaluator.evaluate(position)
    }

    /// The quiescence score from the side to move's view.
    pub fn quiesce(&mut self, position: &chess::Position) -> Value {
        let limits = Limits::default();
        let shared = Shared {
            table: self.table.open(),
            correction: &self.correction,
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
        searcher.quiescence::<Pv>(position, -value::INFINITE, value::INFINITE, 0)
    }

    /// Searches the current position of a game until a limit is reached or `control` stops it, and calls
    /// `report` on the way.
    ///
    /// It runs on the stack of the caller. In a debug build, deep lines need more of it than a thread usually
    /// has: see [`with_deep_stack`].
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
            let score = if position.in_check() { -value::MATE } else { value::DRAW };
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
            correction: &self.correction,
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
        let ballots: Vec<Option<Ballot>> = self.workers.iter().map(Ballot::of).collect();
        let number = vote::choose(&ballots, vote::is_held(limits, &settings, moves.len()));
        let chosen = &self.workers[number];
        let mut moves = chosen.root_moves.clone();
        let depth = chosen.completed_depth;
        let played = settings.weakening.map_or(0, |weakening| weaken::choose(&moves, weakening));
        moves[..=played].rotate_right(1);
        let top = &mut moves[0];
        extend_from_table(&mut top.line, &position, shared.table);
        let result = top.reported().unwrap_or_else(|| {
            // Stopped before the first move was searched.
            let score = self.workers[0].static_evaluation(&position);
            *top.result.insert(RootResult { depth: 0, seldepth: 0, score, bound: Bound::Exact })
        });
        // The main thread has reported its own line, but no other thread's.
        if number != 0 || self.workers[0].reported != moves[0].line {
            shared.report_lines(&moves, true);
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

/// Extends a line of one move by the table move, as a ponder move.
fn extend_from_table(line: &mut Variation, position: &chess::Position, table: SharedTable<'_>) {
    if let [m] = line[..] {
        let next = position.after(m);
        let entry = table.probe(next.key(), 0);
        line.extend(entry.and_then(|entry| entry.best).filter(|&m| next.is_legal(m)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(engine: &mut Engine, game: &Game, depth: u32) -> Found {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        engine.search(game, &limits, Settings::default(), &Control::new(false), &|_| {})
    }

    #[test]
    fn the_correction_history_outlives_threads_and_is_cleared_for_a_new_game() {
        let run = || {
            let mut engine = Engine::new(1).expect("memory");
            let game = Game::default();
            assert!(engine.correction.is_empty());
            engine.set_threads(3).expect("memory");
            search(&mut engine, &game, 6);
            assert!(!engine.correction.is_empty());
            engine.set_threads(1).expect("fewer");
            assert!(!engine.correction.is_empty());
            engine.new_game();
            assert!(engine.correction.is_empty());
        };
        with_deep_stack(run).expect("see above");
    }

    #[test]
    fn after_a_new_game_one_thread_repeats_its_search_whatever_was_searched_before() {
        let run = || {
            let game = Game::new(crate::bench::POSITIONS[3].parse().expect("a legal position"));
            let fresh = search(&mut Engine::new(1).expect("memory"), &game, 7);
            let mut engine = Engine::new(1).expect("memory");
            engine.set_threads(2).expect("memory");
            search(&mut engine, &Game::default(), 6);
            engine.set_threads(1).expect("fewer");
            engine.new_game();
            let again = search(&mut engine, &game, 7);
            assert_eq!((again.nodes, again.score), (fresh.nodes, fresh.score));
        };
        with_deep_stack(run).expect("see above");
    }

    /// A worker that has searched: a move and its score, at a completed depth.
    fn worker(root: &str, score: Option<Value>, depth: i32) -> Worker {
        let mut worker = Worker::new(Evaluator::new(None));
        let mut root_move = RootMove::new(chess::Position::INITIAL.parse_uci(root).expect("legal"));
        root_move.result =
            score.map(|score| RootResult { depth, seldepth: 1, score, bound: Bound::Exact });
        worker.root_moves.push(root_move);
        worker.completed_depth = depth;
        worker
    }

    #[test]
    fn the_ballot_of_a_thread_is_its_best_move_once_an_iteration_is_complete() {
        let ballot = Ballot::of(&worker("e2e4", Some(31), 7)).expect("it has searched");
        assert_eq!((ballot.m.to_string().as_str(), ballot.score, ballot.depth), ("e2e4", 31, 7));
        assert!(Ballot::of(&worker("e2e4", Some(31), 0)).is_none());
        assert!(Ballot::of(&worker("e2e4", None, 0)).is_none());
        assert!(Ballot::of(&Worker::new(Evaluator::new(None))).is_none());
    }
}
