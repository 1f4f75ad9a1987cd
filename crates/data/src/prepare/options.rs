//! Options of `prepare`: everything that determines the content of the files.

use std::str::FromStr;

use chess::pgn::GameResult;
use serde::{Deserialize, Serialize};

use crate::{Column, DataError, PointOfView};

/// File format of the shards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// Parquet: compressed columns, readable by common tools.
    #[default]
    Parquet,
    /// Packed rows of 32 bytes, for NNUE training.
    Packed,
}

impl FileFormat {
    /// File extension.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Packed => "rows",
        }
    }
}

/// Order of the rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowOrder {
    /// Order of the games.
    #[default]
    Games,
    /// Random order.
    Shuffled,
    /// Random order, without duplicate positions.
    Unique,
}

impl RowOrder {
    /// Without duplicates, which implies a random order; or shuffled; or the order of the games.
    pub const fn new(unique: bool, shuffled: bool) -> Self {
        match (unique, shuffled) {
            (true, _) => Self::Unique,
            (false, true) => Self::Shuffled,
            (false, false) => Self::Games,
        }
    }
}

/// Filters, columns and layout of a data set. The same options and inputs give the same files, byte for
/// byte.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrepareOptions {
    /// Read evaluations from comments.
    pub with_eval: bool,
    /// Leave out positions without an evaluation.
    pub only_eval: bool,
    /// Maximum number of positions.
    pub max_positions: Option<u64>,
    /// Fraction of positions to sample.
    pub sample_rate: f64,
    /// Minimum rating of both players.
    pub min_elo: Option<i16>,
    /// Maximum rating of both players.
    pub max_elo: Option<i16>,
    /// Results to keep (`1-0`, `0-1`, `1/2-1/2`, `*`); empty for all.
    pub results: Vec<String>,
    /// Time controls to keep; empty for all. See [`crate::TimeClass`] for names.
    pub time_controls: Vec<String>,
    /// Number of plies to leave out at the start of each game.
    pub skip_plies: u32,
    /// Keep every `every`-th of the remaining plies.
    pub every: u32,
    /// Leave out positions in check.
    pub no_checks: bool,
    /// Leave out positions from which a capture was played.
    pub no_captures: bool,
    /// Point of view of evaluations.
    pub pov: PointOfView,
    /// Fraction of games for validation.
    pub val_fraction: f64,
    /// Random seed.
    pub seed: u64,
    /// Rows per shard.
    pub shard_rows: u64,
    /// Rows per row group.
    pub group_rows: u64,
    /// Convert only part `.0` of `.1` of the games, counted from 1.
    pub shard: (u32, u32),
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Order of the rows.
    pub order: RowOrder,
    /// File format.
    pub format: FileFormat,
    /// zstd compression level of Parquet files.
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
    /// The selected columns, in the order of the schema.
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

    /// The results to keep; empty for all.
    pub(crate) fn wanted_results(&self) -> Result<Vec<GameResult>, DataError> {
        let parse = |text: &String| {
            GameResult::parse(text.as_bytes()).ok_or_else(|| {
                bad(format!("'{text}' is no result; there are 1-0, 0-1, 1/2-1/2, *"))
            })
        };
        self.results.iter().map(parse).collect()
    }

    /// Checks ranges and consistency.
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

/// Part I of N, counted from 1, from the text `I/N`.
pub fn parse_part<N: FromStr + Ord + From<u8>>(text: &str) -> Option<(N, N)> {
    let (part, parts) = text.split_once('/')?;
    let (part, parts) = (part.parse().ok()?, parts.parse().ok()?);
    (part > N::from(0) && part <= parts).then_some((part, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_part_of_all() {
        assert_eq!(parse_part("2/8"), Some((2_u64, 8)));
        for bad in ["", "/", "0/4", "5/4", "1/0", "-1/2", "1", "1/2/3"] {
            assert_eq!(parse_part::<u64>(bad), None, "{bad}");
            assert_eq!(parse_part::<u32>(bad), None, "{bad}");
        }
    }
}
