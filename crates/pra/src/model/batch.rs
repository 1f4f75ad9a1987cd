//! Positions for the model, and what it makes of them in sums.

use crate::encode::{Outcome, POLICY, Tokens};

/// Some positions, with what there is to learn about each.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batch {
    /// What the model reads.
    pub tokens: Vec<Tokens>,
    /// The numbers of the moves that were played.
    pub targets: Vec<u16>,
    /// How the games ended, or what an engine thinks.
    pub outcomes: Vec<Outcome>,
    legal: Vec<u16>,
    legal_ends: Vec<u32>,
}

impl Batch {
    /// Takes all positions out, and keeps the memory.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.targets.clear();
        self.outcomes.clear();
        self.legal.clear();
        self.legal_ends.clear();
    }

    /// How many positions there are.
    pub const fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// How many positions have an outcome.
    pub fn valued(&self) -> u64 {
        self.outcomes.iter().filter(|outcome| is_known(outcome)).count() as u64
    }

    /// Adds a position: the numbers of its legal moves, and that of the move that was played.
    ///
    /// Two moves may have the same number: in Chess960, castling and a plain move of the king. It is
    /// kept once, as the model has one likelihood for both.
    pub fn push(
        &mut self,
        tokens: Tokens,
        legal: impl IntoIterator<Item = u16>,
        target: u16,
        outcome: Outcome,
    ) {
        self.tokens.push(tokens);
        self.targets.push(target);
        self.outcomes.push(outcome);
        let mut seen = [0u64; POLICY.div_ceil(64)];
        self.legal.extend(legal.into_iter().filter(|&number| {
            let (word, bit) = (&mut seen[usize::from(number) / 64], 1 << (number % 64));
            let is_new = *word & bit == 0;
            *word |= bit;
            is_new
        }));
        self.legal_ends.push(self.legal.len() as u32);
    }

    /// The numbers of the legal moves of a position.
    pub fn legal(&self, index: usize) -> &[u16] {
        let begin = if index == 0 { 0 } else { self.legal_ends[index - 1] };
        &self.legal[begin as usize..self.legal_ends[index] as usize]
    }
}

/// Whether there is an outcome at all.
pub(super) fn is_known(outcome: &Outcome) -> bool {
    outcome.iter().any(|&share| share > 0.0)
}

/// What the two parts of the loss count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LossWeights {
    /// The moves.
    pub policy: f32,
    /// The outcomes.
    pub value: f32,
}

impl Default for LossWeights {
    /// As in the reference.
    fn default() -> Self {
        Self { policy: 1.0, value: 0.1 }
    }
}

/// Sums over positions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Losses {
    /// How many positions.
    pub positions: u64,
    /// The losses of the moves: cross entropies.
    pub policy: f64,
    /// The losses of the outcomes: squared errors in the reference, cross entropies in ours.
    pub value: f64,
    /// How many positions have an outcome.
    pub valued: u64,
    /// How often the move that was played was the most likely, among those that the loss compares.
    pub correct: u64,
}

impl Losses {
    /// Adds what was found for other positions.
    pub fn append(&mut self, other: &Self) {
        self.positions += other.positions;
        self.policy += other.policy;
        self.value += other.value;
        self.valued += other.valued;
        self.correct += other.correct;
    }

    /// The mean loss of the moves.
    pub fn policy_mean(&self) -> f64 {
        self.policy / self.positions.max(1) as f64
    }

    /// The mean loss of the outcomes.
    pub fn value_mean(&self) -> f64 {
        self.value / self.valued.max(1) as f64
    }

    /// The loss that is trained on.
    pub fn total(&self, weights: LossWeights) -> f64 {
        f64::from(weights.policy) * self.policy_mean()
            + f64::from(weights.value) * self.value_mean()
    }

    /// How often the move that was played was the most likely.
    pub fn accuracy(&self) -> f64 {
        self.correct as f64 / self.positions.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use chess::Position;

    #[test]
    fn a_number_that_two_legal_moves_share_is_there_once() {
        // Castling takes the king from f1 to g1, and so does a step.
        let position: Position = "4k3/8/8/8/8/8/8/5K1R w H - 0 1".parse().unwrap();
        for config in [Config::new(1, 12), Config::reference(1, 12)] {
            let numbers: Vec<u16> = config.legal_moves(&position).map(|(_, n)| n).collect();
            let shared = 5 * 64 + 6;
            assert_eq!(numbers.iter().filter(|&&number| number == shared).count(), 2);
            let mut batch = Batch::default();
            batch.push(config.tokens(&position), numbers.clone(), shared, [0.0; 3]);
            let mut expected = numbers.clone();
            let second = numbers.iter().rposition(|&number| number == shared).unwrap();
            expected.remove(second);
            assert_eq!(batch.legal(0), expected, "each once, in the same order");
            // Another position begins anew.
            batch.push(config.tokens(&position), numbers, shared, [0.0; 3]);
            assert_eq!(batch.legal(1), expected);
        }
    }
}
