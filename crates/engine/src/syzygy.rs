//! Endgame tablebases: perfect knowledge of positions with few pieces, from files made by Syzygy.
//!
//! Reading them is pyrrhic-rs's work. It keeps the tables in statics, so a process has one set of
//! tables at a time: engines that ask for the same folders share it, and others are refused while it
//! is in use.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use chess::{Bitboard, Move, PieceType, Position, Square, attacks, sliders};
use pyrrhic_rs::{DtzProbeValue, EngineAdapter, TBError, TableBases, WdlProbeResult};

use crate::score::{DRAW, Score, TABLEBASE_WIN};
use crate::search::RootMove;

/// The attacks that pyrrhic asks for, from our tables.
#[derive(Clone)]
struct Adapter;

fn square(index: u64) -> Square {
    Square::from_index(index as usize)
}

impl EngineAdapter for Adapter {
    fn pawn_attacks(color: pyrrhic_rs::Color, from: u64) -> u64 {
        let color = match color {
            pyrrhic_rs::Color::White => chess::Color::White,
            pyrrhic_rs::Color::Black => chess::Color::Black,
        };
        attacks::pawn(color, square(from)).0
    }
    fn knight_attacks(from: u64) -> u64 {
        attacks::knight(square(from)).0
    }
    fn bishop_attacks(from: u64, occupied: u64) -> u64 {
        sliders::bishop(square(from), Bitboard(occupied)).0
    }
    fn rook_attacks(from: u64, occupied: u64) -> u64 {
        sliders::rook(square(from), Bitboard(occupied)).0
    }
    fn queen_attacks(from: u64, occupied: u64) -> u64 {
        sliders::queen(square(from), Bitboard(occupied)).0
    }
    fn king_attacks(from: u64) -> u64 {
        attacks::king(square(from)).0
    }
}

struct Loaded {
    path: String,
    /// The most pieces of any table that is there.
    max_pieces: usize,
    tables: TableBases<Adapter>,
    /// Distances at the root are looked up by one thread at a time: pyrrhic demands it.
    root: Mutex<()>,
}

static IN_USE: Mutex<Weak<Loaded>> = Mutex::new(Weak::new());

/// A set of tables.
#[derive(Clone)]
pub struct Tablebases(Arc<Loaded>);

/// Why no tables can be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TablebaseError {
    /// There is no such folder.
    #[error("{0}: no such folder")]
    NoFolder(String),
    /// There is no table in any of the folders.
    #[error("{0}: no tablebase files (*.rtbw) there")]
    NoFiles(String),
    /// Another engine of this process uses other tables.
    #[error("other tablebases are in use: {0}")]
    InUse(String),
    /// The files are there but cannot be used.
    #[error("{0}: the tablebase files cannot be loaded")]
    Broken(String),
    /// A file is not what its name says, or not all of it is there.
    #[error("{0} is no whole tablebase file")]
    BrokenFile(String),
}

/// What separates folders, as everywhere on the system.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// The two kinds of files, results and distances, and what they begin with.
const KINDS: [(&str, [u8; 4]); 2] =
    [("rtbw", [0x71, 0xe8, 0x23, 0x5d]), ("rtbz", [0xd7, 0x66, 0x0c, 0xa5])];

/// Whether a file begins as it should and has a length that its kind can have: pyrrhic maps files into
/// memory and believes what it finds there.
fn is_whole(path: &Path, magic: [u8; 4]) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    let mut head = [0; 4];
    metadata.is_file()
        && metadata.len() % 64 == 16
        && File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok()
        && head == magic
}

impl Tablebases {
    /// The tables in these folders, separated by `:` (by `;` on Windows).
    pub fn open(path: &str) -> Result<Self, TablebaseError> {
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = in_use.upgrade() {
            if loaded.path == path {
                return Ok(Self(loaded));
            }
            return Err(TablebaseError::InUse(loaded.path.clone()));
        }
        // Asked here, because pyrrhic cannot be asked again once it has found nothing.
        let mut max_pieces = 0;
        for folder in path.split(SEPARATOR) {
            let entries = Path::new(folder)
                .read_dir()
                .map_err(|_| TablebaseError::NoFolder(folder.to_owned()))?;
            for entry in entries.flatten() {
                let path = entry.path();
                let extension = path.extension().and_then(|extension| extension.to_str());
                let Some((_, magic)) = KINDS.iter().find(|(kind, _)| extension == Some(kind))
                else {
                    continue;
                };
                if !is_whole(&path, *magic) {
                    return Err(TablebaseError::BrokenFile(path.display().to_string()));
                }
                if extension == Some(KINDS[0].0) {
                    let name = entry.file_name();
                    let pieces =
                        name.to_string_lossy().chars().filter(char::is_ascii_uppercase).count();
                    max_pieces = max_pieces.max(pieces);
                }
            }
        }
        if max_pieces == 0 {
            return Err(TablebaseError::NoFiles(path.to_owned()));
        }
        let tables = TableBases::new(path).map_err(|error| match error {
            TBError::AlreadyInitialized => TablebaseError::InUse("other folders".to_owned()),
            _ => TablebaseError::Broken(path.to_owned()),
        })?;
        let loaded = Loaded { path: path.to_owned(), max_pieces, tables, root: Mutex::new(()) };
        let loaded = Arc::new(loaded);
        *in_use = Arc::downgrade(&loaded);
        Ok(Self(loaded))
    }

