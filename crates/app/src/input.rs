//! Positions, networks and lines of text from arguments and files.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, anyhow};
use chess::{CastlingStyle, Game};
use nnue::AnyNetwork;

/// A game from `FEN`, `FEN moves e2e4 …` or `startpos moves …`.
pub fn game(text: &str) -> anyhow::Result<Game> {
    Ok(Game::parse(text)?)
}

/// An evaluation: a network file of any format, `embedded`, or none for `classic`.
pub fn evaluation(name: &Path) -> anyhow::Result<Option<AnyNetwork>> {
    engine::eval::file::named(name).with_context(|| name.display().to_string())
}

/// The castling notation of a `--chess960` flag.
pub fn castling_style(chess960: bool) -> CastlingStyle {
    if chess960 { CastlingStyle::Chess960 } else { CastlingStyle::Standard }
}

/// Opens a file, or standard input for `-`.
pub fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

/// Maximum length of a line in bytes.
const MAX_LINE: usize = 1 << 20;

/// Calls `take` with the number of each line and its trimmed text. Invalid UTF-8 becomes `�`; a line that
/// is too long is an error in its place.
pub fn each_line(
    mut input: impl BufRead,
    mut take: impl FnMut(usize, anyhow::Result<&str>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let limit = MAX_LINE as u64 + 1;
        if io::Read::take(&mut input, limit).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.len() > MAX_LINE && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
            take(number, Err(anyhow!("the line is longer than {MAX_LINE} bytes")))?;
            continue;
        }
        take(number, Ok(String::from_utf8_lossy(&line).trim()))?;
    }
    Ok(())
}
