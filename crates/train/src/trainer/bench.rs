//! Training speed, on random rows.

use std::time::Instant;

use chess::pgn::{GameResult, Score};
use chess::rng::Rng;
use chess::{PackedRow, Position, random};
use nnue::Shape;

use learn::TrainError;

use super::{Learner, Parameters, TrainOptions};

/// Distinct rows of random games, each with a random score and result. Like games of people they have
/// some twenty pieces on average.
pub fn random_rows(count: usize, seed: u64) -> Vec<PackedRow> {
    let (mut moves, mut rng) = (Rng::new(seed, 0), Rng::new(seed, 1));
    let mut rows = Vec::with_capacity(count);
    while rows.len() < count {
        // Games share their first moves.
        for (position, _) in random::game(Position::INITIAL, &mut moves).take(160).skip(8) {
            let score = Some(Score::Centipawns(rng.below(2_001) as i32 - 1_000));
            let result = *rng.choose(&GameResult::ALL);
            let row = PackedRow::new(&position);
            rows.extend(row.map(|row| row.with_score(score).with_result(result)));
        }
    }
    rows.truncate(count);
    rng.shuffle(&mut rows);
    rows
}

/// Trains a network on batches of 16,384 and returns positions per second. Decoding of rows is included,
/// reading of files is not.
pub fn bench(shape: &Shape, positions: u64, threads: usize) -> Result<f64, TrainError> {
    let mut options = TrainOptions::new(shape.clone(), positions.max(1));
    options.threads = threads;
    let mut learner = Learner::new(&options, Parameters::random(shape, 1))?;
    let rows = random_rows(1 << 18, 1);
    let batches: Vec<&[PackedRow]> = rows.chunks_exact(options.batch_size).collect();
    // Warmup: cold caches, untouched memory.
    learner.train_step(batches[0], options.lr)?;
    let begin = Instant::now();
    let steps = options.steps();
    for step in 0..steps {
        learner.train_step(batches[step as usize % batches.len()], options.lr)?;
    }
    let seconds = begin.elapsed().as_secs_f64().max(1e-9);
    Ok((steps * options.batch_size as u64) as f64 / seconds)
}
