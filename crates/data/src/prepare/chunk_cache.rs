//! Chunks of text that other processes have converted, so that several machines prepare one data set.
//!
//! One process reads the inputs and sends chunks of text to others ([`TextChunks`]), which convert them
//! ([`ChunkConverter`]) and return the rows as the content of a file. Then [`prepare_with_chunks`] writes the data
//! set. It reads the inputs itself and takes the rows of each chunk from its file, or converts the chunk if there
//! is none. The name of a file is a hash of the options, the place of the text and the text, so a file is never
//! used for other rows than its own, and the data set is that of [`prepare`](super::prepare()), byte for byte.
//! Machines that have the inputs themselves each convert a part of the chunks to files ([`convert_chunks`]).
//!
//! | bytes | content (little-endian), compressed with zstd |
//! |---|---|
//! | 8 | `TABIYAC2` |
//! | 4 | length of the counts |
//! | … | counts of the chunk and after each game, as JSON |
//! | 72 each | rows |
//! | 32 | the BLAKE3 hash of all that |
//!
//! A chunk with a problem has no file: the process that writes the data set reports it.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::convert_games::{GameConverter, Rows};
use super::options::PrepareOptions;
use super::source::{PipeHashes, Source, TextCursor};
use super::{Counts, PrepareEvent, expand, source};
use crate::manifest::PROGRESS;
use crate::text_reader::Content;
use crate::{DataError, FolderLock, Row, SUCCESS, Workers, files, pipeline};

const MAGIC: [u8; 8] = *b"TABIYAC2";
/// Maximum size of a file, and of its content.
const MAX_BYTES: u64 = 1 << 32;
/// Compression level: rows are sent once and removed soon.
const LEVEL: i32 = 1;
/// The size of chunks that programs use: a fraction of a second of work.
pub const CHUNK_BYTES: usize = 4 << 20;

/// Iterates over the chunks of the inputs of a data set: input index, offset and text. Text that is damaged or
/// too long is left out.
pub struct TextChunks(Source);

impl TextChunks {
    /// Opens the inputs. Chunks have about this size.
    pub fn open(inputs: &[PathBuf], chunk_bytes: usize) -> Result<Self, DataError> {
        let files = expand(inputs)?;
        source::check(&files)?;
        let start = TextCursor::default();
        Ok(Self(Source::new(files, start, chunk_bytes.max(1), PipeHashes::default())))
    }
}

impl Iterator for TextChunks {
    type Item = (usize, u64, Vec<u8>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.by_ref().find_map(|found| match found.chunk.content {
            Content::Games(text) => Some((found.input, found.chunk.offset, text)),
            _ => None,
        })
    }
}

/// Converts chunks of text to the content of files.
#[derive(Debug)]
pub struct ChunkConverter {
    converter: GameConverter,
    /// Hash of the options.
    key: [u8; 32],
}

impl ChunkConverter {
    /// Converts by these options.
    pub fn new(options: &PrepareOptions) -> Result<Self, DataError> {
        let json = serde_json::to_string(options)
            .map_err(|error| DataError::Options(format!("cannot be written: {error}")))?;
        let context = concat!("tabiya ", env!("CARGO_PKG_VERSION"), " converted chunk");
        let key = blake3::derive_key(context, json.as_bytes());
        Ok(Self { converter: GameConverter::new(options)?, key })
    }

    /// Name of the file of a chunk.
    pub fn name(&self, input: usize, offset: u64, text: &[u8]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&(input as u64).to_le_bytes()).update(&offset.to_le_bytes()).update(text);
        format!("{}.chunk", hasher.finalize().to_hex())
    }

    /// Converts a chunk; `None` if it has a problem.
    pub fn convert(
        &self,
        input: usize,
        offset: u64,
        text: &[u8],
    ) -> Result<Option<Vec<u8>>, DataError> {
        let rows = self.converter.rows(text, input, offset);
        if rows.errors.is_empty() { encode(&rows).map(Some) } else { Ok(None) }
    }
}

/// Number of chunks of a part, and what they have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConvertedChunks {
    /// Chunks of this part.
    pub chunks: u64,
    /// Chunks whose file was there before.
    pub converted_before: u64,
    /// Chunks without a file, because they have a problem.
    pub with_problems: u64,
}

/// Converts part `part.0` of `part.1` of the chunks, counted from 1, and writes each to a file in the directory, for
/// [`prepare_with_chunks`](super::prepare_with_chunks) with the same inputs, options and size of chunks. An interrupted
/// run resumes. The observer receives progress.
pub fn convert_chunks<'w>(
    inputs: &[PathBuf],
    folder: &Path,
    options: &PrepareOptions,
    (part, parts): (u32, u32),
    chunk_bytes: usize,
    workers: impl Into<Workers<'w>>,
    mut observer: impl FnMut(PrepareEvent<'_>) + Send,
) -> Result<ConvertedChunks, DataError> {
    if part == 0 || part > parts {
        let text = format!("{part}/{parts} is no shard: the first of {parts} is 1/{parts}");
        return Err(DataError::Options(text));
    }
    let converter = ChunkConverter::new(options)?;
    let chunks = TextChunks::open(inputs, chunk_bytes)?;
    files::ensure_apart(folder, expand(inputs)?.iter().map(PathBuf::as_path))?;
    files::create_folder(folder)?;
    if [SUCCESS, PROGRESS].iter().any(|name| folder.join(name).exists()) {
        let reason = "it holds a data set; chunks need a directory of their own".to_owned();
        return Err(DataError::Occupied { path: folder.to_owned(), reason });
    }
    let _lock = FolderLock::acquire(folder)?;
    files::remove_temporary_files(folder);
    let own = chunks.skip(part as usize - 1).step_by(parts as usize);
    let convert = |(input, offset, text): (usize, u64, Vec<u8>)| {
        let path = folder.join(converter.name(input, offset, &text));
        let is_there = regular::read(&path, MAX_BYTES).is_ok_and(|file| decode(&file).is_some());
        let content = if is_there { None } else { converter.convert(input, offset, &text)? };
        if let Some(content) = &content {
            files::write(&path, content)?;
        }
        Ok((text.len() as u64, is_there, !is_there && content.is_none()))
    };
    let (mut total, mut read) = (ConvertedChunks::default(), 0);
    pipeline::for_each(workers.into(), own, convert, |(bytes, is_there, has_problem)| {
        total.chunks += 1;
        total.converted_before += u64::from(is_there);
        total.with_problems += u64::from(has_problem);
        read += bytes;
        observer(PrepareEvent::Progress { read, games: 0, positions: 0 });
    })?;
    Ok(total)
}

