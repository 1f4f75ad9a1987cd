//! `tabiya pgn` as scripts call it: shapes, exit codes, one line for what cannot be read.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use test_support::TempDir;

use crate::common::{TABIYA, run_with, tabiya, text};

const GAMES: &str = "[Event \"a\"]\n[White \"A\"]\n[WhiteElo \"2500\"]\n[Result \"1-0\"]\n\n\
    1. e4 { [%eval 0.3] [%clk 0:10:00] } e5 2. Nf3 (2. f4) Nc6 1-0\n\n\
    [Event \"b\"]\n\n1. e4 e5 2. Ke3 *\n\n[Event \"c\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n";

#[test]
fn check_counts_and_lists_errors_and_fails_if_there_are_any() {
    let output = run_with(&["pgn", "check", "--json", "-"], GAMES);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["games"], &report["moves"]), (&3.into(), &8.into()));
    let error = &report["errors"][0];
    assert_eq!((&error["game"], &error["move"]), (&2.into(), &"2.Ke3".into()));
    assert_eq!(error["offset"], GAMES.find("Ke3").unwrap());
    assert_eq!(error["reason"], "'Ke3': no king can go to e3");
    assert!(report["seconds"].is_number());
    let good = run_with(&["pgn", "check", "-"], GAMES.replace("Ke3", "Nf3"));
    assert_eq!(good.status.code(), Some(0));
    assert!(text(&good.stdout).starts_with("3 games, 9 moves and 1 in variations, 0 errors"));
}

#[test]
fn stats_count_what_is_there() {
    let output = run_with(&["pgn", "stats", "--json", "-"], GAMES);
    assert_eq!(output.status.code(), Some(0));
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&stats["games"], &stats["evals"], &stats["clocks"]),
        (&3.into(), &1.into(), &1.into())
    );
    assert_eq!(stats["results"]["1-0"], 1);
    assert_eq!(stats["ratings"]["max"], 2500);
    assert_eq!(stats["openings"]["1. e4 e5"], 1);
    assert!(text(&run_with(&["pgn", "stats", "-"], GAMES).stdout).contains("1. d4 d5"));
}

#[test]
fn normalize_writes_what_it_reads_the_same_again() {
    let once = run_with(&["pgn", "normalize", "-"], GAMES);
    assert_eq!(once.status.code(), Some(1));
    let place = format!("game 2, byte {}, move 2.Ke3", GAMES.find("Ke3").unwrap());
    assert!(text(&once.stderr).contains(&place), "{}", text(&once.stderr));
    let twice = run_with(&["pgn", "normalize", "-", "--threads", "2"], text(&once.stdout));
    assert_eq!((twice.status.code(), &twice.stdout), (Some(0), &once.stdout));
    assert!(text(&twice.stdout).contains("1. e4 { [%eval 0.3] [%clk 0:10:00] } 1... e5"));
    assert_eq!(text(&twice.stdout).matches("[Event ").count(), 3);
    // Of the broken game nothing is lost.
    assert!(text(&once.stderr).contains("the rest of the game becomes a comment"));
    assert!(
        text(&once.stdout).contains("\n1. e4 e5 { Unread: Ke3 * } *\n"),
        "{}",
        text(&once.stdout)
    );
}

/// Games whose tag and token are different results, and the result that counts.
const RESULTS: [(&str, &str); 5] = [
    ("[Event \"a\"]\n[Result \"0-1\"]\n\n1. e4 e5 *\n\n", "0-1"),
    ("[Event \"b\"]\n[Result \"*\"]\n\n1. e4 e5 1-0\n\n", "1-0"),
    ("[Event \"c\"]\n\n1. e4 e5 1/2-1/2\n\n", "1/2-1/2"),
    ("[Event \"d\"]\n[Result \"0-1\"]\n\n1. e4 e5\n\n", "0-1"),
    ("[Event \"e\"]\n[Result \"1-0\"]\n\n1. e4 e5 0-1\n\n", "1-0"),
];

