//! Data sets of random games, for tests of the loader and of training.

#![allow(dead_code, reason = "not every test uses everything")]

use std::num::NonZero;
use std::path::{Path, PathBuf};

use chess::pgn::{GameResult, Score};
use chess::rng::Rng;
use chess::{PackedRow, Position, random};
use data::{FileFormat, GenerateOptions, MoveHistory, Partition, PrepareOptions, Row, Split};
use tabiya_pra::train::{TrainOptions, Training};

/// The rows of a random game; every fifth game is in the validation split, and some have no result.
pub fn game(number: u64) -> Vec<Row> {
    let mut rng = Rng::new(5, number);
    let (mut position, mut rows) = (Position::INITIAL, Vec::new());
    let results =
        [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins, GameResult::Unknown];
    let result = results[rng.below(4)];
    let mut history = MoveHistory::default();
    let elo = [1_000 + number as i16, if number.is_multiple_of(3) { -1 } else { 1_900 }];
    for ply in 0..40 {
        let Some(played) = random::legal_move(&position, &mut rng) else { break };
        let score = match rng.below(4) {
            0 => Some(Score::Centipawns(rng.below(800) as i32 - 400)),
            1 if ply == 20 => Some(Score::Mate(-3)),
            _ => None,
        };
        let packed = PackedRow::new(&position).unwrap();
        let packed = packed.with_move(played).with_score(score).with_result(result);
        let split = if number.is_multiple_of(5) { Split::Validation } else { Split::Train };
        rows.push(Row { game: number as i64, ply, split, elo, history, ..Row::of_packed(packed) });
        history.push(&position, played);
        position = position.after(played);
    }
    rows
}

/// Writes a data set of such rows.
pub fn make(
    out: &Path,
    format: FileFormat,
    units: u64,
    unit: impl Fn(u64) -> Vec<Row> + Sync,
) -> PathBuf {
    let columns = "best_move eval mate result white_elo black_elo board history".split(' ');
    let columns = columns.map(str::to_owned).collect();
    let options = PrepareOptions {
        with_eval: true,
        format,
        columns,
        shard_rows: 700,
        group_rows: 200,
        ..PrepareOptions::default()
    };
    let made = serde_json::json!({ "by": "a test" });
    let making =
        GenerateOptions { inputs: Vec::new(), options, generator: made, partitions: units };
    let rows = |number| Ok(Partition { rows: unit(number), ..Partition::default() });
    data::generate(out, &making, NonZero::<usize>::MIN, rows, |_| {}).unwrap();
    out.to_owned()
}

/// A training with these rows, from random weights.
pub fn training(options: TrainOptions, device: &str, data: PathBuf, out: PathBuf) -> Training {
    Training {
        options,
        device: device.into(),
        data,
        out,
        from: None,
        must_resume: false,
        resume_from: None,
        tensorboard: None,
    }
}
