//! Statistics of games: results, ratings, lengths, openings, annotations.

use std::collections::HashMap;
use std::ops::ControlFlow;

use chess::pgn::{
    self, Annotation, GameResult, Next, PgnError, Replay, Score, TagValue, Watcher, annotations,
};
use chess::{Move, Position};
use serde_json::{Map, Value, json};

use crate::{Chunk, Input, ReadError, ReadOptions, read_games};

/// Number of bins of the histograms; the last one is open.
pub const BINS: usize = 40;

/// Count, mean, minimum and maximum of values.
#[derive(Clone, Copy, Debug)]
pub struct RangeStats {
    /// Number of values.
    pub count: u64,
    sum: u64,
    /// Minimum.
    pub least: u64,
    /// Maximum.
    pub most: u64,
}

impl RangeStats {
    const NONE: Self = Self { count: 0, sum: 0, least: u64::MAX, most: 0 };

    fn add(&mut self, value: u64) {
        self.append(Self { count: 1, sum: value, least: value, most: value });
    }

    fn append(&mut self, other: Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// Mean of the values.
    pub fn mean(self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    fn to_json(self) -> Value {
        if self.count == 0 {
            return json!({ "count": 0 });
        }
        let (least, most) = (self.least, self.most);
        json!({ "count": self.count, "mean": self.mean(), "min": least, "max": most })
    }
}

/// Statistics of games.
#[derive(Clone, Debug)]
pub struct Stats {
    /// Number of games.
    pub games: u64,
    /// Moves of main lines.
    pub moves: u64,
    /// Broken games.
    pub errors: u64,
    /// Games by [`GameResult`].
    pub results: [u64; 4],
    /// Games whose tag `Result` contradicts the result token; the tag counts.
    pub result_conflicts: u64,
    /// Ratings of both players.
    pub ratings: RangeStats,
    /// Histogram of ratings with bins of 100.
    pub ratings_by_hundred: [u64; BINS],
    /// Plies of the games that are not broken.
    pub lengths: RangeStats,
    /// Histogram of lengths with bins of ten moves.
    pub lengths_by_ten: [u64; BINS],
    /// Games from the initial position by their first two plies.
    openings: HashMap<[Option<Move>; 2], u64>,
    /// Games from other positions.
    pub from_positions: u64,
    /// Comments.
    pub comments: u64,
    /// Numeric annotation glyphs.
    pub nags: u64,
    /// Variations.
    pub variations: u64,
    /// Evaluations, mates included.
    pub evals: u64,
    /// Mates among the evaluations.
    pub mates: u64,
    /// Clock annotations.
    pub clocks: u64,
    /// Move time annotations.
    pub move_times: u64,
    /// Games with an evaluation.
    pub games_with_evals: u64,
    /// Games with a clock annotation.
    pub games_with_clocks: u64,
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            games: 0,
            moves: 0,
            errors: 0,
            results: [0; 4],
            result_conflicts: 0,
            ratings: RangeStats::NONE,
            ratings_by_hundred: [0; BINS],
            lengths: RangeStats::NONE,
            lengths_by_ten: [0; BINS],
            openings: HashMap::new(),
            from_positions: 0,
            comments: 0,
            nags: 0,
            variations: 0,
            evals: 0,
            mates: 0,
            clocks: 0,
            move_times: 0,
            games_with_evals: 0,
            games_with_clocks: 0,
        }
    }
}

impl Stats {
    /// Adds the statistics of other games.
    pub fn append(&mut self, part: &Self) {
        let pairs = [
            (&mut self.games, part.games),
            (&mut self.moves, part.moves),
            (&mut self.errors, part.errors),
            (&mut self.result_conflicts, part.result_conflicts),
            (&mut self.from_positions, part.from_positions),
            (&mut self.comments, part.comments),
            (&mut self.nags, part.nags),
            (&mut self.variations, part.variations),
            (&mut self.evals, part.evals),
            (&mut self.mates, part.mates),
            (&mut self.clocks, part.clocks),
            (&mut self.move_times, part.move_times),
            (&mut self.games_with_evals, part.games_with_evals),
            (&mut self.games_with_clocks, part.games_with_clocks),
        ];
        for (whole, part) in pairs {
            *whole += part;
        }
        let tables = [
            (&mut self.results[..], &part.results[..]),
            (&mut self.ratings_by_hundred[..], &part.ratings_by_hundred[..]),
            (&mut self.lengths_by_ten[..], &part.lengths_by_ten[..]),
        ];
        for (whole, part) in tables {
            for (whole, part) in whole.iter_mut().zip(part) {
                *whole += part;
            }
        }
        self.ratings.append(part.ratings);
        self.lengths.append(part.lengths);
        for (&first, count) in &part.openings {
            *self.openings.entry(first).or_default() += count;
        }
    }

    /// The `count` most frequent openings, by the first move of both players in SAN.
    pub fn openings(&self, count: usize) -> Vec<(String, u64)> {
        let mut all: Vec<(String, u64)> = self
            .openings
            .iter()
            .filter_map(|(&[first, second], &count)| {
                let start = Position::INITIAL;
                let first = first?;
                let mut text = format!("1. {}", start.san(first));
                if let Some(second) = second {
                    text += &format!(" {}", start.after(first).san(second));
                }
                Some((text, count))
            })
            .collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        all.truncate(count);
        all
    }

