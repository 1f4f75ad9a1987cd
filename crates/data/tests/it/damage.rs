//! Damaged archives: `prepare`, `pgn::check` and `read_games` see the same games and report the same damage.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use chess::pgn::{self, Next, PgnError, Replay, TagValue, Watcher};
use chess::rng::Rng;
use chess::{Move, Position};
use tabiya_data::{Chunk, Column, Input, Manifest, PrepareOptions, ReadOptions, Shard, read_games};
use test_support::TempDir;

use crate::made::{make, pzstd, small, threads};

/// Games with their number as the rating of White; sizes vary from one line to several kilobytes.
fn numbered_games(count: usize) -> String {
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(30);
    let game = |n: usize| {
        let text = &moves[..16 * (1 + n * 7 % 30)];
        let comment = "x".repeat(n % 5 * 300);
        format!("[Event \"{n}\"]\n[WhiteElo \"{}\"]\n\n{text}{{ {comment} }} *\n\n", n + 1)
    };
    (0..count).map(game).collect()
}

/// Number of moves of each game, by the rating of White.
type Seen = BTreeMap<u64, u64>;

#[derive(Default)]
struct Log {
    seen: Seen,
    game: u64,
}

impl Watcher for Log {
    fn begin_game(&mut self) -> Next {
        self.game = 0;
        Next::Go
    }
    fn tag(&mut self, name: &[u8], value: TagValue<'_>) -> Next {
        if name == b"WhiteElo" {
            self.game = value.number().unwrap().into();
        }
        Next::Go
    }
    fn played(&mut self, _: &Position, _: Move, _: &Position) -> Next {
        *self.seen.entry(self.game).or_default() += 1;
        Next::Go
    }
    fn error(&mut self, _: PgnError) {}
}

/// The games and the errors of `read_games`.
fn read(path: &Path, options: &ReadOptions) -> (Seen, Vec<String>) {
    let mut seen = Seen::new();
    let convert = |chunk: Chunk<'_>| {
        let mut replay = Replay::new(Log::default());
        if let Chunk::Games(text) = chunk {
            pgn::read(text, &mut replay);
        }
        replay.into_watcher().seen
    };
    let result = read_games(Input::open(path).unwrap(), options, convert, |part, _| {
        for (game, moves) in part {
            *seen.entry(game).or_default() += moves;
        }
        ControlFlow::Continue(())
    });
    (seen, result.err().map_or_else(Vec::new, |error| error.lines()))
}

/// The games in the rows of a data set, and the damage it reports.
fn prepared(path: &Path, out: &Path, n: usize) -> (Seen, Vec<String>) {
    let options = PrepareOptions { val_fraction: 0.0, ..small() };
    let (result, problems) = make(&[path.to_owned()], out, &options, n);
    result.unwrap();
    let mut seen = Seen::new();
    for file in Manifest::open(out).unwrap().files {
        let shard = Shard::open(&out.join(file.path)).unwrap();
        for group in 0..shard.row_groups().len() {
            for row in shard.read(group, &[Column::WhiteElo]).unwrap().iter() {
                let game = row.white_elo().map_or(0, |elo| elo as u64);
                *seen.entry(game).or_default() += 1;
            }
        }
    }
    let damage = problems.into_iter().filter(|problem| problem.contains("damaged"));
    (seen, damage.collect())
}

#[test]
fn all_readers_see_the_same_games_of_a_damaged_archive_and_report_the_same_damage() {
    let folder = TempDir::new();
    let text = numbered_games(120);
    let mut random = Rng::new(1, 0);
    let (mut with_damage, mut with_several, mut number) = (0, 0, 0);
    // Frames of many games, of about one, and much smaller than a game.
    for frame_bytes in [20_000, 1_000, 90] {
        let frames = pzstd(text.as_bytes(), frame_bytes);
        for damaged_frames in [1, 1, 3] {
            number += 1;
            let mut damaged = frames.clone();
            for _ in 0..damaged_frames {
                let frame = random.below(frames.len());
                // Behind the skippable frame: the index of the frames stays intact.
                let length = damaged[frame].len();
                let from = 12 + random.below(length - 12);
                damaged[frame][from..(from + 20).min(length)].fill(0xff);
            }
            let path = folder.write_file(&format!("{number}.pgn.zst"), damaged.concat());
            let (expected, damage) = prepared(&path, &folder.join(format!("{number}-1")), 1);
            assert_eq!(prepared(&path, &folder.join(format!("{number}-3")), 3).0, expected);
            for parallel_frames in [true, false] {
                for n in [1, 3] {
                    for chunk_bytes in [700, 1 << 20] {
                        let options = ReadOptions {
                            threads: threads(n),
                            chunk_bytes,
                            parallel_frames,
                            ..ReadOptions::default()
                        };
                        let (seen, errors) = read(&path, &options);
                        assert_eq!(seen, expected, "{number} {parallel_frames} {n} {chunk_bytes}");
                        assert_eq!(errors, damage);
                    }
                }
            }
            let options = ReadOptions { threads: threads(2), ..ReadOptions::default() };
            let input = Input::open(&path).unwrap();
            let (report, result) = tabiya_data::pgn::check(input, &options, 100, |_| {});
            assert_eq!(report.moves, expected.values().sum::<u64>());
            assert_eq!(result.err().map_or_else(Vec::new, |error| error.lines()), damage);
            with_damage += usize::from(!damage.is_empty());
            with_several += usize::from(damage.len() > 1);
            // The games behind the damage are there.
            assert!(expected.len() > 60 && expected.contains_key(&120) || frame_bytes == 20_000);
        }
    }
    assert!(with_damage >= 8 && with_several >= 2, "{with_damage}, {with_several}");
}
