//! Batches in the caller's buffer: dense rows `[n, 768]`, or lists of active features.
//!
//! The constructor of [`Features`] determines the order: by color, or from the side to move.
//!
//! ```
//! use tabiya_nnue::chess::Position;
//! use tabiya_nnue::features::{Features, batch};
//!
//! let positions = [Position::INITIAL; 3];
//! let mut rows = vec![0f32; 3 * 768];
//! batch::write(positions.iter().map(Features::for_mover), &mut rows)?;
//! assert_eq!(rows.iter().sum::<f32>(), 96.0);
//!
//! let mut lists = batch::Lists::default();
//! lists.extend(positions.iter().map(Features::for_mover));
//! assert_eq!(lists.list(2).len(), 32);
//! # Ok::<(), batch::WrongSize>(())
//! ```

use super::{COUNT, Features, MAX_ACTIVE};

/// The size of the buffer does not match the number of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("buffer length {length} does not match the number of positions: each takes {row}")]
pub struct WrongSize {
    /// The size of the buffer.
    pub length: usize,
    /// The size of one position.
    pub row: usize,
}

/// Writes a row of 768 values, 0 or 1, for each position; the rows must fill the buffer.
pub fn write<T: Copy + From<u8>>(
    features: impl IntoIterator<Item = Features>,
    rows: &mut [T],
) -> Result<(), WrongSize> {
    each(features, rows, |features, row: &mut [T; COUNT]| features.write(row))
}

/// Writes a row of 96 bytes, one bit per feature, for each position; the rows must fill the buffer.
pub fn write_bits(
    features: impl IntoIterator<Item = Features>,
    rows: &mut [u8],
) -> Result<(), WrongSize> {
    each(features, rows, |features, row: &mut [u8; COUNT / 8]| *row = features.to_bits())
}

fn each<T, const ROW: usize>(
    features: impl IntoIterator<Item = Features>,
    buffer: &mut [T],
    write: impl Fn(Features, &mut [T; ROW]),
) -> Result<(), WrongSize> {
    let wrong = WrongSize { length: buffer.len(), row: ROW };
    let (rows, rest) = buffer.as_chunks_mut();
    let mut rows = rows.iter_mut();
    for features in features {
        write(features, rows.next().ok_or(wrong)?);
    }
    if rows.next().is_some() || !rest.is_empty() { Err(wrong) } else { Ok(()) }
}

/// Concatenated lists of active features and their end offsets, a reusable buffer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lists {
    active: Vec<u16>,
    ends: Vec<usize>,
}

impl Lists {
    /// Removes all lists and keeps the allocation.
    pub fn clear(&mut self) {
        self.active.clear();
        self.ends.clear();
    }

    /// Appends the list of a position.
    #[inline]
    pub fn push(&mut self, features: &Features) {
        let mut buffer = [0; MAX_ACTIVE];
        for half in features.active(&mut buffer) {
            self.active.extend_from_slice(half);
        }
        self.ends.push(self.active.len());
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The active features of a position, ascending; empty if the position does not exist.
    pub fn list(&self, position: usize) -> &[u16] {
        let Some(&end) = self.ends.get(position) else { return &[] };
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.active[start..end]
    }

    /// All lists.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u16]> {
        (0..self.len()).map(|position| self.list(position))
    }

    /// The concatenated lists and their end offsets.
    pub fn parts(&self) -> (&[u16], &[usize]) {
        (&self.active, &self.ends)
    }
}

impl Extend<Features> for Lists {
    fn extend<I: IntoIterator<Item = Features>>(&mut self, features: I) {
        features.into_iter().for_each(|features| self.push(&features));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_positions;

    #[test]
    fn a_batch_equals_its_single_positions() {
        let all: Vec<Features> = random_positions(50).iter().map(Features::for_mover).collect();
        let mut floats = vec![7f32; 50 * COUNT];
        let mut bytes = vec![7u8; 50 * COUNT];
        let mut bits = vec![7u8; 50 * COUNT / 8];
        let mut lists = Lists::default();
        lists.push(&all[3]);
        lists.clear();
        write(all.iter().copied(), &mut floats).unwrap();
        write(all.iter().copied(), &mut bytes).unwrap();
        write_bits(all.iter().copied(), &mut bits).unwrap();
        lists.extend(all.iter().copied());
        assert_eq!((lists.len(), lists.iter().count(), lists.list(50).len()), (50, 50, 0));
        for (n, features) in all.iter().enumerate() {
            assert_eq!(floats[n * COUNT..][..COUNT], features.to_f32());
            assert_eq!(bytes[n * COUNT..][..COUNT], features.to_u8());
            assert_eq!(bits[n * COUNT / 8..][..COUNT / 8], features.to_bits());
            let listed = lists.list(n).iter().map(|&n| usize::from(n));
            assert!(listed.eq(features.iter()));
        }
    }

    #[test]
    fn a_buffer_of_another_size_is_rejected() {
        let features = || [Features::of(&chess::Board::INITIAL); 2];
        for length in [0, COUNT, 2 * COUNT - 1, 2 * COUNT + 1, 3 * COUNT] {
            let mut rows = vec![0u8; length];
            assert_eq!(write(features(), &mut rows), Err(WrongSize { length, row: COUNT }));
        }
    }
}
