//! Training runs: reproducible across interrupts, with clear errors.

mod made;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use data::{FileFormat, ReaderPosition, Split};
use learn::TrainError;
use learn::log::{self, LOG};
use made::{game, make};
use tabiya_pra::train::{
    CHECKPOINTS, Event, FINISHED, LogLine, TrainOptions, Trained, Training, saved_options, train,
};
use tabiya_pra::{
    Batch, Config, Loader, LoaderOptions, LossWeights, OptimizerKind, Transformer, Weights,
};

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

fn data(folder: &Path) -> PathBuf {
    make(&folder.join("data"), FileFormat::Parquet, 12, game)
}

fn training(folder: &Path, out: &str) -> Training {
    let mut options = TrainOptions::new(Config::new(1, 12), 12);
    (options.total_batch_size, options.device_batch_size) = (40, 16);
    (options.window_rows, options.eval_positions) = (250, 50);
    (options.eval_every, options.save_every, options.keep) = (3, 4, 2);
    made::training(options, "cpu", folder.join("data"), folder.join(out))
}

fn finish(training: &Training) -> Trained {
    train(training, &never(), &mut |_| ()).unwrap()
}

/// The log without speeds, and the bytes of the finished model.
fn result(training: &Training) -> (Vec<LogLine>, Vec<u8>) {
    let mut lines = log::read::<LogLine>(&training.out.join(LOG));
    for line in &mut lines {
        if let LogLine::Step(line) = line {
            line.positions_per_second = 0.0;
        }
    }
    (lines, fs::read(training.out.join(FINISHED).join("model.safetensors")).unwrap())
}

fn checkpoints(out: &Path) -> Vec<String> {
    let entries = fs::read_dir(out.join(CHECKPOINTS)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_interrupted_again_and_again_ends_like_one_that_is_not() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    data(folder);
    for kind in [OptimizerKind::Muon, OptimizerKind::AdamW] {
        let name = format!("{kind:?}");
        let mut whole = training(folder, &format!("{name}-whole"));
        whole.options.optimizer.kind = kind;
        let trained = finish(&whole);
        assert_eq!((trained.summary.steps, trained.counts.used), (12, 480));
        assert_eq!(checkpoints(&whole.out), ["step-000008", "step-000012"]);
        let expected = result(&whole);
        let validations =
            expected.0.iter().filter(|line| matches!(line, LogLine::Validation(_))).count();
        assert_eq!((expected.0.len() - validations, validations), (12, 4));
        let mut cut = whole.clone();
        cut.out = folder.join(format!("{name}-cut"));
        let mut rounds = 0;
        loop {
            // Between steps, and between micro-batches.
            let (stop, mut parts) = (never(), 0);
            let trained = train(&cut, &stop, &mut |event| {
                if let Event::Progress(_) = event {
                    parts += 1;
                    stop.store(parts > 2 + rounds % 5, Ordering::Relaxed);
                }
            });
            rounds += 1;
            if !trained.unwrap().summary.was_stopped {
                break;
            }
        }
        assert!(rounds > 4, "{rounds}");
        assert_eq!(result(&cut).0, expected.0);
        assert!(result(&cut).1 == expected.1);
        // A complete run does nothing.
        assert!(finish(&cut).summary.was_complete);
    }
}

#[test]
fn a_killed_run_resumes_from_the_last_undamaged_checkpoint() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    data(folder);
    let whole = training(folder, "whole");
    let mut killed = whole.clone();
    killed.out = folder.join("killed");
    train(&whole, &never(), &mut |event| {
        // What a kill in the eleventh step leaves: later lines in the log, half a line, half a folder.
        if let Event::Logged(LogLine::Step(line)) = event
            && line.step == 10
        {
            test_support::copy_dir(&whole.out, &killed.out);
        }
    })
    .unwrap();
    let log = killed.out.join(LOG);
    let half = fs::read_to_string(&log).unwrap() + "{\"step\":10,\"positions\":4";
    fs::write(&log, half).unwrap();
    let rest = killed.out.join(CHECKPOINTS).join(".step-000012.tmp");
    fs::create_dir(&rest).unwrap();
    fs::write(rest.join("config.json"), "{").unwrap();
    let mut resumed = None;
    train(&killed, &never(), &mut |event| match event {
        Event::Resumed { step } => resumed = Some(step),
        Event::Damaged(error) => panic!("{error}"),
        _ => {}
    })
    .unwrap();
    assert_eq!(resumed, Some(8));
    assert!(result(&killed) == result(&whole));
    assert_eq!(checkpoints(&killed.out), ["step-000008", "step-000012"]);
    // Without the finished model, and with a damaged newest checkpoint, it resumes from the one before.
    fs::remove_dir_all(killed.out.join(FINISHED)).unwrap();
    let file = killed.out.join(CHECKPOINTS).join("step-000012/optimizer.safetensors");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
    let mut report = Vec::new();
    train(&killed, &never(), &mut |event| match event {
        Event::Resumed { step } => report.push(step.to_string()),
        Event::Damaged(error) => report.push(error.to_string()),
        _ => {}
    })
    .unwrap();
    assert!(
        report[0].contains("step-000012 is no checkpoint: optimizer.safetensors"),
        "{report:?}"
    );
    assert_eq!(report[1], "8");
    assert!(result(&killed) == result(&whole));
    // Values out of range are refused.
    for (name, value) in [("step", 13), ("epoch", u64::MAX), ("row", u64::MAX)] {
        let states: Vec<_> = checkpoints(&killed.out)
            .into_iter()
            .map(|name| killed.out.join(CHECKPOINTS).join(name).join("state.json"))
            .map(|path| (fs::read_to_string(&path).unwrap(), path))
            .collect();
        for (text, path) in &states {
            let mut forged: serde_json::Value = serde_json::from_str(text).unwrap();
            forged[name] = value.into();
            fs::write(path, forged.to_string()).unwrap();
        }
        let error = train(&killed, &never(), &mut |_| ()).unwrap_err().to_string();
        assert!(error.contains(&format!("state.json: {name} must be 0 to ")), "{error}");
        states.iter().for_each(|(text, path)| fs::write(path, text).unwrap());
    }
    // If all of them are damaged, the run does not start again.
    for name in checkpoints(&killed.out) {
        fs::write(killed.out.join(CHECKPOINTS).join(name).join("state.json"), "{}").unwrap();
    }
    let error = train(&killed, &never(), &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("step-000012 is no checkpoint: state.json"), "{error}");
}

