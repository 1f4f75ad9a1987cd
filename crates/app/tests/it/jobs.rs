//! Long jobs as their users end them: by Ctrl-C, by `kill -9`, by starting them twice, with more threads
//! than there can be, and with an output that is an input.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use test_support::TempDir;

use crate::common::{self, TABIYA, interrupt, run};

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn start(arguments: &[&str]) -> Child {
    common::tabiya(arguments).spawn().unwrap()
}

/// Files whose bytes follow from the options; logs, which hold times, are not among them.
fn contents(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = test_support::contents(path);
    let logs = ["log.jsonl", "loss.svg", "checkpoint.safetensors", "checkpoints"];
    all.retain(|name, _| !name.split('/').any(|part| logs.contains(&part)));
    all
}

/// Games of knights that go to and fro, with evaluations.
fn games(folder: &TempDir, count: usize) -> String {
    let mut text = String::new();
    for n in 0..count {
        text += &format!("[Event \"{n}\"]\n[Result \"1-0\"]\n\n");
        let tours = ["Nf3 Nf6 Ng1 Ng8", "Nc3 Nc6 Nb1 Nb8", "Nh3 Nh6 Ng1 Ng8"];
        for tour in 0..24 {
            let tour = tours[(n >> (tour % 11)) % 3];
            text += &format!("{} {{ [%eval 0.{}] }} ", &tour[..3], n % 90 + 10);
            text += &format!("{} ", &tour[4..]);
        }
        text += "1-0\n\n";
    }
    let path = folder.path("games.pgn");
    fs::write(&path, text).unwrap();
    path
}

/// A data set of `count` such games.
fn rows(folder: &TempDir, count: usize, format: &str) -> String {
    let (input, out) = (games(folder, count), folder.path("rows"));
    let made = run(&[
        "data",
        "prepare",
        &input,
        "--out",
        &out,
        "--with-eval",
        "--format",
        format,
        "--val-fraction",
        "0.1",
        "--shard-rows",
        "10000",
    ]);
    assert!(made.status.success(), "{}", complaint(&made));
    out
}

/// A job that is ended in the middle.
struct Job<'a> {
    /// Its arguments but the last two, which are `--out` and where to.
    arguments: Vec<&'a str>,
    /// What is there in `out` when it is in the middle: a file, or a folder that is not empty; or `out`
    /// itself.
    sign: &'a str,
}

impl Job<'_> {
    fn call<'b>(&'b self, out: &'b str) -> Vec<&'b str> {
        [&self.arguments[..], &["--out", out]].concat()
    }

    fn is_in_the_middle(&self, out: &str) -> bool {
        let out = Path::new(out);
        let sign = if self.sign.is_empty() { out.to_owned() } else { out.join(self.sign) };
        let is_file =
            |path: &Path| path.is_file() && !path.file_name().unwrap().as_bytes().starts_with(b".");
        let below = fs::read_dir(&sign).into_iter().flatten().flatten();
        is_file(&sign)
            || below.into_iter().any(|entry| is_file(&entry.path()) || entry.path().is_dir())
    }

    /// Starts it and waits until it is in the middle. If it is over before, it begins anew.
    fn start(&self, out: &str) -> Child {
        for _ in 0..10 {
            let mut child = start(&self.call(out));
            let begin = Instant::now();
            while !self.is_in_the_middle(out) && begin.elapsed() < Duration::from_secs(300) {
                if child.try_wait().unwrap().is_some() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            if child.try_wait().unwrap().is_none() {
                return child;
            }
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
            remove(out);
        }
        panic!("it is always over before anybody can interrupt it");
    }

    /// Interrupts it in the middle.
    fn interrupt(&self, out: &str) {
        for _ in 0..10 {
            let child = self.start(out);
            interrupt(&child);
            let output = child.wait_with_output().unwrap();
            if output.status.code() == Some(0) {
                // Too late.
                remove(out);
                continue;
            }
            let said = complaint(&output) + &String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(130), "{said}");
            assert!(said.contains("interrupted"), "{said}");
            assert!(said.contains("the same command resumes"), "{said}");
            return;
        }
        panic!("it is always over before it can be interrupted");
    }

    /// Interrupted, refused while another does it, killed: in the end there are the same bytes.
    fn check(&self, folder: &TempDir) {
        let (whole, out) = (folder.path("whole"), folder.path("out"));
        let output = run(&self.call(&whole));
        assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
        self.interrupt(&out);
        let mut first = start(&self.call(&out));
        let begin = Instant::now();
        // Until the first has taken the lock there is no telling who is first.
        let lock = if Path::new(&out).is_file() {
            folder.join(".out.lock")
        } else {
            Path::new(&out).join("_lock")
        };
        while !lock.exists() && first.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(300));
            std::thread::sleep(Duration::from_millis(1));
        }
        let second = run(&self.call(&out));
        let is_running = first.try_wait().unwrap().is_none();
        first.kill().unwrap();
        first.wait().unwrap();
        if is_running {
            let complaint = complaint(&second);
            assert_eq!(second.status.code(), Some(1), "{complaint}");
            let line = complaint.lines().last().unwrap_or_default();
            assert!(line.starts_with("tabiya: ") && line.contains("another process"), "{line}");
            assert!(line.contains("is writing to it"), "{line}");
        }
        let last = run(&self.call(&out));
        assert_eq!(last.status.code(), Some(0), "{}", complaint(&last));
        let (expected, found) = (contents(Path::new(&whole)), contents(Path::new(&out)));
        assert!(!expected.is_empty());
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (name, bytes) in &expected {
            assert!(found[name] == *bytes, "{name} is not as if nothing had happened");
        }
    }
}

