//! Reading PGN: tokens alone, moves played, and moves played with FEN and UCI text of every position.
//!
//! All read the same bytes from memory on one thread, main lines only, and must count the same games
//! and moves. "Tokens" includes reading each move's text to its parts, because both libraries do so
//! before they call the visitor.

use std::hint::black_box;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context;
use chess::pgn::{Next, PgnError, Replay, TagValue, Token, Visitor, Watcher};
use chess::{CastlingStyle, FenStyle, FenWriter, Move, Position, San};
use pgn_reader::{RawTag, SanPlus};
use serde_json::json;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

use crate::table::{measure, print};

/// Games, moves, and a sum over all text written, so that nothing is optimised away.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
struct Counts {
    games: u64,
    moves: u64,
    text: u64,
}

type Task = fn(&[u8]) -> Counts;

const MODES: [(&str, &str, Task, Task); 3] = [
    ("tokens", "pgn-reader", tabiya_tokens, peer_tokens),
    ("moves", "pgn-reader + shakmaty", tabiya_moves, peer_moves::<false>),
    ("text", "pgn-reader + shakmaty", tabiya_text, peer_moves::<true>),
];

pub fn run(file: &Path, limit_mb: usize, rounds: u32, as_json: bool) -> anyhow::Result<()> {
    let text = load(file, limit_mb * 1_000_000)?;
    let mut speeds = [[0f64; 2]; 3];
    let mut counts = [[Counts::default(); 2]; 3];
    for _ in 0..rounds {
        for (mode, &(_, _, ours, theirs)) in MODES.iter().enumerate() {
            for (who, task) in [ours, theirs].into_iter().enumerate() {
                let (seconds, count) = measure(|| task(black_box(&text)));
                counts[mode][who] = count;
                speeds[mode][who] = speeds[mode][who].max(text.len() as f64 / 1e6 / seconds);
            }
        }
    }
    for (mode, pair) in counts.iter().enumerate() {
        let (name, peer, ..) = MODES[mode];
        let [ours, theirs] = pair;
        anyhow::ensure!(ours == theirs, "{name}: tabiya {ours:?}, {peer} {theirs:?}");
    }
    let Counts { games, moves, .. } = counts[0][0];
    if as_json {
        let mut report = serde_json::Map::new();
        for (mode, (name, ..)) in MODES.iter().enumerate() {
            let [ours, theirs] = speeds[mode];
            report.insert((*name).to_owned(), json!({ "tabiya": ours, "pgn-reader": theirs }));
        }
        report.insert("bytes".to_owned(), json!(text.len()));
        report.insert("games".to_owned(), json!(games));
        report.insert("moves_counted".to_owned(), json!(moves));
        println!("{}", serde_json::Value::Object(report));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = MODES
        .iter()
        .zip(speeds)
        .map(|((name, peer, ..), [ours, theirs])| {
            let million = moves as f64 / (text.len() as f64 / 1e6) / 1e6;
            vec![
                format!("{name} (against {peer})"),
                format!("{ours:.0}"),
                format!("{theirs:.0}"),
                format!("{:.1}", ours * million),
                format!("{:.2}", ours / theirs),
            ]
        })
        .collect();
    let title = format!(
        "PGN, {:.1} MB, {games} games, {moves} moves: MB per CPU second, one thread",
        text.len() as f64 / 1e6
    );
    print(&title, &["", "tabiya", "peer", "tabiya, M moves/s", "ratio"], &rows);
    Ok(())
}

/// The first bytes of a file, unpacked if it is compressed, up to the end of the last whole game.
pub fn load(file: &Path, limit: usize) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    data::Input::open(file)?.take(limit as u64).read_to_end(&mut text)?;
    if text.len() == limit {
        let end = chess::pgn::border::last(&text).context("no game ends within the limit")?;
        text.truncate(end);
    }
    Ok(text)
}

// Tabiya.

impl Visitor for Counts {
    fn san(&mut self, san: San, _: Token<'_>) -> Next {
        black_box(san);
        self.moves += 1;
        Next::Go
    }

    fn tag(&mut self, name: Token<'_>, value: TagValue<'_>) -> Next {
        black_box((name.text.len(), value.raw().len()));
        Next::Go
    }

    fn end_game(&mut self) {
        self.games += 1;
    }
}

