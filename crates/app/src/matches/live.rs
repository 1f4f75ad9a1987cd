//! How the match stands while it runs, on standard error: a table redrawn in place on a terminal,
//! otherwise a line every now and then.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::layout::{self, wrap};

use super::record::GameRecord;
use super::standings::Standings;
use super::table;
use crate::progress::clock;
use crate::words::count;

/// How often a line is printed where there is no terminal.
const PAUSE: Duration = Duration::from_secs(30);
/// So many faults are told when they happen; all are in the report.
const TOLD: u32 = 10;

pub struct Live {
    bar: Option<ProgressBar>,
    begin: Instant,
    last_line: Instant,
    pace: Pace,
    told: u32,
}

/// How fast a match goes. Games that an earlier run has played count as played, but not for the rate.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub planned: usize,
    /// Games that were played before this run.
    pub resumed: usize,
    /// Whether a sequential test may end the match before all games are played.
    pub may_end_early: bool,
}

impl Pace {
    /// Games a second of this run, after so many games in all.
    pub fn rate(self, games: usize, elapsed: Duration) -> f64 {
        games.saturating_sub(self.resumed) as f64 / elapsed.as_secs_f64().max(1e-9)
    }

    /// How many games have been played, how fast, and how much time is left.
    fn text(self, games: usize, elapsed: Duration) -> String {
        let Self { planned, resumed, may_end_early } = self;
        let played = format!("{games}/{}", count(planned, "game"));
        if games <= resumed {
            return played;
        }
        let rate = self.rate(games, elapsed);
        let left = planned.saturating_sub(games) as f64 / rate.max(1e-9);
        let left = clock(Duration::from_secs_f64(left.min(1e9)));
        let bound = if may_end_early { "at most " } else { "" };
        format!("{played}, {:.1}/min, {bound}{left} left", 60.0 * rate)
    }
}

impl Live {
    pub fn new(pace: Pace) -> anyhow::Result<Self> {
        let bar = if std::io::stderr().is_terminal() {
            let template = "{wide_bar} {prefix}, {elapsed} so far\n{msg}";
            let bar = ProgressBar::new(pace.planned as u64).with_position(pace.resumed as u64);
            bar.set_style(ProgressStyle::with_template(template)?);
            bar.enable_steady_tick(Duration::from_millis(500));
            Some(bar)
        } else {
            None
        };
        let now = Instant::now();
        Ok(Self { bar, begin: now, last_line: now, pace, told: 0 })
    }

    /// Shows how things stand; `note` is a line more, for a test.
    pub fn show(&mut self, standings: &Standings, names: &[String], note: &str) {
        let pace = || self.pace.text(standings.games() as usize, self.begin.elapsed());
        if let Some(bar) = &self.bar {
            bar.set_position(u64::from(standings.games()));
            bar.set_prefix(pace());
            let width = layout::log_width();
            let table = table::ranking(standings, names).without(&table::UNIMPORTANT, width);
            bar.set_message(format!("{table}{}", wrap(note, width, 2)));
        } else if self.last_line.elapsed() >= PAUSE {
            let pace = pace();
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
            eprintln!("{pace}: {}{note}", scores.join(", "));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resumed_match_is_as_fast_as_its_own_games_and_a_test_may_end_early() {
        let minute = Duration::from_secs(60);
        let pace = Pace { planned: 100, resumed: 0, may_end_early: false };
        assert_eq!(pace.text(20, minute), "20/100 games, 20.0/min, 4:00 left");
        let pace = Pace { resumed: 50, ..pace };
        assert_eq!(pace.text(50, minute), "50/100 games");
        assert_eq!(pace.text(60, minute), "60/100 games, 10.0/min, 4:00 left");
        let pace = Pace { planned: 40_000, resumed: 1_000, may_end_early: true };
        let told = pace.text(1_600, minute);
        assert_eq!(told, "1600/40000 games, 600.0/min, at most 1:04:00 left");
    }
}
