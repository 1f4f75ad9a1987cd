//! `tabiya paco match`: games between players.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use layout::prose;
use paco::{Match, MatchOptions, Strategy};

use crate::{Outcome, progress};

/// Play games between two players, alternating colors
///
/// The players are 'search' (alpha-beta search over turns), 'greedy' (the turn with the best static
/// evaluation) and 'random'.
///
/// Examples:
///   tabiya paco match --games 100 search random
///   tabiya paco match --games 100 --time 0.1 search greedy --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct MatchArgs {
    /// First player
    #[arg(value_parser = strategy)]
    first: Strategy,
    /// Second player
    #[arg(value_parser = strategy)]
    second: Strategy,
    /// Number of games
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Depth limit of 'search' in turns
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=32))]
    depth: u32,
    /// Time limit of 'search' in seconds per turn
    #[arg(long, default_value_t = 1.0, value_parser = super::play::seconds)]
    time: f64,
    /// Number of random turns at the start of each game
    #[arg(long, default_value_t = 2)]
    random_turns: u32,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn strategy(name: &str) -> Result<Strategy, String> {
    Strategy::from_name(name)
        .ok_or_else(|| format!("the players are {}", Strategy::NAMES.join(", ")))
}

pub fn run(args: MatchArgs, out: &mut dyn Write) -> Outcome {
    let mut played = Match::new(MatchOptions {
        strategies: [args.first, args.second],
        depth: args.depth,
        time: Duration::from_secs_f64(args.time),
        random_turns: args.random_turns as usize,
        seed: args.seed,
    });
    let start = Instant::now();
    let bar = progress::bar(args.games.into(), "{bar:40} {pos}/{len} games {msg}");
    for _ in 0..args.games {
        played.play(&|| start.elapsed());
        bar.set_message(played.score());
        bar.inc(1);
    }
    drop(bar);
    match args.json {
        true => writeln!(out, "{}", played.to_json())?,
        false => prose(out, &played)?,
    }
    Ok(ExitCode::SUCCESS)
}
