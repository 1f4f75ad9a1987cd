//! Incremental evaluation in random games, for networks of any kind.

use std::collections::HashSet;
use std::sync::Arc;

use chess::Position;
use chess::rng::Rng;
use test_support::{Step, random_walk};

/// The accumulators of a kind of networks.
pub trait Stack {
    type Network;

    /// The network of a file with each instruction set of this machine, scalar first.
    fn networks(file: &[u8]) -> Vec<Arc<Self::Network>>;
    fn of(network: &Arc<Self::Network>) -> Self;
    fn follow(&mut self, step: Step, position: &Position);
    fn incremental(&mut self, position: &Position) -> i32;
    fn refreshed(network: &Self::Network, position: &Position) -> i32;
}

macro_rules! stack {
    ($kind:ident) => {
        impl Stack for tabiya_nnue::$kind::AccumulatorStack {
            type Network = tabiya_nnue::$kind::Network;

            fn networks(file: &[u8]) -> Vec<Arc<Self::Network>> {
                let sets = tabiya_nnue::$kind::InstructionSet::ALL.into_iter();
                sets.filter(|set| set.is_supported())
                    .map(|set| {
                        let mut network = Self::Network::from_bytes(file).expect("a valid file");
                        assert!(network.set_instruction_set(set));
                        Arc::new(network)
                    })
                    .collect()
            }

            fn of(network: &Arc<Self::Network>) -> Self {
                Self::new(network.clone())
            }

            fn follow(&mut self, step: Step, position: &Position) {
                match step {
                    Step::Start => self.reset(position),
                    Step::Make(before, m) => assert_eq!(self.make_move(&before, m), *position),
                    Step::Unmake => self.unmake_move(),
                }
            }

            fn incremental(&mut self, position: &Position) -> i32 {
                self.evaluate(position)
            }

            fn refreshed(network: &Self::Network, position: &Position) -> i32 {
                network.evaluate(position)
            }
        }
    };
}
stack!(halfkp);
stack!(halfka);

/// Plays random games with the accumulators of the network of a file, with every instruction set. Every evaluation
/// must have the value of refreshed accumulators.
pub fn check<S: Stack>(file: &[u8], moves: usize) {
    let networks = S::networks(file);
    let mut stacks: Vec<S> = networks.iter().map(S::of).collect();
    let (mut rng, mut values) = (Rng::new(3, 0), HashSet::new());
    random_walk(moves, Rng::new(2, 0), |step, position| {
        stacks.iter_mut().for_each(|stack| stack.follow(step, &position));
        // Not at every ply: the others are updated lazily.
        if rng.below(3) > 0 {
            let value = S::refreshed(&networks[0], &position);
            for (n, (network, stack)) in networks.iter().zip(&mut stacks).enumerate() {
                let refreshed = S::refreshed(network, &position);
                assert_eq!(refreshed, value, "instruction set {n}: {position}");
                let incremental = stack.incremental(&position);
                assert_eq!(incremental, value, "instruction set {n}: {position}");
            }
            values.insert(value);
        }
    });
    // If everything were clipped there would be nothing to compare.
    assert!(values.len() > 100, "{}", values.len());
}
