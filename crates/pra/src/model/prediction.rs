//! The output of the model for a position.

use chess::{Move, Position};

use crate::config::Config;
use crate::encode::{Outcome, legal_moves};

/// The output of the model for a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// Policy logits by policy index; 0 for indices that the model does not have.
    pub logits: Vec<f32>,
    /// Win, draw and loss probabilities from the model's perspective: that of the side to move if the
    /// board is flipped for Black, else White's. The reference's value head has no draws.
    pub outcome: Outcome,
}

impl Prediction {
    /// Win less loss probability, from −1 to 1.
    pub const fn value(&self) -> f32 {
        self.outcome[0] - self.outcome[2]
    }

    /// Whether all outputs are finite. Large weights overflow even if each of them is finite.
    pub fn is_finite(&self) -> bool {
        self.logits.iter().chain(&self.outcome).all(|output| output.is_finite())
    }

    /// The probabilities of the legal moves, highest first: a softmax over their logits.
    pub fn moves(&self, config: &Config, position: &Position) -> Vec<(Move, f32)> {
        let mut moves: Vec<(Move, f32)> = legal_moves(config, position)
            .map(|(m, index)| (m, self.logits[usize::from(index)]))
            .collect();
        let most = moves.iter().map(|m| m.1).fold(f32::MIN, f32::max);
        moves.iter_mut().for_each(|m| m.1 = (m.1 - most).exp());
        let sum: f32 = moves.iter().map(|m| m.1).sum();
        moves.iter_mut().for_each(|m| m.1 /= sum);
        moves.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        moves
    }
}
