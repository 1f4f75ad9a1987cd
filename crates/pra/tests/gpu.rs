//! The GPU backend against the CPU backend: outputs, losses and gradients.
//!
//! The tests of a GPU need one, or a software rasterizer such as Debian's `mesa-vulkan-drivers`; without,
//! they print that they are skipped.

#![cfg(feature = "gpu")]

mod made;

use std::sync::atomic::{AtomicBool, Ordering};

use chess::Position;
use chess::rng::Rng;
use data::FileFormat;
use learn::log::{self, LOG};
use made::{game, make};
use tabiya_pra::gpu::{BurnDevice, GpuTransformer};
use tabiya_pra::train::{Event, LogLine, TrainOptions, Training, train};
use tabiya_pra::{
    Batch, Compute, Config, Device, LossWeights, Losses, Precision, Transformer, Weights,
    compute_on, encode,
};

/// Castling, en passant, promotions with and without captures, both sides to move.
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

/// No option and all, and these with each option toggled.
fn configs() -> Vec<Config> {
    let options: [fn(&mut Config) -> &mut bool; 6] = [
        |config| &mut config.promotions,
        |config| &mut config.state_input,
        |config| &mut config.flipped,
        |config| &mut config.self_in_masks,
        |config| &mut config.light_value,
        |config| &mut config.legal_mask,
    ];
    let mut all = Vec::new();
    for config in [Config::reference(2, 24), Config::new(2, 24)] {
        all.push(config);
        for option in options {
            let mut other = config;
            *option(&mut other) ^= true;
            all.push(other);
        }
    }
    all
}

/// Random weights, none of which is 0, with a value head that does not saturate.
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
        let legal: Vec<u16> = encode::legal_moves(config, &position).map(|m| m.1).collect();
        let target = legal[n * 5 % legal.len()];
        batch.push(encode::tokens(config, &position), legal, target, OUTCOMES[n % OUTCOMES.len()]);
    }
    batch
}

/// The largest difference, relative to the largest expected value.
fn difference(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(1e-6, |most: f32, number| most.max(number.abs()));
    let pairs = found.iter().zip(expected);
    pairs.fold(0.0, |most: f32, (a, b)| most.max((a - b).abs())) / largest
}

