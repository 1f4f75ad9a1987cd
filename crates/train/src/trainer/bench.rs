//! How fast training is, on rows made up for the purpose.

use std::time::Instant;

use chess::pgn::{GameResult, Score};
use chess::rng::Rng;
use chess::{PackedRow, Position};
use nnue::Shape;

use super::{Learner, Parameters, TrainError, TrainOptions};

/// Rows of random games: so many, different ones, each with a score and a result. Random games lose their
/// pieces slowly; like played ones they have some twenty of them on average.
pub fn random_rows(count: usize, seed: u64) -> Vec<PackedRow> {
    let mut random = Rng::new(seed, 0);
    let mut rows = Vec::with_capacity(count);
    while rows.len() < count {
        let mut position = Position::INITIAL;
        for ply in 0..160 {
            let moves = position.legal_moves();
            if moves.is_empty() || rows.len() == count {
                break;
            }
            let score = Some(Score::Centipawns(random.below(2_001) as i32 - 1_000));
            let result = GameResult::ALL[random.below(GameResult::ALL.len())];
            // The first moves are the same in all games.
            if ply >= 8
                && let Some(row) = PackedRow::new(&position)
            {
                rows.push(row.with_score(score).with_result(result));
            }
            position = position.after(moves[random.below(moves.len())]);
        }
    }
    random.shuffle(&mut rows);
    rows
}

/// Trains a network on so many positions with AdamW, in batches of 16,384, and gives positions per second.
/// Reading files is not in it; decoding rows is.
pub fn bench(shape: &Shape, positions: u64, threads: usize) -> Result<f64, TrainError> {
    let mut options = TrainOptions::new(shape.clone(), positions.max(1));
    options.threads = threads;
    let mut learner = Learner::new(&options, Parameters::random(shape, 1))?;
    let rows = random_rows(1 << 18, 1);
    let batches: Vec<&[PackedRow]> = rows.chunks_exact(options.batch_size).collect();
    // The first batch finds cold caches and untouched memory.
    learner.learn(batches[0], options.rate)?;
    let begin = Instant::now();
    let steps = options.steps();
    for step in 0..steps {
        learner.learn(batches[step as usize % batches.len()], options.rate)?;
    }
    let seconds = begin.elapsed().as_secs_f64().max(1e-9);
    Ok((steps * options.batch_size as u64) as f64 / seconds)
}
