//! What is to be made of games: everything that decides what the files hold.

use chess::pgn::GameResult;
use serde::{Deserialize, Serialize};

use crate::{Column, DataError, PointOfView};

/// What files rows are written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// Columns, compressed, for everybody's tools.
    #[default]
    Parquet,
    /// Rows of 32 bytes, for training NNUE.
    Packed,
}

impl FileFormat {
    /// How names of files end.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Packed => "rows",
        }
    }
}

/// The order of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowOrder {
    /// As in the games.
    #[default]
    Games,
    /// All rows at random.
    Shuffled,
    /// At random, and every position once.
    Unique,
}

/// Which games and positions are taken, what is told of them, and how they are laid out. The same
/// options on the same inputs make the same files, byte for byte.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrepareOptions {
    /// Whether evaluations in comments are read.
    pub with_eval: bool,
    /// Whether positions without an evaluation are left out.
    pub only_eval: bool,
    /// Enough positions.
    pub max_positions: Option<u64>,
    /// The share of positions that is taken, at random.
    pub sample_rate: f64,
    /// Both players must be rated as high as this.
    pub min_elo: Option<i16>,
    /// Both players must be rated no higher than this.
    pub max_elo: Option<i16>,
    /// How games must have ended (`1-0`, `0-1`, `1/2-1/2`, `*`); empty for anyhow.
    pub results: Vec<String>,
    /// What time controls games must have; empty for any. See [`crate::TimeClass`] for names.
    pub time_controls: Vec<String>,
    /// So many positions at the beginning of each game are left out.
    pub skip_plies: u32,
    /// Of the others, the first of every so many is taken.
    pub every: u32,
    /// Whether positions in which the player to move is in check are left out.
    pub no_checks: bool,
    /// Whether positions from which a capture was played are left out.
    pub no_captures: bool,
    /// From whose view evaluations are written.
    pub pov: PointOfView,
    /// The share of games that is put aside for validation.
    pub val_fraction: f64,
    /// Random seed.
    pub seed: u64,
    /// How many rows a file has.
    pub shard_rows: u64,
    /// How many rows of a file are kept together.
    pub group_rows: u64,
    /// This part of the games only, of so many: 1 of 1 is everything.
    pub shard: (u32, u32),
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The order of the rows.
    pub order: RowOrder,
    /// What is written.
    pub format: FileFormat,
    /// How hard Parquet files are compressed: zstd's level.
    pub compression: i32,
}

impl Default for PrepareOptions {
    fn default() -> Self {
        Self {
            with_eval: false,
            only_eval: false,
            max_positions: None,
            sample_rate: 1.0,
            min_elo: None,
            max_elo: None,
            results: Vec::new(),
            time_controls: Vec::new(),
            skip_plies: 0,
            every: 1,
            no_checks: false,
            no_captures: false,
            pov: PointOfView::White,
            val_fraction: 0.0,
            seed: 0,
            shard_rows: 1 << 20,
            group_rows: 1 << 15,
            shard: (1, 1),
            columns: Column::ALL.map(|column| column.name().to_owned()).to_vec(),
            order: RowOrder::Games,
            format: FileFormat::Parquet,
            compression: 1,
        }
    }
}

impl PrepareOptions {
    /// The chosen columns, in the order of the schema.
    pub fn columns(&self) -> Result<Vec<Column>, DataError> {
        let mut columns = Vec::new();
        for name in &self.columns {
            let column: Column = name.parse().map_err(|error| bad(format!("{error}")))?;
            if columns.contains(&column) {
                return Err(bad(format!("column '{column}' is named twice")));
            }
            columns.push(column);
        }
        if columns.is_empty() {
            return Err(bad("no column is chosen".into()));
        }
        columns.sort();
        Ok(columns)
    }

    /// The results that are wanted; all if none is named.
    pub(crate) fn wanted_results(&self) -> Result<Vec<GameResult>, DataError> {
        let parse = |text: &String| {
            GameResult::parse(text.as_bytes()).ok_or_else(|| {
                bad(format!("'{text}' is no result; there are 1-0, 0-1, 1/2-1/2, *"))
            })
        };
        self.results.iter().map(parse).collect()
    }

    /// Whether the options make sense.
    pub fn check(&self) -> Result<(), DataError> {
        self.columns()?;
        self.wanted_results()?;
        let within = |name: &str, value: f64, most: f64| {
            let fits = (0.0..=most).contains(&value);
            if fits { Ok(()) } else { Err(bad(format!("{name} must be from 0 to {most}"))) }
        };
        within("the sample rate", self.sample_rate, 1.0)?;
        within("the validation fraction", self.val_fraction, 1.0)?;
        let (part, parts) = self.shard;
        if part == 0 || part > parts {
            return Err(bad(format!(
                "{part}/{parts} is no part: the first of {parts} is 1/{parts}"
            )));
        }
        if self.every == 0 || self.shard_rows == 0 || self.group_rows == 0 {
            return Err(bad("every, shard rows and group rows must be at least 1".into()));
        }
        if self.group_rows > 1 << 24 {
            return Err(bad("group rows must be at most 16,777,216".into()));
        }
        if self.only_eval && !self.with_eval {
            return Err(bad(
                "positions without evaluations can only be left out if evaluations are read".into(),
            ));
        }
        if !(1..=22).contains(&self.compression) {
            return Err(bad("the level of compression must be from 1 to 22".into()));
        }
        Ok(())
    }
}

fn bad(text: String) -> DataError {
    DataError::Options(text)
}
