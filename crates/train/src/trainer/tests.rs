//! The trainer against a dense reference, against finite differences, and against interruptions.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use chess::{Color, PackedRow};
use data::Split;
use nnue::Shape;
use nnue::network::{Head, SCALE};

use super::example::sigmoid;
use learn::TrainError;
use learn::log::{self, LOG};

use super::parameters::Tensor;
use super::*;

/// Two king buckets, three output buckets, mirrored.
fn shape() -> Shape {
    let king_buckets = std::array::from_fn(|square| u8::from(square >= 16));
    Shape { hidden: 32, mirrored: true, king_buckets, output_buckets: 3, head: Head::Linear }
}

fn with_head(head: Head) -> Shape {
    match head {
        Head::Linear => shape(),
        Head::Dense => Shape { hidden: 128, head, ..shape() },
    }
}

fn options(threads: usize) -> TrainOptions {
    let mut options = TrainOptions::new(shape(), 1_000);
    (options.threads, options.lambda) = (threads, 0.6);
    options
}

/// The reference network: dense inputs, double precision, one value at a time.
struct Reference<'a> {
    options: &'a TrainOptions,
    values: Vec<f64>,
    /// The start of each tensor, and the length of its rows.
    tensors: [(usize, usize); Tensor::COUNT],
}

impl<'a> Reference<'a> {
    fn new(options: &'a TrainOptions, parameters: &Parameters) -> Self {
        let place =
            |tensor: Tensor| (tensor.range(&options.shape).start, tensor.size(&options.shape).1);
        let values = parameters.values.iter().map(|&v| v.into()).collect();
        Self { options, values, tensors: Tensor::ALL.map(place) }
    }

    fn at(&self, tensor: Tensor, row: usize, column: usize) -> usize {
        let (start, width) = self.tensors[tensor as usize];
        start + row * width + column
    }

    /// Inputs of both perspectives, 0 or 1, side to move first; the output bucket; the target.
    fn example(&self, row: &PackedRow) -> ([Vec<f64>; 2], usize, f64) {
        let (shape, row) = (&self.options.shape, row.unpack().unwrap());
        let position = row.position;
        let inputs = [position.turn(), !position.turn()].map(|color| {
            let mut inputs = vec![0.0; shape.inputs()];
            for square in position.occupied() {
                let piece = position.piece_at(square).unwrap();
                inputs[shape.feature(color, position.king(color), piece, square)] = 1.0;
            }
            inputs
        });
        let Some(chess::pgn::Score::Centipawns(score)) = row.score else { unreachable!() };
        let scale = self.options.score_scale.unwrap_or(self.options.scale);
        let score = f64::from(sigmoid(score as f32 / scale as f32));
        let white = match row.result {
            chess::pgn::GameResult::Unknown => score,
            result => {
                let result = match result {
                    chess::pgn::GameResult::WhiteWins => 1.0,
                    chess::pgn::GameResult::BlackWins => 0.0,
                    _ => 0.5,
                };
                self.options.lambda * score + (1.0 - self.options.lambda) * result
            }
        };
        let target = if position.turn() == Color::White { white } else { 1.0 - white };
        (inputs, shape.output_bucket(position.occupied().len()), target)
    }

    /// The hidden layer before clipping, both perspectives.
    fn hidden(&self, inputs: &[Vec<f64>; 2]) -> Vec<f64> {
        let sum = |side: usize, i: usize| {
            let weights = inputs[side].iter().enumerate();
            let weights =
                weights.map(|(n, x)| x * self.values[self.at(Tensor::FeatureWeights, n, i)]);
            self.values[self.at(Tensor::FeatureBias, 0, i)] + weights.sum::<f64>()
        };
        let hidden = self.options.shape.hidden;
        (0..2 * hidden).map(|i| sum(i / hidden, i % hidden)).collect()
    }

    /// The expected score.
    fn expected_score(&self, hidden: &[f64], bucket: usize) -> f64 {
        let output = match self.options.shape.head {
            Head::Linear => self.linear(hidden, bucket),
            Head::Dense => self.dense(hidden, bucket),
        };
        1.0 / (1.0 + (-output * f64::from(SCALE) / self.options.scale).exp())
    }

