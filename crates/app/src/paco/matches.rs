//! `tabiya paco match`: games between players.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use chess::Color;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use paco::{Action, Game, Player, Position, Rng, greedy_turn, random_turn};
use serde_json::json;

use crate::Outcome;
use crate::layout::prose;

/// Let players play each other, changing sides after each game
///
/// Examples:
///   tabiya paco match --games 100 search random
///   tabiya paco match --games 100 --time 0.1 search greedy --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct MatchArgs {
    /// The first player
    first: Kind,
    /// The second player
    second: Kind,
    /// How many games
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// How deep 'search' looks, in turns
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=32))]
    depth: u32,
    /// How long 'search' may think about a turn, in seconds
    #[arg(long, default_value_t = 1.0, value_parser = super::play::seconds)]
    time: f64,
    /// Random turns at the start of each game, so that no two are alike
    #[arg(long, default_value_t = 2)]
    random_turns: u32,
    /// The seed of all choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Kind {
    /// Searches over turns
    Search,
    /// Takes the turn that looks best right after it
    Greedy,
    /// Plays random actions
    Random,
}

/// Long games without an end are given up as draws; random ones end long before.
const MAX_TURNS: u32 = 2000;

pub fn run(args: MatchArgs, out: &mut dyn Write) -> Outcome {
    let mut rng = Rng::from_seed(args.seed);
    let mut players = [Player::new(args.seed), Player::new(args.seed.wrapping_add(1))];
    let [mut wins, mut losses, mut draws, mut turns] = [0u32; 4];
    let mut slowest = Duration::ZERO;
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} games {msg}")?;
    let progress = ProgressBar::new(u64::from(args.games)).with_style(style);
    for number in 0..args.games {
        let first_is = if number % 2 == 0 { Color::White } else { Color::Black };
        let mut game = Game::default();
        let mut keys = Vec::new();
        for turn in 0..MAX_TURNS {
            if game.outcome().is_some() {
                break;
            }
            let position = *game.position();
            let seat = usize::from(position.player() != first_is);
            let kind = if turn < args.random_turns {
                Kind::Random
            } else {
                [args.first, args.second][seat]
            };
            let start = Instant::now();
            let limit = Duration::from_secs_f64(args.time);
            let actions =
                choose(kind, &mut players[seat], &position, &keys, (args.depth, limit), &mut rng);
            if kind == Kind::Search {
                slowest = slowest.max(start.elapsed());
            }
            let Some(actions) = actions else { break };
            for action in actions {
                game.play(action)?;
            }
            keys.push(game.position().key());
            turns += 1;
        }
        match game.outcome().and_then(paco::Outcome::winner) {
            Some(winner) if winner == first_is => wins += 1,
            Some(_) => losses += 1,
            None => draws += 1,
        }
        progress.set_message(format!("+{wins} ={draws} -{losses}"));
        progress.inc(1);
    }
    progress.finish_and_clear();
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

fn choose(
    kind: Kind,
    player: &mut Player,
    position: &Position,
    keys: &[u64],
    (depth, limit): (u32, Duration),
    rng: &mut Rng,
) -> Option<Vec<Action>> {
    match kind {
        Kind::Random => random_turn(position, rng),
        Kind::Greedy => greedy_turn(position, rng),
        Kind::Search => {
            let deadline = Instant::now() + limit;
            player.avoid(keys.iter().copied());
            player
                .choose(position, depth, &mut || Instant::now() >= deadline)
                .map(|choice| choice.actions)
        }
    }
}
