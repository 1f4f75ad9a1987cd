//! `tabiya pgn stats`: statistics of games.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use chess::pgn::GameResult;
use clap::Args;
use data::Input;
use data::pgn::{BINS, RangeStats, Stats};
use layout::{Table, width};

use super::FileArgs;
use super::progress::InputBar;
use crate::Outcome;

#[derive(Args)]
pub struct StatsArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Number of openings shown.
    #[arg(long, value_name = "N", default_value_t = 12)]
    openings: usize,
}

pub fn run(args: &StatsArgs, out: &mut dyn Write) -> Outcome {
    let begin = Instant::now();
    let mut stats = Stats::default();
    let mut failures = Vec::new();
    for file in &args.files.inputs()? {
        let result = Input::open(file).and_then(|input| {
            let bar = InputBar::new(&input);
            let (part, result) =
                data::pgn::stats(input, &args.files.options(), |games| bar.add(games));
            stats.append(&part);
            result
        });
        failures.extend(super::report_failure(result));
    }
    if args.json {
        let mut report = stats.to_json(args.openings);
        report["seconds"] = begin.elapsed().as_secs_f64().into();
        writeln!(out, "{report}")?;
    } else {
        write_table(&stats, &stats.openings(args.openings), out)?;
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
    let range = |range: RangeStats| match range.count {
        0 => String::new(),
        _ => format!("mean {:.1}, from {} to {}", range.mean(), range.least, range.most),
    };
    row("ratings", stats.ratings.count, range(stats.ratings));
    row("whole games, half moves", stats.lengths.count, range(stats.lengths));
    row("games from other positions", stats.from_positions, none());
    row("comments", stats.comments, none());
    row("NAGs", stats.nags, none());
    row("variations", stats.variations, none());
    let games = |games: u64| layout::count(games, "game");
    let mates = layout::count(stats.mates, "mate");
    row("evals", stats.evals, format!("{mates}, {}", games(stats.games_with_evals)));
    row("clocks", stats.clocks, games(stats.games_with_clocks));
    row("move times", stats.move_times, none());
    for (text, count) in openings {
        row(&format!("  {text}"), *count, percent(*count));
    }
    for (title, bins, size) in [
        ("ratings from", &stats.ratings_by_hundred, 100),
        ("moves from", &stats.lengths_by_ten, 10),
    ] {
        for (bin, &count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            // The last bin has no upper bound.
            let more = if bin + 1 == BINS { " or more" } else { "" };
            row(&format!("  {title} {}{more}", bin * size), count, none());
        }
    }
    write!(out, "{}", table.stacked(width()))?;
    Ok(())
}
