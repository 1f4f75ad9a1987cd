//! Checkpoints that version 0.1 wrote are resumed, with the losses that version 0.1 had.

use std::fs;
use std::io::Read;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use data::{Input, Split};
use learn::log;
use nnue::Shape;
use tabiya_train::towers::{self, Examples, RunOptions, Source};
use tabiya_train::trainer::{
    self, CHECKPOINT, Checkpoint, LogLine, RowFiles, TrainOptions, Training,
};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Decompresses a file of the test data.
fn unpack(name: &str, to: &Path) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let mut bytes = Vec::new();
    Input::open(&path).unwrap().read_to_end(&mut bytes).unwrap();
    fs::write(to, bytes).unwrap();
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6 * expected.abs(), "{found} {expected}");
}

#[test]
fn a_checkpoint_of_the_nnue_trainer_resumes() {
    let out = tempfile::tempdir().unwrap();
    unpack("nnue/checkpoint.safetensors.zst", &out.path().join(CHECKPOINT));
    unpack("nnue/log.jsonl", &out.path().join(log::LOG));
    let checkpoint = Checkpoint::load(&out.path().join(CHECKPOINT)).unwrap();
    assert_eq!(checkpoint.step(), 4);
    let shape = Shape { output_buckets: 2, ..Shape::plain(32) };
    assert_eq!(*checkpoint.parameters().shape(), shape);
    let data = [Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/nnue/rows")];
    let mut options = TrainOptions::new(shape, 48);
    (options.batch_size, options.superbatch, options.warmup, options.threads) = (8, 16, 16, 1);
    let training = Training {
        options,
        rows: RowFiles::open(&data, Split::Train).unwrap(),
        validation: RowFiles::open(&data, Split::Validation).unwrap(),
        out: out.path().to_owned(),
        from: None,
        must_resume: true,
        tensorboard: None,
        save_every: 1,
        keep: 0,
    };
    let trained = trainer::train(&training, &NEVER, &mut |_| ()).unwrap();
    assert_eq!((trained.summary.resumed_from, trained.summary.steps), (4, 6));
    assert_eq!(trained.counts.used, 48);
    let lines: Vec<LogLine> = log::read(&out.path().join(log::LOG));
    assert_eq!(lines.iter().map(|line| line.step).collect::<Vec<_>>(), [2, 4, 6]);
    let expected = [0.14546221665654002, 0.13046159508189703, 0.10326233582838995];
    lines.iter().zip(expected).for_each(|(line, expected)| near(line.loss, expected));
    near(lines[2].validation.unwrap(), 0.20285245676391891);
    near(lines[2].lr, 0.00001);
}

#[test]
fn a_checkpoint_of_the_two_tower_trainer_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    unpack("towers/model.safetensors.zst", &model);
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/towers/examples.jsonl");
    let examples = Examples::load(&Source::new(&examples)).unwrap();
    let threads = NonZero::<usize>::MIN;
    let options = RunOptions { batch_size: 2, epochs: 3, threads, ..RunOptions::default() };
    let mut losses = Vec::new();
    let trained = towers::train(&examples, None, &model, &options, &NEVER, &mut |event| {
        if let towers::Event::Logged(epoch) = event {
            losses.push((epoch.epoch, epoch.loss));
        }
    });
    let summary = trained.unwrap().summary;
    assert_eq!((summary.resumed_from, summary.steps, summary.positions), (3, 9, 10));
    assert_eq!(losses.iter().map(|loss| loss.0).collect::<Vec<_>>(), [2, 3]);
    near(losses[0].1, 4.850643509315721);
    near(losses[1].1, 4.775681431485817);
}