    fn linear(&self, hidden: &[f64], bucket: usize) -> f64 {
        let terms = hidden.iter().enumerate().map(|(i, x)| {
            x.clamp(0.0, 1.0).powi(2) * self.values[self.at(Tensor::OutputWeights, bucket, i)]
        });
        self.values[self.at(Tensor::OutputBias, 0, bucket)] + terms.sum::<f64>()
    }

    /// The layers of a dense head: 16 → 32 → 1, after the products of the halves of each accumulator.
    fn dense(&self, hidden: &[f64], bucket: usize) -> f64 {
        let affine = |weights, bias, outputs: usize, inputs: &[f64]| -> Vec<f64> {
            let sum = |output| {
                let row = self.at(weights, bucket * outputs + output, 0);
                let terms = inputs.iter().enumerate().map(|(i, x)| x * self.values[row + i]);
                self.values[self.at(bias, bucket, output)] + terms.sum::<f64>()
            };
            (0..outputs).map(sum).collect()
        };
        let clip = |x: f64| x.clamp(0.0, 1.0);
        let (size, rounded) = (self.options.shape.hidden, 127.0 / 128.0);
        let products = |half: &[f64]| -> Vec<f64> {
            (0..size / 2).map(|i| clip(half[i]) * clip(half[size / 2 + i]) * rounded).collect()
        };
        let inputs = [products(&hidden[..size]), products(&hidden[size..])].concat();
        let first = affine(Tensor::FirstWeights, Tensor::FirstBias, 16, &inputs);
        let squared = first[..15].iter().map(|x| (x * x * rounded).min(1.0));
        let inputs: Vec<f64> = squared.chain(first[..15].iter().map(|&x| clip(x))).collect();
        let second = affine(Tensor::SecondWeights, Tensor::SecondBias, 32, &inputs);
        let terms = second.iter().enumerate();
        let terms =
            terms.map(|(i, &x)| clip(x) * self.values[self.at(Tensor::OutputWeights, bucket, i)]);
        self.values[self.at(Tensor::OutputBias, 0, bucket)] + terms.sum::<f64>() + first[15]
    }

    /// The mean loss.
    fn loss(&self, rows: &[PackedRow]) -> f64 {
        let loss = |row| {
            let (inputs, bucket, target) = self.example(row);
            let error = self.expected_score(&self.hidden(&inputs), bucket) - target;
            error.abs().powf(self.options.power)
        };
        rows.iter().map(loss).sum::<f64>() / rows.len() as f64
    }

    /// The gradient of the mean loss, by the chain rule.
    fn gradients(&self, rows: &[PackedRow]) -> Vec<f64> {
        let (mut gradients, size) = (vec![0.0; self.values.len()], self.options.shape.hidden);
        let (power, slope) = (self.options.power, f64::from(SCALE) / self.options.scale);
        for row in rows {
            let (inputs, bucket, target) = self.example(row);
            let hidden = self.hidden(&inputs);
            let p = self.expected_score(&hidden, bucket);
            let error = p - target;
            let outer = power * error.abs().powf(power - 1.0) * error.signum();
            let g = outer * p * (1.0 - p) * slope / rows.len() as f64;
            gradients[self.at(Tensor::OutputBias, 0, bucket)] += g;
            for (i, &x) in hidden.iter().enumerate() {
                let weight = self.at(Tensor::OutputWeights, bucket, i);
                gradients[weight] += g * x.clamp(0.0, 1.0).powi(2);
                if !(0.0..1.0).contains(&x) {
                    continue;
                }
                let back = g * self.values[weight] * 2.0 * x;
                gradients[self.at(Tensor::FeatureBias, 0, i % size)] += back;
                for (n, input) in inputs[i / size].iter().enumerate() {
                    gradients[self.at(Tensor::FeatureWeights, n, i % size)] += back * input;
                }
            }
        }
        gradients
    }
}

/// Parameters with few clipped hidden values.
fn parameters(seed: u64) -> Parameters {
    let mut parameters = Parameters::random(&shape(), seed);
    parameters.tensor_mut(Tensor::FeatureBias).fill(0.4);
    parameters.tensor_mut(Tensor::OutputBias).copy_from_slice(&[0.3, -0.1, 0.2]);
    parameters
}

/// Rows of many games, with many and with few pieces.
fn mixed_rows(count: usize, seed: u64) -> Vec<PackedRow> {
    random_rows(40 * count, seed).into_iter().step_by(40).collect()
}

