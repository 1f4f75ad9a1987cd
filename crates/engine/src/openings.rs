//! Random balanced openings: random moves, accepted if a short search finds the position balanced.

use std::io;
use std::path::{Path, PathBuf};

use chess::rng::mix;
use chess::{Epd, EpdError, Game, Position};

use crate::search::{Control, Engine, Limits, Settings};

/// Parameters of random openings.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Random plies from the start.
    pub plies: usize,
    /// Node limit of the search that tests the balance.
    pub nodes: u64,
    /// The largest absolute score of a balanced opening, in internal units.
    pub balance: i32,
}

impl Default for Recipe {
    fn default() -> Self {
        Self { plies: 8, nodes: 2000, balance: 120 }
    }
}

/// The n-th opening of a seed, from one of the starts, or from the initial position if there are none.
/// `None` if `control` is stopped.
pub fn random(
    engine: &mut Engine,
    starts: &[Position],
    recipe: Recipe,
    seed: u64,
    n: u64,
    control: &Control,
) -> Option<Game> {
    let mut state = mix(seed ^ mix(n));
    let mut next = |below: usize| {
        state = mix(state);
        (state % below.max(1) as u64) as usize
    };
    let limits = Limits { nodes: Some(recipe.nodes), ..Limits::default() };
    while !control.is_stopped() {
        let start = starts.get(next(starts.len())).copied().unwrap_or_default();
        let mut game = Game::new(start);
        for _ in 0..recipe.plies {
            let moves = game.position().legal_moves();
            if moves.is_empty() || game.play(moves[next(moves.len())]).is_err() {
                break;
            }
        }
        let is_over = game.outcome().is_some() || game.claimable_draw().is_some();
        if is_over || game.position().in_check() {
            continue;
        }
        engine.new_game();
        let found = engine.search(&game, &limits, Settings::default(), control, &|_| {});
        if found.score.abs() <= recipe.balance {
            return Some(game);
        }
    }
    None
}

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is not an EPD record.
    #[error("{}, line {line}: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// Why.
        source: EpdError,
    },
    /// The file has no positions.
    #[error("{}: no positions", .0.display())]
    Empty(PathBuf),
}

const MAX_BOOK_BYTES: u64 = 1 << 30;

/// The positions of a book, a regular file with an EPD record or a FEN on each line. Empty lines and lines
/// that start with `#` are skipped; an invalid line is an error in its place.
pub fn read_book(path: &Path) -> Result<Vec<Result<Position, BookError>>, BookError> {
    let bytes = regular::read(path, MAX_BOOK_BYTES);
    parse_book(path, &bytes.map_err(|source| BookError::Read { path: path.to_owned(), source })?)
}

/// [`read_book`] of a text; `path` is for messages.
pub fn parse_book(path: &Path, text: &[u8]) -> Result<Vec<Result<Position, BookError>>, BookError> {
    let mut positions = Vec::new();
    for (n, line) in String::from_utf8_lossy(text).lines().map(str::trim).enumerate() {
        if !line.is_empty() && !line.starts_with('#') {
            let problem = |source| BookError::Line { path: path.to_owned(), line: n + 1, source };
            positions.push(Epd::parse(line).map(|epd| epd.position).map_err(problem));
        }
    }
    if positions.is_empty() { Err(BookError::Empty(path.to_owned())) } else { Ok(positions) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_depend_only_on_seed_and_number() {
        let fens = |seed| {
            let mut engine = Engine::new(1).unwrap();
            let control = Control::new(false);
            (0..6)
                .map(|n| {
                    let recipe = Recipe { plies: 8 + n as usize % 2, ..Recipe::default() };
                    let game = random(&mut engine, &[], recipe, seed, n, &control).unwrap();
                    assert_eq!(game.len(), recipe.plies);
                    game.position().fen()
                })
                .collect::<Vec<_>>()
        };
        let first = fens(1);
        assert_eq!(first, fens(1));
        assert_ne!(first, fens(2));
        assert!(first.iter().collect::<std::collections::BTreeSet<_>>().len() == 6);
    }
}
