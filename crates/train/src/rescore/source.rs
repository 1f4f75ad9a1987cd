//! The input of rescoring: a data set, one file of rows, Parquet or packed, or Parquet files of other programs.

use std::ops::Range;
use std::path::{Path, PathBuf};

use data::{Counts, DataError, DataSet, InputFile, Manifest, Shard, Split};
use serde_json::Value;

/// Rows per block. Independent of row groups, so that both formats have the same blocks.
const BLOCK: u64 = 1 << 15;

/// Rows in numbered blocks.
#[derive(Debug)]
pub struct Source {
    /// The file or the directory.
    pub path: PathBuf,
    shards: Vec<(Shard, Split)>,
    blocks: Vec<Block>,
    rows: u64,
    /// The input as manifests record it.
    pub input: InputFile,
    /// How the data set was made, if not from games.
    pub made: Option<Value>,
    /// The counts of the data set.
    pub counts: Counts,
}

/// A block of rows.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    shard: usize,
    /// The index of its first row in the source.
    pub first: u64,
    /// The index of the first row of its file in the source.
    pub first_of_file: u64,
    /// The number of rows.
    pub rows: u64,
}

impl Source {
    /// Opens a data set, Parquet files of other programs, or a file, whose rows are all training rows.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let no_data_set = |reason: &str| DataError::NotADataSet {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        if !path.exists() {
            return Err(no_data_set("there is no such file or directory"));
        }
        let foreign = DataSet::open(path).ok().filter(DataSet::is_all_foreign);
        let mut source = if let Some(set) = foreign {
            let (mut shards, mut hasher) = (Vec::new(), blake3::Hasher::new());
            for split in Split::ALL {
                shards.extend(set.shards(split)?.into_iter().map(|shard| (shard, split)));
                for hash in set.hashes(split) {
                    hasher.update(hash.as_bytes());
                }
            }
            let input = InputFile {
                name: path.display().to_string(),
                bytes: Some(shards.iter().map(|(shard, _)| file_size(shard)).sum()),
                blake3: Some(hasher.finalize().to_hex().to_string()),
            };
            let (blocks, made, counts) = (Vec::new(), None, Counts::default());
            Self { path: path.to_owned(), shards, blocks, rows: 0, input, made, counts }
        } else if path.is_dir() {
            let manifest = Manifest::open(path)?;
            let mut shards = Vec::new();
            for file in &manifest.files {
                let shard = Shard::open(&path.join(&file.path))?;
                if shard.rows() != file.rows {
                    let reason = format!("it has {} rows, not {}", shard.rows(), file.rows);
                    return Err(DataError::Damaged { path: shard.path().to_owned(), reason });
                }
                shards.push((shard, file.split));
            }
            let input = data::describe(&Manifest::path(path));
            let (made, counts) = (manifest.plan.generator, manifest.counts);
            Self { path: path.to_owned(), shards, blocks: Vec::new(), rows: 0, input, made, counts }
        } else {
            let shards = vec![(Shard::open(path)?, Split::Train)];
            let (input, counts) = (data::describe(path), Counts::default());
            let (blocks, made) = (Vec::new(), None);
            Self { path: path.to_owned(), shards, blocks, rows: 0, input, made, counts }
        };
        for (n, (shard, _)) in source.shards.iter().enumerate() {
            let first_of_file = source.rows;
            for begin in (0..shard.rows()).step_by(BLOCK as usize) {
                let (first, rows) = (source.rows, BLOCK.min(shard.rows() - begin));
                source.blocks.push(Block { shard: n, first, first_of_file, rows });
                source.rows += rows;
            }
        }
        if source.rows == 0 {
            return Err(no_data_set("there are no rows in it"));
        }
        Ok(source)
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// A block, with its file and split.
    pub fn block(&self, number: u64) -> Option<(Block, &Shard, Split)> {
        let block = *self.blocks.get(usize::try_from(number).ok()?)?;
        let (shard, split) = &self.shards[block.shard];
        Some((block, shard, *split))
    }
}

fn file_size(shard: &Shard) -> u64 {
    shard.path().metadata().map_or(0, |file| file.len())
}

impl Block {
    /// The range of its rows in the file.
    pub fn range(self) -> Range<u64> {
        let first = self.first - self.first_of_file;
        first..first + self.rows
    }
}