#[test]
fn gradients_of_micro_batches_add_up_to_that_of_the_batch() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let data = data(folder);
    let loss = LossWeights::default();
    for config in [Config::new(2, 24), Config::reference(2, 24)] {
        let weights = Weights::random(&config, 3).unwrap();
        let start = ReaderPosition::default();
        let open = || Loader::open(&data, Split::Train, &config, LoaderOptions::default(), start);
        let mut batch = Batch::default();
        open().unwrap().next_batch(60, &mut batch).unwrap();
        let of = (60, batch.valued());
        assert!(of.1 > 0 && of.1 < 60);
        let mut whole = vec![0.0; config.parameters()];
        let losses = Transformer::new(&config, 1).gradient(&weights, &batch, of, loss, &mut whole);
        let (mut parts, mut loader) = (vec![0.0; whole.len()], open().unwrap());
        let (mut model, mut sum) = (Transformer::new(&config, 2), tabiya_pra::Losses::default());
        for count in [25, 25, 10] {
            loader.next_batch(count, &mut batch).unwrap();
            sum.append(&model.gradient(&weights, &batch, of, loss, &mut parts));
        }
        assert_eq!((sum.positions, sum.valued, sum.correct), (60, of.1, losses.correct));
        assert!((sum.total(loss) - losses.total(loss)).abs() < 1e-5);
        let most = whole.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        for (whole, part) in whole.iter().zip(&parts) {
            assert!((whole - part).abs() < 1e-4 * most, "{whole} {part}");
        }
    }
}

