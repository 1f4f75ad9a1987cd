//! `prepare`: the same files with every thread count and interruption; only unreadable text is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;

use chess::rng::Rng;
use tabiya_data::{
    DataError, FileFormat, Manifest, PointOfView, PrepareOptions, RowOrder, Split, convert, verify,
};
use test_support::{TempDir, contents};

use crate::made::{TextRow, games, lines, make, moves, pzstd, small, threads};

#[test]
fn every_move_becomes_a_row_and_the_files_do_not_depend_on_the_threads() {
    let folder = TempDir::new();
    let text = games(150, 1);
    let input = folder.write_file("games.pgn", &text);
    for order in [RowOrder::Games, RowOrder::Shuffled, RowOrder::Unique] {
        let options = PrepareOptions { order, ..small() };
        let name = |n: usize| folder.join(format!("{order:?}-{n}"));
        let mut all = Vec::new();
        for n in [1, 2, 5] {
            let (prepared, problems) = make(std::slice::from_ref(&input), &name(n), &options, n);
            let manifest = prepared.unwrap().manifest;
            assert_eq!(problems, Vec::<String>::new());
            assert_eq!((manifest.counts.games, manifest.counts.moves), (150, moves(&text)));
            let dropped = manifest.counts.skipped_positions.duplicate;
            assert_eq!(manifest.counts.positions + dropped, moves(&text));
            assert_eq!(dropped > 0, order == RowOrder::Unique);
            let verified = verify(&name(n), threads(2), |_| {}).unwrap();
            assert_eq!((verified.problems, verified.rows), (0, manifest.counts.positions));
            all.push(contents(name(n)));
        }
        assert!(all[0].len() > 5, "{:?}", all[0].keys());
        assert!(all[0].keys().all(|name| !name.starts_with("_runs") && !name.contains("tmp")));
        assert!(all[0] == all[1] && all[1] == all[2]);
    }
}

#[test]
fn shuffled_rows_are_the_same_rows_in_another_order() {
    let folder = TempDir::new();
    let input = folder.write_file("games.pgn", games(60, 2));
    let run = |name: &str, order, seed| {
        let options = PrepareOptions { order, seed, ..small() };
        make(std::slice::from_ref(&input), &folder.join(name), &options, 2).0.unwrap();
        lines(&folder.join(name))
    };
    let sorted = |mut lines: Vec<TextRow>| {
        lines.sort_by_key(|(split, text)| (split.name(), text.clone()));
        lines
    };
    let plain = run("plain", RowOrder::Games, 7);
    let shuffled = run("shuffled", RowOrder::Shuffled, 7);
    assert_ne!(plain, shuffled);
    assert_eq!(sorted(plain.clone()), sorted(shuffled.clone()));
    // Another seed: another order and another split.
    assert_ne!(shuffled, run("other", RowOrder::Shuffled, 8));
    // Neighbors are rarely from the same game.
    let game = |line: &TextRow| line.1.split("Some(").nth(8).map(str::to_owned);
    let together = shuffled.windows(2).filter(|pair| game(&pair[0]) == game(&pair[1])).count();
    assert!(together < shuffled.len() / 8, "{together} of {}", shuffled.len());
}

#[test]
fn deduplication_keeps_every_position_once_with_its_first_game() {
    let folder = TempDir::new();
    let input = folder.write_file("games.pgn", games(80, 3).repeat(2));
    let run = |name: &str, order| {
        let options = PrepareOptions { order, ..small() };
        make(std::slice::from_ref(&input), &folder.join(name), &options, 2).0.unwrap();
        lines(&folder.join(name))
    };
    // Slowly: a map of positions without their clocks, filled in the order of games.
    let mut expected = BTreeMap::new();
    let key = |text: &str| text.split(' ').take(4).collect::<Vec<_>>().join(" ");
    let number = |line: &TextRow| {
        let fields: Vec<&str> = line.1.split(' ').collect();
        let parse = |text: &str| text[5..text.len() - 1].parse::<i64>().unwrap();
        // After the six fields of FEN: move, eval, mate, result, ply, two ratings, game.
        (parse(fields[13]), parse(fields[10]))
    };
    let mut all = run("all", RowOrder::Games);
    all.sort_by_key(|line| number(line));
    for line in all {
        expected.entry(key(&line.1)).or_insert(line);
    }
    let mut unique = run("unique", RowOrder::Unique);
    unique.sort_by_key(|line| number(line));
    let mut expected: Vec<_> = expected.into_values().collect();
    expected.sort_by_key(|line| number(line));
    assert_eq!(unique.len(), expected.len());
    assert_eq!(unique, expected);
}