#[test]
fn loss_and_gradients_are_those_of_the_dense_reference_for_any_number_of_threads() {
    let rows = mixed_rows(40, 3);
    let parameters = parameters(2);
    for (threads, power, score_scale) in [(1, 2.0, None), (2, 2.0, Some(150.0)), (3, 2.5, None)] {
        let mut options = options(threads);
        (options.power, options.score_scale) = (power, score_scale);
        let reference = Reference::new(&options, &parameters);
        let mut learner = Learner::new(&options, parameters.clone()).unwrap();
        let loss = learner.validate(&rows).unwrap().mean().unwrap();
        assert!((loss - reference.loss(&rows)).abs() < 1e-6, "{loss} {}", reference.loss(&rows));
        let (fast, slow) = (learner.gradients(&rows), reference.gradients(&rows));
        let most = slow.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
        for (n, (&fast, slow)) in fast.iter().zip(slow).enumerate() {
            assert!((f64::from(fast) - slow).abs() < 1e-4 * most, "{n}: {fast} {slow}");
        }
    }
}

#[test]
fn gradients_of_every_tensor_are_finite_differences_of_the_loss() {
    finite_differences(Head::Linear, parameters(5));
}

#[test]
fn gradients_of_a_dense_head_are_finite_differences_of_the_loss() {
    let mut parameters = Parameters::random(&with_head(Head::Dense), 6);
    parameters.tensor_mut(Tensor::FeatureBias).fill(0.4);
    parameters.tensor_mut(Tensor::SecondBias).fill(0.3);
    let rows = mixed_rows(40, 3);
    let options = TrainOptions { shape: with_head(Head::Dense), ..options(2) };
    let reference = Reference::new(&options, &parameters);
    let mut learner = Learner::new(&options, parameters.clone()).unwrap();
    let loss = learner.validate(&rows).unwrap().mean().unwrap();
    assert!((loss - reference.loss(&rows)).abs() < 1e-6, "{loss} {}", reference.loss(&rows));
    finite_differences(Head::Dense, parameters);
}

fn finite_differences(head: Head, parameters: Parameters) {
    let (rows, shape) = (mixed_rows(25, 4), with_head(head));
    let options = TrainOptions { shape: shape.clone(), ..options(1) };
    let gradients = Learner::new(&options, parameters.clone()).unwrap().gradients(&rows);
    let mut reference = Reference::new(&options, &parameters);
    for tensor in Tensor::of(&shape) {
        let mut range: Vec<usize> = tensor.range(&shape).collect();
        // The largest ones, so that there is something to compare.
        range.sort_by(|&a, &b| gradients[b].abs().total_cmp(&gradients[a].abs()));
        range.retain(|&n| gradients[n].abs() > 1e-7);
        assert!(range.len() >= 2, "{tensor:?}");
        for &n in range.iter().take(8) {
            let (value, step) = (reference.values[n], 1e-5);
            reference.values[n] = value + step;
            let above = reference.loss(&rows);
            reference.values[n] = value - step;
            let difference = (above - reference.loss(&rows)) / (2.0 * step);
            reference.values[n] = value;
            let gradient = f64::from(gradients[n]);
            assert!(
                (gradient - difference).abs() < 1e-3 * gradient.abs() + 1e-7,
                "{tensor:?} {n}: {gradient} {difference}"
            );
        }
    }
}

fn write_rows(path: &Path, rows: &[PackedRow]) {
    let body: Vec<u8> = rows.iter().flat_map(|row| *row.as_bytes()).collect();
    let mut bytes = b"TABIYA32\x01\0\0\0\x20\0\0\0".to_vec();
    bytes.extend((rows.len() as u64).to_le_bytes());
    bytes.extend(&blake3::hash(&body).as_bytes()[..8]);
    bytes.extend(body);
    fs::write(path, bytes).unwrap();
}

