//! The data loader: every usable row once per epoch, resumable at any row.

mod made;

use std::path::Path;

use chess::PackedRow;
use data::{FileFormat, ReaderPosition, Row, Split};
use made::{game, make};
use tabiya_pra::encode::Context;
use tabiya_pra::{Batch, Config, Loader, LoaderOptions, encode, sample};

fn open(folder: &Path, seed: Option<u64>, start: ReaderPosition) -> Loader {
    let options = LoaderOptions { seed, window_rows: 500, threads: 0, input_dropout: 0.0 };
    Loader::open(folder, Split::Train, &Config::new(1, 12), options, start).unwrap()
}

/// A description of each position of a batch.
fn describe(batch: &Batch) -> Vec<String> {
    let describe = |n: usize| {
        let (legal, outcome) = (batch.legal(n), batch.outcomes[n]);
        format!("{:?} {:?} {} {outcome:?}", batch.tokens[n], legal, batch.targets[n])
    };
    (0..batch.len()).map(describe).collect()
}

fn next(loader: &mut Loader, count: usize) -> Vec<String> {
    let mut batch = Batch::default();
    loader.next_batch(count, &mut batch).unwrap();
    assert_eq!(batch.len(), count);
    describe(&batch)
}

/// The reference: each row unpacked on its own. Packed rows have neither history nor ratings.
fn expected(games: u64, split: Split, format: FileFormat) -> Vec<String> {
    let (config, mut batch) = (Config::new(1, 12), Batch::default());
    for row in (0..games).flat_map(game).filter(|row| row.split == split) {
        let (history, elo) = (row.history, row.elo);
        let row = row.packed.unpack().unwrap();
        let earlier = history.boards(&row.position).unwrap();
        let mut context = Context {
            earlier: earlier.as_slice(),
            ratings: elo.map(|elo| u16::try_from(elo).ok()),
        };
        if format == FileFormat::Packed {
            context = Context::default();
        }
        let turn = row.position.turn();
        let moves = row.position.legal_moves();
        let legal = moves.iter().map(|&m| encode::move_index(&config, turn, m));
        let target = encode::move_index(&config, turn, row.best_move.unwrap());
        let outcome = encode::outcome(&config, turn, row.score, row.result);
        let tokens = encode::tokens_in(&config, &row.position, &context);
        batch.push(tokens, legal, target, outcome);
    }
    describe(&batch)
}

fn sorted(mut positions: Vec<String>) -> Vec<String> {
    positions.sort_unstable();
    positions
}

#[test]
fn every_row_comes_once_per_epoch_and_loading_resumes_at_any_row() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    for format in [FileFormat::Parquet, FileFormat::Packed] {
        let rows = expected(40, Split::Train, format);
        let data = make(&folder.join(format.extension()), format, 40, game);
        let mut loader = open(&data, Some(3), ReaderPosition::default());
        assert_eq!(loader.rows(), rows.len() as u64);
        let all = next(&mut loader, 3 * rows.len());
        assert_eq!(loader.counts().used, 3 * rows.len() as u64);
        for epoch in all.chunks(rows.len()) {
            assert!(sorted(epoch.to_vec()) == sorted(rows.clone()));
        }
        assert!(all[..rows.len()] != all[rows.len()..2 * rows.len()]);
        // Batches of any size, each resumed at the end of the last.
        let (mut start, mut given) = (ReaderPosition::default(), 0);
        for count in [1, 499, 2, 700, 100, 900] {
            let mut loader = open(&data, Some(3), start);
            assert!(next(&mut loader, count) == all[given..given + count]);
            (start, given) = (loader.position(), given + count);
        }
        // In file order, all epochs are equal.
        let plain = next(&mut open(&data, None, ReaderPosition::default()), 2 * rows.len());
        assert!(plain[..rows.len()] == plain[rows.len()..]);
    }
}

#[test]
fn a_sample_has_at_most_all_rows_and_is_always_the_same() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let data = make(&folder.join("data"), FileFormat::Parquet, 20, game);
    let rows = expected(20, Split::Validation, FileFormat::Parquet);
    let config = Config::new(1, 12);
    let take = |count, size| sample(&data, Split::Validation, &config, (count, size)).unwrap();
    let all: Vec<String> = take(100_000, 64).iter().flat_map(describe).collect();
    assert!(sorted(all.clone()) == sorted(rows));
    let sizes: Vec<usize> = take(70, 32).iter().map(Batch::len).collect();
    assert_eq!(sizes, [32, 32, 6]);
    let some: Vec<String> = take(70, 32).iter().flat_map(describe).collect();
    assert!(some == all[..70]);
}

