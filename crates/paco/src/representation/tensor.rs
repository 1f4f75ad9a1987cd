//! The tensor form, from a position or from the index form.

use chess::{Bitboard, Color, Square};

use super::{
    COUNTER_SCALE, EN_PASSANT_LAYER, MAX_INDICES, Options, PLACES, RepresentationError, check_len,
};
use crate::{PieceType, Position};

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
        check_len(out.len(), options.tensor_len())?;
        if self.piece_count() != 32 {
            return Err(RepresentationError::PieceCount(self.piece_count()));
        }
        let bottom =
            if options.contains(Options::USE_PERSPECTIVE) { self.player } else { Color::White };
        let mut sets = [Bitboard::EMPTY; EN_PASSANT_LAYER + 1];
        sets[..6].copy_from_slice(&self.pieces[bottom.index()]);
        sets[6..12].copy_from_slice(&self.pieces[(!bottom).index()]);
        if let Some(hand) = self.hand {
            let mut lift = |color: Color, piece: PieceType| {
                let side = if color == bottom { 12 } else { 18 };
                sets[side + piece.index()] = hand.square.bitboard();
            };
            lift(self.player, hand.piece);
            if let Some(partner) = hand.partner {
                lift(!self.player, partner);
            }
        }
        sets[EN_PASSANT_LAYER] = self.en_passant.map_or(Bitboard::EMPTY, Square::bitboard);
        if bottom == Color::Black {
            sets = sets.map(Bitboard::flip_ranks);
        }
        let (layers, _) = out.as_chunks_mut::<64>();
        let (ones, whole) = layers.split_at_mut(sets.len());
        for (layer, set) in ones.iter_mut().zip(sets) {
            spread(set, layer);
        }
        let mut values = [0; MAX_INDICES - PLACES];
        let count = self.layer_values(options, &mut values);
        fill_whole(whole, &values[..count]);
        Ok(())
    }
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
