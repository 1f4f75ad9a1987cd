//! The positions of the games of a PGN file, or of standard input: one FEN a line.
//!
//! `cargo run --example pgn_to_fens -- games.pgn`

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};

use tabiya_chess::pgn::{Games, GamesError};

fn main() -> Result<(), Box<dyn Error>> {
    let source: Box<dyn Read> = match std::env::args().nth(1) {
        Some(path) => Box::new(File::open(path)?),
        None => Box::new(io::stdin().lock()),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    for game in Games::new(source) {
        let game = match game {
            Ok(game) => game,
            // The moves before the error are good.
            Err(GamesError::Broken(broken)) => {
                eprintln!("{broken}");
                broken.tree
            }
            Err(error) => {
                eprintln!("{error}");
                continue;
            }
        };
        writeln!(out, "{}", game.root().position())?;
        for (_, node) in game.main_line() {
            writeln!(out, "{}", node.position())?;
        }
    }
    Ok(out.flush()?)
}
