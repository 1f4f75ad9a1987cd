//! Migration from the White-first feature order, and back.
//!
//! The old layout had twelve separate bitboards, `[0]` = white pawns … `[5]` = white kings, `[6]` = black
//! pawns … `[11]` = black kings: flattened, White had 0–383 and Black 384–767. Inputs and weights of one
//! order are invalid in the other, so an old model must be converted before use. The conversion swaps the
//! halves and is its own inverse.

use super::{COUNT, PER_COLOR};

/// The index of a feature in the other order.
///
/// ```
/// use tabiya_nnue::features::old_order;
/// assert_eq!(old_order::index(0), 384); // black pawns
/// assert_eq!(old_order::index(384), 0); // white pawns
/// ```
pub const fn index(feature: usize) -> usize {
    (feature + PER_COLOR) % COUNT
}

/// The length of a slice is not a multiple of 768.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("length {length} is not a multiple of {COUNT}")]
pub struct NotRows {
    /// The length.
    pub length: usize,
}

/// Converts rows of 768: inputs `[n, 768]`, or weights `[n, 768]` of a PyTorch linear layer.
///
/// Converting both weights and inputs leaves the output of a layer unchanged:
///
/// ```
/// use tabiya_nnue::chess::Board;
/// use tabiya_nnue::features::{Features, old_order};
///
/// let mut inputs = Features::of(&Board::INITIAL).to_f32().to_vec();
/// let mut weights: Vec<f32> = (0..768).map(|n| (n * n % 97) as f32).collect();
/// let layer = |inputs: &[f32], weights: &[f32]| -> f32 {
///     inputs.iter().zip(weights).map(|(input, weight)| input * weight).sum()
/// };
/// let before = layer(&inputs, &weights);
/// old_order::convert_rows(&mut inputs)?;
/// assert_eq!(inputs[8], 1.0); // the white pawn on a2
/// assert_ne!(layer(&inputs, &weights), before);
/// old_order::convert_rows(&mut weights)?;
/// assert_eq!(layer(&inputs, &weights), before);
/// # Ok::<(), old_order::NotRows>(())
/// ```
pub fn convert_rows<T>(rows: &mut [T]) -> Result<(), NotRows> {
    if !rows.len().is_multiple_of(COUNT) {
        return Err(NotRows { length: rows.len() });
    }
    rows.chunks_exact_mut(COUNT).for_each(swap_halves);
    Ok(())
}

/// Converts weights `[768, n]`.
///
/// ```
/// use tabiya_nnue::features::old_order;
/// let mut weights: Vec<usize> = (0..768 * 2).collect();
/// old_order::convert_columns(&mut weights)?;
/// assert_eq!(weights[..2], [768, 769]); // the weights of feature 384
/// # Ok::<(), old_order::NotRows>(())
/// ```
pub fn convert_columns<T>(weights: &mut [T]) -> Result<(), NotRows> {
    if !weights.len().is_multiple_of(COUNT) {
        return Err(NotRows { length: weights.len() });
    }
    swap_halves(weights);
    Ok(())
}

fn swap_halves<T>(values: &mut [T]) {
    let (first, second) = values.split_at_mut(values.len() / 2);
    first.swap_with_slice(second);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Features, decode};
    use chess::{Color, Piece, Position, Square};

    #[test]
    fn the_old_order_is_that_of_twelve_separate_bitboards() {
        let fen = "r3k2r/2p2pp1/p7/1p1nN3/3P4/1BQ5/PP3PPP/R4RK1 b kq - 3 19";
        let position = Position::from_fen(fen).unwrap();
        let mut row = Features::of(position.board()).to_f32();
        convert_rows(&mut row).unwrap();
        for (n, piece) in Piece::ALL.into_iter().enumerate() {
            // White pawn to king, then black pawn to king.
            for square in Square::all() {
                let expected = position.piece_at(square) == Some(piece);
                assert_eq!(row[64 * n + square.index()] == 1.0, expected);
            }
        }
    }

    #[test]
    fn converting_twice_is_the_identity_and_partial_rows_are_rejected() {
        for feature in 0..COUNT {
            assert_eq!(index(index(feature)), feature);
            let (color, piece_type, square) = decode(feature).unwrap();
            let old = if color == Color::White { 0 } else { 384 };
            assert_eq!(index(feature), old + 64 * piece_type.index() + square.index());
        }
        let rows: Vec<usize> = (0..COUNT * 3).collect();
        for convert in [convert_rows::<usize>, convert_columns::<usize>] {
            let mut twice = rows.clone();
            convert(&mut twice).unwrap();
            assert_ne!(twice, rows);
            convert(&mut twice).unwrap();
            assert_eq!(twice, rows);
            assert_eq!(convert(&mut twice[1..]), Err(NotRows { length: COUNT * 3 - 1 }));
        }
    }
}
