//! What a model is made of: two sizes, and what it does differently from the reference.

use serde::{Deserialize, Serialize};

/// Attention heads: two each for knight, bishop and rook, one each for queen, king and pawn, three free.
pub const HEADS: usize = 12;
/// The heads that see what a piece reaches; they come first.
pub const PIECE_HEADS: usize = 9;
/// The heads whose pattern is learned.
pub const FREE_HEADS: usize = 3;
/// Tokens: squares.
pub const SQUARES: usize = 64;

/// The shape of a model. What it reads and says depends on the options; each of them is one way in
/// which we go beyond the reference, and can be switched off.
///
/// ```
/// use pra::Config;
/// let count = |depth, n_embd| Config::reference(depth, n_embd).parameters();
/// assert_eq!(count(4, 144), 2_424_576);
/// assert_eq!(count(8, 192), 6_085_632);
/// assert_eq!(count(8, 288), 13_558_272);
/// assert_eq!(count(12, 288), 17_588_736);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// Blocks of attention and perceptron.
    pub depth: usize,
    /// Numbers a square has: a multiple of 12.
    pub n_embd: usize,
    /// Moves of the policy know what a pawn becomes.
    #[serde(default)]
    pub promotions: bool,
    /// The input tells who may castle, and where a pawn can be taken en passant.
    #[serde(default)]
    pub state_input: bool,
    /// The board is seen by the player to move: his pieces are White's.
    #[serde(default)]
    pub turned: bool,
    /// A square attends to itself too in the heads of the pieces.
    #[serde(default)]
    pub self_in_masks: bool,
    /// The value is win, draw and loss, from a head with few parameters.
    #[serde(default)]
    pub light_value: bool,
    /// The loss compares the legal moves with each other, and no others.
    #[serde(default)]
    pub legal_mask: bool,
}

/// Why there is no such model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConfigError {
    /// The number of blocks.
    #[error("the depth must be 1 to 64, it is {0}")]
    Depth(usize),
    /// The width.
    #[error("n_embd must be a multiple of 12 up to 1536, it is {0}")]
    Width(usize),
}

impl Config {
    /// The model of the reference.
    pub const fn reference(depth: usize, n_embd: usize) -> Self {
        Self {
            depth,
            n_embd,
            promotions: false,
            state_input: false,
            turned: false,
            self_in_masks: false,
            light_value: false,
            legal_mask: false,
        }
    }

    /// Ours: everything that we do differently.
    pub const fn new(depth: usize, n_embd: usize) -> Self {
        Self {
            depth,
            n_embd,
            promotions: true,
            state_input: true,
            turned: true,
            self_in_masks: true,
            light_value: true,
            legal_mask: true,
        }
    }

    /// Whether such a model can be made.
    pub fn check(&self) -> Result<(), ConfigError> {
        if !(1..=64).contains(&self.depth) {
            return Err(ConfigError::Depth(self.depth));
        }
        if self.n_embd == 0 || !self.n_embd.is_multiple_of(HEADS) || self.n_embd > 1536 {
            return Err(ConfigError::Width(self.n_embd));
        }
        Ok(())
    }

    /// Numbers that a head works with.
    pub const fn head_dim(&self) -> usize {
        self.n_embd / HEADS
    }

    /// Kinds of tokens.
    pub const fn piece_kinds(&self) -> usize {
        if self.state_input { 16 } else { 13 }
    }

    /// How many numbers the model has learned.
    pub fn parameters(&self) -> usize {
        crate::Layout::new(self).len()
    }

    /// Floating-point operations of a forward pass for one position, in the products of matrices.
    pub const fn forward_flops(&self) -> u64 {
        let (d, n) = (self.n_embd as u64, SQUARES as u64);
        let block = 2 * n * 12 * d * d + 4 * n * n * d;
        let policy = 4 * n * d * d + 2 * n * n * d;
        let value = if self.light_value { 2 * (n * 8 * d + 64 * 512 + 192) } else { 2 * n * d * d };
        self.depth as u64 * block + policy + value
    }
}
