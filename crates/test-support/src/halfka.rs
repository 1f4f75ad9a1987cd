//! HalfKAv2_hm network files with random weights, and a slow reference evaluation straight from such a file.

use chess::rng::Rng;
use chess::{Color, PieceType, Position, Square};

use crate::halfkp::Weights;

/// The description in the header of every file made here.
pub const DESCRIPTION: &str = "made for a test";
/// Values of an accumulator; Stockfish 16 has 1536.
pub const WIDTH: usize = 128;

const FEATURES: usize = 32 * 11 * 64;
const BUCKETS: usize = 8;
const MAGIC: &[u8] = b"COMPRESSED_LEB128";
/// Inputs and outputs of the dense layers; the second one has 30 inputs, padded to 32.
const DENSE: [(usize, usize); 3] = [(WIDTH, 16), (32, 32), (32, 1)];

/// A file of random weights.
pub fn file(weights: Weights, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed, 0);
    let mut number = |typical: u64, extreme_bits: u32| match weights {
        Weights::Typical => rng.below(2 * typical as usize + 1) as i64 - typical as i64,
        Weights::Extreme => rng.next_u64() as i64 >> (64 - extreme_bits),
    };
    let mut file = Vec::new();
    let put = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    put(&mut file, 0x7AF3_2F20);
    let (transformer, layers) = hashes();
    put(&mut file, transformer ^ layers);
    put(&mut file, DESCRIPTION.len() as u32);
    file.extend(DESCRIPTION.as_bytes());
    put(&mut file, transformer);
    for (count, typical, bits) in
        [(WIDTH, 60, 16), (WIDTH * FEATURES, 30, 16), (BUCKETS * FEATURES, 20_000, 32)]
    {
        let mut block = Vec::new();
        for _ in 0..count {
            encode(number(typical, bits), &mut block);
        }
        file.extend(MAGIC);
        put(&mut file, block.len() as u32);
        file.extend(block);
    }
    for _ in 0..BUCKETS {
        put(&mut file, layers);
        for (inputs, outputs) in DENSE {
            for _ in 0..outputs {
                // A bias beyond the reach of every sum would hide the sum: only some of them.
                let bias = match number(3, 32) % 4 {
                    0 => number(2048, 32),
                    _ => number(2048, 16),
                };
                put(&mut file, bias as u32);
            }
            file.extend((0..inputs * outputs).map(|_| number(30, 8) as u8));
        }
    }
    file
}

/// The hashes of the feature transformer and of the layers after it.
fn hashes() -> (u32, u32) {
    let affine = |hash: u32, outputs: u32| (0xCC03_DAE4 + outputs) ^ (hash >> 1) ^ (hash << 31);
    let relu = |hash: u32| hash.wrapping_add(0x538D_24C7);
    let first = affine(0xEC42_E90D ^ (2 * WIDTH as u32), 16);
    (0x7F23_4CB8 ^ (2 * WIDTH as u32), affine(relu(affine(relu(first), 32)), 1))
}

/// Signed LEB128.
fn encode(mut value: i64, bytes: &mut Vec<u8>) {
    loop {
        let byte = value as u8 & 0x7f;
        value >>= 7;
        let last = if byte & 0x40 == 0 { value == 0 } else { value == -1 };
        bytes.push(if last { byte } else { byte | 0x80 });
        if last {
            return;
        }
    }
}

/// The parameters of a network [`file()`], and its evaluation by plain loops, written from the description of
/// the architecture and independent of the library.
pub struct Reference {
    bias: Vec<i64>,
    weights: Vec<i64>,
    psqt: Vec<i64>,
    /// For each layer stack and layer the biases, then the weights.
    stacks: Vec<[(Vec<i64>, Vec<i64>); 3]>,
}

