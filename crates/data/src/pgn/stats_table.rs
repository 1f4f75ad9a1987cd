//! Statistics of games as a table.

use chess::pgn::GameResult;
use layout::{Table, count};

use super::stats::{BINS, RangeStats, Stats};

impl Stats {
    /// Name, count and a note or percentage of each statistic, with the `openings` most frequent openings.
    pub fn table(&self, openings: usize) -> Table {
        let share = |count: u64| 100.0 * count as f64 / self.games.max(1) as f64;
        let mut table = Table::new(["", "", ""], &[0, 2], 2);
        let mut row = |name: &str, count: u64, note: String| {
            table.row([name.to_owned(), count.to_string(), note]);
        };
        let none = String::new;
        let percent = |count: u64| format!("{:>6.2} %", share(count));
        row("games", self.games, none());
        row("moves of main lines", self.moves, none());
        row("broken games", self.errors, none());
        for result in GameResult::ALL {
            let count = self.results[result as usize];
            row(&format!("  {result}"), count, percent(count));
        }
        if self.result_conflicts > 0 {
            row("  contradicted by the moves", self.result_conflicts, none());
        }
        let range = |range: RangeStats| match range.count {
            0 => String::new(),
            _ => format!("mean {:.1}, from {} to {}", range.mean(), range.least, range.most),
        };
        row("ratings", self.ratings.count, range(self.ratings));
        row("whole games, half moves", self.lengths.count, range(self.lengths));
        row("games from other positions", self.from_positions, none());
        row("comments", self.comments, none());
        row("NAGs", self.nags, none());
        row("variations", self.variations, none());
        let games = |games: u64| count(games, "game");
        let mates = count(self.mates, "mate");
        row("evals", self.evals, format!("{mates}, {}", games(self.games_with_evals)));
        row("clocks", self.clocks, games(self.games_with_clocks));
        row("move times", self.move_times, none());
        for (text, count) in &self.openings(openings) {
            row(&format!("  {text}"), *count, percent(*count));
        }
        for (title, bins, size) in [
            ("ratings from", &self.ratings_by_hundred, 100),
            ("moves from", &self.lengths_by_ten, 10),
        ] {
            for (bin, &count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
                // The last bin has no upper bound.
                let more = if bin + 1 == BINS { " or more" } else { "" };
                row(&format!("  {title} {}{more}", bin * size), count, none());
            }
        }
        table
    }
}
