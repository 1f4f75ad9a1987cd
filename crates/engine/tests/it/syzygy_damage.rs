//! Damaged tables: truncated, extended, with flipped bytes. Each is either skipped and reported, or used; probes
//! then return a value or none, but never panic, hang or exit the process.

use std::path::Path;

use chess::Position;
use chess::rng::Rng;
use tabiya_engine::syzygy::{TablebaseError, Tablebases};

use crate::tables::{random_position, small};

/// Changes of each file, by bytes and by length.
const CHANGES: u64 = 1000;

/// The outcomes of damaged files.
#[derive(Default, Debug)]
struct Outcomes {
    named: usize,
    used: usize,
}

/// Opens a folder in which a file is damaged, and probes it if it is used.
fn check(folder: &Path, file: &str, positions: &[Position], outcomes: &mut Outcomes) {
    match Tablebases::open(folder.to_str().expect("a path in UTF-8")) {
        Err(TablebaseError::NoUsableFiles { first, .. }) => {
            assert!(first.path.ends_with(file), "{first}");
            outcomes.named += 1;
        }
        Err(error) => panic!("{file}: {error}"),
        Ok(tables) => {
            match tables.skipped() {
                [] => outcomes.used += 1,
                [skipped] => {
                    assert!(skipped.path.ends_with(file), "{skipped}");
                    outcomes.named += 1;
                }
                more => panic!("{file}: {more:?}"),
            }
            for position in positions {
                let _ = tables.wdl(position);
                let _ = tables.dtz(position);
            }
        }
    }
}

#[test]
fn damaged_files_are_reported_or_used_and_never_crash() {
    let data = small().path;
    let mut files: Vec<String> = data
        .read_dir()
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".rtb"))
        .collect();
    files.sort();
    assert!(files.len() >= 10, "{files:?}");
    for (n, file) in files.iter().enumerate() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let folder = directory.path();
        let (table, kind) = file.split_once('.').expect("an extension");
        let whole = std::fs::read(data.join(file)).expect("a file");
        let mut rng = Rng::from_seed(n as u64);
        let positions: Vec<_> = (0..24).map(|_| random_position(&mut rng, table)).collect();
        if kind == "rtbz" {
            // Distances are of use with results alone.
            let results = format!("{table}.rtbw");
            std::fs::copy(data.join(&results), folder.join(&results)).expect("a copy");
        }
        let attack = |bytes: &[u8], outcomes: &mut Outcomes| {
            std::fs::write(folder.join(file), bytes).expect("a file");
            check(folder, file, &positions, outcomes);
        };

        let mut cut = Outcomes::default();
        let lengths = (0..200).chain((200..whole.len()).step_by(whole.len() / 100 + 1));
        for len in lengths.filter(|&len| len < whole.len()) {
            attack(&whole[..len], &mut cut);
        }
        assert_eq!(cut.used, 0, "{file}: {cut:?}");

        let mut changed = Outcomes::default();
        for change in 0..CHANGES {
            let mut rng = Rng::new(n as u64, change);
            let mut bytes = whole.clone();
            // Headers are small beside the rest, and have more to break.
            let end = if rng.below(2) == 0 { bytes.len() } else { bytes.len().min(300) };
            for _ in 0..=rng.below(4) {
                let at = rng.below(end);
                bytes[at] = match rng.below(3) {
                    0 => bytes[at] ^ (1 << rng.below(8)),
                    1 => 0xff,
                    _ => rng.below(256) as u8,
                };
            }
            if rng.below(8) == 0 {
                let at = rng.below(bytes.len());
                let more = vec![rng.below(256) as u8; rng.below(130)];
                bytes.splice(at..(at + rng.below(130)).min(whole.len()), more);
            }
            attack(&bytes, &mut changed);
        }
        assert_eq!(changed.named + changed.used, CHANGES as usize);
        assert!(changed.named > 0, "{file}: {changed:?}");
    }
}