    /// The statistics as JSON, with the `openings` most frequent openings.
    pub fn to_json(&self, openings: usize) -> Value {
        let results: Map<String, Value> = GameResult::ALL
            .into_iter()
            .map(|result| (result.to_string(), json!(self.results[result as usize])))
            .collect();
        let bins = |table: &[u64], width: usize| -> Map<String, Value> {
            let used = table.iter().enumerate().filter(|(_, count)| **count > 0);
            used.map(|(bin, count)| ((bin * width).to_string(), json!(count))).collect()
        };
        let openings =
            self.openings(openings).into_iter().map(|(text, count)| (text, json!(count)));
        let openings: Map<String, Value> = openings.collect();
        json!({
            "games": self.games,
            "moves": self.moves,
            "error_count": self.errors,
            "results": results,
            "result_conflicts": self.result_conflicts,
            "ratings": self.ratings.to_json(),
            "ratings_by_hundred": bins(&self.ratings_by_hundred, 100),
            "half_moves": self.lengths.to_json(),
            "lengths_by_ten_moves": bins(&self.lengths_by_ten, 10),
            "openings": openings,
            "from_positions": self.from_positions,
            "comments": self.comments,
            "nags": self.nags,
            "variations": self.variations,
            "evals": self.evals,
            "mates": self.mates,
            "clocks": self.clocks,
            "move_times": self.move_times,
            "games_with_evals": self.games_with_evals,
            "games_with_clocks": self.games_with_clocks,
        })
    }
}

/// Counts games, with the state of the current one.
#[derive(Default)]
struct Counter {
    stats: Stats,
    result: GameResult,
    length: u64,
    first: [Option<Move>; 2],
    is_from_start: bool,
    is_broken: bool,
    evals: u64,
    clocks: u64,
}

impl Watcher for Counter {
    fn begin_game(&mut self) -> Next {
        let stats = std::mem::take(&mut self.stats);
        *self = Self { stats, ..Self::default() };
        self.stats.games += 1;
        Next::Go
    }

    fn tag(&mut self, name: &[u8], value: TagValue<'_>) -> Next {
        match name {
            b"WhiteElo" | b"BlackElo" => {
                if let Some(rating) = value.number().filter(|&rating| rating > 0) {
                    self.stats.ratings.add(rating.into());
                    let bin = (rating as usize / 100).min(BINS - 1);
                    self.stats.ratings_by_hundred[bin] += 1;
                }
            }
            _ => {}
        }
        Next::Go
    }

    fn begin_moves(&mut self, start: &Position) -> Next {
        self.is_from_start = *start == Position::INITIAL;
        self.stats.from_positions += u64::from(!self.is_from_start);
        Next::Go
    }

    fn played(&mut self, _: &Position, m: Move, _: &Position) -> Next {
        if let Some(first) = self.first.get_mut(self.length as usize) {
            *first = Some(m);
        }
        self.length += 1;
        Next::Go
    }

    fn passed(&mut self, _: &Position, _: &Position) -> Next {
        self.length += 1;
        Next::Go
    }

    fn comment(&mut self, text: &[u8]) -> Next {
        self.stats.comments += 1;
        for annotation in annotations(text) {
            match annotation {
                Annotation::Eval(eval) => {
                    self.evals += 1;
                    self.stats.mates += u64::from(matches!(eval.score, Score::Mate(_)));
                }
                Annotation::Clock(_) => self.clocks += 1,
                Annotation::MoveTime(_) => self.stats.move_times += 1,
                _ => {}
            }
        }
        Next::Go
    }

    fn nag(&mut self, _: pgn::Nag) -> Next {
        self.stats.nags += 1;
        Next::Go
    }

    fn begin_variation(&mut self, _: &Position) -> Next {
        self.stats.variations += 1;
        Next::Skip
    }

    fn result(&mut self, result: GameResult) {
        self.result = result;
    }

    fn result_conflict(&mut self, _: PgnError) {
        self.stats.result_conflicts += 1;
    }

    fn error(&mut self, _: PgnError) {
        self.stats.errors += 1;
        self.is_broken = true;
    }

    fn end_game(&mut self) {
        let stats = &mut self.stats;
        stats.moves += self.length;
        stats.results[self.result as usize] += 1;
        stats.evals += self.evals;
        stats.clocks += self.clocks;
        stats.games_with_evals += u64::from(self.evals > 0);
        stats.games_with_clocks += u64::from(self.clocks > 0);
        if !self.is_broken {
            stats.lengths.add(self.length);
            stats.lengths_by_ten[(self.length as usize / 20).min(BINS - 1)] += 1;
            if self.is_from_start && self.first[0].is_some() {
                *stats.openings.entry(self.first).or_default() += 1;
            }
        }
    }
}

fn count(chunk: Chunk<'_>) -> Stats {
    match chunk {
        Chunk::TooLong { .. } => Stats { games: 1, errors: 1, ..Stats::default() },
        Chunk::Games(text) => {
            let mut replay = Replay::new(Counter::default());
            pgn::read(text, &mut replay);
            replay.into_watcher().stats
        }
    }
}

/// Computes the statistics of an input. `progress` receives the number of games of each chunk.
pub fn stats(
    input: Input,
    options: &ReadOptions,
    mut progress: impl FnMut(u64) + Send,
) -> (Stats, Result<(), ReadError>) {
    let mut stats = Stats::default();
    let result = read_games(input, options, count, |part, _| {
        progress(part.games);
        stats.append(&part);
        ControlFlow::Continue(())
    });
    (stats, result)
}
