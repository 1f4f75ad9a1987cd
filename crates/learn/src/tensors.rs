//! f32 tensors in safetensors files.

use std::collections::HashMap;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

/// What is wrong with a tensor of a checkpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TensorError {
    /// The file is not in the safetensors format, or damaged.
    #[error("it is no safetensors file, or damaged: {0}")]
    Format(#[from] SafeTensorError),
    /// A tensor is missing.
    #[error("it has no tensor '{0}'")]
    Missing(String),
    /// A tensor has another type or shape.
    #[error("tensor '{name}' is {dtype:?} {found:?}, it must be F32 {expected:?}")]
    Shape {
        /// The tensor.
        name: String,
        /// Its type.
        dtype: Dtype,
        /// Its shape.
        found: Vec<usize>,
        /// The shape of the model's tensor.
        expected: Vec<usize>,
    },
    /// A value is infinite or NaN.
    #[error("value {index} of tensor '{name}' is {value}, not a number")]
    NotFinite {
        /// The tensor.
        name: String,
        /// The index of the value.
        index: usize,
        /// The value.
        value: f32,
    },
}

/// Serializes tensors of these names, shapes and values.
pub fn write_tensors<'a>(
    tensors: impl IntoIterator<Item = (String, Vec<usize>, &'a [f32])>,
    metadata: Option<HashMap<String, String>>,
) -> Result<Vec<u8>, SafeTensorError> {
    let bytes = |(name, shape, values): (String, Vec<usize>, &[f32])| {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        (name, shape, bytes)
    };
    let tensors: Vec<_> = tensors.into_iter().map(bytes).collect();
    let views = tensors
        .iter()
        .map(|(name, shape, bytes)| Ok((name, TensorView::new(Dtype::F32, shape.clone(), bytes)?)));
    safetensors::serialize(views.collect::<Result<Vec<_>, SafeTensorError>>()?, metadata)
}

/// Reads a tensor of this shape into `values`, which has as many elements; all must be finite.
pub fn read_tensor(
    file: &SafeTensors<'_>,
    name: String,
    shape: &[usize],
    values: &mut [f32],
) -> Result<(), TensorError> {
    let Ok(tensor) = file.tensor(&name) else { return Err(TensorError::Missing(name)) };
    let (dtype, found) = (tensor.dtype(), tensor.shape());
    if dtype != Dtype::F32 || found != shape {
        let (found, expected) = (found.to_vec(), shape.to_vec());
        return Err(TensorError::Shape { name, dtype, found, expected });
    }
    for (index, (value, bytes)) in values.iter_mut().zip(tensor.data().as_chunks().0).enumerate() {
        *value = f32::from_le_bytes(*bytes);
        if !value.is_finite() {
            return Err(TensorError::NotFinite { name, index, value: *value });
        }
    }
    Ok(())
}
