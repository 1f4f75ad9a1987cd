//! The tensor form, from a position or from the index form.

use alloc::vec;
use alloc::vec::Vec;

use chess::{Bitboard, Color, Square};

use super::{
    COUNTER_SCALE, EMPTY_HAND, EN_PASSANT_LAYER, LIFTED_LAYER, MAX_INDICES, Options, PLACES,
    RepresentationError, check_len,
};
use crate::{PieceType, Position};

/// Where the layers begin that are filled whole.
const WHOLE_LAYERS: usize = (EN_PASSANT_LAYER + 1) * 64;

impl Position {
    /// The tensor form `[layers, 8, 8]` in a vector of its own.
    ///
    /// ```
    /// use tabiya_paco::{Options, Position};
    /// let tensor = Position::default().tensor(Options::USE_PERSPECTIVE)?;
    /// assert_eq!(tensor.len(), 30 * 64);
    /// // 32 pieces, and four castling layers of ones.
    /// assert_eq!(tensor.iter().sum::<f32>(), 32.0 + 4.0 * 64.0);
    /// # Ok::<(), tabiya_paco::RepresentationError>(())
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
        check_len(out.len(), options.tensor_len())?;
        if self.piece_count() != 32 {
            return Err(RepresentationError::PieceCount(self.piece_count()));
        }
        let bottom =
            if options.contains(Options::USE_PERSPECTIVE) { self.player } else { Color::White };
        let flip = if bottom == Color::Black { 56 } else { 0 };
        let (layers, _) = out.as_chunks_mut::<64>();
        let (ones, whole) = layers.split_at_mut(EN_PASSANT_LAYER + 1);
        let (settled, rare) = ones.split_at_mut(LIFTED_LAYER);
        for (side, color) in settled.chunks_exact_mut(6).zip([bottom, !bottom]) {
            for (layer, &set) in side.iter_mut().zip(&self.pieces[color.index()]) {
                spread(if flip == 0 { set } else { set.flip_ranks() }, layer);
            }
        }
        // In the others there are three ones at most. They are always written, as zeros if there are
        // none, to avoid branch mispredictions.
        rare.iter_mut().for_each(|layer| layer.fill(0.0));
        let hand = self.hand.unwrap_or(EMPTY_HAND);
        let tile = hand.square.index() ^ flip;
        let [own, other] = if self.player == bottom { [0, 6] } else { [6, 0] };
        let partner = hand.partner.unwrap_or(PieceType::Pawn);
        rare[own + hand.piece.index()][tile] = one_if(self.hand.is_some());
        rare[other + partner.index()][tile] = one_if(hand.partner.is_some());
        let passed = self.en_passant.unwrap_or(Square::A1);
        rare[EN_PASSANT_LAYER - LIFTED_LAYER][passed.index() ^ flip] =
            one_if(self.en_passant.is_some());
        let mut values = [0; MAX_INDICES - PLACES];
        let count = self.layer_values(options, &mut values);
        fill_whole(whole, &values[..count]);
        Ok(())
    }
}

#[inline(always)]
fn one_if(condition: bool) -> f32 {
    f32::from(u8::from(condition))
}

/// Eight floats for eight bits.
static FLOATS: [[f32; 8]; 256] = {
    let mut table = [[0.0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut i = 0;
        while i < 8 {
            if bits >> i & 1 != 0 {
                table[bits][i] = 1.0;
            }
            i += 1;
        }
        bits += 1;
    }
    table
};

/// A layer with ones on the squares of a set. Every rank is copied from the table, the empty ones
/// too: as fast as the memory can be written, and faster than clearing first.
#[inline(always)]
fn spread(set: Bitboard, layer: &mut [f32; 64]) {
    let (ranks, _) = layer.as_chunks_mut::<8>();
    for (rank, bits) in ranks.iter_mut().zip(set.0.to_le_bytes()) {
        *rank = FLOATS[bits as usize];
    }
}

/// One value for each layer; the last is the counter.
#[inline(always)]
fn fill_whole(layers: &mut [[f32; 64]], values: &[u32]) {
    let last = values.len().saturating_sub(1);
    for (i, (layer, &value)) in layers.iter_mut().zip(values).enumerate() {
        *layer = [if i == last { value as f32 / COUNTER_SCALE } else { value as f32 }; 64];
    }
}

/// Expands the index form of one position to its tensor: a scatter of 33 ones, and one value for
/// each of the other layers.
///
/// ```
/// use tabiya_paco::{Options, Position, expand};
/// let position = Position::default();
/// let options = Options::WITH_MUST_LIFT;
/// let mut tensor = vec![f32::NAN; options.tensor_len()];
/// expand(&position.indices(options)?, options, &mut tensor)?;
/// assert_eq!(tensor, position.tensor(options)?);
/// # Ok::<(), tabiya_paco::RepresentationError>(())
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
    fill_whole(layers, values);
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
