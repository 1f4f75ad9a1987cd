//! `tabiya pgn stats`: what is in files of games.

use std::collections::HashMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;

use chess::pgn::{
    self, Annotation, GameResult, Next, PgnError, Replay, Score, TagValue, Watcher, annotations,
};
use chess::{Move, Position};
use clap::Args;
use data::{Input, Order, Piece, read_games};
use serde_json::{Map, Value, json};

use super::FileArgs;
use super::progress::Bar;
use crate::layout::{Table, width};
use crate::{Outcome, words};

#[derive(Args)]
pub struct StatsArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// How many openings are shown.
    #[arg(long, value_name = "N", default_value_t = 12)]
    openings: usize,
}

/// Ratings by hundreds, lengths by tens of moves: so many steps, the last one open.
const STEPS: usize = 40;

/// A mean, and what lies at the ends.
#[derive(Clone, Copy)]
struct Range {
    count: u64,
    sum: u64,
    least: u64,
    most: u64,
}

impl Range {
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

    fn mean(self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    fn json(self) -> Value {
        if self.count == 0 {
            return json!({ "count": 0 });
        }
        let (least, most) = (self.least, self.most);
        json!({ "count": self.count, "mean": self.mean(), "min": least, "max": most })
    }
}

/// What is counted.
#[derive(Clone)]
struct Stats {
    games: u64,
    moves: u64,
    errors: u64,
    results: [u64; 4],
    /// Games whose tag `Result` contradicts the end of the moves; the tag counts.
    result_conflicts: u64,
    ratings: Range,
    ratings_by_hundred: [u64; STEPS],
    /// Half moves of whole games.
    lengths: Range,
    lengths_by_ten: [u64; STEPS],
    /// By the first two half moves, from the initial position.
    openings: HashMap<[Option<Move>; 2], u64>,
    from_positions: u64,
    comments: u64,
    nags: u64,
    variations: u64,
    evals: u64,
    mates: u64,
    clocks: u64,
    move_times: u64,
    games_with_evals: u64,
    games_with_clocks: u64,
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            games: 0,
            moves: 0,
            errors: 0,
            results: [0; 4],
            result_conflicts: 0,
            ratings: Range::NONE,
            ratings_by_hundred: [0; STEPS],
            lengths: Range::NONE,
            lengths_by_ten: [0; STEPS],
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
    fn append(&mut self, part: &Self) {
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
}

/// Counts, with what is known of the game that is being read.
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
                    let step = (rating as usize / 100).min(STEPS - 1);
                    self.stats.ratings_by_hundred[step] += 1;
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
            stats.lengths_by_ten[(self.length as usize / 20).min(STEPS - 1)] += 1;
            if self.is_from_start && self.first[0].is_some() {
                *stats.openings.entry(self.first).or_default() += 1;
            }
        }
    }
}

fn count(piece: Piece<'_>) -> Stats {
    match piece {
        Piece::TooLong { .. } => Stats { games: 1, errors: 1, ..Stats::default() },
        Piece::Games(text) => {
            let mut replay = Replay::new(Counter::default());
            pgn::read(text, &mut replay);
            replay.into_watcher().stats
        }
    }
}