fn remove(path: &str) {
    let path = Path::new(path);
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
}

#[test]
fn an_interrupted_conversion_of_games_resumes_to_the_same_bytes() {
    let folder = TempDir::new();
    let input = games(&folder, 3_000);
    let arguments = vec!["data", "prepare", &input, "--shard-rows", "10000", "--threads", "2"];
    Job { arguments, sign: "train" }.check(&folder);
}

#[test]
fn interrupted_sorting_of_rows_resumes_to_the_same_bytes() {
    let folder = TempDir::new();
    let input = games(&folder, 3_000);
    let arguments = vec!["data", "prepare", &input, "--shuffle", "--threads", "2"];
    Job { arguments, sign: "_progress.json" }.check(&folder);
}

#[test]
fn an_interrupted_change_of_format_resumes_to_the_same_bytes() {
    let folder = TempDir::new();
    let input = rows(&folder, 2_000, "parquet");
    Job { arguments: vec!["data", "pack", &input], sign: "train" }.check(&folder);
}

#[test]
fn an_interrupted_rescoring_resumes_to_the_same_bytes() {
    let folder = TempDir::new();
    let input = rows(&folder, 500, "packed");
    let arguments = vec!["nnue", "rescore", &input, "--nodes", "20", "--shard-rows", "5000"];
    Job { arguments, sign: "train" }.check(&folder);
}

#[test]
fn interrupted_self_play_resumes_to_the_same_bytes() {
    let folder = TempDir::new();
    let arguments =
        vec!["selfplay", "--games", "120", "--nodes", "100", "--unit-games", "2", "--hash", "1"];
    Job { arguments, sign: "_games" }.check(&folder);
}

#[test]
fn an_interrupted_training_of_nnue_resumes_to_the_same_bytes() {
    let folder = TempDir::new();
    let input = rows(&folder, 40, "packed");
    let arguments = vec![
        "nnue",
        "train",
        "--data",
        &input,
        "--positions",
        "400000",
        "--superbatch",
        "40000",
        "--batch-size",
        "500",
        "--hidden",
        "32",
        "--threads",
        "2",
    ];
    Job { arguments, sign: "checkpoint.safetensors" }.check(&folder);
}

#[test]
fn an_interrupted_training_of_the_transformer_resumes_to_the_same_bytes() {
    let folder = TempDir::new();
    let input = rows(&folder, 40, "parquet");
    let arguments = vec![
        "pra",
        "train",
        "--data",
        &input,
        "--num-iterations",
        "60",
        "--save-every",
        "10",
        "--depth",
        "1",
        "--n-embd",
        "24",
        "--total-batch-size",
        "64",
        "--eval-every",
        "30",
        "--threads",
        "2",
    ];
    Job { arguments, sign: "checkpoints" }.check(&folder);
}

