//! The commands that users of the reference (nanochess) type, with the name of the program replaced and at toy
//! sizes; Parquet files of other programs; event files of TensorBoard; `runs/pra.sh`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use test_support::{KillLoop, TempDir, copy_dir};

use crate::common::{self, TABIYA, fail, run, succeed, succeed_json, text};

const FOREIGN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/tests/data/foreign");

/// Games with evaluations; the last one is broken.
fn games(count: usize) -> String {
    let mut games = String::new();
    for n in 0..count {
        let result = ["1-0", "0-1", "1/2-1/2"][n % 3];
        let line = [
            "e4 { [%eval 0.3] } e5 Nf3 Nc6 Bb5 a6 { [%eval #3] } Ba4 Nf6 O-O",
            "d4 { [%eval -0.4] } d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O",
            "c4 { [%eval 1.2] } c5 Nc3 Nc6 g3 g6 Bg2 Bg7 d3 d6",
        ][n % 3];
        let _ = write!(games, "[Event \"{n}\"]\n[Result \"{result}\"]\n\n{line} {result}\n\n");
    }
    games + "[Event \"broken\"]\n\n1. e4 e5 2. Ke5 *\n"
}

/// Runs a shell script in a folder that is also the home of the user.
fn shell(folder: &Path, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder);
    command.env("HOME", folder).env("tabiya", TABIYA).env_remove("NANOCHAT_BASE_DIR");
    command.output().expect("a shell")
}

/// The script of the reference, as its README prints it, but for the program and the sizes.
const PRINTED: &str = r#"
$tabiya data prepare \
    --input games.pgn \
    --output-dir ~/.cache/nanochess/pra_data \
    --with-eval  # Extract engine evaluations if present
[ $? = 1 ] || exit 10  # a game is broken

$tabiya data prepare \
    --input games.pgn \
    --output-dir sampled \
    --with-eval \
    --max-positions 100 \
    --sample-rate 0.5
[ $? -le 1 ] || exit 11

set -e
$tabiya pra train \
    --depth=1 \
    --n-embd=24 \
    --n-head=12 \
    --device-batch-size=16 \
    --total-batch-size=32 \
    --num-iterations=10 \
    --policy-weight=1.0 \
    --value-weight=0.1 \
    --eval-every=5 \
    --save-every=5 \
    --model-tag=pra_d8 \
    --run=my_experiment  # wandb logging

$tabiya pra train \
    --resume-from-step=5 \
    --model-tag=pra_d8 \
    --num-iterations=20

$tabiya pra eval \
    --model-tag pra_d8 \
    --max-positions 50000
"#;

#[test]
fn the_printed_commands_end_with_the_metrics() {
    let folder = TempDir::new();
    fs::write(folder.join("games.pgn"), games(120)).unwrap();
    let output = shell(folder.root(), PRINTED);
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(
        error
            .contains("python -m tabiya.watch 'checkpoints/pra_d8' --wandb --name 'my_experiment'")
    );
    assert!(error.contains("resumes after 5 steps"), "{error}");
    assert!(
        error.contains("the schedule of 20 steps; warmup to step 0, constant to step 14"),
        "{error}"
    );
    // Metrics: top-1 and top-5, value errors, accuracy by piece.
    for part in ["top-1", "top-5", "mean absolute error", "knight", "… in centipawns"] {
        assert!(out.contains(part), "{part} in {out}");
    }
    // The split is there without a word of it, and games are in one of both.
    let info = succeed_json(&["data", "info", &folder.path(".cache/nanochess/pra_data"), "--json"]);
    let rows = |split: &str| info[split].as_u64().unwrap();
    assert!(rows("validation") > 0 && rows("validation") * 5 < rows("train"), "{info}");
    // A checkpoint of its own, and what is not there.
    let eval =
        |more: &str| shell(folder.root(), &format!("$tabiya pra eval --model-tag pra_d8 {more}"));
    assert!(eval("--step 5").status.success() && eval("--step -1").status.success());
    for (more, reason) in [
        ("--step 6", "there is no checkpoint of step 6"),
        ("--data missing", "missing"),
        ("--model-tag other --model-tag none", "cannot be used multiple times"),
    ] {
        let output = eval(more);
        assert!(!output.status.success() && text(&output.stderr).contains(reason), "{more}");
    }
    let output = shell(folder.root(), "$tabiya pra eval --model-tag none");
    assert!(text(&output.stderr).contains("neither a model nor a checkpoint in checkpoints/none"));
    let output = shell(folder.root(), "NANOCHAT_BASE_DIR=/nowhere $tabiya pra train --depth 1");
    let error = text(&output.stderr);
    assert_eq!(error, "tabiya: there is no --data, and no data set in /nowhere/pra_data\n");
}

