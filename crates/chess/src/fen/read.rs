//! The FEN parser.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use super::{FenError, FenField, FenProblem};
use crate::{Bitboard, Board, Color, File, Piece, PieceType, Rank, Setup, Square};

/// A value, or the offset within the field and the problem.
type FieldResult<T> = Result<T, (usize, FenProblem)>;

/// Parses a FEN; the position need not be legal.
pub(super) fn parse(fen: &str) -> Result<Setup, FenError> {
    Parser { fen, at: 0 }.setup()
}

/// A cursor over the fields of a FEN.
struct Parser<'a> {
    fen: &'a str,
    /// Byte offset of the next field.
    at: usize,
}

impl Parser<'_> {
    fn setup(mut self) -> Result<Setup, FenError> {
        use FenField::*;
        let board = match parse_placement_fast(self.fen.as_bytes()) {
            Some((board, length)) => {
                self.at = length + 1;
                board
            }
            None => self.field(Placement, parse_placement)?,
        };
        let turn = self.field(Turn, parse_turn)?;
        let castling_rooks = self.field(Castling, |field| parse_castling(field, &board))?;
        let en_passant = self.field(EnPassant, |field| parse_en_passant(field, turn))?;
        let halfmove_clock = self.field(HalfmoveClock, parse_number)?;
        let fullmove_number = self.field(FullmoveNumber, parse_number)?;
        if self.at <= self.fen.len() {
            // The blank before it is part of the trailing text.
            let at = self.at - 1;
            return Err(FenError::Trailing { text: excerpt(&self.fen[at..]), at });
        }
        Ok(Setup { board, turn, castling_rooks, en_passant, halfmove_clock, fullmove_number })
    }

    /// Parses the field up to the next blank. The field parser returns its value, or the offset within the
    /// field and the problem.
    #[inline(always)]
    fn field<T>(
        &mut self,
        field: FenField,
        parse: impl FnOnce(&[u8]) -> FieldResult<T>,
    ) -> Result<T, FenError> {
        let bytes = self.fen.as_bytes();
        let start = self.at;
        let Some(rest) = bytes.get(start..) else { return Err(FenError::Missing(field)) };
        let length = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
        self.at = start + length + 1;
        let text = &rest[..length];
        let result = if text.is_empty() { Err((0, FenProblem::Empty)) } else { parse(text) };
        result.map_err(|(offset, problem)| self.malformed(field, start, length, offset, problem))
    }

    #[cold]
    fn malformed(
        &self,
        field: FenField,
        start: usize,
        length: usize,
        offset: usize,
        mut problem: FenProblem,
    ) -> FenError {
        if length == 0 && self.at > self.fen.len() {
            return FenError::Missing(field);
        }
        let at = start + offset;
        if let FenProblem::UnexpectedChar(character) = &mut problem {
            // The field parsers work on bytes; report the whole character.
            *character = self.fen.get(at..).and_then(|s| s.chars().next()).unwrap_or(*character);
        }
        FenError::Malformed { field, text: excerpt(&self.fen[start..start + length]), at, problem }
    }
}

/// The text, truncated to 100 characters.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn unexpected<T>(offset: usize, byte: u8) -> FieldResult<T> {
    Err((offset, FenProblem::UnexpectedChar(byte as char)))
}

/// The meaning of a byte of the piece placement.
#[derive(Clone, Copy)]
enum Glyph {
    Piece(Piece),
    Empty(u8),
    EndOfRank,
    Unknown,
}

static GLYPHS: [Glyph; 256] = {
    let mut table = [Glyph::Unknown; 256];
    let mut i = 0;
    while i < 12 {
        table[Piece::ALL[i].letter() as usize] = Glyph::Piece(Piece::ALL[i]);
        i += 1;
    }
    let mut digit = 1;
    while digit <= 8 {
        table[(b'0' + digit) as usize] = Glyph::Empty(digit);
        digit += 1;
    }
    table[b'/' as usize] = Glyph::EndOfRank;
    table
};

/// For [`parse_placement_fast`]: the value stored for a byte (low byte: the plane bits of a piece on a
/// [`Board`], or one of the flags below) and the number of slots it takes (high byte).
static STEPS: [u16; 256] = {
    let mut table = [1 << 8 | WRONG; 256];
    let mut byte = 0;
    while byte < 256 {
        match GLYPHS[byte] {
            Glyph::Piece(piece) => {
                let mut board = Board::EMPTY;
                board.put(Square::A1, piece);
                table[byte] = 1 << 8 | board.code_at(Square::A1) as u16;
            }
            Glyph::Empty(count) => table[byte] = (count as u16) << 8 | DIGIT,
            Glyph::EndOfRank => table[byte] = 1 << 8 | SLASH,
            Glyph::Unknown => {}
        }
        byte += 1;
    }
    table
};
const SLASH: u16 = 1 << 4;
const WRONG: u16 = 1 << 5;
const DIGIT: u16 = 1 << 6;

