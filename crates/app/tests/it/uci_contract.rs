//! The UCI contract of the program, line by line.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use crate::contract::driver::Engine;
use crate::contract::hostile::{self, Answer, Case};
use crate::contract::{fens, transcript};
use chess::rng::Rng;
use chess::{Game, Position};

pub fn errors(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("info string error: ")).collect()
}

pub fn answers(lines: &[String]) -> Vec<&String> {
    lines.iter().filter(|line| line.starts_with("bestmove")).collect()
}

/// A normal search from the starting position, as after any input.
pub fn assert_plays(engine: &mut Engine, after: &str) {
    engine.send("position startpos");
    let lines = engine.search("go depth 3");
    transcript::check_search(&Position::INITIAL, &lines).unwrap_or_else(|e| panic!("{after}: {e}"));
}

// 1. Always ready, and ends only on request.

/// The number of searches of a case.
pub fn searches(case: &Case) -> usize {
    let text = String::from_utf8_lossy(&case.lines);
    text.lines().filter(|line| line.starts_with("go ") && !line.contains("perft")).count()
}

/// Sends a case and returns all output.
pub fn send(engine: &mut Engine, case: &Case) -> Vec<String> {
    engine.send_bytes(&case.lines);
    engine.send("");
    let mut lines = engine.ready();
    // Moves may come after.
    let due = match case.answer {
        Answer::Moves(n) | Answer::Corrected(n) => n,
        Answer::Refused | Answer::Life => searches(case),
    };
    while answers(&lines).len() < due {
        lines.push(engine.line().1);
    }
    engine.send("stop");
    lines.extend(engine.ready());
    lines
}

fn check_case(case: &Case, threads: usize) {
    let name = format!("{}, {threads} threads", case.name);
    let mut engine = Engine::with_threads(threads);
    let lines = send(&mut engine, case);
    let (errors, answers) = (errors(&lines), answers(&lines));
    let text = String::from_utf8_lossy(&case.lines).into_owned();
    match case.answer {
        Answer::Refused => {
            assert!(!errors.is_empty(), "{name}: not refused: {lines:?}");
            assert_eq!(answers.len(), searches(case), "{name}: {answers:?}");
            assert!(
                answers.iter().all(|answer| *answer == "bestmove (none)"),
                "{name}: {answers:?}"
            );
        }
        Answer::Corrected(n) => {
            assert!(!errors.is_empty(), "{name}: not reported: {lines:?}");
            assert_eq!(answers.len(), n, "{name}: {answers:?}");
        }
        Answer::Moves(n) => {
            assert!(errors.is_empty(), "{name}: {errors:?}");
            assert_eq!(answers.len(), n, "{name}: {answers:?}");
        }
        Answer::Life => {}
    }
    // Whatever was played, it was legal in the position searched.
    let position = text.lines().rev().find_map(transcript::game).unwrap_or_default();
    for line in &lines {
        let moves =
            transcript::line_of_play(line).or_else(|| transcript::best(line)).unwrap_or_default();
        if moves != ["(none)"] {
            let illegal = transcript::first_illegal(position.position(), &moves);
            assert_eq!(illegal, None, "{name}: {line}");
        }
    }
    engine.send("setoption name UCI_Chess960 value false");
    engine.send("setoption name MultiPV value 1");
    assert_plays(&mut engine, &name);
    engine.quit();
}

fn check_cases(threads: usize) {
    let cases = hostile::cases();
    assert!(cases.len() >= 100, "{}", cases.len());
    assert!(cases.iter().all(|case| !case.why.is_empty()));
    // Two at a time: each mostly waits for its process to start.
    let (even, odd): (Vec<_>, Vec<_>) = cases.iter().enumerate().partition(|(n, _)| n % 2 == 0);
    let failures = |half: Vec<(usize, &Case)>| {
        half.iter().filter(|(_, case)| catch_unwind(|| check_case(case, threads)).is_err()).count()
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| failures(odd));
        assert_eq!(failures(even) + other.join().expect("it catches panics"), 0, "cases failed");
    });
}

#[test]
fn a_hundred_hostile_inputs_are_survived_with_one_thread() {
    check_cases(1);
}

#[test]
fn a_hundred_hostile_inputs_are_survived_with_two_threads() {
    check_cases(2);
}

