//! `tabiya match` from the command line, with engines that fail on demand (`examples/fake_engine.rs`).

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use chess::pgn::{Annotation, GameResult, GameTree, annotations, read_trees};
use serde_json::Value;
use test_support::TempDir;

use crate::common::{TABIYA, tabiya};

/// The fake engine with these arguments; settings of the match follow a semicolon.
fn fake(words: &str) -> String {
    let program = Path::new(TABIYA);
    let fake = program.parent().expect("a folder").join("examples").join("fake_engine");
    assert!(fake.exists(), "cargo build -p tabiya --examples makes {}", fake.display());
    format!("'{}' {words}", fake.display())
}

fn command(engines: &[&str], args: &str) -> Command {
    let mut command = tabiya(&["match"]);
    command.args(engines.iter().map(|words| fake(words))).args(args.split_ascii_whitespace());
    command
}

fn run(engines: &[&str], args: &str) -> Output {
    command(engines, args).output().expect("the program runs")
}

/// The report of a match as JSON, and its exit code. Short games from two random moves.
fn report(engines: &[&str], args: &str) -> (Value, i32) {
    let output = run(engines, &format!("{args} --json --plies 2"));
    let text = String::from_utf8_lossy(&output.stdout);
    let value = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{error} in '{text}', {}", String::from_utf8_lossy(&output.stderr))
    });
    (value, output.status.code().expect("an exit code"))
}

fn games(path: &str) -> Vec<GameTree> {
    let text = std::fs::read(path).expect("a file of games");
    read_trees(&text).into_iter().map(|game| game.expect("a game that is right")).collect()
}

fn moves(game: &GameTree) -> Vec<String> {
    game.main_line().filter_map(|(_, node)| node.played()).map(|m| m.to_string()).collect()
}

#[test]
fn a_match_without_faults_is_reported_and_written_as_pgn() {
    let folder = TempDir::new();
    let pgn = folder.path("games.pgn");
    let args = format!("--games 6 --depth 3 --max-moves 30 --concurrency 2 --pgn {pgn}");
    let (report, code) = report(&["seed=1; name=A", "seed=2; name=B"], &args);
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["games"], 6);
    assert_eq!(report["failures"], serde_json::json!([]));
    let (a, b) = (&report["engines"][0], &report["engines"][1]);
    assert_eq!((&a["name"], &a["id"]), (&"A".into(), &"Fake 1.0".into()));
    let sum = |engine: &Value| {
        ["wins", "draws", "losses"].iter().filter_map(|name| engine[name].as_u64()).sum::<u64>()
    };
    assert_eq!((sum(a), sum(b)), (6, 6));
    assert_eq!(a["wins"], b["losses"]);
    let pairs: u64 = (0..5).filter_map(|n| a["pentanomial"][n].as_u64()).sum();
    assert_eq!(pairs, 3);

    let mut games = games(&pgn);
    assert_eq!(games.len(), 6);
    games.sort_by_key(|game| game.tag("Round").map(str::to_owned));
    for pair in games.chunks(2) {
        let [first, second] = pair else { panic!("a pair") };
        assert_eq!((first.tag("White"), first.tag("Black")), (Some("A"), Some("B")));
        assert_eq!((second.tag("White"), second.tag("Black")), (Some("B"), Some("A")));
        assert_eq!(moves(first)[..2], moves(second)[..2], "one opening, both colors");
        for game in pair {
            assert_ne!(game.result, GameResult::Unknown);
            let (_, node) = game.main_line().nth(2).expect("a move of the engine's");
            let comment = node.comments()[0].as_bytes();
            let found: Vec<_> = annotations(comment).collect();
            assert!(
                matches!(found[..], [Annotation::Eval(_), Annotation::MoveTime(_)]),
                "{found:?}"
            );
        }
    }
    let openings: std::collections::HashSet<Vec<String>> =
        games.iter().map(|game| moves(game)[..2].to_vec()).collect();
    assert_eq!(openings.len(), 3);
}

#[test]
fn the_same_seed_gives_the_same_games_whatever_the_concurrency() {
    let folder = TempDir::new();
    let play = |name: &str, args: &str| {
        let pgn = folder.path(name);
        let args = format!("--games 8 --nodes 1 --max-moves 12 --plies 4 --pgn {pgn} {args}");
        assert_eq!(run(&["seed=1", "seed=2"], &args).status.code(), Some(0));
        let mut games = games(&pgn);
        games.sort_by_key(|game| game.tag("Round").map(str::to_owned));
        games.iter().map(moves).collect::<Vec<_>>()
    };
    let first = play("a.pgn", "--seed 5");
    assert_eq!(first.len(), 8);
    assert_eq!(first, play("b.pgn", "--seed 5 --concurrency 3"));
    assert_ne!(first, play("c.pgn", "--seed 6"));
}

