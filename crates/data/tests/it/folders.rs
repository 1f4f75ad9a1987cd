//! The folder of a data set: names of its files, what may be written there, and both formats read alike.

use std::fs;
use std::path::PathBuf;

use chess::PackedRow;
use chess::rng::Rng;
use tabiya_data::{
    Column, FileFormat, Manifest, PackedFile, PrepareOptions, Shard, convert, summarize, verify,
};
use test_support::{TempDir, contents};

use crate::made::{games, make, small, threads};

#[test]
fn readers_of_parquet_folders_skip_all_files_but_the_shards() {
    let folder = TempDir::new();
    let (pgn, set) = (folder.write_file("games.pgn", games(30, 5)), folder.join("set"));
    make(&[pgn], &set, &small(), 1).0.unwrap();
    let names: Vec<String> = contents(&set).into_keys().collect();
    assert!(names.iter().any(|name| name == "_manifest.json"));
    for name in names {
        assert!(name.ends_with(".parquet") || name.starts_with('_'), "{name}");
    }
}

#[test]
fn data_sets_with_the_manifest_under_its_old_name_are_read() {
    let folder = TempDir::new();
    let (pgn, set) = (folder.write_file("games.pgn", games(30, 5)), folder.join("set"));
    make(std::slice::from_ref(&pgn), &set, &small(), 1).0.unwrap();
    let new = Manifest::open(&set).unwrap();
    fs::rename(set.join("_manifest.json"), set.join("manifest.json")).unwrap();
    assert_eq!(Manifest::open(&set).unwrap(), new);
    assert_eq!(verify(&set, threads(1), |_| {}).unwrap().problems, 0);
    assert_eq!(summarize(&set, threads(1)).unwrap().1.rows, new.counts.positions);
    let packed = folder.join("packed");
    convert(&set, &packed, FileFormat::Packed, threads(1), |_| {}).unwrap();
    assert_eq!(Manifest::open(&packed).unwrap().rows, new.rows);
    assert!(make(&[pgn], &set, &small(), 1).0.unwrap().was_complete);
}

#[test]
fn a_file_that_cannot_be_opened_is_an_error_before_anything_is_written() {
    let folder = TempDir::new();
    let (good, wrong) = (folder.write_file("games.pgn", games(5, 5)), folder.join("gmaes.pgn"));
    let utf16 = folder.write_file("utf16.pgn", b"\xff\xfe[\0E\0");
    let out = folder.join("set");
    for inputs in [vec![wrong.clone()], vec![good.clone(), wrong], vec![utf16.clone()]] {
        let error = make(&inputs, &out, &small(), 1).0.unwrap_err().to_string();
        let name = inputs.last().unwrap().display().to_string();
        assert!(error.contains(&name), "{error}");
        assert!(!out.exists());
    }
    // With other inputs, a file that is not text is reported as a problem.
    let (result, problems) = make(&[utf16, good.clone()], &out, &small(), 1);
    assert_eq!((result.unwrap().manifest.counts.games, problems.len()), (5, 1));
    fs::remove_dir_all(&out).unwrap();
    assert_eq!(make(&[good], &out, &small(), 1).0.unwrap().manifest.problems, 0);
}

#[test]
fn a_folder_with_another_data_set_is_refused_with_what_differs() {
    let folder = TempDir::new();
    let names = ["a.pgn", "b.pgn"].map(|name| folder.write_file(name, games(5, 5)));
    let [a, b] = names.each_ref().map(std::slice::from_ref);
    let out = folder.join("set");
    make(a, &out, &small(), 1).0.unwrap();
    let refused = |inputs: &[PathBuf], options: &PrepareOptions| {
        make(inputs, &out, options, 1).0.unwrap_err().to_string()
    };
    let error = refused(b, &small());
    assert!(error.contains("a.pgn', not of '") && error.contains("b.pgn'"), "{error}");
    assert!(refused(&names, &small()).contains("not of 2 files"));
    let error = refused(a, &PrepareOptions { seed: 9, ..small() });
    assert!(error.contains("options.seed was 0 and is now 9"), "{error}");
    fs::write(&names[0], games(6, 5)).unwrap();
    let error = refused(a, &small());
    assert!(error.contains("a.pgn' has changed: "), "{error}");
}

#[test]
fn output_folders_that_overlap_inputs_are_refused() {
    let folder = TempDir::new();
    fs::create_dir(folder.join("games")).unwrap();
    let pgn = folder.write_file("games/a.pgn", games(5, 5));
    let (inputs, set) = ([folder.join("games")], folder.join("games/set"));
    let error = make(&inputs, &inputs[0], &small(), 1).0.unwrap_err().to_string();
    assert!(error.contains("contains the input"), "{error}");
    assert!(pgn.exists());
    // A new folder beside the games is fine.
    make(&inputs, &set, &small(), 1).0.unwrap();
    let before = contents(&set);
    for out in [set.clone(), set.join("packed"), set.join("train"), inputs[0].clone()] {
        let error = convert(&set, &out, FileFormat::Packed, threads(1), |_| {}).unwrap_err();
        assert!(error.to_string().contains("the input"), "{error}");
    }
    assert_eq!(contents(&set), before);
}

#[test]
fn parquet_rows_are_read_as_the_packed_rows_of_the_same_games() {
    let folder = TempDir::new();
    let pgn = folder.write_file("games.pgn", games(40, 7));
    let options = |format| PrepareOptions { format, shard_rows: 100_000, ..small() };
    let packed = folder.join("packed");
    make(std::slice::from_ref(&pgn), &packed, &options(FileFormat::Packed), 1).0.unwrap();
    let path = packed.join(&Manifest::open(&packed).unwrap().files[0].path);
    let (mut expected, mut random) = (Vec::new(), Rng::new(1, 0));
    PackedFile::open(&path).unwrap().read(0, usize::MAX, &mut expected).unwrap();
    let total = expected.len();
    assert!(total > 1_000);
    let no_board = ["fen", "best_move", "eval", "mate", "result"].map(str::to_owned).to_vec();
    let all = Column::ALL.map(|column| column.name().to_owned()).to_vec();
    for (n, (columns, pov)) in [
        (all.clone(), tabiya_data::PointOfView::White),
        (all, tabiya_data::PointOfView::Mover),
        (no_board, tabiya_data::PointOfView::White),
    ]
    .into_iter()
    .enumerate()
    {
        let set = folder.join(format!("parquet-{n}"));
        let options = PrepareOptions { columns, pov, ..options(FileFormat::Parquet) };
        make(std::slice::from_ref(&pgn), &set, &options, 1).0.unwrap();
        let shard = Shard::open(&set.join(&Manifest::open(&set).unwrap().files[0].path)).unwrap();
        assert!(shard.row_groups().len() > 3);
        let mut rows: Vec<PackedRow> = Vec::new();
        shard.read_rows(0..u64::MAX, &mut rows).unwrap();
        assert_eq!(rows, expected);
        for _ in 0..200 {
            let first = random.below(total);
            let end = first + random.below(total - first + 1);
            shard.read_rows(first as u64..end as u64, &mut rows).unwrap();
            assert_eq!(rows, expected[first..end], "{first}..{end}");
        }
    }
    // Without positions there are no packed rows.
    let set = folder.join("moves");
    let columns = vec!["best_move".to_owned()];
    make(&[pgn], &set, &PrepareOptions { columns, ..small() }, 1).0.unwrap();
    let shard = Shard::open(&set.join(&Manifest::open(&set).unwrap().files[0].path)).unwrap();
    let error = shard.read_rows(0..1, &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("has no column 'board'"), "{error}");
}
