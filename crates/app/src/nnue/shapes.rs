//! Tables of king buckets to choose from by their number.

use anyhow::bail;

/// The bucket of each square of a king on files a–d, from his own first rank up: near home finely, where
/// kings stand in most positions, far away coarsely.
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

/// The table of a number of king buckets. Mirrored: 1, 2, 4, 8 or 16; otherwise 1, or 2 (at home and not).
pub fn king_buckets(count: usize, mirrored: bool) -> anyhow::Result<[u8; 64]> {
    let Some((_, table)) = MIRRORED.iter().find(|(own, _)| *own == count) else {
        bail!("there is no table of {count} king buckets: 1, 2, 4, 8 or 16");
    };
    if !mirrored && count > 2 {
        bail!("{count} king buckets are for mirrored boards");
    }
    // Files e–h as their mirror images; a mirrored network never looks there.
    let file = |square: usize| (square % 8).min(7 - square % 8);
    Ok(std::array::from_fn(|square| table[square / 8][file(square)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_as_many_buckets_as_it_says() {
        for (count, _) in MIRRORED {
            let table = king_buckets(count, true).unwrap();
            assert!((0..count as u8).all(|bucket| table.contains(&bucket)));
            assert!(table.iter().all(|&bucket| usize::from(bucket) < count));
        }
        assert!(king_buckets(3, true).is_err() && king_buckets(8, false).is_err());
    }
}
