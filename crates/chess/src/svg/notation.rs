//! Arrows and marks as text, in the notation of `[%cal Ge2e4]` and `[%csl Yf7]`.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::str::FromStr;

use super::{Arrow, MarkColor};
use crate::{ParseSquareError, Square};

/// Why a text is no arrow or mark.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarkError {
    /// The first letter is no color.
    #[error("'{0}' does not start with a color G, R, Y or B")]
    Color(String),
    /// The second square is missing.
    #[error("an arrow needs two squares")]
    Squares,
    /// A square is invalid.
    #[error(transparent)]
    Square(#[from] ParseSquareError),
}

/// Splits off the color letter.
fn split_color(text: &str) -> Result<(MarkColor, &str), MarkError> {
    let mut rest = text.chars();
    let color = rest.next().and_then(MarkColor::from_letter);
    Ok((color.ok_or_else(|| MarkError::Color(text.to_owned()))?, rest.as_str()))
}

/// Parses a marked square: a color letter and a square.
///
/// ```
/// use tabiya_chess::Square;
/// use tabiya_chess::svg::{MarkColor, parse_mark};
/// assert_eq!(parse_mark("Yf7"), Ok((Square::F7, MarkColor::Yellow)));
/// ```
pub fn parse_mark(text: &str) -> Result<(Square, MarkColor), MarkError> {
    let (color, square) = split_color(text)?;
    Ok((square.parse()?, color))
}

impl FromStr for Arrow {
    type Err = MarkError;

    /// Parses a color letter and two squares: `Ge2e4`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (color, squares) = split_color(text)?;
        let (from, to) = squares.split_at_checked(2).ok_or(MarkError::Squares)?;
        Ok(Self::new(from.parse()?, to.parse()?, color))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_is_a_color_and_two_squares() {
        let arrow = Arrow::new(Square::E2, Square::E4, MarkColor::Green);
        assert_eq!("Ge2e4".parse(), Ok(arrow));
        assert_eq!("Xe2e4".parse::<Arrow>(), Err(MarkError::Color("Xe2e4".to_owned())));
        assert_eq!("Ge".parse::<Arrow>(), Err(MarkError::Squares));
        for text in ["", "G", "Ge2", "Ge2e9", "Ge2e4x", "Géé"] {
            assert!(text.parse::<Arrow>().is_err(), "{text}");
        }
    }
}
