//! Data sets and interrupted runs written by version 0.1 of the program.
//!
//! `tests/data/version-0.1` holds a small PGN file, the data sets that `tabiya data prepare` made of it
//! (`--with-eval --val-fraction 0.25 --shard-rows 60 --group-rows 40 --seed 1`; `packed` with `--format packed
//! --shuffle`), and the folders of two runs that were killed.

use std::fs;
use std::path::{Path, PathBuf};

use tabiya_data::{
    Column, FileFormat, Manifest, PrepareOptions, Reader, ReaderOptions, RowOrder, summarize,
    verify,
};
use test_support::{TempDir, contents};

use crate::made::{lines, make, threads};

const FOLDER: &str = "tests/data/version-0.1";

fn old(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// The options of the data set `parquet`.
fn options() -> PrepareOptions {
    PrepareOptions {
        with_eval: true,
        val_fraction: 0.25,
        shard_rows: 60,
        group_rows: 40,
        seed: 1,
        ..PrepareOptions::default()
    }
}

/// The options of the data set `packed`.
fn packed_options() -> PrepareOptions {
    PrepareOptions {
        order: RowOrder::Shuffled,
        format: FileFormat::Packed,
        columns: Column::PACKED.map(|column| column.name().to_owned()).to_vec(),
        ..options()
    }
}

fn copy(from: &Path, to: &Path) {
    for (name, bytes) in contents(from) {
        let path = to.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn old_data_sets_are_verified_and_read() {
    for name in ["parquet", "packed"] {
        let set = old(name);
        let manifest = Manifest::open(&set).unwrap();
        assert_eq!((manifest.plan.tabiya.as_str(), manifest.counts.games), ("0.1.0", 16));
        assert_eq!((manifest.rows.train, manifest.rows.validation), (173, 76));
        let verified = verify(&set, threads(2), |_| {}).unwrap();
        assert_eq!((verified.rows, verified.problems), (249, 0), "{:?}", verified.first_problems);
        assert_eq!(summarize(&set, threads(1)).unwrap().1.rows, 249);
        assert_eq!(lines(&set).len(), 249);
        let columns = vec![Column::Board, Column::BestMove, Column::Eval];
        let options = ReaderOptions { columns, seed: Some(1), ..ReaderOptions::default() };
        let mut reader = Reader::open(&set, &options).unwrap();
        let (mut rows, mut evals) = (0, 0);
        while let Some(row) = reader.next_row() {
            let row = row.unwrap();
            assert!(row.board().unwrap().position().is_ok() && row.best_move().is_some());
            (rows, evals) = (rows + 1, evals + u64::from(row.eval().is_some()));
        }
        assert_eq!(rows, 173);
        assert!(evals > 30);
    }
}

#[test]
fn the_same_rows_are_written_today() {
    let folder = TempDir::new();
    let rows = |set: &Path| {
        let mut files = contents(set);
        files.retain(|name, _| name.ends_with(".rows"));
        files
    };
    for (name, options) in [("parquet", options()), ("packed", packed_options())] {
        let out = folder.join(name);
        let (prepared, problems) = make(&[old("games.pgn")], &out, &options, 2);
        assert_eq!(prepared.unwrap().manifest.first_problems, problems);
        assert_eq!(problems, Manifest::open(&old(name)).unwrap().first_problems);
        assert_eq!(lines(&out), lines(&old(name)));
        assert_eq!(rows(&out), rows(&old(name)));
    }
}

#[test]
fn interrupted_runs_are_resumed_or_refused_because_of_the_version() {
    let folder = TempDir::new();
    for (name, finished, mut options) in
        [("interrupted", "parquet", options()), ("interrupted-shuffle", "packed", packed_options())]
    {
        // The columns of that version.
        options.columns.retain(|column| column != "history");
        let out = folder.join(name);
        copy(&old(name), &out);
        let (result, _) = make(&[old("games.pgn")], &out, &options, 2);
        if env!("CARGO_PKG_VERSION") != "0.1.0" {
            let error = result.unwrap_err().to_string();
            assert!(error.contains("tabiya was \"0.1.0\" and is now"), "{error}");
            continue;
        }
        assert!(result.unwrap().was_resumed);
        assert_eq!(contents(&out), contents(old(finished)));
    }
    // Other options are refused, and the finished shards stay.
    let out = folder.join("other");
    copy(&old("interrupted"), &out);
    let other = PrepareOptions { seed: 2, ..options() };
    let error = make(&[old("games.pgn")], &out, &other, 1).0.unwrap_err().to_string();
    assert!(error.contains("another data set: "), "{error}");
    assert!(out.join("train/train-00001.parquet").exists());
}
