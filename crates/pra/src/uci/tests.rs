//! A session with a tiny model.

use super::*;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use uci::Server;

use crate::{Config, Weights};

const LONG: Duration = Duration::from_secs(600);

/// A player with weights of which all have an effect, and its output.
fn start(config: &Config) -> (Server<PolicyHandler>, Receiver<String>) {
    let mut weights = Weights::random(config, 7).unwrap();
    for (n, value) in weights.values_mut().iter_mut().enumerate() {
        if *value == 0.0 {
            *value = ((n * 7919) % 101) as f32 / 250.0 - 0.2;
        }
    }
    let (sender, lines) = channel();
    let output = Output::from(Arc::new(move |line: &str| drop(sender.send(line.to_owned()))));
    let handler = PolicyHandler::new(Some(Player::new(weights, 1)), output.clone());
    (Server::new(handler, output), lines)
}

fn tiny() -> Config {
    Config::new(1, 12)
}

fn send(server: &mut Server<PolicyHandler>, lines: &Receiver<String>, line: &str) -> Vec<String> {
    server.line(line);
    lines.try_iter().collect()
}

#[test]
fn the_rating_sets_the_temperature_unless_there_is_one() {
    let (mut server, lines) = start(&tiny());
    let temperature = |server: &Server<PolicyHandler>| {
        server.handler.model.as_ref().map(|player| player.temperature)
    };
    assert_eq!(temperature(&server), Some(0.0));
    for elo in [1000, 1500, 2800] {
        let line = format!("setoption name Elo value {elo}");
        assert!(send(&mut server, &lines, &line).is_empty());
        assert_eq!(temperature(&server), Some(fitted_temperature(elo)));
    }
    send(&mut server, &lines, "setoption name Temperature value 40");
    send(&mut server, &lines, "setoption name Elo value 1200");
    assert_eq!(temperature(&server), Some(0.4));
    send(&mut server, &lines, "setoption name Temperature value -1");
    assert_eq!(temperature(&server), Some(fitted_temperature(1200)));
    send(&mut server, &lines, "setoption name Elo value 0");
    assert_eq!(temperature(&server), Some(0.0));
}

#[test]
fn a_move_that_loses_more_than_the_rating_allows_is_refused() {
    struct OnlyE4;
    impl Veto for OnlyE4 {
        fn loss(&mut self, game: &Game, m: Move) -> i32 {
            let e4 = game.position().parse_uci("e2e4").expect("legal");
            if m == e4 { 0 } else { imitation::max_loss(1500) + 1 }
        }
    }
    let output = Output::from(Arc::new(|_: &str| {}));
    let player = Player::new(Weights::random(&tiny(), 7).expect("a size"), 1);
    let mut handler = PolicyHandler::new(Some(player), output).with_veto(Box::new(OnlyE4));
    let game = Game::default();
    let legal = ["a2a3", "e2e4", "d2d4", "g1f3"];
    let legal = legal.map(|m| game.position().parse_uci(m).expect("legal"));
    let e4 = legal[1];
    let mut best = |options: &[(&str, &str)]| {
        for (name, value) in options {
            handler.set_option(name, value).expect("an option");
        }
        handler.choose(&game, &legal, &Go::default()).expect("a move").0
    };
    assert_ne!(best(&[]), e4, "without a rating any move is played");
    assert_eq!(best(&[("Elo", "1500"), ("Temperature", "0")]), e4);
    assert_ne!(best(&[("Elo", "1400")]), e4, "a weaker player allows more");
    assert_ne!(best(&[("Elo", "1500"), ("Max Loss", "0")]), e4);
    assert_eq!(best(&[("Max Loss", "-1")]), e4);
}

#[test]
fn ratings_reach_the_model_and_are_reported_where_it_reads_none() {
    let (mut server, lines) = start(&tiny());
    let unknown = send(&mut server, &lines, "eval");
    send(&mut server, &lines, "setoption name Elo value 1200");
    let own = send(&mut server, &lines, "eval");
    send(&mut server, &lines, "setoption name OpponentElo value 2400");
    let both = send(&mut server, &lines, "eval");
    assert!(unknown != own && own != both);
    let (mut server, lines) = start(&Config { ratings: false, ..tiny() });
    let before = send(&mut server, &lines, "eval");
    let notice = send(&mut server, &lines, "setoption name Elo value 1200");
    assert!(notice[0].starts_with("info string Elo has no effect"), "{notice:?}");
    assert_eq!(send(&mut server, &lines, "eval"), before);
    assert_eq!(server.handler.model.as_ref().unwrap().temperature, 0.0);
}

#[test]
fn the_moves_of_the_position_command_reach_the_model() {
    let eval = |config: &Config| {
        let (mut server, lines) = start(config);
        let moves = "g1f3 g8f6 f3g1 f6g8";
        let mut eval = |position: &str| {
            send(&mut server, &lines, position);
            send(&mut server, &lines, "eval")
        };
        let start = eval("position startpos");
        (start, eval(&format!("position startpos moves {moves}")))
    };
    let (start, played) = eval(&tiny());
    assert_ne!(start, played);
    let (start, played) = eval(&Config { history: false, ..tiny() });
    assert_eq!(start, played);
}

#[test]
fn a_move_takes_a_persons_time_with_a_clock_only() {
    let (mut server, lines) = start(&tiny());
    send(&mut server, &lines, "setoption name Human Time value true");
    for go in ["go", "go depth 3", "go nodes 1", "go wtime 0 btime 0", "go movetime 0"] {
        assert!(send(&mut server, &lines, go).pop().unwrap().starts_with("bestmove"), "{go}");
    }
    // At most a tenth of the clock, or the time for the move.
    for go in ["go wtime 1000 btime 1", "go movetime 50"] {
        let begun = Instant::now();
        let answer = send(&mut server, &lines, go);
        assert!(!answer.iter().any(|line| line.starts_with("bestmove")), "{go}: {answer:?}");
        assert!(lines.recv_timeout(LONG).unwrap().starts_with("bestmove"));
        assert!(begun.elapsed() >= Duration::from_millis(20), "{go}");
    }
    send(&mut server, &lines, "setoption name Human Time value false");
    let answer = send(&mut server, &lines, "go wtime 60000 btime 60000");
    assert!(answer.last().unwrap().starts_with("bestmove"));
}

#[test]
fn stop_and_quit_end_a_thinking_time() {
    let (mut server, lines) = start(&tiny());
    send(&mut server, &lines, "setoption name Human Time value true");
    let go = "go wtime 90000000 btime 90000000";
    for end in ["stop", "quit"] {
        let first = send(&mut server, &lines, go);
        assert!(!first.iter().any(|line| line.starts_with("bestmove")), "{first:?}");
        // Another search has to wait; the protocol goes on meanwhile.
        let second = send(&mut server, &lines, "go");
        assert!(second[0].contains("a search is running"), "{second:?}");
        assert_eq!(send(&mut server, &lines, "isready"), ["readyok"]);
        let answer = send(&mut server, &lines, end);
        assert!(answer.len() == 1 && answer[0].starts_with("bestmove"), "{answer:?}");
    }
    // After ponderhit only the rest of the time is left.
    send(&mut server, &lines, "go ponder wtime 2000 btime 2000");
    assert!(lines.recv_timeout(Duration::from_millis(250)).is_err());
    let answer = send(&mut server, &lines, "ponderhit");
    assert!(answer.len() == 1 && answer[0].starts_with("bestmove"), "{answer:?}");
    assert!(send(&mut server, &lines, "ponderhit").is_empty());
}
