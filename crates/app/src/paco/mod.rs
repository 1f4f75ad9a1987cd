//! `tabiya paco`: Paco Ŝako on the command line, one file per command.

mod bench;
mod board;
mod matches;
mod perft;
mod play;
mod sako;
mod selfplay;
mod states;

use std::io::Write;

use anyhow::Context;
use clap::Subcommand;
use paco::{Position, Rules};

use crate::Outcome;

/// Paco Ŝako: perft, Ŝako search, representations, play
///
/// A position is a Paco Ŝako FEN, plain or extended, or 'startpos'.
///
/// Examples:
///   tabiya paco perft 6
///   tabiya paco sako --fen 'rnbqkbnr/ppp2ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR w 0 AHah - -'
///   echo '{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0 AHah - -"}' | tabiya paco states
///   tabiya paco play
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PacoArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Perft(perft::PerftArgs),
    States(states::StatesArgs),
    Sako(sako::SakoArgs),
    Board(board::BoardArgs),
    Play(play::PlayArgs),
    Match(matches::MatchArgs),
    Selfplay(selfplay::SelfplayArgs),
    Bench(bench::BenchArgs),
}

pub fn run(args: PacoArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        Command::Perft(args) => perft::run(args, out),
        Command::States(args) => states::run(args, out),
        Command::Sako(args) => sako::run(args, out),
        Command::Board(args) => board::run(args, out),
        Command::Play(args) => play::run(args, out),
        Command::Match(args) => matches::run(args, out),
        Command::Selfplay(args) => selfplay::run(args, out),
        Command::Bench(args) => bench::run(args, out),
    }
}

/// Parses `startpos` or a FEN.
fn position(text: &str, rules: Rules) -> anyhow::Result<Position> {
    let text = text.trim();
    if text == "startpos" {
        return Ok(Position::default().with_rules(rules));
    }
    Position::from_fen(text, rules).with_context(|| format!("invalid FEN '{text}'"))
}

/// The rules of a `--compat` flag.
fn rules(compat: bool) -> Rules {
    if compat { Rules::Compat } else { Rules::Exact }
}
