//! What people see: lines that fit the terminal, help, and one line for what is wrong.

use std::process::Output;

use crate::common::{TABIYA, pipe_into, tabiya, text};

const GAMES: &str = r#"[Event "A tournament"]
[WhiteElo "2500"]
[BlackElo "2400"]
[Result "1-0"]

1. e4 { [%eval 0.3] [%clk 0:03:00] } e5 { [%eval 20.25] } 2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5 a6 1-0

[Event "Another"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 e6 1/2-1/2
"#;

fn run(folder: &std::path::Path, columns: &str, args: &[&str], input: &str) -> Output {
    pipe_into(tabiya(args).current_dir(folder).env("COLUMNS", columns), input)
}

#[test]
fn no_command_prints_a_line_wider_than_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    for columns in ["60", "80", "120"] {
        let data = format!("data{columns}");
        let program = TABIYA;
        let calls: &[&[&str]] = &[
            &["--help"],
            &["match", "--help"],
            &["features", "--fen", "startpos"],
            &["pgn", "stats", "games.pgn"],
            &["pgn", "check", "games.pgn"],
            &["data", "prepare", "games.pgn", "--out", &data],
            &["data", "info", &data],
            &["data", "verify", &data],
            &["pra", "info"],
            &["pra", "info", "--depth", "40", "--n-embd", "768"],
            &["pra", "bench", "--depth", "1", "--n-embd", "12", "--seconds", "0.01"],
            &["paco", "match", "random", "random", "--games", "1"],
            &["match", program, program, "--games", "2", "--nodes", "2"],
        ];
        for args in calls {
            let output = run(folder.path(), columns, args, "");
            let said = text(&output.stdout);
            assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
            assert!(!said.is_empty(), "{args:?}");
            for line in said.lines() {
                let width = line.chars().count();
                assert!(width <= columns.parse().unwrap(), "{args:?} at {columns}: {line}");
            }
        }
    }
}

#[test]
fn json_is_one_line_however_narrow_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    let output = run(folder.path(), "20", &["pgn", "stats", "games.pgn", "--json"], "");
    assert_eq!(text(&output.stdout).lines().count(), 1);
    assert!(text(&output.stdout).len() > 80);
}

#[test]
fn programs_are_not_greeted_and_help_is_answered_in_info_strings() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "80", &[], "isready\nhelp\nquit\n");
    let said = text(&output.stdout);
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some("readyok"));
    let help: Vec<&str> = lines.collect();
    assert!(help.len() > 3 && help.iter().all(|line| line.starts_with("info string ")), "{said}");
    assert!(
        said.contains("go depth") && said.contains("tabiya play") && said.contains("tabiya help"),
        "{said}"
    );
    assert!(!said.contains("error"), "{said}");
}

#[test]
fn an_odd_first_argument_is_answered_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for argument in ["", " ", "nonsense", "e2e4", "\u{1b}[31mred", "Ŝako", "help\nme"] {
        let output = run(folder.path(), "80", &[argument], "");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{argument:?}");
        assert!(error.starts_with("error: ") && error.lines().count() == 1, "{error}");
        assert!(!error.contains('\u{1b}') && output.stdout.is_empty(), "{error}");
    }
}

#[test]
fn the_page_at_a_used_port_and_for_others_without_a_token_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for arguments in [
        &["play", "--no-browser", "--port", &port][..],
        &["play", "--no-browser", "--host", "0.0.0.0"],
        &["play", "--no-browser", "--host", "0.0.0.0", "--token", "short"],
    ] {
        let output = run(folder.path(), "80", arguments, "");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(error.starts_with("tabiya: ") && error.lines().count() == 1, "{error}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
#[cfg(unix)]
fn an_argument_that_is_no_utf8_is_an_error_not_a_panic() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    for bytes in [&b"\xff\xfe"[..], b"genfens \xff", b"--\xff"] {
        let output = tabiya(&[]).arg(OsStr::from_bytes(bytes)).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code().is_some_and(|code| code <= 2), "{bytes:?}: {output:?}");
        assert!(!error.contains("panicked"), "{bytes:?}: {error}");
    }
}
