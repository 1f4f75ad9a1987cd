//! The forward pass of a micro-batch through all blocks.
//!
//! A worker takes few enough positions at a time that the activations between layers stay in its
//! cache, and enough of them to amortize the set-up of a GEMM.

use std::ops::Range;

use simd::AlignedVec;

use super::activations::Activations;
use super::attention::{self, qk_norm};
use super::embedding::embed;
use super::ops::{relu_and_square, relu_squared, rms_norm};
use super::packed::Parameters;
use super::precision::Products;
use crate::config::{Config, SQUARES};
use crate::encode::Tokens;
use crate::layout::Layout;
use simd::gemm::{Matrix, MatrixMut};

/// All squares of a position.
pub(super) const ALL_SQUARES: Range<usize> = 0..SQUARES;

/// Callbacks of a forward pass.
pub(super) trait ForwardHooks {
    /// The attention weights of the next head: `[64, 64]`.
    fn attention_weights(&mut self, _weights: &[f32]) {}

    /// Fills in the rows of squares that other ranks compute.
    fn all_gather(&mut self, _rows: &mut [f32], _row_len: usize) {}
}

/// No hooks.
impl ForwardHooks for () {}

impl Activations {
    /// Queries, keys and values of the first block for every side to move, token and square:
    /// `[2, vocabulary, 64, 3d]`. They depend on nothing else, so inference looks them up.
    pub fn first_layer_qkv(config: &Config, parameters: Parameters<'_>) -> AlignedVec<f32> {
        let Parameters { layout, packed, .. } = parameters;
        let mut products = Products::default();
        let mut activations = Self::new(config, 1, false);
        let mut table = Vec::new();
        for side in 0..2 {
            for token in 0..config.vocab_size() as u8 {
                let tokens = Tokens::new([token; SQUARES], side);
                activations.embed(layout, packed, &[tokens], ALL_SQUARES);
                activations.project_qkv(0, (&parameters, &mut products), SQUARES, 0);
                table.extend_from_slice(&activations.blocks[0].qkv);
            }
        }
        (&*table).into()
    }

    /// The residual stream before the first block: the normalized sum of embeddings.
    fn embed(&mut self, layout: &Layout, packed: &[f32], tokens: &[Tokens], squares: Range<usize>) {
        let (d, rows) = (self.config.n_embd, tokens.len() * squares.len());
        embed(&mut self.residual, &self.config, (layout, packed), tokens, squares);
        rms_norm(&mut self.embedded[..rows * d], &mut self.embedded_rstd, &self.residual, d);
        self.residual[..rows * d].copy_from_slice(&self.embedded[..rows * d]);
    }

    /// Queries, keys and values of `rows` rows of a block, starting at square `first`.
    fn project_qkv(
        &mut self,
        layer: usize,
        (parameters, products): (&Parameters<'_>, &mut Products),
        rows: usize,
        first: usize,
    ) {
        let (d, shape) = (self.config.n_embd, self.shape());
        let weight = parameters.layout.blocks[layer].qkv;
        let block = layer.min(self.blocks.len() - 1);
        let saved = &mut self.blocks[block];
        rms_norm(&mut saved.attn_input[..rows * d], &mut saved.attn_input_rstd, &self.residual, d);
        let qkv = match self.training {
            true => &mut self.attention.rows[..rows * 3 * d],
            false => &mut saved.qkv[first * 3 * d..][..rows * 3 * d],
        };
        let into = MatrixMut::new(qkv, rows, 3 * d);
        let input = Matrix::new(&saved.attn_input, rows, d);
        products.forward(into, input, parameters, weight, false);
        if !self.training {
            qk_norm(qkv, shape);
        }
    }

    /// The same for the first block, from the cache made by [`first_layer_qkv`](Self::first_layer_qkv).
    fn look_up_qkv(&mut self, cache: &[f32], tokens: &[Tokens], squares: Range<usize>) {
        let (size, vocabulary) = (3 * self.config.n_embd, self.config.vocab_size());
        let mut rows = self.blocks[0].qkv[squares.start * size..].chunks_exact_mut(size);
        for tokens in tokens {
            for (square, row) in squares.clone().zip(&mut rows) {
                let token = usize::from(tokens.squares[square]);
                let entry = (usize::from(tokens.side) * vocabulary + token) * SQUARES + square;
                row.copy_from_slice(&cache[entry * size..][..size]);
            }
        }
    }

    /// Computes [`output`](Self::output) from tokens. With sequence parallelism it computes only
    /// `squares` of a single position, and gathers the others from the other ranks.
    pub fn forward(
        &mut self,
        parameters: &Parameters<'_>,
        products: &mut Products,
        tokens: &[Tokens],
        squares: Range<usize>,
        hooks: &mut impl ForwardHooks,
    ) {
        debug_assert!(squares == ALL_SQUARES || tokens.len() == 1);
        let Parameters { layout, packed, first_layer_qkv, gates, .. } = *parameters;
        let (d, rows, shape) = (self.config.n_embd, tokens.len() * squares.len(), self.shape());
        self.embed(layout, packed, tokens, squares.clone());
        for (layer, offsets) in layout.blocks.iter().enumerate() {
            let block = layer.min(self.blocks.len() - 1);
            match first_layer_qkv.filter(|_| layer == 0) {
                Some(cache) => self.look_up_qkv(cache, tokens, squares.clone()),
                None => self.project_qkv(layer, (parameters, &mut *products), rows, squares.start),
            }
            let saved = &mut self.blocks[block];
            if self.training {
                self.attention.forward(shape, (gates, layer), saved, rows * d);
            } else {
                hooks.all_gather(&mut saved.qkv, 3 * d);
                for n in 0..tokens.len() {
                    let qkv = SQUARES * 3 * d;
                    attention::forward(
                        shape,
                        squares.clone(),
                        &saved.qkv[n * qkv..][..qkv],
                        gates.block(layer),
                        &mut saved.attn_weights,
                        &mut saved.attn_output[n * SQUARES * d..],
                        hooks,
                    );
                }
            }
            products.forward(
                MatrixMut::new(&mut self.residual, rows, d),
                Matrix::new(&saved.attn_output, rows, d),
                parameters,
                offsets.attn_proj,
                true,
            );
            let mlp_input = &mut saved.mlp_input[..rows * d];
            rms_norm(mlp_input, &mut saved.mlp_input_rstd, &self.residual, d);
            products.forward(
                MatrixMut::new(&mut saved.mlp_hidden, rows, 4 * d),
                Matrix::new(&saved.mlp_input, rows, d),
                parameters,
                offsets.mlp_fc,
                false,
            );
            // ReLU²; the backward pass needs the ReLU output, inference squares in place.
            let hidden = &mut saved.mlp_hidden[..rows * 4 * d];
            let squared = if self.training {
                relu_and_square(hidden, &mut self.mlp_squared);
                &self.mlp_squared
            } else {
                relu_squared(hidden);
                &*hidden
            };
            products.forward(
                MatrixMut::new(&mut self.residual, rows, d),
                Matrix::new(squared, rows, 4 * d),
                parameters,
                offsets.mlp_proj,
                true,
            );
        }
        let output = &mut self.output[squares.start * d..][..rows * d];
        rms_norm(output, &mut self.output_rstd, &self.residual, d);
        hooks.all_gather(&mut self.output, d);
    }
}
