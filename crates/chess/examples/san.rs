//! Standard algebraic notation: reads moves of a game, and shows each in three notations.
//!
//! `cargo run --example san -- e4 e5 Nf3 Nc6 Bb5`

use tabiya_chess::{Game, SanError};

fn main() {
    let mut game = Game::default();
    for text in std::env::args().skip(1) {
        match play(&mut game, &text) {
            Ok(line) => println!("{line}"),
            // Says why: no such piece, not its move, ambiguous, in check …
            Err(error) => return println!("{error}"),
        }
    }
    println!("{}", game.position());
}

/// Plays a move and returns its number and its text in SAN, long algebraic and UCI notation.
fn play(game: &mut Game, text: &str) -> Result<String, SanError> {
    let position = *game.position();
    let m = position.parse_san(text)?;
    // A move that was parsed in a position is legal there.
    let played = game.play(m);
    debug_assert!(played.is_ok());
    let dots = if position.turn().is_white() { "." } else { "..." };
    let number = position.fullmove_number();
    Ok(format!("{number}{dots} {:8} {:8} {m}", position.san(m), position.lan(m)))
}
