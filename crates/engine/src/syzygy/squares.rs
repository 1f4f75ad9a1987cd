//! Square numberings of the Syzygy format, and binomial coefficients.
//!
//! A table without pawns is the same after each of the eight symmetries of the board, one with pawns
//! after a reflection of the files. Only one of the equivalent positions is stored, so that the first
//! piece is restricted to a region of the board, whose squares are numbered here.

/// A square from 0 for a1 to 63 for h8. Plain numbers: squares are reflected and subtracted here.
pub type Sq = u8;

pub const fn file(square: Sq) -> u8 {
    square & 7
}

pub const fn rank(square: Sq) -> u8 {
    square >> 3
}

/// Reflected so that the a-file becomes the h-file.
pub const fn flip_file(square: Sq) -> Sq {
    square ^ 7
}

/// Reflected so that the first rank becomes the eighth.
pub const fn flip_rank(square: Sq) -> Sq {
    square ^ 56
}

/// Reflected at the diagonal from a1 to h8.
pub const fn flip_diagonal(square: Sq) -> Sq {
    file(square) << 3 | rank(square)
}

/// Positive above the diagonal from a1 to h8, 0 on it, negative below.
pub const fn above_diagonal(square: Sq) -> i8 {
    rank(square) as i8 - file(square) as i8
}

/// The most pieces of a group of like pieces: seven less two kings.
pub const MAX_GROUP: usize = 5;

/// `BINOMIAL[k][n]`: binomial coefficients, n choose k.
pub static BINOMIAL: [[u64; 65]; MAX_GROUP + 1] = binomials();

