//! An engine that searches on its own thread while the caller shows its principal variations.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chess::{Game, Move, Position};

use crate::search::{Control, Engine, Limits, Report, Settings, builder};
use crate::value::Value;
use crate::wdl::to_cp;

/// Why a search has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The system starts no thread for it.
    #[error("cannot start a thread for the search: {0}")]
    Thread(#[from] io::Error),
    /// A bug in the search.
    #[error("the search panicked")]
    Panicked,
}

/// A principal variation with its score.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PvLine {
    /// Depth of the iteration.
    pub depth: i32,
    /// Deepest ply reached.
    pub seldepth: usize,
    /// MultiPV index; 1 is the best line.
    pub multipv: usize,
    /// For the side to move, in centipawns: see [`to_cp`].
    pub score: Value,
    /// Nodes searched so far by all threads.
    pub nodes: u64,
    /// Seconds since the search began.
    pub seconds: f64,
    /// The moves.
    pub moves: Vec<Move>,
}

/// Stops the running search of an [`AnalysisEngine`], and every later one, from any thread.
#[derive(Clone)]
pub struct StopHandle {
    is_stopped: Arc<AtomicBool>,
    running: Arc<Mutex<Arc<Control>>>,
}

impl StopHandle {
    /// Stops the search.
    pub fn stop(&self) {
        // In this order: a search that begins meanwhile observes the flag or is stopped here.
        self.is_stopped.store(true, Relaxed);
        self.running().stop();
    }

    fn running(&self) -> MutexGuard<'_, Arc<Control>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An engine for analysis.
pub struct AnalysisEngine {
    engine: Engine,
    /// How many principal variations a search returns.
    pub multi_pv: usize,
    stop: StopHandle,
}

impl AnalysisEngine {
    /// An analysis engine with one principal variation.
    pub fn new(engine: Engine) -> Self {
        let running = Arc::new(Mutex::new(Arc::new(Control::new(false))));
        let stop = StopHandle { is_stopped: Arc::default(), running };
        Self { engine, multi_pv: 1, stop }
    }

    /// The engine, for another use.
    pub fn into_engine(self) -> Engine {
        self.engine
    }

    /// A handle that stops the search.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Whether it was stopped by a [`StopHandle`].
    pub fn is_stopped(&self) -> bool {
        self.stop.is_stopped.load(Relaxed)
    }

    /// Clears the hash table and the histories.
    pub fn new_game(&mut self) {
        self.engine.new_game();
    }

    /// Searches the position of a game. `on_line` observes every line as it is found; the result is the
    /// last line of each MultiPV index, none without a legal move.
    pub fn search_lines(
        &mut self,
        game: &Game,
        limits: &Limits,
        mut on_line: impl FnMut(&PvLine),
    ) -> Result<Vec<PvLine>, AnalysisError> {
        let control = Arc::new(Control::new(false));
        *self.stop.running() = control.clone();
        if self.is_stopped() {
            control.stop();
        }
        let settings = Settings { multi_pv: self.multi_pv, ..Settings::default() };
        let engine = &mut self.engine;
        let position = *game.position();
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            let search = move || {
                let report = |report: Report<'_>| send(&position, report, &sender);
                engine.search(game, limits, settings, &control, &report)
            };
            let thread = builder()?.spawn_scoped(scope, search)?;
            let mut lines: Vec<PvLine> = Vec::new();
            for line in receiver {
                on_line(&line);
                let at = line.multipv - 1;
                if at < lines.len() {
                    lines[at] = line;
                } else {
                    lines.push(line);
                }
            }
            let found = thread.join().map_err(|_| AnalysisError::Panicked)?;
            // Stopped before the first iteration ended: there is a move and its score all the same.
            if let (true, Some(m)) = (lines.is_empty(), found.best) {
                lines.push(PvLine {
                    depth: found.depth,
                    seldepth: 1,
                    multipv: 1,
                    score: to_cp(found.score, &position),
                    nodes: found.nodes,
                    seconds: 0.0,
                    moves: vec![m],
                });
            }
            Ok(lines)
        })
    }
}

fn send(position: &Position, report: Report<'_>, sender: &Sender<PvLine>) {
    let Report::Line(line) = report else { return };
    if !line.is_settled() {
        return;
    }
    // The receiver outlives the search.
    let _ = sender.send(PvLine {
        depth: line.depth,
        seldepth: line.seldepth,
        multipv: line.number,
        score: to_cp(line.score, position),
        nodes: line.nodes,
        seconds: line.elapsed.as_secs_f64(),
        moves: line.line.to_vec(),
    });
}
