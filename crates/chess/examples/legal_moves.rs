//! The legal moves of a position.
//!
//! `cargo run --example legal_moves -- "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"`

use std::error::Error;

use tabiya_chess::{Game, MoveFilter, Position};

fn main() -> Result<(), Box<dyn Error>> {
    let fen = std::env::args().nth(1);
    let position = match &fen {
        Some(fen) => Position::from_fen(fen)?,
        None => Position::INITIAL,
    };
    println!("{}", position.board());

    // All of them, in UCI notation.
    for m in position.legal_moves() {
        print!("{m} ");
    }
    println!("\n{} moves", position.count_legal_moves());

    // Captures only, with the value of the exchange in centipawns.
    for m in position.moves(MoveFilter::CAPTURES) {
        println!("{} {:+}", position.san(m), position.see(m));
    }

    // Playing the first one. A game adds the history, which repetitions need.
    let mut game = Game::new(position);
    if let Some(&m) = position.legal_moves().first() {
        game.play(m)?;
        println!("after {m}: {}", game.position());
    }
    match game.outcome() {
        Some(outcome) => println!("{}", outcome.result()),
        None => println!("{} to move", game.position().turn()),
    }
    Ok(())
}
