//! f32 tensors in safetensors files.

use std::collections::HashMap;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

/// Why a file of tensors is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TensorError {
    /// Not a safetensors file, or a damaged one.
    #[error("not a safetensors file, or damaged: {0}")]
    Format(#[from] SafeTensorError),
    /// A tensor is missing.
    #[error("tensor '{0}' is missing")]
    Missing(String),
    /// A tensor that the model does not have.
    #[error("unknown tensor '{0}'")]
    Unknown(String),
    /// A tensor of another shape.
    #[error("tensor '{name}' has shape {found:?}, expected {expected:?}")]
    Shape {
        /// Its name.
        name: String,
        /// Its shape in the file.
        found: Vec<usize>,
        /// Its shape in the model.
        expected: Vec<usize>,
    },
    /// A tensor of an unsupported type.
    #[error("tensor '{name}' has type {dtype:?}, expected {expected}")]
    Type {
        /// Its name.
        name: String,
        /// Its type.
        dtype: Dtype,
        /// The supported types.
        expected: &'static str,
    },
    /// A value that is NaN or infinite.
    #[error("element {index} of tensor '{name}' is {value}, not a number")]
    NotFinite {
        /// The tensor.
        name: String,
        /// The index of the element.
        index: usize,
        /// The element.
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
    if tensor.shape() != shape {
        let (found, expected) = (tensor.shape().to_vec(), shape.to_vec());
        return Err(TensorError::Shape { name, found, expected });
    }
    if tensor.dtype() != Dtype::F32 {
        return Err(TensorError::Type { name, dtype: tensor.dtype(), expected: "F32" });
    }
    for (index, (value, bytes)) in values.iter_mut().zip(tensor.data().as_chunks().0).enumerate() {
        *value = f32::from_le_bytes(*bytes);
        if !value.is_finite() {
            return Err(TensorError::NotFinite { name, index, value: *value });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_that_is_missing_of_another_shape_or_type_or_not_finite_is_an_error_that_names_it() {
        let written = [("a", vec![2, 1], [1.0, 2.0]), ("nan", vec![2], [1.0, f32::NAN])];
        let tensors =
            written.iter().map(|(name, shape, v)| (name.to_string(), shape.clone(), &v[..]));
        let bytes = write_tensors(tensors, None).unwrap();
        let read = |bytes: &[u8], name: &str, shape: &[usize]| {
            let mut values = [0.0; 2];
            let file = SafeTensors::deserialize(bytes).unwrap();
            let result = read_tensor(&file, name.to_owned(), shape, &mut values);
            result.map(|()| values).map_err(|error| error.to_string())
        };
        assert_eq!(read(&bytes, "a", &[2, 1]), Ok([1.0, 2.0]));
        assert_eq!(read(&bytes, "b", &[2]), Err("tensor 'b' is missing".to_owned()));
        let expected = "tensor 'a' has shape [2, 1], expected [2]";
        assert_eq!(read(&bytes, "a", &[2]), Err(expected.to_owned()));
        let expected = "element 1 of tensor 'nan' is NaN, not a number";
        assert_eq!(read(&bytes, "nan", &[2]), Err(expected.to_owned()));
        let view = TensorView::new(Dtype::I32, vec![2], &[0; 8]).unwrap();
        let bytes = safetensors::serialize([("a", view)], None).unwrap();
        let expected = "tensor 'a' has type I32, expected F32";
        assert_eq!(read(&bytes, "a", &[2]), Err(expected.to_owned()));
    }
}
