//! Forced mates are found, and mate no later than they should. The positions of `data/mates.epd` are
//! our own; how they were made stands at the head of the file.
//!
//! The test gives nodes, not seconds. How long it takes:
//!
//! ```text
//! cargo test --release -p tabiya-engine mates -- --ignored --nocapture
//! ```

use std::time::{Duration, Instant};

use chess::{Epd, Game, Outcome};
use tabiya_engine::search::{Control, Engine, Found, Limits, Settings, with_deep_stack};
use tabiya_engine::value::to_score;

/// Several times the nodes of the hardest.
const NODES: u64 = 20_000_000;
/// The time limit for each.
const LIMIT: Duration = Duration::from_secs(5);

struct Mate {
    game: Game,
    moves: i32,
}

fn mates() -> Vec<Mate> {
    let lines = include_str!("../data/mates.epd").lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let epd: Epd = line.parse().expect("a line of EPD");
            let moves = epd.operand("dm").expect("a distance").parse().expect("a number");
            Mate { game: Game::new(epd.position), moves }
        })
        .collect()
}

fn search(engine: &mut Engine, game: &Game, limits: &Limits) -> Found {
    engine.search(game, limits, Settings::default(), &Control::new(false), &|_| {})
}

fn limits(moves: i32) -> Limits {
    Limits { mate: Some(moves as u32), nodes: Some(NODES), ..Limits::default() }
}

/// Plays it out with the engine on both sides; returns the number of moves to mate.
fn play_out(engine: &mut Engine, mate: &Mate) -> i32 {
    let mut game = mate.game.clone();
    let winner = game.position().turn();
    for played in 0..mate.moves {
        let found = search(engine, &game, &limits(mate.moves - played));
        game.play(found.best.expect("a move")).expect("a legal one");
        if let Some(outcome) = game.outcome() {
            assert_eq!(outcome, Outcome::Checkmate(winner), "{}", game.initial_position());
            return played + 1;
        }
        let defence = Limits { depth: Some(6), ..Limits::default() };
        let found = search(engine, &game, &defence);
        game.play(found.best.expect("a move")).expect("a legal one");
    }
    panic!("no mate in {} from {}", mate.moves, mate.game.position());
}

/// Runs on a thread with the search's stack size.
fn deeply(run: impl FnOnce() + Send) {
    assert!(with_deep_stack(run).is_some(), "see above");
}

#[test]
fn there_are_a_hundred_mates_of_2_to_5_moves() {
    let mates = mates();
    assert!(mates.len() >= 100, "{}", mates.len());
    for moves in 2..=5 {
        assert!(mates.iter().filter(|mate| mate.moves == moves).count() >= 20, "in {moves}");
    }
    assert!(mates.iter().all(|mate| (2..=5).contains(&mate.moves)));
}

/// In two halves, to run in parallel.
fn check_every_second(first: usize) {
    deeply(move || {
        let mut engine = Engine::new(16).expect("memory");
        for mate in mates().iter().skip(first).step_by(2) {
            engine.new_game();
            let found = search(&mut engine, &mate.game, &limits(mate.moves));
            let fen = mate.game.position().fen();
            let chess::Score::Mate(moves) = to_score(found.score) else {
                panic!("no mate in {} after {} nodes: {fen}", mate.moves, found.nodes)
            };
            assert!((1..=mate.moves).contains(&moves), "in {moves}: {fen}");
            assert!(play_out(&mut engine, mate) <= mate.moves, "{fen}");
        }
    });
}

#[test]
fn every_mate_is_found_and_played_in_no_more_moves_than_it_takes_first_half() {
    check_every_second(0);
}

#[test]
fn every_mate_is_found_and_played_in_no_more_moves_than_it_takes_second_half() {
    check_every_second(1);
}

#[test]
#[ignore = "measures time"]
fn every_mate_is_found_within_five_seconds() {
    deeply(|| {
        let mut engine = Engine::new(16).expect("memory");
        let (mut times, mut most, mut shorter, mut missed) = (Vec::new(), 0, 0, Vec::new());
        for mate in mates() {
            engine.new_game();
            let limits = limits(mate.moves);
            let limits = Limits { nodes: None, move_time: Some(2 * LIMIT), ..limits };
            let start = Instant::now();
            let found = search(&mut engine, &mate.game, &limits);
            times.push(start.elapsed());
            most = most.max(found.nodes);
            match to_score(found.score) {
                chess::Score::Mate(moves) if (1..=mate.moves).contains(&moves) => {
                    shorter += usize::from(moves < mate.moves);
                }
                _ => {
                    let fen = mate.game.position().fen();
                    println!("no mate in {}, depth {}: {fen}", mate.moves, found.depth);
                    missed.push(fen);
                }
            }
        }
        let sum: Duration = times.iter().sum();
        times.sort();
        let longest = times[times.len() - 1];
        println!(
            "{} mates in {sum:.2?}; median {:.2?}, longest {longest:.2?}, most nodes {most}, \
             {shorter} shorter than known",
            times.len(),
            times[times.len() / 2],
        );
        assert!(missed.is_empty() && longest < LIMIT, "{} missed, {longest:?}", missed.len());
    });
}
