//! The `tabiya` program: one file per command, each a thin layer over the libraries.
//!
//! This is the only crate that parses arguments and prints. Exit codes: 0 success, 1 failure or a failed
//! check, 2 usage error (clap), 130 interrupted. A broken pipe is no error.
//!
//! [`main`] is the whole program. It is a library, so that the Python package is the program too.

mod analyse;
mod bench;
mod board;
mod data;
mod epd;
mod eval;
mod features;
mod help;
mod input;
mod interrupt;
mod jobs;
mod launch;
mod legal;
mod matches;
mod nnue;
mod output;
mod paco;
mod perft;
mod pgn;
mod play;
mod pra;
mod progress;
mod ratings;
mod search_limits;
mod selfplay;
mod shell;
mod threads;
mod training;
mod tune;
mod uci;
mod version;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// The result of a command.
type Outcome = anyhow::Result<ExitCode>;

#[derive(Parser)]
#[command(version, about, long_about = None, after_help = AFTER_HELP)]
#[command(args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Run as a UCI engine that plays the moves of this transformer, without search
    #[arg(long, value_name = "DIR")]
    pra: Option<PathBuf>,
}

const AFTER_HELP: &str = "Without a command, tabiya is a UCI engine on standard input. Its option \
                          EvalFile is a network file, 'classic' for the classical evaluation (HCE), \
                          or '<empty>' for the built-in network.";

#[derive(Subcommand)]
enum Command {
    Play(play::PlayArgs),
    #[command(visible_alias = "analyze")]
    Analyse(Box<analyse::AnalyseArgs>),
    Bench(bench::BenchArgs),
    Epd(epd::EpdArgs),
    Perft(perft::PerftArgs),
    Legal(legal::LegalArgs),
    Board(board::BoardArgs),
    Features(features::FeaturesArgs),
    Pgn(pgn::PgnArgs),
    Data(data::DataArgs),
    Eval(eval::EvalArgs),
    Nnue(nnue::NnueArgs),
    Paco(paco::PacoArgs),
    Pra(pra::PraArgs),
    Selfplay(Box<selfplay::SelfplayArgs>),
    Match(Box<matches::MatchArgs>),
    Ratings(ratings::RatingsArgs),
    Tune(Box<tune::TuneArgs>),
    Version(version::VersionArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

/// Replaces the process by the build for this CPU, if this one is plain and another lies beside it.
pub fn launch_best_build() {
    if simd::Kernels::forced().is_ok() {
        launch::best_build();
    }
}

/// Runs the program with these arguments, the first of which is its name.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    if let Err(error) = simd::Kernels::forced() {
        eprintln!("tabiya: {error}");
        return ExitCode::FAILURE;
    }
    // OpenBench passes UCI commands as arguments.
    let mut commands = arguments.iter().skip(1).map(to_text).peekable();
    if commands.peek().is_some_and(|first| first.starts_with("genfens ")) {
        return uci::run_lines(commands);
    }
    let parsed = help::fitted(Cli::command(), layout::width())
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => help::explain(&error),
    };
    let command = match (cli.command, cli.pra) {
        (Some(command), _) => command,
        (None, Some(folder)) => Command::Pra(pra::PraArgs::uci(folder)),
        (None, None) => return uci::run(),
    };
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout()); // not locked: a player's timer prints, too
    let outcome = run(command, &mut out);
    let flushed = out.flush().map_err(anyhow::Error::from);
    match outcome.and_then(|code| flushed.map(|()| code)) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if interrupt::is_cause_of(&error) => {
            eprintln!("tabiya: {error:#}");
            interrupt::exit_code()
        }
        Err(error) => {
            eprintln!("tabiya: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command, out: &mut dyn Write) -> Outcome {
    match command {
        Command::Play(args) => play::run(args, out),
        Command::Analyse(args) => analyse::run(&args, out),
        Command::Bench(args) => bench::run(args, out),
        Command::Epd(args) => epd::run(&args, out),
        Command::Perft(args) => perft::run(args, out),
        Command::Legal(args) => legal::run(args, out),
        Command::Board(args) => board::run(args, out),
        Command::Features(args) => features::run(args, out),
        Command::Pgn(args) => pgn::run(args, out),
        Command::Data(args) => data::run(args, out),
        Command::Eval(args) => eval::run(args, out),
        Command::Nnue(args) => nnue::run(args, out),
        Command::Paco(args) => paco::run(args, out),
        Command::Pra(args) => pra::run(args, out),
        Command::Selfplay(args) => selfplay::run(&args, out),
        Command::Match(args) => matches::run(*args, out),
        Command::Ratings(args) => ratings::run(&args, out),
        Command::Tune(args) => tune::run(&args, out),
        Command::Version(args) => version::run(args, out),
        Command::Completions(args) => shell::completions(args, Cli::command(), out),
        Command::Man(args) => shell::man(args, Cli::command(), out),
    }
}

/// An argument as text; invalid UTF-8 is no UCI command either.
fn to_text(argument: &OsString) -> String {
    argument.to_string_lossy().into_owned()
}

/// Whether the reader of our output has closed it.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
