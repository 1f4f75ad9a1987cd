//! The engine on Burn says what the engine of the processor says, and learns the same from it.
//!
//! On a graphics device this runs where there is one: a card, or Debian's package
//! `mesa-vulkan-drivers`, by which the processor plays one. Else it says that it does not.

#![cfg(feature = "gpu")]

mod made;

use std::sync::atomic::{AtomicBool, Ordering};

use chess::Position;
use chess::rng::Rng;
use data::FileFormat;
use learn::log::{self, LOG};
use made::{Folder, game, make};
use pra::gpu::{Device, GpuEngine};
use pra::train::{Event, LogLine, TrainOptions, Training, train};
use pra::{Batch, Compute, Config, Engine, LossWeights, Place, Weights, compute_on};

/// Castling, en passant, promotions with and without taking, both players to move.
const POSITIONS: [&str; 7] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "rn2k3/P1P5/8/8/8/8/5p2/R3K2R w KQ - 0 1",
    "4k3/8/8/8/8/8/p1p1p3/1B1Q2K1 b - - 0 1",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "8/5k2/8/8/3N4/8/6K1/8 b - - 3 60",
];

const OUTCOMES: [[f32; 3]; 4] = [[1.0, 0.0, 0.0], [0.0; 3], [0.2, 0.5, 0.3], [0.0, 0.0, 1.0]];

/// Each option alone, all but each, none and all.
fn shapes() -> Vec<Config> {
    let options: [fn(&mut Config) -> &mut bool; 6] = [
        |config| &mut config.promotions,
        |config| &mut config.state_input,
        |config| &mut config.turned,
        |config| &mut config.self_in_masks,
        |config| &mut config.light_value,
        |config| &mut config.legal_mask,
    ];
    let mut all = Vec::new();
    for shape in [Config::reference(2, 24), Config::new(2, 24)] {
        all.push(shape);
        for option in options {
            let mut other = shape;
            *option(&mut other) ^= true;
            all.push(other);
        }
    }
    all
}

/// A model in which nothing is 0, so that every number matters, and whose value is not near 1, where
/// tanh is flat.
fn weights(config: &Config) -> Weights {
    let mut weights = Weights::random(config, 7).unwrap();
    let mut rng = Rng::new(7, 1000);
    for tensor in weights.layout().clone().tensors() {
        let scale = if tensor.name.starts_with("value_head.fc") { 0.2 } else { 1.0 };
        for value in &mut weights.values_mut()[tensor.range.clone()] {
            *value = scale * (*value + 0.4 * (rng.next_f32() - 0.5));
        }
    }
    weights
}

fn batch(config: &Config, positions: &[&str]) -> Batch {
    let mut batch = Batch::default();
    for (n, fen) in positions.iter().enumerate() {
        let position: Position = fen.parse().unwrap();
        let legal: Vec<u16> = config.legal_moves(&position).map(|(_, index)| index).collect();
        let target = legal[n * 5 % legal.len()];
        batch.push(config.tokens(&position), legal, target, OUTCOMES[n % OUTCOMES.len()]);
    }
    batch
}

/// The largest difference, measured by the largest number.
fn difference(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(1e-6, |most: f32, number| most.max(number.abs()));
    let pairs = found.iter().zip(expected);
    pairs.fold(0.0, |most: f32, (a, b)| most.max((a - b).abs())) / largest
}