#[test]
fn filters_leave_out_and_count_positions() {
    let folder = TempDir::new();
    let text = games(100, 4);
    let input = folder.write_file("games.pgn", &text);
    let mut number = 0;
    let mut run = |options: PrepareOptions| {
        number += 1;
        let out = folder.join(number.to_string());
        let manifest = make(std::slice::from_ref(&input), &out, &options, 2).0.unwrap().manifest;
        assert_eq!(verify(&out, threads(1), |_| {}).unwrap().problems, 0);
        (manifest.counts, lines(&out))
    };
    let field = |line: &TextRow, n: usize| line.1.split(' ').nth(n).unwrap().to_owned();
    let (all, rows) = run(small());
    let total = all.positions;
    let (counts, rows_few) = run(PrepareOptions { max_positions: Some(777), ..small() });
    assert_eq!((counts.positions, rows_few.len()), (777, 777));
    let with_eval = rows_few.iter().filter(|row| field(row, 7) != "None").count() as u64;
    assert_eq!(counts.evals, with_eval);
    assert!(counts.games < 100 && counts.moves >= 777 && counts.moves < 777 + 100);
    let (counts, _) = run(PrepareOptions { sample_rate: 0.3, ..small() });
    let share = counts.positions as f64 / total as f64;
    assert!((0.25..0.35).contains(&share), "{share}");
    assert_eq!(counts.positions + counts.skipped_positions.sample_rate, total);
    let (counts, rows) = {
        let (counts, kept) = run(PrepareOptions { skip_plies: 10, every: 4, ..small() });
        assert!(!kept.is_empty() && kept.len() < rows.len() / 4);
        (counts, kept)
    };
    for row in &rows {
        let ply: usize = field(row, 10)[5..].trim_end_matches(')').parse().unwrap();
        assert!(ply >= 10 && (ply - 10).is_multiple_of(4));
    }
    let skipped = counts.skipped_positions;
    assert_eq!(counts.positions + skipped.skip_plies + skipped.every, total);
    let (counts, rows) = run(PrepareOptions { results: vec!["1-0".into()], ..small() });
    assert!(rows.iter().all(|row| field(row, 9) == "Some(1)") && !rows.is_empty());
    assert_eq!(counts.skipped_games.result, 100 - text.matches("[Result \"1-0\"]").count() as u64);
    let (counts, rows) =
        run(PrepareOptions { min_elo: Some(1_500), max_elo: Some(2_500), ..small() });
    assert!(counts.skipped_games.elo > 10 && !rows.is_empty());
    for row in &rows {
        for n in [11, 12] {
            let elo: i32 = field(row, n)[5..].trim_end_matches(')').parse().unwrap();
            assert!((1_500..=2_500).contains(&elo));
        }
    }
    let (counts, _) = run(PrepareOptions { time_controls: vec!["bullet".into()], ..small() });
    assert_eq!(counts.skipped_games.time_control, text.matches("300+3").count() as u64);
    let (counts, _) = run(PrepareOptions { no_checks: true, no_captures: true, ..small() });
    let skipped = counts.skipped_positions;
    assert!(skipped.check > 0 && skipped.capture > 0);
    assert_eq!(counts.positions + skipped.check + skipped.capture, total);
    let (counts, rows) = run(PrepareOptions { only_eval: true, ..small() });
    assert_eq!(counts.positions, counts.evals + counts.mates);
    assert!(rows.iter().all(|row| field(row, 7) != "None" || field(row, 8) != "None"));
    let (counts, rows) = run(PrepareOptions { with_eval: false, ..small() });
    assert_eq!((counts.evals, counts.mates), (0, 0));
    assert!(rows.iter().all(|row| field(row, 7) == "None" && field(row, 8) == "None"));
    // The parts of several machines are everything, and nothing twice.
    let mut parts: Vec<_> =
        (1..=3).flat_map(|part| run(PrepareOptions { shard: (part, 3), ..small() }).1).collect();
    let mut whole = run(small()).1;
    for lines in [&mut parts, &mut whole] {
        lines.sort_by_key(|(split, text)| (split.name(), text.clone()));
    }
    assert_eq!(parts, whole);
}