fn tabiya_tokens(text: &[u8]) -> Counts {
    let mut counts = Counts::default();
    chess::pgn::read(text, &mut counts);
    counts
}

impl Watcher for Counts {
    fn played(&mut self, _: &Position, _: Move, after: &Position) -> Next {
        black_box(after);
        self.moves += 1;
        Next::Go
    }

    fn error(&mut self, error: PgnError) {
        eprintln!("tabiya: {error}");
    }

    fn end_game(&mut self) {
        self.games += 1;
    }
}

fn tabiya_moves(text: &[u8]) -> Counts {
    let mut replay = Replay::new(Counts::default());
    chess::pgn::read(text, &mut replay);
    replay.into_watcher()
}

/// Writes both texts of every move into one buffer, as a converter would.
struct Writer {
    counts: Counts,
    fen: FenWriter,
    buffer: Vec<u8>,
}

impl Watcher for Writer {
    fn played(&mut self, before: &Position, m: Move, after: &Position) -> Next {
        self.buffer.clear();
        self.fen.append(after, &mut self.buffer);
        before.append_uci_bytes(m, CastlingStyle::Standard, &mut self.buffer);
        self.counts.moves += 1;
        self.counts.text += black_box(&self.buffer).len() as u64;
        Next::Go
    }

    fn error(&mut self, error: PgnError) {
        eprintln!("tabiya: {error}");
    }

    fn end_game(&mut self) {
        self.counts.games += 1;
    }
}

fn tabiya_text(text: &[u8]) -> Counts {
    let fen = FenWriter::new(FenStyle::Standard);
    let writer = Writer { counts: Counts::default(), fen, buffer: Vec::new() };
    let mut replay = Replay::new(writer);
    chess::pgn::read(text, &mut replay);
    replay.into_watcher().counts
}

// pgn-reader and shakmaty.

#[derive(Default)]
struct PeerTokens(Counts);

impl pgn_reader::Visitor for PeerTokens {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, _: &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        black_box((name.len(), value.as_bytes().len()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, _: &mut (), san: SanPlus) -> ControlFlow<()> {
        black_box(san);
        self.0.moves += 1;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {
        self.0.games += 1;
    }
}

fn peer_tokens(text: &[u8]) -> Counts {
    let mut visitor = PeerTokens::default();
    let mut reader = pgn_reader::Reader::new(std::io::Cursor::new(text));
    while reader.read_game(&mut visitor).expect("memory does not fail").is_some() {}
    visitor.0
}

#[derive(Default)]
struct PeerMoves<const TEXT: bool> {
    counts: Counts,
    buffer: String,
}

impl<const TEXT: bool> pgn_reader::Visitor for PeerMoves<TEXT> {
    type Tags = Option<Chess>;
    type Movetext = Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Option<Chess>> {
        self.counts.games += 1;
        ControlFlow::Continue(None)
    }

    fn tag(&mut self, tags: &mut Option<Chess>, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        if name == b"FEN" {
            let position = Fen::from_ascii(value.as_bytes())
                .ok()
                .and_then(|fen| fen.into_position(CastlingMode::Chess960).ok());
            match position {
                Some(position) => *tags = Some(position),
                None => {
                    eprintln!("shakmaty: bad FEN");
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Option<Chess>) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(tags.unwrap_or_default())
    }

    fn san(&mut self, position: &mut Chess, san: SanPlus) -> ControlFlow<()> {
        let Ok(m) = san.san.to_move(position) else {
            eprintln!("shakmaty: bad move {san}");
            return ControlFlow::Break(());
        };
        position.play_unchecked(m);
        self.counts.moves += 1;
        if TEXT {
            self.buffer.clear();
            let fen = Fen::from_position(position, EnPassantMode::Legal);
            fen.append_to_string(&mut self.buffer);
            m.to_uci(CastlingMode::Standard).append_to_string(&mut self.buffer);
            self.counts.text += black_box(&self.buffer).len() as u64;
        } else {
            black_box(position);
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, _: Chess) {}
}

fn peer_moves<const TEXT: bool>(text: &[u8]) -> Counts {
    let mut visitor = PeerMoves::<TEXT>::default();
    let mut reader = pgn_reader::Reader::new(std::io::Cursor::new(text));
    while reader.read_game(&mut visitor).expect("memory does not fail").is_some() {}
    visitor.counts
}
