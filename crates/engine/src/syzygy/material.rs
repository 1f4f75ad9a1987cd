//! The material configuration: the key of a table and the name of its files.

use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

use chess::{Board, Color, Piece, PieceType};

/// The maximum number of pieces, kings included.
pub const MAX_PIECES: usize = 7;

/// The number of pieces of each color and type but kings, three bits each: White's pawns to queens,
/// then Black's.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Material(u32);

const BITS_OF_TYPE: u32 = 3;
const BITS_OF_COLOR: u32 = 5 * BITS_OF_TYPE;

const fn shift(color: Color, piece_type: PieceType) -> u32 {
    color as u32 * BITS_OF_COLOR + piece_type as u32 * BITS_OF_TYPE
}

/// All piece types but the king.
const COUNTED: [PieceType; 5] =
    [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

impl Material {
    /// Two kings and nothing else.
    pub const KINGS: Self = Self(0);

    /// The material of a board with at most [`MAX_PIECES`] pieces.
    pub fn of(board: &Board) -> Self {
        // Few pieces are looked at one by one sooner than twelve sets are counted.
        let mut bits = 0;
        for square in board.occupied() - board.piece_type(PieceType::King) {
            if let Some(piece) = board.piece_at(square) {
                bits += 1 << shift(piece.color(), piece.piece_type());
            }
        }
        Self(bits)
    }

    /// The material of a file's name without extension, such as `KRPvKR`.
    pub fn from_name(name: &str) -> Option<Self> {
        if !(3..=MAX_PIECES + 1).contains(&name.len()) {
            return None;
        }
        let (white, black) = name.split_once('v')?;
        let mut bits = 0;
        for (color, letters) in [(Color::White, white), (Color::Black, black)] {
            for letter in letters.strip_prefix('K')?.chars() {
                let piece_type = PieceType::from_letter(letter).filter(|t| COUNTED.contains(t))?;
                if !letter.is_ascii_uppercase() {
                    return None;
                }
                bits += 1 << shift(color, piece_type);
            }
        }
        (bits != 0).then_some(Self(bits))
    }

    /// The number of pieces of a color and type.
    pub const fn count(self, piece: Piece) -> usize {
        match piece.piece_type() {
            PieceType::King => 1,
            piece_type => (self.0 >> shift(piece.color(), piece_type)) as usize & 7,
        }
    }

    /// The number of pieces, kings included.
    pub fn len(self) -> usize {
        Piece::ALL.iter().map(|&piece| self.count(piece)).sum()
    }

    /// The number of a player's pawns.
    pub const fn pawns(self, color: Color) -> usize {
        self.count(Piece::new(color, PieceType::Pawn))
    }

    /// The material with colors flipped.
    pub const fn flipped(self) -> Self {
        Self((self.0 >> BITS_OF_COLOR) | (self.0 & ((1 << BITS_OF_COLOR) - 1)) << BITS_OF_COLOR)
    }

    /// Whether both players have the same pieces.
    pub fn is_symmetric(self) -> bool {
        self == self.flipped()
    }
}

/// The name, as in `KRPvKR`.
impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (color, start) in [(Color::White, "K"), (Color::Black, "vK")] {
            f.write_str(start)?;
            for piece_type in COUNTED.into_iter().rev() {
                let letter = Piece::new(Color::White, piece_type).letter();
                for _ in 0..self.count(Piece::new(color, piece_type)) {
                    write!(f, "{letter}")?;
                }
            }
        }
        Ok(())
    }
}

/// A fast hasher: one multiplication.
#[derive(Default)]
pub struct MaterialHasher(u64);

impl Hasher for MaterialHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }
    fn write_u32(&mut self, n: u32) {
        // The constant of Fibonacci hashing. High and low bits are both used by the map.
        let product = (self.0 ^ u64::from(n)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}

/// The hasher of maps by material.
pub type BuildMaterialHasher = BuildHasherDefault<MaterialHasher>;

#[cfg(test)]
mod tests {
    use chess::Position;

    use super::*;

    #[test]
    fn names_round_trip() {
        for name in ["KQvK", "KRPvKR", "KPPPPPvK", "KvKQ", "KBNvKRP"] {
            let material = Material::from_name(name).unwrap();
            assert_eq!(format!("{material:?}"), name);
            assert_eq!(material.len(), name.len() - 1);
            assert_eq!(material.flipped().flipped(), material);
        }
        for name in [
            "",
            "K",
            "KvK",
            "KQ",
            "QvK",
            "KQvKv",
            "kqvk",
            "KQvk",
            "KqvK",
            "KKvK",
            "KQQQQvKQQ",
            "KévK",
        ] {
            assert_eq!(Material::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn a_position_has_the_material_of_its_table() {
        let position: Position = "8/8/2k1r3/8/3P4/3K3R/8/8 w - - 0 1".parse().unwrap();
        let material = Material::of(position.board());
        assert_eq!(format!("{material:?}"), "KRPvKR");
        assert!(!material.is_symmetric());
        assert!(Material::from_name("KRPvKRP").unwrap().is_symmetric());
    }
}
