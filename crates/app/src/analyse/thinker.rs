//! An engine that thinks on a thread of its own while we show what it finds, and Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, anyhow};
use chess::{Game, Move};
use engine::score::Score;
use engine::search::{Control, Engine, Limits, Report, Settings, with_deep_stack};

use super::AnalyseArgs;
use crate::interrupt;

/// A line as the search tells it, to be kept.
#[derive(Clone, Debug)]
pub struct Line {
    pub depth: i32,
    pub seldepth: usize,
    /// 1 for the best.
    pub number: usize,
    /// For the player to move.
    pub score: Score,
    pub nodes: u64,
    pub seconds: f64,
    pub moves: Vec<Move>,
}

/// An engine, and the reins of what it is doing.
pub struct Thinker {
    engine: Engine,
    multi_pv: usize,
    interrupted: Arc<AtomicBool>,
    /// The search that Ctrl-C stops.
    running: Arc<Mutex<Arc<Control>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Thinker {
    /// An engine as the arguments want it; from now on Ctrl-C stops the search, not the program.
    pub fn new(args: &AnalyseArgs) -> anyhow::Result<Self> {
        let mut engine = Engine::new(args.hash as usize).context("--hash")?;
        engine.set_threads(args.threads.get()).context("--threads")?;
        let running = Arc::new(Mutex::new(Arc::new(Control::new(false))));
        let stopped = running.clone();
        let interrupted = interrupt::listen(move || lock(&stopped).stop())?;
        Ok(Self { engine, multi_pv: args.multipv.into(), interrupted, running })
    }

    /// Whether somebody has pressed Ctrl-C.
    pub fn interrupted(&self) -> bool {
        self.interrupted.load(Relaxed)
    }

    /// Forgets the last game.
    pub fn new_game(&mut self) {
        self.engine.new_game();
    }

    /// Thinks about a game's position, tells every line as it is found, and gives the last of each
    /// number. Without a legal move there are none.
    pub fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        mut tell: impl FnMut(&Line),
    ) -> anyhow::Result<Vec<Line>> {
        let control = Arc::new(Control::new(false));
        *lock(&self.running) = control.clone();
        // The flag is set before the running search is stopped: one of both sees the other.
        if self.interrupted() {
            control.stop();
        }
        let settings = Settings { multi_pv: self.multi_pv, ..Settings::default() };
        let engine = &mut self.engine;
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            let thread = scope.spawn(move || {
                with_deep_stack(|| {
                    let sender = Mutex::new(sender);
                    let report = |report: Report<'_>| send(report, &sender);
                    engine.search(game, limits, settings, &control, &report)
                })
            });
            let mut lines: Vec<Line> = Vec::new();
            for line in receiver {
                tell(&line);
                let at = line.number - 1;
                if at < lines.len() {
                    lines[at] = line;
                } else {
                    lines.push(line);
                }
            }
            let found = thread.join().ok().flatten();
            let found = found.ok_or_else(|| anyhow!("the search broke off"))?;
            // Stopped before the first depth was done: the move and its score are known all the same.
            if let (true, Some(m)) = (lines.is_empty(), found.best) {
                lines.push(Line {
                    depth: found.depth,
                    seldepth: 1,
                    number: 1,
                    score: found.score,
                    nodes: found.nodes,
                    seconds: 0.0,
                    moves: vec![m],
                });
            }
            Ok(lines)
        })
    }
}

fn send(report: Report<'_>, sender: &Mutex<Sender<Line>>) {
    let Report::Line(line) = report else { return };
    // A score that is only a bound comes again as a score.
    if line.bound != engine::table::Bound::Exact {
        return;
    }
    // Nobody listens any more: then nobody wants to know.
    let _ = lock(sender).send(Line {
        depth: line.depth,
        seldepth: line.seldepth,
        number: line.number,
        score: line.score,
        nodes: line.nodes,
        seconds: line.elapsed.as_secs_f64(),
        moves: line.line.to_vec(),
    });
}
