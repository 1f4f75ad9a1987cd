//! Positions to measure on: random games from the start, the same every time.

use chess::rng::Rng;
use chess::{Position, random};

/// So many different positions of random games.
pub fn positions(count: usize) -> Vec<Position> {
    random::positions(Rng::new(1, 0), 120).take(count).collect()
}
