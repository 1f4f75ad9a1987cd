//! Rows of data sets in an order that depends on the seed, from any row on.
//!
//! The rows of all files are divided into blocks. Each epoch shuffles the blocks, reads as many as fill the
//! shuffle buffer (the *window*), and shuffles the rows in it: neighbors in a file end up far apart, and
//! memory holds a window, not the data set. Row *n* of the endless sequence of epochs is always the same,
//! so *n* is the resume cursor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chess::PackedRow;
use chess::rng::Rng;
use data::{DataError, DataSet, FileFormat, Manifest, PackedFile, SUCCESS, Shard, Split};

use learn::TrainError;

/// The file formats.
const FILES: [FileFormat; 2] = [FileFormat::Packed, FileFormat::Parquet];
/// Rows per block, 256 KiB packed. Independent of row groups, so that the order is the same for both
/// formats.
const BLOCK: u64 = 1 << 13;

/// Files of rows, Parquet or packed.
#[derive(Clone, Debug, Default)]
pub struct RowFiles {
    files: Vec<Arc<Shard>>,
    hasher_input: Vec<u8>,
}

impl RowFiles {
    /// The files of one split: of finished data sets; of Parquet files that other programs have written
    /// ([`DataSet`]); of directories with files of ours (`.rows`, `.parquet`) that are no data set, and of single
    /// files, which are all training rows.
    pub fn open(paths: &[PathBuf], split: Split) -> Result<Self, TrainError> {
        let mut all = Self::default();
        for path in paths {
            if path.is_dir() && path.join(SUCCESS).exists() {
                let manifest = Manifest::open(path)?;
                for file in manifest.files.iter().filter(|file| file.split == split) {
                    all.add(&path.join(&file.path), Some(&file.blake3))?;
                }
            } else if let Some(set) = foreign(path) {
                for (shard, hash) in set.shards(split)?.into_iter().zip(set.hashes(split)) {
                    all.add_shard(shard, &hash);
                }
            } else if split == Split::Train {
                if path.is_dir() {
                    all.add_folder(path)?;
                } else {
                    all.add(path, None)?;
                }
            }
        }
        Ok(all)
    }

    /// All rows of both splits.
    pub fn open_all(paths: &[PathBuf]) -> Result<Self, TrainError> {
        let [mut all, validation] =
            [Self::open(paths, Split::Train)?, Self::open(paths, Split::Validation)?];
        all.files.extend(validation.files);
        all.hasher_input.extend(validation.hasher_input);
        Ok(all)
    }

    fn add_folder(&mut self, folder: &Path) -> Result<(), TrainError> {
        let fail = || TrainError::io("read", folder);
        let mut paths = Vec::new();
        for entry in folder.read_dir().map_err(fail())? {
            let path = entry.map_err(fail())?.path();
            let is_hidden =
                path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
            let is_ours = FILES.iter().any(|format| {
                path.extension().is_some_and(|extension| extension == format.extension())
            });
            if is_ours && !is_hidden {
                paths.push(path);
            }
        }
        if paths.is_empty() {
            // The error names an unfinished data set.
            Manifest::open(folder)?;
        }
        paths.sort();
        paths.iter().try_for_each(|path| self.add(path, None))
    }

    /// Adds a file. The hash of packed rows is in their header; that of a Parquet file is taken from the
    /// manifest, or computed.
    fn add(&mut self, path: &Path, hash: Option<&str>) -> Result<(), TrainError> {
        let shard = Shard::open(path)?;
        self.hasher_input.extend(shard.rows().to_le_bytes());
        if shard.is_packed() {
            self.hasher_input.extend(PackedFile::open(path)?.hash());
        } else {
            // A file without a board column fails here, and not in the middle of a run.
            shard.read_rows(0..shard.rows().min(1), &mut Vec::new())?;
            let hash = hash.map(str::to_owned).or_else(|| data::describe(path).blake3);
            self.hasher_input.extend(hash.unwrap_or_default().bytes());
        }
        self.files.push(Arc::new(shard));
        Ok(())
    }

    fn add_shard(&mut self, shard: Shard, hash: &str) {
        self.hasher_input.extend(shard.rows().to_le_bytes());
        self.hasher_input.extend(hash.bytes());
        self.files.push(Arc::new(shard));
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.files.iter().map(|shard| shard.rows()).sum()
    }

    /// A hash of the headers of all files, in order.
    pub fn fingerprint(&self) -> String {
        blake3::hash(&self.hasher_input).to_hex()[..16].to_owned()
    }

    fn blocks(&self) -> Vec<Block> {
        let cut = |(file, shard): (usize, &Arc<Shard>)| {
            let rows = shard.rows();
            (0..rows).step_by(BLOCK as usize).map(move |first| {
                let count = (rows - first).min(BLOCK) as u32;
                Block { file: file as u32, first, count }
            })
        };
        self.files.iter().enumerate().flat_map(cut).collect()
    }