#[test]
fn the_number_of_heads_is_twelve() {
    let message = fail(&["pra", "train", "--n-head", "8"], 2);
    assert!(message.contains("the allocation of the 12 heads is fixed"), "{message}");
    assert!(fail(&["pra", "train", "--n-head", "x"], 2).contains("fixed"));
}

#[test]
fn an_old_data_set_keeps_its_split_and_zero_turns_it_off() {
    let folder = TempDir::new();
    let (input, out) = (folder.write("games.pgn", games(100)), folder.path("rows"));
    let prepare = |more: &[&str]| {
        run(&[&["data", "prepare", &input, "--out", &out, "--json"], more].concat())
    };
    let rows = |output: &Output| {
        let report = common::json(text(&output.stdout));
        ["train", "validation"].map(|split| report[split].as_u64().unwrap())
    };
    let none = rows(&prepare(&["--val-fraction", "0"]));
    assert_eq!(none[1], 0);
    // As before version 0.2, whose default was none: the same command finds its data set.
    assert_eq!(rows(&prepare(&[])), none);
    let other = prepare(&["--val-fraction", "0.05"]);
    assert!(text(&other.stderr).contains("val_fraction was 0.0 and is now 0.05"));
    fs::remove_dir_all(&out).unwrap();
    assert!(rows(&prepare(&[]))[1] > 0);
}

#[test]
fn parquet_files_of_other_programs_are_read_checked_and_counted() {
    let folder = TempDir::new();
    let (shards, bad) = (format!("{FOREIGN}/nanochess"), format!("{FOREIGN}/bad.parquet"));
    let small =
        ["--depth", "1", "--n-embd", "12", "--total-batch-size", "16", "--device-batch-size", "16"];
    for (data, used, skipped) in [(&shards, 45, 0), (&bad, 34, 4)] {
        let out = folder.path(if skipped > 0 { "bad" } else { "good" });
        // Two epochs, so that every row comes.
        let steps = if skipped > 0 { "5" } else { "6" };
        let train =
            [&["pra", "train", "--data", data, "--out", &out, "--json"][..], &small].concat();
        let train = [&train[..], &["--num-iterations", steps, "--eval-every", "2"]].concat();
        let output = run(&train);
        let (error, report) = (text(&output.stderr), common::json(text(&output.stdout)));
        assert!(error.contains("rows of another program ("), "{error}");
        assert!(report["rows"]["used"].as_u64().unwrap() >= used, "{report}");
        assert_eq!(error.contains("bad.parquet: row 12: "), skipped > 0, "{error}");
        assert_eq!(
            error.contains("4 of 40 rows without a valid position or a legal move"),
            skipped > 0,
            "{error}"
        );
        assert!(report["validation"]["top1"].is_number(), "{report}");
        // The same files, and it is complete; other content is another training.
        assert_eq!(succeed_json(&train)["complete_before"], true);
        let eval = ["pra", "eval", "--model", &format!("{out}/model"), "--data", data, "--json"];
        let report = succeed_json(&eval);
        assert_eq!(report["positions"], if skipped > 0 { 2 } else { 10 });
        let scored = format!("{out}-scored");
        let report = succeed_json(&["nnue", "rescore", data, "--out", &scored, "--json"]);
        // A row without a move has a position to score.
        let [read, written] = if skipped > 0 { [40, 37] } else { [55, 55] };
        assert_eq!((&report["rows"], &report["positions"]), (&read.into(), &written.into()));
        let network = format!("{out}-network");
        let nnue = ["nnue", "train", "--data", data, "--out", &network, "--hidden", "32", "--json"];
        let more =
            ["--output-buckets", "1", "--batch-size", "16", "--warmup", "16", "--epochs", "1"];
        let report = succeed_json(&[&nnue[..], &more].concat());
        assert_eq!(report["left_out"]["damaged"], read - written, "{report}");
        assert!(report["validation"].is_number(), "{report}");
    }
    let other = folder.path("changed");
    copy_dir(&shards, &other);
    fs::copy(format!("{shards}/shard_00001.parquet"), format!("{other}/shard_00000.parquet"))
        .unwrap();
    let out = folder.path("good");
    let train =
        [&["pra", "train", "--data", &other, "--out", &out, "--num-iterations", "6"][..], &small];
    let output = run(&train.concat());
    assert!(text(&output.stderr).contains("holds another training: "), "{}", text(&output.stderr));
    // No moves to learn.
    let rows = folder.path("no-moves");
    let input = folder.write("games.pgn", games(20));
    run(&["data", "prepare", &input, "--out", &rows, "--columns", "fen,eval"]);
    let message = fail(&["pra", "train", "--data", &rows, "--out", &folder.path("x")], 1);
    assert!(message.contains("has no column 'best_move'"), "{message}");
}

