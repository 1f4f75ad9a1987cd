//! Networks in the engine: `EvalFile` loads them, reports errors and keeps the previous one.

use std::io::Write;
use std::path::Path;

use chess::{Game, Position};
use nnue::{AnyNetwork, Network, Shape};
use tabiya_engine::bench;
use tabiya_engine::eval::Evaluator;
use tabiya_engine::search::{Control, Engine, Limits, Settings, with_deep_stack};
use tempfile::NamedTempFile;
use test_support::halfkp::Weights;

use crate::talk::Talk;

fn network(seed: u64) -> Network {
    let king_buckets = std::array::from_fn(|square| (square / 32) as u8);
    let shape = Shape { mirrored: true, king_buckets, output_buckets: 4, ..Shape::plain(64) };
    Network::random(shape, seed).expect("a shape that can be")
}

/// A temporary file with this content.
fn temporary_file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("a writable file");
    file
}

/// The evaluation of a network in pawns.
fn pawns(network: AnyNetwork, position: &Position) -> f64 {
    let mut evaluator = Evaluator::new(Some(network));
    evaluator.reset(position);
    f64::from(evaluator.centipawns(position)) / 100.0
}

/// Sets the network of a session; returns its output.
fn use_file(talk: &mut Talk, file: &Path) -> String {
    ask(talk, &format!("setoption name EvalFile value {}", file.display()))
}

/// The output of a command as one text.
fn ask(talk: &mut Talk, line: &str) -> String {
    talk.ask(line).join("\n")
}

#[test]
fn a_session_evaluates_with_the_given_network_and_reverts() {
    let file = temporary_file(&network(1).to_bytes());
    let mut talk = Talk::new();
    let before = ask(&mut talk, "eval");
    assert!(use_file(&mut talk, file.path()).contains("(768×2 mirrored → 64)×2 → 1×4"));
    ask(&mut talk, "position startpos moves e2e4");
    let position = Position::INITIAL.after(Position::INITIAL.parse_uci("e2e4").expect("legal"));
    let expected = pawns(network(1).into(), &position);
    let output = ask(&mut talk, "eval");
    assert!(output.contains(&format!("{expected:+.2} for the player to move (Black)")), "{output}");
    assert!(output.contains("by a network (768×2 mirrored → 64)×2 → 1×4"), "{output}");
    assert!(ask(&mut talk, "go depth 4").contains("bestmove "));
    ask(&mut talk, "setoption name EvalFile value classic");
    assert!(ask(&mut talk, "eval").contains("by the classical evaluation"));
    ask(&mut talk, "setoption name EvalFile value <empty>");
    ask(&mut talk, "position startpos");
    assert_eq!(ask(&mut talk, "eval"), before);
}

#[test]
fn an_invalid_file_is_reported_and_the_network_is_kept() {
    let good = network(2).to_bytes();
    let file = temporary_file(&good);
    let mut talk = Talk::new();
    use_file(&mut talk, file.path());
    let before = ask(&mut talk, "eval");
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        bytes
    };
    let cases = [
        ("truncated", good[..good.len() / 2].to_vec(), "truncated"),
        ("longer", [&good[..], b"x"].concat(), "according to the header"),
        ("version", changed(8), "version 17"),
        ("hidden", changed(16), "a hidden layer of 80"),
        ("weight", changed(5000), "checksum"),
        ("random", (0..9999u32).map(|n| ((n * n) >> 7) as u8).collect(), "not a network"),
        ("empty", Vec::new(), "not a network"),
        ("halfkp", 0x7af3_2f16u32.to_le_bytes().to_vec(), "cut off"),
    ];
    for (name, bytes, fault) in cases {
        let bad = temporary_file(&bytes);
        let output = use_file(&mut talk, bad.path());
        assert!(output.starts_with("info string error: setoption: EvalFile: "), "{output}");
        assert!(output.contains(fault), "{name}: {output}");
        assert_eq!(ask(&mut talk, "eval"), before, "{name}");
    }
    for path in ["/nowhere.nnue", "/", "/dev/zero"] {
        assert!(use_file(&mut talk, Path::new(path)).contains("error"), "{path}");
        assert_eq!(ask(&mut talk, "eval"), before, "{path}");
    }
}

#[test]
fn a_halfkp_network_plays() {
    plays("HalfKP", &test_support::halfkp::file(Weights::Typical, 1));
}

#[test]
fn a_halfka_network_plays() {
    plays("HalfKAv2_hm", &test_support::halfka::file(Weights::Typical, 1));
}

fn plays(name: &str, network: &[u8]) {
    let file = temporary_file(network);
    let mut talk = Talk::new();
    assert!(use_file(&mut talk, file.path()).contains(name));
    ask(&mut talk, "position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1");
    let output = ask(&mut talk, "go depth 5");
    assert!(output.contains("score mate 1") && output.contains("bestmove d1d8"), "{output}");
    let network = tabiya_engine::eval::file::load(file.path()).expect("a network");
    let value = pawns(network, &Position::INITIAL);
    ask(&mut talk, "position startpos");
    assert!(ask(&mut talk, "eval").contains(&format!("{value:+.2} for White")));
}

#[test]
fn threads_share_a_network_and_its_bench_is_deterministic() {
    let network = AnyNetwork::from(network(3));
    let mut engine = Engine::new(1).expect("memory");
    engine.set_threads(2).expect("threads");
    engine.set_network(Some(network.clone()));
    let limits = Limits { depth: Some(6), ..Limits::default() };
    let search = || {
        let control = Control::new(false);
        engine.search(&Game::default(), &limits, Settings::default(), &control, &|_| {})
    };
    assert!(with_deep_stack(search).expect("a thread").best.is_some());
    let run = |network| {
        let control = Control::new(false);
        let work = with_deep_stack(|| bench::run(4, 1, network, &control, |_, _, _| {}));
        work.expect("a thread").expect("memory").nodes
    };
    let nodes = run(Some(network.clone()));
    assert_eq!(run(Some(network)), nodes);
    assert_ne!(run(None), nodes);
}
