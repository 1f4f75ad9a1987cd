//! Batches of encoded positions with their targets, and losses summed over them.

use crate::encode::{Outcome, POLICY, Tokens};

/// Encoded positions with their policy and value targets.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batch {
    /// Model inputs.
    pub tokens: Vec<Tokens>,
    /// Policy targets: the indices of the moves played.
    pub targets: Vec<u16>,
    /// Value targets: the results of the games, or evaluations; all zero where neither is known.
    pub outcomes: Vec<Outcome>,
    legal: Vec<u16>,
    legal_ends: Vec<u32>,
}

impl Batch {
    /// Removes all positions; keeps the allocations.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.targets.clear();
        self.outcomes.clear();
        self.legal.clear();
        self.legal_ends.clear();
    }

    /// The number of positions.
    pub const fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether the batch is empty.
    pub const fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The number of positions with a value target.
    pub fn valued(&self) -> u64 {
        self.outcomes.iter().filter(|outcome| has_outcome(outcome)).count() as u64
    }

    /// Adds a position with the policy indices of its legal moves and of the move played.
    ///
    /// Two moves may share an index: in Chess960, castling and a plain king move. It is stored once, as
    /// the model has one logit for both.
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
        self.legal.extend(legal.into_iter().filter(|&index| {
            let (word, bit) = (&mut seen[usize::from(index) / 64], 1 << (index % 64));
            let is_new = *word & bit == 0;
            *word |= bit;
            is_new
        }));
        self.legal_ends.push(self.legal.len() as u32);
    }

    /// The policy indices of the legal moves of a position.
    pub fn legal(&self, index: usize) -> &[u16] {
        let begin = if index == 0 { 0 } else { self.legal_ends[index - 1] };
        &self.legal[begin as usize..self.legal_ends[index] as usize]
    }
}

/// Whether there is a value target.
pub(crate) fn has_outcome(outcome: &Outcome) -> bool {
    outcome.iter().any(|&probability| probability > 0.0)
}

/// Weights of the two terms of the loss.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LossWeights {
    /// Policy loss.
    pub policy: f32,
    /// Value loss.
    pub value: f32,
}

impl Default for LossWeights {
    /// Those of the reference.
    fn default() -> Self {
        Self { policy: 1.0, value: 0.1 }
    }
}

/// Losses summed over positions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Losses {
    /// The number of positions.
    pub positions: u64,
    /// Policy loss: cross-entropy.
    pub policy: f64,
    /// Value loss: squared error in the reference, cross-entropy with the light value head.
    pub value: f64,
    /// The number of positions with a value target.
    pub valued: u64,
    /// Positions in which the move played has the highest logit of those in the loss.
    pub correct: u64,
}

impl Losses {
    /// Adds the losses of other positions.
    pub fn append(&mut self, other: &Self) {
        self.positions += other.positions;
        self.policy += other.policy;
        self.value += other.value;
        self.valued += other.valued;
        self.correct += other.correct;
    }

    /// Mean policy loss.
    pub fn policy_mean(&self) -> f64 {
        self.policy / self.positions.max(1) as f64
    }

    /// Mean value loss.
    pub fn value_mean(&self) -> f64 {
        self.value / self.valued.max(1) as f64
    }

    /// The training loss: the weighted sum of both means.
    pub fn total(&self, weights: LossWeights) -> f64 {
        f64::from(weights.policy) * self.policy_mean()
            + f64::from(weights.value) * self.value_mean()
    }

    /// The fraction of [`correct`](Self::correct) positions.
    pub fn accuracy(&self) -> f64 {
        self.correct as f64 / self.positions.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::encode::{legal_moves, tokens};
    use chess::Position;

    #[test]
    fn an_index_that_two_legal_moves_share_is_stored_once() {
        // Castling moves the king from f1 to g1, and so does a plain king move.
        let position: Position = "4k3/8/8/8/8/8/8/5K1R w H - 0 1".parse().unwrap();
        for config in [Config::new(1, 12), Config::reference(1, 12)] {
            let indices: Vec<u16> =
                legal_moves(&config, &position).map(|(_, index)| index).collect();
            let shared = 5 * 64 + 6;
            assert_eq!(indices.iter().filter(|&&index| index == shared).count(), 2);
            let mut batch = Batch::default();
            batch.push(tokens(&config, &position), indices.clone(), shared, [0.0; 3]);
            let mut expected = indices.clone();
            let second = indices.iter().rposition(|&index| index == shared).unwrap();
            expected.remove(second);
            assert_eq!(batch.legal(0), expected, "each once, in the same order");
            // The next position is independent of it.
            batch.push(tokens(&config, &position), indices, shared, [0.0; 3]);
            assert_eq!(batch.legal(1), expected);
        }
    }
}
