//! One file: results (WDL, `.rtbw`) or distances (DTZ, `.rtbz`) of all positions with some material.
//!
//! ```text
//! magic number, flags
//! for each file of the leading pawn: order of the groups, pieces   one byte for both players to move
//! for each file, for each player to move: flags, sizes, codes, symbols
//! distances only: for each file, what the values mean
//! sparse indices, numbers of values in blocks, blocks              each for all files and players
//! padding to 64 bytes, 16 bytes of a checksum
//! ```
//!
//! Files are mapped into memory. The header is checked from front to back, and the file must be just as long
//! as it says: files that are damaged there, cut off or have a wrong name are found when they are opened.
//! The blocks are not looked at, since that would mean to read all of a file: damage there is found, or gives
//! wrong values, when a position leads there.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use chess::{Board, Color, Piece, Position};
use memmap2::Mmap;

use super::encoding::{Encoding, Lead, lead_file};
use super::material::Material;
use super::pairs::Pairs;
use super::reader::Reader;
use super::{FileError, Wdl};

/// What a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Results: win, draw or loss.
    Wdl,
    /// Distances to the next capture or pawn move.
    Dtz,
}

impl Kind {
    /// The kind of a file with this extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "rtbw" => Some(Self::Wdl),
            "rtbz" => Some(Self::Dtz),
            _ => None,
        }
    }

    const fn magic(self) -> [u8; 4] {
        match self {
            Self::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            Self::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }
}

/// Flags of a file: whether results are there for both players to move, and whether there are pawns.
const SPLIT: u8 = 1;
const HAS_PAWNS: u8 = 2;

/// Flags of distances: for Black to move rather than White; stored as an index of a map; wins and losses
/// counted in plies rather than moves; a map of 16-bit numbers.
const BLACK_TO_MOVE: u8 = 1;
const MAPPED: u8 = 2;
const WIN_PLIES: u8 = 4;
const LOSS_PLIES: u8 = 8;
const WIDE_MAP: u8 = 16;

/// The end of a file: a checksum, after padding.
const CHECKSUM: usize = 16;
const ALIGNMENT: usize = 64;

/// A part of a table: the leading pawn is on one file, and one player is to move.
struct Part {
    encoding: Encoding,
    pairs: Pairs,
    /// What distances are stored as, for wins, losses, cursed wins and blessed losses.
    maps: Option<[Range<usize>; 4]>,
}

/// A table.
pub struct Table {
    bytes: Mmap,
    material: Material,
    lead: Lead,
    /// How many players to move there are parts for.
    sides: usize,
    /// By file of the leading pawn, then by player to move.
    parts: Vec<Part>,
}

/// A distance in plies, and whether it may really be one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoredDtz {
    pub plies: i32,
    pub rounded: bool,
}

/// What a table of distances has of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DtzLookup {
    /// The distance.
    Stored(StoredDtz),
    /// Only positions with the other player to move are stored.
    OtherSide,
}

impl Table {
    /// Opens and checks a file.
    pub fn open(path: &Path, material: Material, kind: Kind) -> Result<Self, FileError> {
        let unreadable = |error: std::io::Error| FileError::Unreadable(error.to_string());
        // Asked first: to open a pipe would wait for somebody to write to it.
        if !path.metadata().map_err(unreadable)?.is_file() {
            return Err(FileError::NotAFile);
        }
        let file = File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.len() == 0 {
            return Err(FileError::Truncated);
        }
        // SAFETY: the map is only read, and all that is read from it is checked as if it could change at any
        // time. What cannot be checked: if another program cuts the file off while it is in use, the system
        // ends this one with SIGBUS, as it does with every program that maps files.
        let bytes = unsafe { Mmap::map(&file) }.map_err(unreadable)?;
        let sides = if kind == Kind::Wdl && !material.is_symmetric() { 2 } else { 1 };
        let parts = read_parts(&bytes, material, kind, sides)?;
        Ok(Self { bytes, material, lead: Lead::of(material), sides, parts })
    }

    /// Where a position with this material is: the part, whether colors are exchanged there, and whether the player to
    /// move is Black there.
    fn part(&self, position: &Position, material: Material) -> Option<(&Part, bool, bool)> {
        let is_black = position.turn() == Color::Black;
        // Where both have the same pieces, positions are stored with White to move.
        let flip = if self.material.is_symmetric() { is_black } else { material != self.material };
        let black_to_move = flip != is_black;
        let file = match self.lead {
            Lead::Pawns(color) => lead_file(position.board(), color, flip),
            Lead::Unique | Lead::Kings => 0,
        };
        let side = if self.sides == 2 { usize::from(black_to_move) } else { 0 };
        Some((self.parts.get(file * self.sides + side)?, flip, black_to_move))
    }

    fn value(&self, part: &Part, board: &Board, flip: bool) -> Option<u16> {
        part.pairs.value(&self.bytes, part.encoding.index(board, flip)?)
    }

    /// The result that a table of results has for a position with this material, its own or that with
    /// colors exchanged.
    pub fn wdl(&self, position: &Position, material: Material) -> Option<Wdl> {
        let (part, flip, _) = self.part(position, material)?;
        Wdl::ALL.get(usize::from(self.value(part, position.board(), flip)?)).copied()
    }

