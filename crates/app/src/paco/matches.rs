//! `tabiya paco match`: games between players.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use chess::Color;
use layout::prose;
use paco::{Player, Rng, Strategy, play_turns};
use serde_json::json;

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

/// Longer games are adjudicated as draws.
const MAX_TURNS: usize = 2000;

pub fn run(args: MatchArgs, out: &mut dyn Write) -> Outcome {
    let mut rng = Rng::from_seed(args.seed);
    let mut players = [Player::new(args.seed), Player::new(args.seed.wrapping_add(1))];
    let [mut wins, mut losses, mut draws, mut turns] = [0u32; 4];
    let mut slowest = Duration::ZERO;
    let limit = Duration::from_secs_f64(args.time);
    let bar = progress::bar(args.games.into(), "{bar:40} {pos}/{len} games {msg}");
    for number in 0..args.games {
        let first_is = if number % 2 == 0 { Color::White } else { Color::Black };
        let game = play_turns(MAX_TURNS, |turn, position, keys| {
            let seat = usize::from(position.player() != first_is);
            let is_random = turn < args.random_turns as usize;
            let strategy =
                if is_random { Strategy::Random } else { [args.first, args.second][seat] };
            let start = Instant::now();
            let mut stop = || start.elapsed() >= limit;
            let (player, depth) = (&mut players[seat], args.depth);
            let actions = strategy.choose(position, player, depth, keys, &mut rng, &mut stop);
            if strategy == Strategy::Search {
                slowest = slowest.max(start.elapsed());
            }
            turns += u32::from(actions.is_some());
            actions
        });
        match game.outcome().and_then(paco::Outcome::winner) {
            Some(winner) if winner == first_is => wins += 1,
            Some(_) => losses += 1,
            None => draws += 1,
        }
        bar.set_message(format!("+{wins} ={draws} -{losses}"));
        bar.inc(1);
    }
    drop(bar);
    let score = f64::from(wins) + f64::from(draws) / 2.0;
    if args.json {
        let report = json!({
            "first": format!("{:?}", args.first).to_lowercase(),
            "second": format!("{:?}", args.second).to_lowercase(),
            "games": args.games, "wins": wins, "draws": draws, "losses": losses, "score": score,
            "turns": turns, "slowest_seconds": slowest.as_secs_f64(),
        });
        writeln!(out, "{report}")?;
    } else {
        let summary = format!(
            "{:?} against {:?}: {wins} won, {draws} drawn, {losses} lost, {score} of {} points; \
             {:.1} turns a game, slowest turn {:.3} s",
            args.first,
            args.second,
            args.games,
            f64::from(turns) / f64::from(args.games),
            slowest.as_secs_f64(),
        );
        prose(out, summary)?;
    }
    Ok(ExitCode::SUCCESS)
}
