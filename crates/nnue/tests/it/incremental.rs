//! Incremental evaluation in random games, and evaluation with refreshed accumulators, equal the scalar one:
//! with every kind of shape, in chess and Chess960, with moves unmade, and with plies that are not evaluated.
//!
//! `NNUE_MOVES=1000000 cargo test --release -p tabiya-nnue --test it incremental` sets the number of moves.

use std::sync::Arc;

use chess::rng::Rng;
use chess::{Move, MoveKind, Position, chess960};
use tabiya_nnue::network::Head;
use tabiya_nnue::{AccumulatorStack, Network, Shape};

/// Plain; mirrored with output buckets; king buckets without mirroring; everything, with either head.
fn shapes(hidden: usize) -> [Shape; 5] {
    let squares: [u8; 64] = std::array::from_fn(|square| (square % 8 / 2 + square / 32 * 4) as u8);
    let ranks: [u8; 64] = std::array::from_fn(|square| (square / 4) as u8);
    let plain = Shape::plain(hidden);
    [
        plain.clone(),
        Shape { mirrored: true, output_buckets: 8, ..plain.clone() },
        Shape { king_buckets: squares, output_buckets: 3, ..plain.clone() },
        Shape { mirrored: true, king_buckets: ranks, output_buckets: 16, ..plain.clone() },
        Shape {
            head: Head::Dense,
            mirrored: true,
            king_buckets: ranks,
            output_buckets: 8,
            ..plain
        },
    ]
}

/// Coverage of the games.
#[derive(Default, Debug)]
struct Seen {
    moves: usize,
    castlings: usize,
    promotions: usize,
    en_passant: usize,
    unmade: usize,
    nulls: usize,
}

fn is_rare(m: Move) -> bool {
    m.is_castling() || m.kind() == MoveKind::EnPassant
}

/// Plays random games, unmakes moves now and then, and evaluates at random plies.
fn play(network: &Arc<Network>, moves: usize, rng: &mut Rng) -> Seen {
    let mut seen = Seen::default();
    let mut accumulators = AccumulatorStack::new(network.clone());
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/1P1k2P1/8/2pPp3/8/3K4/1p4p1/8 w - c6 0 1",
    ]
    .map(|fen| fen.parse::<Position>().expect("a position"));
    while seen.moves < moves {
        let start = match rng.below(6) {
            n @ 0..3 => starts[n],
            _ => chess960::start(rng.below(960) as u16).unwrap_or_default(),
        };
        let mut line = vec![start];
        accumulators.reset(&start);
        for _ in 0..rng.below(160) + 1 {
            let position = line[line.len() - 1];
            let legal = position.legal_moves();
            if legal.is_empty() || rng.below(12) == 0 {
                for _ in 0..rng.below(line.len()) {
                    line.pop();
                    accumulators.unmake_move();
                    seen.unmade += 1;
                }
            } else {
                // Castling and en passant are rare among random moves.
                let rare = legal.iter().find(|m| is_rare(**m) && rng.below(2) == 0);
                let m = rare.copied().unwrap_or(legal[rng.below(legal.len())]);
                seen.moves += 1;
                seen.castlings += usize::from(m.is_castling());
                seen.promotions += usize::from(m.promotion().is_some());
                seen.en_passant += usize::from(m.kind() == MoveKind::EnPassant);
                let next = accumulators.make_move(&position, m);
                assert_eq!(next, position.after(m));
                line.push(next);
            }
            let position = line[line.len() - 1];
            if rng.below(3) > 0 {
                let expected = network.evaluate_scalar(&position);
                assert_eq!(network.evaluate(&position), expected, "{position:?}");
                assert_eq!(accumulators.evaluate(&position), expected, "{position:?}");
                if rng.below(10) == 0 {
                    let mut fresh = AccumulatorStack::new(network.clone());
                    fresh.reset(&position);
                    assert_eq!(fresh.evaluate(&position), expected, "{position:?}");
                }
                if let Some(passed) = position.after_null() {
                    seen.nulls += 1;
                    assert_eq!(accumulators.evaluate(&passed), network.evaluate_scalar(&passed));
                }
            }
        }
    }
    seen
}

#[test]
fn incremental_evaluation_equals_the_refreshed_one() {
    let wanted = std::env::var("NNUE_MOVES").ok().and_then(|text| text.parse().ok());
    let moves: usize = wanted.unwrap_or(20_000);
    let mut rng = Rng::new(0, 0);
    for (n, hidden) in [32, 96, 256, 64, 128].into_iter().enumerate() {
        let shape = shapes(hidden)[n].clone();
        let network = Network::random(shape, n as u64).expect("a valid shape");
        let seen = play(&Arc::new(network), moves.div_ceil(5), &mut rng);
        println!("{n}: {seen:?}");
        assert!(seen.castlings > 0 && seen.promotions > 0 && seen.en_passant > 0, "{seen:?}");
        assert!(seen.unmade > 0 && seen.nulls > 0, "{seen:?}");
    }
}

#[test]
fn the_stack_grows_beyond_its_initial_capacity() {
    let network = Arc::new(Network::random(shapes(32)[3].clone(), 7).expect("a shape"));
    let mut accumulators = AccumulatorStack::new(network.clone());
    let mut position = Position::INITIAL;
    accumulators.reset(&position);
    for n in 0..600 {
        let m = ["g1f3", "g8f6", "f3g1", "f6g8"][n % 4];
        position = accumulators.make_move(&position, position.parse_uci(m).expect("a legal move"));
    }
    assert_eq!(accumulators.evaluate(&position), network.evaluate_scalar(&position));
    for _ in 0..700 {
        accumulators.unmake_move();
    }
    let start = Position::INITIAL;
    assert_eq!(accumulators.evaluate(&start), network.evaluate_scalar(&start));
}