/// Directories of converted chunks.
#[derive(Debug)]
pub(crate) struct ChunkCache {
    folders: Vec<PathBuf>,
    converter: ChunkConverter,
}

impl ChunkCache {
    /// A directory that cannot be listed is an error: nothing would be found in it.
    pub(crate) fn new(folders: &[PathBuf], options: &PrepareOptions) -> Result<Self, DataError> {
        for folder in folders {
            std::fs::read_dir(folder).map_err(DataError::io("list", folder))?;
        }
        Ok(Self { folders: folders.to_owned(), converter: ChunkConverter::new(options)? })
    }

    /// The rows of a chunk, if its file exists and is not damaged.
    pub(crate) fn read(&self, input: usize, offset: u64, text: &[u8]) -> Option<Rows> {
        let name = self.converter.name(input, offset, text);
        self.folders
            .iter()
            .find_map(|folder| decode(&regular::read(&folder.join(&name), MAX_BYTES).ok()?))
    }
}

fn encode(rows: &Rows) -> Result<Vec<u8>, DataError> {
    let fail = |reason: String| DataError::Encode { path: "chunk".into(), reason };
    let counts = serde_json::to_vec(&(&rows.counts, &rows.games));
    let counts = counts.map_err(|error| fail(error.to_string()))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(counts.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&counts);
    rows.rows.iter().for_each(|row| bytes.extend_from_slice(&row.to_bytes()));
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    zstd::bulk::compress(&bytes, LEVEL).map_err(|error| fail(error.to_string()))
}

fn decode(compressed: &[u8]) -> Option<Rows> {
    let mut bytes = Vec::new();
    let decoder = zstd::Decoder::with_buffer(compressed).ok()?;
    decoder.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let (bytes, hash) = bytes.split_last_chunk::<32>()?;
    if blake3::hash(bytes).as_bytes() != hash {
        return None;
    }
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (counts, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let (records, left) = rest.as_chunks::<{ Row::SIZE }>();
    if *magic != MAGIC || !left.is_empty() {
        return None;
    }
    let (counts, games): (Counts, Vec<(usize, Counts)>) = serde_json::from_slice(counts).ok()?;
    let rows = records.iter().map(Row::from_bytes).collect();
    Some(Rows { rows, counts, games, ..Rows::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 { [%eval 0.3] } e5 2. Nf3 1-0\n\n\
                         [Event \"b\"]\n\n1. d4 d5 *\n";

    fn options() -> PrepareOptions {
        let max_positions = Some(4);
        PrepareOptions { with_eval: true, max_positions, ..PrepareOptions::default() }
    }

    #[test]
    fn the_rows_of_a_chunk_survive_their_file_and_a_damaged_file_is_missing() {
        let converter = ChunkConverter::new(&options()).unwrap();
        let file = converter.convert(3, 70, GAMES.as_bytes()).unwrap().unwrap();
        let (expected, found) =
            (converter.converter.rows(GAMES.as_bytes(), 3, 70), decode(&file).unwrap());
        assert_eq!((expected.rows.len(), expected.games.len()), (5, 2));
        assert_eq!((found.rows, found.counts), (expected.rows, expected.counts));
        assert_eq!(found.games, expected.games);
        for byte in 0..file.len() {
            let mut bad = file.clone();
            bad[byte] ^= 4;
            if let Some(rows) = decode(&bad) {
                // A bit of the frame header may not matter.
                assert_eq!(rows.counts, expected.counts, "{byte}");
            }
            assert!(decode(&file[..byte]).is_none(), "{byte}");
        }
    }

    #[test]
    fn a_chunk_with_a_problem_has_no_file() {
        let converter = ChunkConverter::new(&options()).unwrap();
        let broken = b"[Event \"a\"]\n\n1. e4 e4 *\n";
        assert_eq!(converter.convert(0, 0, broken).unwrap(), None);
    }

    #[test]
    fn names_differ_by_options_place_and_text() {
        let other = PrepareOptions { seed: 1, ..options() };
        let [a, b] = [options(), other].map(|options| ChunkConverter::new(&options).unwrap());
        let names = [
            a.name(0, 0, b"x"),
            b.name(0, 0, b"x"),
            a.name(1, 0, b"x"),
            a.name(0, 1, b"x"),
            a.name(0, 0, b"y"),
        ];
        let distinct: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
    }
}
