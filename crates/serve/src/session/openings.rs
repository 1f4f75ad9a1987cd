//! Names of well-known openings by position, so that transpositions are recognized.
//!
//! `openings.txt` has a line for each: ECO code, name, moves from the initial position.

use std::collections::HashMap;
use std::sync::LazyLock;

use chess::{Position, SanError};

const TABLE: &str = include_str!("openings.txt");

/// ECO code and name by the key of the position.
static OPENINGS: LazyLock<HashMap<u64, (&str, &str)>> = LazyLock::new(|| {
    let openings = lines()
        .filter_map(|(eco, name, moves)| Some((position_after(moves).ok()?.key(), (eco, name))));
    openings.collect()
});

/// ECO code, name and moves of each line.
fn lines() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    TABLE.lines().filter_map(|line| {
        let (eco, rest) = line.split_once('|')?;
        let (name, moves) = rest.split_once('|')?;
        Some((eco, name, moves))
    })
}

fn position_after(moves: &str) -> Result<Position, SanError> {
    let mut moves = moves.split(' ');
    moves.try_fold(Position::INITIAL, |at, san| Ok(at.after(at.parse_san(san)?)))
}

/// ECO code and name of the opening that leads to this position.
///
/// ```
/// use tabiya_serve::chess::Game;
/// use tabiya_serve::session::opening;
/// let game = Game::parse("startpos moves g1f3 b8c6 e2e4 e7e5 f1c4")?;
/// assert_eq!(opening(game.position()), Some(("C50", "Italian Game")));
/// # Ok::<(), tabiya_serve::chess::ParseGameError>(())
/// ```
pub fn opening(position: &Position) -> Option<(&'static str, &'static str)> {
    OPENINGS.get(&position.key()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_legal_and_has_a_position_of_its_own() {
        let mut count = 0;
        let mut seen: HashMap<u64, &str> = HashMap::new();
        for (eco, name, moves) in lines() {
            let position = position_after(moves).unwrap_or_else(|error| panic!("{name}: {error}"));
            let (letter, number) = eco.split_at(1);
            assert!("ABCDE".contains(letter) && number.len() == 2, "{eco}");
            assert!(number.parse::<u8>().is_ok(), "{eco}");
            if let Some(other) = seen.insert(position.key(), name) {
                panic!("{name} is {other}");
            }
            count += 1;
        }
        assert_eq!(count, TABLE.lines().count());
        assert!(count > 300, "{count}");
    }
}
