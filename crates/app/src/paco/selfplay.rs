//! `tabiya paco selfplay`: games of the player against itself, to learn from.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use paco::{Options, Player, Rng, self_play};

use crate::Outcome;

/// Let the player play itself and write the games, or training rows
///
/// Without --rows one game a line: start_fen, actions (policy numbers), victory, result (1 White, -1
/// Black, 0 draw), as 'tabiya paco states' reads them. With --rows one state a line: idx (the index
/// representation), legal and policy (the action played; squares as the options see them), result
/// (for the player who acted).
///
/// Examples:
///   tabiya paco selfplay --games 100 --seed 7 > games.jsonl
///   tabiya paco selfplay --games 100 --seed 7 --rows --options 1 > rows.jsonl
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct SelfplayArgs {
    /// How many games
    #[arg(long, default_value_t = 10)]
    games: u32,
    /// How deep the player looks, in turns
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=32))]
    depth: u32,
    /// How long the player may think about a turn, in seconds; without it the same seed gives the
    /// same games
    #[arg(long, value_parser = super::play::seconds)]
    time: Option<f64>,
    /// Random turns at the start of each game
    #[arg(long, default_value_t = 4)]
    random_turns: usize,
    /// Give a game up after so many turns
    #[arg(long, default_value_t = 1000)]
    max_turns: usize,
    /// The seed of all choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write training rows instead of games
    #[arg(long)]
    rows: bool,
    /// The option set of the rows' index representation
    #[arg(long, default_value_t = 1, requires = "rows", value_parser = clap::value_parser!(u32).range(0..8))]
    options: u32,
}

pub fn run(args: SelfplayArgs, out: &mut dyn Write) -> Outcome {
    let options = Options::from_number(args.options)?;
    let mut player = Player::new(args.seed);
    let mut rng = Rng::from_seed(args.seed);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} games, {eta} left")?;
    let progress = ProgressBar::new(u64::from(args.games)).with_style(style);
    for _ in 0..args.games {
        let limit = args.time.map(Duration::from_secs_f64);
        let mut begun = Instant::now();
        let record = self_play(
            &mut player,
            &mut rng,
            args.random_turns,
            args.depth,
            args.max_turns,
            &mut |asked| match (asked, limit) {
                (paco::Ask::TurnBegins, _) => {
                    begun = Instant::now();
                    false
                }
                (paco::Ask::Stop, Some(limit)) => begun.elapsed() >= limit,
                (paco::Ask::Stop, None) => false,
            },
        );
        if args.rows {
            for row in record.rows(options)? {
                writeln!(out, "{}", row.to_json())?;
            }
        } else {
            writeln!(out, "{}", record.to_json())?;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(ExitCode::SUCCESS)
}
