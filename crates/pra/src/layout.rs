//! Which tensors a model has, and where each of them lies in one long row of numbers.
//!
//! Names and shapes are those of the reference, so that models move both ways; a matrix is
//! `[outputs, inputs]`. Tensors that are multiplied by the same thing lie side by side: queries, keys
//! and values of a block are one matrix of three times as many rows, as are the two of the policy.

use std::ops::Range;

use crate::config::{Config, FREE_HEADS, SQUARES};

/// Outputs of a square in the light value head.
pub const VALUE_CHANNELS: usize = 8;
/// Neurons of the light value head.
pub const VALUE_NEURONS: usize = 64;

/// Inputs, neurons and outputs of the value head.
pub(crate) const fn value_shape(config: &Config) -> (usize, usize, usize) {
    if config.light_value {
        (SQUARES * VALUE_CHANNELS, VALUE_NEURONS, 3)
    } else {
        (SQUARES * config.n_embd, config.n_embd, 1)
    }
}

/// How a tensor is initialised and trained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Rows that are looked up.
    Embedding,
    /// The patterns of the free heads.
    FreeLogits,
    /// Anything else that multiplies.
    Matrix,
    /// The light value head.
    Value,
}

/// How a tensor begins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Start {
    /// Nothing but zeros.
    Zero,
    /// Evenly from minus to plus this number.
    Uniform(f32),
    /// A bell curve of this width.
    Normal(f32),
}

/// A named part of the parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// The name in files.
    pub name: String,
    /// The shape in files.
    pub shape: Vec<usize>,
    /// How it is trained.
    pub kind: Kind,
    /// How it begins.
    pub start: Start,
    /// Where it lies.
    pub range: Range<usize>,
}

impl Tensor {
    /// Rows and columns, as a matrix.
    pub fn matrix(&self) -> (usize, usize) {
        let rows = self.shape.first().copied().unwrap_or(0);
        (rows, self.shape[1..].iter().product())
    }
}

/// Where the tensors of a block begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BlockPlaces {
    /// Queries, keys, values: `[3d, d]`.
    pub qkv: usize,
    pub projection: usize,
    pub free: usize,
    pub mlp_in: usize,
    pub mlp_out: usize,
}

/// Where all tensors are.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    tensors: Vec<Tensor>,
    pub(crate) pieces: usize,
    pub(crate) positions: usize,
    pub(crate) sides: usize,
    pub(crate) blocks: Vec<BlockPlaces>,
    /// From and to: `[2d, d]`.
    pub(crate) policy: usize,
    pub(crate) promotion: usize,
    pub(crate) value_squares: usize,
    pub(crate) value_in: usize,
    pub(crate) value_out: usize,
    products: Vec<(usize, usize, usize)>,
}

/// Collects tensors.
struct Builder {
    tensors: Vec<Tensor>,
    length: usize,
}

impl Builder {
    fn add(&mut self, name: impl Into<String>, shape: &[usize], kind: Kind, start: Start) -> usize {
        let begin = self.length;
        self.length += shape.iter().product::<usize>();
        let range = begin..self.length;
        self.tensors.push(Tensor { name: name.into(), shape: shape.to_vec(), kind, start, range });
        begin
    }
}

impl Layout {
    /// The tensors of this model.
    pub fn new(config: &Config) -> Self {
        use Kind::{Embedding, FreeLogits, Matrix, Value};
        let d = config.n_embd;
        let even = Start::Uniform((3.0 / d as f32).sqrt());
        let bell = Start::Normal(1.0);
        let mut all = Builder { tensors: Vec::new(), length: 0 };
        let kinds = config.piece_kinds();
        let pieces = all.add("embedding.piece_embed.weight", &[kinds, d], Embedding, bell);
        let positions = all.add("embedding.position_embed.weight", &[SQUARES, d], Embedding, bell);
        let sides = all.add("embedding.side_embed.weight", &[2, d], Embedding, bell);
        let mut blocks = Vec::with_capacity(config.depth);
        for n in 0..config.depth {
            let name = |part: &str| format!("blocks.{n}.{part}");
            let qkv = all.add(name("attn.c_q.weight"), &[d, d], Matrix, even);
            all.add(name("attn.c_k.weight"), &[d, d], Matrix, even);
            all.add(name("attn.c_v.weight"), &[d, d], Matrix, even);
            let projection = all.add(name("attn.c_proj.weight"), &[d, d], Matrix, Start::Zero);
            let shape = [FREE_HEADS, SQUARES, SQUARES];
            let free = all.add(name("attn.free_attn_logits"), &shape, FreeLogits, Start::Zero);
            let mlp_in = all.add(name("mlp.c_fc.weight"), &[4 * d, d], Matrix, even);
            let mlp_out = all.add(name("mlp.c_proj.weight"), &[d, 4 * d], Matrix, Start::Zero);
            blocks.push(BlockPlaces { qkv, projection, free, mlp_in, mlp_out });
        }
        let policy = all.add("policy_head.from_proj.weight", &[d, d], Matrix, even);
        all.add("policy_head.to_proj.weight", &[d, d], Matrix, even);
        let mut promotion = 0;
        if config.promotions {
            promotion = all.add("policy_head.promotion.weight", &[4, d], Matrix, Start::Zero);
        }
        let mut value_squares = 0;
        let (fc1, fc2) = ("value_head.fc1.weight", "value_head.fc2.weight");
        let (inputs, neurons, outputs) = value_shape(config);
        let (mut kind, mut start) = (Matrix, even);
        if config.light_value {
            (kind, start) = (Value, Start::Uniform((3.0 / inputs as f32).sqrt()));
            let shape = [VALUE_CHANNELS, d];
            value_squares = all.add("value_head.squares.weight", &shape, kind, even);
        }
        let value_in = all.add(fc1, &[neurons, inputs], kind, start);
        let value_out = all.add(fc2, &[outputs, neurons], kind, Start::Normal(0.01));
        let mut products = Vec::new();
        for places in &blocks {
            products.extend([
                (places.qkv, 3 * d, d),
                (places.projection, d, d),
                (places.mlp_in, 4 * d, d),
                (places.mlp_out, d, 4 * d),
            ]);
        }
        products.push((policy, 2 * d, d));
        if config.light_value {
            products.push((value_squares, VALUE_CHANNELS, d));
        }
        products.extend([(value_in, neurons, inputs), (value_out, outputs, neurons)]);
        let tensors = all.tensors;
        Self {
            tensors,
            products,
            pieces,
            positions,
            sides,
            blocks,
            policy,
            promotion,
            value_squares,
            value_in,
            value_out,
        }
    }

    /// All tensors, in the order of the numbers.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// Matrices that products of matrices read: where each begins, its outputs and its inputs.
    pub(crate) fn products(&self) -> &[(usize, usize, usize)] {
        &self.products
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.tensors.last().map_or(0, |tensor| tensor.range.end)
    }

    /// Whether there are none, which no model has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