#[test]
fn an_interrupted_training_of_the_two_towers_resumes_to_the_same_bytes() {
    let folder = TempDir::new();
    let input = rows(&folder, 20, "packed");
    let arguments = vec![
        "nnue",
        "towers",
        "train",
        "--data",
        &input,
        "--epochs",
        "4",
        "--batch-size",
        "64",
        "--save-every",
        "2",
        "--threads",
        "2",
    ];
    Job { arguments, sign: "" }.check(&folder);
}

#[test]
fn a_second_interrupt_ends_a_job_at_once() {
    let folder = TempDir::new();
    // The first move of this game takes hours, and nothing else looks at the first interrupt.
    let call = ["selfplay", "--games", "1", "--threads", "1", "--nodes", "1000000000000"];
    for delay in [0.2, 0.5, 2.0, 10.0, 30.0] {
        let out = folder.path(&format!("out-{delay}"));
        let mut child = start(&[&call[..], &["--out", &out]].concat());
        // Until the search has begun.
        std::thread::sleep(Duration::from_secs_f64(delay));
        let begin = Instant::now();
        let mut sent = 0;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begin.elapsed() > Duration::from_secs(120) {
                child.kill().unwrap();
                panic!("it continues after {sent} interrupts");
            }
            interrupt(&child);
            sent += 1;
            std::thread::sleep(Duration::from_millis(200));
        };
        if sent >= 2 && status.code().is_some() {
            assert_eq!(status.code(), Some(130));
            return;
        }
    }
    panic!("the first interrupt always comes before the search");
}

#[test]
fn absurd_numbers_of_threads_are_refused_by_every_command() {
    let commands: [&[&str]; 17] = [
        &["analyse", "--fen", "startpos"],
        &["bench"],
        &["perft", "1"],
        &["pgn", "check", "x"],
        &["pgn", "stats", "x"],
        &["pgn", "normalize", "x"],
        &["data", "prepare", "x", "--out", "y"],
        &["data", "info", "x"],
        &["data", "verify", "x"],
        &["data", "pack", "x", "--out", "y"],
        &["data", "unpack", "x", "--out", "y"],
        &["nnue", "train", "--data", "x", "--out", "y"],
        &["nnue", "towers", "train", "--data", "x", "--out", "y"],
        &["nnue", "rescore", "x", "--out", "y"],
        &["nnue", "bench"],
        &["pra", "eval", "--data", "x"],
        &["selfplay", "--games", "1", "--out", "y"],
    ];
    let more: [&[&str]; 4] = [
        &["pra", "train", "--data", "x", "--out", "y"],
        &["pra", "bench"],
        &["pra", "predict"],
        &["pra", "attention", "--all"],
    ];
    for command in commands.iter().chain(&more) {
        for number in ["0", "257", "1000000", "18446744073709551615"] {
            let output = run(&[command, &["--threads", number][..]].concat());
            let complaint = complaint(&output);
            assert_eq!(output.status.code(), Some(2), "{command:?} {number}: {complaint}");
            let line = complaint.lines().next().unwrap();
            assert!(line.contains("must be from 1 to 256"), "{command:?} {number}: {complaint}");
        }
    }
    let output = run(&["match", "self", "self", "--concurrency", "1000000"]);
    assert_eq!(output.status.code(), Some(2), "{}", complaint(&output));
}