/// Compares everything for one shape of model: what is said, its losses, and each tensor's gradient.
/// The largest differences of logits, outcomes, losses and gradients.
fn compare(config: &Config, device: &Device) -> [f32; 4] {
    let (weights, batch) = (weights(config), batch(config, &POSITIONS));
    let mut expected = Engine::new(config, 1);
    let mut engine = GpuEngine::new(config, device);

    let (mut logits, mut outcomes) = (0.0f32, 0.0f32);
    let said = engine.predict(&weights, &batch.tokens).unwrap();
    let expected_said = expected.predict(&weights, &batch.tokens);
    assert_eq!(said.len(), POSITIONS.len());
    for (said, expected) in said.iter().zip(&expected_said) {
        logits = logits.max(difference(&said.logits, &expected.logits));
        outcomes = outcomes.max(difference(&said.outcome, &expected.outcome));
    }

    let of = (2 * batch.len() as u64, batch.valued() + 1);
    let weight = LossWeights { policy: 1.0, value: 0.7 };
    let (mut found, mut wanted) = (vec![0.0; weights.values().len()], weights.values().to_vec());
    wanted.fill(0.0);
    let told = engine.gradient(&weights, &batch, of, weight, &mut found).unwrap();
    let expected_told = expected.gradient(&weights, &batch, of, weight, &mut wanted);
    assert_eq!(engine.losses(&weights, &batch).unwrap().correct, expected_told.correct);
    let counts = |told: &pra::Losses| (told.positions, told.valued, told.correct);
    assert_eq!(counts(&told), counts(&expected_told));
    let sums = |told: &pra::Losses| [told.policy as f32, told.value as f32];
    let losses = difference(&sums(&told), &sums(&expected_told));
    let mut gradients = 0.0f32;
    for tensor in weights.layout().tensors() {
        let (found, wanted) = (&found[tensor.range.clone()], &wanted[tensor.range.clone()]);
        assert!(wanted.iter().any(|number| *number != 0.0), "no gradient of {}", tensor.name);
        let differs = difference(found, wanted);
        assert!(differs < 0.01, "gradient of {} differs by {differs} with {config:?}", tensor.name);
        gradients = gradients.max(differs);
    }
    [logits, outcomes, losses, gradients]
}

/// Compares all shapes, and says how well both agree. Gradients are sums of many rounded numbers in
/// both engines, and may differ by more than answers.
fn compare_all(shapes: &[Config], device: &Device, answer: f32, gradient: f32) {
    let mut largest = [0.0f32; 4];
    for config in shapes {
        let found = compare(config, device);
        largest.iter_mut().zip(found).for_each(|(most, found)| *most = most.max(found));
        let agree = found[..3].iter().all(|found| *found < answer) && found[3] < gradient;
        assert!(agree, "{found:?} with {config:?}");
    }
    let [logits, outcomes, losses, gradients] = largest;
    let name = device.identity().map_or_else(|| format!("{device:?}"), |identity| identity.name);
    println!(
        "{name}, {} shapes, largest differences: logits {logits:.1e}, outcomes {outcomes:.1e}, \
         losses {losses:.1e}, gradients {gradients:.1e}",
        shapes.len()
    );
}

#[test]
fn burn_on_the_processor_agrees_for_every_option() {
    compare_all(&shapes(), &Place::Flex.open().unwrap(), 1e-5, 5e-4);
}

#[test]
fn burn_on_a_graphics_device_agrees_for_every_option() {
    match Place::Best.open() {
        Ok(device) => compare_all(&shapes(), &device, 1e-4, 1e-3),
        Err(error) => println!("SKIPPED: {error}"),
    }
}

#[test]
fn parts_of_a_batch_add_up_to_the_whole() {
    let config = Config::new(1, 24);
    let weights = weights(&config);
    let mut engine = GpuEngine::new(&config, &Place::Flex.open().unwrap());
    let whole = batch(&config, &POSITIONS);
    let of = (whole.len() as u64, whole.valued());
    let loss = LossWeights::default();
    let mut expected = vec![0.0; weights.values().len()];
    let told = engine.gradient(&weights, &whole, of, loss, &mut expected).unwrap();
    let mut found = vec![0.0; weights.values().len()];
    let mut sum = pra::Losses::default();
    for n in 0..whole.len() {
        let mut part = Batch::default();
        let legal = whole.legal(n).to_vec();
        part.push(whole.tokens[n], legal, whole.targets[n], whole.outcomes[n]);
        sum.append(&engine.gradient(&weights, &part, of, loss, &mut found).unwrap());
    }
    assert!(difference(&found, &expected) < 1e-5);
    assert_eq!((sum.valued, sum.correct), (told.valued, told.correct));
    assert!((sum.policy - told.policy).abs() < 1e-4);
}