const fn binomials() -> [[u64; 65]; MAX_GROUP + 1] {
    let mut table = [[0; 65]; MAX_GROUP + 1];
    let mut n = 0;
    while n < 65 {
        table[0][n] = 1;
        let mut k = 1;
        while k <= MAX_GROUP && n > 0 {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
}

/// Numbers the 28 squares below the diagonal from a1 to h8: b1, c1 … h1, c2 … h7.
pub static BELOW_DIAGONAL: [u8; 64] = below_diagonal();

const fn below_diagonal() -> [u8; 64] {
    let mut table = [0; 64];
    let (mut square, mut number) = (0, 0);
    while square < 64 {
        if above_diagonal(square) < 0 {
            table[square as usize] = number;
            number += 1;
        }
        square += 1;
    }
    table
}

/// Numbers the ten squares of the triangle a1, d1, d4: first the six below the diagonal.
pub static TRIANGLE: [u8; 64] = triangle();

const fn triangle() -> [u8; 64] {
    let mut table = [0; 64];
    let (mut square, mut number) = (0, 0);
    while square < 64 {
        if above_diagonal(square) < 0 && file(square) < 4 {
            table[square as usize] = number;
            number += 1;
        }
        square += 1;
    }
    let mut n = 0;
    while n < 4 {
        table[n * 9] = number;
        number += 1;
        n += 1;
    }
    table
}

/// The number of placements of two kings with the first in the triangle: see [`KINGS`].
pub const KING_PLACEMENTS: u64 = 462;

/// The entry of [`KINGS`] for adjacent or wrongly reflected kings.
pub const NO_PLACEMENT: u16 = u16::MAX;

/// Numbers the placements of two kings that do not touch: the first by [`TRIANGLE`]; the second not
/// above the diagonal if the first is on it. Placements with both on the diagonal come last.
pub static KINGS: [[u16; 64]; 10] = kings();

const fn kings() -> [[u16; 64]; 10] {
    let mut table = [[NO_PLACEMENT; 64]; 10];
    let triangle = triangle();
    let mut number = 0;
    let mut both_on_diagonal = 0;
    while both_on_diagonal < 2 {
        let mut row = 0;
        while row < 10 {
            // The square of this row.
            let mut first: Sq = 0;
            while triangle[first as usize] != row || file(first) > 3 || above_diagonal(first) > 0 {
                first += 1;
            }
            let mut second: Sq = 0;
            while second < 64 {
                let touch = file(first).abs_diff(file(second)) < 2
                    && rank(first).abs_diff(rank(second)) < 2;
                let is_last = above_diagonal(first) == 0 && above_diagonal(second) == 0;
                let is_reflected = above_diagonal(first) == 0 && above_diagonal(second) > 0;
                if !touch && !is_reflected && is_last as u8 == both_on_diagonal {
                    table[row as usize][second as usize] = number;
                    number += 1;
                }
                second += 1;
            }
            row += 1;
        }
        both_on_diagonal += 1;
    }
    assert!(number as u64 == KING_PLACEMENTS);
    table
}

/// Numbers the 48 squares of pawns. The pawn with the highest number is the *leading pawn*: nearest to
/// the edge and, on the same file, nearest to the first rank. The number is also how many squares are
/// left for the other pawns.
pub static PAWNS: [u8; 64] = pawns();

const fn pawns() -> [u8; 64] {
    let mut table = [0; 64];
    let mut n = 0;
    while n < 24 {
        let square = (n / 6) | (n % 6 + 1) << 3;
        table[square as usize] = 47 - 2 * n;
        table[flip_file(square) as usize] = 46 - 2 * n;
        n += 1;
    }
    table
}

/// For a number of leading pawns less one and the file of the first, from a to d: the index of the first
/// placement with the leading pawn on each rank, and, last, how many placements there are.
pub static LEADING_PAWNS: [[[u64; 8]; 4]; MAX_GROUP] = leading_pawns();

const fn leading_pawns() -> [[[u64; 8]; 4]; MAX_GROUP] {
    let mut table = [[[0; 8]; 4]; MAX_GROUP];
    let (pawns, binomials) = (pawns(), binomials());
    let mut others = 0;
    while others < MAX_GROUP {
        let mut file = 0;
        while file < 4 {
            let mut rank = 1;
            while rank < 7 {
                let left = pawns[rank << 3 | file] as usize;
                table[others][file][rank + 1] = table[others][file][rank] + binomials[others][left];
                rank += 1;
            }
            file += 1;
        }
        others += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn squares_are_numbered_without_gaps() {
        let below: Vec<u8> = (0..64).filter(|&square| above_diagonal(square) < 0).collect();
        assert_eq!(below.len(), 28);
        assert!(below.iter().enumerate().all(|(n, &s)| BELOW_DIAGONAL[s as usize] as usize == n));
        // b1, c1, d1, c2, d2, d3, then a1, b2, c3, d4.
        let triangle = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];
        assert!(triangle.iter().enumerate().all(|(n, &s)| TRIANGLE[s as usize] as usize == n));
        let placements: HashSet<u16> =
            KINGS.as_flattened().iter().copied().filter(|&n| n != NO_PLACEMENT).collect();
        assert_eq!(placements, (0..462).collect());
        let pawns: HashSet<u8> = PAWNS[8..56].iter().copied().collect();
        assert_eq!(pawns, (0..48).collect());
        // a2 before h2, a3 and b2.
        assert_eq!([8, 15, 16, 9].map(|square| PAWNS[square]), [47, 46, 45, 35]);
    }

    #[test]
    fn binomial_coefficients_are_correct() {
        assert_eq!(BINOMIAL[2][64], 2016);
        assert_eq!(BINOMIAL[5][48], 1_712_304);
        assert_eq!(BINOMIAL[3][2], 0);
        // One leading pawn has six squares on each file; two have 24 · 47 / 2 … on all together.
        assert!(LEADING_PAWNS[0].iter().all(|ranks| ranks[7] == 6));
        let pairs: u64 = LEADING_PAWNS[1].iter().map(|ranks| ranks[7]).sum();
        assert_eq!(pairs, (0..24).map(|n| 47 - 2 * n).sum::<u64>());
    }
}
