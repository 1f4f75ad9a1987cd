//! `tabiya analyse` as its users see it.

use std::io::{BufRead, BufReader};
use std::process::{Output, Stdio};
use std::time::Duration;

use chess::pgn::{Nag, Node, read_trees};
use serde_json::Value;
use test_support::TempDir;

use crate::common::{self, tabiya, text};

/// White takes a bishop and leaves the king in a smothered mate.
const BLUNDERS: &str = "[White \"A & <B>\"]\n[Black \"C\"]\n[Result \"0-1\"]\n\n\
                        1. d4 Nf6 2. c4 e5 3. dxe5 Ng4 4. Bf4 Nc6 5. Nf3 Bb4+ 6. Nbd2 Qe7 \
                        7. a3 Ngxe5 8. axb4 Nd3# 0-1\n";

fn run(args: &[&str]) -> Output {
    common::run(&[&["analyse"], args].concat())
}

/// Runs the command, which must succeed without a warning.
fn succeed(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{args:?}");
    text(&output.stdout).to_owned()
}

#[test]
fn a_position_gets_a_board_and_lines_as_white_sees_them() {
    let mate = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 4";
    let text = succeed(&["--fen", mate, "--depth", "4"]);
    assert!(text.contains("8 │ ♜ · ♝"), "{text}");
    assert!(text.contains("White to move."), "{text}");
    assert!(text.contains("\n      pawns    win  draw  loss  for White\n"), "{text}");
    assert!(text.ends_with(" 1.      #1  100 %   0 %   0 %  4. Qxf7#\n"), "{text}");
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
    let folder = TempDir::new();
    let pgn = folder.write("game.pgn", BLUNDERS);
    let text = succeed(&["--pgn", &pgn, "--depth", "7"]);
    assert!(text.starts_with("A & <B> – C  0-1\n"), "{text}");
    assert!(text.contains("   1.  d4 "), "{text}");
    assert!(text.contains("8. axb4 ?? gives away"), "{text}");
    let last = text.lines().find(|line| line.starts_with("   8.")).expect("an eighth move");
    let words: Vec<&str> = last.split_whitespace().collect();
    assert_eq!(
        words,
        ["8.", "axb4", "??", "#-1", "Nd3#", "#"],
        "mate is near, and then it is there"
    );
    assert!(text.contains("\nWhite: ") && text.contains("\nBlack: "), "{text}");
}

#[test]
fn a_game_as_json_has_every_move_with_score_loss_and_mark() {
    let folder = TempDir::new();
    let pgn = folder.write("game.pgn", BLUNDERS);
    let value: Value =
        serde_json::from_str(&succeed(&["--pgn", &pgn, "--depth", "7", "--json"])).expect("JSON");
    let moves = value["games"][0]["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 16);
    assert_eq!(moves[14]["san"], "axb4");
    assert_eq!(moves[14]["mark"], "??");
    assert!(moves[14]["better"]["line"].as_str().expect("a line").starts_with("8. "));
    assert!(moves.iter().all(|m| (0.0..=1.0).contains(&m["loss"].as_f64().expect("a number"))));
}

#[test]
fn the_graph_is_a_picture_with_a_dot_for_every_mark_and_names_that_cannot_break_it() {
    let folder = TempDir::new();
    let (pgn, svg) = (folder.write("game.pgn", BLUNDERS), folder.path("graph.svg"));
    let table = succeed(&["--pgn", &pgn, "--depth", "6", "--svg", &svg]);
    let picture = std::fs::read_to_string(&svg).expect("a picture");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("A &amp; &lt;B&gt; – C") && !picture.contains("<B>"), "{picture}");
    let marked = table.lines().filter(|line| line.contains(" gives away ")).count();
    assert!(marked > 0);
    assert_eq!(picture.matches("stroke=\"#ffffff\"").count(), marked, "{table}");
    // Sixteen moves to point at, and the title.
    assert_eq!(picture.matches("<title>").count(), 17);
}

#[test]
fn an_annotated_game_reads_back_with_evaluations_marks_and_better_lines() {
    let folder = TempDir::new();
    let pgn = folder.write("game.pgn", BLUNDERS.repeat(2));
    let annotated = folder.path("annotated.pgn");
    succeed(&["--pgn", &pgn, "--depth", "5", "--annotate", &annotated]);
    let games = read_trees(&std::fs::read(&annotated).expect("a file"));
    assert_eq!(games.len(), 2);
    for game in games {
        let game = game.expect("a game that can be read");
        assert_eq!(game.main_line().count(), 16);
        let evals =
            |node: &Node| node.comments().iter().filter(|c| c.starts_with("[%eval ")).count();
        let evals: Vec<usize> = game.main_line().map(|(_, node)| evals(node)).collect();
        assert_eq!(evals, [vec![1; 15], vec![0]].concat(), "one for each move but the mate");
        let (_, blunder) = game.main_line().nth(14).expect("a fifteenth move");
        assert_eq!(blunder.nags(), [Nag::BLUNDER]);
        let parent = game.node(blunder.parent().expect("a parent")).expect("a node");
        assert_eq!(parent.children().len(), 2, "the better line is a variation");
    }
}

