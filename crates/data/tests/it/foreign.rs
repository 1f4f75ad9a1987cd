//! Parquet files that other programs have written.
//!
//! `tests/data/foreign` was written by pyarrow: `nanochess` as nanochess writes its shards (snappy, evaluations
//! as 64-bit integers, the last shard for validation), `bad.parquet` with gzip, large strings, a dictionary,
//! evaluations as floats with a gap, a column `result` that is not ours, and four rows that are wrong.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use tabiya_data::{Column, DataError, DataSet, Reader, ReaderOptions, Split};
use test_support::{TempDir, copy_dir};

const FOLDER: &str = "tests/data/foreign";

fn file(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Move and evaluation of every row of a split.
fn rows(path: &Path, split: Split) -> Vec<(Option<String>, Option<i32>)> {
    let columns = vec![Column::Fen, Column::BestMove, Column::Eval];
    let options = ReaderOptions { split, columns, ..ReaderOptions::default() };
    let mut reader = Reader::open(path, &options).unwrap();
    let mut rows = Vec::new();
    while let Some(row) = reader.next_row() {
        let row = row.unwrap();
        rows.push((row.best_move().map(str::to_owned), row.eval()));
    }
    assert_eq!(rows.len() as u64, reader.rows());
    rows
}

fn check(path: &Path) -> (u64, u64, Vec<String>) {
    let found = DataSet::open(path).unwrap().check(NonZero::new(2).unwrap()).unwrap();
    (found.rows, found.problems, found.first_problems)
}

#[test]
fn shards_of_nanochess_are_a_data_set_whose_last_file_is_for_validation() {
    let folder = file("nanochess");
    let set = DataSet::open(&folder).unwrap();
    assert_eq!((set.rows().train, set.rows().validation), (45, 10));
    assert_eq!(set.columns(), [Column::Fen, Column::BestMove, Column::Eval]);
    assert!(set.is_all_foreign());
    assert_eq!(check(&folder), (55, 0, vec![]));
    let train = rows(&folder, Split::Train);
    assert_eq!(train[0], (Some("e2e4".into()), Some(35)));
    assert_eq!(train[4], (Some("f1b5".into()), Some(-40)));
    assert_eq!(rows(&folder, Split::Validation), train[..10]);
}

#[test]
fn the_last_rows_of_one_file_are_for_validation_and_bad_rows_are_named() {
    let path = file("bad.parquet");
    let set = DataSet::open(&path).unwrap();
    assert_eq!((set.rows().train, set.rows().validation), (38, 2));
    let (all, problems, first) = check(&path);
    assert_eq!((all, problems, first.len()), (40, 4, 4));
    for (line, row) in first.iter().zip([7, 12, 13, 14]) {
        let begin = format!("{}: row {row}: ", path.display());
        assert!(line.starts_with(&begin), "{line}");
    }
    assert!(first[2].ends_with("there is no move") && first[3].ends_with("there is no position"));
    let (train, validation) = (rows(&path, Split::Train), rows(&path, Split::Validation));
    assert_eq!((train.len(), validation.len()), (38, 2));
    assert_eq!((train[2].1, train[3].1, train[4].1), (Some(30), None, Some(-40)));
    // The slice begins within a row group.
    assert_eq!(validation, [(Some("b8c6".into()), Some(20)), (Some("f1b5".into()), Some(-40))]);
    // Rows that cannot be packed are empty boards, in their place.
    let shards = set.shards(Split::Train).unwrap();
    let mut packed = Vec::new();
    shards[0].read_rows(6..9, &mut packed).unwrap();
    let is_valid: Vec<bool> = packed.iter().map(|row| row.position().is_ok()).collect();
    assert_eq!(is_valid, [true, false, true]);
    let shards = set.shards(Split::Validation).unwrap();
    shards[0].read_rows(0..100, &mut packed).unwrap();
    assert_eq!(packed.len(), 2);
    assert_ne!(set.hashes(Split::Train), set.hashes(Split::Validation));
}

#[test]
fn names_tell_the_split() {
    let temporary = TempDir::new();
    let shard = file("nanochess/shard_00001.parquet");
    for (name, files, expected) in [
        ("by-name", &["train-0.parquet", "train-1.parquet", "val.parquet"][..], (20, 10)),
        ("by-folder", &["train/a.parquet", "Validation/b.parquet"], (10, 10)),
        ("none", &["a.parquet", "b.parquet"], (19, 1)),
        ("one", &["shard_00000.parquet"], (9, 1)),
        ("hidden", &["a.parquet", "_b.parquet", ".c.parquet", "d.txt"], (9, 1)),
    ] {
        for file in files {
            let path = temporary.join(name).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::copy(&shard, path).unwrap();
        }
        let rows = DataSet::open(&temporary.join(name)).unwrap().rows();
        assert_eq!((rows.train, rows.validation), expected, "{name}");
        let all: Vec<_> = Split::ALL
            .into_iter()
            .flat_map(|split| self::rows(&temporary.join(name), split))
            .collect();
        assert_eq!(all.len() as u64, rows.total());
    }
}

#[test]
fn the_hash_follows_the_content() {
    let temporary = TempDir::new();
    let folder = temporary.join("set");
    copy_dir(file("nanochess"), &folder);
    let hashes = |split| DataSet::open(&folder).unwrap().hashes(split);
    let before = hashes(Split::Train);
    fs::copy(file("nanochess/shard_00001.parquet"), folder.join("shard_00000.parquet")).unwrap();
    assert_ne!(hashes(Split::Train), before);
}

#[test]
fn what_is_no_data_is_an_error_in_a_line() {
    let temporary = TempDir::new();
    let error = |path: &Path| DataSet::open(path).unwrap_err().to_string();
    fs::create_dir(temporary.join("empty")).unwrap();
    assert!(error(&temporary.join("empty")).ends_with("there is no _SUCCESS"));
    assert!(error(&temporary.join("missing")).ends_with("there is no _SUCCESS"));
    fs::create_dir(temporary.join("set")).unwrap();
    let text = temporary.write_file("set/a.parquet", b"fen,best_move\n");
    assert!(error(&text).contains("neither Parquet nor packed rows"));
    assert!(error(text.parent().unwrap()).contains("a.parquet is damaged"));
    // An unfinished data set of ours is not taken for one of others.
    copy_dir(file("nanochess"), temporary.join("unfinished"));
    fs::write(temporary.join("unfinished/_progress.json"), b"{}").unwrap();
    assert!(error(&temporary.join("unfinished")).contains("not finished"));
    // Columns are looked for by name.
    let columns = vec![Column::Result];
    let options = ReaderOptions { columns, ..ReaderOptions::default() };
    let missing = Reader::open(&file("bad.parquet"), &options).unwrap_err();
    assert!(matches!(missing, DataError::NoColumn { column: "result", .. }), "{missing}");
}

#[test]
fn any_damage_is_an_error_or_other_rows() {
    let temporary = TempDir::new();
    let bytes = fs::read(file("bad.parquet")).unwrap();
    for at in (0..bytes.len()).step_by(23) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let path = temporary.write_file("damaged.parquet", &damaged);
        if let Ok(set) = DataSet::open(&path) {
            let _ = set.check(NonZero::<usize>::MIN);
            for shard in set.shards(Split::Train).into_iter().flatten() {
                let _ = shard.read_rows(0..100, &mut Vec::new());
            }
        }
    }
}
