//! The standings of a running match on standard error: a table redrawn in place on a terminal, otherwise a
//! line every half minute.

use std::time::{Duration, Instant};

use arena::{GameRecord, Pace, Standings, table};
use indicatif::ProgressBar;
use layout::wrap;

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
        let progress = || self.pace.text(standings.games() as usize, self.start.elapsed());
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
