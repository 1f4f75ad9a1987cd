//! Data sets of chunks that several machines have converted.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tabiya_data::{
    ConvertedChunks, DataError, FileFormat, PrepareOptions, RowOrder, Workers, convert_chunks,
    prepare_with_chunks, verify,
};
use test_support::{TempDir, contents};

use crate::made::{games, make, pzstd, small, threads};

const BYTES: usize = 3_000;

fn part(
    inputs: &[PathBuf],
    out: &Path,
    options: &PrepareOptions,
    part: (u32, u32),
) -> Result<ConvertedChunks, DataError> {
    convert_chunks(inputs, out, options, part, BYTES, threads(2), |_| {})
}

#[test]
fn parts_of_the_chunks_give_the_data_set_of_one_machine() {
    let folder = TempDir::new();
    let text = games(120, 5);
    let inputs = [
        folder.write_file("a.pgn", &text),
        folder.write_file("b.pgn.zst", pzstd(text.as_bytes(), 20_000).concat()),
        folder.write_file("c.pgn", "[Event \"broken\"]\n\n1. e4 e4 *\n\n1. d4 d5 *\n"),
    ];
    for (n, options) in [
        small(),
        PrepareOptions { order: RowOrder::Unique, seed: 3, ..small() },
        PrepareOptions { max_positions: Some(1_000), sample_rate: 0.5, ..small() },
    ]
    .into_iter()
    .enumerate()
    {
        let name = |text: &str| folder.join(format!("{n}-{text}"));
        let (single, problems) = make(&inputs, &name("single"), &options, 2);
        single.unwrap();
        assert_eq!(problems.len(), usize::from(options.max_positions.is_none()), "{problems:?}");
        let parts = [1, 2, 3].map(|number| name(&number.to_string()));
        let converted: Vec<_> = parts
            .iter()
            .zip(1..)
            .map(|(out, number)| part(&inputs, out, &options, (number, 3)).unwrap())
            .collect();
        let least = converted.iter().map(|part| part.chunks).min().unwrap();
        assert!(least > 10, "{converted:?}");
        assert_eq!(converted.iter().map(|part| part.with_problems).sum::<u64>(), 1);
        let again = part(&inputs, &parts[0], &options, (1, 3)).unwrap();
        assert_eq!(again.converted_before + again.with_problems, again.chunks);
        // With all of them, and with one missing.
        for folders in [&parts[..], &parts[1..]] {
            let out = name(&format!("joined-{}", folders.len()));
            let mut problems = 0;
            let count = |event: tabiya_data::PrepareEvent<'_>| {
                problems += u64::from(matches!(event, tabiya_data::PrepareEvent::Problem(_)));
            };
            let chunks = Some((folders, BYTES));
            let made =
                prepare_with_chunks(&inputs, &out, &options, chunks, threads(2), count).unwrap();
            assert_eq!(problems, made.manifest.problems);
            assert!(contents(&out) == contents(name("single")));
        }
        assert_eq!(verify(&name("joined-3"), threads(2), |_| {}).unwrap().problems, 0);
    }
}

#[test]
fn chunks_are_used_and_only_for_their_own_options() {
    let folder = TempDir::new();
    let input = [folder.write_file("a.pgn", games(40, 6))];
    let (chunks, options) = (folder.join("chunks"), small());
    part(&input, &chunks, &options, (1, 1)).unwrap();
    let packed = PrepareOptions { format: FileFormat::Packed, ..small() };
    assert_eq!(part(&input, &chunks, &packed, (1, 1)).unwrap().converted_before, 0);
    assert_eq!(part(&input, &chunks, &packed, (2, 2)).unwrap().with_problems, 0);
    let before = part(&input, &chunks, &options, (1, 1)).unwrap();
    assert_eq!(before.converted_before, before.chunks);
}

#[test]
fn wrong_folders_and_parts_are_errors() {
    let folder = TempDir::new();
    let input = [folder.write_file("a.pgn", games(3, 7))];
    let set = folder.join("set");
    make(&input, &set, &small(), 1).0.unwrap();
    let error = part(&input, &set, &small(), (1, 1)).unwrap_err().to_string();
    assert!(error.contains("chunks need a directory of their own"), "{error}");
    for wrong in [(0, 1), (2, 1), (1, 0)] {
        let error = part(&input, &folder.join("chunks"), &small(), wrong).unwrap_err();
        assert!(error.to_string().contains("is no shard"), "{error}");
    }
    let missing = [folder.join("missing")];
    let chunks = Some((missing.as_slice(), BYTES));
    let out = folder.join("out");
    let error = prepare_with_chunks(&input, &out, &small(), chunks, threads(1), |_| {});
    assert!(error.unwrap_err().to_string().contains("missing"));
}

#[test]
fn a_stopped_conversion_keeps_finished_chunks_and_resumes() {
    let folder = TempDir::new();
    let input = [folder.write_file("a.pgn", games(60, 8))];
    let (out, options, stop) = (folder.join("chunks"), small(), AtomicBool::new(false));
    let workers = Workers::from(threads(1)).until(&stop);
    let stopped = convert_chunks(&input, &out, &options, (1, 1), BYTES, workers, |_| {
        stop.store(true, Ordering::Relaxed);
    });
    assert!(matches!(stopped, Err(DataError::Interrupted { .. })));
    let resumed = part(&input, &out, &options, (1, 1)).unwrap();
    assert!((1..resumed.chunks).contains(&resumed.converted_before), "{resumed:?}");
    // Reading the inputs for their hashes is stopped too.
    let made = tabiya_data::prepare(&input, &folder.join("set"), &options, workers, |_| {});
    assert!(matches!(made, Err(DataError::Interrupted { .. })));
    assert!(!folder.join("set").exists());
    make(&input, &folder.join("set"), &options, 1).0.unwrap();
    let verified = verify(&folder.join("set"), workers, |_| {});
    assert!(matches!(verified, Err(DataError::Interrupted { .. })));
    let summary = tabiya_data::summarize(&folder.join("set"), workers);
    assert!(matches!(summary, Err(DataError::Interrupted { .. })));
}