#[test]
fn training_learns_something() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    data(folder);
    let mut job = training(folder, "out");
    job.options = TrainOptions { num_iterations: 40, eval_every: 20, ..job.options };
    (job.options.total_batch_size, job.options.device_batch_size) = (80, 80);
    let trained = finish(&job);
    let lines = log::read::<LogLine>(&job.out.join(LOG));
    let LogLine::Step(first) = &lines[0] else { panic!() };
    let last = trained.last.unwrap();
    assert!(last.policy_loss < 0.95 * first.policy_loss, "{first:?} {last:?}");
    assert!(last.value_loss < first.value_loss, "{first:?} {last:?}");
    let validation = trained.validation.unwrap();
    assert!(validation.top1 <= validation.top5 && validation.top5 <= 1.0);
    assert_eq!((validation.step, validation.validation_positions), (40, 50));
    assert!(fs::read_to_string(job.out.join("loss.svg")).unwrap().contains("validation"));
    assert_eq!(Weights::load(&job.out.join(FINISHED)).unwrap().config(), &job.options.config);
}

#[test]
fn a_run_with_other_options_in_the_same_folder_is_refused_with_the_difference() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    data(folder);
    let job = training(folder, "out");
    finish(&job);
    let refused = |change: &dyn Fn(&mut Training)| {
        let mut other = job.clone();
        change(&mut other);
        train(&other, &never(), &mut |_| ()).unwrap_err().to_string()
    };
    let error = refused(&|job| job.options.loss.value = 0.25);
    assert!(error.ends_with("holds another training: value_weight was 0.1 and is now 0.25"));
    let error = refused(&|job| job.options.optimizer.kind = OptimizerKind::AdamW);
    assert!(error.ends_with("optimizer was \"muon\" and is now \"adamw\""), "{error}");
    let error = refused(&|job| job.options.config.depth = 2);
    assert!(error.ends_with("depth was 1 and is now 2"), "{error}");
    let error = refused(&|job| {
        job.data = make(&folder.join("more"), FileFormat::Packed, 3, game);
    });
    assert!(error.contains("data was "), "{error}");
    let error = refused(&|job| job.from = Some(Weights::random(&job.options.config, 9).unwrap()));
    assert!(error.contains("from was null"), "{error}");
    let error = refused(&|job| (job.out, job.must_resume) = (folder.join("none"), true));
    assert!(error.starts_with("there is no checkpoint in "), "{error}");
    // Threads, micro-batch size and cadence may change.
    let mut other = job.clone();
    (other.options.threads, other.options.device_batch_size, other.options.keep) = (1, 7, 1);
    assert!(finish(&other).summary.was_complete);
}

#[test]
fn a_run_may_start_from_another_model() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    data(folder);
    let mut job = training(folder, "out");
    let mut from = Weights::random(&job.options.config, 77).unwrap().with_legal_mask(false);
    job.options.optimizer = job.options.optimizer.scaled(0.0);
    job.from = Some(from.clone());
    job.options.optimizer.weight_decay = 0.0;
    finish(&job);
    from = from.with_legal_mask(true);
    assert!(Weights::load(&job.out.join(FINISHED)).unwrap() == from);
    job.out = folder.join("other");
    job.options.config = Config::new(1, 24);
    let error = train(&job, &never(), &mut |_| ()).unwrap_err().to_string();
    assert!(error.starts_with("the initial model is {\"depth\":1,\"n_embd\":12"), "{error}");
}

#[test]
fn errors_are_one_clear_line() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    data(folder);
    let error = |job: &Training| train(job, &never(), &mut |_| ()).unwrap_err();
    let mut job = training(folder, "out");
    job.data = folder.join("nothing");
    assert!(error(&job).to_string().ends_with("no data set: there is no _SUCCESS"));
    job.data = make(&folder.join("empty"), FileFormat::Parquet, 1, |_| Vec::new());
    assert!(error(&job).to_string().starts_with("there are no rows for train in "));
    // An unknown device; nothing is written.
    job = training(folder, "nowhere");
    job.device = "abacus".into();
    assert!(error(&job).to_string().starts_with("unknown device 'abacus': expected cpu, gpu, "));
    assert!(!job.out.exists());
    // A learning rate that diverges.
    let mut job = training(folder, "far");
    job.options.optimizer = job.options.optimizer.scaled(200.0);
    job.options.optimizer.weight_decay = 100.0;
    (job.options.num_iterations, job.options.save_every) = (30, 10);
    match train(&job, &never(), &mut |_| ()) {
        Ok(_) | Err(TrainError::NotFinite(_)) => {}
        Err(error) => panic!("{error}"),
    }
    let mut from = Weights::random(&job.options.config, 1).unwrap();
    from.values_mut()[0] = f32::NAN;
    let mut job = training(folder, "nan");
    job.from = Some(from);
    assert!(
        error(&job)
            .to_string()
            .starts_with("the loss or a parameter is not a finite number after 0 steps")
    );
    // Validation rows are optional.
    let only = |number: u64| game(5 * number + 1);
    job = training(folder, "only");
    job.data = make(&folder.join("train-only"), FileFormat::Packed, 5, only);
    let mut report = 0;
    train(&job, &never(), &mut |event| report += u32::from(matches!(event, Event::NoValidation)))
        .unwrap();
    assert_eq!(report, 1);
}

