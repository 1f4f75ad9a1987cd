//! Searches of the engine: for a move, or for lines that are refined while someone looks at them.
//!
//! An analysis without an end gives way: where others wait for a core it is interrupted after a slice of time,
//! queues up again, and resumes with the hash table it had.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::Bound;
use engine::search::{Control, Found, Limits, Report, Settings, with_deep_stack};
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

use super::engines::Owner;
use super::{Context, OnDrop, Stop};
use crate::job::{Lines, Purpose, ScoredLine, Search, Update};

/// Between two reports: lines change 12 times a second.
const TICK: Duration = Duration::from_millis(80);

/// The lines of a search while it runs; shared with its thread.
struct SearchProgress {
    control: Control,
    lines: Mutex<Lines>,
    /// Nodes and depth of the slices before.
    earlier: (u64, i32),
    begun: Instant,
}

impl SearchProgress {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a line of the search; those less deep than what is known already are left out.
    fn take(&self, report: Report<'_>) {
        let Report::Line(line) = report else { return };
        let (_, earlier_depth) = self.earlier;
        // An exact score follows every bound.
        if line.bound != Bound::Exact || line.depth < earlier_depth {
            return;
        }
        let mut lines = self.lines();
        let scored = ScoredLine { score: line.score, moves: line.line.to_vec() };
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

    /// The lines now.
    fn now(&self) -> Lines {
        let mut lines = self.lines().clone();
        lines.nodes = self.earlier.0 + self.control.nodes();
        lines.elapsed = self.begun.elapsed();
        lines
    }
}

/// The end of a slice.
struct Slice {
    found: Found,
    lines: Lines,
    gave_way: bool,
}

/// Does [`Work::Search`](crate::job::Work::Search).
pub async fn run(context: &Context, search: Search, stop: &mut Stop) -> Update {
    let begun = Instant::now();
    let is_urgent = search.purpose != Purpose::Analysis;
    let is_infinite = search.limits.infinite;
    // An endless search that has seen everything waits for its end here, without a permit.
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
            return Update::Failed("the search failed for want of memory, or by a bug".to_owned());
        };
        lines = slice.lines;
        if slice.gave_way && !stop.is_stopped() {
            continue;
        }
        if is_infinite && !stop.is_stopped() {
            context.report(Update::Lines(lines.clone()));
            stop.stopped().await;
        }
        return Update::Found { best: slice.found.best, lines };
    }
}

/// Searches until the end, a stop, or until others should have their turn.
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
    });
    let (of_thread, asked) = (Arc::clone(&progress), Arc::clone(search));
    let _end = OnDrop(|| progress.control.stop());
    let mut thread = spawn_blocking(move || {
        let settings = Settings {
            multi_pv: asked.multi_pv,
            weakening: asked.weakening,
            ..Settings::default()
        };
        let found = with_deep_stack(|| {
            let report = |report: Report<'_>| of_thread.take(report);
            engine.search(&asked.game, &asked.limits, settings, &of_thread.control, &report)
        });
        // After a panic the engine is dropped.
        found.map(|found| (found, engine))
    });
    let started = Instant::now();
    let mut gave_way = false;
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
                if search.purpose == Purpose::Analysis && context.is_due(started.elapsed()) {
                    gave_way = true;
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
        // Stopped before the first iteration ended: there is a move and its score all the same.
        lines.lines.push(ScoredLine { score: found.score, moves: vec![m] });
        lines.depth = found.depth;
    }
    Some(Slice { found, lines, gave_way })
}
