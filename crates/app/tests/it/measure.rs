//! `tabiya epd`, `tabiya ratings` and `tabiya tune` from the command line.

use std::process::Stdio;

use test_support::TempDir;

use crate::common::{fail, json, run, succeed, succeed_json, tabiya, text};

const SUITE: &str = "# two mates, one move to avoid\n\
    6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"a name of many words, for a narrow table\";\n\
    7k/6pp/8/8/8/1Q6/8/6K1 w - - 0 1 bm Qe6 Qb8+;\n\n\
    6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - am Rd8#; id \"avoid\";\n";

#[test]
fn a_suite_is_solved_and_reported() {
    let folder = TempDir::new();
    let file = folder.write("suite.epd", SUITE);
    let report = succeed_json(&["epd", &file, "--depth", "4", "--json"]);
    assert_eq!((&report["solved"], &report["positions"]), (&2.into(), &3.into()));
    let results = report["results"].as_array().unwrap();
    assert_eq!(results[0]["played"], "d1d8");
    assert_eq!((&results[0]["mate"], &results[0]["solved"]), (&1.into(), &true.into()));
    assert_eq!((&results[1]["id"], &results[1]["line"]), (&"line 3".into(), &3.into()));
    assert_eq!((&results[2]["am"][0], &results[2]["solved"]), (&"d1d8".into(), &false.into()));
    // The same nodes every time, whatever the order.
    let again = succeed_json(&["epd", &file, "--nodes", "2000", "--hash", "1", "--json"]);
    assert_eq!(
        again["nodes"],
        succeed_json(&["epd", &file, "--nodes", "2000", "--hash", "1", "--json"])["nodes"]
    );
    let table = succeed(&["epd", &file, "--time", "0.01", "--threads", "2"]);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("not Rd8#") && table.ends_with("solved 2 of 3 positions (66.7 %)\n"));
}

#[test]
fn a_suite_fails_by_its_lines_and_by_what_it_requires() {
    let folder = TempDir::new();
    let file = folder.write("suite.epd", SUITE);
    let code = |args: &[&str]| run(&[&["epd"], args].concat()).status.code();
    assert_eq!(code(&[&file, "--depth", "3", "--at-least", "2"]), Some(0));
    assert_eq!(code(&[&file, "--depth", "3", "--at-least", "3"]), Some(1));
    assert_eq!(code(&[&file, "--depth", "3", "--nodes", "3"]), Some(2));
    assert_eq!(code(&[&file, "--depth", "0"]), Some(2));
    let bad =
        folder.write("bad.epd", format!("{SUITE}nonsense\n6k1/8/8/8/8/8/8/6K1 w - - bm Qa1;\n"));
    let output = run(&["epd", &bad, "--depth", "3"]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains("line 6: ") && message.contains("line 7: bm: "), "{message}");
    assert!(text(&output.stdout).contains("solved 2 of 3"));
    assert!(fail(&["epd", &folder.write("none.epd", "# nothing\n")], 1).contains("no positions"));
    assert!(fail(&["epd", &folder.path("missing.epd")], 1).contains("missing.epd"));
}

#[test]
fn suites_may_be_compressed_or_come_from_standard_input() {
    let folder = TempDir::new();
    folder.write("suite.epd", SUITE);
    let plain = succeed(&["epd", &folder.path("suite.epd"), "--depth", "2"]);
    let Ok(gzip) = std::process::Command::new("gzip")
        .args(["-c", &folder.path("suite.epd")])
        .stdout(Stdio::piped())
        .output()
    else {
        panic!("gzip is part of every system that builds this")
    };
    let file = folder.write("suite.epd.gz", &gzip.stdout);
    assert_eq!(succeed(&["epd", &file, "--depth", "2"]).len(), plain.len());
    let output = crate::common::pipe_into(&mut tabiya(&["epd", "-", "--depth", "2"]), &gzip.stdout);
    assert!(text(&output.stdout).contains("of 3 positions"), "{output:?}");
}

fn game(white: &str, black: &str, result: &str) -> String {
    format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n\n")
}