#[test]
fn the_end_of_input_ends_the_process_even_in_mid_search() {
    for before in ["", "go infinite", "go ponder wtime 1000 btime 1000", "go perft 30", "bench 60"]
    {
        let mut engine = Engine::with_threads(2);
        engine.send(before);
        engine.close();
        let (status, took, _) = engine.wait();
        assert_eq!(status.code(), Some(0), "{before}");
        assert!(took < Duration::from_secs(10), "{before}: {took:?}");
    }
}

#[test]
fn quit_ends_the_process_even_in_mid_search() {
    for before in ["", "go infinite", "go ponder", "go perft 30", "bench 60", "genfens 9999999"] {
        let mut engine = Engine::with_threads(2);
        engine.send(before);
        engine.quit();
    }
}

#[test]
fn nothing_but_quit_and_the_end_of_input_ends_the_process() {
    let mut engine = Engine::start();
    for line in ["exit", "QUIT", "quit!", "bye", "q", "stop", "^C", "\u{4}"] {
        engine.send(line);
    }
    assert_plays(&mut engine, "words that are not quit");
    engine.quit();
}

#[test]
fn another_hash_and_more_threads_are_ready_in_the_end() {
    let mut engine = Engine::start();
    for line in [
        "setoption name Hash value 256",
        "setoption name Threads value 16",
        "setoption name Hash value 1",
        "setoption name Threads value 1",
        "setoption name Clear Hash",
        "ucinewgame",
    ] {
        assert_eq!(errors(&engine.ask(line)), [""; 0], "{line}");
    }
    assert_plays(&mut engine, "changes");
    engine.quit();
}

// 2. A bad position is named and dropped.

#[test]
fn a_bad_position_is_named_and_dropped_with_the_one_before_it() {
    for (line, parts) in [
        ("position fen 4k3/8/8/8/8/8/8/4X3 w - - 0 1", &["X"][..]),
        ("position fen 4k3/8/8/8/8/8/8/4K3 purple - - 0 1", &["purple"]),
        ("position startpos moves e2e4 e7e5 e1e3 a7a6", &["move 3", "e1e3"]),
        ("position startpos moves 0000", &["move 1", "0000"]),
        ("position nonsense", &["nonsense"]),
        ("position", &["startpos", "fen"]),
    ] {
        let mut engine = Engine::start();
        engine.send("position startpos moves e2e4");
        let said = engine.ask(line);
        let [error] = errors(&said)[..] else { panic!("{line}: {said:?}") };
        assert!(parts.iter().all(|part| error.contains(part)), "{line}: {error}");
        assert_eq!(engine.search("go depth 2").last().unwrap(), "bestmove (none)", "{line}");
        assert_plays(&mut engine, line);
    }
}

#[test]
fn ten_thousand_malformed_fens_are_refused_one_by_one() {
    let mut engine = Engine::start();
    let fens: Vec<String> = fens::malformed(10_000).into_iter().collect();
    for chunk in fens.chunks(500) {
        for fen in chunk {
            engine.send(&format!("position fen {fen}"));
        }
        let lines = engine.ready();
        for (fen, line) in chunk.iter().zip(&lines) {
            assert!(line.starts_with("info string error: position: "), "{fen:?}: {line}");
        }
        assert_eq!(lines.len(), chunk.len());
        assert_eq!(engine.search("go depth 1").last().unwrap(), "bestmove (none)");
    }
    assert_plays(&mut engine, "malformed FENs");
    engine.quit();
}

// 3. One bestmove for each go, when it is due, and legal.

#[test]
fn infinite_and_ponder_are_not_answered_before_stop_or_ponderhit() {
    let mated = "fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
    let near_mate = "fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
    for position in ["startpos", mated, near_mate] {
        for (go, end) in [
            ("go infinite", "stop"),
            ("go infinite depth 1", "stop"),
            ("go ponder depth 1", "stop"),
            ("go ponder wtime 1 btime 1", "ponderhit"),
            ("go ponder nodes 1", "ponderhit"),
            ("go ponder movetime 1", "ponderhit"),
        ] {
            let mut engine = Engine::start();
            engine.send(&format!("position {position}"));
            engine.send(go);
            let mut lines = engine.lines_within(Duration::from_millis(60));
            assert_eq!(answers(&lines), [""; 0], "{position}: {go}");
            engine.send(end);
            lines.extend(engine.until("bestmove"));
            let game = transcript::game(&format!("position {position}")).unwrap();
            transcript::check_search(game.position(), &lines).unwrap();
            assert_eq!(answers(&engine.quit()), [""; 0], "{position}: {go}");
        }
    }
}