/// Tag and step of each scalar in the event files of a folder; checksums are not looked at.
fn scalars(folder: &Path) -> BTreeMap<(String, u64), u32> {
    let mut found = BTreeMap::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let bytes = fs::read(path).unwrap();
        let mut rest = &bytes[..];
        while let Some((length, _)) = rest.split_first_chunk::<8>() {
            let length = u64::from_le_bytes(*length) as usize;
            let (data, after) = rest[12..].split_at(length);
            rest = &after[4..];
            event(data, &mut found);
        }
    }
    found
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return number;
        }
    }
}

fn event(data: &[u8], found: &mut BTreeMap<(String, u64), u32>) {
    let mut bytes = &data[10..];
    let step = varint(&mut bytes);
    if varint(&mut bytes) != 5 << 3 | 2 {
        return;
    }
    varint(&mut bytes);
    while !bytes.is_empty() {
        assert_eq!(varint(&mut bytes), 1 << 3 | 2);
        varint(&mut bytes);
        assert_eq!(varint(&mut bytes), 1 << 3 | 2);
        let length = varint(&mut bytes) as usize;
        let tag = std::str::from_utf8(&bytes[..length]).unwrap().to_owned();
        bytes = &bytes[length + 5..];
        *found.entry((tag, step)).or_default() += 1;
    }
}

#[test]
fn an_event_file_has_each_step_once_after_kills_too() {
    let folder = TempDir::new();
    let (data, out, board) =
        (format!("{FOREIGN}/nanochess"), folder.path("run"), folder.path("board"));
    let arguments = |out: &str| {
        let line = format!(
            "pra train --data {data} --out {out} --depth 1 --n-embd 12 --total-batch-size 8 --device-batch-size 8 \
             --num-iterations 40 --eval-every 10 --save-every 7 --threads 1 --tensorboard {board}"
        );
        common::tabiya(&line.split(' ').collect::<Vec<_>>())
    };
    let mut rewound = false;
    KillLoop::new(&mut arguments(&folder.path("first")), 3).run(
        6,
        || arguments(&out),
        || {
            if Path::new(&out).join("model").exists() {
                fs::remove_dir_all(&out).unwrap();
            }
            let log = fs::read_to_string(Path::new(&out).join("log.jsonl")).unwrap_or_default();
            rewound |= log.lines().count() > 8;
            rewound
        },
    );
    assert!(arguments(&out).status().unwrap().success());
    let found = scalars(Path::new(&board));
    assert!(found.values().all(|&count| count == 1), "{found:?}");
    let steps =
        |tag: &str| found.keys().filter(|(own, _)| own == tag).map(|key| key.1).collect::<Vec<_>>();
    assert_eq!(steps("train/loss"), (1..=40).collect::<Vec<_>>());
    assert_eq!(steps("validation/top1"), [10, 20, 30, 40]);
    // The network of the engine too.
    let (network, board) = (folder.path("network"), folder.path("network-board"));
    succeed(&[
        "nnue",
        "train",
        "--data",
        &data,
        "--out",
        &network,
        "--hidden",
        "32",
        "--output-buckets",
        "1",
        "--batch-size",
        "16",
        "--warmup",
        "16",
        "--epochs",
        "1",
        "--tensorboard",
        &board,
    ]);
    assert!(scalars(Path::new(&board)).keys().any(|(tag, _)| tag == "validation/loss"));
}

#[test]
fn the_script_continues_after_a_broken_game() {
    let folder = TempDir::new();
    let input = folder.write("games.pgn", games(300));
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(root.join("runs/pra.sh"));
    command.arg(&input).env("TABIYA", TABIYA).env("OUT", folder.join("out")).env("MATCH", "2");
    command
        .env("DEPTH", "1")
        .env("WIDTH", "12")
        .env("STEPS", "3")
        .env("BATCH", "32")
        .env("THREADS", "1");
    let output = command.output().unwrap();
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(error.contains("game 301") && error.contains("Ke5"), "{error}");
    for name in ["eval.txt", "heads.html", "model/model.safetensors", "random.pgn"] {
        assert!(folder.join("out").join(name).exists(), "{name}");
    }
}
