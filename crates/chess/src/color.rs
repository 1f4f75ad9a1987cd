//! The two players.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::ops::Not;
use core::str::FromStr;

/// A player, or the color of a piece.
///
/// ```
/// use tabiya_chess::Color;
/// assert_eq!(!Color::White, Color::Black);
/// assert_eq!("b".parse(), Ok(Color::Black));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// The first player.
    White = 0,
    /// The second player.
    Black = 1,
}

impl Color {
    /// Both colors, White first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// 0 for White, 1 for Black.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether it is White.
    #[inline(always)]
    pub const fn is_white(self) -> bool {
        matches!(self, Self::White)
    }

    /// Whether it is Black.
    #[inline(always)]
    pub const fn is_black(self) -> bool {
        matches!(self, Self::Black)
    }

    /// `w` or `b`, as FEN writes it.
    pub const fn letter(self) -> char {
        match self {
            Self::White => 'w',
            Self::Black => 'b',
        }
    }
}

impl Not for Color {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::White => "White",
            Self::Black => "Black",
        })
    }
}

/// The text is neither `w` nor `b`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a color is 'w' or 'b', not '{0}'")]
pub struct ParseColorError(pub String);

impl FromStr for Color {
    type Err = ParseColorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "w" => Ok(Self::White),
            "b" => Ok(Self::Black),
            _ => Err(ParseColorError(text.to_owned())),
        }
    }
}
