//! Positions with evaluations, from files.
//!
//! JSON lines have one object each: `{"fen": "…", "eval": 31}`, the evaluation in centipawns, or as
//! `"#3"` and `"#-3"` if there is a mate. Whose view it is nobody can tell from the file: it is **White's**
//! unless it is said to be the mover's. (The document that the model is from does not say either; its
//! features are in the mover's order, so what is learned is the mover's view, into which every evaluation
//! is turned.) Our data sets say themselves whose view they have.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use chess::pgn::Score;
use chess::{Color, PackedRow, Position};
use data::{Column, Input, PointOfView, Reader, ReaderOptions, Shard, Split};
use serde::Deserialize;

use super::TowersError;

/// No line is longer.
const LONGEST_LINE: u64 = 1 << 16;

/// What examples are read from.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    /// JSON lines (compressed or not), a file of rows, or the folder of a data set.
    pub path: PathBuf,
    /// Whose view the evaluations of JSON lines are.
    pub pov: PointOfView,
    /// Which rows of a data set.
    pub split: Split,
    /// At most so many; each takes 32 bytes of memory.
    pub limit: usize,
}

/// Positions with evaluations, in memory.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Examples {
    rows: Vec<PackedRow>,
    /// Positions that have no evaluation, and were left out.
    pub without_eval: u64,
}

#[derive(Deserialize)]
struct Line {
    fen: String,
    eval: Option<Eval>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Eval {
    Number(f64),
    Text(String),
}

impl Eval {
    fn score(&self) -> Option<Score> {
        match self {
            // There is room for as many; what is beyond is clipped in training anyway.
            Self::Number(value) => Some(Score::Centipawns(value.clamp(-31_999.0, 31_999.0) as i32)),
            Self::Text(text) => match text.strip_prefix('#') {
                Some(moves) => Some(Score::Mate(moves.parse::<i8>().ok()?.clamp(-127, 127).into())),
                None => {
                    let value: f64 = text.parse().ok().filter(|value: &f64| !value.is_nan())?;
                    Self::Number(value).score()
                }
            },
        }
    }
}

fn opposite(score: Score) -> Score {
    match score {
        Score::Centipawns(value) => Score::Centipawns(-value),
        Score::Mate(moves) => Score::Mate(-moves),
    }
}

impl Examples {
    /// Reads all examples of a source.
    pub fn load(source: &Source) -> Result<Self, TowersError> {
        let mut examples = Self::default();
        if source.path.is_dir() {
            let options = reader_options(source.split);
            examples.read_rows(Reader::open(&source.path, &options)?, source.limit)?;
        } else {
            let mut input = BufReader::with_capacity(1 << 16, Input::open(&source.path)?);
            let beginning = input.fill_buf().unwrap_or_default();
            if beginning.starts_with(b"PAR1") || beginning.starts_with(b"TABI") {
                let shards = vec![Shard::open(&source.path)?];
                let options = reader_options(source.split);
                examples.read_rows(Reader::from_shards(shards, &options)?, source.limit)?;
            } else {
                examples.read_lines(input, source)?;
            }
        }
        if examples.rows.is_empty() {
            return Err(TowersError::Empty { path: source.path.clone() });
        }
        Ok(examples)
    }

    /// Examples that somebody has: rows whose positions are legal, with scores.
    pub fn from_rows(rows: Vec<PackedRow>) -> Self {
        let has_score = |row: &PackedRow| row.setup().is_ok() && matches!(row.score(), Ok(Some(_)));
        let (rows, without): (Vec<_>, Vec<_>) = rows.into_iter().partition(has_score);
        Self { rows, without_eval: without.len() as u64 }
    }

    fn read_lines(&mut self, mut input: impl BufRead, source: &Source) -> Result<(), TowersError> {
        let mut text = Vec::new();
        for line in 1.. {
            let wrong =
                |problem: String| TowersError::Line { path: source.path.clone(), line, problem };
            text.clear();
            let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text);
            if read.map_err(|error| wrong(error.to_string()))? == 0 || self.is_full(source.limit) {
                break;
            }
            if text.len() as u64 == LONGEST_LINE {
                return Err(wrong(format!("it is longer than {LONGEST_LINE} bytes")));
            }
            if text.trim_ascii().is_empty() {
                continue;
            }
            let parsed: Line =
                serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
            let position =
                Position::from_fen(&parsed.fen).map_err(|error| wrong(error.to_string()))?;
            let Some(eval) = parsed.eval else {
                self.without_eval += 1;
                continue;
            };
            let score = eval.score().ok_or_else(|| wrong("'eval' is no number or mate".into()))?;
            let black = position.turn() == Color::Black;
            let score = match source.pov {
                PointOfView::Mover if black => opposite(score),
                _ => score,
            };
            let row = PackedRow::new(&position)
                .ok_or_else(|| wrong("its halfmove clock is beyond all sense".into()))?;
            self.rows.push(row.with_score(Some(score)));
        }
        Ok(())
    }

