//! Positions with evaluations, from files.
//!
//! JSON lines have one object each: `{"fen": "…", "eval": 31}`, the evaluation in centipawns, or a mate as
//! `"#3"` or `"#-3"`. The point of view is **White's** unless the caller selects the side to move's.
//! The target is always from the side to move, like the features. Data sets record their point of view.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use chess::pgn::Score;
use chess::{Color, PackedRow, Position};
use data::{Column, DataError, Input, PointOfView, Reader, ReaderOptions, Shard, Split};
use serde::Deserialize;

use learn::TrainError;

/// The maximum length of a line.
const LONGEST_LINE: u64 = 1 << 16;

/// Where examples are read from.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    /// JSON lines (compressed or not), a file of rows, or the directory of a data set.
    pub path: PathBuf,
    /// The point of view of the evaluations in JSON lines.
    pub pov: PointOfView,
    /// The split of a data set.
    pub split: Split,
    /// Examples, at most; each takes 32 bytes of memory.
    pub limit: usize,
}

/// Positions with evaluations, in memory.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Examples {
    rows: Vec<PackedRow>,
    /// Positions without an evaluation, which were skipped.
    pub without_eval: u64,
}

#[derive(Deserialize)]
struct JsonExample {
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
            // The range of a packed score; training clips to less.
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

impl Examples {
    /// Reads all examples of a source; it is an error if there are none.
    pub fn load(source: &Source) -> Result<Self, TrainError> {
        let examples = Self::read(source)?;
        if examples.rows.is_empty() {
            let path = source.path.display();
            return Err(TrainError::Examples(format!("{path} has no position with an evaluation")));
        }
        Ok(examples)
    }

    fn read(source: &Source) -> Result<Self, TrainError> {
        let mut examples = Self::default();
        if source.path.is_dir() {
            let options = reader_options(source.split);
            examples.read_rows(Reader::open(&source.path, &options)?, source.limit)?;
        } else {
            let mut input = BufReader::with_capacity(
                1 << 16,
                Input::open(&source.path).map_err(DataError::from)?,
            );
            let beginning = input.fill_buf().unwrap_or_default();
            if beginning.starts_with(b"PAR1") || beginning.starts_with(b"TABI") {
                let shards = vec![Shard::open(&source.path)?];
                let options = reader_options(source.split);
                examples.read_rows(Reader::from_shards(shards, &options)?, source.limit)?;
            } else {
                examples.read_lines(input, source)?;
            }
        }
        Ok(examples)
    }

    /// Examples from rows; those that are no legal position or have no score are skipped.
    pub fn from_rows(rows: Vec<PackedRow>) -> Self {
        let has_score = |row: &PackedRow| row.setup().is_ok() && matches!(row.score(), Ok(Some(_)));
        let (rows, without): (Vec<_>, Vec<_>) = rows.into_iter().partition(has_score);
        Self { rows, without_eval: without.len() as u64 }
    }

    fn read_lines(&mut self, mut input: impl BufRead, source: &Source) -> Result<(), TrainError> {
        let mut text = Vec::new();
        for line in 1.. {
            let wrong = |problem: String| {
                TrainError::Examples(format!("{} line {line}: {problem}", source.path.display()))
            };
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
            let parsed: JsonExample =
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
                PointOfView::Mover if black => -score,
                _ => score,
            };
            let row = PackedRow::new(&position)
                .ok_or_else(|| wrong("its halfmove clock is out of range".into()))?;
            self.rows.push(row.with_score(Some(score)));
        }
        Ok(())
    }

    fn read_rows(&mut self, mut reader: Reader, limit: usize) -> Result<(), TrainError> {
        while !self.is_full(limit) {
            let Some(row) = reader.next_row() else { break };
            let row = row?;
            // The packed column of a Parquet file is hostile: it is validated.
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

    /// The positions, each with its score from White's point of view.
    pub fn rows(&self) -> &[PackedRow] {
        &self.rows
    }

    /// A hash of all examples.
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

/// The target of a row: the clipped evaluation in pawns, from the side to move.
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

impl Source {
    /// All training rows of a data set, or all lines of a file with evaluations from White's point of view.
    pub fn new(path: &Path) -> Self {
        let (pov, split) = (PointOfView::White, Split::Train);
        Self { path: path.to_owned(), pov, split, limit: usize::MAX }
    }

    /// The validation rows of the same data set, if it is one and has some.
    pub fn validation(&self) -> Result<Option<Examples>, TrainError> {
        if !self.path.is_dir() {
            return Ok(None);
        }
        let examples = Examples::read(&Self { split: Split::Validation, ..self.clone() })?;
        Ok((!examples.rows.is_empty()).then_some(examples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str, pov: PointOfView) -> Result<Examples, TrainError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Examples::load(&Source { pov, ..Source::new(file.path()) })
    }

    const WHITE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    const BLACK: &str = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";

    #[test]
    fn targets_are_from_the_side_to_move_in_pawns_and_clipped() {
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
    fn a_bad_line_is_an_error_with_its_number() {
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
        assert!(Examples::load(&Source::new(Path::new("no such file"))).is_err());
    }
}