/// The largest differences of logits, outcomes, losses and gradients for one configuration.
fn compare(config: &Config, device: &BurnDevice) -> [f32; 4] {
    let (weights, batch) = (weights(config), batch(config, &POSITIONS));
    let mut cpu = Transformer::new(config, 1);
    let mut gpu = GpuTransformer::new(config, device);

    let (mut logits, mut outcomes) = (0.0f32, 0.0f32);
    let found = gpu.predict(&weights, &batch.tokens).unwrap();
    let expected = cpu.predict(&weights, &batch.tokens);
    assert_eq!(found.len(), POSITIONS.len());
    for (found, expected) in found.iter().zip(&expected) {
        logits = logits.max(difference(&found.logits, &expected.logits));
        outcomes = outcomes.max(difference(&found.outcome, &expected.outcome));
    }

    let of = (2 * batch.len() as u64, batch.valued() + 1);
    let weight = LossWeights { policy: 1.0, value: 0.7 };
    let (mut found, mut wanted) = (vec![0.0; weights.values().len()], weights.values().to_vec());
    wanted.fill(0.0);
    let gpu_losses = gpu.gradient(&weights, &batch, of, weight, &mut found).unwrap();
    let cpu_losses = cpu.gradient(&weights, &batch, of, weight, &mut wanted);
    assert_eq!(gpu.losses(&weights, &batch).unwrap().correct, cpu_losses.correct);
    let counts = |losses: &Losses| (losses.positions, losses.valued, losses.correct);
    assert_eq!(counts(&gpu_losses), counts(&cpu_losses));
    let sums = |losses: &Losses| [losses.policy as f32, losses.value as f32];
    let losses = difference(&sums(&gpu_losses), &sums(&cpu_losses));
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

/// Compares all configurations. Gradients are long sums in both backends, and differ by more than outputs.
fn compare_all(configs: &[Config], device: &BurnDevice, output: f32, gradient: f32) {
    let mut largest = [0.0f32; 4];
    for config in configs {
        let found = compare(config, device);
        largest.iter_mut().zip(found).for_each(|(most, found)| *most = most.max(found));
        let agree = found[..3].iter().all(|found| *found < output) && found[3] < gradient;
        assert!(agree, "{found:?} with {config:?}");
    }
    let [logits, outcomes, losses, gradients] = largest;
    let name = device.identity().map_or_else(|| format!("{device:?}"), |identity| identity.name);
    println!(
        "{name}, {} configurations, largest differences: logits {logits:.1e}, outcomes {outcomes:.1e}, \
         losses {losses:.1e}, gradients {gradients:.1e}",
        configs.len()
    );
}

#[test]
fn burns_cpu_backend_agrees_for_every_option() {
    compare_all(&configs(), &Device::Flex.open().unwrap(), 1e-5, 5e-4);
}

#[test]
fn a_gpu_agrees_for_every_option() {
    match Device::DefaultGpu.open() {
        Ok(device) => compare_all(&configs(), &device, 1e-4, 1e-3),
        Err(error) => println!("SKIPPED: {error}"),
    }
}

#[test]
fn accumulated_gradients_add_up() {
    let config = Config::new(1, 24);
    let weights = weights(&config);
    let mut model = GpuTransformer::new(&config, &Device::Flex.open().unwrap());
    let whole = batch(&config, &POSITIONS);
    let of = (whole.len() as u64, whole.valued());
    let loss = LossWeights::default();
    let mut expected = vec![0.0; weights.values().len()];
    let losses = model.gradient(&weights, &whole, of, loss, &mut expected).unwrap();
    let mut found = vec![0.0; weights.values().len()];
    let mut sum = Losses::default();
    for n in 0..whole.len() {
        let mut part = Batch::default();
        let legal = whole.legal(n).to_vec();
        part.push(whole.tokens[n], legal, whole.targets[n], whole.outcomes[n]);
        sum.append(&model.gradient(&weights, &part, of, loss, &mut found).unwrap());
    }
    assert!(difference(&found, &expected) < 1e-5);
    assert_eq!((sum.valued, sum.correct), (losses.valued, losses.correct));
    assert!((sum.policy - losses.policy).abs() < 1e-4);
}

#[test]
fn batches_larger_than_a_pass_are_split() {
    let config = Config::new(1, 12);
    let weights = weights(&config);
    let many: Vec<&str> = POSITIONS.into_iter().cycle().take(300).collect();
    let many = batch(&config, &many);
    let mut flex = compute_on("flex", &config, 1, Precision::F32).unwrap();
    let mut cpu = compute_on("cpu", &config, 2, Precision::F32).unwrap();
    let (found, wanted) =
        (flex.predict(&weights, &many.tokens), cpu.predict(&weights, &many.tokens));
    for (found, wanted) in found.unwrap().iter().zip(&wanted.unwrap()) {
        assert!(difference(&found.logits, &wanted.logits) < 1e-4);
    }
    let losses = [flex.losses(&weights, &many), cpu.losses(&weights, &many)].map(Result::unwrap);
    assert_eq!((losses[0].positions, losses[0].valued), (300, losses[1].valued));
    assert!((losses[0].policy - losses[1].policy).abs() < 1e-2, "{losses:?}");
    let (of, loss) = ((300, many.valued()), LossWeights::default());
    let [found, wanted] = [&mut flex, &mut cpu].map(|model| {
        let mut gradient = vec![0.0; weights.values().len()];
        let losses = model.gradient(&weights, &many, of, loss, &mut gradient).unwrap();
        assert_eq!((losses.positions, losses.valued), of);
        gradient
    });
    assert!(difference(&found, &wanted) < 1e-4);
    let empty = flex.losses(&weights, &Batch::default()).unwrap();
    assert_eq!(empty, Losses::default());
}

/// All training and validation losses of a log.
fn losses(training: &Training) -> Vec<f64> {
    let lines = log::read::<LogLine>(&training.out.join(LOG)).into_iter();
    let losses = lines.flat_map(|line| match line {
        LogLine::Step(line) => [line.policy_loss, line.value_loss],
        LogLine::Validation(line) => [line.validation_policy_loss, line.validation_value_loss],
    });
    losses.collect()
}

#[test]
fn training_on_another_device_gives_the_same_losses_and_resumes_there() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    make(&folder.join("data"), FileFormat::Parquet, 12, game);
    let training = |device: &str, out: &str| {
        let mut options = TrainOptions::new(Config::new(2, 24), 8);
        // More than a pass.
        (options.total_batch_size, options.device_batch_size) = (100, 80);
        (options.eval_every, options.eval_positions, options.save_every) = (4, 60, 4);
        made::training(options, device, folder.join("data"), folder.join(out))
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
    // Half of the steps on each device.
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
fn errors_name_missing_and_unknown_devices() {
    let config = Config::new(1, 12);
    let error = compute_on("gpu:999", &config, 1, Precision::F32).err().unwrap().to_string();
    assert!(error.starts_with("no device 'gpu:999': "), "{error}");
    let error = compute_on("tpu", &config, 1, Precision::F32).err().unwrap().to_string();
    let names = "cpu, gpu, gpu:N, integrated:N, software or flex";
    assert_eq!(error, format!("unknown device 'tpu': expected {names}"));
}
