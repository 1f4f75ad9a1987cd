//! Buffers of one worker thread: activations of a micro-batch, and scratch space for its gradients.
//!
//! Training saves the activations of every block for the backward pass. Inference overwrites them: all
//! blocks share one set, and all heads one matrix of attention weights.

use simd::AlignedVec;

use super::attention::Shape;
use super::gates::PAIRS;
use crate::config::{Config, FREE_HEADS, HEADS, SQUARES};

/// Activations of one block. `rstd` are the reciprocals of root mean squares, one for each normalized
/// vector.
#[derive(Clone, Debug)]
pub(super) struct BlockActivations {
    /// Attention input: the normalized residual stream.
    pub attn_input: AlignedVec<f32>,
    pub attn_input_rstd: AlignedVec<f32>,
    /// Queries and keys, normalized, and values: `[rows, 3d]`.
    pub qkv: AlignedVec<f32>,
    /// `[rows, 2 × heads]`.
    pub qk_rstd: AlignedVec<f32>,
    /// `[positions, heads, 64, 64]`; `[64, 64]` in inference.
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
    pub grad: Gradients,
}

/// Gradients w.r.t. activations.
#[derive(Clone, Debug)]
pub(super) struct Gradients {
    pub residual: AlignedVec<f32>,
    /// W.r.t. the input of attention, of the MLP, or of a norm: `[rows, d]`.
    pub input: AlignedVec<f32>,
    pub qkv: AlignedVec<f32>,
    pub mlp_hidden: AlignedVec<f32>,
    /// W.r.t. the logarithms of the free heads' gates, summed over positions.
    pub log_gates: AlignedVec<f32>,
}

impl Activations {
    /// Buffers for at most `positions` positions at a time.
    pub fn new(config: &Config, positions: usize, training: bool) -> Self {
        let (d, rows) = (config.n_embd, positions * SQUARES);
        let zeros = |per_row: usize| AlignedVec::zeros(rows * per_row);
        let grad = |length: usize| AlignedVec::zeros(if training { length } else { 0 });
        let block = BlockActivations {
            attn_input: zeros(d),
            attn_input_rstd: zeros(1),
            qkv: zeros(3 * d),
            qk_rstd: zeros(2 * HEADS),
            attn_weights: if training { zeros(HEADS * SQUARES) } else { AlignedVec::zeros(PAIRS) },
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
            grad: Gradients {
                residual: grad(rows * d),
                input: grad(rows * d),
                qkv: grad(rows * 3 * d),
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