#[test]
fn the_split_is_by_game_and_follows_the_seed() {
    let folder = TempDir::new();
    let input = folder.write_file("games.pgn", games(200, 5));
    let run = |name: &str, seed| {
        let options = PrepareOptions { seed, val_fraction: 0.25, ..small() };
        make(std::slice::from_ref(&input), &folder.join(name), &options, 2).0.unwrap();
        let mut games = [BTreeSet::new(), BTreeSet::new()];
        for (split, text) in lines(&folder.join(name)) {
            games[split as usize].insert(text.split(' ').nth(13).unwrap().to_owned());
        }
        games
    };
    let [train, validation] = run("a", 1);
    assert!(train.is_disjoint(&validation));
    assert!((30..70).contains(&validation.len()), "{}", validation.len());
    assert_ne!(run("b", 2)[1], validation);
    assert_eq!(run("c", 1)[1], validation);
}

#[test]
fn an_interrupted_run_resumes_to_the_same_bytes() {
    let folder = TempDir::new();
    let text = games(150, 6);
    let good =
        folder.write_file("games.pgn", text.clone() + "[Event \"x\"]\n\n1. e4 e4 *\n\n" + &text);
    for order in [RowOrder::Games, RowOrder::Shuffled, RowOrder::Unique] {
        let options = PrepareOptions { order, ..small() };
        let name = |name: &str| folder.join(format!("{order:?}-{name}"));
        make(std::slice::from_ref(&good), &name("whole"), &options, 2).0.unwrap();
        // The observer panics after `stop` events, in any thread.
        for stop in [1, 2, 3, 5, 8] {
            let out = name(&format!("cut-{stop}"));
            let mut events = 0;
            let cut = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                tabiya_data::prepare(
                    std::slice::from_ref(&good),
                    &out,
                    &options,
                    threads(1),
                    |_| {
                        events += 1;
                        if events == stop {
                            std::panic::resume_unwind(Box::new("cut"));
                        }
                    },
                )
                .map(|_| ())
            }));
            let is_cut = cut.is_err() || cut.is_ok_and(|result| result.is_err());
            assert!(is_cut || events < stop);
            assert_eq!(out.join("_SUCCESS").exists(), !is_cut);
            let (prepared, _) = make(std::slice::from_ref(&good), &out, &options, 2);
            let prepared = prepared.unwrap();
            assert_eq!(prepared.manifest.problems, 1);
            assert!(contents(&out) == contents(name("whole")), "{order:?} {stop}");
        }
    }
}

#[test]
fn a_folder_with_other_files_is_refused() {
    let folder = TempDir::new();
    let input = folder.write_file("games.pgn", games(20, 7));
    let out = folder.join("out");
    make(std::slice::from_ref(&input), &out, &small(), 1).0.unwrap();
    let before = contents(&out);
    let again = make(std::slice::from_ref(&input), &out, &small(), 1).0.unwrap();
    assert!(again.was_complete);
    let other = PrepareOptions { sample_rate: 0.5, ..small() };
    let error = make(std::slice::from_ref(&input), &out, &other, 1).0.unwrap_err();
    assert!(matches!(error, DataError::Occupied { .. }));
    assert!(error.to_string().contains("options.sample_rate was 1.0 and is now 0.5"), "{error}");
    fs::write(&input, games(21, 7)).unwrap();
    let error = make(std::slice::from_ref(&input), &out, &small(), 1).0.unwrap_err();
    assert!(error.to_string().contains("games.pgn' has changed: "), "{error}");
    assert_eq!(contents(&out), before);
    let foreign = folder.join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("letter.txt"), "dear").unwrap();
    let error = make(&[input], &foreign, &small(), 1).0.unwrap_err();
    assert!(error.to_string().contains("letter.txt"), "{error}");
    assert_eq!(contents(&foreign).len(), 1);
}

