//! The program as its users see it: what goes in, what comes out, and the exit code.

use std::io::Read;
use std::process::Output;

use serde_json::Value;
use test_support::TempDir;

use crate::common::{json, run, run_with, tabiya, text};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn stdout(output: &Output) -> &str {
    text(&output.stdout)
}

fn stderr(output: &Output) -> &str {
    text(&output.stderr)
}

/// The output of a call that must succeed without a word of complaint.
fn succeed(args: &[&str], input: &[u8]) -> String {
    let output = run_with(args, input);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    assert_eq!(stderr(&output), "", "{args:?}");
    stdout(&output).to_owned()
}

fn sorted(line: &str) -> Vec<&str> {
    let mut moves: Vec<&str> = line.split_whitespace().collect();
    moves.sort_unstable();
    moves
}

// The call itself.

#[test]
fn wrong_calls_end_with_2_and_say_how_it_is_done() {
    let wrong: [&[&str]; 18] = [
        &["nonsense"],
        &["--nonsense"],
        &["perft"],
        &["perft", "x"],
        &["perft", "-1"],
        &["perft", "65"],
        &["perft", "3", "4"],
        &["perft", "3", "--threads", "0"],
        &["perft", "3", "--max-nodes", "5"],
        &["perft", "--suite", "x", "--fen", KIWIPETE],
        &["perft", "--nonsense"],
        &["legal", "--nonsense"],
        &["legal", "a", "b"],
        &["board", "--nonsense"],
        &["board", "--svg", "--json"],
        &["board", "--svg", "--size", "0"],
        &["board", "--arrows", "Ge2e4"],
        &["board", "--svg", "--marks", "Xe4"],
    ];
    for args in wrong {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{args:?}");
        assert!(stderr(&output).contains("error:"), "{args:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn help_and_version_are_no_errors() {
    for args in [&["--help"][..], &["perft", "--help"], &["legal", "--help"], &["board", "-h"]] {
        let text = succeed(args, b"");
        assert!(text.contains("Usage:"), "{text}");
    }
    assert!(succeed(&["--version"], b"").starts_with("tabiya "));
}

#[test]
fn a_bad_fen_ends_with_1_and_names_what_is_wrong() {
    for command in [&["perft", "2", "--fen"][..], &["board", "--fen"]] {
        for (fen, reason) in [
            ("8/8/8/8/8/8/8/7 w - - 0 1", "piece placement '8/8/8/8/8/8/8/7'"),
            ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "the side not to move is in check"),
            ("startpos moves e2e4 e2e4", "move 2: 'e2e4' is illegal"),
            ("startpos moves Nf3", "move 1: 'Nf3' is not a move in UCI notation"),
            ("startpos movese2e4", "piece placement 'startpos'"),
            ("", "the FEN ends before its piece placement"),
        ] {
            let output = run(&[command, &[fen]].concat());
            assert_eq!(output.status.code(), Some(1), "{fen}");
            assert_eq!(stdout(&output), "", "{fen}");
            assert!(stderr(&output).contains(reason), "{}", stderr(&output));
            assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        }
    }
}

// tabiya perft

#[test]
fn perft_counts_with_and_without_bulk_and_threads() {
    let variants: [&[&str]; 4] =
        [&[], &["--no-bulk"], &["--threads", "2"], &["--no-bulk", "--threads", "3", "--chess960"]];
    for extra in variants {
        for (depth, expected) in [("0", 1), ("1", 48), ("2", 2_039), ("3", 97_862)] {
            let args = [&["perft", depth, "--fen", KIWIPETE, "--json"], extra].concat();
            let report = json(&succeed(&args, b""));
            assert_eq!(report["nodes"], expected, "{args:?}");
            assert!(report["seconds"].is_f64(), "{report}");
            assert!(report["nps"].is_number(), "{report}");
        }
    }
    assert!(succeed(&["perft", "3"], b"").starts_with("8902 nodes in "));
}

#[test]
fn perft_divides_the_count_among_the_first_moves() {
    let text = succeed(&["perft", "3", "--divide", "--fen", KIWIPETE], b"");
    let (counts, total) = text.split_once("\n\n").expect("a blank line before the total");
    let counts: Vec<(&str, u64)> = counts
        .lines()
        .map(|line| line.split_once(": ").expect("move: count"))
        .map(|(m, count)| (m, count.parse().expect("a count")))
        .collect();
    assert_eq!(counts.len(), 48);
    assert!(counts.is_sorted());
    assert!(counts.contains(&("e1g1", 2_059)), "{counts:?}");
    assert_eq!(counts.iter().map(|&(_, count)| count).sum::<u64>(), 97_862);
    assert!(total.starts_with("97862 nodes"));

    let args = ["perft", "3", "--divide", "--fen", KIWIPETE, "--chess960", "--json"];
    let report = json(&succeed(&args, b""));
    assert_eq!(report["divide"].as_object().map(serde_json::Map::len), Some(48));
    assert_eq!(report["divide"]["e1h1"], 2_059);
    assert_eq!(report["divide"]["e1g1"], Value::Null);
}

#[test]
fn a_suite_with_right_counts_passes() {
    let dir = TempDir::new();
    let suite = dir.write(
        "right.txt",
        format!(
            "# variant; FEN; counts\n\nstandard; {KIWIPETE}; 48 2039 97862\r\n\
             chess960; 1k6/8/8/8/8/8/8/5KR1 w G - 0 1; 13 60 1065 5379\n"
        )
        .as_bytes(),
    );
    let text = succeed(&["perft", "--suite", &suite], b"");
    assert!(text.starts_with("2 positions, 7 counts checked, 0 skipped, 0 wrong\n"), "{text}");

    let args = ["perft", "--suite", &suite, "--max-nodes", "2000", "--json"];
    let report = json(&succeed(&args, b""));
    assert_eq!(report["positions"], 2);
    assert_eq!(report["checked"], 4);
    assert_eq!(report["skipped"], 3);
    assert_eq!(report["failed"], json("[]"));
    assert_eq!(report["nodes"], 48 + 13 + 60 + 1_065);
    for name in ["seconds", "nps"] {
        assert!(report[name].is_number(), "{report}");
    }

    let report = json(&succeed(&["perft", "2", "--suite", &suite, "--json"], b""));
    assert_eq!((&report["checked"], &report["skipped"]), (&json("4"), &json("3")));
}

#[test]
fn a_suite_with_a_wrong_count_fails_and_says_which() {
    let dir = TempDir::new();
    let suite = dir.write(
        "wrong.txt",
        format!("standard; {KIWIPETE}; 48 2040\nstandard; {KIWIPETE}; 48\n").as_bytes(),
    );
    let output = run(&["perft", "--suite", &suite]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("line 1:") && text.contains("depth 2 is 2039, not 2040"), "{text}");
    assert!(text.contains("3 counts checked, 0 skipped, 1 wrong"), "{text}");

    let output = run(&["perft", "--suite", &suite, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(stdout(&output));
    let failed = report["failed"].as_array().expect("a list");
    assert_eq!(failed.len(), 1);
    for (name, expected) in [("line", 1), ("depth", 2), ("expected", 2_040), ("found", 2_039)] {
        assert_eq!(failed[0][name], expected, "{report}");
    }
    assert_eq!(failed[0]["fen"], KIWIPETE);
}

#[test]
fn a_malformed_suite_fails_with_file_and_line() {
    let good = format!("standard; {KIWIPETE}; 48\n");
    for (n, line) in [
        "standard; 8/8/8/8/8/8/8/8 w - - 0 1; 5",
        "standard; not a FEN; 5",
        "atomic; 4k3/8/8/8/8/8/8/4K3 w - - 0 1; 5",
        "standard; 4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "standard; 4k3/8/8/8/8/8/8/4K3 w - - 0 1; five",
        "standard; 4k3/8/8/8/8/8/8/4K3 w - - 0 1; -5",
        "standard; 4k3/8/8/8/8/8/8/4K3 w - - 0 1; 5; 6",
        "standard; 4k3/8/8/8/8/8/8/4K3 w - - 0 1; 99999999999999999999",
        "\u{0}",
    ]
    .into_iter()
    .enumerate()
    {
        let dir = TempDir::new();
        let suite = dir.write(&format!("bad{n}.txt"), format!("{good}{line}\n").as_bytes());
        let output = run(&["perft", "--suite", &suite]);
        assert_eq!(output.status.code(), Some(1), "{line}");
        let message = stderr(&output);
        assert!(message.contains(&format!("{}:2", &suite)), "{line}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn a_suite_without_positions_fails() {
    let dir = TempDir::new();
    let suite = dir.write("empty.txt", b"# nothing\n\n");
    let output = run(&["perft", "--suite", &suite]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("has no positions"), "{}", stderr(&output));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    for args in [&["perft", "--suite", "no/such/file"][..], &["legal", "no/such/file"]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(stdout(&output), "");
        let message = stderr(&output);
        assert!(message.starts_with("tabiya: cannot open no/such/file: "), "{message}");
    }
}

// tabiya legal

#[test]
fn legal_answers_each_line_with_a_line() {
    let input = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\
                 startpos moves e2e4 e7e5\r\n\
                 nonsense\n\
                 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n\
                 \n\
                 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let text = succeed(&["legal"], input.as_bytes());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6, "{text}");
    assert_eq!(sorted(lines[0]).len(), 20);
    assert_eq!(sorted(lines[1]).len(), 29);
    assert!(lines[2].starts_with("error: piece placement 'nonsense'"), "{}", lines[2]);
    assert_eq!(lines[3], "", "stalemate: no moves, no error");
    assert!(lines[4].starts_with("error: "), "{}", lines[4]);
    let expected = "e1d1 e1d2 e1e2 e1f1 e1f2 e1g1 h1f1 h1g1 h1h2 h1h3 h1h4 h1h5 h1h6 h1h7 h1h8";
    assert_eq!(sorted(lines[5]).join(" "), expected);
    let text = succeed(&["legal", "--chess960"], b"4k3/8/8/8/8/8/8/4K2R w K - 0 1\n");
    assert_eq!(sorted(&text).join(" "), expected.replace("e1g1", "e1h1"));
}

#[test]
fn legal_reads_files_too() {
    let dir = TempDir::new();
    let file = dir.write("fens.txt", b"startpos\nstartpos moves e2e4\n");
    assert_eq!(succeed(&["legal", &file], b"").lines().count(), 2);
    assert_eq!(succeed(&["legal", "-"], b"startpos\n").lines().count(), 1);
    let dir = TempDir::new();
    let empty = dir.write("no-fens.txt", b"");
    assert_eq!(succeed(&["legal", &empty], b""), "");
}

#[test]
fn legal_describes_positions_as_json() {
    let input = "startpos\nbad\n\
                 startpos moves f2f3 e7e5 g2g4 d8h4\n\
                 startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8\n\
                 8/8/4k3/8/8/4K3/8/8 w - - 120 90\n\
                 4k3/8/8/8/8/8/8/R3K3 w Q - 149 90 moves a1a2\n";
    let text = succeed(&["legal", "--json"], input.as_bytes());
    let lines: Vec<Value> = text.lines().map(json).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[0]["moves"].as_array().map(Vec::len), Some(20));
    assert_eq!(lines[0]["fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    for name in ["check", "checkmate", "stalemate", "insufficient_material"] {
        assert_eq!(lines[0][name], false, "{name}");
    }
    for name in ["key", "pawn_key"] {
        let key = lines[0][name].as_str().expect("a key");
        assert!(key.len() == 16 && u64::from_str_radix(key, 16).is_ok(), "{key}");
    }
    assert_eq!(lines[0]["outcome"], Value::Null);
    assert!(lines[1]["error"].as_str().is_some_and(|error| error.contains("'bad'")));
    assert_eq!(
        (&lines[2]["checkmate"], &lines[2]["outcome"]),
        (&json("true"), &json("\"checkmate\""))
    );
    assert_eq!(lines[3]["repetitions"], 3);
    assert_eq!(lines[3]["claimable"], "threefold repetition");
    assert_eq!(lines[4]["outcome"], "insufficient material");
    assert_eq!(lines[4]["claimable"], "50 moves");
    assert_eq!(lines[5]["outcome"], "75 moves");

    let text = succeed(&["legal", "--json", "--chess960"], b"startpos\n");
    assert!(json(&text)["fen"].as_str().is_some_and(|fen| fen.contains(" HAha ")));
}

#[test]
fn legal_survives_bytes_that_are_no_text() {
    let mut input =
        b"startpos\n\xff\xfe\x00\x80 w - - 0 1\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\xff\n".to_vec();
    input.extend(b"startpos moves e2\xc3\nstartpos");
    for args in [&["legal"][..], &["legal", "--json"]] {
        let text = succeed(args, &input);
        let errors: Vec<bool> = text.lines().map(|line| line.contains("error")).collect();
        assert_eq!(errors, [false, true, true, true, false], "{text}");
    }
}

#[test]
fn legal_refuses_a_line_that_is_too_long_and_continues() {
    // Six megabytes of moves; blanks that would hide what stands at the far end; no end at all.
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(300_000);
    let blanks = " ".repeat(2 << 20);
    let junk = "8".repeat(3 << 20);
    let input = format!("startpos moves {shuffle}\nstartpos{blanks}nonsense\nstartpos\n{junk}");
    let text = succeed(&["legal"], input.as_bytes());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(sorted(lines[2]).len(), 20);
    for n in [0, 1, 3] {
        assert!(lines[n].starts_with("error: "), "line {n}: {:.80}", lines[n]);
        assert!(lines[n].len() < 1_000, "an error of {} bytes", lines[n].len());
    }
}

#[test]
fn legal_plays_very_long_games() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(1_475);
    let text = succeed(&["legal", "--json"], format!("startpos moves {shuffle}").as_bytes());
    let answer = json(&text);
    assert_eq!(answer["repetitions"], 1_476);
    assert_eq!(answer["fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 5900 2951");
}

// tabiya board

#[test]
fn board_shows_a_board() {
    let text = succeed(&["board", "--style", "ascii", "--fen", "startpos moves e2e4"], b"");
    assert!(text.contains("FEN  rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"));
    assert!(text.contains("Black to move, 20 legal moves"), "{text}");
    assert_ne!(text, succeed(&["board", "--style", "ascii"], b""));
    for style in ["unicode", "ansi"] {
        assert!(succeed(&["board", "--style", style], b"").contains('♜'));
    }
}

#[test]
fn board_describes_the_position_as_json() {
    let report = json(&succeed(&["board", "--json", "--fen", KIWIPETE], b""));
    assert_eq!(report["fen"], KIWIPETE);
    assert_eq!(report["turn"], "w");
    assert_eq!(report["legal_moves"], 48);
    assert_eq!(report["check"], false);
    assert_eq!(report["key"].as_str().map(str::len), Some(16));
}

/// Elements properly nested and closed, attributes quoted, one root: enough of XML for our pictures.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<String> = Vec::new();
    let (mut rest, mut elements) = (svg.trim(), 0);
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        assert!(!open.is_empty() || text.trim().is_empty(), "text outside the root: {text}");
        assert!(!text.contains('>'), "{text}");
        let end = rest.find('>').expect("the tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if tag.starts_with(['?', '!']) {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "a tag closes what is not open");
            continue;
        }
        assert!(elements == 0 || !open.is_empty(), "two roots");
        elements += 1;
        assert_eq!(tag.matches('"').count() % 2, 0, "a quote is open in <{tag}>");
        assert!(!tag.contains('<'), "<{tag}>");
        let name = tag.split([' ', '/', '\n']).next().expect("a name").to_owned();
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(rest.trim().is_empty(), "text after the end: {rest}");
    assert!(open.is_empty(), "not closed: {open:?}");
    assert!(elements > 64, "only {elements} elements");
    for entity in svg.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "apos;", "#"];
        assert!(known.iter().any(|name| entity.starts_with(name)), "&{entity:.10}");
    }
}

#[test]
fn board_draws_well_formed_svg() {
    let variants: [&[&str]; 4] = [
        &["board", "--svg"],
        &["board", "--svg", "--orientation", "black", "--no-coordinates", "--size", "64"],
        &["board", "--svg", "--arrows", "Ge2e4,Rd8h4", "--marks", "Yf7", "--fen", KIWIPETE],
        &["board", "--svg", "--fen", "startpos moves f2f3 e7e5 g2g4 d8h4"],
    ];
    for args in variants {
        let svg = succeed(args, b"");
        assert!(svg.starts_with("<svg "), "{svg:.100}");
        assert_well_formed(&svg);
    }
}

// Pipes

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let many = "startpos\n".repeat(50_000);
    let dir = TempDir::new();
    let file = dir.write("many.txt", many.as_bytes());
    let calls: [&[&str]; 3] = [&["legal", &file], &["legal", "--json", &file], &["board", "--svg"]];
    for args in calls {
        let mut child = tabiya(args).spawn().expect("the program starts");
        let mut first = [0; 1];
        let mut pipe = child.stdout.take().expect("a pipe");
        if args[0] == "legal" {
            pipe.read_exact(&mut first).expect("some output");
        }
        drop(pipe);
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(stderr(&output), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn features_tell_the_active_ones_of_the_768_in_both_orders() {
    let report = json(&succeed(&["features", "--json"], b""));
    let numbers = |value: &Value| -> Vec<u64> {
        value.as_array().expect("a list").iter().filter_map(Value::as_u64).collect()
    };
    let active = numbers(&report["active"]);
    let mut expected: Vec<u64> = (48..56).collect(); // black pawns
    expected.extend([64 + 57, 64 + 62, 128 + 58, 128 + 61, 192 + 56, 192 + 63, 256 + 59, 320 + 60]);
    expected.extend(384 + 8..384 + 16); // white pawns
    expected.extend([448 + 1, 448 + 6, 512 + 2, 512 + 5, 576, 576 + 7, 640 + 3, 704 + 4]);
    assert_eq!(active, expected);
    assert_eq!(report["counts"]["white"]["rook"], 2);
    assert_eq!(report["material"], json(r#"{"white":39,"black":39,"balance":0}"#));
    // Black to move: his pieces first, and from his side of the board.
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
    let report = json(&succeed(&["features", "--fen", fen, "--json"], b""));
    assert_eq!(numbers(&report["active"]), [320 + 60, 384 + 12, 704 + 4]);
    assert_eq!(numbers(&report["mover"]), [320 + 4, 384 + 52, 704 + 60]);
    assert_eq!(report["turn"], "b");
}

#[test]
fn features_are_text_for_people_and_json_for_files() {
    let shown = succeed(&["features"], b"");
    assert!(shown.contains("pawn 384"), "{shown}");
    assert!(shown.contains("Material    White 39, Black 39, balance +0"), "{shown}");
    let lines = format!("startpos\n{KIWIPETE}\n");
    let report = succeed(&["features", "--file", "-"], lines.as_bytes());
    assert_eq!(report.lines().count(), 2);
    assert!(report.lines().all(|line| json(line)["active"].as_array().unwrap().len() == 32));
    let output = run_with(&["features", "--file", "-"], b"nonsense\nstartpos\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(json(stdout(&output).lines().next().unwrap())["line"], 1);
    let output = run(&["features", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
}
