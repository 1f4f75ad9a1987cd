//! `tabiya pra uci`, and `tabiya --pra DIR`: a model, without search, as a UCI engine.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use chess::{Game, Move, Position};
use engine::search::{Control, Engine, Limits, Settings};
use engine::wdl::to_cp;
use pra::player::Player;
use pra::uci::{PolicyHandler, Veto};
use uci::{Output, Server};

use super::model::model_folder_or_shipped;
use crate::Outcome;
use crate::uci::{each_command, print_line};

/// Play the moves of a model, without search, as a UCI engine
///
/// Options: Elo, the rating of the imitated player, and OpponentElo, that of its opponent (0: unknown, or the same),
/// if the model reads ratings; Temperature in hundredths: 0 plays the most likely move, 100 samples the policy, -1 is
/// the temperature fitted to Elo, or 0 without one; Human Time, to take as long as a person would with that clock;
/// Max Loss, the centipawns that a move may lose by a short search, 0 for any, -1 for what that rating allows; Seed,
/// the random seed; Avoid Draws, to exclude moves that draw, repeat or allow the opponent to draw at once, if there
/// are others; UCI_Chess960.
/// Besides the protocol, `d` shows the board and `eval` the prediction of the model.
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

/// MiB of the hash table of the search that refuses moves, and nodes of each of its searches.
const VETO: (usize, u64) = (4, 4_000);

/// Compares a move with the best one.
struct ShortSearch {
    engine: Engine,
    /// The score of the best move of the last position.
    best: Option<(Position, i32)>,
}

impl Veto for ShortSearch {
    fn loss(&mut self, game: &Game, m: Move) -> i32 {
        let mut score = |moves: Vec<Move>| {
            let limits = Limits { nodes: Some(VETO.1), moves, ..Limits::default() };
            let control = Control::new(false);
            let found = self.engine.search(game, &limits, Settings::default(), &control, &|_| {});
            to_cp(found.score, game.position())
        };
        let best = self.best.filter(|(at, _)| at == game.position());
        let best = *self.best.insert(best.unwrap_or_else(|| (*game.position(), score(vec![]))));
        best.1.saturating_sub(score(vec![m]))
    }
}

/// Runs a session until `quit` or the end of input.
pub fn run(args: &UciArgs) -> Outcome {
    let model = match args.random {
        true => None,
        false => Some(Player::new(model_folder_or_shipped(args.model.as_deref())?, 1)),
    };
    let output = Output::from(Arc::new(print_line));
    let veto = ShortSearch { engine: Engine::new(VETO.0)?, best: None };
    let handler = PolicyHandler::new(model, output.clone()).with_veto(Box::new(veto));
    let mut server = Server::new(handler, output);
    each_command(|line| server.line(line));
    Ok(ExitCode::SUCCESS)
}