/// The report of an engine with these faults against a sound one without a clock, which a busy machine
/// cannot make lose on time.
fn failures(words: &str, args: &str) -> (Value, Value) {
    let engines = [&format!("{words}; name=bad"), "seed=2; name=good; depth=1"];
    let (report, code) = report(&engines, args);
    assert_eq!(code, 1, "{report}");
    let good = &report["engines"][1];
    for name in ["crashes", "illegal_moves", "time_losses", "hangs", "illegal_pvs"] {
        assert_eq!(good[name], 0, "{report}");
    }
    assert_eq!(report["failures"][0]["engine"], "bad");
    (report["engines"][0].clone(), report)
}

#[test]
fn an_engine_that_crashes_loses_and_is_restarted() {
    let (bad, report) = failures("crash at=3", "--games 4 --depth 1");
    assert_eq!((&bad["losses"], &bad["crashes"]), (&4.into(), &4.into()), "{report}");
    let example = report["failures"][0]["example"].as_str().expect("a text");
    assert!(example.contains("exit status: 3") && example.contains("out of cheese"), "{example}");
    assert_eq!(report["endings"]["crash"], 4);
}

#[test]
fn an_engine_that_crashes_once_plays_the_next_game() {
    let folder = TempDir::new();
    let words = format!("crash at=2 once={}", folder.path("mark"));
    let (bad, report) = failures(&words, "--games 4 --depth 1 --max-moves 10");
    assert_eq!((&bad["crashes"], &report["games"]), (&1.into(), &4.into()));
    // Ten moves may be enough for a checkmate.
    let ended = |by: &str| report["endings"][by].as_u64().unwrap_or(0);
    assert_eq!((ended("crash"), ended("move limit") + ended("checkmate")), (1, 3), "{report}");
}

#[test]
fn an_engine_that_cannot_be_restarted_ends_the_match_after_the_report() {
    let folder = TempDir::new();
    let mark = folder.path("mark");
    let args = "--games 4 --depth 1 --plies 2 --max-moves 10 --patience 0.2 --json";
    let output = run(&[&format!("crash at=2 once={mark} mute={mark}"), "seed=1"], args);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["games"], &report["endings"]["crash"]), (&1.into(), &1.into()));
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(complaint.contains("did not answer uciok"), "{complaint}");
}

#[test]
fn a_crash_after_the_last_move_is_a_fault_too() {
    let (bad, _) = failures("late-crash at=2", "--games 2 --depth 1 --max-moves 20");
    assert_eq!(bad["crashes"], 2);
}

#[test]
fn illegal_moves_lose_and_are_reported_with_the_position() {
    for answer in ["(none)", "0000", "e1e9", "a1a8", ""] {
        let (bad, report) =
            failures(&format!("answer={answer} at=2"), "--games 2 --depth 1 --max-moves 30");
        assert_eq!((&bad["losses"], &bad["illegal_moves"]), (&2.into(), &2.into()), "{report}");
        let example = report["failures"][0]["example"].as_str().expect("a text");
        assert!(example.contains(format!("bestmove {answer}").trim()), "{example}");
        assert!(example.contains(" w ") || example.contains(" b "), "a FEN: {example}");
    }
}

#[test]
fn a_late_move_loses_on_time_and_the_engine_is_kept() {
    let args = "--games 2 --tc 0.2+0.01 --max-moves 30";
    let (bad, report) = failures("sleep=300", args);
    assert_eq!((&bad["time_losses"], &bad["losses"]), (&2.into(), &2.into()), "{report}");
    assert_eq!((&bad["hangs"], &bad["crashes"]), (&0.into(), &0.into()));
    let overrun = bad["max_overrun_ms"].as_f64().expect("a number");
    assert!((90.0..5000.0).contains(&overrun), "{overrun}");
    let (bad, _) = failures("sleep=60", "--games 2 --movetime 0.03 --max-moves 30");
    assert_eq!(bad["time_losses"], 2);
}

#[test]
fn a_move_within_the_time_margin_is_accepted() {
    let args = "--games 2 --movetime 0.03 --max-moves 4 --timemargin 5000";
    let (report, code) = report(&["sleep=50", "seed=2"], args);
    assert_eq!(code, 0, "{report}");
    assert!(report["engines"][0]["max_overrun_ms"].as_f64().expect("a number") >= 19.0);
}