pub fn run(args: &StatsArgs, out: &mut dyn Write) -> Outcome {
    let begin = Instant::now();
    let mut stats = Stats::default();
    let mut failed = false;
    for file in &args.files.inputs()? {
        let result = Input::open(file).and_then(|input| {
            let bar = Bar::new(&input);
            read_games(input, &args.files.options(Order::Small), count, |part, _| {
                bar.add(part.games);
                stats.append(&part);
                ControlFlow::Continue(())
            })
        });
        if let Err(error) = result {
            eprintln!("tabiya: {error}");
            failed = true;
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    let openings = openings(&stats, args.openings);
    if args.json {
        writeln!(out, "{}", as_json(&stats, &openings, seconds))?;
    } else {
        write_table(&stats, &openings, out)?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The most frequent first moves of both players, in words.
fn openings(stats: &Stats, count: usize) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = stats
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

fn as_json(stats: &Stats, openings: &[(String, u64)], seconds: f64) -> Value {
    let results: Map<String, Value> = GameResult::ALL
        .into_iter()
        .map(|result| (result.to_string(), json!(stats.results[result as usize])))
        .collect();
    let steps = |table: &[u64], width: usize| -> Map<String, Value> {
        let used = table.iter().enumerate().filter(|(_, count)| **count > 0);
        used.map(|(step, count)| ((step * width).to_string(), json!(count))).collect()
    };
    let openings: Map<String, Value> =
        openings.iter().map(|(text, count)| (text.clone(), json!(count))).collect();
    json!({
        "games": stats.games,
        "moves": stats.moves,
        "error_count": stats.errors,
        "results": results,
        "result_conflicts": stats.result_conflicts,
        "ratings": stats.ratings.json(),
        "ratings_by_hundred": steps(&stats.ratings_by_hundred, 100),
        "half_moves": stats.lengths.json(),
        "lengths_by_ten_moves": steps(&stats.lengths_by_ten, 10),
        "openings": openings,
        "from_positions": stats.from_positions,
        "comments": stats.comments,
        "nags": stats.nags,
        "variations": stats.variations,
        "evals": stats.evals,
        "mates": stats.mates,
        "clocks": stats.clocks,
        "move_times": stats.move_times,
        "games_with_evals": stats.games_with_evals,
        "games_with_clocks": stats.games_with_clocks,
        "seconds": seconds,
    })
}

fn write_table(
    stats: &Stats,
    openings: &[(String, u64)],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let share = |count: u64| 100.0 * count as f64 / stats.games.max(1) as f64;
    let mut table = Table::new(["", "", ""], &[0, 2], 2);
    let mut row = |name: &str, count: u64, note: String| {
        table.row([name.to_owned(), count.to_string(), note]);
    };
    let none = String::new;
    let percent = |count: u64| format!("{:>6.2} %", share(count));
    row("games", stats.games, none());
    row("moves of main lines", stats.moves, none());
    row("broken games", stats.errors, none());
    for result in GameResult::ALL {
        let count = stats.results[result as usize];
        row(&format!("  {result}"), count, percent(count));
    }
    if stats.result_conflicts > 0 {
        row("  contradicted by the moves", stats.result_conflicts, none());
    }
    let range = |range: Range| match range.count {
        0 => String::new(),
        _ => format!("mean {:.1}, from {} to {}", range.mean(), range.least, range.most),
    };
    row("ratings", stats.ratings.count, range(stats.ratings));
    row("whole games, half moves", stats.lengths.count, range(stats.lengths));
    row("games from other positions", stats.from_positions, none());
    row("comments", stats.comments, none());
    row("NAGs", stats.nags, none());
    row("variations", stats.variations, none());
    let games = |games: u64| words::count(games, "game");
    let mates = words::count(stats.mates, "mate");
    row("evals", stats.evals, format!("{mates}, {}", games(stats.games_with_evals)));
    row("clocks", stats.clocks, games(stats.games_with_clocks));
    row("move times", stats.move_times, none());
    for (text, count) in openings {
        row(&format!("  {text}"), *count, percent(*count));
    }
    for (title, steps, size) in [
        ("ratings from", &stats.ratings_by_hundred, 100),
        ("moves from", &stats.lengths_by_ten, 10),
    ] {
        for (step, &count) in steps.iter().enumerate().filter(|(_, count)| **count > 0) {
            // The last step has no upper end.
            let more = if step + 1 == STEPS { " or more" } else { "" };
            row(&format!("  {title} {}{more}", step * size), count, none());
        }
    }
    write!(out, "{}", table.stacked(width()))?;
    Ok(())
}
