//! Evaluations per second on one thread, accumulator updates included.
//!
//! ```text
//! cargo run --release -p xtask --example evaluations -- [hidden] [file.nnue]
//! ```
//!
//! As in a search, every legal move from each position of some games is made, evaluated and unmade.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use tabiya_chess::rng::Rng;
use tabiya_chess::{Position, random};
use tabiya_nnue::{AccumulatorStack, Network, Shape};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let hidden = arguments.next().map_or(Ok(512), |text| text.parse())?;
    let networks = match arguments.next() {
        Some(path) => vec![Network::from_bytes(&std::fs::read(path)?)?],
        None => {
            let king_buckets = std::array::from_fn(|square| (square / 16) as u8);
            let plain = Shape::plain(hidden);
            let full = Shape { mirrored: true, king_buckets, output_buckets: 8, ..plain.clone() };
            vec![Network::random(plain, 1)?, Network::random(full, 1)?]
        }
    };
    let positions = positions();
    for network in networks {
        let network = Arc::new(network);
        let (start, mut sum, slow_count) = (Instant::now(), 0, 20_000);
        for position in positions.iter().cycle().take(slow_count) {
            sum += i64::from(network.evaluate(position));
        }
        let refreshed = slow_count as f64 / start.elapsed().as_secs_f64();
        let bytes = network.to_bytes();
        let start = Instant::now();
        black_box(Network::from_bytes(&bytes)?);
        let load = start.elapsed();
        let mut accumulators = AccumulatorStack::new(network.clone());
        let (start, mut count) = (Instant::now(), 0u64);
        while start.elapsed().as_secs() < 2 {
            for position in &positions {
                accumulators.reset(position);
                sum += i64::from(accumulators.evaluate(position));
                for m in position.legal_moves() {
                    let next = accumulators.make_move(position, m);
                    sum += i64::from(accumulators.evaluate(&next));
                    accumulators.unmake_move();
                    count += 1;
                }
            }
        }
        let rate = count as f64 / start.elapsed().as_secs_f64();
        black_box(sum);
        println!(
            "{}: {rate:.0} evaluations/s incremental ({}), {refreshed:.0} refreshed, \
             loaded in {:.1} ms",
            network.shape(),
            tabiya_simd::Kernels::current().instruction_set(),
            load.as_secs_f64() * 1e3
        );
    }
    Ok(())
}

/// The positions of some random games.
fn positions() -> Vec<Position> {
    random::positions(Rng::new(1, 0), 100).take(2_000).collect()
}