fn training(folder: &Path, out: &str) -> Training {
    let data = folder.join("rows.rows");
    if !data.exists() {
        write_rows(&data, &random_rows(2_500, 9));
    }
    let mut options = options(2);
    (options.positions, options.batch_size, options.superbatch) = (6_000, 128, 700);
    (options.window_rows, options.warmup) = (600, 500);
    let rows = RowFiles::open(&[data], Split::Train).unwrap();
    Training {
        options,
        validation: rows.clone(),
        rows,
        out: folder.join(out),
        from: None,
        must_resume: false,
        tensorboard: None,
        save_every: 1,
        keep: 0,
    }
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

#[test]
fn a_run_interrupted_again_and_again_ends_with_the_same_network() {
    let folder = tempfile::tempdir().unwrap();
    let whole = training(folder.path(), "whole");
    let done = train(&whole, &never(), &mut |_| ()).unwrap();
    assert_eq!(
        (done.summary.steps, done.summary.was_stopped, done.counts.used),
        (47, false, 6_000)
    );
    let expected = fs::read(whole.out.join(NETWORK)).unwrap();
    let cut = training(folder.path(), "cut");
    let mut rounds = 0;
    loop {
        // Interrupted after a few steps, within superbatches and at their ends.
        let (stop, mut steps) = (never(), 0);
        let trained = train(&cut, &stop, &mut |event| {
            if let Event::Progress(_) = event {
                steps += 1;
                stop.store(steps > rounds % 7, Ordering::Relaxed);
            }
        });
        rounds += 1;
        if !trained.unwrap().summary.was_stopped {
            break;
        }
    }
    assert!(rounds > 8, "{rounds}");
    assert!(fs::read(cut.out.join(NETWORK)).unwrap() == expected);
    let losses = |training: &Training| {
        let lines: Vec<LogLine> = log::read(&training.out.join(LOG));
        lines.into_iter().map(|line| (line.step, line.loss, line.validation)).collect::<Vec<_>>()
    };
    assert_eq!(losses(&whole), losses(&cut));
    assert_eq!(losses(&whole).len(), 8);
    // A complete run does nothing.
    assert!(train(&cut, &never(), &mut |_| ()).unwrap().summary.was_complete);
}

#[test]
fn training_learns_something() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = training(folder.path(), "out");
    job.options.positions = 30_000;
    job.options.lr = 0.01;
    train(&job, &never(), &mut |_| ()).unwrap();
    let lines = log::read::<LogLine>(&job.out.join(LOG));
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    // Scores are random: the network can only memorize the rows.
    assert!(last.loss < 0.8 * first.loss, "{first:?} {last:?}");
    assert!(last.validation.unwrap() < first.validation.unwrap());
    assert!(fs::read_to_string(job.out.join("loss.svg")).unwrap().contains("validation"));
}

#[test]
fn a_run_with_other_options_in_the_same_folder_is_refused_with_the_difference() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = training(folder.path(), "out");
    job.options.positions = 600;
    train(&job, &never(), &mut |_| ()).unwrap();
    let refused = |job: &Training| train(job, &never(), &mut |_| ()).unwrap_err().to_string();
    let mut other = job.clone();
    other.options.lambda = 0.25;
    assert!(refused(&other).ends_with("lambda was 0.6 and is now 0.25"), "{}", refused(&other));
    let mut other = job.clone();
    write_rows(&folder.path().join("more.rows"), &random_rows(10, 1));
    other.rows = RowFiles::open(&[folder.path().join("more.rows")], Split::Train).unwrap();
    assert!(refused(&other).contains("data was"), "{}", refused(&other));
    let mut other = job.clone();
    (other.out, other.must_resume) = (folder.path().join("nothing"), true);
    assert!(refused(&other).starts_with("there is no checkpoint in "));
    // Other initial parameters make another run.
    let mut other = job.clone();
    let checkpoint = Checkpoint::load(&job.out.join(CHECKPOINT)).unwrap();
    other.from = Some(checkpoint.parameters().clone());
    assert!(refused(&other).contains("from was null"));
    other.out = folder.path().join("tuned");
    train(&other, &never(), &mut |_| ()).unwrap();
}

