//! The matrix: a board as eight lines of eight squares, White's piece and then Black's on each.
//!
//! ```text
//! .R .N .B .Q .K .B .N .R
//! .P .P .P .P .P .P .P .P
//! .. .. .. .. .. .. .. ..
//! ```
//!
//! Rank 8 comes first; `.` stands for no piece.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use chess::{Color, File, Rank, Square};

use crate::{PieceType, Position, Setup};

/// Why a text is not a matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// Not eight lines.
    #[error("a matrix has 8 lines, not {0}")]
    Lines(usize),
    /// Not eight squares in a line.
    #[error("line {line} has {found} squares, not 8")]
    Squares {
        /// The line, counted from 1.
        line: usize,
        /// Its number of squares.
        found: usize,
    },
    /// A square that is not two signs out of `. P R N B Q K`.
    #[error("'{text}' in line {line} is no square: White's piece and Black's, each one of .PRNBQK")]
    Square {
        /// The line, counted from 1.
        line: usize,
        /// The offending text.
        text: String,
    },
}

impl Position {
    /// The board as a matrix, without the hand.
    ///
    /// ```
    /// let matrix = tabiya_paco::Position::default().to_matrix();
    /// assert!(matrix.starts_with(".R .N .B .Q .K .B .N .R\n.P .P"));
    /// assert_eq!(tabiya_paco::Setup::from_matrix(&matrix)?.board, tabiya_paco::Setup::from(&Default::default()).board);
    /// # Ok::<(), tabiya_paco::MatrixError>(())
    /// ```
    pub fn to_matrix(&self) -> String {
        let sign = |piece: Option<PieceType>| piece.map_or('.', PieceType::letter);
        let square = |square| {
            Color::ALL.map(|color| sign(self.piece_at(color, square))).into_iter().collect()
        };
        let line =
            |rank| File::ALL.map(|file| -> String { square(Square::new(file, rank)) }).join(" ");
        let mut lines = Rank::ALL.map(line);
        lines.reverse();
        lines.join("\n") + "\n"
    }
}

impl Setup {
    /// Parses a matrix: a board with White to move and default state. Surrounding blank lines are ignored.
    pub fn from_matrix(text: &str) -> Result<Self, MatrixError> {
        let lines: Vec<&str> = text.trim().lines().collect();
        if lines.len() != 8 {
            return Err(MatrixError::Lines(lines.len()));
        }
        let mut setup = Self::default();
        for (i, (line, rank)) in lines.into_iter().zip(Rank::ALL.into_iter().rev()).enumerate() {
            let squares: Vec<&str> = line.split_whitespace().collect();
            if squares.len() != 8 {
                return Err(MatrixError::Squares { line: i + 1, found: squares.len() });
            }
            for (file, text) in File::ALL.into_iter().zip(squares) {
                let refuse = || MatrixError::Square { line: i + 1, text: text.to_owned() };
                let piece = |sign: char| match sign {
                    '.' => Ok(None),
                    letter if letter.is_ascii_uppercase() => {
                        PieceType::from_letter(letter).map(Some).ok_or_else(refuse)
                    }
                    _ => Err(refuse()),
                };
                let mut signs = text.chars();
                let (Some(white), Some(black), None) = (signs.next(), signs.next(), signs.next())
                else {
                    return Err(refuse());
                };
                setup.board[Square::new(file, rank).index()] = [piece(white)?, piece(black)?];
            }
        }
        Ok(setup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_round_trip() {
        let position: Position = "2bCk3/8/8/8/8/8/8/4K3 w 0 - - - d8:lift 1".parse().unwrap();
        let matrix = position.to_matrix();
        assert!(matrix.starts_with(".. .. .B PR .K .. .. ..\n"), "{matrix}");
        assert_eq!(Setup::from_matrix(&matrix).unwrap().board, Setup::from(&position).board);
    }

    #[test]
    fn errors_name_the_line_and_the_text() {
        let good = Position::default().to_matrix();
        for (text, expected) in [
            (String::new(), "8 lines, not 0"),
            (good.replacen(".R ", "", 1), "line 1 has 7 squares"),
            (good.replacen(".N", "XN", 1), "'XN' in line 1"),
            (good.replacen("..", "...", 1), "'...' in line 3"),
        ] {
            let error = Setup::from_matrix(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
