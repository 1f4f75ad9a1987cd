//! The output of a search: lines, times, moves.

use std::time::Duration;

use chess::rng::Rng;

use super::driver::Engine;
use super::{fens, transcript};

/// The number behind a word of an `info`.
fn number(line: &str, word: &str) -> Option<u64> {
    line.split(' ').skip_while(|&w| w != word).nth(1)?.parse().ok()
}

#[test]
fn the_move_played_is_the_first_of_the_last_line_reported_in_500_short_searches() {
    for (threads, multi_pv) in [(1, 1), (1, 3), (2, 1), (2, 3), (2, 1)] {
        let mut random = Rng::new(threads * 10 + multi_pv, 0);
        let mut engine = Engine::with_threads(threads as usize);
        engine.send(&format!("setoption name MultiPV value {multi_pv}"));
        for n in 0..100 {
            let position = fens::position(&mut random);
            if !position.has_legal_move() {
                continue;
            }
            engine.send(&format!("position fen {}", position.fen()));
            let go = match n % 3 {
                0 => format!("go movetime {}", 1 + random.below(20)),
                _ => format!("go nodes {}", 1 + random.below(6000)),
            };
            let lines = engine.search(&go);
            transcript::check_search(&position, &lines)
                .unwrap_or_else(|e| panic!("{threads} threads, MultiPV {multi_pv}, {go}: {e}"));
        }
        engine.quit();
    }
}

#[test]
fn a_weakened_player_reports_the_line_it_plays() {
    let mut random = Rng::new(5, 0);
    let mut engine = Engine::start();
    engine.send("setoption name UCI_LimitStrength value true");
    engine.send("setoption name UCI_Elo value 800");
    for _ in 0..40 {
        let position = fens::position(&mut random);
        engine.send(&format!("position fen {}", position.fen()));
        transcript::check_search(&position, &engine.search("go depth 5"))
            .or_else(|e| if position.has_legal_move() { Err(e) } else { Ok(String::new()) })
            .unwrap();
    }
    engine.quit();
}

#[test]
fn the_time_reported_runs_on_after_a_ponderhit() {
    let mut engine = Engine::start();
    // Few moves, so that there are iterations by the dozen.
    engine.send("position fen 8/8/1p1k4/p7/P7/1P1K4/8/8 w - - 0 1");
    engine.send("go ponder movetime 300");
    let mut lines = engine.lines_within(Duration::from_millis(400));
    engine.send("ponderhit");
    lines.extend(engine.until("bestmove"));
    let times: Vec<u64> = lines.iter().filter_map(|line| number(line, "time")).collect();
    assert!(times.len() > 2, "{lines:?}");
    assert!(times.is_sorted(), "{times:?}");
    for line in lines.iter().filter(|line| line.contains(" nps ")) {
        let [nodes, rate, time] = ["nodes", "nps", "time"].map(|word| number(line, word).unwrap());
        // The time is rounded down to milliseconds.
        assert!(rate * time <= nodes * 1000 && nodes * 1000 <= (rate + 1) * (time + 1), "{line}");
    }
    engine.quit();
}

#[test]
#[ignore = "measures time: for an idle machine"]
fn a_new_game_with_a_table_of_2048_mib_is_ready_within_100_ms() {
    let mut engine = Engine::start();
    engine.send("setoption name Hash value 2048");
    engine.ready();
    for line in ["ucinewgame", "setoption name Clear Hash"] {
        engine.send("position startpos");
        engine.search("go nodes 300000");
        let start = std::time::Instant::now();
        engine.send(line);
        engine.send("isready");
        let (at, _) = engine.until_timed("readyok");
        println!("{line}: {:.1?}", at - start);
        assert!(at - start < Duration::from_millis(100), "{line}: {:?}", at - start);
    }
    engine.quit();
}
