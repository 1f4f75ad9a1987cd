//! `tabiya nnue train|test|export` as scripts call them: shapes, exit codes, and `kill -9`.

use std::fs;
use std::path::Path;
use std::process::Output;

use test_support::{KillLoop, TempDir};

use crate::common::{self, succeed, text};

/// A data set of packed rows, a quarter of the games for validation.
fn data_set(dir: &TempDir) -> String {
    let (input, out) = (dir.path("games.pgn"), dir.path("rows"));
    let mut games = String::new();
    for n in 0..40 {
        games += &format!("[Event \"{n}\"]\n[Result \"1-0\"]\n\n");
        let tours = ["Nf3 Nf6 Ng1 Ng8", "Nc3 Nc6 Nb1 Nb8", "Nh3 Nh6 Ng1 Ng8"];
        for tour in 0..12 {
            let moves: Vec<&str> = tours[(n >> (tour % 5)) % 3].split(' ').collect();
            let [a, b, c, d] = moves[..] else { unreachable!() };
            games += &format!("{a} {{ [%eval 0.{}] }} {b} {c} {d} ", n % 90 + 10);
        }
        games += "1-0\n\n";
    }
    fs::write(&input, games).unwrap();
    let fixed = ["data", "prepare", &input, "--out", &out, "--with-eval"];
    let options = ["--format", "packed", "--val-fraction", "0.25"];
    succeed(&[&fixed[..], &options].concat());
    out
}

fn nnue(arguments: &[&str]) -> Output {
    common::run(&[&["nnue"], arguments].concat())
}

fn json(output: &Output) -> serde_json::Value {
    common::json(text(&output.stdout))
}

/// Small enough to be done in a moment.
const SMALL: [&str; 13] = [
    "--hidden",
    "32",
    "--batch-size",
    "64",
    "--superbatch",
    "300",
    "--warmup",
    "500",
    "--threads",
    "2",
    "--king-buckets",
    "2",
    "--json",
];