#[test]
fn a_finished_run_is_extended_from_a_step() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    data(folder);
    // With AdamW, nothing before the decay depends on the number of steps.
    let mut long = training(folder, "long");
    (long.options.optimizer.kind, long.options.num_iterations) = (OptimizerKind::AdamW, 20);
    finish(&long);
    let mut short = long.clone();
    (short.out, short.options.num_iterations, short.options.keep) = (folder.join("short"), 12, 9);
    finish(&short);
    assert_eq!(checkpoints(&short.out), ["step-000004", "step-000008", "step-000012"]);
    let shorter = result(&short);
    let refused = |change: &dyn Fn(&mut Training)| {
        let mut other = short.clone();
        (other.options.num_iterations, other.resume_from) = (20, Some(8));
        change(&mut other);
        train(&other, &never(), &mut |_| ()).unwrap_err().to_string()
    };
    let error = refused(&|job| job.resume_from = Some(5));
    assert!(error.contains("no checkpoint of step 5") && error.ends_with("of 4, 8, 12"), "{error}");
    let error = refused(&|job| job.resume_from = None);
    assert!(error.contains("num_iterations was 12 and is now 20; to extend it"), "{error}");
    let error = refused(&|job| job.options.seed = 7);
    assert!(error.contains("seed was 1 and is now 7"), "{error}");
    let error = refused(&|job| job.options.num_iterations = 8);
    assert_eq!(error, "8 of 8 iterations are done");
    let error = refused(&|job| job.out = folder.join("nothing"));
    assert!(error.contains("nothing"), "{error}");
    assert_eq!(result(&short).1, shorter.1);
    // The options are in the checkpoint.
    let defaults = TrainOptions::new(Config::reference(3, 36), 5);
    let saved = saved_options(&short.out, 8, defaults).unwrap();
    assert_eq!((saved.config, saved.num_iterations), (short.options.config, 12));
    assert_eq!((saved.total_batch_size, saved.optimizer), (40, short.options.optimizer));
    // Interrupted before and after its first checkpoint: the same command resumes.
    let mut extended = short.clone();
    (extended.options.num_iterations, extended.resume_from) = (20, Some(4));
    for (steps, resumed, left) in [
        (2, 4, &["step-000004", "step-000006"][..]),
        (4, 6, &["step-000004", "step-000006", "step-000008", "step-000010"]),
    ] {
        let (stop, mut taken, mut first) = (never(), 0, 0);
        train(&extended, &stop, &mut |event| match event {
            Event::Resumed { step } => first = step,
            Event::Logged(LogLine::Step(_)) => {
                taken += 1;
                stop.store(taken == steps, Ordering::Relaxed);
            }
            _ => {}
        })
        .unwrap();
        assert_eq!(first, resumed);
        assert_eq!(checkpoints(&extended.out), left);
        assert!(!extended.out.join(FINISHED).exists());
    }
    let trained = finish(&extended);
    assert_eq!((trained.summary.resumed_from, trained.summary.steps), (10, 20));
    let (expected, found) = (result(&long), result(&extended));
    assert!(found.1 == expected.1);
    assert_eq!(found.0, expected.0);
    assert!(finish(&extended).summary.was_complete);
}