#[test]
fn a_damaged_checkpoint_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = training(folder.path(), "out");
    job.options.positions = 600;
    job.options.shape = Shape::plain(32);
    job.keep = 2;
    train(&job, &never(), &mut |_| ()).unwrap();
    let path = job.out.join(CHECKPOINT);
    let good = fs::read(&path).unwrap();
    let checkpoint = Checkpoint::load(&path).unwrap();
    assert_eq!(checkpoint.step(), 5);
    let step = |kept: u64| job.out.join(format!("checkpoint-{kept:09}.safetensors"));
    assert!(step(5).exists());
    let damaged = folder.path().join("damaged");
    for length in (0..60).map(|n| n * good.len() / 60) {
        fs::write(&damaged, &good[..length]).unwrap();
        let error = Checkpoint::load(&damaged).unwrap_err().to_string();
        assert!(error.contains("is no checkpoint"), "{error}");
    }
    for n in 0..1_000 {
        let mut bytes = good.clone();
        // Half of the flips are in the header.
        let at = if n % 2 == 0 { n } else { n * good.len() / 1_000 };
        bytes[at] ^= 1 << (n % 8);
        fs::write(&damaged, &bytes).unwrap();
        let _ = Checkpoint::load(&damaged);
    }
    let mut bytes = good.clone();
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(&damaged, &bytes).unwrap();
    let error = Checkpoint::load(&damaged).unwrap_err().to_string();
    assert!(error.contains("not a number"), "{error}");
}

#[test]
fn counts_of_a_checkpoint_have_the_bounds_of_the_options() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = training(folder.path(), "out");
    (job.options.positions, job.options.shape) = (600, Shape::plain(32));
    train(&job, &never(), &mut |_| ()).unwrap();
    let path = job.out.join(CHECKPOINT);
    let checkpoint = Checkpoint::load(&path).unwrap();
    let refused = |change: &dyn Fn(&mut Checkpoint)| {
        let mut forged = checkpoint.clone();
        change(&mut forged);
        forged.save(&path).unwrap();
        train(&job, &never(), &mut |_| ()).unwrap_err().to_string()
    };
    assert!(refused(&|c| c.metadata.step = u64::MAX).contains("steps or rows are out of range"));
    assert!(
        refused(&|c| c.metadata.total.used = u64::MAX).contains("steps or rows are out of range")
    );
    assert!(refused(&|c| c.metadata.total.damaged = u64::MAX).contains("out of range"));
}

#[test]
fn every_epoch_has_every_row_once_and_can_start_at_any_row() {
    let folder = tempfile::tempdir().unwrap();
    let rows = random_rows(20_000, 5);
    write_rows(&folder.path().join("a.rows"), &rows[..9_000]);
    write_rows(&folder.path().join("b.rows"), &rows[9_000..]);
    let files = RowFiles::open(&[folder.path().to_owned()], Split::Train).unwrap();
    assert_eq!(files.rows(), 20_000);
    let stream = |start| RowStream::new(files.clone(), 7, 10_000, start).unwrap();
    let all = stream(0).next_rows(60_000).unwrap();
    let sorted = |rows: &[PackedRow]| {
        let mut bytes: Vec<[u8; 32]> = rows.iter().map(|row| *row.as_bytes()).collect();
        bytes.sort_unstable();
        bytes
    };
    for epoch in all.chunks(20_000) {
        assert!(sorted(epoch) == sorted(&rows));
    }
    assert!(all[..20_000] != all[20_000..40_000]);
    for start in [1, 127, 8_191, 10_000, 16_384, 19_999, 20_000, 20_001, 33_333, 40_000] {
        assert!(stream(start as u64).next_rows(500).unwrap() == all[start..start + 500]);
    }
}

#[test]
fn unusable_training_data_are_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = training(folder.path(), "out");
    let train = |job: &Training| train(job, &never(), &mut |_| ()).unwrap_err().to_string();
    let path = folder.path().join("empty.rows");
    write_rows(&path, &[]);
    job.rows = RowFiles::open(std::slice::from_ref(&path), Split::Train).unwrap();
    assert!(train(&job).starts_with("there are no rows to train on in "));
    write_rows(&path, &vec![PackedRow::from_bytes([0xff; 32]); 300]);
    job.rows = RowFiles::open(std::slice::from_ref(&path), Split::Train).unwrap();
    assert!(train(&job).starts_with("none of 768 rows is usable: 768 damaged"));
    fs::write(&path, b"TABIYA32 and then nothing").unwrap();
    assert!(RowFiles::open(&[path], Split::Train).is_err());
    assert!(RowFiles::open(&[folder.path().join("none")], Split::Train).is_err());
    // A learning rate that diverges.
    let mut job = training(folder.path(), "far");
    (job.options.lr, job.options.scale, job.options.warmup) = (1.0, 1.0, 0);
    match super::train(&job, &never(), &mut |_| ()) {
        Ok(_) | Err(TrainError::NotFinite(_)) => {}
        Err(error) => panic!("{error}"),
    }
}
