//! From the order in which White came first, and back.
//!
//! Twelve separate bitboards used to be kept as `bitboards[0]` = white pawns … `[5]` = white kings,
//! `[6]` = black pawns … `[11]` = black kings. Flattened, White had 0–383 and Black 384–767: the
//! halves are exchanged. Inputs and weights of one order mean nothing in the other, so that a model
//! of old has to be converted before it is given the features of today. Exchanging halves is its own
//! opposite: each function here goes both ways.

use super::{COUNT, PER_COLOR};

/// The number of a feature in the other order.
///
/// ```
/// use nnue::features::old_order;
/// assert_eq!(old_order::index(0), 384); // White's pawns
/// assert_eq!(old_order::index(384), 0); // Black's pawns
/// ```
pub const fn index(feature: usize) -> usize {
    (feature + PER_COLOR) % COUNT
}

/// The length of a slice is no multiple of what it should hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{length} numbers are no whole number of rows: a row has {COUNT}")]
pub struct NotRows {
    /// The length.
    pub length: usize,
}

/// Converts rows of 768: inputs `[n, 768]`, or the weights of a layer as PyTorch keeps them, with a
/// row of 768 for each output.
///
/// A layer whose weights are converted gives the same for inputs that are converted:
///
/// ```
/// use chess::Board;
/// use nnue::features::{Features, old_order};
///
/// let mut inputs = Features::of(&Board::INITIAL).to_f32().to_vec();
/// let mut weights: Vec<f32> = (0..768).map(|n| (n * n % 97) as f32).collect();
/// let layer = |inputs: &[f32], weights: &[f32]| -> f32 {
///     inputs.iter().zip(weights).map(|(input, weight)| input * weight).sum()
/// };
/// let before = layer(&inputs, &weights);
/// old_order::convert_rows(&mut inputs)?;
/// assert_eq!(inputs[8], 1.0); // White's pawn on a2, which came first
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

/// Converts weights `[768, n]`, with a row of `n` for each input.
///
/// ```
/// use nnue::features::old_order;
/// let mut weights: Vec<usize> = (0..768 * 2).collect();
/// old_order::convert_columns(&mut weights)?;
/// assert_eq!(weights[..2], [768, 769]); // what feature 384 had
/// # Ok::<(), old_order::NotRows>(())
/// ```
pub fn convert_columns<T>(weights: &mut [T]) -> Result<(), NotRows> {
    if !weights.len().is_multiple_of(COUNT) {
        return Err(NotRows { length: weights.len() });
    }
    swap_halves(weights);
    Ok(())
}

fn swap_halves<T>(numbers: &mut [T]) {
    let (first, second) = numbers.split_at_mut(numbers.len() / 2);
    first.swap_with_slice(second);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Features, decode};
    use chess::{Color, Piece, Position, Square};

    #[test]
    fn the_old_order_is_the_one_of_the_twelve_separate_bitboards() {
        let fen = "r3k2r/2p2pp1/p7/1p1nN3/3P4/1BQ5/PP3PPP/R4RK1 b kq - 3 19";
        let position = Position::from_fen(fen).unwrap();
        let mut row = Features::of(position.board()).to_f32();
        convert_rows(&mut row).unwrap();
        for (n, piece) in Piece::ALL.into_iter().enumerate() {
            // White's from pawn to king, then Black's.
            for square in Square::all() {
                let expected = position.piece_at(square) == Some(piece);
                assert_eq!(row[64 * n + square.index()] == 1.0, expected);
            }
        }
    }

    #[test]
    fn converting_twice_changes_nothing_and_no_row_may_be_cut() {
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
