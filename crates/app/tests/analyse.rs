//! `tabiya analyse` as its users see it.

mod folder;

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use chess::pgn::{Nag, read_trees};
use folder::Folder;
use serde_json::Value;

/// White leaves a pawn and then the king; Black sees only the second.
const BLUNDERS: &str = "[White \"A & <B>\"]\n[Black \"C\"]\n[Result \"0-1\"]\n\n\
                        1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ \
                        7. Be2 Nf3# 0-1\n";

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command.arg("analyse").args(args).stdin(Stdio::null());
    command.output().expect("the program runs")
}

fn succeed(args: &[&str]) -> String {
    let output = run(args);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), complaint.as_str()), (Some(0), ""), "{args:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

impl Folder {
    fn with(&self, name: &str, content: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file");
        path
    }
}

#[test]
fn a_position_gets_a_board_and_lines_as_white_sees_them() {
    let mate = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 4";
    let text = succeed(&["--fen", mate, "--depth", "4"]);
    assert!(text.contains("8 │ ♜ · ♝"), "{text}");
    assert!(text.contains("White to move."), "{text}");
    assert!(text.ends_with("#1  100 % win    0 % draw    0 % loss   4. Qxf7#\n"), "{text}");
    // Black is a queen up and to move: a minus for White.
    let text = succeed(&["--fen", "q3k3/8/8/8/8/8/8/4K3 b - - 0 1", "--depth", "3"]);
    assert!(text.contains(" -") || text.contains("#-"), "{text}");
    let text = succeed(&["--fen", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"]);
    assert!(text.ends_with("White has mated.\n"), "{text}");
}

#[test]
fn as_many_lines_are_shown_as_were_asked_for_best_first() {
    let text = succeed(&["--depth", "4", "--multipv", "3", "--json"]);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let lines = value["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), 3);
    let scores: Vec<i64> = lines.iter().map(|l| l["score"]["cp"].as_i64().expect("cp")).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    for line in lines {
        assert_eq!(line["depth"], 4);
        let chances = &line["chances"];
        let sum: i64 = ["win", "draw", "loss"].iter().filter_map(|k| chances[k].as_i64()).sum();
        assert_eq!(sum, 1000);
    }
}

#[test]
fn a_game_gets_a_table_with_its_blunders_marked() {
    let folder = Folder::new("table");
    let pgn = folder.with("game.pgn", BLUNDERS);
    let text = succeed(&["--pgn", &pgn, "--depth", "7"]);
    assert!(text.starts_with("A & <B> – C  0-1\n"), "{text}");
    assert!(text.contains("   1.  e4 "), "{text}");
    assert!(text.contains("5. Nxf7 ?? gives away"), "{text}");
    let last = text.lines().find(|line| line.starts_with("   7.")).expect("a seventh move");
    let words: Vec<&str> = last.split_whitespace().collect();
    assert_eq!(words, ["7.", "Be2", "#-1", "Nf3#", "#"], "mate is near, and then it is there");
    assert!(text.contains("\nWhite: ") && text.contains("\nBlack: "), "{text}");
}

#[test]
fn a_game_as_json_has_every_move_with_score_loss_and_mark() {
    let folder = Folder::new("json");
    let pgn = folder.with("game.pgn", BLUNDERS);
    let value: Value =
        serde_json::from_str(&succeed(&["--pgn", &pgn, "--depth", "6", "--json"])).expect("JSON");
    let moves = value["games"][0]["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 14);
    assert_eq!(moves[8]["san"], "Nxf7");
    assert_eq!(moves[8]["mark"], "??");
    assert!(moves[8]["better"]["line"].as_str().expect("a line").starts_with("5. "));
    assert!(moves.iter().all(|m| (0.0..=1.0).contains(&m["loss"].as_f64().expect("a number"))));
}

#[test]
fn the_graph_is_a_picture_with_a_dot_for_every_mark_and_names_that_cannot_break_it() {
    let folder = Folder::new("graph");
    let (pgn, svg) = (folder.with("game.pgn", BLUNDERS), folder.path("graph.svg"));
    let table = succeed(&["--pgn", &pgn, "--depth", "6", "--svg", &svg]);
    let picture = std::fs::read_to_string(&svg).expect("a picture");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("A &amp; &lt;B&gt; – C") && !picture.contains("<B>"), "{picture}");
    let marked = table.lines().filter(|line| line.contains(" gives away ")).count();
    assert!(marked > 0);
    assert_eq!(picture.matches("stroke=\"#ffffff\"").count(), marked, "{table}");
    // Fourteen moves to point at, and the title.
    assert_eq!(picture.matches("<title>").count(), 15);
}

#[test]
fn an_annotated_game_reads_back_with_evaluations_marks_and_better_lines() {
    let folder = Folder::new("annotate");
    let pgn = folder.with("game.pgn", &BLUNDERS.repeat(2));
    let annotated = folder.path("annotated.pgn");
    succeed(&["--pgn", &pgn, "--depth", "5", "--annotate", &annotated]);
    let games = read_trees(&std::fs::read(&annotated).expect("a file"));
    assert_eq!(games.len(), 2);
    for game in games {
        let game = game.expect("a game that can be read");
        assert_eq!(game.main_line().count(), 14);
        assert!(game.main_line().all(|(_, node)| node.comments()[0].starts_with("[%eval ")));
        let (_, blunder) = game.main_line().nth(8).expect("a ninth move");
        assert_eq!(blunder.nags(), [Nag::BLUNDER]);
        let parent = game.node(blunder.parent().expect("a parent")).expect("a node");
        assert_eq!(parent.children().len(), 2, "the better line is a variation");
    }
}

#[test]
fn what_is_wrong_is_told_in_one_line() {
    let folder = Folder::new("errors");
    let two = folder.with("two.pgn", &BLUNDERS.repeat(2));
    let bad = folder.with("bad.pgn", "1. e4 e5 2. Ke3 *\n");
    let empty = folder.with("empty.pgn", "");
    for (args, part) in [
        (&["--fen", "nonsense"][..], "nonsense"),
        (&["--fen", "startpos moves e2e5"], "e2e5"),
        (&["--pgn", "/nowhere.pgn"], "/nowhere.pgn"),
        (&["--pgn", "/"], "/"),
        (&["--pgn", &empty], "no games"),
        (&["--pgn", &bad], "game 1"),
        (&["--pgn", &two, "--game", "3"], "no game 3"),
        (&["--pgn", &two, "--svg", "never.svg", "--depth", "1"], "--game"),
        (&["--pgn", &two, "--depth", "1", "--annotate", "/nowhere/x.pgn"], "/nowhere/x.pgn"),
        (&["--depth", "1", "--svg", "/nowhere/x.svg"], "/nowhere/x.svg"),
    ] {
        let output = run(args);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {told}");
        let last = told.lines().last().unwrap_or_default();
        assert!(told.starts_with("tabiya: ") && told.contains(part), "{args:?}: {told}");
        assert!(told.lines().count() <= 2 && last.len() < 300, "{args:?}: {told}");
    }
    for args in [&["--time", "0"][..], &["--time", "NaN"], &["--depth", "0"], &["--multipv", "0"]] {
        assert_eq!(run(args).status.code(), Some(2), "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_search_and_keeps_what_is_known() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["analyse", "--time", "1000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Once the board is there, it listens.
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.expect("UTF-8") == "White to move."));
    std::thread::sleep(Duration::from_millis(200));
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status().expect("kill runs");
    assert!(sent.success());
    let last = lines.last().expect("lines").expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(last.starts_with(" 1. ") && last.contains(" % win"), "{last}");
}
