//! `tabiya paco play`: a game against the engine in the terminal.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use chess::Color;
use clap::ValueEnum;
use layout::{has_color, prose};
use paco::{Action, Game, Player, Position, Required, Turns, text_board};

use crate::Outcome;

/// Play a game in the terminal
///
/// Type turns as e2e4, d2>d4, e4xd5, Qd8>Pd5>d4, RPh2>h8, b7>b8=Q or 0-0, or a part of a turn (Qd8>Pd5,
/// then >d4). 'undo' takes back an unfinished turn, or else the last two turns. 'help' lists the
/// other commands.
///
/// Example: tabiya paco play --color black --time 2
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PlayArgs {
    /// Your color
    #[arg(long, default_value = "white")]
    color: Side,
    /// Time limit of the engine in seconds per turn
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    time: f64,
    /// Start position as FEN
    #[arg(long, default_value = "startpos")]
    fen: String,
    /// Random seed of the choice between equal turns
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    White,
    Black,
    /// The engine plays both sides
    None,
}

/// Parses a time in seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("must be a number of seconds from 0.01 to 3600".to_owned()),
    }
}

const HELP: &str = "\
A turn is typed as it is played:
  e2e4, e2-e4, Ng1>f3        a move; the letter of the piece may be left out
  e4d5, e4xd5                unite with an enemy piece
  d8d5d4, Qd8>Pd5>d4         a chain: into the union on d5, its pawn goes to d4
  Qd8, then d5, then d4      the same, one part after the other
  b7b8q, b7>b8=Q             a promotion
  0-0, 0-0-0                 castling
Your goal is Paco: to unite with the enemy king. Ŝako is the threat to do so.
  board    show the board     undo    take back the unfinished or last turn
  turns    list your turns    sako    who threatens to unite with a king?
  fen      the position       quit    leave the game";

/// The output, in color on a terminal.
struct Screen<'a> {
    out: &'a mut dyn Write,
    color: bool,
    side: Color,
}

impl Screen<'_> {
    fn board(&mut self, position: &Position) -> io::Result<()> {
        writeln!(self.out, "\n{}", text_board(position, self.side, self.color))
    }

    /// Prints a highlighted line.
    fn notice(&mut self, text: &str) -> io::Result<()> {
        match self.color {
            true => writeln!(self.out, "\x1b[1;33m{text}\x1b[0m"),
            false => writeln!(self.out, "{text}"),
        }
    }

    /// Warns of Ŝako after a finished turn.
    fn warn(&mut self, position: &Position, you: Option<Color>) -> io::Result<()> {
        position.sako_warnings(you).iter().try_for_each(|warning| self.notice(warning))
    }
}

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
    let mut screen = Screen { out, color: has_color(), side };
    writeln!(screen.out, "Paco Ŝako. Unite with the enemy king. Type 'help' for help.")?;
    screen.warn(&start, you)?;
    let mut keys: Vec<u64> = Vec::new();
    // Print the board only after it has changed.
    let mut is_changed = true;
    loop {
        let position = *game.position();
        if let Some(outcome) = game.outcome() {
            screen.board(&position)?;
            screen.notice(&outcome.sentence())?;
            return Ok(ExitCode::SUCCESS);
        }
        if is_changed && game.turn_actions().is_empty() {
            keys.push(position.key());
        }
        if Some(position.player()) != you {
            let deadline = Instant::now() + Duration::from_secs_f64(args.time);
            player.avoid(keys.iter().copied());
            let choice = player.choose(&position, 32, &mut || Instant::now() >= deadline);
            let Some(choice) = choice else {
                writeln!(screen.out, "{} has no legal turn: the game ends.", position.player())?;
                return Ok(ExitCode::SUCCESS);
            };
            let text = position.notation(&choice.actions)?;
            let (depth, nodes) = (choice.depth, choice.nodes);
            let mover = position.player();
            writeln!(screen.out, "{mover} plays {text}   (depth {depth}, {nodes} nodes)")?;
            play(&mut game, &choice.actions)?;
            screen.warn(game.position(), you)?;
            is_changed = true;
            continue;
        }
        if is_changed {
            screen.board(&position)?;
            if game.is_dead_end() {
                screen.notice("A dead end: 'undo' takes the turn back.")?;
            }
        }
        is_changed = false;
        let prompt = match position.required() {
            Required::Lift => "",
            Required::Place => ", place",
            _ => ", promote to Q, R, B or N",
        };
        write!(screen.out, "{}{prompt}> ", position.player())?;
        screen.out.flush()?;
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            writeln!(screen.out)?;
            return Ok(ExitCode::SUCCESS);
        }
        match String::from_utf8_lossy(&line).trim() {
            "" => {}
            "quit" | "exit" => return Ok(ExitCode::SUCCESS),
            "help" | "?" => writeln!(screen.out, "{HELP}")?,
            "board" => screen.board(&position)?,
            "fen" => writeln!(screen.out, "{}", position.to_extended_fen())?,
            "sako" => {
                for sentence in position.sako_sentences() {
                    writeln!(screen.out, "{sentence}")?;
                }
            }
            "turns" => list_turns(&position, screen.out)?,
            "undo" => {
                undo(&mut game, &mut keys);
                is_changed = true;
            }
            text => match position.parse_turn(text) {
                Ok(actions) => {
                    play(&mut game, &actions)?;
                    is_changed = true;
                    if game.turn_actions().is_empty() && game.outcome().is_none() {
                        screen.warn(game.position(), you)?;
                    }
                }
                Err(error) => {
                    let column = text.get(..error.at).unwrap_or_default().chars().count();
                    writeln!(screen.out, "  {text}\n  {:column$}^ {error}", "")?;
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

/// Takes back the turn in progress, or the opponent's turn and the one before it.
fn undo(game: &mut Game, keys: &mut Vec<u64>) {
    keys.pop();
    if !game.turn_actions().is_empty() {
        game.undo_turn();
        return;
    }
    for _ in 0..2 {
        if game.undo_turn() {
            keys.pop();
        }
    }
}

fn list_turns(position: &Position, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut turns = Turns::new();
    turns.generate_within(position, 20_000);
    let mut texts = Vec::new();
    for turn in turns.iter().take(200) {
        texts.push(position.notation(&turn.actions())?);
    }
    let more = turns.len().saturating_sub(texts.len());
    prose(out, texts.join("  "))?;
    if more > 0 || !turns.is_complete() {
        writeln!(out, "… and at least {more} more")?;
    }
    Ok(())
}
