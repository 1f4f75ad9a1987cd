//! An engine that thinks on a thread of its own while we show what it finds, and Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, anyhow};
use chess::{Game, Move};
use engine::score::Score;
use engine::search::{Control, Engine, Limits, Report, Settings, with_deep_stack};

use super::AnalyseArgs;

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
    interrupt: Arc<Interrupt>,
}

#[derive(Default)]
struct Interrupt {
    happened: AtomicBool,
    running: Mutex<Option<Arc<Control>>>,
}

impl Interrupt {
    /// Makes this the search that Ctrl-C stops.
    fn watch(&self, control: &Arc<Control>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running = Some(control.clone());
        if self.happened.load(SeqCst) {
            control.stop();
        }
    }

    fn happen(&self) {
        // Whoever is in a hurry says it twice.
        if self.happened.swap(true, SeqCst) {
            std::process::exit(130);
        }
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(control) = &*running {
            control.stop();
        }
    }
}

impl Thinker {
    /// An engine as the arguments want it; from now on Ctrl-C stops the search, not the program.
    pub fn new(args: &AnalyseArgs) -> anyhow::Result<Self> {
        let mut engine = Engine::new(args.hash as usize).context("--hash")?;
        engine.set_threads(args.threads.into()).context("--threads")?;
        let interrupt = Arc::new(Interrupt::default());
        let inner = interrupt.clone();
        ctrlc::set_handler(move || inner.happen()).context("cannot listen for Ctrl-C")?;
        Ok(Self { engine, multi_pv: args.multipv.into(), interrupt })
    }

    /// Whether somebody has pressed Ctrl-C.
    pub fn interrupted(&self) -> bool {
        self.interrupt.happened.load(SeqCst)
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
        self.interrupt.watch(&control);
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
    let sender = sender.lock().unwrap_or_else(PoisonError::into_inner);
    // Nobody listens any more: then nobody wants to know.
    let _ = sender.send(Line {
        depth: line.depth,
        seldepth: line.seldepth,
        number: line.number,
        score: line.score,
        nodes: line.nodes,
        seconds: line.elapsed.as_secs_f64(),
        moves: line.line.to_vec(),
    });
}
