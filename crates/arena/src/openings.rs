//! Where games start: the openings of a file, or random balanced ones.
//!
//! The opening of a pair depends on its index and the seed, and on nothing else: neither on the engines of
//! the match nor on the order in which games end.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chess::pgn::read_trees;
use chess::rng::{INCREMENT, mix};
use chess::{CastlingStyle, Game, Move, Position, chess960};
use data::{Chunk, Input, ReadError};
use engine::openings::{self, Recipe, parse_book};
use engine::search::{Control, Engine, with_deep_stack};

/// The first moves of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The start.
    pub start: Position,
    /// The moves from there.
    pub moves: Vec<Move>,
}

/// A source of openings.
#[derive(Clone, Debug)]
pub enum Book {
    /// The openings of a file, in the order of play.
    Listed(Vec<Opening>),
    /// Random balanced openings.
    Random {
        /// The random seed.
        seed: u64,
        /// Moves by both sides.
        plies: usize,
        /// The start of each is chosen among these; empty: the initial position.
        starts: Vec<Position>,
    },
}

/// Why there are no openings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The PGN file cannot be read.
    #[error(transparent)]
    Pgn(#[from] ReadError),
    /// The EPD file cannot be read.
    #[error(transparent)]
    Epd(#[from] openings::BookError),
    /// The file has no opening that can be played.
    #[error("no openings in {}", .0.display())]
    Empty(PathBuf),
}

/// With more random moves than this, openings are not checked for balance: hardly any would pass.
const MAX_BALANCED_PLIES: usize = 40;
/// The largest score of a balanced opening, in centipawns.
const BALANCE: i32 = 40;

impl Book {
    /// Random balanced openings of chess or Chess960.
    pub fn random(seed: u64, plies: usize, chess960: bool) -> Self {
        let starts = match chess960 {
            true => (0..960).filter_map(chess960::start).collect(),
            false => Vec::new(),
        };
        Self::Random { seed, plies, starts }
    }

    /// The opening of a pair, where `engine` judges the balance of random ones; `None` if its search cannot
    /// be run. A file starts over after its last opening.
    pub fn opening(&self, pair: usize, engine: &mut Engine) -> Option<Opening> {
        match self {
            Self::Listed(openings) => Some(openings[pair % openings.len()].clone()),
            Self::Random { seed, plies, starts } => {
                let recipe = match *plies {
                    plies if plies > MAX_BALANCED_PLIES => {
                        Recipe { plies, nodes: 1, balance: i32::MAX }
                    }
                    plies => Recipe { plies, balance: BALANCE, ..Recipe::default() },
                };
                let control = Control::new(false);
                let game = with_deep_stack(|| {
                    openings::random(engine, starts, recipe, *seed, pair as u64, &control)
                })??;
                Some(Opening { start: *game.initial_position(), moves: game.moves().collect() })
            }
        }
    }

    /// A hash of a file's openings in their order; 0 for random ones, which follow from their settings.
    pub fn fingerprint(&self) -> u64 {
        let Self::Listed(openings) = self else { return 0 };
        openings.iter().fold(1, |hash, opening| {
            let hash = mix(hash ^ opening.start.key());
            opening.moves.iter().fold(hash, |hash, m| mix(hash ^ u64::from(m.to_bits())))
        })
    }

    /// Reads a file, also compressed: EPD records or FENs if its name ends in `.epd` or `.fen` (before the
    /// extension of the compression), otherwise PGN games, of which
    /// the first `plies` moves count. `shuffle` is a random seed for the order. What is skipped is reported.
    pub fn read(
        path: &Path,
        plies: Option<usize>,
        shuffle: Option<u64>,
        mut report: impl FnMut(String),
    ) -> Result<Self, BookError> {
        let is_epd = is_epd(path);
        let mut openings = match is_epd {
            true => read_epd(path, &mut report)?,
            false => read_pgn(path, plies, &mut report)?,
        };
        let all = openings.len();
        openings.retain(Opening::is_playable);
        if openings.len() < all {
            let over = all - openings.len();
            let hint = if is_epd { "" } else { "; --plies takes only the first moves of each" };
            let path = path.display();
            report(format!("{path}: {over} of {all} openings skipped: the game is over{hint}"));
        }
        if openings.is_empty() {
            return Err(BookError::Empty(path.to_owned()));
        }
        if let Some(seed) = shuffle {
            shuffle_openings(&mut openings, seed);
        }
        Ok(Self::Listed(openings))
    }
}

/// The largest text of an EPD file.
pub(crate) const MAX_EPD_BYTES: u64 = 1 << 30;

/// Whether a file has EPD records by its name: `.epd` or `.fen`, perhaps with the extension of a compression.
fn is_epd(path: &Path) -> bool {
    let has = |path: &Path, known: &[&str]| {
        path.extension().is_some_and(|end| known.iter().any(|name| end.eq_ignore_ascii_case(name)))
    };
    let records = ["epd", "fen"];
    has(path, &records)
        || has(path, &["zst", "gz", "bz2"]) && has(Path::new(&path.with_extension("")), &records)
}

impl Opening {
    /// Whether the game is not over after it.
    fn is_playable(&self) -> bool {
        let mut game = Game::new(self.start);
        let is_legal = self.moves.iter().all(|&m| game.play(m).is_ok());
        is_legal && game.outcome().is_none() && game.claimable_draw().is_none()
    }

    /// The arguments of the UCI command `position`. With `startpos`, the initial position is not written
    /// as a FEN.
    pub fn position_args(&self, style: CastlingStyle, startpos: bool) -> String {
        let mut position = self.start;
        let mut args = match startpos && position == Position::INITIAL {
            true => "startpos".to_owned(),
            false => format!("fen {position}"),
        };
        for (n, &m) in self.moves.iter().enumerate() {
            args += if n == 0 { " moves " } else { " " };
            args += &position.uci(m, style);
            position = position.after(m);
        }
        args
    }

    /// Parses arguments of `position`; `None` if they are invalid.
    pub fn from_position_args(args: &str) -> Option<Self> {
        let game = uci::parse_position(args).ok()?;
        Some(Self { start: *game.initial_position(), moves: game.moves().collect() })
    }
}

/// A Fisher–Yates shuffle. State files depend on the order of a seed, so it must never change.
fn shuffle_openings(openings: &mut [Opening], mut seed: u64) {
    for last in (1..openings.len()).rev() {
        let below = ((mix(seed) >> 32) * (last as u64 + 1)) >> 32;
        openings.swap(last, below as usize);
        seed = seed.wrapping_add(INCREMENT);
    }
}

fn read_epd(path: &Path, report: &mut impl FnMut(String)) -> Result<Vec<Opening>, BookError> {
    let mut openings = Vec::new();
    for position in parse_book(path, &data::read_text(path, MAX_EPD_BYTES)?)? {
        match position {
            Ok(start) => openings.push(Opening { start, moves: Vec::new() }),
            Err(error) => report(error.to_string()),
        }
    }
    Ok(openings)
}

fn read_pgn(
    path: &Path,
    plies: Option<usize>,
    report: &mut impl FnMut(String),
) -> Result<Vec<Opening>, BookError> {
    let plies = plies.unwrap_or(usize::MAX);
    let work = |chunk: Chunk<'_>| match chunk {
        Chunk::TooLong { .. } => Vec::new(),
        Chunk::Games(text) => read_trees(text)
            .into_iter()
            .map(|tree| {
                let tree = tree.ok()?;
                // UCI has no null moves.
                let moves = tree.main_line().map_while(|(_, node)| node.played());
                Some(Opening { start: *tree.root().position(), moves: moves.take(plies).collect() })
            })
            .collect::<Vec<Option<Opening>>>(),
    };
    let mut openings = Vec::new();
    let mut broken = 0;
    let options = data::ReadOptions { parallel_frames: false, ..data::ReadOptions::default() };
    data::read_games(Input::open(path)?, &options, work, |found, _| {
        for opening in found {
            match opening {
                Some(opening) => openings.push(opening),
                None => broken += 1,
            }
        }
        ControlFlow::Continue(())
    })?;
    if broken > 0 {
        let path = path.display();
        report(format!("{path}: {broken} broken games skipped; see tabiya pgn check"));
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn listed(book: &Book) -> &[Opening] {
        match book {
            Book::Listed(openings) => openings,
            Book::Random { .. } => &[],
        }
    }

    #[test]
    fn random_openings_are_different_balanced_and_reproducible() {
        let mut engine = Engine::new(1).unwrap();
        for chess960 in [false, true] {
            let (book, other) = (Book::random(5, 8, chess960), Book::random(6, 8, chess960));
            let mut seen = HashSet::new();
            for pair in 0..5 {
                let opening = book.opening(pair, &mut engine).unwrap();
                assert_eq!(Some(&opening), book.opening(pair, &mut engine).as_ref());
                assert_ne!(Some(&opening), other.opening(pair, &mut engine).as_ref());
                assert_eq!(opening.moves.len(), 8);
                assert!(opening.is_playable());
                let args = opening.position_args(CastlingStyle::Chess960, true);
                assert_eq!(Opening::from_position_args(&args).as_ref(), Some(&opening), "{args}");
                let last = opening.moves.iter().fold(opening.start, |start, &m| start.after(m));
                let score = with_deep_stack(|| engine.quiesce(&last)).unwrap();
                assert!(score.abs() < 300, "{last}");
                seen.insert(last.key());
            }
            assert_eq!(seen.len(), 5);
        }
    }

    #[test]
    fn openings_are_read_from_pgn_and_epd() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let pgn = file(
            "book.pgn",
            "1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 d5 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n1. e5 *\n",
        );
        let mut reports = Vec::new();
        let book = Book::read(&pgn, None, None, |text| reports.push(text)).unwrap();
        let lengths = |book: &Book| -> Vec<usize> {
            listed(book).iter().map(|opening| opening.moves.len()).collect()
        };
        assert_eq!(lengths(&book), [4, 2]);
        assert_eq!(reports.len(), 2, "{reports:?}");
        let mut engine = Engine::new(1).unwrap();
        assert_eq!(book.opening(2, &mut engine), book.opening(0, &mut engine));
        let book = Book::read(&pgn, Some(3), None, |_| {}).unwrap();
        assert_eq!(lengths(&book), [3, 2, 3]);
        let epd = file("book.epd", "# comment\n4k3/8/8/8/8/8/8/4K2R w K - id \"x\";\nnonsense\n");
        let mut reports = Vec::new();
        let book = Book::read(&epd, None, Some(3), |text| reports.push(text)).unwrap();
        assert_eq!(listed(&book)[0].start.fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        assert_eq!(reports.len(), 1, "{reports:?}");
        for name in ["a.epd", "a.FEN", "a.epd.zst", "b/a.fen.gz", "a.epd.bz2"] {
            assert!(is_epd(Path::new(name)), "{name}");
        }
        for name in ["a.pgn", "a.pgn.zst", "epd", "a.zst", "a.epd.zip"] {
            assert!(!is_epd(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn a_file_is_shuffled_by_the_seed() {
        let text: String = (1..=8).map(|n| format!("4k3/8/8/8/8/8/8/4K2R w K - 0 {n}\n")).collect();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("order.fen");
        std::fs::write(&path, text).unwrap();
        let order = |seed| {
            let book = Book::read(&path, None, seed, |_| {}).unwrap();
            listed(&book)
                .iter()
                .map(|opening| opening.start.fullmove_number())
                .collect::<Vec<u16>>()
        };
        assert_eq!(order(None), [1, 2, 3, 4, 5, 6, 7, 8]);
        // Fixed by state files.
        assert_eq!(order(Some(1)), [1, 4, 8, 2, 3, 7, 6, 5]);
        assert_eq!(order(Some(1)), order(Some(1)));
        assert_ne!(order(Some(1)), order(Some(2)));
        let fingerprint = |seed| Book::read(&path, None, seed, |_| {}).unwrap().fingerprint();
        assert_eq!(fingerprint(Some(1)), fingerprint(Some(1)));
        let mut sorted = order(Some(1));
        sorted.sort_unstable();
        assert_eq!(sorted, order(None));
    }
}