#[test]
fn an_engine_that_never_answers_is_killed_with_a_clock_or_without() {
    let (bad, report) = failures("hang at=2", "--games 2 --nodes 10 --patience 1");
    assert_eq!((&bad["hangs"], &bad["losses"]), (&2.into(), &2.into()), "{report}");
    let (bad, report) = failures("hang at=2", "--games 2 --tc 0.2 --concurrency 2");
    assert_eq!((&bad["time_losses"], &bad["losses"]), (&2.into(), &2.into()), "{report}");
    let example = report["failures"][0]["example"].as_str().expect("a text");
    assert!(example.contains("did not stop"), "{example}");
    let (bad, report) = failures("deaf at=2", "--games 2 --tc 0.2");
    assert_eq!(bad["time_losses"], 2);
    assert!(!report["failures"].to_string().contains("did not stop"), "{report}");
}

#[test]
fn an_engine_that_floods_the_match_loses_on_time() {
    let (bad, _) = failures("flood at=2", "--games 2 --tc 0.2 --concurrency 2");
    assert_eq!((&bad["time_losses"], &bad["losses"]), (&2.into(), &2.into()));
}

#[test]
fn unknown_lines_are_no_fault() {
    let (report, code) = report(&["noise", "seed=2"], "--games 2 --depth 1 --max-moves 10");
    assert_eq!(code, 0, "{report}");
}

#[test]
fn an_extra_bestmove_and_an_illegal_pv_are_counted_and_do_not_lose() {
    let (bad, report) = failures("double at=2", "--games 2 --depth 1 --max-moves 10");
    assert_eq!((&bad["extra_bestmoves"], &report["endings"]["move limit"]), (&2.into(), &2.into()));
    let (bad, report) = failures("pv", "--games 2 --depth 1 --max-moves 10");
    assert!(bad["illegal_pvs"].as_u64() > Some(5), "{bad}");
    assert_eq!(report["failures"][0]["fault"], "illegal_pv");
    assert_eq!(report["endings"]["move limit"], 2);
}

#[test]
fn a_start_error_is_one_line() {
    let error = |first: &str, args: &str| {
        let mut command = tabiya(&["match", first, &fake("")]);
        command.args(args.split_ascii_whitespace());
        let output = command.output().expect("the program runs");
        assert_eq!(output.status.code(), Some(1), "{first}");
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(text.lines().count(), 1, "{text}");
        text
    };
    assert!(error("/nowhere/engine", "").contains("cannot start the engine engine"));
    assert!(error(&fake("mute"), "--patience 0.3").contains("did not answer uciok within 0.3 s"));
    assert!(error("true", "").contains("before uciok"));
    assert!(error(&fake("; Skil Level=3"), "").contains("no option 'Skil Level'; there are: Hash"));
    assert!(error(&fake("; Skill Level=30"), "").contains("from 0 to 20"));
    assert!(error(&fake(""), "--chess960").contains("does not play Chess960"));
    assert!(error(&fake(""), "--openings /nowhere/book.epd").contains("/nowhere/book.epd"));
}

