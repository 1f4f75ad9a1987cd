//! What several commands take: positions and lines.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, anyhow};
use chess::{CastlingStyle, Game, Position};

/// A game from `FEN`, `FEN moves e2e4 …` or `startpos moves …`, the forms of UCI's `position`.
pub fn game(text: &str) -> anyhow::Result<Game> {
    let text = text.trim();
    let (start, moves) = match text.split_once(" moves") {
        Some((start, moves)) if moves.is_empty() || moves.starts_with(char::is_whitespace) => {
            (start, moves)
        }
        _ => (text, ""),
    };
    let start = start.trim_end();
    let position = match start {
        "startpos" => Position::INITIAL,
        // Four fields are an EPD's: its clocks are left out.
        _ if start.split_ascii_whitespace().count() == 4 => {
            Position::from_fen(&format!("{start} 0 1"))?
        }
        _ => Position::from_fen(start)?,
    };
    let mut game = Game::new(position);
    for (n, text) in moves.split_ascii_whitespace().enumerate() {
        let m = game.position().parse_uci(text).with_context(|| format!("move {}", n + 1))?;
        game.play(m)?;
    }
    Ok(game)
}

/// How castling is written, as the `--chess960` flag says.
pub fn castling_style(chess960: bool) -> CastlingStyle {
    if chess960 { CastlingStyle::Chess960 } else { CastlingStyle::Standard }
}

/// A file, or standard input for `-`.
pub fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

/// The longest line we take from anywhere; nothing that we read has longer ones.
const LONGEST_LINE: usize = 1 << 20;

/// Calls back with each line and its number. Bytes that are no UTF-8 become `�`; a line that is too
/// long is an error in its place, since what is left of it may well mean something else.
pub fn each_line(
    mut input: impl BufRead,
    mut take: impl FnMut(usize, anyhow::Result<&str>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let limit = LONGEST_LINE as u64 + 1;
        if io::Read::take(&mut input, limit).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.len() > LONGEST_LINE && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
            take(number, Err(anyhow!("the line is longer than {LONGEST_LINE} bytes")))?;
            continue;
        }
        take(number, Ok(String::from_utf8_lossy(&line).trim()))?;
    }
    Ok(())
}
