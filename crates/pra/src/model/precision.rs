//! The precision of the large matmuls, and the matmuls of a linear layer in it.
//!
//! With bf16, weights and activations are rounded for each matmul; accumulation, everything between the matmuls,
//! and the weights that the optimizer updates stay f32. So do the small matmuls within attention and the heads.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use simd::AlignedVec;
use simd::gemm::bf16::{self, Pair};
use simd::gemm::{self, Matrix, MatrixMut, matmul_add, matmul_packed};

use super::packed::Parameters;

/// The precision of matrix products in training.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Precision {
    /// f32.
    #[default]
    F32,
    /// bf16 with f32 sums, for CPUs with AVX-512 BF16.
    Bf16,
}

/// The CPU does not support a precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this CPU does not support the precision {0}: it has no AVX-512 BF16")]
pub struct UnsupportedPrecision(Precision);

/// A name of no precision.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the precision must be f32 or bf16, not '{0}'")]
pub struct UnknownPrecision(String);

impl Precision {
    /// The fastest that this CPU supports.
    pub fn fastest() -> Self {
        if bf16::is_supported() { Self::Bf16 } else { Self::F32 }
    }

    /// Whether this CPU supports it.
    pub fn check(self) -> Result<(), UnsupportedPrecision> {
        let is_supported = self == Self::F32 || bf16::is_supported();
        if is_supported { Ok(()) } else { Err(UnsupportedPrecision(self)) }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Precision {
    type Err = UnknownPrecision;

    fn from_str(text: &str) -> Result<Self, UnknownPrecision> {
        let found = [Self::F32, Self::Bf16].into_iter().find(|precision| precision.name() == text);
        found.ok_or_else(|| UnknownPrecision(text.to_owned()))
    }
}

/// Weights as bf16, at half their offsets in the parameter vector.
#[derive(Clone, Debug)]
pub(super) struct Bf16Weights {
    /// `[inputs, outputs]`, for the forward pass.
    forward: AlignedVec<Pair>,
    /// `[outputs, inputs]`, for the backward pass.
    backward: AlignedVec<Pair>,
}

impl Bf16Weights {
    /// Packs the weight matrices: offset, outputs and inputs of each.
    pub fn new(values: &[f32], matrices: &[(usize, usize, usize)]) -> Self {
        let zeros = || AlignedVec::zeros(values.len().div_ceil(2));
        let mut weights = Self { forward: zeros(), backward: zeros() };
        for &(begin, outputs, inputs) in matrices.iter().filter(|matrix| is_large(**matrix)) {
            let matrix = Matrix::new(&values[begin..], outputs, inputs);
            bf16::pack_columns(&mut weights.forward[begin / 2..], matrix.transposed());
            bf16::pack_columns(&mut weights.backward[begin / 2..], matrix);
        }
        weights
    }
}

/// Whether a weight matrix is one of those whose products may be bf16.
fn is_large((begin, outputs, inputs): (usize, usize, usize)) -> bool {
    begin.is_multiple_of(2) && outputs.is_multiple_of(12) && inputs.is_multiple_of(12)
}

/// The products of linear layers, with space for rounded operands.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    left: Vec<Pair>,
    right: Vec<Pair>,
}

fn room(pairs: &mut Vec<Pair>, matrix: (usize, usize)) -> &mut [Pair] {
    let size = matrix.0 * matrix.1 / 2;
    if pairs.len() < size {
        pairs.resize(size, Pair::default());
    }
    &mut pairs[..size]
}

impl Products {
    /// `into = input · weightᵀ`, or that added: the forward pass with the weight matrix at an offset.
    pub fn forward(
        &mut self,
        into: MatrixMut<'_>,
        input: Matrix<'_>,
        parameters: &Parameters<'_>,
        begin: usize,
        accumulate: bool,
    ) {
        let Some(weights) = parameters.bf16 else {
            return matmul_packed(into, input, &parameters.packed[begin..], accumulate);
        };
        self.bf16_product(into, input, &weights.forward[begin / 2..], accumulate);
    }

    /// `into = grad · weight`, or that added: the gradient w.r.t. the input.
    pub fn grad_input(
        &mut self,
        into: MatrixMut<'_>,
        grad: Matrix<'_>,
        parameters: &Parameters<'_>,
        begin: usize,
        accumulate: bool,
    ) {
        let Some(weights) = parameters.bf16 else {
            let weight = Matrix::new(&parameters.weights[begin..], grad.size().1, into.size().1);
            let matmul = if accumulate { matmul_add } else { gemm::matmul };
            return matmul(into, grad, weight, 1.0);
        };
        self.bf16_product(into, grad, &weights.backward[begin / 2..], accumulate);
    }

    /// `into = x · weights`, or that added, with packed weights.
    fn bf16_product(
        &mut self,
        into: MatrixMut<'_>,
        x: Matrix<'_>,
        weights: &[Pair],
        accumulate: bool,
    ) {
        let left = room(&mut self.left, x.size());
        bf16::pack_rows(left, x);
        bf16::matmul(into, left, weights, x.size().1, accumulate);
    }

    /// `into += gradᵀ · input`: the gradient w.r.t. a weight matrix.
    pub fn grad_weight(
        &mut self,
        into: &mut [f32],
        grad: Matrix<'_>,
        input: Matrix<'_>,
        parameters: &Parameters<'_>,
    ) {
        let into = MatrixMut::new(into, grad.size().1, input.size().1);
        if parameters.bf16.is_none() {
            return matmul_add(into, grad.transposed(), input, 1.0);
        }
        let (left, right) =
            (room(&mut self.left, grad.size()), room(&mut self.right, input.size()));
        bf16::pack_columns(left, grad);
        bf16::pack_columns(right, input);
        bf16::matmul_transposed(into, left, right, grad.size().0);
    }
}
