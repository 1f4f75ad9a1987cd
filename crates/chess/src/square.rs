//! Squares, files and ranks: `a1 = 0, b1 = 1 … h8 = 63`.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::{Bitboard, Color};

/// A column of the board, `a` = 0 … `h` = 7.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "self-explanatory names")]
pub enum File {
    A = 0,
    B = 1,
    C = 2,
    D = 3,
    E = 4,
    F = 5,
    G = 6,
    H = 7,
}

impl File {
    /// All files from a to h.
    pub const ALL: [Self; 8] =
        [Self::A, Self::B, Self::C, Self::D, Self::E, Self::F, Self::G, Self::H];

    /// 0 for a … 7 for h.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The file with this number, if it is below 8.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < 8 { Some(Self::ALL[index]) } else { None }
    }

    /// The file with this number modulo 8, without a branch.
    #[inline(always)]
    pub const fn from_index_wrapping(index: usize) -> Self {
        Self::ALL[index & 7]
    }

    /// The lower-case letter.
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }

    /// The file of a letter in either case.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter.to_ascii_lowercase() {
            lower @ 'a'..='h' => Some(Self::ALL[lower as usize - 'a' as usize]),
            _ => None,
        }
    }

    /// The eight squares of the file.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(0x0101_0101_0101_0101 << self as u8)
    }
}

/// A row of the board, rank 1 = 0 … rank 8 = 7.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "self-explanatory names")]
pub enum Rank {
    First = 0,
    Second = 1,
    Third = 2,
    Fourth = 3,
    Fifth = 4,
    Sixth = 5,
    Seventh = 6,
    Eighth = 7,
}

impl Rank {
    /// All ranks from the first to the eighth.
    pub const ALL: [Self; 8] = [
        Self::First,
        Self::Second,
        Self::Third,
        Self::Fourth,
        Self::Fifth,
        Self::Sixth,
        Self::Seventh,
        Self::Eighth,
    ];

    /// 0 for the first rank … 7 for the eighth.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The rank with this number, if it is below 8.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < 8 { Some(Self::ALL[index]) } else { None }
    }

    /// The rank with this number modulo 8, without a branch.
    #[inline(always)]
    pub const fn from_index_wrapping(index: usize) -> Self {
        Self::ALL[index & 7]
    }

    /// The same rank seen from a player: `First` is his home rank.
    #[inline(always)]
    pub const fn relative_to(self, color: Color) -> Self {
        match color {
            Color::White => self,
            Color::Black => Self::ALL[7 - self as usize],
        }
    }

    /// The digit, `1` to `8`.
    pub const fn digit(self) -> char {
        (b'1' + self as u8) as char
    }

    /// The eight squares of the rank.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(0xff << (8 * self as u8))
    }
}

/// One of the 64 squares: `a1 = 0, b1 = 1 … h8 = 63`.
///
/// ```
/// use tabiya_chess::{File, Rank, Square};
/// let e4: Square = "e4".parse()?;
/// assert_eq!(e4, Square::E4);
/// assert_eq!(e4.index(), 28);
/// assert_eq!((e4.file(), e4.rank()), (File::E, Rank::Fourth));
/// assert_eq!(e4.to_string(), "e4");
/// # Ok::<(), tabiya_chess::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square with this number, if it is below 64.
    ///
    /// ```
    /// use tabiya_chess::Square;
    /// assert_eq!(Square::from_index(63), Some(Square::H8));
    /// assert_eq!(Square::from_index(64), None);
    /// assert_eq!(Square::try_from(64u8).unwrap_err().to_string(), "a square is a number below 64, not 64");
    /// ```
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < 64 { Some(Self(index as u8)) } else { None }
    }

    /// The square with this number modulo 64, without a branch: for numbers known to be below 64.
    #[inline(always)]
    pub const fn from_index_wrapping(index: usize) -> Self {
        Self((index & 63) as u8)
    }

    /// The square where a file and a rank meet.
    #[inline(always)]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self(file as u8 | (rank as u8) << 3)
    }

    /// All squares, a1, b1 … h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..64u8).map(Self)
    }

    /// 0 for a1 … 63 for h8. The compiler sees that it is below 64.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The column.
    #[inline(always)]
    pub const fn file(self) -> File {
        File::from_index_wrapping(self.0 as usize)
    }

    /// The row.
    #[inline(always)]
    pub const fn rank(self) -> Rank {
        Rank::from_index_wrapping((self.0 >> 3) as usize)
    }

    /// The name, `a1` to `h8`.
    #[inline]
    pub const fn name(self) -> &'static str {
        NAMES[self.index()]
    }

    /// The set that holds this square alone.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << (self.0 & 63))
    }

    /// The square at an offset of files and ranks, if it is on the board.
    ///
    /// ```
    /// use tabiya_chess::Square;
    /// assert_eq!(Square::G1.offset(-1, 2), Some(Square::F3));
    /// assert_eq!(Square::H1.offset(1, 0), None);
    /// ```
    #[inline]
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Self> {
        let file = (self.0 & 7) as i8 + files;
        let rank = (self.0 >> 3) as i8 + ranks;
        if file < 0 || file > 7 || rank < 0 || rank > 7 {
            return None;
        }
        Some(Self((rank * 8 + file) as u8))
    }

    /// The square `step` further in the numbering, wrapping around at the ends of the board.
    #[inline(always)]
    pub(crate) const fn step(self, step: i8) -> Self {
        Self((self.0 as i8).wrapping_add(step) as u8 & 63)
    }

    /// The square as the other player sees it: the same file, the rank counted from the other end.
    #[inline(always)]
    pub const fn flip_rank(self) -> Self {
        Self(self.0 ^ 56)
    }

    /// The Chebyshev distance: king moves between two squares.
    pub const fn distance(self, other: Self) -> u8 {
        let files = (self.0 & 7).abs_diff(other.0 & 7);
        let ranks = (self.0 >> 3).abs_diff(other.0 >> 3);
        if files > ranks { files } else { ranks }
    }

    /// Whether the square is a light one (h1 is).
    pub const fn is_light(self) -> bool {
        Bitboard::LIGHT_SQUARES.0 & self.bitboard().0 != 0
    }
}

