//! Perft: the number of leaf nodes of the legal move tree.
//!
//! `cargo run --release --example perft -- 5 "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"`

use std::error::Error;
use std::time::Instant;

use tabiya_chess::Position;

/// Leaf nodes at this depth. `tabiya_chess::perft` has a faster one, with bulk counting.
fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.legal_moves();
    moves.into_iter().map(|m| perft(&position.after(m), depth - 1)).sum()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let depth: u32 = args.next().map_or(Ok(4), |depth| depth.parse())?.max(1);
    let position = match args.next() {
        Some(fen) => Position::from_fen(&fen)?,
        None => Position::INITIAL,
    };
    let begin = Instant::now();
    let mut total = 0;
    for m in position.legal_moves() {
        let nodes = perft(&position.after(m), depth - 1);
        println!("{m}: {nodes}");
        total += nodes;
    }
    println!("{total} nodes in {:.2} s", begin.elapsed().as_secs_f64());
    Ok(())
}
