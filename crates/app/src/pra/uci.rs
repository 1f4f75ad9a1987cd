//! `tabiya pra uci`, and `tabiya --pra DIR`: a model, without search, as a UCI engine.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use pra::player::Player;
use pra::uci::PolicyHandler;
use uci::{Output, Server};

use super::model::model_folder_or_shipped;
use crate::Outcome;
use crate::uci::{each_command, print_line};

/// Play the moves of a model, without search, as a UCI engine
///
/// Options: Temperature in hundredths, 0 for always the most likely move; Seed, the random seed; Avoid
/// Draws, to leave out moves that draw, repeat or let the opponent draw at once, if there are others;
/// UCI_Chess960. Besides the protocol, `d` shows the board and `eval` the prediction of the model.
#[derive(clap::Args)]
pub struct UciArgs {
    /// Directory of a model [default: the embedded one]
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Play uniformly random legal moves instead
    #[arg(long, conflicts_with = "model")]
    random: bool,
}

impl UciArgs {
    /// Play with the model in a directory.
    pub fn of(directory: PathBuf) -> Self {
        Self { model: Some(directory), random: false }
    }
}

/// Runs a session until `quit` or the end of input.
pub fn run(args: &UciArgs) -> Outcome {
    let model = match args.random {
        true => None,
        false => Some(Player::new(model_folder_or_shipped(args.model.as_deref())?, 1)),
    };
    let output = Output::from(Arc::new(print_line));
    let mut server = Server::new(PolicyHandler::new(model, output.clone()), output);
    each_command(|line| server.line(line));
    Ok(ExitCode::SUCCESS)
}
