//! What is to come out, in plain Rust.

use crate::halfkp::layers::{Dense, HIDDEN, INPUTS, Layers};
use crate::halfkp::{HALF, Half};

pub(super) fn change(rows: &[Half], from: &Half, removed: &[u16], added: &[u16], to: &mut Half) {
    *to = *from;
    for row in removed.iter().filter_map(|&feature| rows.get(usize::from(feature))) {
        for (sum, weight) in to.0.iter_mut().zip(&row.0) {
            *sum = sum.wrapping_sub(*weight);
        }
    }
    for row in added.iter().filter_map(|&feature| rows.get(usize::from(feature))) {
        for (sum, weight) in to.0.iter_mut().zip(&row.0) {
            *sum = sum.wrapping_add(*weight);
        }
    }
}

pub(super) fn output(layers: &Layers, own: &Half, other: &Half) -> i32 {
    let mut inputs = [0; INPUTS];
    for (input, &sum) in inputs.iter_mut().zip(own.0.iter().chain(&other.0)) {
        *input = sum.clamp(0, 127) as u8;
    }
    debug_assert_eq!(inputs.len(), 2 * HALF);
    let hidden = dense(&layers.second, &dense(&layers.first, &inputs));
    layers.output_bias.wrapping_add(dot(&layers.output.0, &hidden))
}

/// A hidden layer: sums, divided by 64 towards minus infinity, clipped.
fn dense<const IN: usize, const FOURS: usize>(
    layer: &Dense<IN, FOURS>,
    inputs: &[u8; IN],
) -> [u8; HIDDEN] {
    std::array::from_fn(|n| {
        let sum = layer.bias.0[n].wrapping_add(dot(&layer.rows[n], inputs));
        (sum >> 6).clamp(0, 127) as u8
    })
}

fn dot(weights: &[i8], inputs: &[u8]) -> i32 {
    weights.iter().zip(inputs).map(|(&weight, &input)| i32::from(weight) * i32::from(input)).sum()
}