#[test]
fn ponderhits_without_pondering_do_not_prolong_a_search() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go movetime 100");
    let start = Instant::now();
    loop {
        engine.send("ponderhit");
        let said = engine.lines_within(Duration::from_millis(20));
        if !answers(&said).is_empty() {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "the clock begins again and again");
    }
    engine.quit();
}

/// A random `go` and what ends it.
fn random_go(random: &mut Rng, position: &Position) -> (String, Option<&'static str>) {
    let moves = position.legal_moves();
    let ends: &[Option<&str>] = match random.below(10) {
        0 => &[Some("stop")],
        1 => &[Some("stop"), Some("ponderhit")],
        _ => &[None, None, Some("stop")],
    };
    let end = *random.choose(ends);
    let go = match (ends.len(), random.below(8)) {
        (1, _) => "go infinite".to_owned(),
        (2, _) => "go ponder wtime 80 btime 80 winc 5 binc 5".to_owned(),
        (_, 0) => format!("go nodes {}", random.below(3000)),
        (_, 1) => format!("go movetime {}", random.below(20)),
        (_, 2) => format!("go wtime {0} btime {0} winc 1 binc 1", random.below(200)),
        (_, 3) => format!("go wtime 60 btime 60 movestogo {}", random.below(3)),
        (_, 4) if !moves.is_empty() => {
            let m = moves[random.below(moves.len())];
            format!("go depth 4 searchmoves {}", position.uci(m, chess::CastlingStyle::Standard))
        }
        _ => format!("go depth {}", random.below(6)),
    };
    (go, end)
}

/// Plays random games with random commands, and checks all that is said.
fn talk_at_random(seed: u64, threads: usize, searches: usize) {
    let mut random = Rng::new(seed, 0);
    let mut engine = Engine::with_threads(threads);
    let mut game = Game::default();
    for n in 0..searches {
        if random.below(12) == 0 || game.outcome().is_some() {
            game = Game::new(fens::position(&mut random));
            engine.send("ucinewgame");
            engine.send(&format!("setoption name MultiPV value {}", 1 + random.below(3)));
        }
        let mut command = format!("position fen {}", game.initial_position().fen());
        if !game.is_empty() {
            command.push_str(" moves");
            let mut position = *game.initial_position();
            for m in game.moves() {
                command.push_str(&format!(" {}", position.uci(m, chess::CastlingStyle::Standard)));
                position = position.after(m);
            }
        }
        engine.send(&command);
        let position = *game.position();
        let (go, end) = random_go(&mut random, &position);
        engine.send(&go);
        // Commands during a search.
        for _ in 0..random.below(4) {
            let noise =
                ["isready", "debug on", "", "position startpos", "position fen x", "d", "what"];
            engine.send(noise[random.below(noise.len())]);
        }
        if random.below(3) == 0 {
            std::thread::sleep(Duration::from_millis(random.below(10) as u64));
        }
        if let Some(end) = end {
            engine.send(end);
            if end == "ponderhit" && random.below(2) == 0 {
                engine.send("stop");
            }
        }
        let lines = engine.until("bestmove");
        let best = transcript::check_search(&position, &lines)
            .unwrap_or_else(|problem| panic!("seed {seed}, search {n}, {go}: {problem}"));
        let more = engine.ready();
        assert_eq!(answers(&more), [""; 0], "seed {seed}, search {n}, {go}");
        if let Ok(m) = position.parse_uci(&best) {
            assert!(!go.contains("searchmoves") || go.ends_with(&best), "{go}: {best}");
            game.play(m).expect("a legal move");
        }
    }
    assert_eq!(answers(&engine.quit()), [""; 0]);
}

#[test]
fn there_is_one_legal_answer_to_every_go_whatever_else_is_said() {
    std::thread::scope(|scope| {
        for seed in 1..=4 {
            scope.spawn(move || talk_at_random(seed, 1 + seed as usize % 2, 150));
        }
    });
}

// 4. Memory that is not there.

