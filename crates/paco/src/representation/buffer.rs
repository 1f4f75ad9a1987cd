//! Incrementally updated tensors.
//!
//! A tensor is thousands of floats of which a few dozen change between positions. A [`TensorBatch`] records
//! what each slot holds, clears only the ones of the previous position, and fills only the layers whose value
//! changes.

use alloc::vec;
use alloc::vec::Vec;

use super::{
    COUNTER_SCALE, EN_PASSANT_LAYER, MAX_INDICES, Options, PLACES, RepresentationError, check_len,
};
use crate::Position;

/// The tensors of several positions, one after the other: `[slots, layers, 8, 8]`.
///
/// ```
/// use tabiya_paco::{Options, Position, TensorBatch};
/// let options = Options::USE_PERSPECTIVE;
/// let mut batch = TensorBatch::new(options, 2);
/// batch.write(1, &Position::default())?;
/// assert_eq!(batch.tensor(1), Position::default().tensor(options)?);
/// assert!(batch.tensor(0).iter().all(|&value| value == 0.0));
/// # Ok::<(), tabiya_paco::RepresentationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TensorBatch {
    options: Options,
    floats: Vec<f32>,
    written: Vec<[u32; MAX_INDICES]>,
}

impl TensorBatch {
    /// A batch of zeroed slots.
    pub fn new(options: Options, slots: usize) -> Self {
        Self {
            options,
            floats: vec![0.0; slots * options.tensor_len()],
            written: vec![[0; MAX_INDICES]; slots],
        }
    }

    /// The number of slots.
    pub fn slots(&self) -> usize {
        self.written.len()
    }

    /// All floats.
    pub fn as_slice(&self) -> &[f32] {
        &self.floats
    }

    /// The floats of one slot; none if there is no such slot.
    pub fn tensor(&self, slot: usize) -> &[f32] {
        let len = self.options.tensor_len();
        self.floats.get(slot * len..(slot + 1) * len).unwrap_or_default()
    }

    /// Writes the tensor of a position into a slot.
    #[inline]
    pub fn write(&mut self, slot: usize, position: &Position) -> Result<(), RepresentationError> {
        let len = self.options.tensor_len();
        let slots = self.written.len();
        let (Some(written), Some(floats)) =
            (self.written.get_mut(slot), self.floats.get_mut(slot * len..(slot + 1) * len))
        else {
            return check_len(slots, slot + 1);
        };
        let mut indices = [0; MAX_INDICES];
        position.write_indices(self.options, &mut indices[..self.options.index_len()])?;
        let (ones, whole) = floats.split_at_mut((EN_PASSANT_LAYER + 1) * 64);
        let (old, old_values) = written.split_at(PLACES);
        let (new, new_values) = indices.split_at(PLACES);
        for &place in old {
            if let Some(float) = ones.get_mut(place as usize) {
                *float = 0.0;
            }
        }
        for &place in new {
            if let Some(float) = ones.get_mut(place as usize) {
                *float = 1.0;
            }
        }
        let (layers, _) = whole.as_chunks_mut::<64>();
        let last = layers.len().saturating_sub(1);
        let values = new_values.iter().zip(old_values);
        for (i, (layer, (&value, &before))) in layers.iter_mut().zip(values).enumerate() {
            if value != before {
                let value = value as f32;
                *layer = [if i == last { value / COUNTER_SCALE } else { value }; 64];
            }
        }
        *written = indices;
        Ok(())
    }
}