#[test]
fn a_wrong_call_gives_exit_code_2() {
    for args in [
        "--games 3",
        "--tc soon",
        "--nodes 0",
        "--sprt elo0=5,elo1=0",
        "--resign x=1",
        "--concurrency 0",
        "--order backwards",
        "--option =1",
    ] {
        let output = run(&["", ""], args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(!output.stderr.is_empty());
    }
    assert_eq!(run(&[""], "").status.code(), Some(2), "one engine is not enough");
    assert_eq!(run(&["", "", ""], "--sprt elo1=5").status.code(), Some(2));
}

#[test]
fn options_and_limits_reach_the_engine_they_are_for() {
    let folder = TempDir::new();
    let log = folder.path("log");
    let args = format!("--games 2 --tc 40/5+0.1 --max-moves 3 --option Hash=7 --log {log}");
    let (_, code) =
        report(&["; name=A; nodes=5; Skill Level=3; Clear Hash", "seed=1; name=B"], &args);
    assert_eq!(code, 0);
    let log = std::fs::read_to_string(log).expect("a log");
    let said = |engine: &str, text: &str| {
        log.lines().any(|line| line.contains(&format!("{engine}/1 < {text}")))
    };
    assert!(said("A", "setoption name Hash value 7") && said("B", "setoption name Hash value 7"));
    assert!(said("A", "setoption name Skill Level value 3") && !said("B", "setoption name Skill"));
    assert!(said("A", "setoption name Clear Hash"));
    assert!(said("A", "go nodes 5") && !said("B", "go nodes"));
    assert!(said("B", "go wtime 5000 btime 5000 winc 100 binc 100 movestogo 40"), "{log}");
    assert!(said("A", "ucinewgame") && said("A", "position startpos moves") && said("A", "quit"));
}

#[test]
fn games_that_both_engines_score_as_won_are_adjudicated() {
    let (report, code) =
        report(&["score=700", "seed=1 score=-700"], "--games 2 --depth 1 --resign moves=3");
    assert_eq!((code, &report["endings"]["adjudicated win"]), (0, &2.into()), "{report}");
    assert_eq!(report["engines"][0]["wins"], 2);
    assert!(report["engines"][0]["moves"].as_u64() <= Some(8), "{report}");
}

#[test]
fn games_that_both_engines_score_as_drawn_are_adjudicated() {
    let args = "--games 2 --depth 1 --draw score=5,moves=2,from=6";
    let (report, code) = report(&["score=5", "seed=1 score=-3"], args);
    assert_eq!((code, &report["endings"]["adjudicated draw"]), (0, &2.into()), "{report}");
}

#[test]
fn a_decided_sprt_ends_the_match() {
    let args = "--depth 1 --sprt elo0=0,elo1=300 --games 2000";
    let (report, code) = report(&["seed=1", "seed=2 answer=0000"], args);
    assert_eq!(code, 1, "illegal moves are faults");
    assert_eq!(report["sprt"]["verdict"], "accepted", "{report}");
    assert!(report["games"].as_u64() < Some(2000));
    assert!(report["sprt"]["llr"].as_f64() >= report["sprt"]["high"].as_f64());
}

#[test]
fn gauntlets_and_round_robins_have_their_pairings() {
    let args = "--games 2 --depth 1 --max-moves 3";
    let count = |more: &str| {
        let (report, code) = report(&["", "seed=1", "seed=2"], &format!("{args} {more}"));
        assert_eq!(code, 0);
        let engines = report["engines"].as_array().expect("a list").clone();
        (
            report["pairings"].as_array().expect("a list").len(),
            engines.iter().map(|engine| engine["games"].as_u64().unwrap_or(0)).collect::<Vec<_>>(),
        )
    };
    assert_eq!(count(""), (3, vec![4, 4, 4]));
    assert_eq!(count("--gauntlet"), (2, vec![4, 2, 2]));
}

#[test]
fn chess960_is_played_from_random_starts() {
    let folder = TempDir::new();
    let (pgn, log) = (folder.path("games.pgn"), folder.path("log"));
    let args = format!("--chess960 --games 8 --depth 1 --max-moves 40 --pgn {pgn} --log {log}");
    let (report, code) = report(&["chess960", "chess960 seed=1"], &args);
    assert_eq!(code, 0, "{report}");
    let games = games(&pgn);
    let starts: std::collections::HashSet<String> =
        games.iter().map(|game| game.root().position().fen()).collect();
    assert_eq!((games.len(), starts.len()), (8, 4));
    assert!(games.iter().all(|game| game.tag("Variant") == Some("Chess960")));
    let log = std::fs::read_to_string(log).expect("a log");
    assert!(log.contains("< setoption name UCI_Chess960 value true"));
}

#[test]
fn openings_of_a_file_are_played_in_order() {
    let folder = TempDir::new();
    let (book, pgn) = (folder.path("book.epd"), folder.path("games.pgn"));
    std::fs::write(&book, "4k3/8/8/8/8/8/8/R3K3 w Q - id \"1\";\n4k3/8/8/8/8/8/8/1R2K3 b - -\n")
        .expect("a book");
    let args = format!(
        "--openings {book} --order sequential --games 6 --depth 1 --max-moves 3 --pgn {pgn}"
    );
    assert_eq!(run(&["", "seed=1"], &args).status.code(), Some(0));
    let starts: Vec<String> = games(&pgn).iter().map(|game| game.root().position().fen()).collect();
    let (first, second) = ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/1R2K3 b - - 0 1");
    assert_eq!(starts, [first, first, second, second, first, first]);
}

/// Waits until the state file has this many lines.
fn wait_for_lines(path: &str, lines: usize, child: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while std::fs::read_to_string(path).unwrap_or_default().lines().count() < lines {
        assert!(Instant::now() < deadline, "no games are finished");
        assert!(child.try_wait().expect("a status").is_none(), "it ended too early");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_killed_match_resumes() {
    let folder = TempDir::new();
    let (state, pgn) = (folder.path("state.jsonl"), folder.path("games.pgn"));
    let engines = ["seed=1 sleep=2", "seed=2 sleep=2"];
    let args = format!("--depth 1 --max-moves 12 --plies 2 --state {state} --pgn {pgn}");
    for lines in [3, 6] {
        let mut child = command(&engines, &format!("--games 20 --concurrency 2 {args}"))
            .spawn()
            .expect("the program runs");
        wait_for_lines(&state, lines, &mut child);
        child.kill().expect("it can be killed");
        child.wait().expect("it is gone");
    }
    // As if the last line had been cut off by the kill.
    let text = std::fs::read_to_string(&state).expect("a state");
    std::fs::write(&state, text.trim_end().trim_end_matches('}')).expect("a state");
    let output = run(&engines, &format!("--games 20 --json {args}"));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["games"], 20);
    let text = std::fs::read_to_string(&state).expect("a state");
    let mut numbers: Vec<u64> = text
        .lines()
        .skip(1)
        .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["game"].as_u64())
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<u64>>());
    let rounds: std::collections::HashSet<String> =
        games(&pgn).iter().filter_map(|game| game.tag("Round").map(str::to_owned)).collect();
    assert_eq!(rounds.len(), 20, "every game is in the PGN");

    // The number of games may grow; other settings may not change.
    let output = run(&engines, &format!("--games 22 --json {args}"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &report["games"]), (Some(0), &22.into()));
    let output = run(&engines, &format!("--games 22 --seed 9 {args}"));
    assert_eq!(output.status.code(), Some(1));
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(complaint.contains("another setting of 'seed': 1 there, 9 now"), "{complaint}");
}

