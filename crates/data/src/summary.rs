//! Distributions of a data set: evaluations, results, plies, ratings.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::histogram::Histogram;
use crate::reader::{RowBatch, Shard};
use crate::{Column, DataError, Manifest, Workers, pipeline};

/// Distributions over all rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// Number of rows.
    pub rows: u64,
    /// Rows without an evaluation or mate.
    pub without_eval: u64,
    /// Centipawns, from the point of view of the data set.
    pub eval: Histogram,
    /// Moves to mate, from the point of view of the data set.
    pub mate: Histogram,
    /// Rows by result of the game: White wins, draw, Black wins, unknown.
    pub results: [u64; 4],
    /// Plies before the position.
    pub ply: Histogram,
    /// Ratings of both players.
    pub elo: Histogram,
    /// Compressed size of each column.
    pub column_bytes: Vec<(Column, u64)>,
}

impl Default for Summary {
    fn default() -> Self {
        Self {
            rows: 0,
            without_eval: 0,
            eval: Histogram::new(-1_000, 100, 20),
            mate: Histogram::new(-20, 2, 20),
            results: [0; 4],
            ply: Histogram::new(0, 10, 30),
            elo: Histogram::new(0, 100, 40),
            column_bytes: Vec::new(),
        }
    }
}

impl Summary {
    fn add(&mut self, batch: &RowBatch) {
        for row in batch.iter() {
            self.rows += 1;
            match (row.eval(), row.mate()) {
                (_, Some(mate)) => self.mate.add(mate.into()),
                (Some(eval), None) => self.eval.add(eval.into()),
                (None, None) => self.without_eval += 1,
            }
            self.results[match row.result() {
                Some(1) => 0,
                Some(0) => 1,
                Some(-1) => 2,
                _ => 3,
            }] += 1;
            if let Some(ply) = row.ply() {
                self.ply.add(ply.into());
            }
            for elo in [row.white_elo(), row.black_elo()].into_iter().flatten() {
                self.elo.add(elo.into());
            }
        }
    }

    /// Rows by result, with the names of results in PGN.
    pub fn named_results(&self) -> Vec<(String, u64)> {
        let names = ["1-0", "1/2-1/2", "0-1", "unknown"].map(str::to_owned);
        names.into_iter().zip(self.results).collect()
    }

    /// Manifest and distributions as JSON.
    pub fn to_json(&self, manifest: &Manifest) -> Value {
        let histogram = |histogram: &Histogram| {
            json!({
                "count": histogram.count(),
                "mean": histogram.mean(),
                "range": histogram.range().map(|(least, most)| [least, most]),
                "steps": histogram.steps(),
            })
        };
        let columns = manifest.columns.iter().map(|note| {
            let bytes = self.bytes_of(&note.name);
            json!({ "name": note.name, "type": note.r#type, "meaning": note.meaning, "bytes": bytes })
        });
        let results = self.named_results().into_iter().map(|(name, count)| (name, count.into()));
        json!({
            "rows": self.rows,
            "train": manifest.rows.train,
            "validation": manifest.rows.validation,
            "counts": manifest.counts,
            "problems": manifest.problems,
            "files": manifest.files.len(),
            "bytes": manifest.bytes(),
            "columns": columns.collect::<Vec<Value>>(),
            "pov": manifest.plan.options.pov.name(),
            "without_eval": self.without_eval,
            "eval": histogram(&self.eval),
            "mate": histogram(&self.mate),
            "ply": histogram(&self.ply),
            "elo": histogram(&self.elo),
            "results": results.collect::<Map<String, Value>>(),
        })
    }

    /// Compressed size of a column, if the format has column chunks.
    pub fn bytes_of(&self, name: &str) -> Option<u64> {
        let column = self.column_bytes.iter().find(|(column, _)| column.name() == name);
        column.map(|(_, bytes)| *bytes)
    }

    fn append(&mut self, other: &Self) {
        self.rows += other.rows;
        self.without_eval += other.without_eval;
        self.eval.append(&other.eval);
        self.mate.append(&other.mate);
        for (whole, part) in self.results.iter_mut().zip(other.results) {
            *whole += part;
        }
        self.ply.append(&other.ply);
        self.elo.append(&other.elo);
    }
}

/// Computes the distributions of a data set.
pub fn summarize<'w>(
    folder: &Path,
    workers: impl Into<Workers<'w>>,
) -> Result<(Manifest, Summary), DataError> {
    let manifest = Manifest::open(folder)?;
    let shards = manifest.files.iter().map(|file| Shard::open(&folder.join(&file.path)));
    let shards: Vec<Shard> = shards.collect::<Result<_, _>>()?;
    let used = [
        Column::Eval,
        Column::Mate,
        Column::Result,
        Column::Ply,
        Column::WhiteElo,
        Column::BlackElo,
    ];
    let groups = shards
        .iter()
        .flat_map(|shard| (0..shard.row_groups().len()).map(move |group| (shard, group)));
    let count = |(shard, group): (&Shard, usize)| {
        let columns = used.into_iter().filter(|column| shard.columns().contains(column));
        let batch = shard.read(group, &columns.collect::<Vec<_>>())?;
        let mut summary = Summary::default();
        summary.add(&batch);
        Ok(summary)
    };
    let mut summary = Summary::default();
    pipeline::for_each(workers.into(), groups, count, |part| summary.append(&part))?;
    for (column, bytes) in shards.iter().flat_map(Shard::column_sizes) {
        match summary.column_bytes.iter_mut().find(|(name, _)| *name == column) {
            Some((_, total)) => *total += bytes,
            None => summary.column_bytes.push((column, bytes)),
        }
    }
    Ok((manifest, summary))
}
