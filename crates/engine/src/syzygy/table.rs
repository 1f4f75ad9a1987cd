//! One file: WDL (`.rtbw`) or DTZ (`.rtbz`) values of all positions of a material configuration.
//!
//! ```text
//! magic number, flags
//! for each file of the leading pawn: order of the groups, pieces   one byte for both players to move
//! for each file, for each player to move: flags, sizes, codes, symbols
//! DTZ only: for each file, the value maps
//! sparse indices, block lengths, blocks                            each for all files and players
//! padding to 64 bytes, 16 bytes of a checksum
//! ```
//!
//! Files are memory-mapped. Opening a file validates its header and its exact length, so that damaged
//! headers, truncated files and wrong names are detected. The blocks are not validated, since that would read
//! the whole file: damage there is detected on a probe, or gives wrong values.

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

/// The kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Win, draw or loss.
    Wdl,
    /// Distance to zeroing.
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

/// Flags of a file: values for both sides to move; pawns present.
const SPLIT: u8 = 1;
const HAS_PAWNS: u8 = 2;

/// Flags of DTZ values: for Black to move rather than White; stored as a map index; wins and losses in plies
/// rather than moves; a map of 16-bit values.
const BLACK_TO_MOVE: u8 = 1;
const MAPPED: u8 = 2;
const WIN_PLIES: u8 = 4;
const LOSS_PLIES: u8 = 8;
const WIDE_MAP: u8 = 16;

/// The size of the checksum at the end of a file, after padding.
const CHECKSUM: usize = 16;
const ALIGNMENT: usize = 64;

/// A subtable: one file of the leading pawn, one side to move.
struct Subtable {
    encoding: Encoding,
    pairs: Pairs,
    /// The DTZ value maps of wins, losses, cursed wins and blessed losses.
    maps: Option<[Range<usize>; 4]>,
}

/// A table.
pub struct Table {
    bytes: Mmap,
    material: Material,
    lead: Lead,
    /// The number of sides to move stored.
    sides: usize,
    /// By file of the leading pawn, then by side to move.
    subtables: Vec<Subtable>,
}

/// A DTZ value in plies, and whether the true value may be one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoredDtz {
    pub plies: i32,
    pub rounded: bool,
}

/// The result of a DTZ lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DtzLookup {
    /// The stored value.
    Stored(StoredDtz),
    /// Only the other side to move is stored.
    OtherSide,
}

impl Table {
    /// Opens and checks a file.
    pub fn open(path: &Path, material: Material, kind: Kind) -> Result<Self, FileError> {
        let unreadable = |error: std::io::Error| FileError::Unreadable(error.to_string());
        // Checked first: opening a pipe would block.
        if !path.metadata().map_err(unreadable)?.is_file() {
            return Err(FileError::NotAFile);
        }
        let file = File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.len() == 0 {
            return Err(FileError::Truncated);
        }
        // SAFETY: the map is read-only, and every value read is validated as if it could change at any time.
        // If another process truncates the file while it is mapped, the system raises SIGBUS, as for every
        // program that maps files.
        let bytes = unsafe { Mmap::map(&file) }.map_err(unreadable)?;
        let sides = if kind == Kind::Wdl && !material.is_symmetric() { 2 } else { 1 };
        let subtables = read_subtables(&bytes, material, kind, sides)?;
        Ok(Self { bytes, material, lead: Lead::of(material), sides, subtables })
    }

    /// The subtable of a position with this material, whether colors are flipped in it, and whether Black is to
    /// move in it.
    fn subtable(&self, position: &Position, material: Material) -> Option<(&Subtable, bool, bool)> {
        let is_black = position.turn() == Color::Black;
        // Symmetric material is stored with White to move.
        let flip = if self.material.is_symmetric() { is_black } else { material != self.material };
        let black_to_move = flip != is_black;
        let file = match self.lead {
            Lead::Pawns(color) => lead_file(position.board(), color, flip),
            Lead::Unique | Lead::Kings => 0,
        };
        let side = if self.sides == 2 { usize::from(black_to_move) } else { 0 };
        Some((self.subtables.get(file * self.sides + side)?, flip, black_to_move))
    }

    fn value(&self, subtable: &Subtable, board: &Board, flip: bool) -> Option<u16> {
        subtable.pairs.value(&self.bytes, subtable.encoding.index(board, flip)?)
    }

    /// The WDL value of a position with this material, the table's own or with colors flipped.
    pub fn wdl(&self, position: &Position, material: Material) -> Option<Wdl> {
        let (subtable, flip, _) = self.subtable(position, material)?;
        Wdl::ALL.get(usize::from(self.value(subtable, position.board(), flip)?)).copied()
    }

    /// The DTZ value of a position with a known result.
    pub fn dtz(&self, position: &Position, material: Material, wdl: Wdl) -> Option<DtzLookup> {
        let (subtable, flip, black_to_move) = self.subtable(position, material)?;
        let flags = subtable.pairs.flags();
        let stored_for_black = flags & BLACK_TO_MOVE != 0;
        if stored_for_black != black_to_move && !self.material.is_symmetric() {
            return Some(DtzLookup::OtherSide);
        }
        let mut value = self.value(subtable, position.board(), flip)?;
        let (map, in_plies) = match wdl {
            Wdl::Win => (0, flags & WIN_PLIES != 0),
            Wdl::Loss => (1, flags & LOSS_PLIES != 0),
            Wdl::CursedWin => (2, false),
            Wdl::BlessedLoss => (3, false),
            Wdl::Draw => return None,
        };
        if let Some(maps) = &subtable.maps {
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

/// Reads and validates all of a file but its blocks.
fn read_subtables(
    bytes: &[u8],
    material: Material,
    kind: Kind,
    sides: usize,
) -> Result<Vec<Subtable>, FileError> {
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
    let mut subtables = Vec::new();
    for encoding in encodings {
        let pairs = Pairs::read(&mut reader, encoding.size())?;
        subtables.push(Subtable { encoding, pairs, maps: None });
    }
    if kind == Kind::Dtz {
        for subtable in &mut subtables {
            subtable.maps = read_maps(&mut reader, subtable.pairs.flags())?;
        }
        reader.align(2);
    }
    for subtable in &mut subtables {
        subtable.pairs.read_index(&mut reader)?;
    }
    for subtable in &mut subtables {
        subtable.pairs.read_lengths(&mut reader)?;
    }
    for subtable in &mut subtables {
        subtable.pairs.read_data(&mut reader)?;
    }
    let expected = reader.at().next_multiple_of(ALIGNMENT) + CHECKSUM;
    match bytes.len() {
        len if len < expected => Err(FileError::Truncated),
        len if len > expected => Err(FileError::TooLong),
        _ => Ok(subtables),
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

/// Reads the DTZ value maps, if values are map indices.
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
