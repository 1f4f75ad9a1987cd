//! Chess960: a start position, and castling in both conventions.
//!
//! `cargo run --example chess960 -- 518`

use std::error::Error;

use tabiya_chess::{CastlingStyle, FenStyle, Position, chess960};

fn main() -> Result<(), Box<dyn Error>> {
    let number: u16 = std::env::args().nth(1).map_or(Ok(0), |number| number.parse())?;
    let start = chess960::start(number).ok_or("there are 960 start positions, from 0 to 959")?;
    println!("{}", start.board());
    // Castling rights are rook squares: KQkq where that is clear, else rook files.
    println!("{start}");

    // The king on b1 castles with the rook on g1: king takes rook, to g1 and f1.
    let position = Position::from_fen("1k6/8/8/8/8/8/8/RK4R1 w GA - 0 1")?;
    println!("{}", position.fen_in(FenStyle::Shredder));
    for m in position.legal_moves().into_iter().filter(|m| m.is_castling()) {
        let (san, uci) = (position.san(m), m.uci(CastlingStyle::Chess960));
        println!(
            "{san}: {uci}, the king goes to {}, the rook to {}",
            m.castling_king_to(),
            m.castling_rook_to()
        );
    }

    // From the standard squares, a move prints as standard UCI has it.
    let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")?;
    let castles = position.parse_uci("e1g1")?;
    println!("{castles} is {} in Chess960", castles.uci(CastlingStyle::Chess960));
    Ok(())
}
