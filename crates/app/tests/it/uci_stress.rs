//! The UCI contract under noise, and the latency of answers, which is measured on demand only:
//!
//! ```text
//! cargo test --release -p tabiya uci_stress -- --ignored --nocapture
//! ```

use std::time::{Duration, Instant};

use chess::rng::Rng;

use crate::contract::driver::Engine;
use crate::contract::{fens, hostile, transcript};
use crate::uci_contract::{answers, assert_plays};

/// Lines that mean nothing, or nothing now.
fn noise(random: &mut Rng) -> Vec<u8> {
    let words = [
        "isready",
        "ponderhit",
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "infinite",
        "depth",
        "setoption",
        "name",
        "value",
        "Hash",
        "e2e4",
        "-1",
        "99999999999999999999",
        "ucinewgame",
        "debug",
        "d",
        "\t",
        "\0",
        "\u{fffd}",
        "perft",
        "register",
        "uci",
        "eval",
        "Threads",
        "wait",
    ];
    let mut line = Vec::new();
    for _ in 0..random.below(6) {
        line.extend_from_slice(random.choose(&words).as_bytes());
        line.push(*random.choose(b" \t\r  "));
    }
    for _ in 0..random.below(2) * random.below(40) {
        line.push(random.below(256) as u8);
    }
    line.retain(|&byte| byte != b'\n');
    line.push(b'\n');
    line
}

fn make_noise(lines: usize) {
    let mut random = Rng::new(6, 0);
    let mut engine = Engine::with_threads(2);
    engine.send("position startpos moves e2e4");
    let position = *transcript::game("position startpos moves e2e4").unwrap().position();
    engine.send("go infinite");
    let mut said = Vec::new();
    for _ in 0..lines / 1000 {
        let mut block = Vec::new();
        for _ in 0..1000 {
            block.extend(noise(&mut random));
        }
        engine.send_bytes(&block);
        // All requests of the block, and our `isready` last.
        engine.send("isready");
        engine.send("the end of the block");
        loop {
            let line = engine.line().1;
            if line.contains("unknown command 'the'") {
                break;
            }
            if !line.starts_with("info string") && line != "readyok" {
                said.push(line);
            }
        }
        assert_eq!(answers(&said), [""; 0], "no stop was sent");
    }
    engine.send("stop");
    said.extend(engine.until("bestmove"));
    transcript::check_search(&position, &said).unwrap();
    assert_plays(&mut engine, "noise");
    assert_eq!(answers(&engine.quit()), [""; 0]);
}

#[test]
fn a_hundred_thousand_lines_of_noise_do_not_disturb_a_search() {
    make_noise(100_000);
}

#[test]
#[ignore = "takes a minute"]
fn a_million_lines_of_noise_do_not_disturb_a_search() {
    make_noise(1_000_000);
}

fn show(what: &str, mut times: Vec<Duration>, limit: Duration) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{what}: {} times, p50 {:.2?}, p90 {:.2?}, p99 {:.2?}, longest {:.2?}",
        times.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );
    assert!(at(0.99) < limit, "{what}: p99 is {:?}", at(0.99));
}

#[test]
#[ignore = "measures time: for an idle machine"]
fn a_stop_is_answered_within_10_ms() {
    for threads in [1, 2] {
        let mut random = Rng::new(20, 0);
        let mut engine = Engine::with_threads(threads);
        let mut times = Vec::new();
        for _ in 0..20 {
            let fen = fens::position(&mut random).fen();
            for _ in 0..50 {
                engine.send(&format!("position fen {fen}"));
                engine.send("go infinite");
                std::thread::sleep(Duration::from_millis(5 + random.below(30) as u64));
                let start = Instant::now();
                engine.send("stop");
                let (at, _) = engine.until_timed("bestmove");
                times.push(at - start);
            }
        }
        show(&format!("stop, {threads} threads"), times, Duration::from_millis(10));
        engine.quit();
    }
}

#[test]
#[ignore = "measures time: for an idle machine"]
fn readiness_is_answered_within_100_ms_after_every_hostile_input_and_in_mid_search() {
    for threads in [1, 2] {
        let mut after = Vec::new();
        for case in hostile::cases() {
            let mut engine = Engine::with_threads(threads);
            engine.send_bytes(&case.lines);
            engine.send("");
            let start = Instant::now();
            engine.send("isready");
            let (at, _) = engine.until_timed("readyok");
            if at - start > Duration::from_millis(50) {
                println!("{}: {:.1?}", case.name, at - start);
            }
            after.push(at - start);
        }
        show(&format!("isready after input, {threads} threads"), after, Duration::from_millis(100));
        let mut engine = Engine::with_threads(threads);
        engine.send("go infinite");
        let mut during = Vec::new();
        for _ in 0..1000 {
            let start = Instant::now();
            engine.send("isready");
            let (at, _) = engine.until_timed("readyok");
            during.push(at - start);
        }
        show(&format!("isready in search, {threads} threads"), during, Duration::from_millis(100));
    }
}