#[test]
fn more_positions_than_are_together_on_a_device_are_all_answered() {
    let config = Config::new(1, 12);
    let weights = weights(&config);
    let many: Vec<&str> = POSITIONS.into_iter().cycle().take(300).collect();
    let many = batch(&config, &many);
    let mut engine = compute_on("flex", &config, 1).unwrap();
    let mut expected = compute_on("cpu", &config, 2).unwrap();
    let (said, wanted) =
        (engine.predict(&weights, &many.tokens), expected.predict(&weights, &many.tokens));
    for (said, wanted) in said.unwrap().iter().zip(&wanted.unwrap()) {
        assert!(difference(&said.logits, &wanted.logits) < 1e-4);
    }
    let told =
        [engine.losses(&weights, &many), expected.losses(&weights, &many)].map(Result::unwrap);
    assert_eq!((told[0].positions, told[0].valued), (300, told[1].valued));
    assert!((told[0].policy - told[1].policy).abs() < 1e-2, "{told:?}");
    let (of, loss) = ((300, many.valued()), LossWeights::default());
    let [found, wanted] = [&mut engine, &mut expected].map(|engine| {
        let mut gradient = vec![0.0; weights.values().len()];
        let told = engine.gradient(&weights, &many, of, loss, &mut gradient).unwrap();
        assert_eq!((told.positions, told.valued), of);
        gradient
    });
    assert!(difference(&found, &wanted) < 1e-4);
    let nothing = engine.losses(&weights, &Batch::default()).unwrap();
    assert_eq!(nothing, pra::Losses::default());
}

/// All losses of a log: of steps and of validations.
fn losses(training: &Training) -> Vec<f64> {
    let lines = log::read::<LogLine>(&training.out.join(LOG)).into_iter();
    let losses = lines.flat_map(|line| match line {
        LogLine::Step(line) => [line.policy_loss, line.value_loss],
        LogLine::Validation(line) => [line.validation_policy_loss, line.validation_value_loss],
    });
    losses.collect()
}

#[test]
fn a_training_learns_the_same_on_another_device_and_may_go_on_there() {
    let folder = Folder::new();
    make(&folder.join("data"), FileFormat::Parquet, 12, game);
    let training = |device: &str, out: &str| {
        let mut options = TrainOptions::new(Config::new(2, 24), 8);
        // More than are together on a device.
        (options.total_batch_size, options.device_batch_size) = (100, 80);
        (options.eval_every, options.eval_positions, options.save_every) = (4, 60, 4);
        let (data, out) = (folder.join("data"), folder.join(out));
        Training { options, device: device.into(), data, out, from: None, must_resume: false }
    };
    let run = |training: &Training, steps: u64| {
        let stop = AtomicBool::new(false);
        let stopped = train(training, &stop, &mut |event| {
            if let Event::Logged(LogLine::Step(line)) = event {
                stop.store(line.step == steps, Ordering::Relaxed);
            }
        });
        assert_eq!(stopped.unwrap().summary.steps, steps);
    };
    let expected = training("cpu", "cpu");
    run(&expected, 8);
    let expected = losses(&expected);
    assert_eq!(expected.len(), 2 * (8 + 2));
    let flex = training("flex", "flex");
    run(&flex, 8);
    // Half of it here, half of it there.
    let mut both = training("flex", "both");
    run(&both, 5);
    both.device = "cpu".into();
    run(&both, 8);
    for found in [losses(&flex), losses(&both)] {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
        }
    }
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let config = Config::new(1, 12);
    let error = compute_on("gpu:999", &config, 1).err().unwrap().to_string();
    assert!(error.starts_with("no device 'gpu:999': "), "{error}");
    let error = compute_on("tpu", &config, 1).err().unwrap().to_string();
    assert_eq!(error, "'tpu' is no device: cpu, gpu, gpu:N, integrated:N, software or flex");
}
