//! Incremental evaluation in random games, for networks of any kind.

use std::collections::HashSet;
use std::sync::Arc;

use chess::Position;
use chess::rng::Rng;
use test_support::{Step, random_walk};

/// Plays random games with the accumulators of each network, which are the same but for their instruction
/// sets. Every evaluation must have the value of refreshed accumulators. Returns all values.
pub fn check<N, S>(
    networks: &[Arc<N>],
    moves: usize,
    stack: impl Fn(Arc<N>) -> S,
    mut follow: impl FnMut(&mut S, Step, &Position),
    refreshed: impl Fn(&N, &Position) -> i32,
    incremental: impl Fn(&mut S, &Position) -> i32,
) -> HashSet<i32> {
    let mut stacks: Vec<S> = networks.iter().cloned().map(stack).collect();
    let (mut rng, mut values) = (Rng::new(3, 0), HashSet::new());
    random_walk(moves, Rng::new(2, 0), |step, position| {
        stacks.iter_mut().for_each(|stack| follow(stack, step, &position));
        // Not at every ply: the others are updated lazily.
        if rng.below(3) > 0 {
            let value = refreshed(&networks[0], &position);
            for (n, (network, stack)) in networks.iter().zip(&mut stacks).enumerate() {
                assert_eq!(refreshed(network, &position), value, "instruction set {n}: {position}");
                assert_eq!(incremental(stack, &position), value, "instruction set {n}: {position}");
            }
            values.insert(value);
        }
    });
    values
}