/// Parses a well-formed placement without a branch per byte: pieces, digits and slashes differ only in
/// their [`STEPS`]. Returns the board and the length of the field, or `None` if it is malformed;
/// [`parse_placement`] then reports the error.
fn parse_placement_fast(fen: &[u8]) -> Option<(Board, usize)> {
    // Eight slots for the squares of each rank, from the eighth down, and one for the slash.
    let mut slots = [0u8; 128];
    let mut next = 0usize;
    let (mut before, mut digits) = (0, 0);
    let mut length = 0;
    for &byte in fen {
        if byte == b' ' {
            break;
        }
        let step = STEPS[byte as usize];
        slots[next % 128] = step as u8;
        next += usize::from(step >> 8);
        digits |= step & before;
        before = step;
        length += 1;
    }
    // If every rank is full, each slash is in its slot.
    if next != 71 || digits & DIGIT != 0 {
        return None;
    }
    let mut planes = [0u64; 4];
    let mut flags = 0;
    for rank in 0..8 {
        let start = 9 * (7 - rank);
        let codes = slots[start..].first_chunk().map_or(0, |codes| u64::from_le_bytes(*codes));
        flags |= codes & u64::from_le_bytes([(SLASH | WRONG) as u8; 8]);
        if rank > 0 && slots[start + 8] != SLASH as u8 {
            return None;
        }
        for (n, plane) in planes.iter_mut().enumerate() {
            // One bit of each of the eight bytes, gathered into the top byte.
            let bits = (codes >> n & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080);
            *plane |= bits >> 56 << (8 * rank);
        }
    }
    let [leaps, diagonal, straight, black] = planes;
    (flags == 0).then_some((Board { leaps, diagonal, straight, black }, length))
}

fn parse_placement(field: &[u8]) -> FieldResult<Board> {
    let mut board = Board::EMPTY;
    let (mut rank, mut file) = (7usize, 0u8);
    let mut after_digit = false;
    for (offset, &byte) in field.iter().enumerate() {
        match GLYPHS[byte as usize] {
            Glyph::Piece(piece) if file < 8 => {
                let square = Square::from_index_wrapping(rank * 8 + file as usize);
                // The square is empty: each is visited once.
                board.flip(piece.color(), piece.piece_type(), square.bitboard());
                file += 1;
                after_digit = false;
            }
            Glyph::Empty(_) if after_digit => return Err((offset, FenProblem::AdjacentDigits)),
            Glyph::Empty(count) if file + count <= 8 => {
                file += count;
                after_digit = true;
            }
            Glyph::Piece(_) | Glyph::Empty(_) => {
                return Err((offset, FenProblem::LongRank(Rank::from_index_wrapping(rank))));
            }
            Glyph::EndOfRank if file < 8 => {
                return Err((offset, FenProblem::ShortRank(Rank::from_index_wrapping(rank))));
            }
            Glyph::EndOfRank if rank == 0 => return Err((offset, FenProblem::ManyRanks)),
            Glyph::EndOfRank => {
                rank -= 1;
                file = 0;
                after_digit = false;
            }
            Glyph::Unknown => return unexpected(offset, byte),
        }
    }
    match (rank, file) {
        (0, 8) => Ok(board),
        (_, 8) => Err((field.len(), FenProblem::FewRanks)),
        _ => Err((field.len() - 1, FenProblem::ShortRank(Rank::from_index_wrapping(rank)))),
    }
}

fn parse_turn(field: &[u8]) -> FieldResult<Color> {
    match field {
        b"w" => Ok(Color::White),
        b"b" => Ok(Color::Black),
        _ => Err((0, FenProblem::NoColor)),
    }
}

fn parse_castling(field: &[u8], board: &Board) -> FieldResult<Bitboard> {
    if field == b"-" {
        return Ok(Bitboard::EMPTY);
    }
    let mut rooks = Bitboard::EMPTY;
    for (offset, &byte) in field.iter().enumerate() {
        let color = if byte.is_ascii_uppercase() { Color::White } else { Color::Black };
        let home = Rank::First.relative_to(color);
        let rook = match byte.to_ascii_lowercase() {
            b'k' => outermost_rook(board, color, true),
            b'q' => outermost_rook(board, color, false),
            letter @ b'a'..=b'h' => {
                Square::new(File::from_index_wrapping((letter - b'a') as usize), home)
            }
            _ => return unexpected(offset, byte),
        };
        if rooks.has(rook) {
            return Err((offset, FenProblem::RepeatedRight));
        }
        rooks |= rook.bitboard();
    }
    Ok(rooks)
}

/// The rook of `K` or `Q`: the outermost on that side of the king, or the corner if there is none (which
/// validation then rejects).
fn outermost_rook(board: &Board, color: Color, king_side: bool) -> Square {
    let home = Rank::First.relative_to(color);
    let rooks = board.pieces(color, PieceType::Rook) & home.bitboard();
    let rook = if king_side { rooks.last() } else { rooks.first() };
    let king = (board.pieces(color, PieceType::King) & home.bitboard()).first();
    match (rook, king) {
        (Some(rook), Some(king)) if (rook > king) == king_side => rook,
        _ => Square::new(if king_side { File::H } else { File::A }, home),
    }
}

fn parse_en_passant(field: &[u8], turn: Color) -> FieldResult<Option<Square>> {
    match *field {
        [b'-'] => Ok(None),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            let expected = Rank::Sixth.relative_to(turn);
            let square = Square::from_index_wrapping(((rank - b'1') * 8 + file - b'a') as usize);
            if square.rank() != expected {
                return Err((1, FenProblem::WrongRank(expected)));
            }
            Ok(Some(square))
        }
        _ => Err((0, FenProblem::NoSquare)),
    }
}

fn parse_number(field: &[u8]) -> FieldResult<u16> {
    let mut number = 0u16;
    for (offset, &byte) in field.iter().enumerate() {
        if !byte.is_ascii_digit() {
            return Err((offset, FenProblem::NoNumber));
        }
        number = number
            .checked_mul(10)
            .and_then(|tens| tens.checked_add((byte - b'0').into()))
            .ok_or((offset, FenProblem::NoNumber))?;
    }
    Ok(number)
}