#[test]
fn what_is_wrong_is_reported_in_one_line() {
    let folder = TempDir::new();
    let two = folder.write("two.pgn", BLUNDERS.repeat(2));
    let bad = folder.write("bad.pgn", "1. e4 e5 2. Ke3 *\n");
    let empty = folder.write("empty.pgn", "");
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
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {report}");
        let last = report.lines().last().unwrap_or_default();
        assert!(report.starts_with("tabiya: ") && report.contains(part), "{args:?}: {report}");
        assert!(report.lines().count() <= 2 && last.len() < 300, "{args:?}: {report}");
    }
    for args in [&["--time", "0"][..], &["--time", "NaN"], &["--depth", "0"], &["--multipv", "0"]] {
        assert_eq!(run(args).status.code(), Some(2), "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_search_and_keeps_what_is_known() {
    let mut child = tabiya(&["analyse", "--time", "1000"]).spawn().expect("the program starts");
    // Once the board is there, it listens.
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.expect("UTF-8") == "White to move."));
    std::thread::sleep(Duration::from_millis(200));
    common::interrupt(&child);
    let last = lines.last().expect("lines").expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(last.starts_with(" 1. ") && last.matches(" %").count() == 3, "{last}");
}

/// Games as text, so that they can be compared after being written.
fn games(path: &str) -> Vec<String> {
    let text = std::fs::read(path).expect("a file");
    read_trees(&text).into_iter().map(|game| game.expect("a game").to_string()).collect()
}

#[cfg(unix)]
#[test]
fn an_interrupt_between_games_exits_with_130_and_loses_no_game() {
    const COUNT: usize = 1000;
    let folder = TempDir::new();
    let pgn = folder.write("games.pgn", BLUNDERS.repeat(COUNT));
    let annotated = folder.path("annotated.pgn");
    let args = ["analyse", &pgn, "--depth", "4", "--annotate", &annotated];
    let mut child = tabiya(&args).spawn().expect("the program starts");
    // Once a game is reported, others are being analysed.
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.expect("UTF-8").starts_with("Black: ")));
    common::interrupt(&child);
    let _ = lines.count();
    let output = child.wait_with_output().expect("it ends");
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{report}");
    assert!(report.contains(&format!("of {COUNT} games were analysed")), "{report}");
    let games = games(&annotated);
    assert_eq!(games.len(), COUNT);
    assert!(games[0].contains("[%eval") && !games[0].contains("stopped"));
    assert!(!games[COUNT - 1].contains("[%eval"), "the last game was analysed too soon");
    let partly = |game: &&String| game.contains("Analysis stopped here.");
    assert!(games.iter().filter(partly).count() <= 1);
}

#[test]
fn an_output_that_is_the_input_is_refused_and_the_input_stays() {
    let folder = TempDir::new();
    let pgn = folder.write("game.pgn", BLUNDERS);
    let linked = folder.path("link.pgn");
    std::fs::hard_link(&pgn, &linked).expect("a link");
    for option in ["--annotate", "--svg"] {
        for output in [&pgn, &linked] {
            let report = run(&["--pgn", &pgn, "--depth", "1", option, output]);
            assert_eq!(report.status.code(), Some(1));
            assert!(String::from_utf8_lossy(&report.stderr).contains("is the input"), "{report:?}");
            assert_eq!(std::fs::read_to_string(&pgn).expect("the input"), BLUNDERS);
        }
    }
    let both = folder.path("both");
    let report = run(&["--pgn", &pgn, "--depth", "1", "--svg", &both, "--annotate", &both]);
    assert_eq!(report.status.code(), Some(1), "{report:?}");
    assert!(!std::path::Path::new(&both).exists());
}