#[test]
fn all_commands_agree_on_results_and_report_contradictions() {
    let games: String = RESULTS.iter().map(|(game, _)| *game).collect();
    let conflict = "the tag Result is 1-0, but the moves end with 0-1; the tag counts";
    // normalize writes the result that counts, in the tag and at the end.
    let normalized = run_with(&["pgn", "normalize", "-"], &games);
    assert_eq!(normalized.status.code(), Some(0));
    assert_eq!(text(&normalized.stderr).matches(conflict).count(), 1);
    assert!(text(&normalized.stderr).contains("-: game 5, byte "), "{}", text(&normalized.stderr));
    let written: Vec<&str> = text(&normalized.stdout).split("[Event ").skip(1).collect();
    for (game, (_, result)) in written.iter().zip(RESULTS) {
        assert!(game.contains(&format!("[Result \"{result}\"]")), "{game}");
        assert!(game.contains(&format!("1. e4 e5 {result}\n")), "{game}");
    }
    assert_eq!(written.len(), 5);
    // stats counts the same.
    let stats = run_with(&["pgn", "stats", "--json", "-"], &games);
    let stats: serde_json::Value = serde_json::from_slice(&stats.stdout).unwrap();
    let expected = serde_json::json!({ "1-0": 2, "0-1": 2, "1/2-1/2": 1, "*": 0 });
    assert_eq!((&stats["results"], &stats["result_conflicts"]), (&expected, &1.into()));
    // check lists the contradiction.
    let checked = run_with(&["pgn", "check", "-"], &games);
    assert_eq!(checked.status.code(), Some(1));
    assert_eq!(text(&checked.stdout).matches(conflict).count(), 1);
    // data prepare gives its rows the same results.
    let folder = TempDir::new();
    let (file, set) = (folder.path("games.pgn"), folder.path("set"));
    fs::write(&file, &games).unwrap();
    let prepared = run_with(&["data", "prepare", &file, "--out", &set, "--json"], "");
    assert_eq!(prepared.status.code(), Some(0), "{}", text(&prepared.stderr));
    let report: serde_json::Value = serde_json::from_slice(&prepared.stdout).unwrap();
    assert_eq!(report["counts"]["result_conflicts"], 1);
    let head = run_with(&["data", "head", &set, "-n", "10", "--json"], "");
    let rows: Vec<i64> = text(&head.stdout)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|row| row["result"].as_i64().expect("a result"))
        .collect();
    assert_eq!(rows, [-1, -1, 1, 1, 0, 0, -1, -1, 1, 1]);
}

#[test]
fn a_folder_stands_for_the_games_in_it_sorted_by_name() {
    let folder = TempDir::new();
    let below = folder.join("more");
    fs::create_dir_all(&below).unwrap();
    fs::write(folder.join("b.pgn"), "[Event \"b\"]\n\n1. d4 *\n").unwrap();
    fs::write(folder.join("a.PGN"), "[Event \"a\"]\n\n1. e4 *\n").unwrap();
    fs::write(below.join("c.pgn"), "[Event \"c\"]\n\n1. c4 1-0\n").unwrap();
    fs::write(folder.join("notes.txt"), "no games").unwrap();
    let path = folder.root().to_str().unwrap();
    let normalized = run_with(&["pgn", "normalize", path], "");
    let events: Vec<&str> =
        text(&normalized.stdout).lines().filter(|l| l.starts_with("[Event")).collect();
    assert_eq!(events, ["[Event \"a\"]", "[Event \"b\"]", "[Event \"c\"]"]);
    let checked = run_with(&["pgn", "check", path], "");
    assert!(text(&checked.stdout).starts_with("3 games, 3 moves, 0 errors"));
    let stats = run_with(&["pgn", "stats", "--json", path], "");
    let stats: serde_json::Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!((&stats["games"], &stats["results"]["1-0"]), (&3.into(), &1.into()));
    fs::create_dir_all(folder.join("empty")).unwrap();
    let empty = run_with(&["pgn", "check", &folder.path("empty")], "");
    assert_eq!(empty.status.code(), Some(1));
    assert!(text(&empty.stderr).contains("no file in it ends in .pgn"), "{}", text(&empty.stderr));
}

/// In kilobytes.
#[cfg(target_os = "linux")]
const MEMORY_LIMIT: usize = 240_000;

/// The program with a limit on its address space, in kilobytes.
#[cfg(target_os = "linux")]
fn tabiya_within(kilobytes: usize, arguments: &str) -> Output {
    let program = TABIYA;
    Command::new("sh")
        .args(["-c", &format!("ulimit -v {kilobytes} && exec {program} {arguments}")])
        // Address space that the allocator reserves for threads is none that it uses.
        .env("MALLOC_ARENA_MAX", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn normalize_needs_little_memory_whatever_becomes_of_the_text() {
    let folder = TempDir::new();
    for (name, text, code) in [
        // Games of five bytes become games of a hundred; one long game becomes a large tree.
        ("short.pgn", "e4 *\n".repeat(1_500_000), 0),
        ("long.pgn", "Nf3 Nf6 Ng1 Ng8\n".repeat(500_000), 1),
    ] {
        let path = folder.path(name);
        fs::write(&path, text).unwrap();
        let output = tabiya_within(MEMORY_LIMIT, &format!("pgn normalize --threads 1 {path}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{name}: {}",
            &errors[..errors.len().min(500)]
        );
    }
}

#[test]
fn what_cannot_be_read_is_reported_in_one_line() {
    let missing = run_with(&["pgn", "check", "no-such-file.pgn"], "");
    assert_eq!(missing.status.code(), Some(1));
    let error = text(&missing.stderr);
    assert!(
        error.starts_with("tabiya: cannot open no-such-file.pgn: ") && error.lines().count() == 1
    );
    let nothing = run_with(&["pgn", "check"], "");
    assert_eq!(nothing.status.code(), Some(2));
    let zero = run_with(&["pgn", "check", "-", "--threads", "0"], "");
    assert_eq!(zero.status.code(), Some(2));
}

#[test]
fn nobody_reading_the_output_is_no_failure() {
    let mut command = tabiya(&["pgn", "normalize", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let game = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n";
    let _ = input.write_all(game.repeat(200_000).as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}
