//! HalfKAv2_hm networks: values of Stockfish 16, every instruction set, incremental evaluation, invalid files.
//!
//! Networks have random weights and are narrow; `make test-shared` adds Stockfish 16's with its values.

mod hostile;

use chess::Position;
use chess::rng::Rng;
use tabiya_nnue::halfka::{AccumulatorStack, InstructionSet, Network};
use test_support::halfka::{self, Reference};
use test_support::halfkp::Weights;
use test_support::random_positions;

use crate::walk::{self, Stack};

#[test]
fn every_instruction_set_gives_the_values_of_a_plain_reference() {
    for weights in [Weights::Typical, Weights::Extreme] {
        let file = halfka::file(weights, 1);
        let (networks, reference) = (AccumulatorStack::networks(&file), Reference::new(&file));
        let mut values = std::collections::HashSet::new();
        for position in random_positions(Rng::new(7, 0)).take(300) {
            let expected = reference.evaluate(&position);
            values.insert(expected);
            for network in &networks {
                let set = network.instruction_set();
                assert_eq!(network.evaluate(&position), expected, "{set:?}: {position}");
            }
        }
        // If everything were clipped there would be nothing to compare.
        assert!(values.len() > 200, "{}", values.len());
    }
}

#[test]
fn incremental_evaluation_equals_the_refreshed_one_with_every_instruction_set() {
    for (weights, share) in [(Weights::Typical, 2_000), (Weights::Extreme, 1_000)] {
        walk::check::<AccumulatorStack>(&halfka::file(weights, 2), share);
    }
}

#[test]
fn the_value_counts_the_layer_stack_for_the_number_of_pieces() {
    let network = Network::from_bytes(&halfka::file(Weights::Typical, 3)).unwrap();
    assert_eq!((network.width(), network.description()), (halfka::WIDTH, halfka::DESCRIPTION));
    for (fen, bucket) in [
        ("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", 0),
        ("8/4p3/4k3/8/8/3NK3/4P3/8 b - - 0 1", 1),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 7),
    ] {
        let position = Position::from_fen(fen).unwrap();
        let output = network.outputs(&position)[bucket];
        // Both parts are rounded toward 0 before they are added.
        let difference = network.evaluate(&position) - output.psqt - output.positional;
        assert!(difference.abs() <= 1, "{fen}");
    }
}

mod shared_data {
    use super::*;
    use tabiya_nnue::halfka::centipawns;

    /// Pawns, as Stockfish prints them, in hundredths.
    fn hundredths(text: &str) -> i32 {
        (text.parse::<f64>().expect("a number") * 100.0).round() as i32
    }

    #[test]
    #[ignore = "needs a network of 40 MB: make test-shared"]
    fn stockfish_16_s_network_gives_its_values_with_every_instruction_set() {
        let file = std::fs::read(test_support::shared("nnue/nn-5af11540bbfe.nnue")).unwrap();
        let vectors = test_support::shared("nnue/sf16_vectors.txt");
        let vectors = std::fs::read_to_string(vectors).unwrap();
        let mut network = Network::from_bytes(&file).unwrap();
        assert_eq!(network.width(), 1536);
        for set in InstructionSet::ALL {
            if !network.set_instruction_set(set) {
                eprintln!("{set:?} is not supported");
                continue;
            }
            let mut lines = 0;
            for line in vectors.lines().filter(|line| !line.starts_with('#')) {
                let [fen, bucket, parts, total] =
                    line.split(';').map(str::trim).collect::<Vec<_>>()[..]
                else {
                    panic!("{line}")
                };
                let position = Position::from_fen(fen).unwrap();
                let expected: Vec<i32> = parts.split_whitespace().map(hundredths).collect();
                let outputs = network.outputs(&position);
                let found: Vec<i32> = outputs
                    .iter()
                    .flat_map(|o| [o.psqt, o.positional, o.psqt + o.positional].map(centipawns))
                    .collect();
                assert_eq!(found, expected, "{set:?}: {fen}");
                let white = if position.turn().is_white() { 1 } else { -1 };
                let value = network.evaluate(&position);
                assert_eq!(centipawns(value) * white, hundredths(total), "{set:?}: {fen}");
                let used: usize = bucket.parse().unwrap();
                let sum = outputs[used].psqt + outputs[used].positional;
                assert!((sum - value).abs() <= 1, "{set:?}: {fen}");
                lines += 1;
            }
            assert_eq!(lines, 200);
        }
    }
}
