//! Searches with several threads, which vote for the best move.

use std::sync::Mutex;

use chess::{Epd, Game, Move, Score};
use tabiya_engine::bench::POSITIONS;
use tabiya_engine::search::{Control, Engine, Found, Limits, Report, Settings, with_deep_stack};
use tabiya_engine::value::{MATE_BOUND, Value, to_score};

/// A reported first line.
struct Line {
    depth: i32,
    score: Value,
    moves: Vec<Move>,
}

/// A search, and its reported first lines.
fn search(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    multi_pv: usize,
) -> (Found, Vec<Line>) {
    engine.new_game();
    let lines = Mutex::new(Vec::new());
    let report = |report: Report<'_>| match report {
        Report::Line(line) if line.number == 1 => {
            let moves = line.line.to_vec();
            lines.lock().unwrap().push(Line { depth: line.depth, score: line.score, moves });
        }
        Report::MissingThreads { .. } => panic!("{report:?}"),
        _ => {}
    };
    let settings = Settings { multi_pv, ..Settings::default() };
    let found = engine.search(game, limits, settings, &Control::new(false), &report);
    (found, lines.into_inner().unwrap())
}

fn engine(threads: usize) -> Engine {
    let mut engine = Engine::new(4).expect("memory");
    engine.set_threads(threads).expect("memory");
    engine
}

/// Node limits small and large end the search within an iteration, a depth limit after one.
fn limits(threads: usize) -> Vec<Limits> {
    let nodes = |nodes| Limits { nodes: Some(nodes), ..Limits::default() };
    let depth = Limits { depth: Some(5), ..Limits::default() };
    vec![nodes(1), nodes(2000 * threads as u64), nodes(7000 * threads as u64), depth]
}

fn check_last_lines(threads: usize) {
    let run = || {
        let mut engine = engine(threads);
        for (n, fen) in POSITIONS.iter().enumerate() {
            let game = Game::new(fen.parse().expect("a legal position"));
            for limits in limits(threads) {
                let multi_pv = if n % 4 == 3 { 3 } else { 1 };
                let (found, lines) = search(&mut engine, &game, &limits, multi_pv);
                let last = lines.last().expect("a line");
                let played: Vec<Move> = found.best.into_iter().chain(found.ponder).collect();
                let case = format!("{fen}, {limits:?}");
                assert_eq!(last.moves[..last.moves.len().min(2)], played, "{case}");
                assert_eq!(found.moves[0].m, played[0], "{case}");
                // The last iteration may not be complete.
                assert!((found.depth..=found.depth + 1).contains(&last.depth), "{case}");
                if let Some(depth) = limits.depth {
                    assert_eq!((last.depth, last.score), (depth as i32, found.score), "{case}");
                }
            }
        }
    };
    with_deep_stack(run).expect("see above");
}

#[test]
fn the_last_line_begins_with_the_best_move_and_the_ponder_move_of_two_threads() {
    check_last_lines(2);
}

#[test]
fn the_last_line_begins_with_the_best_move_and_the_ponder_move_of_four_threads() {
    check_last_lines(4);
}

#[test]
fn a_mate_is_played_whichever_thread_has_found_it() {
    let run = || {
        let lines = include_str!("../data/mates.epd").lines().filter(|line| !line.starts_with('#'));
        let all: Vec<Epd> = lines.map(|line| line.parse().expect("a line of EPD")).collect();
        let mates = || all.iter().filter(|mate| mate.operand("dm") == Some("2"));
        for threads in [2, 4] {
            let mut engine = engine(threads);
            let mut found_mates = 0;
            for mate in mates() {
                let game = Game::new(mate.position);
                let limits = Limits { nodes: Some(5000 * threads as u64), ..Limits::default() };
                let (found, lines) = search(&mut engine, &game, &limits, 1);
                let case = format!("{threads} threads: {}", mate.position.fen());
                let last = lines.last().expect("a line");
                assert!(
                    lines.iter().all(|line| line.score <= last.score.max(MATE_BOUND)),
                    "{case}"
                );
                if let Score::Mate(moves) = to_score(found.score) {
                    assert!(moves >= 2, "{case}");
                    assert_eq!(last.score, found.score, "{case}");
                    found_mates += 1;
                }
            }
            // Where everything wins, the evaluation prunes some.
            assert!(found_mates >= mates().count() * 3 / 4, "{threads} threads: {found_mates}");
        }
    };
    with_deep_stack(run).expect("see above");
}

#[test]
fn a_single_move_to_search_is_played_by_any_number_of_threads() {
    let run = || {
        let game = Game::default();
        for threads in [1, 2, 4] {
            let mut engine = engine(threads);
            let m = game.position().parse_uci("a2a4").expect("a legal move");
            let limits = Limits { nodes: Some(9000), moves: vec![m], ..Limits::default() };
            let (found, lines) = search(&mut engine, &game, &limits, 1);
            assert!(lines.iter().all(|line| line.moves[0] == m));
            assert_eq!((found.best, found.moves.len()), (Some(m), 1));
        }
    };
    with_deep_stack(run).expect("see above");
}
