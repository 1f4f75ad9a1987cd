//! The command line of `tabiya match`, and its help.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use arena::{
    Draw, EngineSpec, OptionSetting, Resign, Sprt, TimeControl, parse_seconds, parse_setting,
};
use clap::{Args, ValueEnum};

/// Play matches between UCI engines: Elo, LOS, SPRT, PGN
///
/// An ENGINE is a command, followed by settings after semicolons: a name, limits that replace those of
/// the match (tc, movetime, nodes, depth), and UCI options:
///   "stockfish"
///   "stockfish; Skill Level=8; name=Stockfish 8"
///   "gnuchess --uci; Hash=16"
///   "./tabiya; name=old; nodes=20000"
/// 'self' is this program. An option without a value is a button; 'option.NAME=…' is a UCI option even
/// if NAME is one of the settings above.
///
/// Every opening is played twice, with colors reversed. Error bars (95 %), LOS and SPRT are computed from
/// these pairs (pentanomial). Claimable draws are drawn. Engines get 'isready' before each 'go'; the clock
/// runs from 'go' to 'bestmove'. A move may be late by --timemargin. Games are adjudicated only with
/// --resign, --draw or --max-moves.
///
/// Exit code 1 if an engine crashed, made an illegal move, lost on time, hung, or sent an illegal pv or a
/// bestmove without a go, or if the match failed; 130 if it was interrupted.
///
/// Examples:
///   tabiya match self "gnuchess --uci" --tc 8+0.08 --games 200 --pgn games.pgn
///   tabiya match ./new ./old --nodes 20000 --sprt elo0=0,elo1=5 --concurrency 2
///   tabiya match self toga2 glaurung --gauntlet --openings book.epd --state match.jsonl
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct MatchArgs {
    /// The engines, two or more
    #[arg(required = true, num_args = 2.., value_name = "ENGINE", value_parser = EngineSpec::parse)]
    pub engines: Vec<EngineSpec>,

    /// Games per pairing, an even number [default: 100, or 40000 with --sprt]
    #[arg(long, value_name = "N", value_parser = even)]
    pub games: Option<u32>,
    /// Concurrent games
    #[arg(long, value_name = "N", default_value = "1", value_parser = crate::threads::parse)]
    pub concurrency: NonZero<usize>,
    /// Gauntlet: only the first engine plays all others
    #[arg(long)]
    pub gauntlet: bool,

    #[command(flatten)]
    pub rules: GameArgs,

    /// Stop when this sequential probability ratio test is decided (two engines only)
    #[arg(long, value_name = "elo0=0,elo1=5,alpha=0.05,beta=0.05", value_parser = str::parse::<Sprt>)]
    pub sprt: Option<Sprt>,

    /// Append all games to this file
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// The PGN tag Event
    #[arg(long, value_name = "TEXT", default_value = "tabiya match")]
    pub event: String,
    /// State file of finished games; an existing one is resumed
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The limits, openings and rules of games, for `match` and `tune`.
#[derive(Args)]
pub struct GameArgs {
    /// Time control in seconds: 8+0.08, 40/5, 40/5+0.1, 2:30+1 [default: 8+0.08 without any limit]
    #[arg(long, value_name = "TC", value_parser = str::parse::<TimeControl>)]
    pub tc: Option<TimeControl>,
    /// Seconds per move
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    pub movetime: Option<Duration>,
    /// Nodes per move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Depth of each search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Milliseconds that a move may be late
    #[arg(long, value_name = "MS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(0..=86_400_000))]
    pub timemargin: u64,
    /// Timeout in seconds of an engine without a clock
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = positive_seconds)]
    pub patience: Duration,
    /// UCI option for every engine that declares it: Hash=16
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub options: Vec<OptionSetting>,

    /// Openings: PGN, .epd or .fen, also compressed [default: random balanced openings from the seed]
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Plies of each opening [default: 8 random ones, or all of the file's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub plies: Option<u16>,
    /// Order of the openings of a file
    #[arg(long, value_enum, default_value = "random")]
    pub order: BookOrder,
    /// Random seed of openings and their order
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Play Chess960, from random starts unless --openings is given
    #[arg(long)]
    pub chess960: bool,

    /// Adjudicate wins: both engines agree on at least this score (centipawns) for this many moves in a
    /// row; omitted fields have the values shown
    #[arg(long, value_name = "score=600,moves=4", value_parser = str::parse::<Resign>)]
    pub resign: Option<Resign>,
    /// Adjudicate draws: both scores are at most this for this many moves in a row, from this move on
    #[arg(long, value_name = "score=10,moves=8,from=40", value_parser = str::parse::<Draw>)]
    pub draw: Option<Draw>,
    /// Adjudicate a draw after this move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_moves: Option<u32>,

    /// Log everything sent to and received from the engines
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BookOrder {
    /// Shuffled by the seed
    Random,
    /// As in the file
    Sequential,
}

fn positive_seconds(text: &str) -> Result<Duration, String> {
    match parse_seconds(text).map_err(|error| error.to_string())? {
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
