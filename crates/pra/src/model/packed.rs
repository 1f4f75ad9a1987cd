//! Weights in the memory layouts that the kernels read.
//!
//! Made from [`Weights`] when their [version](Weights::version) changes, that is, once per optimizer
//! step in training and once in inference.

use simd::AlignedVec;

use super::activations::Activations;
use super::gates::{Gates, PAIRS};
use super::precision::{Bf16Weights, Precision};
use crate::config::{Config, FREE_HEADS};
use crate::layout::Layout;
use crate::weights::Weights;
use simd::gemm::{Matrix, pack_panels};

/// Copies of the weights of a model, and what is computed from weights alone.
#[derive(Clone, Debug)]
pub(super) struct PackedWeights {
    /// The version of the weights that it was made from.
    version: Option<u64>,
    /// All parameters; matrices of GEMMs are transposed to `[inputs, outputs]` and packed in panels.
    packed: AlignedVec<f32>,
    gates: Gates,
    /// See [`Activations::first_layer_qkv`]; computed for inference only.
    first_layer_qkv: Option<AlignedVec<f32>>,
    /// Made for training in that precision only.
    bf16: Option<Bf16Weights>,
}

/// What a forward or backward pass reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters<'a> {
    pub layout: &'a Layout,
    pub weights: &'a [f32],
    pub packed: &'a [f32],
    pub gates: &'a Gates,
    /// The weights as bf16, if products are in that precision.
    pub bf16: Option<&'a Bf16Weights>,
    /// The first-layer QKV cache, in inference.
    pub first_layer_qkv: Option<&'a [f32]>,
}

impl PackedWeights {
    pub fn new(config: &Config) -> Self {
        let packed = AlignedVec::zeros(0);
        Self { version: None, packed, gates: Gates::new(config), first_layer_qkv: None, bf16: None }
    }

    /// The parameters for a forward pass of these weights, packed anew if they have changed.
    pub fn parameters<'a>(
        &'a mut self,
        weights: &'a Weights,
        training: bool,
        precision: Precision,
    ) -> Parameters<'a> {
        let (config, layout, values) = (weights.config(), weights.layout(), weights.values());
        if self.version != Some(weights.version()) {
            self.version = Some(weights.version());
            self.packed = pack(layout, values);
            self.first_layer_qkv = None;
            self.bf16 = None;
            for (block, offsets) in layout.blocks.iter().enumerate() {
                let logits = &values[offsets.free_logits..][..FREE_HEADS * PAIRS];
                self.gates.set_free(block, logits);
            }
        }
        let packed = &self.packed;
        // With more inputs, the first block depends on more than a token and its square.
        let is_cached = !(training || config.history || config.ratings || config.attackers);
        let bf16 = (precision == Precision::Bf16).then(|| {
            let pack = || Bf16Weights::new(values, layout.gemm_weights());
            &*self.bf16.get_or_insert_with(pack)
        });
        let gates = &self.gates;
        let first_layer_qkv = None;
        let mut all = Parameters { layout, weights: values, packed, gates, bf16, first_layer_qkv };
        if is_cached {
            let compute = || Activations::first_layer_qkv(config, all);
            all.first_layer_qkv = Some(self.first_layer_qkv.get_or_insert_with(compute));
        }
        all
    }
}

fn pack(layout: &Layout, values: &[f32]) -> AlignedVec<f32> {
    let mut packed = AlignedVec::from(values);
    for &(begin, outputs, inputs) in layout.gemm_weights() {
        let matrix = Matrix::new(&values[begin..], outputs, inputs);
        pack_panels(&mut packed[begin..], matrix.transposed());
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use Precision::F32;

    #[test]
    fn weights_are_packed_again_when_a_value_changes() {
        let sorted = |values: &[f32]| {
            let mut values = values.to_vec();
            values.sort_by(f32::total_cmp);
            values
        };
        let plain =
            Config { history: false, ratings: false, attackers: false, ..Config::new(1, 24) };
        for config in [plain, Config::reference(2, 12)] {
            let mut weights = Weights::random(&config, 1).unwrap();
            let mut cache = PackedWeights::new(&config);
            // The same values in another order, and in the same order where no GEMM reads them.
            let packed = cache.parameters(&weights, true, F32).packed.to_vec();
            assert_ne!(packed, weights.values());
            assert_eq!(sorted(&packed), sorted(weights.values()));
            assert_eq!(packed[..24], weights.values()[..24]);
            let place = weights.layout().policy_proj + 1;
            weights.values_mut()[place] = 9.5;
            let packed = cache.parameters(&weights, true, F32).packed.to_vec();
            assert_eq!(sorted(&packed), sorted(weights.values()));
            assert!(packed.contains(&9.5));
            // The first-layer QKV cache lives as long, and is made for inference only.
            assert!(cache.parameters(&weights, true, F32).first_layer_qkv.is_none());
            let qkv = cache.parameters(&weights, false, F32).first_layer_qkv.unwrap().to_vec();
            let address = cache.parameters(&weights, false, F32).first_layer_qkv.unwrap().as_ptr();
            let again =
                cache.parameters(&weights.clone(), false, F32).first_layer_qkv.unwrap().as_ptr();
            assert_eq!(address, again, "computed once for these values");
            let place = weights.layout().blocks[0].qkv;
            weights.values_mut()[place] = 9.0;
            assert_ne!(cache.parameters(&weights, false, F32).first_layer_qkv.unwrap(), qkv);
        }
    }
}
