//! The tensors of a model, and their offsets in one flat parameter vector.
//!
//! Names and shapes are those of the reference, so that models are exchangeable; a weight matrix is
//! `[outputs, inputs]`. Projections of the same input are adjacent and form one matrix: queries, keys
//! and values of a block, and the two projections of the policy head.

use std::fmt;
use std::ops::Range;

use crate::config::{Config, FREE_HEADS, SQUARES};
use crate::encode::{ATTACKER_KINDS, HISTORY_PLIES, PIECE_TOKENS, RATING_ROWS};

/// Channels per square in the light value head.
pub const VALUE_CHANNELS: usize = 8;
/// Hidden units of the light value head.
pub const VALUE_NEURONS: usize = 64;

/// Inputs, hidden units and outputs of the value head's MLP.
pub(crate) const fn value_shape(config: &Config) -> (usize, usize, usize) {
    if config.light_value {
        (SQUARES * VALUE_CHANNELS, VALUE_NEURONS, 3)
    } else {
        (SQUARES * config.n_embd, config.n_embd, 1)
    }
}

/// Parameter group of a tensor: the optimizer has a learning rate for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Embedding tables.
    Embedding,
    /// Embedding tables of ratings.
    Ratings,
    /// Mask logits of the free heads.
    FreeLogits,
    /// All other weight matrices.
    Matrix,
    /// The light value head.
    Value,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Embedding => "embedding",
            Self::Ratings => "rating embedding",
            Self::FreeLogits => "free logits",
            Self::Matrix => "matrix",
            Self::Value => "value head",
        })
    }
}

/// Initialization of a tensor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Init {
    /// Zeros.
    Zero,
    /// Uniform in [−a, a].
    Uniform(f32),
    /// Normal with mean 0 and this standard deviation.
    Normal(f32),
}

/// A named tensor of the parameter vector.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// Name in files.
    pub name: String,
    /// Shape in files.
    pub shape: Vec<usize>,
    /// Parameter group.
    pub kind: Kind,
    /// Initialization.
    pub init: Init,
    /// Range in the parameter vector.
    pub range: Range<usize>,
}

impl Tensor {
    /// Rows and columns as a matrix: the first dimension, and the product of the others.
    pub fn matrix(&self) -> (usize, usize) {
        let rows = self.shape.first().copied().unwrap_or(0);
        (rows, self.shape[1..].iter().product())
    }
}

/// Offsets of the tensors of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BlockOffsets {
    /// Queries, keys, values: `[3d, d]`.
    pub qkv: usize,
    pub attn_proj: usize,
    pub free_logits: usize,
    pub mlp_fc: usize,
    pub mlp_proj: usize,
}

/// Offsets of all tensors in the parameter vector.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    tensors: Vec<Tensor>,
    pub(crate) piece_embed: usize,
    pub(crate) position_embed: usize,
    pub(crate) side_embed: usize,
    /// What stood on a square: `[7 × 13, d]`.
    pub(crate) history_embed: usize,
    /// The kinds of attackers: `[12, d]`.
    pub(crate) attacker_embed: usize,
    /// Ratings of the side to move, and of the opponent: `[25, d]` each.
    pub(crate) rating_embeds: [usize; 2],
    pub(crate) blocks: Vec<BlockOffsets>,
    /// From- and to-squares: `[2d, d]`.
    pub(crate) policy_proj: usize,
    pub(crate) promotion: usize,
    pub(crate) value_squares: usize,
    pub(crate) value_fc1: usize,
    pub(crate) value_fc2: usize,
    gemm_weights: Vec<(usize, usize, usize)>,
}

struct Builder {
    tensors: Vec<Tensor>,
    length: usize,
}

impl Builder {
    fn add(&mut self, name: impl Into<String>, shape: &[usize], kind: Kind, init: Init) -> usize {
        let begin = self.length;
        self.length += shape.iter().product::<usize>();
        let range = begin..self.length;
        self.tensors.push(Tensor { name: name.into(), shape: shape.to_vec(), kind, init, range });
        begin
    }
}

