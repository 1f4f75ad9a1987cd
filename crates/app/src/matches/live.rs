//! The standings of a running match on standard error: a table redrawn in place on a terminal, otherwise a
//! line every half minute.

use std::time::{Duration, Instant};

use arena::{GameRecord, Pace, Standings, table};
use indicatif::ProgressBar;
use layout::{clock, count, wrap};

use crate::progress;

/// The interval of lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);
/// Faults printed when they occur; the report has more.
const MAX_FAULTS: u32 = 10;

/// The display of a running match.
pub struct Live {
    bar: ProgressBar,
    start: Instant,
    last_line: Instant,
    pace: Pace,
    faults: u32,
}

/// Games played, speed and remaining time.
fn pace_text(pace: Pace, games: usize, elapsed: Duration) -> String {
    let played = format!("{games}/{}", count(pace.planned, "game"));
    if games <= pace.resumed {
        return played;
    }
    let rate = pace.rate(games, elapsed);
    let left = pace.planned.saturating_sub(games) as f64 / rate.max(1e-9);
    let left = clock(left);
    let bound = if pace.may_end_early { "at most " } else { "" };
    format!("{played}, {:.1}/min, {bound}{left} left", 60.0 * rate)
}

impl Live {
    pub fn new(pace: Pace) -> Self {
        let template = "{wide_bar} {prefix}, {elapsed} so far\n{msg}";
        let bar = progress::bar(pace.planned as u64, template);
        bar.set_position(pace.resumed as u64);
        bar.enable_steady_tick(Duration::from_millis(500));
        let now = Instant::now();
        Self { bar, start: now, last_line: now, pace, faults: 0 }
    }

    /// Shows the standings, and `note` on a line of its own.
    pub fn show(&mut self, standings: &Standings, names: &[String], note: &str) {
        let progress = || pace_text(self.pace, standings.games() as usize, self.start.elapsed());
        let bar = &self.bar;
        if !bar.is_hidden() {
            bar.set_position(u64::from(standings.games()));
            bar.set_prefix(progress());
            let width = layout::log_width();
            let table = table::ranking(standings, names).without(&table::UNIMPORTANT, width);
            bar.set_message(format!("{table}{}", wrap(note, width, 2)));
        } else if self.last_line.elapsed() >= LINE_INTERVAL {
            let progress = progress();
            self.last_line = Instant::now();
            let scores: Vec<String> = standings
                .ranking()
                .into_iter()
                .map(|engine| {
                    let score = standings.engine(engine);
                    format!("{} {}/{}", names[engine], score.points(), score.games())
                })
                .collect();
            let note = if note.is_empty() { String::new() } else { format!("; {note}") };
            eprintln!("{progress}: {}{note}", scores.join(", "));
        }
    }

    /// Prints the faults of a game at once: the user may want to end the match.
    pub fn print_faults(&mut self, record: &GameRecord, names: &[String]) {
        for (engine, side) in [record.white, record.black].into_iter().zip(&record.sides) {
            for (fault, found) in side.faults.iter() {
                self.faults += 1;
                if self.faults <= MAX_FAULTS {
                    let text = table::fault(record.game, &names[engine], fault, found);
                    self.print(&text);
                }
            }
        }
    }

    /// Prints a line above the table.
    pub fn print(&self, line: &str) {
        progress::log_line(&self.bar, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_counts_games_of_this_run_and_a_test_may_end_early() {
        let minute = Duration::from_secs(60);
        let pace = Pace { planned: 100, resumed: 0, may_end_early: false };
        assert_eq!(pace_text(pace, 20, minute), "20/100 games, 20.0/min, 4:00 left");
        let pace = Pace { resumed: 50, ..pace };
        assert_eq!(pace_text(pace, 50, minute), "50/100 games");
        assert_eq!(pace_text(pace, 60, minute), "60/100 games, 10.0/min, 4:00 left");
        let pace = Pace { planned: 40_000, resumed: 1_000, may_end_early: true };
        let text = pace_text(pace, 1_600, minute);
        assert_eq!(text, "1600/40000 games, 600.0/min, at most 1:04:00 left");
    }
}
