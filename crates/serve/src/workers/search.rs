//! Searches of the engine: for a move, or for the lines of an analysis.
//!
//! Infinite analysis is time-sliced: while other jobs wait for a permit it is interrupted after a slice, queues
//! again, and resumes with its hash table.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chess::Position;
use engine::search::{Control, Found, Limits, Report, Settings, with_deep_stack};
use engine::wdl::to_cp;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

use super::engines::Owner;
use super::{Context, OnDrop, Stop};
use crate::job::{Lines, Purpose, ScoredLine, Search, Update};

/// Time between two updates: lines change 12 times a second.
const TICK: Duration = Duration::from_millis(80);

/// The lines of a search while it runs; shared with its thread.
struct SearchProgress {
    control: Control,
    lines: Mutex<Lines>,
    /// Nodes and depth of earlier slices.
    earlier: (u64, i32),
    begun: Instant,
    position: Position,
}

impl SearchProgress {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a line of the search, unless an earlier slice was deeper.
    fn store(&self, report: Report<'_>) {
        let Report::Line(line) = report else { return };
        let (_, earlier_depth) = self.earlier;
        if !line.is_settled() || line.depth < earlier_depth {
            return;
        }
        let mut lines = self.lines();
        let scored =
            ScoredLine { score: to_cp(line.score, &self.position), moves: line.line.to_vec() };
        match line.number.checked_sub(1) {
            Some(at) if at < lines.lines.len() => lines.lines[at] = scored,
            Some(_) => lines.lines.push(scored),
            None => return,
        }
        if line.number == 1 {
            lines.depth = line.depth;
        }
        lines.seldepth = lines.seldepth.max(line.seldepth);
    }

    /// The current lines.
    fn now(&self) -> Lines {
        let mut lines = self.lines().clone();
        lines.nodes = self.earlier.0 + self.control.nodes();
        lines.elapsed = self.begun.elapsed();
        lines
    }
}

/// The result of a slice.
struct Slice {
    found: Found,
    lines: Lines,
    is_preempted: bool,
}

/// Runs [`Work::Search`](crate::job::Work::Search).
pub async fn run(context: &Context, search: Search, stop: &mut Stop) -> Update {
    let begun = Instant::now();
    let is_urgent = search.purpose != Purpose::Analysis;
    let is_infinite = search.limits.infinite;
    // An infinite search that has reached the maximum depth waits below to be stopped, without a permit.
    let limits = Limits { infinite: false, ..search.limits };
    let search = Arc::new(Search { limits, ..search });
    let mut lines = Lines::default();
    loop {
        let Some(permit) = context.permit(is_urgent, stop).await else {
            return Update::Found { best: None, lines };
        };
        let slice = slice(context, &search, lines, begun, stop).await;
        drop(permit);
        let Some(slice) = slice else {
            return Update::Failed("the search failed: out of memory, or a bug".to_owned());
        };
        lines = slice.lines;
        if slice.is_preempted && !stop.is_stopped() {
            continue;
        }
        if is_infinite && !stop.is_stopped() {
            context.report(Update::Lines(lines.clone()));
            stop.stopped().await;
        }
        return Update::Found { best: slice.found.best, lines };
    }
}

/// Searches until the end, cancellation, or the end of the slice.
async fn slice(
    context: &Context,
    search: &Arc<Search>,
    earlier: Lines,
    begun: Instant,
    stop: &mut Stop,
) -> Option<Slice> {
    let owner = Owner { tab: context.tab, plays: search.purpose == Purpose::Play };
    let mut engine = context.workers.engines.take(owner)?;
    let progress = Arc::new(SearchProgress {
        control: Control::new(false),
        earlier: (earlier.nodes, earlier.depth),
        lines: Mutex::new(earlier),
        begun,
        position: *search.game.position(),
    });
    let (of_thread, search_of_thread) = (Arc::clone(&progress), Arc::clone(search));
    let _end = OnDrop(|| progress.control.stop());
    let mut thread = spawn_blocking(move || {
        let settings = Settings {
            multi_pv: search_of_thread.multi_pv,
            weakening: search_of_thread.weakening,
            ..Settings::default()
        };
        let found = with_deep_stack(|| {
            let report = |report: Report<'_>| of_thread.store(report);
            let Search { game, limits, .. } = &*search_of_thread;
            engine.search(game, limits, settings, &of_thread.control, &report)
        });
        // After a panic the engine is dropped.
        found.map(|found| (found, engine))
    });
    let started = Instant::now();
    let mut is_preempted = false;
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.reset();
    let result = loop {
        tokio::select! {
            result = &mut thread => break result,
            _ = ticks.tick() => {
                if !progress.lines().lines.is_empty() {
                    context.report(Update::Lines(progress.now()));
                }
                if search.purpose == Purpose::Analysis && context.is_slice_over(started.elapsed()) {
                    is_preempted = true;
                    progress.control.stop();
                }
            }
            () = stop.stopped(), if !progress.control.is_stopped() => progress.control.stop(),
        }
    };
    let (found, engine) = result.ok()??;
    context.workers.engines.put(owner, engine);
    let mut lines = progress.now();
    lines.nodes = lines.nodes.max(progress.earlier.0 + found.nodes);
    if let (true, Some(m)) = (lines.lines.is_empty(), found.best) {
        // Stopped before the end of the first iteration: there is still a move with a score.
        lines
            .lines
            .push(ScoredLine { score: to_cp(found.score, search.game.position()), moves: vec![m] });
        lines.depth = found.depth;
    }
    Some(Slice { found, lines, is_preempted })
}