#[rustfmt::skip]
static NAMES: [&str; 64] = [
    "a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1",
    "a2", "b2", "c2", "d2", "e2", "f2", "g2", "h2",
    "a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3",
    "a4", "b4", "c4", "d4", "e4", "f4", "g4", "h4",
    "a5", "b5", "c5", "d5", "e5", "f5", "g5", "h5",
    "a6", "b6", "c6", "d6", "e6", "f6", "g6", "h6",
    "a7", "b7", "c7", "d7", "e7", "f7", "g7", "h7",
    "a8", "b8", "c8", "d8", "e8", "f8", "g8", "h8",
];

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The number is not a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a square is a number below 64, not {0}")]
pub struct SquareIndexError(pub usize);

macro_rules! square_from_number {
    ($($number:ty)*) => {$(
        impl TryFrom<$number> for Square {
            type Error = SquareIndexError;

            #[inline]
            fn try_from(index: $number) -> Result<Self, Self::Error> {
                Self::from_index(index as usize).ok_or(SquareIndexError(index as usize))
            }
        }
        impl From<Square> for $number {
            #[inline(always)]
            fn from(square: Square) -> Self {
                square.index() as $number
            }
        }
    )*};
}

square_from_number!(u8 usize);

/// The text is not a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a square is a file a–h and a rank 1–8, not '{0}'")]
pub struct ParseSquareError(pub String);

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Self(file - b'a' + (rank - b'1') * 8)),
            _ => Err(ParseSquareError(text.to_owned())),
        }
    }
}

macro_rules! named_squares {
    ($($name:ident = $index:expr),* $(,)?) => {
        #[allow(missing_docs, reason = "self-explanatory names")]
        impl Square {
            $(pub const $name: Self = Self($index);)*
        }
    };
}

named_squares! {
    A1 = 0, B1 = 1, C1 = 2, D1 = 3, E1 = 4, F1 = 5, G1 = 6, H1 = 7,
    A2 = 8, B2 = 9, C2 = 10, D2 = 11, E2 = 12, F2 = 13, G2 = 14, H2 = 15,
    A3 = 16, B3 = 17, C3 = 18, D3 = 19, E3 = 20, F3 = 21, G3 = 22, H3 = 23,
    A4 = 24, B4 = 25, C4 = 26, D4 = 27, E4 = 28, F4 = 29, G4 = 30, H4 = 31,
    A5 = 32, B5 = 33, C5 = 34, D5 = 35, E5 = 36, F5 = 37, G5 = 38, H5 = 39,
    A6 = 40, B6 = 41, C6 = 42, D6 = 43, E6 = 44, F6 = 45, G6 = 46, H6 = 47,
    A7 = 48, B7 = 49, C7 = 50, D7 = 51, E7 = 52, F7 = 53, G7 = 54, H7 = 55,
    A8 = 56, B8 = 57, C8 = 58, D8 = 59, E8 = 60, F8 = 61, G8 = 62, H8 = 63,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_round_trip_through_text_and_coordinates() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(Square::new(square.file(), square.rank()), square);
            assert_eq!(Square::from_index_wrapping(square.index()), square);
            assert_eq!(Square::from_index(square.index()), Some(square));
            assert_eq!(Square::try_from(u8::from(square)), Ok(square));
        }
        assert_eq!(Square::all().len(), 64);
    }

    #[test]
    fn numbers_beyond_the_board_are_no_squares() {
        for index in (64..600).chain([usize::MAX]) {
            assert_eq!(Square::from_index(index), None);
            assert_eq!(Square::try_from(index), Err(SquareIndexError(index)));
        }
        assert!((8..300).all(|n| File::from_index(n).is_none() && Rank::from_index(n).is_none()));
        assert!((0..8).all(|n| File::from_index(n) == Some(File::ALL[n])));
        assert!((0..8).all(|n| Rank::from_index(n) == Some(Rank::ALL[n])));
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in ["", "e", "e44", "E4", "i1", "a0", "a9", "é4"] {
            assert_eq!(text.parse::<Square>(), Err(ParseSquareError(text.to_owned())));
        }
    }

    #[test]
    fn flipping_keeps_the_file_and_mirrors_the_rank() {
        assert_eq!(Square::E2.flip_rank(), Square::E7);
        assert_eq!(Rank::Second.relative_to(Color::Black), Rank::Seventh);
        assert!(Square::H1.is_light() && !Square::A1.is_light());
    }
}
