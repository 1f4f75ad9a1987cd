//! Standard king-bucket tables by number of buckets.

/// The buckets of files a–d from the king's own first rank up: fine near home, where kings are in most
/// positions, coarse elsewhere.
const MIRRORED: [(usize, [[u8; 4]; 8]); 5] = [
    (1, [[0; 4]; 8]),
    (2, [[0; 4], [0; 4], [1; 4], [1; 4], [1; 4], [1; 4], [1; 4], [1; 4]]),
    (4, [[0, 0, 1, 1], [2, 2, 2, 2], [3; 4], [3; 4], [3; 4], [3; 4], [3; 4], [3; 4]]),
    (
        8,
        [
            [0, 1, 2, 3],
            [4, 4, 5, 5],
            [6, 6, 6, 6],
            [6, 6, 6, 6],
            [7, 7, 7, 7],
            [7, 7, 7, 7],
            [7, 7, 7, 7],
            [7, 7, 7, 7],
        ],
    ),
    (
        16,
        [
            [0, 1, 2, 3],
            [4, 5, 6, 7],
            [8, 9, 10, 11],
            [8, 9, 10, 11],
            [12, 12, 13, 13],
            [12, 12, 13, 13],
            [14, 14, 15, 15],
            [14, 14, 15, 15],
        ],
    ),
];

/// There is no such standard table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KingBucketsError {
    /// Of this number of buckets.
    #[error("no table of {0} king buckets: use 1, 2, 4, 8 or 16")]
    Count(usize),
    /// Without horizontal mirroring.
    #[error("{0} king buckets require a mirrored board")]
    NotMirrored(usize),
}

/// The standard table of 1, 2, 4, 8 or 16 king buckets; without horizontal mirroring, of 1 or 2.
pub fn king_buckets(count: usize, mirrored: bool) -> Result<[u8; 64], KingBucketsError> {
    let table = MIRRORED.iter().find(|(own, _)| *own == count);
    let (_, table) = table.ok_or(KingBucketsError::Count(count))?;
    if !mirrored && count > 2 {
        return Err(KingBucketsError::NotMirrored(count));
    }
    // Files e–h mirror a–d; a mirrored network never reads them.
    let file = |square: usize| (square % 8).min(7 - square % 8);
    Ok(std::array::from_fn(|square| table[square / 8][file(square)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_its_number_of_buckets() {
        for (count, _) in MIRRORED {
            let table = king_buckets(count, true).unwrap();
            assert!((0..count as u8).all(|bucket| table.contains(&bucket)));
            assert!(table.iter().all(|&bucket| usize::from(bucket) < count));
        }
        assert!(king_buckets(3, true).is_err() && king_buckets(8, false).is_err());
    }
}
