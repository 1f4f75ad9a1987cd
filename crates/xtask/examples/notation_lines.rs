//! The notations of every legal move, for comparison with other programs.
//!
//! Reads lines and writes one for each:
//!
//! - a FEN: `uci san lan` of every legal move, separated by `|`;
//! - a FEN, a tab and texts separated by blanks: for each the UCI move it means as SAN, or `?`.
//!
//! With `960 ` before the FEN castling is written as king takes rook. A line that is no FEN gives
//! `error: …`.

use std::io::{self, BufRead, BufWriter, Write};

use tabiya_chess::{CastlingStyle, Position};

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (fen, texts) = match line.split_once('\t') {
            Some((fen, texts)) => (fen, Some(texts)),
            None => (line.as_str(), None),
        };
        let (fen, style) = match fen.strip_prefix("960 ") {
            Some(fen) => (fen, CastlingStyle::Chess960),
            None => (fen, CastlingStyle::Standard),
        };
        match (Position::from_fen(fen), texts) {
            (Err(error), _) => writeln!(out, "error: {error}")?,
            (Ok(position), None) => {
                let moves = position.legal_moves();
                let texts = moves.iter().map(|&m| {
                    let (san, lan) = (position.san(m), position.lan(m));
                    format!("{} {san} {lan}", position.uci(m, style))
                });
                writeln!(out, "{}", texts.collect::<Vec<_>>().join("|"))?;
            }
            (Ok(position), Some(texts)) => {
                let moves = texts.split(' ').map(|text| {
                    let m = position.parse_san(text);
                    m.map_or_else(|_| "?".to_owned(), |m| position.uci(m, style).to_string())
                });
                writeln!(out, "{}", moves.collect::<Vec<_>>().join(" "))?;
            }
        }
    }
    out.flush()
}
