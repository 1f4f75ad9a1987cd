//! `tabiya pgn` as scripts call it: shapes, exit codes, one line for what cannot be read.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const GAMES: &str = "[Event \"a\"]\n[White \"A\"]\n[WhiteElo \"2500\"]\n[Result \"1-0\"]\n\n\
    1. e4 { [%eval 0.3] [%clk 0:10:00] } e5 2. Nf3 (2. f4) Nc6 1-0\n\n\
    [Event \"b\"]\n\n1. e4 e5 2. Ke3 *\n\n[Event \"c\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n";

fn tabiya(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input is no failure of this.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn check_counts_and_lists_errors_and_fails_if_there_are_any() {
    let output = tabiya(&["pgn", "check", "--json", "-"], GAMES);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["games"], &report["moves"]), (&3.into(), &8.into()));
    let error = &report["errors"][0];
    assert_eq!((&error["game"], &error["move"]), (&2.into(), &"2.Ke3".into()));
    assert_eq!(error["offset"], GAMES.find("Ke3").unwrap());
    assert_eq!(error["reason"], "'Ke3': no king can go to e3");
    assert!(report["seconds"].is_number());
    let good = tabiya(&["pgn", "check", "-"], &GAMES.replace("Ke3", "Nf3"));
    assert_eq!(good.status.code(), Some(0));
    assert!(text(&good.stdout).starts_with("3 games, 9 moves and 1 in variations, 0 errors"));
}

#[test]
fn stats_count_what_is_there() {
    let output = tabiya(&["pgn", "stats", "--json", "-"], GAMES);
    assert_eq!(output.status.code(), Some(0));
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&stats["games"], &stats["evals"], &stats["clocks"]),
        (&3.into(), &1.into(), &1.into())
    );
    assert_eq!(stats["results"]["1-0"], 1);
    assert_eq!(stats["ratings"]["max"], 2500);
    assert_eq!(stats["openings"]["1. e4 e5"], 1);
    assert!(text(&tabiya(&["pgn", "stats", "-"], GAMES).stdout).contains("1. d4 d5"));
}

#[test]
fn normalize_writes_what_it_reads_the_same_again() {
    let once = tabiya(&["pgn", "normalize", "-"], GAMES);
    assert_eq!(once.status.code(), Some(1));
    let place = format!("game 2, byte {}, move 2.Ke3", GAMES.find("Ke3").unwrap());
    assert!(text(&once.stderr).contains(&place), "{}", text(&once.stderr));
    let twice = tabiya(&["pgn", "normalize", "-", "--threads", "2"], text(&once.stdout));
    assert_eq!((twice.status.code(), &twice.stdout), (Some(0), &once.stdout));
    assert!(text(&twice.stdout).contains("1. e4 { [%eval 0.3] [%clk 0:10:00] } 1... e5"));
    assert_eq!(text(&twice.stdout).matches("[Event ").count(), 2);
}

#[test]
fn what_cannot_be_read_is_told_in_one_line() {
    let missing = tabiya(&["pgn", "check", "no-such-file.pgn"], "");
    assert_eq!(missing.status.code(), Some(1));
    let error = text(&missing.stderr);
    assert!(
        error.starts_with("tabiya: cannot open no-such-file.pgn: ") && error.lines().count() == 1
    );
    let nothing = tabiya(&["pgn", "check"], "");
    assert_eq!(nothing.status.code(), Some(2));
    let zero = tabiya(&["pgn", "check", "-", "--threads", "0"], "");
    assert_eq!(zero.status.code(), Some(2));
}

#[test]
fn nobody_reading_the_output_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["pgn", "normalize", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let game = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n";
    let _ = input.write_all(game.repeat(200_000).as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}