#[test]
fn an_old_file_stays_if_the_analysis_is_killed() {
    let folder = TempDir::new();
    let pgn = folder.write("game.pgn", BLUNDERS);
    let annotated = folder.write("annotated.pgn", "old");
    let args = ["analyse", "--pgn", &pgn, "--time", "1000", "--annotate", &annotated];
    let mut child = tabiya(&args).stdout(Stdio::null()).spawn().expect("the program starts");
    // Once there is a third file, it writes.
    while std::fs::read_dir(folder.root()).expect("a folder").count() < 3 {
        assert!(child.try_wait().expect("a child").is_none(), "it ended before it wrote");
        assert_eq!(std::fs::read_to_string(&annotated).expect("the old file"), "old");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    assert_eq!(std::fs::read_to_string(&annotated).expect("the old file"), "old");
}

#[test]
fn a_game_with_a_bad_move_is_analysed_up_to_it_and_nothing_is_lost() {
    let folder = TempDir::new();
    let bad = "[White \"X\"]\n\n1. e4 { best } e5 2. Ke3 { oops } Nf6 (2... d5) 3. d4 0-1\n\n";
    let pgn = folder.write("games.pgn", format!("{BLUNDERS}\n{bad}{BLUNDERS}"));
    let annotated = folder.path("annotated.pgn");
    let output = run(&["--pgn", &pgn, "--depth", "3", "--annotate", &annotated]);
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert_eq!(report.matches("game 2").count(), 1, "{report}");
    assert!(
        report.contains("move 2.Ke3") && report.ends_with("; analysed up to there\n"),
        "{report}"
    );
    let table = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(table.contains("What follows could not be read:"), "{table}");
    let games = games(&annotated);
    assert_eq!(games.len(), 3);
    let words: Vec<&str> = games[1].split_whitespace().collect();
    let text = words.join(" ");
    assert!(text.contains("{ best } 1... e5 { [%eval "), "{text}");
    assert!(text.contains("{ Unread: Ke3 ( oops ) Nf6 (2... d5) 3. d4 0-1 }"), "{text}");
    assert!(games[2].contains("Nd3#"));
    // The same game alone.
    let output = run(&["--pgn", &pgn, "--depth", "3", "--game", "2", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let game = &value["games"][0];
    assert_eq!(game["moves"].as_array().map(Vec::len), Some(2));
    assert_eq!(game["complete"], false);
    assert!(game["problem"].as_str().is_some_and(|problem| problem.contains("2.Ke3")));
}

#[test]
fn annotating_twice_changes_no_evaluation_twice_and_keeps_lines_short() {
    let folder = TempDir::new();
    let pgn = folder.write("game.pgn", BLUNDERS);
    let (once, twice) = (folder.path("once.pgn"), folder.path("twice.pgn"));
    succeed(&["--pgn", &pgn, "--depth", "5", "--annotate", &once]);
    succeed(&["--pgn", &once, "--depth", "5", "--annotate", &twice]);
    let text = std::fs::read_to_string(&twice).expect("a file");
    assert_eq!(text, std::fs::read_to_string(&once).expect("a file"));
    // Every move has one but for the last, which mates.
    assert_eq!(text.matches("[%eval ").count(), 15);
    assert!(!text.contains("#0"), "{text}");
    for line in text.lines() {
        assert!(line.len() <= 79, "{line}");
        assert!(line.starts_with('[') || line.matches('[').count() == line.matches(']').count());
    }
}

#[test]
fn a_file_or_a_position_needs_no_option() {
    let folder = TempDir::new();
    let pgn = folder.write("game.pgn", BLUNDERS);
    assert_eq!(succeed(&[&pgn, "--depth", "2"]), succeed(&["--pgn", &pgn, "--depth", "2"]));
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq -";
    let mate = "  4. Qxf7#\n";
    for args in [&[fen, "--depth", "2"][..], &["--fen", fen, "--depth", "2"]] {
        assert!(succeed(args).ends_with(&mate.replace("4.", "1.")), "{args:?}");
    }
    let six = format!("{fen} 2 4");
    let mut words: Vec<&str> = six.split(' ').collect();
    words.extend(["--depth", "2"]);
    assert!(succeed(&words).ends_with(mate), "without quotes");
    let report = run(&["nothing.pgn"]);
    let text = String::from_utf8_lossy(&report.stderr);
    assert_eq!(report.status.code(), Some(1));
    assert!(text.contains("'nothing.pgn' is neither a file nor a position"), "{text}");
    // What is behind a FEN is not passed over.
    assert_eq!(run(&[&format!("{six} e2e4")]).status.code(), Some(1));
    for args in [&[fen, "--game", "1"][..], &[&pgn, "--multipv", "2"], &[&pgn, "--pgn", &pgn]] {
        assert_eq!(run(args).status.code(), Some(2), "{args:?}");
    }
    let spelled = common::run(&["analyze", fen, "--depth", "1"]);
    assert_eq!(spelled.status.code(), Some(0));
}

#[test]
fn everything_fits_the_width_and_lines_are_cut_at_whole_moves() {
    let folder = TempDir::new();
    let long = BLUNDERS.replace("A & <B>", &"A long name ".repeat(9));
    let pgn = folder.write("game.pgn", &long);
    let middlegame = "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 w - - 0 11";
    for width in [60, 80] {
        for args in
            [&["--fen", middlegame, "--depth", "12", "--multipv", "3"][..], &[&pgn, "--depth", "6"]]
        {
            let mut command = tabiya(&["analyse"]);
            let output = command.args(args).env("COLUMNS", width.to_string()).output();
            let output = output.expect("the program runs");
            let text = String::from_utf8(output.stdout).expect("UTF-8");
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
            assert!(text.contains(" …"), "{text}");
        }
    }
}