    fn read(&self, block: &Block, into: &mut Vec<PackedRow>) -> Result<(), TrainError> {
        let mut rows = Vec::new();
        let shard = &self.files[block.file as usize];
        shard.read_rows(block.first..block.first + u64::from(block.count), &mut rows)?;
        if rows.len() != block.count as usize {
            let (path, reason) = (shard.path().to_owned(), "it was truncated".to_owned());
            return Err(DataError::Damaged { path, reason }.into());
        }
        into.append(&mut rows);
        Ok(())
    }

    /// A fixed random sample of the rows.
    pub fn sample(&self, count: u64) -> Result<Vec<PackedRow>, TrainError> {
        let mut blocks = self.blocks();
        Rng::new(0, 0).shuffle(&mut blocks);
        let mut rows = Vec::with_capacity(count.min(self.rows()) as usize);
        for block in &blocks {
            if rows.len() as u64 >= count {
                break;
            }
            self.read(block, &mut rows)?;
        }
        rows.truncate(count as usize);
        Ok(rows)
    }
}

/// Parquet files that other programs have written, if that is what there is.
fn foreign(path: &Path) -> Option<DataSet> {
    DataSet::open(path).ok().filter(DataSet::is_all_foreign)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Block {
    file: u32,
    first: u64,
    count: u32,
}

/// The endless sequence of rows, epoch after epoch.
#[derive(Clone, Debug)]
pub struct RowStream {
    files: RowFiles,
    seed: u64,
    window_rows: usize,
    epoch: u64,
    /// The unread blocks of this epoch, the next one last.
    blocks: Vec<Block>,
    windows_read: u64,
    window: Vec<PackedRow>,
    /// Rows of the window that have been returned.
    returned: usize,
}

impl RowStream {
    /// Starts at row `start` of the sequence.
    pub fn new(
        files: RowFiles,
        seed: u64,
        window_rows: usize,
        start: u64,
    ) -> Result<Self, TrainError> {
        let rows = files.rows();
        if rows == 0 {
            let path = files.files.first().map(|shard| shard.path().to_owned());
            let path = path.unwrap_or_default();
            let path = path.display();
            return Err(TrainError::Examples(format!("there are no rows to train on in {path}")));
        }
        let mut stream = Self {
            files,
            seed,
            window_rows,
            epoch: start / rows,
            blocks: Vec::new(),
            windows_read: 0,
            window: Vec::new(),
            returned: 0,
        };
        stream.start_epoch();
        // Windows before the start are not read.
        let mut skip = (start % rows) as usize;
        loop {
            let next = stream.next_window();
            let length: usize = next.iter().map(|block| block.count as usize).sum();
            if length > skip {
                break;
            }
            stream.blocks.truncate(stream.blocks.len() - next.len());
            stream.windows_read += 1;
            skip -= length;
        }
        if skip > 0 {
            stream.load()?;
            stream.returned = skip;
        }
        Ok(stream)
    }

    fn start_epoch(&mut self) {
        self.blocks = self.files.blocks();
        Rng::new(self.seed, self.epoch << 1).shuffle(&mut self.blocks);
        self.windows_read = 0;
    }

    /// The blocks of the next window.
    fn next_window(&self) -> Vec<Block> {
        let mut length = 0;
        let is_wanted = |block: &&Block| {
            let is_wanted = length < self.window_rows;
            length += block.count as usize;
            is_wanted
        };
        self.blocks.iter().rev().take_while(is_wanted).copied().collect()
    }

    fn load(&mut self) -> Result<(), TrainError> {
        if self.blocks.is_empty() {
            self.epoch += 1;
            self.start_epoch();
        }
        let blocks = self.next_window();
        self.blocks.truncate(self.blocks.len() - blocks.len());
        self.window.clear();
        self.returned = 0;
        for block in &blocks {
            self.files.read(block, &mut self.window)?;
        }
        let window_seed = Rng::new(self.seed, self.epoch << 1 | 1).next_u64() ^ self.windows_read;
        Rng::new(window_seed, 2).shuffle(&mut self.window);
        self.windows_read += 1;
        Ok(())
    }

    /// The next `count` rows of the sequence.
    pub fn next_rows(&mut self, count: usize) -> Result<Vec<PackedRow>, TrainError> {
        let mut rows = Vec::with_capacity(count);
        while rows.len() < count {
            if self.returned == self.window.len() {
                self.load()?;
            }
            let take = (count - rows.len()).min(self.window.len() - self.returned);
            rows.extend_from_slice(&self.window[self.returned..self.returned + take]);
            self.returned += take;
        }
        Ok(rows)
    }
}
