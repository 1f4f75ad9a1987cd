//! The speed of a HalfKP network on one core, with refreshed accumulators and incrementally.
//!
//! `cargo run --release -p xtask --example halfkp_speed -- nn-62ef826d1a6d.nnue`
//!
//! Positions are those of random games in random order, so that the weights are hardly ever cached, as with
//! the positions of a data set.

use std::hint::black_box;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use tabiya_chess::rng::Rng;
use tabiya_chess::{Move, Position, random};
use tabiya_nnue::halfkp::{AccumulatorStack, InstructionSet, Network};

const GAMES: usize = 2_000;
const PLIES: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("which network?")?;
    let mut network = Network::from_bytes(&std::fs::read(file)?)?;
    let games = games();
    let mut positions: Vec<Position> =
        games.iter().flatten().map(|&(position, _)| position).collect();
    Rng::new(1, 0).shuffle(&mut positions);
    println!("{} positions; evaluations per second on one core:", positions.len());
    for set in InstructionSet::ALL {
        if !network.set_instruction_set(set) {
            continue;
        }
        let start = seconds();
        for position in &positions {
            black_box(network.evaluate(position));
        }
        let refreshed = positions.len() as f64 / (seconds() - start);

        let shared = Arc::new(network);
        let mut accumulators = AccumulatorStack::new(Arc::clone(&shared));
        let start = seconds();
        for game in &games {
            accumulators.reset(&game[0].0);
            for (position, m) in game {
                black_box(accumulators.evaluate(position));
                accumulators.make_move(position, *m);
            }
        }
        let incremental = positions.len() as f64 / (seconds() - start);
        println!("{set:>8?}  refreshed {refreshed:>9.0}  incremental {incremental:>9.0}");
        drop(accumulators);
        network = Arc::into_inner(shared).ok_or("still in use")?;
    }
    Ok(())
}

/// CPU seconds of this process on Linux; elsewhere wall-clock time.
fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let cpu = std::fs::read_to_string("/proc/self/schedstat").ok();
    let cpu = cpu.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    cpu.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// Random games: each position with the move played.
fn games() -> Vec<Vec<(Position, Move)>> {
    let mut rng = Rng::new(2, 0);
    (0..GAMES).map(|_| random::game(Position::INITIAL, &mut rng).take(PLIES).collect()).collect()
}
