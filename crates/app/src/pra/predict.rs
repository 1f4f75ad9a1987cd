//! `tabiya pra predict`: move probabilities and value of positions.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use chess::{Game, Position};
use pra::Weights;
use pra::player::Player;
use pra::predict::{PositionPrediction, raw_tensors};

use super::model::{ensure_not_model, model_folder_or_shipped, parse_in};
use crate::threads::Threads;
use crate::{Outcome, input, output};

/// Predict the move probabilities and the result of a position
///
/// Examples:
///   tabiya pra predict --fen 'startpos moves e2e4 e7e5'
///   tabiya pra predict --fen 'startpos moves d2d4' --rating 1500 --opponent 1800
///   tabiya pra predict --fen '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1' --svg moves.svg
///   tabiya pra predict --file positions.txt --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PredictArgs {
    /// Model directory [default: the embedded model]
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Position as FEN, or as 'FEN moves e2e4 …' or 'startpos moves …': the model sees the last moves
    #[arg(long, default_value = "startpos", conflicts_with = "file")]
    fen: String,
    /// File of positions, one FEN per line; '-' for standard input. Prints one line for each
    #[arg(long, value_name = "FENS")]
    file: Option<PathBuf>,
    /// Write raw outputs to a safetensors file: policy [n,4096], value [n], and the masks [9,64,64] of the
    /// piece heads
    #[arg(long, value_name = "FILE", requires = "file", conflicts_with_all = ["json", "svg"])]
    raw: Option<PathBuf>,
    /// Number of moves to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Softmax temperature: below 1 sharpens the distribution, 0 leaves the most probable move
    #[arg(long, value_name = "T", default_value_t = 1.0, value_parser = |text: &str| parse_in(text, 0.0_f32..=100.0))]
    temperature: f32,
    /// Rating of the player to move, if the model reads ratings [default: unknown]
    #[arg(long, value_name = "ELO", value_parser = clap::value_parser!(u16).range(1..=4000))]
    rating: Option<u16>,
    /// Rating of the opponent [default: unknown]
    #[arg(long, value_name = "ELO", value_parser = clap::value_parser!(u16).range(1..=4000))]
    opponent: Option<u16>,
    /// Draw the board with arrows for the moves
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl PredictArgs {
    fn player(&self, weights: Weights) -> Player {
        let mut player = Player::new(weights, 1);
        player.ratings = [self.rating, self.opponent];
        player
    }
}

pub fn run(args: &PredictArgs, out: &mut dyn Write) -> Outcome {
    let outputs = [&args.raw, &args.svg].into_iter().flatten().map(PathBuf::as_path);
    output::ensure_not_inputs(outputs, args.file.as_deref())?;
    ensure_not_model([&args.raw, &args.svg], args.model.as_deref())?;
    let weights = model_folder_or_shipped(args.model.as_deref())?;
    if (args.rating.or(args.opponent)).is_some() && !weights.config().ratings {
        eprintln!("tabiya: this model reads no ratings: --rating and --opponent have no effect");
    }
    if let Some(file) = &args.file {
        let games = read_games(file)?;
        if let Some(raw) = &args.raw {
            let threads = args.threads.count().get();
            let ratings = [args.rating, args.opponent];
            output::write(raw, raw_tensors(&weights, &games, ratings, threads)?)?;
        } else {
            let mut player = args.player(weights);
            for game in &games {
                let prediction = PositionPrediction::of_game(&mut player, game, args.temperature)?;
                match args.json {
                    true => writeln!(out, "{}", prediction.to_json(args.top))?,
                    false => writeln!(out, "{}", prediction.to_line())?,
                }
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let game = input::game(&args.fen)?;
    let mut player = args.player(weights);
    let prediction = PositionPrediction::of_game(&mut player, &game, args.temperature)?;
    if let Some(path) = &args.svg {
        let last_move = game.moves().last().map(|m| (m.from(), m.to()));
        output::write(path, prediction.picture(args.top, last_move).to_svg())?;
    }
    match args.json {
        true => writeln!(out, "{}", prediction.to_json(args.top))?,
        false => write!(out, "{}", prediction.to_text(args.top))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The positions of a file, one per line; text after a semicolon is a comment.
pub fn read(path: &Path) -> anyhow::Result<Vec<Position>> {
    Ok(read_games(path)?.iter().map(|game| *game.position()).collect())
}

/// The same with the moves that lead to them.
fn read_games(path: &Path) -> anyhow::Result<Vec<Game>> {
    let mut games = Vec::new();
    input::each_line(input::open(path)?, |number, line| {
        let text = line?.split(';').next().unwrap_or_default().trim().to_owned();
        if !text.is_empty() && !text.starts_with('#') {
            let game =
                input::game(&text).with_context(|| format!("{}, line {number}", path.display()))?;
            games.push(game);
        }
        Ok(())
    })?;
    ensure!(!games.is_empty(), "{} has no positions", path.display());
    Ok(games)
}