    fn read_rows(&mut self, mut reader: Reader, limit: usize) -> Result<(), TowersError> {
        while !self.is_full(limit) {
            let Some(row) = reader.next_row() else { break };
            let row = row?;
            // What is packed in a Parquet file is nobody's but the file's: it is looked at.
            let Some(board) = row.board().filter(|board| board.position().is_ok()) else {
                self.without_eval += 1;
                continue;
            };
            match row.score(board.turn()) {
                Some(score) if PackedRow::has_room_for(score) => {
                    self.rows.push(board.position_only().with_score(Some(score)));
                }
                _ => self.without_eval += 1,
            }
        }
        Ok(())
    }

    fn is_full(&self, limit: usize) -> bool {
        self.rows.len() >= limit
    }

    /// The positions, each with its score from White's view.
    pub fn rows(&self) -> &[PackedRow] {
        &self.rows
    }

    /// What these examples are known by: two sets are the same if this is.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        self.rows.iter().for_each(|row| {
            hasher.update(row.as_bytes());
        });
        hasher.finalize().to_hex().to_string()
    }
}

fn reader_options(split: Split) -> ReaderOptions {
    let columns = vec![Column::Board, Column::Eval, Column::Mate];
    ReaderOptions { split, columns, ..ReaderOptions::default() }
}

/// What is to be learned of a row: the evaluation in pawns, from the view of the player to move.
pub(super) fn target(row: &PackedRow, clip: f32) -> f32 {
    let score = match row.score() {
        Ok(Some(Score::Centipawns(value))) => value as f32,
        Ok(Some(Score::Mate(moves))) if moves > 0 => f32::INFINITY,
        Ok(Some(Score::Mate(_))) => f32::NEG_INFINITY,
        Ok(None) | Err(_) => 0.0,
    };
    let clipped = score.clamp(-clip, clip) / nnue::towers::SCALE;
    if row.turn() == Color::Black { -clipped } else { clipped }
}

/// Reads a source, or nothing if the data set has no such rows.
pub(super) fn load_if_any(source: &Source) -> Result<Option<Examples>, TowersError> {
    match Examples::load(source) {
        Ok(examples) => Ok(Some(examples)),
        Err(TowersError::Empty { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Source {
    /// All training rows of a data set, or all lines of a file with White's evaluations.
    pub fn new(path: &Path) -> Self {
        let (pov, split) = (PointOfView::White, Split::Train);
        Self { path: path.to_owned(), pov, split, limit: usize::MAX }
    }

    /// The validation rows of the same data set, if it is one and has some.
    pub fn validation(&self) -> Result<Option<Examples>, TowersError> {
        if !self.path.is_dir() {
            return Ok(None);
        }
        load_if_any(&Self { split: Split::Validation, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str, pov: PointOfView) -> Result<Examples, TowersError> {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("tabiya-towers-{}-{number}.jsonl", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        let examples = Examples::load(&Source { pov, ..Source::new(&path) });
        std::fs::remove_file(&path).unwrap();
        examples
    }

    const WHITE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    const BLACK: &str = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";

    #[test]
    fn every_evaluation_becomes_the_movers_view_in_pawns_clipped() {
        let lines = format!(
            "{{\"fen\":\"{WHITE}\",\"eval\":80}}\n\n{{\"fen\":\"{BLACK}\",\"eval\":80.4}}\n\
             {{\"fen\":\"{BLACK}\",\"eval\":\"#3\",\"depth\":9}}\n{{\"eval\":-9e9,\"fen\":\"{WHITE}\"}}\n\
             {{\"fen\":\"{WHITE}\",\"eval\":null}}\n{{\"fen\":\"{WHITE}\"}}"
        );
        let targets = |pov| {
            let examples = load(&lines, pov).unwrap();
            assert_eq!(examples.without_eval, 2);
            let targets = examples.rows().iter().map(|row| target(row, 1500.0));
            targets.collect::<Vec<_>>()
        };
        assert_eq!(targets(PointOfView::White), [0.8, -0.8, -15.0, -15.0]);
        assert_eq!(targets(PointOfView::Mover), [0.8, 0.8, 15.0, -15.0]);
    }

    #[test]
    fn a_bad_line_is_told_with_its_number_and_what_is_wrong() {
        let error = |text: &str| load(text, PointOfView::White).unwrap_err().to_string();
        let good = format!("{{\"fen\":\"{WHITE}\",\"eval\":1}}\n");
        for bad in [
            "{".to_owned(),
            "[1]".to_owned(),
            "{\"fen\":\"8/8 w\",\"eval\":1}".to_owned(),
            format!("{{\"fen\":\"{WHITE}\",\"eval\":\"x\"}}"),
            format!("{{\"fen\":\"{WHITE}\",\"eval\":\"NaN\"}}"),
            "x".repeat(1 << 17),
        ] {
            let message = error(&(good.clone() + &bad));
            assert!(message.contains("line 2: "), "{message}");
        }
        assert!(error("").contains("has no position"));
        let folder = std::env::temp_dir();
        assert!(Examples::load(&Source::new(&folder.join("no such file"))).is_err());
    }
}
