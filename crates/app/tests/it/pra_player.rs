//! `tabiya --pra`: the transformer as a UCI player, which survives what kills engines.

use std::time::{Duration, Instant};

use chess::Position;
use pra::Config;
use serde_json::Value;
use test_support::TempDir;

use crate::common::run;
use crate::contract::driver::Engine;
use crate::contract::{hostile, transcript};
use crate::pra::{KIWIPETE, ours, save_model};

#[test]
fn the_player_answers_every_go_with_one_legal_move() {
    let folder = TempDir::new();
    let model = ours(&folder);
    for args in [
        vec!["--pra", &model],
        vec!["pra", "uci", "--model", &model],
        vec!["pra", "uci", "--random"],
    ] {
        let mut player = Engine::start_with(&args);
        player.send("uci");
        let hello = player.until("uciok");
        assert!(hello.iter().any(|line| line.starts_with("option name Temperature type spin")));
        for fen in [KIWIPETE, "8/5P1k/8/8/8/8/1p6/R3K3 b Q - 0 1", "7k/8/8/8/8/8/8/K7 w - - 0 1"] {
            let position: Position = fen.parse().unwrap();
            player.send(&format!("position fen {fen}"));
            for go in ["go", "go depth 5", "go wtime 1 btime 1", "go movetime 0", "go nodes 1"] {
                let lines = player.search(go);
                transcript::check_search(&position, &lines).unwrap();
                assert!(lines.iter().any(|line| line.starts_with("info depth 1 score cp ")));
            }
        }
        // No output before it is allowed.
        player.send("position startpos");
        player.send("go infinite");
        assert!(!player.ready().iter().any(|line| line.starts_with("bestmove")));
        player.send("stop");
        player.until("bestmove");
        player.send("go ponder wtime 100 btime 100");
        assert!(!player.ready().iter().any(|line| line.starts_with("bestmove")));
        player.send("ponderhit");
        player.until("bestmove");
        assert_eq!(player.search("go searchmoves a2a3").last().unwrap(), "bestmove a2a3");
        player.send("position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
        assert_eq!(player.search("go").last().unwrap(), "bestmove (none)");
        player.send("position fen nonsense");
        assert_eq!(player.search("go").last().unwrap(), "bestmove (none)");
        player.quit();
    }
}

#[test]
fn thinking_times_follow_the_clock_and_stop_ends_them() {
    let folder = TempDir::new();
    let mut player = Engine::start_with(&["--pra", &ours(&folder)]);
    player.send("uci");
    let hello = player.until("uciok");
    assert!(hello.iter().any(|line| line == "option name Human Time type check default false"));
    player.send("setoption name Human Time value true");
    let begun = Instant::now();
    transcript::check_search(&Position::INITIAL, &player.search("go wtime 1000 btime 1")).unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(100));
    player.send("go wtime 90000000 btime 90000000");
    assert!(!player.ready().iter().any(|line| line.starts_with("bestmove")));
    player.send("stop");
    player.until("bestmove");
    player.quit();
}

#[test]
fn chance_comes_from_the_seed_and_castling_is_written_as_asked() {
    let folder = TempDir::new();
    let model = ours(&folder);
    let mut player = Engine::start_with(&["--pra", &model]);
    let mut play = |seed: u32| -> Vec<String> {
        player.send("setoption name Temperature value 300");
        player.send(&format!("setoption name Seed value {seed}"));
        (0..12).map(|_| player.search("go").pop().unwrap()).collect()
    };
    let first = play(5);
    assert_eq!(first, play(5));
    assert_ne!(first, play(6));
    assert!(first.iter().any(|answer| *answer != first[0]));
    player.send("setoption name Temperature value 0");
    let sure = player.search("go").pop();
    assert!((0..5).all(|_| player.search("go").pop() == sure));
    player.send("position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert_eq!(player.search("go searchmoves e1g1").pop().unwrap(), "bestmove e1g1");
    player.send("setoption name UCI_Chess960 value true");
    assert_eq!(player.search("go searchmoves e1h1").pop().unwrap(), "bestmove e1h1");
    assert!(player.ask("eval").iter().any(|line| line.contains("White to move wins")));
    assert!(player.ask("d").iter().any(|line| line.starts_with("Fen: r3k2r")));
    for bad in ["setoption name Temperature value x", "setoption name Duke value 1", "dance"] {
        assert!(player.ask(bad)[0].starts_with("info string error: "), "{bad}");
    }
    player.quit();
}

#[test]
fn the_player_survives_what_kills_engines() {
    let folder = TempDir::new();
    let model = save_model(&folder, "tiny", &Config::new(1, 12));
    let mut player = Engine::start_with(&["--pra", &model]);
    for case in hostile::cases() {
        player.send_bytes(&case.lines);
        player.send("");
        player.send("stop");
        player.ready();
        player.send("setoption name UCI_Chess960 value false");
        player.send("position startpos");
        player.ready();
        let lines = player.search("go");
        transcript::check_search(&Position::INITIAL, &lines)
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
    }
    player.quit();
}

#[test]
fn the_player_plays_matches() {
    let folder = TempDir::new();
    let model = ours(&folder);
    let spec = format!(
        "self --pra {model}; name=PRA; Elo=1500; Max Loss=0; Human Time=true; Avoid Draws=true"
    );
    let args =
        ["match", &spec, "self pra uci --random; name=random", "--games", "2", "--max-moves", "40"];
    let output = run(&[&args[..], &["--tc", "2+0.02", "--json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report}");
}
