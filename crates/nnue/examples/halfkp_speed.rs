//! How fast a HalfKP network is on one core: from scratch, and in step with games.
//!
//! `cargo run --release -p tabiya-nnue --example halfkp_speed -- nn-62ef826d1a6d.nnue`
//!
//! Positions are those of random games, taken in random order, so that hardly a row of weights is
//! still in the cache: the way in which positions of a data set come.

use std::hint::black_box;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use chess::{Move, Position};
use nnue::halfkp::{Accumulators, InstructionSet, Network};

const GAMES: usize = 2_000;
const PLIES: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("which network?")?;
    let mut network = Network::from_bytes(&std::fs::read(file)?)?;
    let games = games();
    let mut positions: Vec<Position> =
        games.iter().flatten().map(|&(position, _)| position).collect();
    let mut random = random(1);
    for n in (1..positions.len()).rev() {
        positions.swap(n, random(n + 1));
    }
    println!("{} positions; evaluations in a second of one core:", positions.len());
    for set in InstructionSet::ALL {
        if !network.use_instructions(set) {
            continue;
        }
        let start = seconds();
        for position in &positions {
            black_box(network.evaluate(position));
        }
        let scratch = positions.len() as f64 / (seconds() - start);

        let shared = Arc::new(network);
        let mut accumulators = Accumulators::new(Arc::clone(&shared));
        let start = seconds();
        for game in &games {
            accumulators.reset(&game[0].0);
            for (position, m) in game {
                black_box(accumulators.evaluate(position));
                accumulators.play(position, *m);
            }
        }
        let in_step = positions.len() as f64 / (seconds() - start);
        println!("{:>8}  from scratch {scratch:>9.0}  in step {in_step:>9.0}", format!("{set:?}"));
        drop(accumulators);
        network = Arc::into_inner(shared).ok_or("still in use")?;
    }
    Ok(())
}

/// What this process has had of a core, where Linux tells; else the time of day.
fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let spent = std::fs::read_to_string("/proc/self/schedstat").ok();
    let spent = spent.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    spent.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// Random games: each position with the move that was played.
fn games() -> Vec<Vec<(Position, Move)>> {
    let mut random = random(2);
    (0..GAMES)
        .map(|_| {
            let mut position = Position::INITIAL;
            let mut game = vec![];
            while game.len() < PLIES {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let m = moves[random(moves.len())];
                game.push((position, m));
                position = position.after(m);
            }
            game
        })
        .collect()
}

/// Random numbers below a bound: xorshift64.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |bound| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % bound
    }
}
