//! How the match stands while it runs, on standard error: a table redrawn in place on a terminal,
//! otherwise a line every now and then.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::layout::{self, wrap};

use super::record::GameRecord;
use super::standings::Standings;
use super::table;

/// How often a line is printed where there is no terminal.
const PAUSE: Duration = Duration::from_secs(30);
/// So many faults are told when they happen; all are in the report.
const TOLD: u32 = 10;

pub struct Live {
    bar: Option<ProgressBar>,
    last_line: Instant,
    games: usize,
    told: u32,
}

impl Live {
    pub fn new(games: usize, played: usize) -> anyhow::Result<Self> {
        let bar = if std::io::stderr().is_terminal() {
            let template = "{wide_bar} {pos}/{len} games, {elapsed}, {eta} left\n{msg}";
            let bar = ProgressBar::new(games as u64).with_position(played as u64);
            bar.set_style(ProgressStyle::with_template(template)?);
            bar.reset_eta();
            bar.enable_steady_tick(Duration::from_millis(500));
            Some(bar)
        } else {
            None
        };
        Ok(Self { bar, last_line: Instant::now(), games, told: 0 })
    }

    /// Shows how things stand; `note` is a line more, for a test.
    pub fn show(&mut self, standings: &Standings, names: &[String], note: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position(u64::from(standings.games()));
            let width = layout::log_width();
            let table = table::ranking(standings, names).without(&table::UNIMPORTANT, width);
            bar.set_message(format!("{table}{}", wrap(note, width, 2)));
        } else if self.last_line.elapsed() >= PAUSE {
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
            eprintln!("{}/{} games: {}{note}", standings.games(), self.games, scores.join(", "));
        }
    }

    /// Says at once what an engine did wrong: it may not be worth to go on.
    pub fn tell_faults(&mut self, record: &GameRecord, names: &[String]) {
        for (engine, side) in [record.white, record.black].into_iter().zip(&record.sides) {
            for (fault, tally) in side.faults.iter() {
                self.told += 1;
                if self.told <= TOLD {
                    let text = table::fault(record.game, &names[engine], fault, tally);
                    self.tell(&text);
                }
            }
        }
    }

    /// Prints a line for good.
    pub fn tell(&self, line: &str) {
        let line = wrap(line, layout::log_width(), 2);
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
