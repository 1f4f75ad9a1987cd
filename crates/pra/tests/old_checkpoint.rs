//! A checkpoint that version 0.1 wrote is resumed, with the losses that version 0.1 had.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use data::Input;
use learn::log::{self, LOG};
use tabiya_pra::train::{CHECKPOINTS, FINISHED, LogLine, TrainOptions, Training, train};
use tabiya_pra::{Config, Weights};

#[test]
fn an_old_checkpoint_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/checkpoint");
    let checkpoint = folder.path().join(CHECKPOINTS).join("step-000002");
    fs::create_dir_all(&checkpoint).unwrap();
    for name in ["config.json", "state.json"] {
        fs::copy(old.join(name), checkpoint.join(name)).unwrap();
    }
    for name in ["model.safetensors", "optimizer.safetensors"] {
        let mut bytes = Vec::new();
        let mut input = Input::open(&old.join(format!("{name}.zst"))).unwrap();
        input.read_to_end(&mut bytes).unwrap();
        fs::write(checkpoint.join(name), bytes).unwrap();
    }
    fs::copy(old.join(LOG), folder.path().join(LOG)).unwrap();
    let [history, ratings, attackers] = [false; 3];
    let config = Config { history, ratings, attackers, ..Config::new(1, 12) };
    let mut options = TrainOptions::new(config, 6);
    (options.total_batch_size, options.device_batch_size, options.threads) = (4, 4, 1);
    (options.eval_every, options.save_every) = (3, 1);
    let training = Training {
        options,
        device: "cpu".into(),
        data: old.join("rows"),
        out: folder.path().to_owned(),
        from: None,
        must_resume: true,
        resume_from: None,
        tensorboard: None,
    };
    let trained = train(&training, &AtomicBool::new(false), &mut |_| ()).unwrap();
    assert_eq!((trained.summary.resumed_from, trained.summary.steps), (2, 6));
    assert_eq!(trained.counts.used, 24);
    // GEMM rounds differently with other instruction sets.
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-4 * expected.abs(), "{found} {expected}");
    };
    let (mut steps, mut validations) = (Vec::new(), Vec::new());
    for line in log::read::<LogLine>(&folder.path().join(LOG)) {
        match line {
            LogLine::Step(line) => steps.push(line.loss),
            LogLine::Validation(line) => validations.push((line.step, line.validation_loss)),
        }
    }
    let expected = [
        3.6677637643213528,
        3.8865681630647684,
        4.517189692969844,
        3.1625083764109063,
        2.1994189972922547,
        2.9098440299598174,
    ];
    assert_eq!(steps.len(), expected.len());
    steps.iter().zip(expected).for_each(|(&found, expected)| near(found, expected));
    assert_eq!(validations.iter().map(|line| line.0).collect::<Vec<_>>(), [3, 6]);
    near(validations[0].1, 4.114191527996873);
    near(validations[1].1, 3.885027711396042);
    Weights::load(&folder.path().join(FINISHED)).unwrap();
}
