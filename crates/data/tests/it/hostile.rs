//! Forged data sets: every reader returns an error, without delay.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use chess::rng::Rng;
use serde_json::{Value, json};
use tabiya_data::{
    DataError, FileFormat, Input, Manifest, PackedFile, PrepareOptions, Reader, ReaderOptions,
    Shard, convert, summarize, verify,
};
use test_support::{TempDir, contents};

use crate::made::{games, make, small, threads};

/// A data set in the folder `set`, of the file `games.pgn`.
fn data_set(folder: &TempDir, options: &PrepareOptions) -> (PathBuf, PathBuf) {
    let (pgn, out) = (folder.write_file("games.pgn", games(30, 5)), folder.join("set"));
    make(std::slice::from_ref(&pgn), &out, options, 1).0.unwrap();
    (pgn, out)
}

/// The results of all readers of a data set.
fn read_all(set: &Path, scratch: &Path) -> Vec<Result<(), DataError>> {
    let _ = fs::remove_dir_all(scratch);
    let other = match Manifest::open(set).map(|manifest| manifest.format()) {
        Ok(FileFormat::Packed) => FileFormat::Parquet,
        _ => FileFormat::Packed,
    };
    let read_rows = || {
        let columns = vec![tabiya_data::Column::Board];
        let mut reader = Reader::open(set, &ReaderOptions { columns, ..Default::default() })?;
        while let Some(row) = reader.next_row() {
            row?;
        }
        Ok(())
    };
    let verified = verify(set, threads(1), |_| {}).and_then(|verified| {
        let damaged = |reason: String| DataError::Damaged { path: set.to_owned(), reason };
        verified.first_problems.into_iter().next().map_or(Ok(()), |problem| Err(damaged(problem)))
    });
    vec![
        verified,
        read_rows(),
        summarize(set, threads(1)).map(drop),
        convert(set, scratch, other, threads(1), |_| {}).map(drop),
    ]
}

/// Replaces a JSON value by its path.
fn forged(text: &str, pointer: &str, value: &Value) -> String {
    let mut forged: Value = serde_json::from_str(text).unwrap();
    *forged.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value.clone();
    forged.to_string()
}

#[test]
fn a_manifest_is_bounded_like_the_options_it_came_from() {
    let folder = TempDir::new();
    for format in [FileFormat::Parquet, FileFormat::Packed] {
        let (_, set) = data_set(&folder, &PrepareOptions { format, ..small() });
        let path = Manifest::path(&set);
        let good = fs::read_to_string(&path).unwrap();
        for (pointer, value) in [
            ("/options/group_rows", json!(1u64 << 63)),
            ("/options/group_rows", json!(1u64 << 31)),
            ("/options/group_rows", json!(0)),
            ("/options/shard_rows", json!(0)),
            ("/options/every", json!(0)),
            ("/options/shard", json!([2, 1])),
            ("/options/compression", json!(23)),
            ("/options/sample_rate", json!(-1.0)),
            ("/options/val_fraction", json!(1e300)),
            ("/options/columns", json!(["fen", "fen"])),
            ("/counts/games", json!(u64::MAX)),
            ("/counts/skipped_positions/check", json!(u64::MAX)),
            ("/rows/train", json!(u64::MAX)),
            ("/problems", json!(u64::MAX)),
            ("/files/0/rows", json!(u64::MAX)),
            ("/files/0/bytes", json!(u64::MAX)),
            ("/files/0/path", json!("/dev/zero")),
            ("/inputs/0/bytes", json!(u64::MAX)),
        ] {
            fs::write(&path, forged(&good, pointer, &value)).unwrap();
            for answer in read_all(&set, &folder.join("scratch")) {
                let error = answer.expect_err(pointer).to_string();
                assert!(error.contains("_manifest.json is damaged: "), "{pointer}: {error}");
                assert_eq!(error.lines().count(), 1, "{error}");
            }
        }
        fs::remove_dir_all(set).unwrap();
    }
}

/// The progress log of a run that was killed before its first shard was finished; removes the data set.
fn unfinished(set: &Path) -> String {
    let manifest = fs::read_to_string(Manifest::path(set)).unwrap();
    let mut manifest: Value = serde_json::from_str(&manifest).unwrap();
    let counts = serde_json::to_value(tabiya_data::Counts::default()).unwrap();
    let plan = json!({
        "version": manifest["version"],
        "tabiya": manifest["tabiya"],
        "inputs": manifest["inputs"].take(),
        "options": manifest["options"].take(),
    });
    let progress = json!({
        "plan": plan,
        "stage": { "writing": { "runs": null, "files": [] } },
        "mark": {
            "place": { "text": { "input": 0, "offset": 0, "games": 0 } },
            "counts": counts,
            "problems": 0,
            "rows": { "train": 0, "validation": 0 },
        },
        "first_problems": [],
    });
    fs::remove_dir_all(set).unwrap();
    fs::create_dir(set).unwrap();
    progress.to_string()
}

