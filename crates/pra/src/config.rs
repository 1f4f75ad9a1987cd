//! Hyperparameters of a model: its size, and the options in which it differs from the reference.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Layout, Weights};

/// Attention heads: two each for knight, bishop and rook, one each for queen, king and pawn, three free.
pub const HEADS: usize = 12;
/// Heads masked by the moves of a piece; they come first.
pub const PIECE_HEADS: usize = 9;
/// Heads with a learned mask.
pub const FREE_HEADS: usize = 3;
/// Sequence length: a token per square.
pub const SQUARES: usize = 64;

/// The configuration of a model. Each option is an addition to the reference, and can be switched off.
///
/// ```
/// use tabiya_pra::Config;
/// let count = |depth, n_embd| Config::reference(depth, n_embd).parameters();
/// assert_eq!(count(4, 144), 2_424_576);
/// assert_eq!(count(8, 192), 6_085_632);
/// assert_eq!(count(8, 288), 13_558_272);
/// assert_eq!(count(12, 288), 17_588_736);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// Number of transformer blocks.
    pub depth: usize,
    /// Embedding dimension, a multiple of 12.
    pub n_embd: usize,
    /// The policy has a logit for each promotion piece; else a promotion is one to a queen.
    #[serde(default)]
    pub promotions: bool,
    /// Tokens encode castling rights and the en-passant square.
    #[serde(default)]
    pub state_input: bool,
    /// The board is encoded from the perspective of the side to move: flipped, with colors exchanged,
    /// for Black.
    #[serde(default, rename = "turned", alias = "flipped")]
    pub flipped: bool,
    /// The masks of piece heads include the query square itself.
    #[serde(default)]
    pub self_in_masks: bool,
    /// The value head is a small classifier of win, draw and loss.
    #[serde(default)]
    pub light_value: bool,
    /// The policy loss is a softmax over the legal moves only.
    #[serde(default)]
    pub legal_mask: bool,
    /// Square embeddings include what stood there in the last positions.
    #[serde(default, skip_serializing_if = "is_false")]
    pub history: bool,
    /// Square embeddings include the ratings of the players.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ratings: bool,
    /// Square embeddings include the kinds of pieces that attack the square.
    #[serde(default, skip_serializing_if = "is_false")]
    pub attackers: bool,
}

/// Newer options are serialized only if set.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(option: &bool) -> bool {
    !*option
}

/// Why a configuration is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The number of blocks.
    #[error("depth must be 1 to 64, not {0}")]
    Depth(usize),
    /// The embedding dimension.
    #[error("n_embd must be a multiple of 12 up to 1536, not {0}")]
    EmbeddingDimension(usize),
}

impl Config {
    /// The reference model: no options.
    pub const fn reference(depth: usize, n_embd: usize) -> Self {
        Self {
            depth,
            n_embd,
            promotions: false,
            state_input: false,
            flipped: false,
            self_in_masks: false,
            light_value: false,
            legal_mask: false,
            history: false,
            ratings: false,
            attackers: false,
        }
    }

    /// Our model: all options.
    pub const fn new(depth: usize, n_embd: usize) -> Self {
        Self {
            depth,
            n_embd,
            promotions: true,
            state_input: true,
            flipped: true,
            self_in_masks: true,
            light_value: true,
            legal_mask: true,
            history: true,
            ratings: true,
            attackers: true,
        }
    }

    /// Whether the configuration is valid.
    pub fn check(&self) -> Result<(), ConfigError> {
        if !(1..=64).contains(&self.depth) {
            return Err(ConfigError::Depth(self.depth));
        }
        if self.n_embd == 0 || !self.n_embd.is_multiple_of(HEADS) || self.n_embd > 1536 {
            return Err(ConfigError::EmbeddingDimension(self.n_embd));
        }
        Ok(())
    }

    /// The options: name in files, value and meaning.
    pub const fn options(&self) -> [(&'static str, bool, &'static str); 9] {
        [
            ("promotions", self.promotions, "a policy logit for each promotion piece"),
            ("state_input", self.state_input, "tokens for castling rights and en passant"),
            ("turned", self.flipped, "the board is flipped for Black to move"),
            ("self_in_masks", self.self_in_masks, "piece masks include the query square"),
            ("light_value", self.light_value, "small value head for win, draw and loss"),
            ("legal_mask", self.legal_mask, "policy loss over legal moves only"),
            ("history", self.history, "the last positions as input"),
            ("ratings", self.ratings, "the ratings of the players as input"),
            ("attackers", self.attackers, "the pieces that attack each square as input"),
        ]
    }

    /// Configuration, cost and tensors as JSON; with weights, also the root mean square of each tensor.
    pub fn to_json(&self, weights: Option<&Weights>) -> Value {
        let layout = Layout::new(self);
        let tensors = layout.tensors().iter().map(|tensor| {
            json!({
                "name": tensor.name,
                "shape": tensor.shape,
                "parameters": tensor.range.len(),
                "kind": tensor.kind.to_string(),
                "rms": weights.map(|weights| weights.rms(tensor)),
            })
        });
        json!({
            "parameters": layout.len(),
            "config": self,
            "is_reference": *self == Self::reference(self.depth, self.n_embd),
            "bytes": 4 * layout.len(),
            "forward_flops": self.forward_flops(),
            "training_flops": 3 * self.forward_flops(),
            "tensors": tensors.collect::<Vec<_>>(),
        })
    }

    /// Dimension of an attention head.
    pub const fn head_dim(&self) -> usize {
        self.n_embd / HEADS
    }

    /// Size of the token vocabulary.
    pub const fn vocab_size(&self) -> usize {
        if self.state_input { 16 } else { 13 }
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        Layout::new(self).len()
    }

    /// Floating-point operations of the matrix multiplications in a forward pass of one position.
    pub const fn forward_flops(&self) -> u64 {
        let (d, n) = (self.n_embd as u64, SQUARES as u64);
        let block = 2 * n * 12 * d * d + 4 * n * n * d;
        let policy = 4 * n * d * d + 2 * n * n * d;
        let value = if self.light_value { 2 * (n * 8 * d + 64 * 512 + 192) } else { 2 * n * d * d };
        self.depth as u64 * block + policy + value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_files_stay_those_of_the_first_version() {
        let config = Config {
            light_value: false,
            history: false,
            ratings: false,
            attackers: false,
            ..Config::new(4, 96)
        };
        let old = r#"{"depth":4,"n_embd":96,"promotions":true,"state_input":true,"turned":true,"self_in_masks":true,"light_value":false,"legal_mask":true}"#;
        assert_eq!(serde_json::to_string(&config).unwrap(), old);
        let read = |text: &str| serde_json::from_str::<Config>(text).unwrap();
        assert_eq!(read(old), config);
        assert_eq!(read(&old.replace("turned", "flipped")), config);
        assert_eq!(read(r#"{"depth":2,"n_embd":24}"#), Config::reference(2, 24));
        let new = Config::new(2, 24);
        assert_eq!(read(&serde_json::to_string(&new).unwrap()), new);
    }
}
