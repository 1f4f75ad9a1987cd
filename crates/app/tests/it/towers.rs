//! `tabiya nnue towers` and `tabiya nnue bench` as their users see them.

use std::fs;

use serde_json::Value;
use test_support::TempDir;

use crate::common::{run, succeed};

const UP: &str = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const DOWN: &str = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1";

#[test]
fn a_model_learns_who_is_ahead_and_training_resumes() {
    let folder = TempDir::new();
    let (data, model) = (folder.path("evals.jsonl"), folder.path("model.safetensors"));
    // White has an extra queen, whoever is to move.
    let line = |fen: &str| format!("{{\"fen\":\"{fen}\",\"eval\":900}}\n");
    fs::write(&data, [line(UP), line(DOWN)].concat().repeat(8)).unwrap();
    let train = |epochs: &str, out: &str| -> Value {
        let args = ["nnue", "towers", "train", "--data", &data, "--out", out, "--epochs", epochs];
        let answer = succeed(&[&args[..], &["--threads", "1", "--json"]].concat());
        serde_json::from_str(&answer).expect("JSON")
    };
    let report = train("60", &model);
    assert_eq!(report["steps"], 60);
    let value = |fen: &str| -> f64 {
        let answer = succeed(&["nnue", "towers", "eval", "--model", &model, "--fen", fen]);
        answer.trim().parse().expect("a number")
    };
    assert!(value(UP) > 100.0 && value(DOWN) < -100.0, "{} {}", value(UP), value(DOWN));
    // In two parts it comes to the same.
    let parts = folder.path("parts.safetensors");
    train("25", &parts);
    assert_eq!(train("60", &parts)["positions"], 35 * 16);
    assert!(fs::read(&parts).unwrap() == fs::read(&model).unwrap());
    let fens = folder.path("fens");
    fs::write(&fens, format!("{UP}\nnonsense\n{DOWN}\n")).unwrap();
    let output = run(&["nnue", "towers", "eval", "--model", &model, "--file", &fens]);
    assert_eq!(output.status.code(), Some(1));
    let answer = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answer.lines().nth(1).map(|line| line.starts_with("error: ")), Some(true));
    assert_eq!(answer.lines().count(), 3);
}

#[test]
fn a_network_that_overflows_is_an_error_and_not_nan() {
    let folder = TempDir::new();
    let (model, fens) = (folder.path("model"), folder.path("fens"));
    let mut towers = nnue::towers::Towers::random(1);
    // The bias of the output is a finite number; in centipawns it is not.
    towers.rows_mut().last_mut().unwrap().0[0] = f32::MAX;
    let checkpoint = nnue::towers::Checkpoint { towers, averages: None, training: ().into() };
    fs::write(&model, checkpoint.to_bytes().unwrap()).unwrap();
    let output = run(&["nnue", "towers", "eval", "--model", &model]);
    assert_eq!(output.status.code(), Some(1));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!((complaint.lines().count(), output.stdout.len()), (1, 0), "{complaint}");
    assert!(complaint.contains("not a finite number"), "{complaint}");
    fs::write(&fens, format!("{UP}\n{DOWN}\n")).unwrap();
    let output = run(&["nnue", "towers", "eval", "--model", &model, "--file", &fens, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let answer = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answer.matches("not a finite number").count(), 2, "{answer}");
}

#[test]
fn what_is_no_model_is_reported_in_one_line() {
    let folder = TempDir::new();
    let path = folder.path("model");
    fs::write(&path, b"TABIYANN").unwrap();
    for path in [&path, &folder.path("missing")] {
        let output = run(&["nnue", "towers", "eval", "--model", path]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.contains(path.as_str()), "{message}");
    }
    let data = folder.path("data");
    fs::write(&data, "{\"fen\":\"x\",\"eval\":1}\n").unwrap();
    let out = folder.path("out");
    let output = run(&["nnue", "towers", "train", "--data", &data, "--out", &out]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("line 1: "));
}

#[test]
fn a_bench_reports_the_rate_of_each_kind_of_work() {
    let folder = TempDir::new();
    let fens = folder.path("fens");
    fs::write(&fens, format!("{UP}\n{DOWN}\n")).unwrap();
    let args = ["nnue", "bench", "--positions", &fens, "--towers-only", "--rounds", "1"];
    let report = succeed(&[&args[..], &["--time", "1", "--threads", "2", "--json"]].concat());
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["positions"], &report["threads"]), (&2.into(), &2.into()));
    for name in
        ["features", "features_fen", "towers_single", "towers_batch_4096", "towers_training"]
    {
        let rates = &report["rates"][name];
        assert!(rates["per_second"].as_f64().unwrap() > 0.0, "{report}");
        assert!(rates["per_cpu_second"].as_f64().unwrap() > 0.0, "{report}");
    }
}
