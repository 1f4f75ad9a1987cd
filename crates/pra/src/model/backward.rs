//! The backward pass of a micro-batch, after a [forward pass](super::forward) that saved activations.

use super::activations::Activations;
use super::embedding::embed_backward;
use super::gates::{PAIRS, free_backward};
use super::ops::{relu_squared_backward, rms_norm_backward, square};
use super::packed::Parameters;
use super::precision::Products;
use crate::config::{FREE_HEADS, SQUARES};
use crate::encode::Tokens;
use simd::gemm::{Matrix, MatrixMut};

impl Activations {
    /// Adds the gradient w.r.t. all parameters below the heads, given that w.r.t. the final hidden
    /// states.
    pub fn backward(
        &mut self,
        parameters: &Parameters<'_>,
        products: &mut Products,
        tokens: &[Tokens],
        grad_output: &[f32],
        gradient: &mut [f32],
    ) {
        let (d, rows, shape) = (self.config.n_embd, tokens.len() * SQUARES, self.shape());
        let Parameters { layout, weights, gates, .. } = *parameters;
        let residual = &mut self.grad.residual[..rows * d];
        residual.fill(0.0);
        rms_norm_backward(residual, grad_output, &self.output, &self.output_rstd, d);
        for (layer, offsets) in layout.blocks.iter().enumerate().rev() {
            let saved = &self.blocks[layer];
            // MLP. The ReLU output is squared again, which is cheaper than to save its square.
            let hidden = &saved.mlp_hidden[..rows * 4 * d];
            square(&mut self.mlp_squared, hidden);
            let grad_residual = Matrix::new(residual, rows, d);
            products.grad_weight(
                &mut gradient[offsets.mlp_proj..],
                grad_residual,
                Matrix::new(&self.mlp_squared, rows, 4 * d),
                parameters,
            );
            let grad_hidden = &mut self.grad.mlp_hidden[..rows * 4 * d];
            let into = MatrixMut::new(grad_hidden, rows, 4 * d);
            products.grad_input(into, grad_residual, parameters, offsets.mlp_proj, false);
            relu_squared_backward(grad_hidden, hidden);
            let grad_hidden = Matrix::new(grad_hidden, rows, 4 * d);
            products.grad_weight(
                &mut gradient[offsets.mlp_fc..],
                grad_hidden,
                Matrix::new(&saved.mlp_input, rows, d),
                parameters,
            );
            let grad_input = &mut self.grad.input[..rows * d];
            let into = MatrixMut::new(grad_input, rows, d);
            products.grad_input(into, grad_hidden, parameters, offsets.mlp_fc, false);
            rms_norm_backward(residual, grad_input, &saved.mlp_input, &saved.mlp_input_rstd, d);
            // Attention.
            let grad_residual = Matrix::new(residual, rows, d);
            products.grad_weight(
                &mut gradient[offsets.attn_proj..],
                grad_residual,
                Matrix::new(&saved.attn_output, rows, d),
                parameters,
            );
            let into = MatrixMut::new(grad_input, rows, d);
            products.grad_input(into, grad_residual, parameters, offsets.attn_proj, false);
            self.grad.log_gates.fill(0.0);
            let log_gates = &mut self.grad.log_gates;
            self.attention.backward(shape, gates, saved, grad_input, log_gates);
            let free = offsets.free_logits..offsets.free_logits + FREE_HEADS * PAIRS;
            free_backward(&mut gradient[free.clone()], &self.grad.log_gates, &weights[free]);
            let grad_qkv = Matrix::new(&self.attention.rows, rows, 3 * d);
            products.grad_weight(
                &mut gradient[offsets.qkv..],
                grad_qkv,
                Matrix::new(&saved.attn_input, rows, d),
                parameters,
            );
            let into = MatrixMut::new(grad_input, rows, d);
            products.grad_input(into, grad_qkv, parameters, offsets.qkv, false);
            rms_norm_backward(residual, grad_input, &saved.attn_input, &saved.attn_input_rstd, d);
        }
        let grad_embedding = &mut self.grad.input[..rows * d];
        grad_embedding.fill(0.0);
        rms_norm_backward(grad_embedding, residual, &self.embedded, &self.embedded_rstd, d);
        embed_backward(grad_embedding, &self.config, layout, tokens, gradient);
    }
}
