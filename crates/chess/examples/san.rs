//! Standard algebraic notation: reads moves of a game, and shows each in three notations.
//!
//! `cargo run --example san -- e4 e5 Nf3 Nc6 Bb5`

use std::error::Error;
use std::process::ExitCode;

use tabiya_chess::Game;

fn main() -> ExitCode {
    let mut game = Game::default();
    for text in std::env::args().skip(1) {
        match play(&mut game, &text) {
            Ok(line) => println!("{line}"),
            // Says why: no such piece, not its move, ambiguous, in check …
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{}", game.position());
    ExitCode::SUCCESS
}

/// Plays a move and returns its number and its text in SAN, long algebraic and UCI notation.
fn play(game: &mut Game, text: &str) -> Result<String, Box<dyn Error>> {
    let position = *game.position();
    let m = position.parse_san(text)?;
    game.play(m)?;
    let dots = if position.turn().is_white() { "." } else { "..." };
    let number = position.fullmove_number();
    Ok(format!("{number}{dots} {:8} {:8} {m}", position.san(m), position.lan(m)))
}