#[test]
fn packed_rows_come_from_the_same_pipeline_and_by_conversion_both_ways() {
    let folder = TempDir::new();
    let input = folder.write_file("games.pgn", games(60, 8));
    for pov in [PointOfView::White, PointOfView::Mover] {
        let name = |name: &str| folder.join(format!("{pov:?}-{name}"));
        let options = PrepareOptions { pov, ..small() };
        make(std::slice::from_ref(&input), &name("parquet"), &options, 2).0.unwrap();
        convert(&name("parquet"), &name("packed"), FileFormat::Packed, threads(2), |_| {}).unwrap();
        convert(&name("packed"), &name("back"), FileFormat::Parquet, threads(2), |_| {}).unwrap();
        convert(&name("back"), &name("again"), FileFormat::Packed, threads(1), |_| {}).unwrap();
        let rows = |name: std::path::PathBuf| {
            let mut all = contents(&name);
            all.retain(|name, _| name.ends_with(".rows"));
            all
        };
        assert!(rows(name("packed")) == rows(name("again")) && rows(name("packed")).len() > 2);
        let direct = PrepareOptions {
            format: FileFormat::Packed,
            columns: tabiya_data::Column::PACKED.map(|column| column.name().to_owned()).to_vec(),
            ..small()
        };
        make(std::slice::from_ref(&input), &name("direct"), &direct, 2).0.unwrap();
        assert!(rows(name("direct")) == rows(name("packed")));
        for name in [name("packed"), name("back"), name("direct")] {
            assert_eq!(verify(&name, threads(2), |_| {}).unwrap().problems, 0);
        }
    }
}

#[test]
fn the_readable_part_of_damaged_files_is_converted_and_damage_reported() {
    let folder = TempDir::new();
    let text = games(100, 9);
    let total = moves(&text);
    let mut number = 0;
    let mut run = |name: &str, bytes: &[u8]| {
        number += 1;
        let input = folder.write_file(name, bytes);
        let out = folder.join(format!("out-{number}"));
        let (prepared, problems) = make(std::slice::from_ref(&input), &out, &small(), 2);
        let manifest = prepared.unwrap().manifest;
        assert_eq!(manifest.problems, problems.len() as u64);
        assert_eq!(manifest.first_problems, problems);
        assert_eq!(verify(&out, threads(2), |_| {}).unwrap().problems, 0);
        for problem in &problems {
            assert!(problem.contains(name) && problem.contains("byte"), "{problem}");
        }
        (manifest.counts.positions, problems)
    };
    let frames = pzstd(text.as_bytes(), 20_000);
    assert!(frames.len() > 5);
    assert_eq!(run("whole.pgn.zst", &frames.concat()), (total, Vec::new()));
    // Cut off: everything up to there.
    let whole = zstd::stream::encode_all(text.as_bytes(), 3).unwrap();
    let (rows, problems) = run("cut.pgn.zst", &frames.concat()[..frames.concat().len() * 2 / 3]);
    assert!(rows > total / 3 && rows < total && problems.iter().any(|p| p.contains("cut off")));
    let (_, problems) = run("cut-frame.pgn.zst", &whole[..whole.len() / 2]);
    assert!(problems.iter().any(|problem| problem.contains("cut off")), "{problems:?}");
    // A damaged frame: everything but that.
    let mut damaged = frames.clone();
    damaged[2][40..60].fill(0xff);
    let (rows, problems) = run("damaged.pgn.zst", &damaged.concat());
    assert!(rows > total * 6 / 10 && rows < total, "{rows} of {total}");
    assert!(problems.iter().any(|problem| problem.contains("damaged")), "{problems:?}");
    // Garbage between games, and a game that goes wrong.
    let middle = text[text.len() / 2..].find("[Event").unwrap() + text.len() / 2;
    let garbage = [&text[..middle], "\u{0}\u{1}garbage ]] {{ (\n\n", &text[middle..]].concat();
    let (rows, problems) = run("garbage.pgn", garbage.as_bytes());
    assert!(rows + 100 > total && !problems.is_empty());
    // Any byte flipped anywhere: never more than an error.
    let mut random = Rng::new(3, 0);
    for _ in 0..20 {
        let mut flipped = frames.concat();
        let at = random.below(flipped.len());
        flipped[at] ^= 1 << random.below(8);
        run("flipped.pgn.zst", &flipped);
    }
    let (prepared, problems) =
        make(&[folder.join("nowhere.pgn")], &folder.join("none"), &small(), 1);
    assert!(prepared.unwrap_err().to_string().contains("nowhere.pgn") && problems.is_empty());
    assert!(!folder.join("none").exists());
}

