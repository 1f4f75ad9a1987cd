//! `tabiya eval`: values on standard output, one a line.

use std::process::Output;

use chess::rng::Rng;
use chess::{Position, random};
use engine::eval::{Evaluator, file};
use serde_json::Value;
use test_support::TempDir;
use test_support::halfka;
use test_support::halfkp::{self, Weights};

use crate::common::{run, run_with, succeed, text};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn eval(args: &[&str], input: &str) -> Output {
    run_with(&[&["eval"], args].concat(), input)
}

fn lines(output: &Output) -> Vec<&str> {
    text(&output.stdout).lines().collect()
}

/// Evaluates the FENs of a file of vectors, `FEN; value` a line, and compares the values.
fn check_vectors(network: &str, content: &str, count: usize) {
    let vectors = content.lines().filter(|line| !line.starts_with('#'));
    let (fens, values): (Vec<_>, Vec<_>) =
        vectors.map(|line| line.split_once(';').expect("a value")).unzip();
    let values: Vec<_> = values.iter().map(|value| value.trim()).collect();
    assert_eq!(values.len(), count);
    // Plain FENs, and the file with its comments and values.
    for input in [fens.join("\n"), content.to_owned()] {
        let output = eval(&["--net", network, "--file", "-"], &input);
        assert_eq!(text(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(lines(&output), values);
    }
}

#[test]
fn a_halfkp_network_gives_the_values_of_the_reference_evaluation() {
    let file = halfkp::file(Weights::Typical, 5);
    let mut content = "# FEN; value\n".to_owned();
    for position in random::positions(Rng::new(3, 0), 40).take(40) {
        content += &format!("{position}; {}\n", halfkp::reference(&file, &position));
    }
    let dir = TempDir::new();
    check_vectors(&dir.write("random.nnue", &file), &content, 40);
}

#[test]
fn a_halfka_network_gives_the_centipawns_of_the_reference_evaluation() {
    let file = halfka::file(Weights::Typical, 5);
    let reference = halfka::Reference::new(&file);
    let mut content = String::new();
    for position in random::positions(Rng::new(4, 0), 40).take(40) {
        let value = nnue::halfka::centipawns(reference.evaluate(&position));
        content += &format!("{position}; {value}\n");
    }
    let dir = TempDir::new();
    check_vectors(&dir.write("random.nnue", &file), &content, 40);
}

mod shared_data {
    use super::*;

    #[test]
    #[ignore = "needs a network of 21 MB: make test-shared"]
    fn a_halfkp_network_gives_the_values_of_nnue_probe() {
        let network = test_support::shared("nnue/nn-62ef826d1a6d.nnue");
        let vectors = test_support::shared("nnue/halfkp_vectors.txt");
        let content = std::fs::read_to_string(vectors).expect("vectors");
        check_vectors(network.to_str().expect("UTF-8"), &content, 400);
    }

    #[test]
    #[ignore = "needs a network of 40 MB: make test-shared"]
    fn stockfish_16_s_network_gives_its_centipawns() {
        let network = test_support::shared("nnue/nn-5af11540bbfe.nnue");
        let vectors = test_support::shared("nnue/sf16_vectors.txt");
        let vectors = std::fs::read_to_string(vectors).expect("vectors");
        let mut content = String::new();
        for line in vectors.lines().filter(|line| !line.starts_with('#')) {
            let fen = line.split(';').next().expect("a position");
            let white = line.rsplit(';').next().expect("a value");
            let centipawns = (white.trim().parse::<f64>().expect("a value") * 100.0).round() as i32;
            let sign = if fen.contains(" b ") { -1 } else { 1 };
            content += &format!("{fen}; {}\n", sign * centipawns);
        }
        check_vectors(network.to_str().expect("UTF-8"), &content, 200);
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
    let dir = TempDir::new();
    let file =
        dir.write("fens.txt", format!("# two\n{START}\n\nnonsense\n{START}; 17\n").as_bytes());
    let output = eval(&["--file", &file], "");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
    let [first, error, second] = lines(&output)[..] else { panic!("{output:?}") };
    assert!(first.parse::<i32>().is_ok() && first == second);
    assert!(error.starts_with("error: "), "{error}");

    let output = eval(&["--json", "--file", &file], "");
    let [first, error, _] = lines(&output)[..] else { panic!("{output:?}") };
    let first: Value = serde_json::from_str(first).unwrap();
    assert_eq!(first["fen"], START);
    assert!(first["value"].is_i64());
    let error: Value = serde_json::from_str(error).unwrap();
    assert!(error["error"].is_string() && error["value"].is_null());
}

#[test]
fn what_is_no_network_is_refused_by_name_with_its_reason() {
    let [halfkp, halfka] = [0x7AF3_2F16_u32, 0x7AF3_2F20].map(u32::to_le_bytes);
    for (name, content, reason) in [
        ("text.nnue", &b"no network at all"[..], "not a network"),
        ("cut.nnue", &halfkp[..], "cut off"),
        ("cut16.nnue", &halfka[..], "cut off"),
        ("cut.tnn", b"TABIYANN", ""),
    ] {
        let dir = TempDir::new();
        let file = dir.write(name, content);
        let output = eval(&["--net", &file, "startpos"], "");
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""));
        let message = text(&output.stderr);
        assert!(message.contains(&file) && message.contains(reason), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    let output = eval(&["--net", "/nowhere.nnue", "startpos"], "");
    assert_eq!(output.status.code(), Some(1));
    // Neither a position nor a file: the call is wrong.
    assert_eq!(eval(&[], "").status.code(), Some(2));
}

#[test]
fn evaluations_have_names_wherever_a_network_is_asked_for() {
    let position: Position = "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1".parse().expect("a position");
    let fen = position.fen();
    let network = file::embedded().expect("the program has a network");
    assert_eq!(
        lines(&eval(&["--net", "embedded", &fen], "")),
        [network.evaluate(&position).to_string()]
    );
    let mut classic = Evaluator::new(None);
    classic.reset(&position);
    let expected = classic.evaluate(&position).to_string();
    assert_eq!(lines(&eval(&["--net", "classic", &fen], "")), [expected]);
    let dir = TempDir::new();
    let suite = dir.write("mate.epd", b"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#;\n");
    for name in ["embedded", "classic"] {
        succeed(&["epd", &suite, "--net", name, "--nodes", "1000", "--at-least", "1"]);
        succeed(&["bench", "2", "--net", name]);
    }
    let refused = run(&["nnue", "bench", "--net", "classic"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("--net classic: no network"));
}
