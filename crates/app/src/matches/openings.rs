//! Where games begin: the openings of a file, or random ones that leave both players equal chances.
//!
//! The opening of a pair of games depends on the number of the pair and the seed, and on nothing else:
//! not on the engines, nor on which game ends first.

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::ensure;
use chess::pgn::{BrokenGame, read_trees};
use chess::{Epd, Game, Move, Position, chess960};
use data::{Chunk, Input};
use paco::Rng;

use super::balance;
use crate::words::count;

/// The first moves of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    pub start: Position,
    pub moves: Vec<Move>,
}

/// A source of openings.
pub enum Book {
    /// Those of a file, in the order they are played.
    Listed(Vec<Opening>),
    /// As many as one likes.
    Random { seed: u64, plies: usize, chess960: bool },
}

impl Book {
    /// The opening of a pair. Those of a file begin again after the last.
    pub fn opening(&self, pair: usize) -> Opening {
        match self {
            Self::Listed(openings) => openings[pair % openings.len()].clone(),
            Self::Random { seed, plies, chess960 } => random(*seed, pair, *plies, *chess960),
        }
    }

    /// A number that changes with the openings of a file and their order; 0 for random ones, which
    /// follow from their settings.
    pub fn fingerprint(&self) -> u64 {
        let Self::Listed(openings) = self else { return 0 };
        let mix = |sum: u64, number: u64| Rng::new(sum ^ number).next_u64();
        openings.iter().fold(1, |sum, opening| {
            let sum = mix(sum, opening.start.key());
            opening.moves.iter().fold(sum, |sum, m| mix(sum, m.to_bits().into()))
        })
    }

    /// Reads a file: a position in each line if its name ends in `.epd` or `.fen`, otherwise games, of
    /// which the first `plies` moves count. `complain` is told what is not used.
    pub fn read(
        path: &Path,
        plies: Option<usize>,
        shuffle: Option<u64>,
        mut complain: impl FnMut(String),
    ) -> anyhow::Result<Self> {
        let is_epd = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("epd") || end.eq_ignore_ascii_case("fen"));
        let found = if is_epd {
            read_epd(path, &mut complain)
        } else {
            read_pgn(path, plies, &mut complain)
        };
        let mut openings = found?;
        let all = openings.len();
        openings.retain(Opening::can_be_played);
        if openings.len() < all {
            let over = all - openings.len();
            complain(format!(
                "{} of {} left out: over before the first move{}",
                count(over, "opening"),
                path.display(),
                if is_epd { "" } else { "; --plies takes only the first moves of each" }
            ));
        }
        ensure!(!openings.is_empty(), "there are no openings in {}", path.display());
        if let Some(seed) = shuffle {
            let mut rng = Rng::new(seed);
            for last in (1..openings.len()).rev() {
                openings.swap(last, rng.below(last + 1));
            }
        }
        Ok(Self::Listed(openings))
    }
}

impl Opening {
    /// Whether there is something left to play for.
    fn can_be_played(&self) -> bool {
        let mut game = Game::new(self.start);
        let is_legal = self.moves.iter().all(|&m| game.play(m).is_ok());
        is_legal && game.outcome().is_none() && game.claimable_draw().is_none()
    }

    fn last_position(&self) -> Position {
        self.moves.iter().fold(self.start, |position, &m| position.after(m))
    }
}

fn read_epd(path: &Path, complain: &mut impl FnMut(String)) -> anyhow::Result<Vec<Opening>> {
    let mut openings = Vec::new();
    crate::input::each_line(crate::input::open(path)?, |number, line| {
        match line.and_then(|line| {
            let is_position = !line.is_empty() && !line.starts_with('#');
            Ok(is_position.then(|| Epd::parse(line)).transpose()?)
        }) {
            Ok(Some(epd)) => openings.push(Opening { start: epd.position, moves: Vec::new() }),
            Ok(None) => {}
            Err(error) => complain(format!("{}:{number}: {error}", path.display())),
        }
        Ok(())
    })?;
    Ok(openings)
}

fn read_pgn(
    path: &Path,
    plies: Option<usize>,
    complain: &mut impl FnMut(String),
) -> anyhow::Result<Vec<Opening>> {
    let plies = plies.unwrap_or(usize::MAX);
    let work = |chunk: Chunk<'_>| match chunk {
        Chunk::TooLong { .. } => Vec::new(),
        Chunk::Games(text) => read_trees(text)
            .into_iter()
            .map(|tree| {
                tree.map(|tree| {
                    // A null move cannot be told to an engine.
                    let moves = tree.main_line().map_while(|(_, node)| node.played());
                    let moves = moves.take(plies).collect();
                    Opening { start: *tree.root().position(), moves }
                })
            })
            .collect::<Vec<Result<Opening, Box<BrokenGame>>>>(),
    };
    let mut openings = Vec::new();
    let mut bad = 0;
    let options = data::ReadOptions { parallel_frames: false, ..data::ReadOptions::default() };
    data::read_games(Input::open(path)?, &options, work, |found, _| {
        for opening in found {
            match opening {
                Ok(opening) => openings.push(opening),
                Err(_) => bad += 1,
            }
        }
        ControlFlow::Continue(())
    })?;
    if bad > 0 {
        complain(format!(
            "{} of {} left out: broken; see tabiya pgn check",
            count(bad, "game"),
            path.display()
        ));
    }
    Ok(openings)
}

