//! The command line of `tabiya match`, and its help.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::adjudicate::{self, Draw, Resign};
use super::limits::{self, TimeControl};
use super::spec::{self, EngineSpec, Setting};
use super::stats::Sprt;

/// Play UCI engines against each other, and say what the results are worth
///
/// An ENGINE is a command, and behind semicolons what is special about it: a name, limits of its own
/// in place of those for all (tc, movetime, nodes, depth), and options of the engine:
///   "stockfish"
///   "stockfish; Skill Level=8; name=Stockfish 8"
///   "gnuchess --uci; Hash=16"
///   "./tabiya; name=old; nodes=20000"
/// 'self' is this very program. An option without a value is a button; 'option.NAME=…' is an option
/// of the engine even if NAME is one of the words above.
///
/// Every opening is played twice, with colors reversed. Error bars (95 %), LOS and SPRT come from
/// these pairs. A draw that could be claimed is a draw. Engines are asked 'isready' before each 'go';
/// the clock runs from 'go' to 'bestmove' as read. A move up to --timemargin late is still taken.
/// Games are played to their end unless --resign, --draw or --max-moves say otherwise.
///
/// Exit code 1 if an engine crashed, made an illegal move, lost on time, hung, sent a line (pv) that
/// cannot be played or a bestmove nobody asked for, or if the match failed; 130 if it was interrupted.
///
/// Examples:
///   tabiya match self "gnuchess --uci" --tc 8+0.08 --games 200 --pgn games.pgn
///   tabiya match ./new ./old --nodes 20000 --sprt elo0=0,elo1=5 --concurrency 2
///   tabiya match self toga2 glaurung --gauntlet --openings book.epd --state match.jsonl
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct MatchArgs {
    /// The engines, two or more
    #[arg(required = true, num_args = 2.., value_name = "ENGINE", value_parser = engine)]
    pub engines: Vec<EngineSpec>,

    /// Games between each two engines: an even number [default: 100, or 40000 with --sprt]
    #[arg(long, value_name = "N", value_parser = even)]
    pub games: Option<u32>,
    /// Games at the same time
    #[arg(long, value_name = "N", default_value = "1", value_parser = crate::threads::parse)]
    pub concurrency: NonZero<usize>,
    /// The first engine plays all others, which do not play each other
    #[arg(long)]
    pub gauntlet: bool,

    /// Time control in seconds: 8+0.08, 40/5, 40/5+0.1, 2:30+1 [default: 8+0.08 if there is no limit]
    #[arg(long, value_name = "TC", value_parser = time_control)]
    pub tc: Option<TimeControl>,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    pub movetime: Option<Duration>,
    /// Nodes for each move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Depth of each search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Milliseconds that a move may be late, for the noise of the machine
    #[arg(long, value_name = "MS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(0..=86_400_000))]
    pub timemargin: u64,
    /// Seconds without an answer after which an engine without a clock counts as hanging
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = positive_seconds)]
    pub patience: Duration,
    /// An option for all engines that have it: Hash=16
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = spec::setting)]
    pub options: Vec<Setting>,

    /// Openings: games in PGN (also compressed), or positions in .epd or .fen [default: random moves
    /// that leave the position balanced, made from the seed]
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// How many half-moves of an opening are played [default: 8 random ones, or all of a file's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub plies: Option<u16>,
    /// In which order the openings of a file are played
    #[arg(long, value_enum, default_value = "random")]
    pub order: BookOrder,
    /// The seed of openings and their order
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Play Chess960, from random starts unless there are openings
    #[arg(long)]
    pub chess960: bool,

    /// End games that both engines think decided: score (hundredths of a pawn), moves in a row; what
    /// is left out is as shown
    #[arg(long, value_name = "score=600,moves=4", value_parser = resign)]
    pub resign: Option<Resign>,
    /// End games that both engines think drawn: score at most, moves in a row, from which move on
    #[arg(long, value_name = "score=10,moves=8,from=40", value_parser = draw)]
    pub draw: Option<Draw>,
    /// Call games that reach this move drawn
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_moves: Option<u32>,
    /// Stop as soon as this sequential test is decided (two engines only)
    #[arg(long, value_name = "elo0=0,elo1=5,alpha=0.05,beta=0.05", value_parser = sprt)]
    pub sprt: Option<Sprt>,

    /// Append all games to this file
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// What the tag Event says
    #[arg(long, value_name = "TEXT", default_value = "tabiya match")]
    pub event: String,
    /// Keep finished games in this file, and go on from there if it exists
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Write all that is said between us and the engines to this file
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BookOrder {
    /// Shuffled by the seed
    Random,
    /// As they stand in the file
    Sequential,
}

/// The parsers of arguments give their whole reason in one line.
fn told<T>(result: anyhow::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{error:#}"))
}

fn engine(text: &str) -> Result<EngineSpec, String> {
    told(EngineSpec::parse(text))
}

fn time_control(text: &str) -> Result<TimeControl, String> {
    told(text.parse())
}

fn resign(text: &str) -> Result<Resign, String> {
    told(adjudicate::parse_resign(text))
}

fn draw(text: &str) -> Result<Draw, String> {
    told(adjudicate::parse_draw(text))
}

fn sprt(text: &str) -> Result<Sprt, String> {
    told(text.parse())
}

fn positive_seconds(text: &str) -> Result<Duration, String> {
    match told(limits::seconds(text))? {
        time if time >= Duration::from_millis(1) => Ok(time),
        _ => Err("less than a millisecond".to_owned()),
    }
}

fn even(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(games) if games > 0 && games % 2 == 0 && games <= 100_000_000 => Ok(games),
        _ => Err("the number of games must be even: every opening is played twice".to_owned()),
    }
}
