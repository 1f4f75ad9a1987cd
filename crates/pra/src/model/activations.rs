//! Buffers of one worker thread: activations of a micro-batch, and scratch space for its gradients.
//!
//! Training saves the activations of every block for the backward pass. Inference overwrites them: all
//! blocks share one set, and all heads one matrix of attention weights.

use simd::AlignedVec;

use super::attention::Shape;
use super::gates::{Gates, PAIRS};
use super::lane_attention::{self, vectors_len, weights_len};
use crate::config::{Config, FREE_HEADS, HEADS, SQUARES};

/// Activations of one block. `rstd` are the reciprocals of root mean squares, one for each normalized
/// vector.
#[derive(Clone, Debug)]
pub(super) struct BlockActivations {
    /// Attention input: the normalized residual stream.
    pub attn_input: AlignedVec<f32>,
    pub attn_input_rstd: AlignedVec<f32>,
    /// Queries and keys, normalized, and values: `[rows, 3d]`. In training in [lanes](super::lane_attention).
    pub qkv: AlignedVec<f32>,
    /// Factors of QK norm, in lanes; in training only.
    pub qk_rstd: AlignedVec<f32>,
    /// In training of all heads in lanes, in inference `[64, 64]`.
    pub attn_weights: AlignedVec<f32>,
    /// Weighted sums of values, before the output projection.
    pub attn_output: AlignedVec<f32>,
    /// MLP input: the normalized residual stream.
    pub mlp_input: AlignedVec<f32>,
    pub mlp_input_rstd: AlignedVec<f32>,
    /// ReLU output; in inference its square.
    pub mlp_hidden: AlignedVec<f32>,
}

/// Activations of some positions in the whole network. A row is a square of a position.
#[derive(Clone, Debug)]
pub(super) struct Activations {
    pub config: Config,
    pub training: bool,
    /// One for each block in training, a single one in inference.
    pub blocks: Vec<BlockActivations>,
    /// The residual stream.
    pub residual: AlignedVec<f32>,
    /// The normalized sum of embeddings.
    pub embedded: AlignedVec<f32>,
    pub embedded_rstd: AlignedVec<f32>,
    /// Final hidden states, the input of the policy and value heads.
    pub output: AlignedVec<f32>,
    pub output_rstd: AlignedVec<f32>,
    /// ReLU² output, recomputed in the backward pass.
    pub mlp_squared: AlignedVec<f32>,
    /// Attention in training.
    pub attention: lane_attention::Scratch,
    pub grad: Gradients,
}

/// Gradients w.r.t. activations.
#[derive(Clone, Debug)]
pub(super) struct Gradients {
    pub residual: AlignedVec<f32>,
    /// W.r.t. the input of attention, of the MLP, or of a norm: `[rows, d]`.
    pub input: AlignedVec<f32>,
    pub mlp_hidden: AlignedVec<f32>,
    /// W.r.t. the logarithms of the free heads' gates, summed over positions.
    pub log_gates: AlignedVec<f32>,
}

impl Activations {
    /// Buffers for at most `positions` positions at a time; in training those of
    /// [`lane_attention`](super::lane_attention).
    pub fn new(config: &Config, positions: usize, training: bool) -> Self {
        assert!(!training || positions == lane_attention::POSITIONS);
        let (d, rows) = (config.n_embd, positions * SQUARES);
        let zeros = |per_row: usize| AlignedVec::zeros(rows * per_row);
        let grad = |length: usize| AlignedVec::zeros(if training { length } else { 0 });
        let gates = Gates::new(&Config { depth: 1, ..*config });
        let block = BlockActivations {
            attn_input: zeros(d),
            attn_input_rstd: zeros(1),
            qkv: if training { AlignedVec::zeros(vectors_len(d, 3)) } else { zeros(3 * d) },
            qk_rstd: grad(rows * 2 * HEADS),
            attn_weights: AlignedVec::zeros(if training { weights_len(&gates) } else { PAIRS }),
            attn_output: zeros(d),
            mlp_input: zeros(d),
            mlp_input_rstd: zeros(1),
            mlp_hidden: zeros(4 * d),
        };
        Self {
            config: *config,
            training,
            blocks: vec![block; if training { config.depth } else { 1 }],
            residual: zeros(d),
            embedded: zeros(d),
            embedded_rstd: zeros(1),
            output: zeros(d),
            output_rstd: zeros(1),
            mlp_squared: grad(rows * 4 * d),
            attention: lane_attention::Scratch::new(d, training),
            grad: Gradients {
                residual: grad(rows * d),
                input: grad(rows * d),
                mlp_hidden: grad(rows * 4 * d),
                log_gates: grad(FREE_HEADS * PAIRS),
            },
        }
    }

    /// Dimensions of the attention heads.
    pub const fn shape(&self) -> Shape {
        Shape { n_embd: self.config.n_embd, head_dim: self.config.head_dim() }
    }
}
