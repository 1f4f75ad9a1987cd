//! Boards for the terminal: plain letters, chess symbols, or colored squares.
//!
//! Like the SVG boards these are drawn from a function of squares to pieces, not from a position. Every character counts as one column, and all lines of the
//! board itself have the same number of them, so the board lines up in a monospaced font. (A few
//! terminals draw ♟ as a wide emoji; [`Style::Ascii`] is safe everywhere.)

use alloc::format;
use alloc::string::{String, ToString};

use crate::{Color, File, Piece, PieceType, Rank, Square};

/// The style of a text board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Style {
    /// FEN letters, a dot for an empty square, a frame of ASCII characters.
    #[default]
    Ascii,
    /// The chess symbols of Unicode in a frame of box-drawing characters.
    Unicode,
    /// Chess symbols on colored squares, by ANSI escapes with colors from the palette of 256.
    Ansi,
}

/// The board as text, the player of that color at the lower edge. Every line ends in a newline.
///
/// ```
/// use tabiya_chess::picture::{Style, text_board};
/// use tabiya_chess::{Color, Piece, PieceType, Square};
///
/// let queen = Piece::new(Color::White, PieceType::Queen);
/// let board =
///     text_board(|square| (square == Square::D1).then_some(queen), Color::White, Style::Ascii);
/// assert!(board.ends_with("
/// 2 | . . . . . . . . |
/// 1 | . . . Q . . . . |
///   +-----------------+
///     a b c d e f g h
/// "));
/// ```
pub fn text_board(
    piece_on: impl Fn(Square) -> Option<Piece>,
    orientation: Color,
    style: Style,
) -> String {
    let (mut files, mut ranks) = (File::ALL, Rank::ALL);
    match orientation {
        Color::White => ranks.reverse(),
        Color::Black => files.reverse(),
    }
    let square_text = |square| match style {
        Style::Ascii => format!(" {}", piece_on(square).map_or('.', Piece::letter)),
        Style::Unicode => format!(" {}", piece_on(square).map_or('·', Piece::symbol)),
        Style::Ansi => colored(square, piece_on(square)),
    };
    // What stands above the ranks, between digit and squares, after the squares, and below.
    let (top, left, right, bottom) = match style {
        Style::Ascii => ("  +-----------------+\n", " |", " |", "  +-----------------+\n"),
        Style::Unicode => ("  ┌─────────────────┐\n", " │", " │", "  └─────────────────┘\n"),
        Style::Ansi => ("", " ", "\x1b[0m", ""),
    };

    let mut out = String::from(top);
    for rank in ranks {
        out.push(rank.digit());
        out.push_str(left);
        for file in files {
            out.push_str(&square_text(Square::new(file, rank)));
        }
        out.push_str(right);
        out.push('\n');
    }
    out.push_str(bottom);
    let (indent, gap) = if style == Style::Ansi { ("   ", "  ") } else { ("    ", " ") };
    out.push_str(indent);
    out.push_str(&files.map(|file| file.letter().to_string()).join(gap));
    out.push('\n');
    out
}

/// One square, three columns wide. Both players get the solid symbols in two colors: outlined
/// ones would look inverted on a dark background.
fn colored(square: Square, piece: Option<Piece>) -> String {
    let background = if square.is_light() { 180 } else { 66 };
    let (foreground, symbol) = match piece {
        None => (0, ' '),
        Some(piece) => {
            (if piece.color() == Color::White { 231 } else { 16 }, solid_symbol(piece.piece_type()))
        }
    };
    format!("\x1b[48;5;{background};38;5;{foreground}m {symbol} ")
}

/// The filled symbol, which Unicode calls the black one.
const fn solid_symbol(piece_type: PieceType) -> char {
    Piece::new(Color::Black, piece_type).symbol()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    /// The piece on a square of a FEN placement.
    fn placed(placement: &str, square: Square) -> Option<Piece> {
        let row = placement.split('/').nth(7 - square.rank().index())?;
        let mut file = 0;
        for letter in row.chars() {
            match letter.to_digit(10) {
                Some(empty) => file += empty as usize,
                None if file == square.file().index() => return Piece::from_letter(letter),
                None => file += 1,
            }
        }
        None
    }

    fn board(placement: &str, orientation: Color, style: Style) -> String {
        text_board(|square| placed(placement, square), orientation, style)
    }

    /// The text without its escapes, as a terminal shows it.
    fn visible(text: &str) -> String {
        let mut out = String::new();
        for (i, part) in text.split('\x1b').enumerate() {
            let shown = if i == 0 { part } else { part.split_once('m').unwrap().1 };
            out.push_str(shown);
        }
        out
    }

    #[test]
    fn the_ascii_board_shows_the_placement_from_the_side_of_white() {
        let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
        assert_eq!(
            board(after_e4, Color::White, Style::Ascii),
            "  +-----------------+
8 | r n b q k b n r |
7 | p p p p p p p p |
6 | . . . . . . . . |
5 | . . . . . . . . |
4 | . . . . P . . . |
3 | . . . . . . . . |
2 | P P P P . P P P |
1 | R N B Q K B N R |
  +-----------------+
    a b c d e f g h
"
        );
    }

    #[test]
    fn the_unicode_board_shows_the_placement_from_the_side_of_black() {
        assert_eq!(
            board(START, Color::Black, Style::Unicode),
            "  ┌─────────────────┐
1 │ ♖ ♘ ♗ ♔ ♕ ♗ ♘ ♖ │
2 │ ♙ ♙ ♙ ♙ ♙ ♙ ♙ ♙ │
3 │ · · · · · · · · │
4 │ · · · · · · · · │
5 │ · · · · · · · · │
6 │ · · · · · · · · │
7 │ ♟ ♟ ♟ ♟ ♟ ♟ ♟ ♟ │
8 │ ♜ ♞ ♝ ♚ ♛ ♝ ♞ ♜ │
  └─────────────────┘
    h g f e d c b a
"
        );
    }

    #[test]
    fn all_lines_of_a_board_are_equally_wide_and_the_letters_stand_under_their_files() {
        for style in [Style::Ascii, Style::Unicode, Style::Ansi] {
            for orientation in Color::ALL {
                // A lone piece on each square of its rank must stand above the letter of its file.
                for square in Square::all() {
                    let queen = Piece::new(Color::Black, PieceType::Queen);
                    let text = text_board(|s| (s == square).then_some(queen), orientation, style);
                    let text = visible(&text);
                    let lines: Vec<Vec<char>> =
                        text.lines().map(|line| line.chars().collect()).collect();
                    let (letters, rows) = lines.split_last().unwrap();
                    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
                    let row = rows.iter().find(|row| row[0] == square.rank().digit()).unwrap();
                    let column = letters.iter().position(|&c| c == square.file().letter()).unwrap();
                    assert_eq!(row[column], if style == Style::Ascii { 'q' } else { '♛' });
                }
            }
        }
    }

    #[test]
    fn the_colored_board_resets_the_colors_before_each_line_ends() {
        let text = board(START, Color::White, Style::Ansi);
        assert_eq!(text.matches("\x1b[0m\n").count(), 8);
        assert_eq!(text.matches('\u{1b}').count(), 64 + 8);
    }
}
