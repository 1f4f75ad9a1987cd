//! `tabiya paco play`: a game in the terminal.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use chess::Color;
use clap::ValueEnum;
use paco::{Action, Game, Player, Turns};

use super::board;
use crate::Outcome;

/// Play a game in the terminal against the player
///
/// Turns are typed as people write them: d2>d4, e4xd5, Qd8>Pd5>d4, RPh2>h8, b7>b8=Q, 0-0. A part of
/// a turn is fine too (Qd8>Pd5, then >d4); 'undo' takes back an unfinished turn, or else the last
/// two turns. 'help' lists what else can be typed.
///
/// Example: tabiya paco play --color black --time 2
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PlayArgs {
    /// Which side you take
    #[arg(long, default_value = "white")]
    color: Side,
    /// How long the player may think about a turn, in seconds
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    time: f64,
    /// The position to start from, as FEN
    #[arg(long, default_value = "startpos")]
    fen: String,
    /// The seed of the player's choice between equal turns
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    White,
    Black,
    /// The player plays itself
    None,
}

/// A time in seconds, from a hundredth to an hour.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("a time is a number of seconds from 0.01 to 3600".to_owned()),
    }
}

const HELP: &str = "\
  d2>d4, e4xd5, Qd8>Pd5>d4   a turn, or a part of one
  undo                       take back the unfinished turn, or the last two turns
  turns                      list the turns you have
  sako                       can you unite with the king? can your opponent?
  fen                        the position as text
  quit                       leave";

pub fn run(args: PlayArgs, out: &mut dyn Write) -> Outcome {
    let start = super::position(&args.fen, paco::Rules::Exact)?;
    let mut game = Game::new(start, paco::DRAW_AFTER_REPETITIONS);
    let mut player = Player::new(args.seed);
    let mut input = io::stdin().lock();
    let you = match args.color {
        Side::White => Some(Color::White),
        Side::Black => Some(Color::Black),
        Side::None => None,
    };
    let side = you.unwrap_or(Color::White);
    writeln!(out, "Paco Ŝako. Unite with the enemy king. Type 'help' for help.")?;
    let mut keys: Vec<u64> = Vec::new();
    loop {
        if let Some(outcome) = game.outcome() {
            writeln!(out, "\n{}{outcome}", board::text(game.position(), side))?;
            return Ok(ExitCode::SUCCESS);
        }
        let position = *game.position();
        if game.turn_actions().is_empty() {
            keys.push(position.key());
        }
        if Some(position.player()) != you {
            let deadline = Instant::now() + Duration::from_secs_f64(args.time);
            player.avoid(keys.iter().copied());
            let choice = player.choose(&position, 32, &mut || Instant::now() >= deadline);
            let Some(choice) = choice else {
                writeln!(out, "{} has no turn: the game stands still.", position.player())?;
                return Ok(ExitCode::SUCCESS);
            };
            let text = position.notation(&choice.actions)?;
            writeln!(
                out,
                "{} plays {text}   (depth {}, {} positions)",
                position.player(),
                choice.depth,
                choice.nodes
            )?;
            play(&mut game, &choice.actions)?;
            continue;
        }
        if game.turn_actions().is_empty() {
            writeln!(out, "\n{}", board::text(&position, side))?;
        } else if game.is_dead_end() {
            writeln!(out, "A dead end: 'undo' takes the turn back.")?;
        }
        write!(out, "{}, {}> ", position.player(), position.required().name().to_lowercase())?;
        out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            writeln!(out)?;
            return Ok(ExitCode::SUCCESS);
        }
        match line.trim() {
            "" => {}
            "quit" | "exit" => return Ok(ExitCode::SUCCESS),
            "help" => writeln!(out, "{HELP}")?,
            "fen" => writeln!(out, "{}", position.to_extended_fen())?,
            "sako" => writeln!(
                out,
                "you: {:?}, your opponent: {:?}",
                position.sako(paco::SAKO_NODES),
                position.sako_against(paco::SAKO_NODES)
            )?,
            "turns" => list_turns(&position, out)?,
            "undo" => undo(&mut game, &mut keys),
            text => match position.parse_turn(text) {
                Ok(actions) => {
                    play(&mut game, &actions)?;
                    if !game.turn_actions().is_empty() {
                        writeln!(out, "\n{}", board::text(game.position(), side))?;
                    }
                }
                Err(error) => {
                    let column = text.get(..error.at).unwrap_or_default().chars().count();
                    writeln!(out, "  {text}\n  {:column$}^ {error}", "")?;
                }
            },
        }
    }
}

fn play(game: &mut Game, actions: &[Action]) -> anyhow::Result<()> {
    for &action in actions {
        game.play(action)?;
    }
    Ok(())
}

/// Takes back the turn in progress, or the player's answer and the turn before it.
fn undo(game: &mut Game, keys: &mut Vec<u64>) {
    keys.pop();
    if !game.turn_actions().is_empty() {
        game.roll_back();
        return;
    }
    for _ in 0..2 {
        // The last action of a turn opens it again, the rest is rolled back.
        if game.undo() {
            game.roll_back();
            keys.pop();
        }
    }
}

fn list_turns(position: &paco::Position, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut turns = Turns::new();
    turns.generate_within(position, 20_000);
    let mut texts = Vec::new();
    for turn in turns.iter().take(200) {
        texts.push(position.notation(&turn.actions())?);
    }
    let more = turns.len().saturating_sub(texts.len());
    writeln!(out, "{}", texts.join("  "))?;
    if more > 0 || !turns.is_complete() {
        writeln!(out, "… and at least {more} more")?;
    }
    Ok(())
}