impl Layout {
    /// The layout of models of this configuration.
    pub fn new(config: &Config) -> Self {
        use Kind::{Embedding, FreeLogits, Matrix, Value};
        let d = config.n_embd;
        let uniform = Init::Uniform((3.0 / d as f32).sqrt());
        let normal = Init::Normal(1.0);
        let mut all = Builder { tensors: Vec::new(), length: 0 };
        let vocabulary = config.vocab_size();
        let shape = [vocabulary, d];
        let piece_embed = all.add("embedding.piece_embed.weight", &shape, Embedding, normal);
        let shape = [SQUARES, d];
        let position_embed = all.add("embedding.position_embed.weight", &shape, Embedding, normal);
        let side_embed = all.add("embedding.side_embed.weight", &[2, d], Embedding, normal);
        let mut history_embed = 0;
        if config.history {
            let shape = [HISTORY_PLIES * PIECE_TOKENS, d];
            let name = "embedding.history_embed.weight";
            history_embed = all.add(name, &shape, Embedding, Init::Zero);
        }
        let mut attacker_embed = 0;
        if config.attackers {
            let (name, shape) = ("embedding.attacker_embed.weight", [ATTACKER_KINDS, d]);
            attacker_embed = all.add(name, &shape, Embedding, Init::Zero);
        }
        let mut rating_embeds = [0; 2];
        if config.ratings {
            rating_embeds = ["own_rating_embed", "opponent_rating_embed"].map(|name| {
                let name = format!("embedding.{name}.weight");
                all.add(name, &[RATING_ROWS, d], Kind::Ratings, Init::Zero)
            });
        }
        let mut blocks = Vec::with_capacity(config.depth);
        for n in 0..config.depth {
            let name = |part: &str| format!("blocks.{n}.{part}");
            let qkv = all.add(name("attn.c_q.weight"), &[d, d], Matrix, uniform);
            all.add(name("attn.c_k.weight"), &[d, d], Matrix, uniform);
            all.add(name("attn.c_v.weight"), &[d, d], Matrix, uniform);
            let attn_proj = all.add(name("attn.c_proj.weight"), &[d, d], Matrix, Init::Zero);
            let shape = [FREE_HEADS, SQUARES, SQUARES];
            let free_logits =
                all.add(name("attn.free_attn_logits"), &shape, FreeLogits, Init::Zero);
            let mlp_fc = all.add(name("mlp.c_fc.weight"), &[4 * d, d], Matrix, uniform);
            let mlp_proj = all.add(name("mlp.c_proj.weight"), &[d, 4 * d], Matrix, Init::Zero);
            blocks.push(BlockOffsets { qkv, attn_proj, free_logits, mlp_fc, mlp_proj });
        }
        let policy_proj = all.add("policy_head.from_proj.weight", &[d, d], Matrix, uniform);
        all.add("policy_head.to_proj.weight", &[d, d], Matrix, uniform);
        let mut promotion = 0;
        if config.promotions {
            promotion = all.add("policy_head.promotion.weight", &[4, d], Matrix, Init::Zero);
        }
        let mut value_squares = 0;
        let (fc1, fc2) = ("value_head.fc1.weight", "value_head.fc2.weight");
        let (inputs, hidden, outputs) = value_shape(config);
        let (mut kind, mut init) = (Matrix, uniform);
        if config.light_value {
            (kind, init) = (Value, Init::Uniform((3.0 / inputs as f32).sqrt()));
            let shape = [VALUE_CHANNELS, d];
            value_squares = all.add("value_head.squares.weight", &shape, kind, uniform);
        }
        let value_fc1 = all.add(fc1, &[hidden, inputs], kind, init);
        let value_fc2 = all.add(fc2, &[outputs, hidden], kind, Init::Normal(0.01));
        let mut gemm_weights = Vec::new();
        for block in &blocks {
            gemm_weights.extend([
                (block.qkv, 3 * d, d),
                (block.attn_proj, d, d),
                (block.mlp_fc, 4 * d, d),
                (block.mlp_proj, d, 4 * d),
            ]);
        }
        gemm_weights.push((policy_proj, 2 * d, d));
        if config.light_value {
            gemm_weights.push((value_squares, VALUE_CHANNELS, d));
        }
        gemm_weights.extend([(value_fc1, hidden, inputs), (value_fc2, outputs, hidden)]);
        let tensors = all.tensors;
        Self {
            tensors,
            gemm_weights,
            piece_embed,
            position_embed,
            side_embed,
            history_embed,
            attacker_embed,
            rating_embeds,
            blocks,
            policy_proj,
            promotion,
            value_squares,
            value_fc1,
            value_fc2,
        }
    }

    /// All tensors, in the order of the parameter vector.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// Weight matrices of GEMMs: offset, outputs and inputs of each.
    pub(crate) fn gemm_weights(&self) -> &[(usize, usize, usize)] {
        &self.gemm_weights
    }

    /// The number of parameters.
    pub fn len(&self) -> usize {
        self.tensors.last().map_or(0, |tensor| tensor.range.end)
    }

    /// Whether there are no parameters, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
