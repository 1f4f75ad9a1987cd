//! The standings of a running match on standard error: a table redrawn in place on a terminal, otherwise a
//! line every half minute.

use std::time::Instant;

use arena::{GameRecord, Pace, Standings, table};
use layout::wrap;

use crate::progress::{LOG_INTERVAL, LiveDisplay};

/// Faults printed when they occur; the report has more.
const MAX_FAULTS: u32 = 10;

/// The display of a running match.
pub struct Live {
    display: LiveDisplay,
    start: Instant,
    pace: Pace,
    faults: u32,
}

impl Live {
    pub fn new(pace: Pace) -> Self {
        let template = "{wide_bar} {prefix}, {elapsed} so far\n{msg}";
        let display = LiveDisplay::new(pace.planned as u64, template).ticking();
        Self { display, start: Instant::now(), pace, faults: 0 }
    }

    /// Shows the standings, and `note` on a line of its own.
    pub fn show(&mut self, standings: &Standings, names: &[String], note: &str) {
        let progress = || self.pace.text(standings.games() as usize, self.start.elapsed());
        if let Some(bar) = self.display.bar() {
            bar.set_position(u64::from(standings.games()));
            bar.set_prefix(progress());
            let width = layout::log_width();
            let table = table::ranking(standings, names).without(&table::UNIMPORTANT, width);
            bar.set_message(format!("{table}{}", wrap(note, width, 2)));
            return;
        }
        self.display.line_every(LOG_INTERVAL, false, || {
            let score = |engine: usize| {
                let score = standings.engine(engine);
                format!("{} {}/{}", names[engine], score.points(), score.games())
            };
            let scores: Vec<String> = standings.ranking().into_iter().map(score).collect();
            let note = if note.is_empty() { String::new() } else { format!("; {note}") };
            format!("{}: {}{note}", progress(), scores.join(", "))
        });
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
        self.display.line(line);
    }
}