#[test]
fn dropout_leaves_out_a_share_of_the_inputs_the_same_after_a_resume() {
    let temporary = tempfile::tempdir().unwrap();
    let data = make(&temporary.path().join("data"), FileFormat::Parquet, 40, game);
    let config = Config::new(1, 12);
    let load = |start, count| {
        let options = LoaderOptions { input_dropout: 0.25, threads: 0, ..LoaderOptions::default() };
        let mut loader = Loader::open(&data, Split::Train, &config, options, start).unwrap();
        let mut batch = Batch::default();
        loader.next_batch(count, &mut batch).unwrap();
        (batch.tokens, loader.position())
    };
    let (all, _) = load(ReaderPosition::default(), 1_000);
    let (first, position) = load(ReaderPosition::default(), 300);
    let (second, _) = load(position, 700);
    assert!([first, second].concat() == all);
    let full = sample(&data, Split::Train, &config, (100_000, 2_000)).unwrap();
    let share = |tokens: &[encode::Tokens], is_there: fn(&encode::Tokens) -> bool| {
        tokens.iter().filter(|tokens| is_there(tokens)).count() as f64 / tokens.len() as f64
    };
    let inputs: [fn(&encode::Tokens) -> bool; 2] =
        [|tokens| tokens.plies > 0, |tokens| tokens.ratings[0] > 0];
    for is_there in inputs {
        let kept = share(&all, is_there) / share(&full[0].tokens, is_there);
        assert!((0.68..0.82).contains(&kept), "{kept}");
    }
}

#[test]
fn a_damaged_history_or_rating_is_an_error_with_its_row() {
    let temporary = tempfile::tempdir().unwrap();
    let load = |name: &str, damage: fn(&mut Row)| {
        let rows = move |number: u64| {
            let mut rows = game(5 * number + 1);
            damage(&mut rows[9]);
            rows
        };
        let data = make(&temporary.path().join(name), FileFormat::Parquet, 1, rows);
        let mut loader = open(&data, Some(1), ReaderPosition::default());
        loader.next_batch(10, &mut Batch::default()).unwrap_err().to_string()
    };
    let history = load("history", |row| row.history = data::MoveHistory::from_bytes(&[0x55; 14]));
    let end = "is damaged: row 9: history: ply 1 before the position cannot be undone";
    assert!(history.ends_with(end), "{history}");
    // A negative rating means that there is none.
    let rating = load("rating", |row| row.elo[1] = 0);
    assert!(rating.ends_with("is damaged: row 9: black_elo: 0 is no rating"), "{rating}");
}

#[test]
fn unusable_rows_are_skipped_and_counted() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    // In each game one invalid board, one illegal move, one row without a move.
    let bad = |number: u64| -> Vec<Row> {
        let mut rows = game(number);
        for row in &mut rows {
            row.split = Split::Train;
        }
        rows[0].packed = PackedRow::from_bytes([0xff; 32]);
        rows[1].packed = rows[1].packed.with_move(rows[3].packed.best_move().unwrap());
        rows[2].packed = rows[2].packed.position_only();
        rows
    };
    let data = make(&folder.join("data"), FileFormat::Parquet, 10, bad);
    let mut loader = open(&data, Some(1), ReaderPosition::default());
    let mut batch = Batch::default();
    let rows = loader.rows() as usize;
    loader.next_batch(rows - 40, &mut batch).unwrap();
    loader.next_batch(20, &mut batch).unwrap();
    let counts = *loader.counts();
    assert_eq!(counts.used, rows as u64 - 20);
    assert!((8..=12).contains(&counts.damaged), "{counts:?}");
    assert!((8..=12).contains(&counts.without_move), "{counts:?}");
    assert!((1..=12).contains(&counts.illegal), "{counts:?}");
}

#[test]
fn empty_unusable_and_damaged_data_sets_are_one_clear_error() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let load = |data: &Path| {
        let (options, start) = (LoaderOptions::default(), ReaderPosition::default());
        let config = Config::new(1, 12);
        let loader = Loader::open(data, Split::Train, &config, options, start);
        let tried = loader.and_then(|mut loader| loader.next_batch(1, &mut Batch::default()));
        tried.unwrap_err().to_string()
    };
    let error = load(&folder.join("nothing"));
    assert!(error.ends_with("no data set: there is no _SUCCESS"), "{error}");
    let empty = make(&folder.join("empty"), FileFormat::Parquet, 1, |_| Vec::new());
    let error = load(&empty);
    assert!(error.starts_with("there are no rows for train in "), "{error}");
    let silent = |number: u64| {
        let mut rows = game(number + 1);
        rows.iter_mut().for_each(|row| row.packed = row.packed.position_only());
        rows
    };
    let silent = make(&folder.join("silent"), FileFormat::Parquet, 1, silent);
    let error = load(&silent);
    assert!(error.contains("is usable: 40 without a move, 0 damaged"), "{error}");
    // A damaged file is named.
    let good = make(&folder.join("good"), FileFormat::Parquet, 5, game);
    let file = good.join("train/train-00000.parquet");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let error = load(&good);
    assert!(error.contains("train-00000.parquet is damaged"), "{error}");
}