impl Reference {
    /// Decodes a file that [`file()`] made.
    pub fn new(file: &[u8]) -> Self {
        let mut at = 12 + DESCRIPTION.len() + 4;
        let u32_at = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four"));
        let mut block = || {
            let start = at + MAGIC.len() + 4;
            at = start + u32_at(start - 4) as usize;
            let (mut numbers, mut number, mut shift) = (vec![], 0i64, 0);
            for &byte in &file[start..at] {
                number += i64::from(byte % 128) << shift;
                shift += 7;
                if byte < 128 {
                    numbers.push(if byte < 64 { number } else { number - (1 << shift) });
                    (number, shift) = (0, 0);
                }
            }
            numbers
        };
        let (bias, weights, psqt) = (block(), block(), block());
        let stacks = (0..BUCKETS).map(|_| {
            at += 4;
            DENSE.map(|(inputs, outputs)| {
                let bias = (0..outputs).map(|n| i64::from(u32_at(at + 4 * n) as i32)).collect();
                let rows = &file[at + 4 * outputs..][..inputs * outputs];
                at += 4 * outputs + rows.len();
                (bias, rows.iter().map(|&byte| i64::from(byte as i8)).collect())
            })
        });
        let stacks = stacks.collect();
        Self { bias, weights, psqt, stacks }
    }

    /// The value from the side to move, in Stockfish's units.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let bucket = (position.board().iter().count() - 1) / 4;
        let (mut psqt, mut input) = ([0i32; 2], vec![]);
        for (side, perspective) in [position.turn(), !position.turn()].into_iter().enumerate() {
            let mut sums = self.bias.clone();
            for (square, piece) in position.board().iter() {
                let feature = feature(perspective, position, square, piece);
                for (n, sum) in sums.iter_mut().enumerate() {
                    *sum += self.weights[feature * WIDTH + n];
                }
                psqt[side] = psqt[side].wrapping_add(self.psqt[feature * BUCKETS + bucket] as i32);
            }
            let clipped = |n: usize| i64::from((sums[n] as i16).clamp(0, 127));
            input.extend((0..WIDTH / 2).map(|n| clipped(n) * clipped(WIDTH / 2 + n) / 128));
        }
        let layer = |n: usize, input: &[i64]| -> Vec<i32> {
            let (bias, weights) = &self.stacks[bucket][n];
            let rows = weights.chunks(weights.len() / bias.len()).zip(bias);
            let sum = |row: &[i64]| row.iter().zip(input).map(|(w, x)| w * x).sum::<i64>();
            rows.map(|(row, bias)| (sum(row) + bias) as i32).collect()
        };
        let relu = |sum: &i32| i64::from((sum >> 6).clamp(0, 127));
        let first = layer(0, &input);
        let squared = first[..15].iter().map(|&x| (i64::from(x) * i64::from(x) / 524_288).min(127));
        let input: Vec<i64> = squared.chain(first[..15].iter().map(relu)).collect();
        let input: Vec<i64> = layer(1, &input).iter().map(relu).collect();
        let skipped = (i64::from(first[15]) * 9600 / 8128) as i32;
        let positional = layer(2, &input)[0].wrapping_add(skipped);
        (psqt[0].wrapping_sub(psqt[1]) / 2).wrapping_add(positional) / 16
    }
}

/// The feature of a piece: the king's square chooses a block of 704.
fn feature(perspective: Color, position: &Position, square: Square, piece: chess::Piece) -> usize {
    let flip = |square: Square| match perspective {
        Color::White => (square.index() % 8, square.index() / 8),
        Color::Black => (square.index() % 8, 7 - square.index() / 8),
    };
    let ((king_file, king_rank), (file, rank)) = (flip(position.king(perspective)), flip(square));
    let (king_file, file) =
        if king_file < 4 { (7 - king_file, 7 - file) } else { (king_file, file) };
    let theirs = usize::from(piece.color() != perspective);
    let kind = match piece.piece_type() {
        PieceType::Pawn => theirs,
        PieceType::Knight => 2 + theirs,
        PieceType::Bishop => 4 + theirs,
        PieceType::Rook => 6 + theirs,
        PieceType::Queen => 8 + theirs,
        PieceType::King => 10,
    };
    let block = 4 * (7 - king_rank) + (7 - king_file);
    704 * block + 64 * kind + 8 * rank + file
}
