//! The tensor form, from a position or from the index form.

use super::{
    COUNTER_SCALE, EN_PASSANT_LAYER, MAX_INDICES, Options, PLACES, RepresentationError, check_len,
};
use crate::Position;

/// Where the layers begin that are filled whole.
const WHOLE_LAYERS: usize = (EN_PASSANT_LAYER + 1) * 64;

impl Position {
    /// The tensor form `[layers, 8, 8]` in a vector of its own.
    ///
    /// ```
    /// use paco::{Options, Position};
    /// let tensor = Position::default().tensor(Options::USE_PERSPECTIVE)?;
    /// assert_eq!(tensor.len(), 30 * 64);
    /// // 32 pieces, and four castling layers of ones.
    /// assert_eq!(tensor.iter().sum::<f32>(), 32.0 + 4.0 * 64.0);
    /// # Ok::<(), paco::RepresentationError>(())
    /// ```
    pub fn tensor(&self, options: Options) -> Result<Vec<f32>, RepresentationError> {
        let mut out = vec![0.0; options.tensor_len()];
        self.write_tensor(options, &mut out)?;
        Ok(out)
    }

    /// Writes the tensor form into a buffer of exactly the right length, whatever it held before.
    #[inline]
    pub fn write_tensor(
        &self,
        options: Options,
        out: &mut [f32],
    ) -> Result<(), RepresentationError> {
        let mut indices = [0; MAX_INDICES];
        let indices = &mut indices[..options.index_len()];
        self.write_indices(options, indices)?;
        expand(indices, options, out)
    }
}

/// Expands the index form of one position to its tensor: a scatter of 33 ones, and one value for
/// each of the other layers.
///
/// ```
/// use paco::{Options, Position, expand};
/// let position = Position::default();
/// let options = Options::WITH_MUST_LIFT;
/// let mut tensor = vec![f32::NAN; options.tensor_len()];
/// expand(&position.indices(options)?, options, &mut tensor)?;
/// assert_eq!(tensor, position.tensor(options)?);
/// # Ok::<(), paco::RepresentationError>(())
/// ```
#[inline]
pub fn expand(
    indices: &[u32],
    options: Options,
    out: &mut [f32],
) -> Result<(), RepresentationError> {
    check_len(indices.len(), options.index_len())?;
    check_len(out.len(), options.tensor_len())?;
    let (ones, whole) = out.split_at_mut(WHOLE_LAYERS);
    let (places, values) = indices.split_at(PLACES);
    ones.fill(0.0);
    for (place, &value) in places.iter().enumerate() {
        *ones
            .get_mut(value as usize)
            .ok_or(RepresentationError::IndexOutOfRange { place, value })? = 1.0;
    }
    let (layers, _) = whole.as_chunks_mut::<64>();
    let last = layers.len().saturating_sub(1);
    for (i, (layer, &value)) in layers.iter_mut().zip(values).enumerate() {
        *layer = [if i == last { value as f32 / COUNTER_SCALE } else { value as f32 }; 64];
    }
    Ok(())
}

/// Expands the index forms of many positions, laid out one after the other, as
/// [`write_indices_batch`](super::write_indices_batch) writes them.
pub fn expand_batch(
    indices: &[u32],
    options: Options,
    out: &mut [f32],
) -> Result<(), RepresentationError> {
    let count = indices.len() / options.index_len();
    check_len(indices.len(), count * options.index_len())?;
    check_len(out.len(), count * options.tensor_len())?;
    let tensors = out.chunks_exact_mut(options.tensor_len());
    for (indices, out) in indices.chunks_exact(options.index_len()).zip(tensors) {
        expand(indices, options, out)?;
    }
    Ok(())
}

/// Writes the tensor forms of many positions one after the other.
pub fn write_tensors_batch(
    positions: &[Position],
    options: Options,
    out: &mut [f32],
) -> Result<(), RepresentationError> {
    check_len(out.len(), options.tensor_len() * positions.len())?;
    for (position, out) in positions.iter().zip(out.chunks_exact_mut(options.tensor_len())) {
        position.write_tensor(options, out)?;
    }
    Ok(())
}