/// Random moves from the start, again and again until the position is quiet and balanced.
fn random(seed: u64, pair: usize, plies: usize, chess960: bool) -> Opening {
    // Seeds that are near each other must not give openings in common.
    let mut rng =
        Rng::new(Rng::new(seed).next_u64() ^ Rng::new(pair as u64).next_u64().rotate_left(1));
    loop {
        let start = if chess960 {
            chess960::start(rng.below(960) as u16).unwrap_or(Position::INITIAL)
        } else {
            Position::INITIAL
        };
        let mut opening = Opening { start, moves: Vec::with_capacity(plies) };
        let mut position = start;
        for _ in 0..plies {
            let moves = position.legal_moves();
            let Some(&m) = moves.get(rng.below(moves.len())) else { break };
            opening.moves.push(m);
            position = position.after(m);
        }
        let is_whole = opening.moves.len() == plies && opening.can_be_played();
        // Very many random moves lead anywhere: there, only legality is asked for.
        if is_whole && (plies > 40 || balance::is_balanced(&opening.last_position())) {
            return opening;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn random_openings_are_many_balanced_and_the_same_for_the_same_seed() {
        for chess960 in [false, true] {
            let book = Book::Random { seed: 5, plies: 8, chess960 };
            let other = Book::Random { seed: 6, plies: 8, chess960 };
            let mut seen = HashSet::new();
            for pair in 0..5 {
                let opening = book.opening(pair);
                assert_eq!(opening, book.opening(pair));
                assert_ne!(opening, other.opening(pair));
                assert_eq!(opening.moves.len(), 8);
                assert!(opening.can_be_played());
                let last = opening.last_position();
                assert!(balance::is_balanced(&last), "{last}");
                seen.insert(last.key());
            }
            assert_eq!(seen.len(), 5);
        }
    }

    #[test]
    fn openings_are_read_from_games_and_from_positions() {
        let file = |name: &str, text: &str| {
            let path = std::env::temp_dir().join(format!("tabiya-{}-{name}", std::process::id()));
            std::fs::write(&path, text).unwrap();
            path
        };
        let pgn = file(
            "book.pgn",
            "1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 d5 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n1. e5 *\n",
        );
        let mut complaints = Vec::new();
        let book = Book::read(&pgn, None, None, |text| complaints.push(text)).unwrap();
        let lengths = |book: &Book| match book {
            Book::Listed(openings) => openings.iter().map(|opening| opening.moves.len()).collect(),
            Book::Random { .. } => Vec::new(),
        };
        assert_eq!(lengths(&book), [4, 2]);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert_eq!(book.opening(2), book.opening(0));
        let book = Book::read(&pgn, Some(3), None, |_| {}).unwrap();
        assert_eq!(lengths(&book), [3, 2, 3]);
        let epd = file("book.epd", "# comment\n4k3/8/8/8/8/8/8/4K2R w K - id \"x\";\nnonsense\n");
        let mut complaints = Vec::new();
        let book = Book::read(&epd, None, Some(3), |text| complaints.push(text)).unwrap();
        assert_eq!(book.opening(0).start.fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        for path in [pgn, epd] {
            std::fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn the_order_of_a_file_is_shuffled_by_the_seed() {
        let text: String = (1..=8).map(|n| format!("4k3/8/8/8/8/8/8/4K2R w K - 0 {n}\n")).collect();
        let path = std::env::temp_dir().join(format!("tabiya-{}-order.fen", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let order = |seed| {
            let book = Book::read(&path, None, seed, |_| {}).unwrap();
            (0..8).map(|n| book.opening(n).start.fullmove_number()).collect::<Vec<u16>>()
        };
        assert_eq!(order(None), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(order(Some(1)), order(Some(1)));
        assert_ne!(order(Some(1)), order(Some(2)));
        let fingerprint = |seed| Book::read(&path, None, seed, |_| {}).unwrap().fingerprint();
        assert_eq!(fingerprint(Some(1)), fingerprint(Some(1)));
        let mut sorted = order(Some(1));
        sorted.sort_unstable();
        assert_eq!(sorted, order(None));
        std::fs::remove_file(path).unwrap();
    }
}