#[test]
fn a_hash_size_that_cannot_be_allocated_is_reported_and_the_old_table_kept() {
    let mut engine = Engine::start();
    engine.send("setoption name Hash value 8");
    for size in ["99999999", "17592186044415", "18446744073709551615", "99999999999999999999"] {
        let lines = engine.ask(&format!("setoption name Hash value {size}"));
        let [error] = errors(&lines)[..] else { panic!("{size}: {lines:?}") };
        assert!(error.contains("Hash"), "{error}");
        assert_plays(&mut engine, size);
    }
    engine.quit();
}

// 5. Clocks of any kind.

#[test]
fn clocks_that_have_run_out_are_answered_at_once() {
    let mut engine = Engine::start();
    for go in [
        "go wtime 0 btime 0",
        "go wtime -5000 btime -5000",
        "go wtime",
        "go wtime 0 btime 0 winc 0 binc 0 movestogo 0",
        "go btime 60000",
        "go winc 0 binc 0 movestogo 1",
        "go movetime 0",
        "go depth 0",
        "go nodes 0",
        "go wtime 1 btime 1 winc 99999999999999999999 binc 99999999999999999999",
        "go wtime 99999999999999999999999999 btime 1 depth 1",
        "go movetime 99999999999999999999999999 nodes 1",
    ] {
        engine.send("position startpos");
        let start = Instant::now();
        let lines = engine.search(go);
        transcript::check_search(&Position::INITIAL, &lines).unwrap();
        assert!(start.elapsed() < Duration::from_secs(5), "{go}: {:?}", start.elapsed());
    }
    engine.quit();
}

// 6. Lines of any kind.

#[test]
fn long_lines_and_strange_bytes_are_accepted_or_reported_and_unknown_words_are_reported() {
    let mut engine = Engine::start();
    for line in ["xyzzy", "Go depth 3", "setoption name Nonsense value 1", "go3", "\u{fffd}"] {
        let said = engine.ask(line);
        assert_eq!(said.len(), 1, "{line}: {said:?}");
        assert!(said[0].starts_with("info string "), "{line}: {said:?}");
    }
    // As long as is promised: 209,000 plies, and the last is what the engine looks at.
    let mut line = "position startpos moves".to_owned();
    while line.len() + 20 < 1 << 20 {
        line.push_str(" g1f3 g8f6 f3g1 f6g8");
    }
    assert_eq!(engine.ask(&line), [""; 0]);
    transcript::check_search(&Position::INITIAL, &engine.search("go depth 2")).unwrap();
    let said = engine.ask(&"y".repeat(3 << 20));
    assert_eq!(errors(&said).len(), 1, "{said:?}");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].len() < 200, "an error is short: {}", said[0].len());
    assert_plays(&mut engine, "long lines");
    engine.quit();
}

#[test]
fn a_game_of_5900_plies_is_searched_with_its_repetitions() {
    let mut engine = Engine::start();
    let mut line = "position startpos moves".to_owned();
    for _ in 0..1475 {
        line.push_str(" g1f3 g8f6 f3g1 f6g8");
    }
    assert_eq!(engine.ask(&line), [""; 0]);
    transcript::check_search(&Position::INITIAL, &engine.search("go depth 5")).unwrap();
    engine.quit();
}

// 7. A bench is always the same; what it is in other builds, `make bench-check` shows.

#[test]
fn bench_gives_the_same_nodes_first_and_later_and_after_other_searches() {
    let mut engine = Engine::start();
    let nodes = |lines: Vec<String>| {
        let last = lines.last().unwrap().clone();
        last.split(' ').next().unwrap().parse::<u64>().expect("nodes first")
    };
    let bench = |engine: &mut Engine| {
        engine.send("bench 3");
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line: &String| !line.ends_with(" nps")) {
            lines.push(engine.line().1);
        }
        nodes(lines)
    };
    let first = bench(&mut engine);
    assert!(first > 1000, "{first}");
    assert_eq!(bench(&mut engine), first);
    engine.send("setoption name Hash value 1");
    engine.search("go nodes 20000");
    assert_eq!(bench(&mut engine), first);
    engine.quit();
    let output = std::process::Command::new(crate::common::TABIYA)
        .args(["bench", "3"])
        .output()
        .expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(nodes(text.lines().map(str::to_owned).collect()), first);
}

// Measures, of a machine that has nothing else to do.
