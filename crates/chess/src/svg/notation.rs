//! Marked squares and arrows as text, in the notation of `[%cal Ge2e4]` and `[%csl Yf7]`.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::str::FromStr;

use super::{Arrow, ShapeColor};
use crate::{ParseSquareError, Square};

/// Why a text is no marked square or arrow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseShapeError {
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
fn split_color(text: &str) -> Result<(ShapeColor, &str), ParseShapeError> {
    let mut rest = text.chars();
    let color = rest.next().and_then(ShapeColor::from_letter);
    Ok((color.ok_or_else(|| ParseShapeError::Color(text.to_owned()))?, rest.as_str()))
}

/// Parses a marked square: a color letter and a square.
///
/// ```
/// use tabiya_chess::Square;
/// use tabiya_chess::svg::{ShapeColor, parse_mark};
/// assert_eq!(parse_mark("Yf7"), Ok((Square::F7, ShapeColor::Yellow)));
/// ```
pub fn parse_mark(text: &str) -> Result<(Square, ShapeColor), ParseShapeError> {
    let (color, square) = split_color(text)?;
    Ok((square.parse()?, color))
}

impl FromStr for Arrow {
    type Err = ParseShapeError;

    /// Parses a color letter and two squares: `Ge2e4`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (color, squares) = split_color(text)?;
        let (from, to) = squares.split_at_checked(2).ok_or(ParseShapeError::Squares)?;
        Ok(Self::new(from.parse()?, to.parse()?, color))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_is_a_color_and_two_squares() {
        let arrow = Arrow::new(Square::E2, Square::E4, ShapeColor::Green);
        assert_eq!("Ge2e4".parse(), Ok(arrow));
        assert_eq!("Xe2e4".parse::<Arrow>(), Err(ParseShapeError::Color("Xe2e4".to_owned())));
        assert_eq!("Ge".parse::<Arrow>(), Err(ParseShapeError::Squares));
        for text in ["", "G", "Ge2", "Ge2e9", "Ge2e4x", "Géé"] {
            assert!(text.parse::<Arrow>().is_err(), "{text}");
        }
    }
}
