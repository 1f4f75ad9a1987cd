//! `tabiya eval`: values on standard output, one a line.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn eval(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .arg("eval")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // What it does not read is no concern of ours.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn lines(output: &Output) -> Vec<&str> {
    text(&output.stdout).lines().collect()
}

/// A file that is gone when the test is.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("tabiya-eval-{}-{name}", std::process::id()));
        fs::write(&path, content).expect("a temporary file");
        Self(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn a_halfkp_network_gives_the_values_of_nnue_probe() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/nnue");
    let (network, vectors) = (data.join("nn-62ef826d1a6d.nnue"), data.join("halfkp_vectors.txt"));
    let Ok(content) = fs::read_to_string(&vectors) else {
        eprintln!("skipped: {} is not there", vectors.display());
        return;
    };
    let network = network.to_str().expect("UTF-8");
    let vectors = content.lines().filter(|line| !line.starts_with('#'));
    let (fens, values): (Vec<_>, Vec<_>) =
        vectors.map(|line| line.split_once(';').expect("a value")).unzip();
    let values: Vec<_> = values.iter().map(|value| value.trim()).collect();
    assert_eq!(values.len(), 400);
    // Plain FENs, and the file with its comments and values.
    for input in [fens.join("\n"), content.clone()] {
        let output = eval(&["--net", network, "--file", "-"], &input);
        assert_eq!(text(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(lines(&output), values);
    }
}

#[test]
fn without_a_network_the_engine_s_own_evaluation_is_asked() {
    let output = eval(&["startpos", "4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1", START], "");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let values: Vec<i32> = lines(&output).iter().map(|line| line.parse().unwrap()).collect();
    assert_eq!(values.len(), 3);
    assert_eq!(values[0], values[2]);
    assert!(values[0].abs() < 100 && values[1] < -500, "{values:?}");
}

#[test]
fn a_bad_line_is_an_error_in_its_place_and_in_the_end() {
    let file =
        TempFile::new("fens.txt", format!("# two\n{START}\n\nnonsense\n{START}; 17\n").as_bytes());
    let output = eval(&["--file", file.name()], "");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
    let [first, error, second] = lines(&output)[..] else { panic!("{output:?}") };
    assert!(first.parse::<i32>().is_ok() && first == second);
    assert!(error.starts_with("error: "), "{error}");

    let output = eval(&["--json", "--file", file.name()], "");
    let [first, error, _] = lines(&output)[..] else { panic!("{output:?}") };
    let first: Value = serde_json::from_str(first).unwrap();
    assert_eq!(first["fen"], START);
    assert!(first["value"].is_i64());
    let error: Value = serde_json::from_str(error).unwrap();
    assert!(error["error"].is_string() && error["value"].is_null());
}

#[test]
fn what_is_no_network_is_refused_by_name_with_its_reason() {
    let halfkp = 0x7AF3_2F16_u32.to_le_bytes();
    for (name, content, reason) in [
        ("text.nnue", &b"no network at all"[..], "not a network"),
        ("cut.nnue", &halfkp[..], "cut off"),
        ("cut.tnn", b"TABIYANN", ""),
    ] {
        let file = TempFile::new(name, content);
        let output = eval(&["--net", file.name(), "startpos"], "");
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""));
        let message = text(&output.stderr);
        assert!(message.contains(file.name()) && message.contains(reason), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    let output = eval(&["--net", "/nowhere.nnue", "startpos"], "");
    assert_eq!(output.status.code(), Some(1));
    // Neither a position nor a file: the call is wrong.
    assert_eq!(eval(&[], "").status.code(), Some(2));
}
