//! Accumulators that follow random games give what the network gives from scratch, by the scalar
//! specification: with every kind of shape, in chess and Chess960, forwards and backwards, and when
//! plies are left out.
//!
//! `NNUE_MOVES=1000000 cargo test --release -p tabiya-nnue --test incremental` plays so many moves.

use std::sync::Arc;

use chess::{Move, MoveKind, Position, chess960};
use nnue::{Accumulators, Network, Shape};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

/// Plain; mirrored with output buckets; king buckets without mirroring; all of it.
fn shapes(hidden: usize) -> [Shape; 4] {
    let squares: [u8; 64] = std::array::from_fn(|square| (square % 8 / 2 + square / 32 * 4) as u8);
    let ranks: [u8; 64] = std::array::from_fn(|square| (square / 4) as u8);
    let plain = Shape::plain(hidden);
    [
        plain.clone(),
        Shape { mirrored: true, output_buckets: 8, ..plain.clone() },
        Shape { king_buckets: squares, output_buckets: 3, ..plain.clone() },
        Shape { mirrored: true, king_buckets: ranks, output_buckets: 16, ..plain },
    ]
}

/// What has happened, so that we know it has.
#[derive(Default, Debug)]
struct Seen {
    moves: usize,
    castlings: usize,
    promotions: usize,
    en_passant: usize,
    taken_back: usize,
    nulls: usize,
}

fn is_rare(m: Move) -> bool {
    m.is_castling() || m.kind() == MoveKind::EnPassant
}

/// Plays random games that go back now and then, evaluating at random plies.
fn play(network: &Arc<Network>, moves: usize, random: &mut Random) -> Seen {
    let mut seen = Seen::default();
    let mut accumulators = Accumulators::new(network.clone());
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/1P1k2P1/8/2pPp3/8/3K4/1p4p1/8 w - c6 0 1",
    ]
    .map(|fen| fen.parse::<Position>().expect("a position"));
    while seen.moves < moves {
        let start = match random.below(6) {
            n @ 0..3 => starts[n],
            _ => chess960::start(random.below(960) as u16).unwrap_or_default(),
        };
        let mut line = vec![start];
        accumulators.reset(&start);
        for _ in 0..random.below(160) + 1 {
            let position = line[line.len() - 1];
            let legal = position.legal_moves();
            if legal.is_empty() || random.below(12) == 0 {
                for _ in 0..random.below(line.len()) {
                    line.pop();
                    accumulators.take_back();
                    seen.taken_back += 1;
                }
            } else {
                // Both are rare among random moves.
                let rare = legal.iter().find(|m| is_rare(**m) && random.below(2) == 0);
                let m = rare.copied().unwrap_or(legal[random.below(legal.len())]);
                seen.moves += 1;
                seen.castlings += usize::from(m.is_castling());
                seen.promotions += usize::from(m.promotion().is_some());
                seen.en_passant += usize::from(m.kind() == MoveKind::EnPassant);
                let next = accumulators.play(&position, m);
                assert_eq!(next, position.after(m));
                line.push(next);
            }
            let position = line[line.len() - 1];
            if random.below(3) > 0 {
                let expected = network.evaluate(&position);
                assert_eq!(accumulators.evaluate(&position), expected, "{position:?}");
                if random.below(10) == 0 {
                    let mut fresh = Accumulators::new(network.clone());
                    fresh.reset(&position);
                    assert_eq!(fresh.evaluate(&position), expected, "{position:?}");
                }
                if let Some(passed) = position.after_null() {
                    seen.nulls += 1;
                    assert_eq!(accumulators.evaluate(&passed), network.evaluate(&passed));
                }
            }
        }
    }
    seen
}

#[test]
fn accumulators_give_what_the_network_gives_from_scratch() {
    let wanted = std::env::var("NNUE_MOVES").ok().and_then(|text| text.parse().ok());
    let moves: usize = wanted.unwrap_or(20_000);
    let mut random = Random(0x1234_5678_9abc_def1);
    for (n, hidden) in [32, 96, 256, 64].into_iter().enumerate() {
        let shape = shapes(hidden)[n].clone();
        let network = Network::random(shape, n as u64).expect("a shape that can be");
        let seen = play(&Arc::new(network), moves.div_ceil(4), &mut random);
        println!("{n}: {seen:?}");
        assert!(seen.castlings > 0 && seen.promotions > 0 && seen.en_passant > 0, "{seen:?}");
        assert!(seen.taken_back > 0 && seen.nulls > 0, "{seen:?}");
    }
}

#[test]
fn a_line_deeper_than_any_search_is_followed() {
    let network = Arc::new(Network::random(shapes(32)[3].clone(), 7).expect("a shape"));
    let mut accumulators = Accumulators::new(network.clone());
    let mut position = Position::INITIAL;
    accumulators.reset(&position);
    for n in 0..600 {
        let m = ["g1f3", "g8f6", "f3g1", "f6g8"][n % 4];
        position = accumulators.play(&position, position.parse_uci(m).expect("a legal move"));
    }
    assert_eq!(accumulators.evaluate(&position), network.evaluate(&position));
    for _ in 0..700 {
        accumulators.take_back();
    }
    let start = Position::INITIAL;
    assert_eq!(accumulators.evaluate(&start), network.evaluate(&start));
}
