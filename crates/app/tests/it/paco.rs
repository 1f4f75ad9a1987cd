//! `tabiya paco` from the outside: what goes in and comes out.

use std::process::Output;

use serde_json::{Value, json};

use crate::common::run_with;

fn paco(args: &[&str], input: &str) -> Output {
    run_with(&[&["paco"], args].concat(), input)
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json_of(args: &[&str]) -> Value {
    let output = paco(args, "");
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0 AHah - -";

#[test]
fn states_answers_every_line_and_continues_after_a_bad_one() {
    let lines = [
        json!({ "start_fen": START, "actions": [13, 93] }).to_string(),
        "{bad".to_owned(),
        json!({ "fen": "4k3/8/8/8/8/8/8/4K3 b 7 - - -", "actions": [{ "Lift": 60 }] }).to_string(),
        json!({ "start_fen": START, "actions": [13, 77] }).to_string(),
        json!({ "actions": [] }).to_string(),
        json!({ "fen": START, "actions": [133] }).to_string(),
        json!({ "start_fen": "8/8 w 0 - - -" }).to_string(),
    ];
    let output = paco(&["states", "--options", "0,1,6", "--sako"], &lines.join("\n"));
    assert!(output.status.success());
    let found: Vec<Value> =
        text(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), lines.len());
    assert_eq!(found[0]["fen"], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b 1 AHah e3 -");
    assert_eq!(found[0]["to_move"], "b");
    assert_eq!(found[0]["required"], "Lift");
    assert_eq!(found[0]["hand"], Value::Null);
    assert_eq!(found[0]["en_passant"], 20);
    assert_eq!(found[0]["castling"], json!([true, true, true, true]));
    assert_eq!(found[0]["no_progress"], 1);
    assert_eq!(found[0]["victory"], "Running");
    assert_eq!(found[0]["legal"], json!([49, 50, 51, 52, 53, 54, 55, 56, 58, 63]));
    assert_eq!(found[0]["idx"]["0"].as_array().unwrap().len(), 39);
    assert_eq!(found[0]["idx"]["1"].as_array().unwrap().len(), 38);
    assert_eq!(found[0]["idx"]["6"].as_array().unwrap().len(), 41);
    assert_eq!(found[0]["sako_by_me"], false);
    assert_eq!(found[0]["sako_by_opp"], false);
    assert!(found[1]["error"].as_str().unwrap().contains("not JSON"));
    assert_eq!(found[2]["hand"], json!({ "piece": "K", "sq": 60 }));
    assert_eq!(found[2]["no_progress"], 8);
    assert!(found[2]["idx_error"].as_str().unwrap().contains("32 pieces"));
    for (line, expected) in [
        (3, "action 2 (77): cannot place e2"),
        (4, "neither start_fen nor fen"),
        (5, "action 1 (133)"),
        (6, "8 ranks, not 2"),
    ] {
        let error = found[line]["error"].as_str().unwrap();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn perft_counts_actions_and_turns() {
    assert_eq!(json_of(&["perft", "6", "--json"])["nodes"], 8902);
    assert_eq!(json_of(&["perft", "6", "--no-bulk", "--json"])["nodes"], 8902);
    assert_eq!(json_of(&["perft", "3", "--turns", "--json"])["nodes"], 8902);
    let text = text(&paco(&["perft", "2"], ""));
    assert!(text.starts_with("20 nodes in "), "{text}");
}

#[test]
fn sako_shows_the_way_to_the_king() {
    let fen = "rnbqkbnr/p1p2ppp/8/1e2p3/4P3/2N5/PPPP1PPP/R1BQK1NR w 0 AHah - -";
    let found = json_of(&["sako", "--json", "--in", "2", "--fen", fen]);
    assert_eq!(found["sako_by_me"], true);
    assert_eq!(found["sako_by_opp"], false);
    assert_eq!(found["sequences"], json!(["Nc3>Bb5xe8"]));
    assert_eq!(found["paco_in"]["forced"], true);
}

#[test]
fn a_board_is_drawn_as_text_and_as_svg_with_both_pieces_of_a_union() {
    let fen = "4k3/8/8/3c4/8/8/8/4K3 w 0 - - -";
    let drawn = text(&paco(&["board", "--fen", fen], ""));
    assert!(drawn.contains("♖♟"), "{drawn}");
    let svg = text(&paco(&["board", "--svg", "--fen", fen], ""));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("rook") && svg.contains("pawn"));
    assert_eq!(json_of(&["board", "--json"])["required"], "Lift");
}

#[test]
fn wrong_calls_and_bad_positions_are_reported_in_one_line() {
    let output = paco(&["sako", "--fen", "nonsense"], "");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("tabiya: ") && error.lines().count() == 1, "{error}");
    assert_eq!(paco(&["perft"], "").status.code(), Some(2));
    assert_eq!(paco(&["states", "--options", "8"], "").status.code(), Some(2));
    assert_eq!(paco(&["play", "--time", "-1"], "").status.code(), Some(2));
}

#[test]
fn a_game_in_the_terminal_takes_turns_mistakes_and_undo() {
    let typed = "help\nfoo\nNg1\nundo\ne2>e4\nundo\nfen\nquit\n";
    let said = text(&paco(&["play", "--time", "0.05"], typed));
    assert!(said.contains("does not belong here"), "{said}");
    assert!(said.contains("in hand over g1: ♘"), "{said}");
    assert!(said.contains("Black plays "), "{said}");
    assert!(said.contains(&format!("{START} - 1")), "undo leads back to the start: {said}");
}

#[test]
fn a_game_takes_moves_as_uci_writes_them_and_ends_in_words() {
    let bishop_sees_king = "rnbqkbnr/ppp2ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR";
    let white = format!("{bishop_sees_king} w 0 AHah - -");
    for typed in ["b5e8\n", "b5-e8\n", "Bb5xe8\n"] {
        let said = text(&paco(&["play", "--time", "0.05", "--fen", &white], typed));
        assert!(said.contains("White wins by Paco"), "{typed}: {said}");
        assert!(!said.contains("PacoVictory") && !said.contains('\u{1b}'), "{said}");
    }
    let said = text(&paco(&["play", "--time", "0.05"], "e2e4\nfen\nquit\n"));
    assert!(said.contains("Black plays ") && !said.contains('^'), "{said}");
}

#[test]
fn who_is_in_sako_or_stays_in_it_is_reported() {
    let position = "rnbqkbnr/ppp2ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR b 0 AHah - -";
    let args = ["play", "--color", "black", "--time", "0.05", "--fen", position];
    let said = text(&paco(&args, "a7a6\n"));
    let warned = said.find("You are in Ŝako: White threatens").expect(&said);
    let left = said.find("You have left yourself in Ŝako").expect(&said);
    let end = said.find("White wins by Paco").expect(&said);
    assert!(warned < left && left < end, "{said}");
    // A turn that answers the threat is no reason to warn.
    let said = text(&paco(&args, "c7c6\nquit\n"));
    assert!(!said.contains("left yourself"), "{said}");
    let said = text(&paco(&args, "sako\nquit\n"));
    assert!(said.contains("White threatens to unite with Black's king"), "{said}");
    let quiet = text(&paco(&["play", "--time", "0.05"], "quit\n"));
    assert!(!quiet.contains("in Ŝako"), "{quiet}");
}

#[test]
fn the_board_is_shown_when_it_changes_and_on_demand_only() {
    let boards = |typed: &str| {
        let said = text(&paco(&["play", "--time", "0.05"], typed));
        said.lines().filter(|line| line.trim() == "a  b  c  d  e  f  g  h").count()
    };
    assert_eq!(boards("foo\nbar\nhelp\n\nfen\nsako\nturns\nquit\n"), 1);
    assert_eq!(boards("foo\nboard\nquit\n"), 2);
    assert_eq!(boards("g1\nundo\nquit\n"), 3);
}

#[test]
fn self_play_writes_games_that_states_replays_and_rows_for_a_network() {
    let args = ["selfplay", "--games", "1", "--depth", "1", "--max-turns", "30"];
    let games = text(&paco(&args, ""));
    let game: Value = serde_json::from_str(&games).unwrap();
    let state = text(&paco(&["states"], &games));
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["victory"], game["victory"]);
    let rows = text(&paco(&[&args[..], &["--rows", "--options", "6"]].concat(), ""));
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), game["actions"].as_array().unwrap().len());
    assert_eq!(rows[0]["idx"].as_array().unwrap().len(), 41);
}

#[test]
fn a_match_counts_its_games() {
    let found = json_of(&["match", "search", "random", "--games", "2", "--json"]);
    assert_eq!(found["wins"], 2);
    assert_eq!(found["games"], 2);
}
