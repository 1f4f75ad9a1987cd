//! Finds magic numbers as in `sliders/magic.rs`: for each square, sparse random numbers are tried until one
//! maps no two occupancies with different attacks to the same index.
//!
//! `cargo run --release -p xtask --example find_magics` prints both tables as Rust.

use tabiya_chess::rng::Rng;
use tabiya_chess::sliders::hyperbola;
use tabiya_chess::{Bitboard, File, Rank, Square};

type Attack = fn(Square, Bitboard) -> Bitboard;

/// The relevant occupancy mask: the attacks on an empty board without the edge squares that end a line.
fn relevant(square: Square, attack: Attack) -> Bitboard {
    let edge_ranks = (Rank::First.bitboard() | Rank::Eighth.bitboard()) - square.rank().bitboard();
    let edge_files = (File::A.bitboard() | File::H.bitboard()) - square.file().bitboard();
    attack(square, Bitboard::EMPTY) - edge_ranks - edge_files
}

fn find(square: Square, attack: Attack, rng: &mut Rng) -> u64 {
    let mask = relevant(square, attack);
    let cases: Vec<(u64, u64)> =
        mask.subsets().map(|subset| (subset.0, attack(square, subset).0)).collect();
    let shift = 64 - mask.len() as u32;
    let mut places = vec![0; cases.len()];
    loop {
        let magic = rng.next_u64() & rng.next_u64() & rng.next_u64();
        if (mask.0.wrapping_mul(magic) >> 56).count_ones() < 6 {
            continue; // too little of the mask reaches the top bits
        }
        places.fill(0);
        let fits = cases.iter().all(|&(subset, attacked)| {
            let place = &mut places[(subset.wrapping_mul(magic) >> shift) as usize];
            let free = *place == 0 || *place == attacked;
            *place = attacked;
            free
        });
        if fits {
            return magic;
        }
    }
}

fn main() {
    let mut rng = Rng::from_seed(0x7ab1_7ab1_7ab1_7ab1);
    let sliders: [(&str, Attack); 2] =
        [("ROOK_MAGICS", hyperbola::rook), ("BISHOP_MAGICS", hyperbola::bishop)];
    for (name, attack) in sliders {
        println!("#[rustfmt::skip]\nconst {name}: [u64; 64] = [");
        for row in Square::all().collect::<Vec<_>>().chunks(4) {
            let numbers: Vec<String> = row
                .iter()
                .map(|&square| format!("{:#018x},", find(square, attack, &mut rng)))
                .collect();
            println!("    {}", numbers.join(" "));
        }
        println!("];\n");
    }
}
