//! The examples, run as programs.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What an example prints to standard output and standard error, and whether it succeeds.
fn run(name: &str, args: &[&str], input: &str) -> (String, String, bool) {
    // Examples are built beside the tests, by `cargo test` without `--test`.
    let test = std::env::current_exe().expect("a path");
    let folder = test.ancestors().nth(2).expect("the folder of the build");
    let program: PathBuf = folder.join("examples").join(name);
    let mut child = Command::new(&program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{}: {error}; `cargo build -p tabiya-chess --examples` first", program.display())
        });
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("input");
    let output = child.wait_with_output().expect("an end");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr), output.status.success())
}

fn stdout(name: &str, args: &[&str]) -> String {
    let (out, err, succeeds) = run(name, args, "");
    assert_eq!((err.as_str(), succeeds), ("", true), "{name}");
    out
}

#[test]
fn legal_moves_are_listed_and_one_is_played() {
    let out = stdout("legal_moves", &["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"]);
    assert!(out.contains(" e1g1 ") && out.contains("\n26 moves\n"), "{out}");
    assert!(out.contains("\nRxa8+ ") && out.contains("\nRxh8+ "), "{out}");
    assert!(out.ends_with("Black to move\n"), "{out}");
    let (_, err, succeeds) = run("legal_moves", &["8/8"], "");
    assert!(err.contains("Error") && !succeeds, "{err}");
}

#[test]
fn perft_counts_leaf_nodes() {
    let out = stdout("perft", &["3"]);
    assert!(out.contains("e2e4: 600\n") && out.contains("\n8902 nodes in "), "{out}");
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    assert!(stdout("perft", &["2", kiwipete]).contains("\n2039 nodes in "));
}

#[test]
fn games_become_fens() {
    let games = "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. d4 Ke4 *\n";
    let (out, err, _) = run("pgn_to_fens", &[], games);
    let fens: Vec<&str> = out.lines().collect();
    assert_eq!(fens.len(), 5, "{out}");
    assert_eq!(fens[1], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(fens[4], "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1");
    assert!(err.starts_with("game 2, byte ") && err.contains("1...Ke4"), "{err}");
}

#[test]
fn san_is_read_and_written() {
    let out = stdout("san", &["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"]);
    assert!(out.contains("1... e5       e7-e5    e7e5\n"), "{out}");
    assert!(out.contains("4. O-O      O-O      e1g1\n"), "{out}");
    let (out, err, succeeds) = run("san", &["e4", "Ke2"], "");
    assert!(out.starts_with("1. e4 ") && out.lines().count() == 1, "{out}");
    assert_eq!((err.as_str(), succeeds), ("'Ke2': no king can go to e2\n", false));
}

#[test]
fn chess960_castles_in_both_conventions() {
    let out = stdout("chess960", &["518"]);
    assert!(out.contains("RNBQKBNR w KQkq - 0 1\n"), "{out}");
    assert!(out.contains("O-O: b1g1, the king goes to g1, the rook to f1\n"), "{out}");
    assert!(out.contains("O-O-O: b1a1, the king goes to c1, the rook to d1\n"), "{out}");
    assert!(out.ends_with("e1g1 is e1h1 in Chess960\n"), "{out}");
    assert!(run("chess960", &["960"], "").1.contains("from 0 to 959"));
}

#[test]
fn the_mini_engine_speaks_uci_and_finds_a_mate() {
    let input = "uci\nisready\nposition fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1\ngo depth 3\n\
        position startpos moves f2f3 e7e5 g2g4\ngo\nposition startpos moves f2f3 e7e5 g2g4 d8h4\ngo\nquit\n";
    let (out, err, _) = run("mini_engine", &[], input);
    assert_eq!(err, "");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[1..3], ["uciok", "readyok"]);
    assert_eq!(lines[3..], ["bestmove d1d8", "bestmove d8h4", "bestmove 0000"]);
}

#[test]
fn examples_are_short_enough_to_copy() {
    for name in ["legal_moves", "perft", "pgn_to_fens", "san", "chess960", "mini_engine"] {
        let path = format!("{}/examples/{name}.rs", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("an example");
        assert!(text.lines().count() <= 60, "{name}");
    }
}
