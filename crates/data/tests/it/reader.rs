//! The reader: every row once, in a reproducible, resumable order; damaged files give errors.

use std::fs;
use std::path::Path;

use chess::rng::Rng;
use tabiya_data::{
    Column, DataError, PrepareOptions, Reader, ReaderOptions, ReaderPosition, Shard,
};
use test_support::TempDir;

use crate::made::{games, make, small};

fn data_set(folder: &TempDir, options: &PrepareOptions) -> std::path::PathBuf {
    let input = folder.write_file("games.pgn", games(120, 20));
    let out = folder.join("out");
    make(&[input], &out, options, 2).0.unwrap();
    out
}

/// Game and ply identify a row.
type Id = (i64, i32);

fn read(folder: &Path, options: &ReaderOptions) -> Vec<Id> {
    let mut reader = Reader::open(folder, options).unwrap();
    let mut ids = Vec::new();
    while let Some(row) = reader.next_row() {
        let row = row.unwrap();
        assert!(row.fen().is_none() && row.eval().is_none(), "columns that were not requested");
        ids.push((row.game().unwrap(), row.ply().unwrap()));
    }
    ids
}

fn options() -> ReaderOptions {
    ReaderOptions {
        columns: vec![Column::Game, Column::Ply],
        buffer_rows: 700,
        ..ReaderOptions::default()
    }
}

#[test]
fn readers_share_the_rows_in_equal_parts() {
    let folder = TempDir::new();
    let out = data_set(&folder, &small());
    let all = read(&out, &options());
    assert!(all.len() > 3_000 && all.is_sorted(), "{}", all.len());
    for readers in [1, 2, 3, 7, 40] {
        for seed in [None, Some(5)] {
            let mut together = Vec::new();
            for reader in 0..readers {
                let part =
                    read(&out, &ReaderOptions { reader: (reader, readers), seed, ..options() });
                assert!(part.len().abs_diff(all.len() / readers as usize) <= 1);
                together.extend(part);
            }
            assert_eq!(together.is_sorted(), seed.is_none());
            together.sort_unstable();
            assert_eq!(together, all);
        }
    }
    let wrong = ReaderOptions { reader: (3, 3), ..options() };
    assert!(matches!(Reader::open(&out, &wrong), Err(DataError::Options(_))));
}

#[test]
fn the_order_depends_on_seed_and_epoch_only() {
    let folder = TempDir::new();
    let out = data_set(&folder, &small());
    let run = |seed, epoch, threads| {
        let start = ReaderPosition { epoch, row: 0 };
        read(&out, &ReaderOptions { seed: Some(seed), start, threads, ..options() })
    };
    let first = run(1, 0, 0);
    assert_eq!(first, run(1, 0, 1));
    assert_eq!(first, run(1, 0, 4));
    assert_ne!(first, run(1, 1, 1));
    assert_ne!(first, run(2, 0, 1));
    // A shuffle buffer holds several row groups, so neighbors come from different games.
    let near = first.windows(2).filter(|pair| pair[0].0 == pair[1].0).count();
    assert!(near < first.len() / 4, "{near} of {}", first.len());
}

#[test]
fn reading_resumes_at_any_row() {
    let folder = TempDir::new();
    let out = data_set(&folder, &small());
    for seed in [None, Some(9)] {
        let options = ReaderOptions { seed, reader: (1, 2), ..options() };
        let all = read(&out, &options);
        for stop in [0, 1, 299, 300, 700, 1_234, all.len() - 1, all.len()] {
            let mut reader = Reader::open(&out, &options).unwrap();
            assert_eq!(reader.rows(), all.len() as u64);
            for _ in 0..stop {
                reader.next_row().unwrap().unwrap();
            }
            let start = reader.position();
            assert_eq!(start.row, stop as u64);
            assert_eq!(read(&out, &ReaderOptions { start, ..options.clone() }), all[stop..]);
            // The rest, read by shuffle buffers, is the same.
            let mut rest = Vec::new();
            while let Some(buffer) = reader.next_buffer() {
                let buffer = buffer.unwrap();
                rest.extend(buffer.rows().map(|row| (row.game().unwrap(), row.ply().unwrap())));
            }
            assert_eq!(rest, all[stop..]);
            assert_eq!(reader.position().row, all.len() as u64);
        }
    }
}

