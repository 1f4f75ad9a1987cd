//! HalfKP network files with random weights, and a slow reference evaluation straight from such a file.

use chess::rng::Rng;
use chess::{Color, PieceType, Position, Square};

/// Magnitude of the random weights.
#[derive(Clone, Copy, Debug)]
pub enum Weights {
    /// Like those of a trained network: some activations are clipped, others are not.
    Typical,
    /// The full range: sums overflow wherever they can.
    Extreme,
}

/// The description in the header of every file made here.
pub const DESCRIPTION: &str = "made for a test";

const FEATURES: usize = 64 * PIECE_SQUARES;
/// Piece-square indices per king square: ten kinds of pieces on 64 squares, and index 0, never active.
const PIECE_SQUARES: usize = 10 * 64 + 1;
const HALF: usize = 256;
const HEADER: usize = 12 + DESCRIPTION.len() + 4;
/// Inputs and outputs of the dense layers.
const DENSE: [(usize, usize); 3] = [(2 * HALF, 32), (32, 32), (32, 1)];

/// A file of random weights.
pub fn file(weights: Weights, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed, 0);
    let bias = |rng: &mut Rng| {
        let bits = rng.next_u64();
        match weights {
            Weights::Typical => (bits % 4096) as i32 - 2048,
            // A bias beyond the reach of every sum would hide the sum: only some of them.
            Weights::Extreme if bits.is_multiple_of(4) => i32::MIN + ((bits >> 32) as i32 & 0xffff),
            Weights::Extreme => (bits % 65536) as i32 - 32768,
        }
    };
    let weight = |rng: &mut Rng| match weights {
        Weights::Typical => (rng.next_u64() % 61) as i16 - 30,
        Weights::Extreme => rng.next_u64() as i16,
    };
    let mut file = Vec::with_capacity(21_022_520 + DESCRIPTION.len());
    let put = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    put(&mut file, 0x7AF3_2F16);
    put(&mut file, 0x3E5A_A6EE);
    put(&mut file, DESCRIPTION.len() as u32);
    file.extend(DESCRIPTION.as_bytes());
    put(&mut file, 0x5D69_D7B8);
    for _ in 0..HALF * (1 + FEATURES) {
        file.extend(weight(&mut rng).to_le_bytes());
    }
    put(&mut file, 0x6333_7156);
    for (inputs, outputs) in DENSE {
        for _ in 0..outputs {
            put(&mut file, bias(&mut rng) as u32);
        }
        file.extend((0..inputs * outputs).map(|_| weight(&mut rng) as u8));
    }
    file
}

/// Evaluates a position with a network [`file()`]: plain loops over its bytes, written from the published
/// description of HalfKP and independent of the library. The value is the side to move's, before any
/// conversion to centipawns, divided by 16.
pub fn reference(file: &[u8], position: &Position) -> i32 {
    let i16_at = |index: usize| {
        let at = HEADER + 2 * index;
        i16::from_le_bytes([file[at], file[at + 1]])
    };
    let mut input = Vec::with_capacity(2 * HALF);
    for perspective in [position.turn(), !position.turn()] {
        let orient = |square: Square| match perspective {
            Color::White => square.index(),
            Color::Black => square.index() ^ 63,
        };
        let king = orient(position.king(perspective));
        let mut accumulator: Vec<i16> = (0..HALF).map(i16_at).collect();
        for (square, piece) in position.board().iter() {
            let kind = match piece.piece_type() {
                PieceType::Pawn => 0,
                PieceType::Knight => 1,
                PieceType::Bishop => 2,
                PieceType::Rook => 3,
                PieceType::Queen => 4,
                PieceType::King => continue,
            };
            let theirs = usize::from(piece.color() != perspective);
            let piece_square = 64 * (2 * kind + theirs) + 1 + orient(square);
            let row = HALF * (1 + king * PIECE_SQUARES + piece_square);
            for (n, sum) in accumulator.iter_mut().enumerate() {
                *sum = sum.wrapping_add(i16_at(row + n));
            }
        }
        input.extend(accumulator.iter().map(|&sum| i32::from(sum.clamp(0, 127))));
    }
    let mut at = HEADER + 2 * HALF * (1 + FEATURES) + 4;
    for (inputs, outputs) in DENSE {
        let weights = at + 4 * outputs;
        let sums: Vec<i32> = (0..outputs)
            .map(|n| {
                let bias = file[at + 4 * n..][..4].try_into().expect("four bytes");
                let row = &file[weights + inputs * n..][..inputs];
                let products = row.iter().zip(&input).map(|(&w, &x)| i32::from(w as i8) * x);
                products.fold(i32::from_le_bytes(bias), i32::wrapping_add)
            })
            .collect();
        at = weights + inputs * outputs;
        if outputs == 1 {
            return sums[0] / 16;
        }
        input = sums.iter().map(|sum| (sum >> 6).clamp(0, 127)).collect();
    }
    unreachable!("the last layer has one output")
}