#[test]
fn threads_that_the_system_refuses_are_an_error_and_no_panic() {
    let folder = TempDir::new();
    let input = games(&folder, 20);
    let (rows, out) = (rows(&folder, 20, "packed"), folder.path("out"));
    let commands: [&[&str]; 5] = [
        &["perft", "3"],
        &["pgn", "check", &input],
        &["data", "verify", &rows],
        &["data", "info", &rows],
        &["data", "prepare", &input, "--out", &out],
    ];
    for command in commands {
        // Room for the program, and for the stacks of some threads but not of 256. On a busy machine threads
        // begin late, and the standard library aborts if nothing is left for their signal stacks: tried again.
        let attempt = || {
            Command::new("sh")
                .args(["-c", "ulimit -v 300000; exec \"$@\"", "sh", TABIYA])
                .args(command)
                .args(["--threads", "256"])
                .output()
                .unwrap()
        };
        let mut outputs = std::iter::repeat_with(attempt).take(10);
        let output = outputs
            .find(|output| !complaint(output).contains("failed to allocate an alternative stack"))
            .expect("an attempt in ten without an abort");
        let complaint = complaint(&output);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {complaint}");
        let line = complaint.lines().last().unwrap_or_default();
        assert!(line.contains("cannot start 256 threads"), "{command:?}: {complaint}");
        assert!(!complaint.contains("panicked"), "{command:?}: {complaint}");
    }
}

#[test]
fn an_argument_that_is_no_text_is_a_wrong_call_and_no_panic() {
    for arguments in [&[&b"\xff"[..]][..], &[b"perft", b"\xff\xfe"], &[b"genfens \xff"]] {
        let arguments = arguments.iter().map(|bytes| OsStr::from_bytes(bytes));
        let output = common::tabiya(&[]).args(arguments).output().unwrap();
        let complaint = complaint(&output);
        assert!(matches!(output.status.code(), Some(0..=2)), "{complaint}");
        assert!(!complaint.contains("panicked"), "{complaint}");
    }
}

#[test]
fn an_output_that_is_an_input_is_refused_and_stays_as_it_is() {
    let folder = TempDir::new();
    let rows = rows(&folder, 20, "packed");
    let trained = folder.path("trained");
    let output = run(&[
        "nnue",
        "train",
        "--data",
        &rows,
        "--positions",
        "100",
        "--batch-size",
        "50",
        "--hidden",
        "32",
        "--out",
        &trained,
    ]);
    assert!(output.status.success(), "{}", complaint(&output));
    let checkpoint = format!("{trained}/checkpoint.safetensors");
    let (fens, model, link) = (folder.path("fens"), folder.path("model"), folder.path("link"));
    fs::write(&fens, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n").unwrap();
    symlink(&fens, &link).unwrap();
    assert!(run(&["pra", "export", "--out", &model]).status.success());
    let evals = folder.path("evals.jsonl");
    fs::write(&evals, "{\"fen\":\"8/8/4k3/8/8/4K3/8/8 w - - 0 1\",\"eval\":3}\n").unwrap();
    let tensors = format!("{model}/model.safetensors");
    let openings = folder.path("openings.epd");
    fs::copy(&fens, &openings).unwrap();
    let data = folder.path("rows/_manifest.json");
    let calls: [(&[&str], &str); 12] = [
        (&["nnue", "train", "--data", &rows, "--hidden", "32", "--out", &rows], &data),
        (&["pra", "train", "--data", &rows, "--out", &rows], &data),
        (&["nnue", "export", &checkpoint, "--out", &checkpoint], &checkpoint),
        (&["nnue", "towers", "train", "--data", &evals, "--out", &evals], &evals),
        (&["pra", "predict", "--file", &fens, "--raw", &link], &fens),
        (&["pra", "predict", "--model", &model, "--svg", &tensors], &tensors),
        (&["pra", "attention", "--free", "--positions", &fens, "--html", &fens, "--all"], &fens),
        (&["pra", "attention", "--all", "--positions", &fens, "--html", &link], &fens),
        (&["pra", "export", "--model", &model, "--out", &model, "--f16"], &tensors),
        (&["match", "self", "self", "--openings", &openings, "--log", &openings], &openings),
        (&["match", "self", "self", "--openings", &openings, "--pgn", &openings], &openings),
        (&["match", "self", "self", "--pgn", &fens, "--log", &link], &fens),
    ];
    for (call, input) in calls {
        let before = fs::read(input).unwrap();
        let output = run(call);
        let complaint = complaint(&output);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{call:?}: {complaint}");
        assert!(fs::read(input).unwrap() == before, "{call:?}");
        if output.status.code() == Some(1) {
            assert_eq!(complaint.lines().count(), 1, "{call:?}: {complaint}");
            assert!(complaint.contains("is the input"), "{call:?}: {complaint}");
        }
    }
}
