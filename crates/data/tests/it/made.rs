//! Shared by the tests of data sets: random games, temporary directories, rows read back.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use chess::rng::Rng;
use chess::{Color, Position};
use tabiya_data::{
    DataError, Manifest, PrepareEvent, PrepareOptions, Prepared, Shard, Split, prepare,
};

/// Random games with evaluations, mates, gaps, clocks, ratings and results; every fourth of Chess960.
pub fn games(count: usize, seed: u64) -> String {
    let mut random = Rng::new(seed, 0);
    let mut text = String::new();
    for n in 0..count {
        let is_960 = n % 4 == 3;
        let start = chess::chess960::start(if is_960 { random.below(960) as u16 } else { 518 });
        let mut position = start.unwrap();
        let result = ["1-0", "0-1", "1/2-1/2", "*"][random.below(4)];
        text += &format!("[Event \"{n}\"]\n[Result \"{result}\"]\n");
        text += &format!("[WhiteElo \"{}\"]\n", 1_000 + random.below(2_000));
        text += &format!("[BlackElo \"{}\"]\n", 1_000 + random.below(2_000));
        text += ["[TimeControl \"60+0\"]\n", "[TimeControl \"300+3\"]\n"][random.below(2)];
        if is_960 {
            text += &format!("[Variant \"Chess960\"]\n[FEN \"{}\"]\n", position.fen());
        }
        text.push('\n');
        for _ in 0..20 + random.below(60) {
            let Some(m) = chess::random::legal_move(&position, &mut random) else { break };
            let dots = if position.turn() == Color::White { "." } else { "..." };
            text += &format!("{}{dots} {} ", position.fullmove_number(), position.san(m));
            match random.below(4) {
                0 => text += &format!("{{ [%eval {}.5] [%clk 0:01:30] }} ", random.below(9)),
                1 => text += &format!("{{ [%eval #-{}] }} ", 1 + random.below(9)),
                2 => text += "{ nothing to say } ",
                _ => {}
            }
            position = position.after(m);
        }
        text += &format!("{result}\n\n");
    }
    text
}

/// Options for many small shards.
pub fn small() -> PrepareOptions {
    PrepareOptions {
        with_eval: true,
        val_fraction: 0.2,
        shard_rows: 1_000,
        group_rows: 300,
        ..PrepareOptions::default()
    }
}

pub fn threads(n: usize) -> NonZero<usize> {
    NonZero::new(n).unwrap()
}

/// Writes a data set, and returns the reported problems.
pub fn make(
    inputs: &[PathBuf],
    out: &Path,
    options: &PrepareOptions,
    n: usize,
) -> (Result<Prepared, DataError>, Vec<String>) {
    let problems = Mutex::new(Vec::new());
    let result = prepare(inputs, out, options, threads(n), |event| {
        if let PrepareEvent::Problem(line) = event {
            problems.lock().unwrap().push(line.to_owned());
        }
    });
    (result, problems.into_inner().unwrap())
}

/// A row as text, all columns.
pub type TextRow = (Split, String);

/// All rows of a data set in order.
pub fn lines(folder: &Path) -> Vec<TextRow> {
    let manifest = Manifest::open(folder).unwrap();
    let columns = manifest.column_list().unwrap();
    let mut lines = Vec::new();
    for file in &manifest.files {
        let shard = Shard::open(&folder.join(&file.path)).unwrap();
        for group in 0..shard.row_groups().len() {
            for row in shard.read(group, &columns).unwrap().iter() {
                let text = format!(
                    "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    row.fen(),
                    row.best_move(),
                    row.eval(),
                    row.mate(),
                    row.result(),
                    row.ply(),
                    row.white_elo(),
                    row.black_elo(),
                    row.game(),
                    row.clock(),
                    row.board(),
                );
                lines.push((file.split, text));
            }
        }
    }
    lines
}

/// Number of moves of the games of a text.
pub fn moves(text: &str) -> u64 {
    struct Count(u64);
    impl chess::pgn::Watcher for Count {
        fn played(&mut self, _: &Position, _: chess::Move, _: &Position) -> chess::pgn::Next {
            self.0 += 1;
            chess::pgn::Next::Go
        }
        fn error(&mut self, _: chess::pgn::PgnError) {}
    }
    let mut replay = chess::pgn::Replay::new(Count(0));
    chess::pgn::read(text.as_bytes(), &mut replay);
    replay.watcher().0
}

/// The frames of a pzstd archive, each with `size` bytes of text.
pub fn pzstd(text: &[u8], size: usize) -> Vec<Vec<u8>> {
    let frame = |part: &[u8]| {
        let data = zstd::stream::encode_all(part, 3).unwrap();
        let mut frame = vec![0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0];
        frame.extend((data.len() as u32).to_le_bytes());
        frame.extend(data);
        frame
    };
    text.chunks(size).map(frame).collect()
}