#[test]
fn a_network_is_trained_tested_and_exported() {
    let folder = TempDir::new();
    let (data, out) = (data_set(&folder), folder.path("out"));
    let train = [&["train", "--data", &data, "--out", &out, "--positions", "3000"], &SMALL[..]];
    let trained = nnue(&train.concat());
    assert_eq!(trained.status.code(), Some(0), "{}", text(&trained.stderr));
    let report = json(&trained);
    assert_eq!((&report["steps"], &report["used"]), (&47.into(), &3_000.into()));
    assert!(report["loss"].is_f64() && report["validation"].is_f64());
    assert!(report["positions_per_second"].as_f64().unwrap() > 0.0);
    let log = fs::read_to_string(folder.path("out/log.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 10);
    assert_eq!(text(&trained.stderr).lines().count(), 10, "{}", text(&trained.stderr));
    assert!(fs::read_to_string(folder.path("out/loss.svg")).unwrap().starts_with("<svg "));
    // Once more: there is nothing to do.
    let again = nnue(&train.concat());
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(json(&again)["complete_before"], true);

    let (checkpoint, network) = (folder.path("out/checkpoint.safetensors"), folder.path("a.nnue"));
    let exported = nnue(&["export", &checkpoint, "--out", &network, "--json"]);
    assert_eq!(json(&exported)["king_buckets"], 2);
    assert!(fs::read(&network).unwrap() == fs::read(folder.path("out/network.nnue")).unwrap());

    let tested = nnue(&["test", &checkpoint, "--against", &network, "--data", &data, "--json"]);
    assert_eq!(tested.status.code(), Some(0), "{}", text(&tested.stderr));
    let report = json(&tested);
    // Sixty-four output weights, each rounded by up to 1/128: a few centipawns of 400.
    assert!(report["quantised"]["mean_difference"].as_f64().unwrap() < 25.0, "{report}");
    assert_eq!(report["against"]["max_difference"], 0.0);
    let fens = folder.path("fens.txt");
    fs::write(&fens, "startpos moves e2e4\n# a comment\n8/8/4k3/8/8/3KP3/8/8 w - - 0 1\n").unwrap();
    let tested = nnue(&["test", &folder.path("out/network.nnue"), "--file", &fens]);
    let report = text(&tested.stdout);
    assert!(report.contains("2 positions") && report.contains("quantised from"), "{report}");

    let tuned = folder.path("tuned");
    let arguments = ["train", "--data", &data, "--out", &tuned, "--from", &checkpoint];
    let more = ["--positions", "500", "--threads", "1", "--json"];
    let tuned = nnue(&[&arguments[..], &more].concat());
    assert_eq!(tuned.status.code(), Some(0), "{}", text(&tuned.stderr));
}

#[test]
fn what_cannot_be_trained_is_reported_in_one_line() {
    let folder = TempDir::new();
    let (data, out) = (data_set(&folder), folder.path("out"));
    let complaint = |arguments: &[&str]| {
        let output = nnue(arguments);
        let complaint = text(&output.stderr).to_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {complaint}");
        assert!(complaint.starts_with("tabiya: ") && complaint.lines().count() == 1, "{complaint}");
        complaint
    };
    let missing = folder.path("missing");
    assert!(complaint(&["train", "--data", &missing, "--out", &out]).contains("missing"));
    let empty = folder.path("empty");
    fs::create_dir(&empty).unwrap();
    assert!(complaint(&["train", "--data", &empty, "--out", &out]).contains("no data set"));
    for wrong in [["--hidden", "100"], ["--king-buckets", "3"], ["--lambda", "NaN"], ["--lr", "5"]]
    {
        let arguments = [&["train", "--data", &data, "--out", &out][..], &wrong].concat();
        complaint(&arguments);
    }
    let resume = ["train", "--data", &data, "--out", &out, "--resume"];
    assert!(complaint(&resume).contains("no checkpoint"));
    // A training of other options, and one whose checkpoint is cut off.
    let train = [&["train", "--data", &data, "--out", &out, "--positions", "500"], &SMALL[..]];
    let train = train.concat();
    assert_eq!(nnue(&train).status.code(), Some(0));
    let other = [&train[..], &["--seed", "9"]].concat();
    assert!(complaint(&other).contains("seed was 1 and is now 9"));
    let checkpoint = folder.path("out/checkpoint.safetensors");
    let bytes = fs::read(&checkpoint).unwrap();
    fs::write(&checkpoint, &bytes[..bytes.len() - 100]).unwrap();
    assert!(complaint(&train).contains("is no checkpoint"));
    assert!(complaint(&["export", &checkpoint, "--out", &out]).contains("is no checkpoint"));
    let (games, network) = (folder.path("games.pgn"), folder.path("out/network.nnue"));
    assert!(complaint(&["test", &games, "--data", &data]).contains("not a network"));
    fs::remove_file(&checkpoint).unwrap();
    assert!(complaint(&["test", &network, "--data", &data]).contains("nothing to compare with"));
}

#[test]
fn killed_at_ten_random_moments_it_resumes_to_the_same_network() {
    let folder = TempDir::new();
    let (data, whole, out) = (data_set(&folder), folder.path("whole"), folder.path("out"));
    let job = |out: &str| {
        let call = ["nnue", "train", "--data", &data, "--out", out, "--positions", "9000"];
        common::tabiya(&[&call[..], &SMALL].concat())
    };
    let kills = KillLoop::new(&mut job(&whole), 7);
    let network = |folder: &str| fs::read(Path::new(folder).join("network.nnue"));
    let expected = network(&whole).unwrap();
    let is_resumed = || {
        let has_checkpoint = Path::new(&out).join("checkpoint.safetensors").exists();
        if let Ok(found) = network(&out) {
            assert!(found == expected);
            fs::remove_dir_all(&out).unwrap();
        }
        has_checkpoint
    };
    kills.run(10, || job(&out), is_resumed);
    let last = job(&out).output().unwrap();
    assert!(last.status.success(), "{}", text(&last.stderr));
    assert!(network(&out).unwrap() == expected);
}