#[test]
fn folders_and_several_files_are_read_in_order_and_numbered() {
    let folder = TempDir::new();
    fs::create_dir(folder.join("in")).unwrap();
    let (first, second) = (games(10, 10), games(5, 11));
    folder.write_file("in/b.pgn", &second);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(first.as_bytes()).unwrap();
    folder.write_file("in/a.pgn.gz", gz.finish().unwrap());
    folder.write_file("in/notes.txt", "no games");
    let out = folder.join("out");
    let manifest = make(&[folder.join("in")], &out, &small(), 2).0.unwrap().manifest;
    assert_eq!(manifest.plan.inputs.len(), 2);
    assert_eq!((manifest.counts.games, manifest.counts.positions), (15, moves(&(first + &second))));
    let games: BTreeSet<i64> = lines(&out)
        .iter()
        .map(|(_, text)| {
            text.split(' ').nth(13).unwrap()[5..].trim_end_matches(')').parse().unwrap()
        })
        .collect();
    let expected: BTreeSet<i64> = (1..=10).chain((1..=5).map(|n| (1 << 40) + n)).collect();
    assert_eq!(games, expected);
}

#[test]
fn verification_finds_changed_files() {
    let folder = TempDir::new();
    let input = folder.write_file("games.pgn", games(40, 12));
    let out = folder.join("out");
    let manifest = make(&[input], &out, &small(), 2).0.unwrap().manifest;
    let check = || verify(&out, threads(2), |_| {}).unwrap();
    assert_eq!(check().problems, 0);
    let path = out.join(&manifest.files[0].path);
    let bytes = fs::read(&path).unwrap();
    let mut changed = bytes.clone();
    changed[bytes.len() / 3] ^= 1;
    fs::write(&path, &changed).unwrap();
    assert!(check().first_problems[0].contains("hash"), "{:?}", check());
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(check().first_problems[0].contains("bytes, not"), "{:?}", check());
    fs::write(&path, &bytes).unwrap();
    // A game in both splits: a file of one is declared to be of the other.
    let text = fs::read_to_string(Manifest::path(&out)).unwrap();
    let mut forged = manifest.clone();
    let validation = forged.files.iter().position(|file| file.split == Split::Validation).unwrap();
    forged.files.push(forged.files[validation].clone());
    forged.files.last_mut().unwrap().split = Split::Train;
    fs::write(Manifest::path(&out), serde_json::to_string(&forged).unwrap()).unwrap();
    let problems = check().first_problems;
    assert!(problems.iter().any(|problem| problem.contains("both splits")), "{problems:?}");
    assert!(problems.iter().any(|problem| problem.contains("another hash")), "{problems:?}");
    // A manifest that leads elsewhere is not followed.
    fs::write(Manifest::path(&out), text.replace("train/train-00000", "../train-00000")).unwrap();
    assert!(verify(&out, threads(1), |_| {}).unwrap_err().to_string().contains("leads elsewhere"));
}