    /// The most pieces, kings included, that the tables know.
    pub fn max_pieces(&self) -> usize {
        self.0.max_pieces
    }

    fn covers(&self, position: &Position) -> bool {
        position.castling_rooks().is_empty() && position.occupied().len() <= self.max_pieces()
    }

    /// The score of a position just after a capture or a pawn move, if the tables know it.
    pub fn score(&self, position: &Position, ply: usize) -> Option<Score> {
        if position.halfmove_clock() != 0 || !self.covers(position) {
            return None;
        }
        let p = Planes::of(position);
        let result = self.0.tables.probe_wdl(
            p.white, p.black, p.kings, p.queens, p.rooks, p.bishops, p.knights, p.pawns, p.ep,
            p.turn,
        );
        Some(match result.ok()? {
            WdlProbeResult::Win => TABLEBASE_WIN - ply as Score,
            WdlProbeResult::Loss => ply as Score - TABLEBASE_WIN,
            WdlProbeResult::CursedWin => DRAW + 1,
            WdlProbeResult::BlessedLoss => DRAW - 1,
            WdlProbeResult::Draw => DRAW,
        })
    }

    /// Gives the moves at the root what the tables know of them, if they know the position. Among
    /// winning moves, the one that comes to a capture, a pawn move or mate soonest is the best, so
    /// that there always is progress; among losing ones, the one that puts it off longest.
    pub fn rank_root(&self, position: &Position, moves: &mut [RootMove]) {
        if !self.covers(position) {
            return;
        }
        let p = Planes::of(position);
        let clock = u32::from(position.halfmove_clock());
        let _alone = self.0.root.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(results) = self.0.tables.probe_root(
            p.white, p.black, p.kings, p.queens, p.rooks, p.bishops, p.knights, p.pawns, clock,
            p.ep, p.turn,
        ) else {
            return;
        };
        let mut known = Vec::new();
        for value in &results.moves[..results.num_moves] {
            let DtzProbeValue::DtzResult(result) = value else { return };
            let distance = i32::from(result.dtz);
            let (rank, score) = match result.wdl {
                WdlProbeResult::Win => (20_000 - distance, TABLEBASE_WIN - distance.min(100)),
                WdlProbeResult::CursedWin => (10_000 - distance, DRAW + 1),
                WdlProbeResult::Draw => (0, DRAW),
                WdlProbeResult::BlessedLoss => (-10_000 + distance, DRAW - 1),
                WdlProbeResult::Loss => (-20_000 + distance, distance.min(100) - TABLEBASE_WIN),
            };
            let promotion = match result.promotion {
                pyrrhic_rs::Piece::Knight => Some(PieceType::Knight),
                pyrrhic_rs::Piece::Bishop => Some(PieceType::Bishop),
                pyrrhic_rs::Piece::Rook => Some(PieceType::Rook),
                pyrrhic_rs::Piece::Queen => Some(PieceType::Queen),
                _ => None,
            };
            known.push((result.from_square, result.to_square, promotion, rank, score));
        }
        let find = |m: Move| {
            let matches =
                |&&(from, to, promotion, ..): &&(u8, u8, Option<PieceType>, i32, Score)| {
                    usize::from(from) == m.from().index()
                        && usize::from(to) == m.to().index()
                        && promotion == m.promotion()
                };
            known.iter().find(matches).map(|&(_, _, _, rank, score)| (rank, score))
        };
        // All or none: a move that is not known could be better than those that are.
        let Some(found) = moves.iter().map(|root| find(root.m)).collect::<Option<Vec<_>>>() else {
            return;
        };
        for (root, (rank, score)) in moves.iter_mut().zip(found) {
            root.tablebase_rank = rank;
            root.tablebase_score = Some(score);
        }
        moves.sort_by_key(|root| -root.tablebase_rank);
    }
}

/// A position as pyrrhic wants it.
struct Planes {
    white: u64,
    black: u64,
    kings: u64,
    queens: u64,
    rooks: u64,
    bishops: u64,
    knights: u64,
    pawns: u64,
    ep: u32,
    turn: bool,
}

impl Planes {
    fn of(position: &Position) -> Self {
        let board = position.board();
        let of = |piece_type| board.piece_type(piece_type).0;
        Self {
            white: board.color(chess::Color::White).0,
            black: board.color(chess::Color::Black).0,
            kings: of(PieceType::King),
            queens: of(PieceType::Queen),
            rooks: of(PieceType::Rook),
            bishops: of(PieceType::Bishop),
            knights: of(PieceType::Knight),
            pawns: of(PieceType::Pawn),
            ep: position.en_passant().map_or(0, |square| square.index() as u32),
            turn: position.turn() == chess::Color::White,
        }
    }
}