#[test]
fn players_are_rated_by_their_results() {
    let folder = TempDir::new();
    let games = [
        game("A", "B", "1-0").repeat(6),
        game("B", "A", "1/2-1/2").repeat(3),
        game("B", "A", "1-0"),
        game("C", "A", "1-0"),
        game("A", "B", "*"),
    ];
    let file = folder.write("games.pgn", games.concat());
    let report = succeed_json(&["ratings", &file, "--anchor", "B=1000", "--json"]);
    assert_eq!((&report["games"], &report["skipped"]), (&11.into(), &1.into()));
    let players = report["players"].as_array().unwrap();
    let names: Vec<&str> = players.iter().map(|player| player["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["A", "B", "C"]);
    let elo = |n: usize| players[n]["elo"].as_f64().unwrap();
    // 7.5 of 10 points.
    assert!((elo(0) - 1000.0 - 190.85).abs() < 0.01 && (elo(1) - 1000.0).abs() < 1e-9);
    assert!(players[0]["error"].as_f64().unwrap() > 100.0);
    // Won its only game.
    assert!(players[2]["elo"].is_null());
    let table = succeed(&["ratings", &file, "--mean", "-50"]);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("45.4") && table.contains("1 player without a rating"), "{table}");
    // The games of two files count together.
    let twice = json(&succeed(&["ratings", &file, &file, "--json"]));
    assert_eq!(twice["games"], 22);
}

#[test]
fn wrong_anchors_and_files_are_errors() {
    let folder = TempDir::new();
    let file = folder.write("games.pgn", game("A", "B", "1-0"));
    assert!(fail(&["ratings", &file, "--anchor", "X=2000"], 1).contains("'X'"));
    fail(&["ratings", &file, "--anchor", "X"], 2);
    fail(&["ratings", &file, "--anchor", "A=x"], 2);
    let output = run(&["ratings", &folder.path("missing.pgn")]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(succeed_json(&["ratings", "-", "--json"])["games"], 0);
}

/// A tuning of a few short games; the option changes the moves, since nodes are shared by all variations.
const TUNE: [&str; 14] = [
    "tune",
    "self",
    "--param",
    "MultiPV, int, 2, 1, 4, 1, 0.05",
    "--nodes",
    "60",
    "--max-moves",
    "16",
    "--resign",
    "score=100,moves=1",
    "--iterations",
    "4",
    "--concurrency",
    "1",
];

#[test]
fn a_tuning_moves_its_parameters_and_draws_them() {
    let folder = TempDir::new();
    let (state, svg) = (folder.path("tune.json"), folder.path("tune.svg"));
    let more = ["--state", &state, "--svg", &svg, "--json"];
    let report = succeed_json(&[&TUNE[..], &more].concat());
    assert_eq!((&report["iterations"], &report["games"]), (&4.into(), &8.into()));
    let parameter = &report["parameters"][0];
    assert_eq!(parameter["name"], "MultiPV");
    assert!((1.0..=4.0).contains(&parameter["value"].as_f64().unwrap()));
    assert!(std::fs::read_to_string(&svg).unwrap().contains("MultiPV"));
    // Complete: nothing is played again.
    assert_eq!(succeed_json(&[&TUNE[..], &more].concat()), report);
    let mut other = TUNE;
    other[11] = "5";
    let message = fail(&[&other[..], &more].concat(), 1);
    assert!(message.contains("'iterations'"), "{message}");
    let table = succeed(&TUNE);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("4 of 4 iterations, 8 games"), "{table}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_tuning_resumes_to_the_same_values() {
    use std::time::{Duration, Instant};
    let folder = TempDir::new();
    let mut long = TUNE;
    long[11] = "12";
    let whole = succeed_json(&[&long[..], &["--json"]].concat());
    let state = folder.path("tune.json");
    let args = [&long[..], &["--json", "--state", &state]].concat();
    // A tuning that is over before the signal arrives begins anew.
    let is_interrupted = (0..10).any(|_| {
        let _ = std::fs::remove_file(&state);
        let mut child = tabiya(&args).spawn().unwrap();
        let start = Instant::now();
        while !std::path::Path::new(&state).exists() {
            assert!(start.elapsed() < Duration::from_secs(120), "no state");
            std::thread::sleep(Duration::from_millis(5));
        }
        crate::common::interrupt(&child);
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(130 | 0)), "{code:?}");
        code == Some(130)
    });
    assert!(is_interrupted, "it is always over before it can be interrupted");
    assert_eq!(succeed_json(&args), whole);
}

#[test]
fn wrong_parameters_are_errors() {
    let folder = TempDir::new();
    let failed =
        |more: &[&str], code| fail(&[&["tune", "self", "--nodes", "10"], more].concat(), code);
    failed(&[], 2);
    failed(&["--param", "MultiPV, int, 9, 1, 4, 1, 0.05"], 2);
    assert!(failed(&["--param", "Nonsense, int, 2, 1, 4, 1, 0.05"], 1).contains("Nonsense"));
    // Beyond the range of the option.
    let wide = "MultiPV, int, 2, 0, 4, 1, 0.05";
    assert!(failed(&["--param", wide], 1).contains("MultiPV"));
    let twice =
        folder.write("twice.txt", "MultiPV, int, 2, 1, 4, 1, 1\nmultipv, int, 2, 1, 4, 1, 1");
    assert!(failed(&["--params", &twice], 1).contains("twice"));
    let bad = folder.write("bad.txt", "\nMultiPV, int\n");
    assert!(failed(&["--params", &bad], 1).contains("line 2"));
    assert_eq!(succeed(&["tune", "self", "--list"]), "");
}
