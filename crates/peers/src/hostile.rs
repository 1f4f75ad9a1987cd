//! Hostile PGN: how long each reader takes for each shape of text, and whether twice the text takes
//! twice as long. Nothing here has a peer; the test of the same shapes counts bytes instead of seconds.

use std::fmt::Write as _;
use std::hint::black_box;
use std::num::NonZero;
use std::ops::ControlFlow;

use anyhow::ensure;
use chess::pgn::{Next, PgnError, Replay, Token, Trees, Visitor, Watcher, annotations};
use data::{Chunk, Input, ReadOptions, read_games};
use serde_json::json;

use crate::table::{measure, print};

#[path = "../../chess/src/pgn/hostile.rs"]
mod shapes;

/// Takes every token, and every variation.
struct Everything;

impl Visitor for Everything {
    fn comment(&mut self, comment: Token<'_>) -> Next {
        for annotation in annotations(comment.text) {
            black_box(annotation);
        }
        Next::Go
    }

    fn begin_variation(&mut self, _: usize) -> Next {
        Next::Go
    }
}

struct Moves;

impl Watcher for Moves {
    fn begin_variation(&mut self, _: &chess::Position) -> Next {
        Next::Go
    }

    fn error(&mut self, error: PgnError) {
        black_box(error);
    }
}

fn trees(text: &[u8]) {
    let mut written = String::new();
    for game in Trees::new(text) {
        let game = game.unwrap_or_else(|broken| broken.with_unread(text));
        written.clear();
        let _ = write!(written, "{game}");
        black_box(&written);
    }
}

fn chunks(text: &[u8]) {
    let options = ReadOptions {
        threads: NonZero::<usize>::MIN,
        chunk_bytes: 1 << 14,
        max_game_bytes: 1 << 16,
        parallel_frames: true,
    };
    let work = |chunk: Chunk<'_>| {
        if let Chunk::Games(text) = chunk {
            chess::pgn::read(text, &mut Everything);
        }
    };
    let input = Input::from_reader("text", std::io::Cursor::new(text.to_vec()));
    let read = input
        .and_then(|input| read_games(input, &options, work, |(), _| ControlFlow::Continue(())));
    read.expect("memory does not fail");
}

type Task = fn(&[u8]);

const READERS: [(&str, Task); 4] = [
    ("tokens", |text| chess::pgn::read(text, &mut Everything)),
    ("moves", |text| chess::pgn::read(text, &mut Replay::new(Moves))),
    ("trees", trees),
    ("chunks", chunks),
];

/// Seconds, the best of `rounds` rounds.
fn seconds(rounds: u32, task: Task, text: &[u8]) -> f64 {
    let all = (0..rounds).map(|_| measure(|| task(black_box(text))).0);
    all.fold(f64::INFINITY, f64::min)
}

pub fn run(bytes: usize, rounds: u32, as_json: bool) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    let mut report = Vec::new();
    let mut slow = Vec::new();
    for (shape, make) in shapes::SHAPES {
        // Repetitions for a quarter, half and all of the bytes.
        let repeated = make(1_000).len() as f64 / 1_000.0;
        let texts = [4, 2, 1].map(|part| make((bytes as f64 / repeated) as usize / part));
        for (name, task) in READERS {
            let times = texts.each_ref().map(|text| seconds(rounds, task, text.as_bytes()));
            let ratio = times[2] / times[1].max(1e-9);
            // Below this, times are noise.
            if ratio > 3.0 && times[2] > 0.05 {
                slow.push(format!("{name} of {shape}: {ratio:.1} times as long"));
            }
            let mut row = vec![format!("{shape}: {name}")];
            row.extend(times.map(|time| format!("{:.2}", time * 1e3)));
            row.push(format!("{ratio:.2}"));
            rows.push(row);
            report.push(json!({
                "shape": shape, "reader": name, "bytes": texts.each_ref().map(String::len),
                "seconds": times, "ratio": ratio,
            }));
        }
    }
    if as_json {
        println!("{}", json!({ "hostile": report, "slow": slow }));
    } else {
        let title = format!(
            "Hostile PGN: milliseconds for {}, {} and {bytes} bytes, and the last ratio",
            bytes / 4,
            bytes / 2
        );
        print(&title, &["", "quarter", "half", "whole", "ratio"], &rows);
    }
    ensure!(slow.is_empty(), "more than linear time:\n{}", slow.join("\n"));
    Ok(())
}