#[test]
fn a_state_file_without_openings_replays_its_incomplete_pair() {
    let folder = TempDir::new();
    let (state, pgn) = (folder.path("state.jsonl"), folder.path("games.pgn"));
    let engines = ["seed=1", "seed=2"];
    let play = |games: u32, pgn: &str| {
        let args = format!(
            "--games {games} --depth 1 --max-moves 8 --plies 2 --state {state} --pgn {pgn}"
        );
        let output = run(&engines, &format!("{args} --json"));
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    play(4, &folder.path("first.pgn"));
    // As an older version would have left it: no openings, and the last game missing.
    let text = std::fs::read_to_string(&state).expect("a state");
    let lines = text.lines().take(4).map(|line| {
        let mut value: Value = serde_json::from_str(line).expect("JSON");
        match value.as_object_mut().expect("an object").remove("opening") {
            Some(_) => value.to_string(),
            None => line.to_owned(),
        }
    });
    std::fs::write(&state, lines.map(|line| line + "\n").collect::<String>()).expect("a state");
    let report = play(4, &pgn);
    assert_eq!((&report["games"], &report["resumed"]), (&4.into(), &2.into()), "{report}");
    let games = games(&pgn);
    assert_eq!(games.len(), 2, "both games of the incomplete pair are played");
    assert_eq!(moves(&games[0])[..2], moves(&games[1])[..2]);
    let report = play(4, &pgn);
    assert_eq!((&report["games"], &report["resumed"]), (&4.into(), &4.into()), "{report}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_ends_its_engines_and_reports() {
    let folder = TempDir::new();
    let (state, pids) = (folder.path("state.jsonl"), folder.path("pids"));
    let engines = [format!("sleep=3 pid={pids}"), format!("seed=1 stay sleep=3 pid={pids}")];
    let engines = engines.each_ref().map(String::as_str);
    let args = format!("--games 2000 --depth 1 --max-moves 8 --json --state {state}");
    let mut child = command(&engines, &args).spawn().expect("the program runs");
    wait_for_lines(&state, 3, &mut child);
    crate::common::interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["interrupted"], true);
    assert!(report["games"].as_u64() >= Some(2) && report["failures"] == serde_json::json!([]));
    let pids = std::fs::read_to_string(pids).expect("process numbers");
    assert!(pids.lines().count() >= 4, "each engine was tried once and then played");
    for pid in pids.lines() {
        let alive = Command::new("kill").args(["-0", pid]).stderr(Stdio::null()).status();
        assert!(!alive.expect("kill runs").success(), "the engine {pid} lives");
    }
}

#[test]
fn the_table_names_engines_and_faults() {
    let args = "--games 2 --depth 1 --max-moves 10 --plies 2";
    let output = run(&["crash at=2; name=Faulty", "seed=1; name=Well"], args);
    let text = String::from_utf8(output.stdout).expect("text");
    let first = text.lines().nth(1).expect("a ranking");
    assert!(first.starts_with("1  Well") && first.contains("0-0-0-0-1"), "{text}");
    assert!(text.contains("game 1: Faulty: crash: ended (exit status: 3)"), "{text}");
    assert!(text.contains("2 of 2 games") && text.contains("2 crash"), "{text}");
}
