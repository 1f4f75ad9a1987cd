//! What is in a data set, counted: evaluations, results, lengths, ratings.

use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::histogram::Histogram;
use crate::reader::{Block, Shard};
use crate::threads::in_threads;
use crate::{Column, DataError, Manifest};

/// Counts over all rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// Rows.
    pub rows: u64,
    /// Rows without an evaluation and without a mate.
    pub without_eval: u64,
    /// Centipawns, in the view of the data set.
    pub eval: Histogram,
    /// Moves to mate, in the view of the data set.
    pub mate: Histogram,
    /// Rows of games that White won, that were drawn, that Black won, of which it is not known.
    pub results: [u64; 4],
    /// Half moves before.
    pub ply: Histogram,
    /// The ratings of both players.
    pub elo: Histogram,
    /// How many bytes each column takes in the files.
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
    fn add(&mut self, block: &Block) {
        for row in block.iter() {
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

/// Counts what is in a data set.
pub fn summarize(folder: &Path, threads: NonZero<usize>) -> Result<(Manifest, Summary), DataError> {
    let manifest = Manifest::open(folder)?;
    let mut shards = Vec::new();
    let mut blocks = Vec::new();
    for file in &manifest.files {
        let shard = Shard::open(&folder.join(&file.path))?;
        blocks.extend((0..shard.blocks().len()).map(|block| (shards.len(), block)));
        shards.push(shard);
    }
    let wanted = [
        Column::Eval,
        Column::Mate,
        Column::Result,
        Column::Ply,
        Column::WhiteElo,
        Column::BlackElo,
    ];
    let next = AtomicUsize::new(0);
    let total = Mutex::new(Ok(Summary::default()));
    let count = || {
        let mut own = Summary::default();
        while let Some(&(shard, block)) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let shard = &shards[shard];
            let columns: Vec<Column> =
                wanted.into_iter().filter(|column| shard.columns().contains(column)).collect();
            match shard.read(block, &columns) {
                Ok(block) => own.add(&block),
                Err(error) => {
                    *total.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
                    return;
                }
            }
        }
        if let Ok(total) = &mut *total.lock().unwrap_or_else(PoisonError::into_inner) {
            total.append(&own);
        }
    };
    in_threads(threads, count)?;
    let mut summary = total.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    for (column, bytes) in shards.iter().flat_map(Shard::column_sizes) {
        match summary.column_bytes.iter_mut().find(|(name, _)| *name == column) {
            Some((_, total)) => *total += bytes,
            None => summary.column_bytes.push((column, bytes)),
        }
    }
    Ok((manifest, summary))
}
