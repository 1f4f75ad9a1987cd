//! `tabiya paco selfplay`: self-play games and training rows.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use paco::{Options, Player, Rng, self_play};

use crate::{Outcome, progress};

/// Generate self-play games or training rows
///
/// Without --rows, one game per line: start_fen, actions (policy indices), victory, result (1 White,
/// -1 Black, 0 draw), the input format of 'tabiya paco states'. With --rows, one state per line: idx
/// (the index representation), legal and policy (the action played, in the perspective of the
/// options), result (for the player who acted).
///
/// Examples:
///   tabiya paco selfplay --games 100 --seed 7 > games.jsonl
///   tabiya paco selfplay --games 100 --seed 7 --rows --options 1 > rows.jsonl
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct SelfplayArgs {
    /// Number of games
    #[arg(long, default_value_t = 10)]
    games: u32,
    /// Search depth in turns
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=32))]
    depth: u32,
    /// Seconds per turn; without it, games are reproducible from the seed
    #[arg(long, value_parser = super::play::seconds)]
    time: Option<f64>,
    /// Number of random turns at the start of each game
    #[arg(long, default_value_t = 4)]
    random_turns: usize,
    /// Maximum number of turns of a game
    #[arg(long, default_value_t = 1000)]
    max_turns: usize,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write training rows instead of games
    #[arg(long)]
    rows: bool,
    /// Option set of the index representation
    #[arg(long, default_value_t = 1, requires = "rows", value_parser = clap::value_parser!(u32).range(0..8))]
    options: u32,
}

pub fn run(args: SelfplayArgs, out: &mut dyn Write) -> Outcome {
    let options = Options::from_number(args.options)?;
    let mut player = Player::new(args.seed);
    let mut rng = Rng::from_seed(args.seed);
    let bar = progress::bar(args.games.into(), "{bar:40} {pos}/{len} games, {eta} left");
    for _ in 0..args.games {
        let limit = args.time.map(Duration::from_secs_f64);
        let mut begun = Instant::now();
        let record = self_play(
            &mut player,
            &mut rng,
            args.random_turns,
            args.depth,
            args.max_turns,
            &mut |event| match (event, limit) {
                (paco::SelfPlayEvent::TurnStart, _) => {
                    begun = Instant::now();
                    false
                }
                (paco::SelfPlayEvent::Poll, Some(limit)) => begun.elapsed() >= limit,
                (paco::SelfPlayEvent::Poll, None) => false,
            },
        );
        if args.rows {
            for row in record.rows(options)? {
                writeln!(out, "{}", row.to_json())?;
            }
        } else {
            writeln!(out, "{}", record.to_json())?;
        }
        bar.inc(1);
    }
    Ok(ExitCode::SUCCESS)
}