#[test]
fn a_progress_log_is_checked_before_it_is_resumed() {
    let folder = TempDir::new();
    let (pgn, set) = data_set(&folder, &small());
    let (inputs, expected) = ([pgn], contents(&set));
    let good = unfinished(&set);
    let path = set.join("_progress.json");
    // Without a change, the run resumes to the same bytes.
    fs::write(&path, &good).unwrap();
    assert!(make(&inputs, &set, &small(), 1).0.unwrap().was_resumed);
    assert_eq!(contents(&set), expected);
    let file = json!({
        "path": "train/train-00000.parquet", "split": "train", "rows": u64::MAX, "bytes": 1,
        "blake3": "",
    });
    for (pointer, value) in [
        ("/mark/place", json!({ "text": { "input": 2, "offset": 0, "games": 0 } })),
        ("/mark/place", json!({ "text": { "input": 0, "offset": 0, "games": u64::MAX } })),
        ("/mark/place", json!({ "text": { "input": 0, "offset": u64::MAX, "games": 0 } })),
        ("/mark/place", json!({ "block": u64::MAX })),
        ("/mark/counts/moves", json!(u64::MAX)),
        ("/mark/rows/validation", json!(u64::MAX)),
        ("/mark/problems", json!(u64::MAX)),
        ("/stage", json!({ "sorting": { "runs": u64::MAX } })),
        ("/stage", json!({ "writing": { "runs": u64::MAX, "files": [] } })),
        ("/stage/writing/files", json!([file.clone(), file])),
    ] {
        fs::remove_dir_all(&set).unwrap();
        fs::create_dir(&set).unwrap();
        fs::write(&path, forged(&good, pointer, &value)).unwrap();
        let error = make(&inputs, &set, &small(), 1).0.expect_err(pointer).to_string();
        assert!(error.contains("_progress.json is damaged: "), "{pointer}: {error}");
    }
}

/// Flips a bit or cuts the file, a thousand times.
fn damage(bytes: &[u8], mut try_out: impl FnMut(&[u8])) {
    let mut random = Rng::new(3, 0);
    for n in 0..1_000 {
        let mut damaged = bytes.to_vec();
        if n % 4 == 0 {
            damaged.truncate(random.below(bytes.len()));
        } else {
            damaged[random.below(bytes.len())] ^= 1 << random.below(8);
        }
        try_out(&damaged);
    }
}

#[test]
fn damaged_manifests_and_progress_logs_never_panic() {
    let folder = TempDir::new();
    let pgn = folder.write_file("games.pgn", games(2, 5));
    let set = folder.join("set");
    let options = PrepareOptions { group_rows: 20, val_fraction: 0.0, ..small() };
    make(std::slice::from_ref(&pgn), &set, &options, 1).0.unwrap();
    let path = Manifest::path(&set);
    let good = fs::read(&path).unwrap();
    let mut refused = 0;
    damage(&good, |bytes| {
        fs::write(&path, bytes).unwrap();
        let answers = read_all(&set, &folder.join("scratch"));
        // The hash in _SUCCESS is another one at least.
        assert!(answers[0].is_err());
        refused += usize::from(answers[1].is_err());
    });
    assert!(refused > 250, "{refused}");
    fs::write(&path, good).unwrap();
    let good = unfinished(&set).into_bytes();
    damage(&good, |bytes| {
        fs::remove_dir_all(&set).unwrap();
        fs::create_dir(&set).unwrap();
        fs::write(set.join("_progress.json"), bytes).unwrap();
        let _ = make(std::slice::from_ref(&pgn), &set, &options, 1);
    });
}

/// Runs a task with a timeout.
fn with_timeout<T: Send + 'static>(task: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(task()));
    receiver.recv_timeout(Duration::from_secs(60)).expect("it hangs")
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_in_place_of_files_are_refused_and_never_read() {
    let folder = TempDir::new();
    let pipe = folder.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for format in [FileFormat::Parquet, FileFormat::Packed] {
        let (_, set) = data_set(&folder, &PrepareOptions { format, ..small() });
        let manifest = Manifest::open(&set).unwrap();
        let shard = set.join(&manifest.files[0].path);
        for target in [Path::new("/dev/zero"), &pipe] {
            for file in [&shard, &Manifest::path(&set), &set.join("_SUCCESS")] {
                let kept = folder.join("kept");
                fs::rename(file, &kept).unwrap();
                std::os::unix::fs::symlink(target, file).unwrap();
                let (set, scratch) = (set.clone(), folder.join("scratch"));
                let answers = with_timeout(move || read_all(&set, &scratch));
                let error = answers[0].as_ref().unwrap_err().to_string();
                assert!(error.contains("not a regular file"), "{}: {error}", file.display());
                if !file.ends_with("_SUCCESS") {
                    assert!(answers.iter().all(Result::is_err), "{answers:?}");
                }
                fs::rename(&kept, file).unwrap();
            }
            let target = target.to_owned();
            with_timeout(move || {
                assert!(Shard::open(&target).is_err());
                assert!(PackedFile::open(&target).is_err());
            });
        }
        fs::remove_dir_all(set).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn games_still_come_through_a_named_pipe() {
    let folder = TempDir::new();
    let (pipe, text) = (folder.join("games.pgn"), games(3, 1));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let write = |path: PathBuf, text: String| std::thread::spawn(move || fs::write(path, text));
    let writer = write(pipe.clone(), text.clone());
    let prepared = make(std::slice::from_ref(&pipe), &folder.join("set"), &small(), 1).0.unwrap();
    writer.join().unwrap().unwrap();
    assert_eq!(prepared.manifest.counts.games, 3);
    assert_eq!(prepared.manifest.plan.inputs[0].bytes, Some(text.len() as u64));
    let writer = write(pipe.clone(), text.clone());
    let mut read = String::new();
    std::io::Read::read_to_string(&mut Input::open(&pipe).unwrap(), &mut read).unwrap();
    writer.join().unwrap().unwrap();
    assert_eq!(read, text);
}