    /// The distance that a table of distances has for a position of which the result is known.
    pub fn dtz(&self, position: &Position, material: Material, wdl: Wdl) -> Option<DtzLookup> {
        let (part, flip, black_to_move) = self.part(position, material)?;
        let flags = part.pairs.flags();
        let stored_for_black = flags & BLACK_TO_MOVE != 0;
        if stored_for_black != black_to_move && !self.material.is_symmetric() {
            return Some(DtzLookup::OtherSide);
        }
        let mut value = self.value(part, position.board(), flip)?;
        let (map, in_plies) = match wdl {
            Wdl::Win => (0, flags & WIN_PLIES != 0),
            Wdl::Loss => (1, flags & LOSS_PLIES != 0),
            Wdl::CursedWin => (2, false),
            Wdl::BlessedLoss => (3, false),
            Wdl::Draw => return None,
        };
        if let Some(maps) = &part.maps {
            let map = self.bytes.get(maps[map].clone())?;
            let n = usize::from(value);
            value = if flags & WIDE_MAP != 0 {
                let entry = map.get(2 * n..2 * n + 2)?;
                u16::from_le_bytes([entry[0], entry[1]])
            } else {
                u16::from(*map.get(n)?)
            };
        }
        let plies = i32::from(value) * if in_plies { 1 } else { 2 } + 1;
        Some(DtzLookup::Stored(StoredDtz { plies, rounded: !in_plies }))
    }
}

/// Reads and checks all of a file but its blocks.
fn read_parts(
    bytes: &[u8],
    material: Material,
    kind: Kind,
    sides: usize,
) -> Result<Vec<Part>, FileError> {
    let mut reader = Reader::new(bytes);
    if reader.take(4)? != kind.magic() {
        return Err(FileError::Magic);
    }
    let pawns = [Color::White, Color::Black].map(|color| material.pawns(color));
    let has_pawns = pawns != [0, 0];
    let flags = reader.u8()?;
    if (flags & HAS_PAWNS != 0) != has_pawns || (flags & SPLIT != 0) == material.is_symmetric() {
        return Err(FileError::Material);
    }
    let files = if has_pawns { 4 } else { 1 };
    let mut encodings = Vec::new();
    for file in 0..files {
        read_encodings(&mut reader, material, file, sides, &mut encodings)?;
    }
    reader.align(2);
    let mut parts = Vec::new();
    for encoding in encodings {
        let pairs = Pairs::read(&mut reader, encoding.size())?;
        parts.push(Part { encoding, pairs, maps: None });
    }
    if kind == Kind::Dtz {
        for part in &mut parts {
            part.maps = read_maps(&mut reader, part.pairs.flags())?;
        }
        reader.align(2);
    }
    for part in &mut parts {
        part.pairs.read_index(&mut reader)?;
    }
    for part in &mut parts {
        part.pairs.read_lengths(&mut reader)?;
    }
    for part in &mut parts {
        part.pairs.read_data(&mut reader)?;
    }
    let expected = reader.at().next_multiple_of(ALIGNMENT) + CHECKSUM;
    match bytes.len() {
        len if len < expected => Err(FileError::Truncated),
        len if len > expected => Err(FileError::TooLong),
        _ => Ok(parts),
    }
}

/// Reads the order of groups and pieces for one file of the leading pawn.
fn read_encodings(
    reader: &mut Reader<'_>,
    material: Material,
    file: usize,
    sides: usize,
    encodings: &mut Vec<Encoding>,
) -> Result<(), FileError> {
    let mut orders = [reader.u8()?, 0];
    if material.pawns(Color::White) > 0 && material.pawns(Color::Black) > 0 {
        orders[1] = reader.u8()?;
    }
    let codes = reader.take(material.len())?;
    for side in 0..sides {
        let nibble = |byte: u8| byte >> (4 * side) & 15;
        // A pawn is 1 and a king 6 in the file; Black's pieces are 8 more.
        let piece = |&code: &u8| nibble(code).checked_sub(1).and_then(Piece::from_bits);
        let pieces: Option<Vec<Piece>> = codes.iter().map(piece).collect();
        let encoding = pieces
            .and_then(|pieces| Encoding::new(material, &pieces, orders.map(nibble), file))
            .ok_or(FileError::Material)?;
        encodings.push(encoding);
    }
    Ok(())
}

/// Reads what stored distances mean, if they are indices.
fn read_maps(reader: &mut Reader<'_>, flags: u8) -> Result<Option<[Range<usize>; 4]>, FileError> {
    if flags & MAPPED == 0 {
        return Ok(None);
    }
    let mut maps = [const { 0..0 }; 4];
    if flags & WIDE_MAP != 0 {
        reader.align(2);
    }
    for map in &mut maps {
        *map = if flags & WIDE_MAP != 0 {
            let count = reader.u16()?;
            reader.skip(count.into(), 2)?
        } else {
            let count = reader.u8()?;
            reader.skip(count.into(), 1)?
        };
    }
    Ok(Some(maps))
}
