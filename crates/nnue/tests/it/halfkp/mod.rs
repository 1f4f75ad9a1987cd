//! HalfKP networks: values of a trained network, every instruction set, incremental evaluation, invalid
//! files.
//!
//! Networks have random weights; `make test-shared` adds a real one with the values of nnue-probe.
//! `TABIYA_MOVES=1000000` plays that many random moves instead of some thousands; it wants a release build.

mod hostile;

use std::sync::Arc;

use chess::rng::Rng;
use chess::{Color, Position, Setup};
use tabiya_nnue::halfkp::{AccumulatorStack, InstructionSet, Network};
use test_support::halfkp::{self, Weights};
use test_support::random_positions;

use crate::walk::{self, Stack};

#[test]
fn every_instruction_set_gives_the_values_of_a_plain_reference() {
    for weights in [Weights::Typical, Weights::Extreme] {
        let file = halfkp::file(weights, 1);
        let networks = AccumulatorStack::networks(&file);
        for position in random_positions(Rng::new(7, 0)).take(150) {
            let expected = halfkp::reference(&file, &position);
            for network in &networks {
                let set = network.instruction_set();
                assert_eq!(network.evaluate(&position), expected, "{set:?}: {position}");
            }
        }
    }
}

mod shared_data {
    use super::*;

    #[test]
    #[ignore = "needs a network of 21 MB: make test-shared"]
    fn a_real_network_gives_the_values_of_nnue_probe_with_every_instruction_set() {
        let file = std::fs::read(test_support::shared("nnue/nn-62ef826d1a6d.nnue")).unwrap();
        let vectors = test_support::shared("nnue/halfkp_vectors.txt");
        let vectors = std::fs::read_to_string(vectors).unwrap();
        let mut network = Network::from_bytes(&file).unwrap();
        assert!(network.description().starts_with("Features=HalfKP(Friend)[41024->256x2]"));
        for set in InstructionSet::ALL {
            if !network.set_instruction_set(set) {
                eprintln!("{set:?} is not supported");
                continue;
            }
            let mut lines = 0;
            for line in vectors.lines().filter(|line| !line.starts_with('#')) {
                let (fen, value) = line.split_once(';').unwrap();
                let position = Position::from_fen(fen).unwrap();
                let value = value.trim().parse().unwrap();
                assert_eq!(network.evaluate(&position), value, "{set:?}: {fen}");
                let board = network.evaluate_board(position.board(), position.turn());
                assert_eq!(board, Some(value), "{set:?}: {fen}");
                lines += 1;
            }
            assert_eq!(lines, 400);
        }
    }
}

#[test]
fn incremental_evaluation_equals_the_refreshed_one_with_every_instruction_set() {
    let moves = std::env::var("TABIYA_MOVES").map_or(6_000, |n| n.parse().expect("a number"));
    for (weights, share) in [(Weights::Typical, moves * 2 / 3), (Weights::Extreme, moves / 3)] {
        walk::check::<AccumulatorStack>(&halfkp::file(weights, 1), share);
    }
}

#[test]
fn a_null_move_needs_no_call() {
    let network = Arc::new(Network::from_bytes(&halfkp::file(Weights::Typical, 3)).unwrap());
    let mut accumulators = AccumulatorStack::new(Arc::clone(&network));
    let start = Position::INITIAL;
    accumulators.reset(&start);
    let next = accumulators.make_move(&start, start.parse_uci("g1f3").unwrap());
    let passed = next.after_null().unwrap();
    assert_eq!(accumulators.evaluate(&passed), network.evaluate(&passed));
    assert_eq!(accumulators.evaluate(&next), network.evaluate(&next));
}

#[test]
fn a_rotated_board_has_the_same_value_for_the_other_color() {
    // Rotated by 180 degrees with colors swapped: Black's perspective is White's before.
    let network = Network::from_bytes(&halfkp::file(Weights::Typical, 4)).unwrap();
    let setup = Setup::from_fen("r1bq1rk1/ppp2ppp/2n2n2/3p4/1b1P4/2NBPN2/PP3PPP/R1BQK2R w - - 0 1")
        .unwrap();
    let mut rotated = chess::Board::EMPTY;
    for (square, piece) in setup.board.iter() {
        let piece = chess::Piece::new(!piece.color(), piece.piece_type());
        rotated.put(chess::Square::from_index_wrapping(63 - square.index()), piece);
    }
    for color in Color::ALL {
        let value = network.evaluate_board(&setup.board, color);
        assert!(value.is_some());
        assert_eq!(value, network.evaluate_board(&rotated, !color));
    }
}

#[test]
fn a_board_without_a_king_or_with_two_has_no_value() {
    let network = Network::from_bytes(&halfkp::file(Weights::Typical, 5)).unwrap();
    for fen in ["8/8/8/8/8/8/8/4K3 w - - 0 1", "k6k/8/8/8/8/8/8/4K3 w - - 0 1"] {
        let board = Setup::from_fen(fen).unwrap().board;
        assert_eq!(network.evaluate_board(&board, Color::White), None);
        assert_eq!(network.refresh(&board, Color::Black), None);
    }
    // Sixty-four pieces are too many for chess, but not for the network.
    let full = Setup::from_fen(
        "kqqqqqqq/qqqqqqqq/qqqqqqqq/qqqqqqqq/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQK w - - 0 1",
    )
    .unwrap();
    assert!(network.evaluate_board(&full.board, Color::White).is_some());
}