#[test]
fn a_missing_column_is_an_error() {
    let folder = TempDir::new();
    let columns = vec!["fen".to_owned(), "eval".to_owned()];
    let out = data_set(&folder, &PrepareOptions { columns, ..small() });
    let error = Reader::open(&out, &options()).unwrap_err();
    assert!(matches!(error, DataError::NoColumn { column: "game", .. }), "{error}");
}

/// Reads everything of a file: rows, or the first error.
fn read_file(path: &Path) -> Result<u64, DataError> {
    let shard = Shard::open(path)?;
    let mut rows = 0;
    for group in 0..shard.row_groups().len() {
        for row in shard.read(group, shard.columns())?.iter() {
            // Every value is looked at.
            let _ = (row.fen(), row.best_move(), row.eval(), row.mate(), row.result(), row.clock());
            let _ = (row.ply(), row.white_elo(), row.black_elo(), row.game());
            rows += u64::from(row.board().is_none_or(|board| board.unpack().is_ok()));
        }
    }
    Ok(rows)
}

fn torture(original: &[u8], folder: &TempDir, flips: usize) {
    let path = folder.join("tortured");
    for n in 0..256 {
        fs::write(&path, &original[..original.len() * n / 256]).unwrap();
        assert!(matches!(read_file(&path), Err(DataError::Damaged { .. })), "cut at {n}");
    }
    let mut random = Rng::new(77, 0);
    let (mut errors, mut rows) = (0, 0);
    for n in 0..flips {
        let mut bytes = original.to_vec();
        // Half of them in the footer and the header.
        let at = match n % 4 {
            0 => bytes.len() - 1 - random.below(2_000.min(bytes.len())),
            1 => random.below(64),
            _ => random.below(bytes.len()),
        };
        bytes[at] ^= 1 << random.below(8);
        fs::write(&path, &bytes).unwrap();
        match read_file(&path) {
            Ok(_) => rows += 1,
            Err(DataError::Damaged { .. } | DataError::NoColumn { .. }) => errors += 1,
            Err(error) => panic!("{error:?}"),
        }
    }
    assert!(errors > flips / 10 && errors + rows == flips, "{errors} errors of {flips}");
}

#[test]
fn damaged_parquet_files_give_errors_and_never_a_panic() {
    let folder = TempDir::new();
    let out = data_set(&folder, &PrepareOptions { shard_rows: 600, ..small() });
    let bytes = fs::read(out.join("train/train-00000.parquet")).unwrap();
    torture(&bytes, &folder, 3_000);
}

#[test]
fn damaged_packed_files_give_errors_and_never_a_panic() {
    let folder = TempDir::new();
    let options = PrepareOptions {
        format: tabiya_data::FileFormat::Packed,
        columns: Column::PACKED.map(|column| column.name().to_owned()).to_vec(),
        shard_rows: 300,
        ..small()
    };
    let out = data_set(&folder, &options);
    let bytes = fs::read(out.join("train/train-00000.rows")).unwrap();
    torture(&bytes, &folder, 3_000);
}

#[test]
fn files_that_are_not_shards_are_refused() {
    let folder = TempDir::new();
    for bytes in
        [&b""[..], b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1", b"hello, world, hello", b"TABIYA32"]
    {
        let path = folder.write_file("file", bytes);
        assert!(matches!(Shard::open(&path), Err(DataError::Damaged { .. })), "{bytes:?}");
    }
    let error = Reader::open(&folder.join("nowhere"), &options()).unwrap_err();
    assert!(matches!(error, DataError::NotADataSet { .. }), "{error}");
}
