//! FEN, the one-line description of a position.
//!
//! Read strictly: six fields with single blanks between them, eight ranks of exactly eight squares,
//! no two digits in a row. These variants are read too, because they say the same unmistakably:
//!
//! - castling rights as `KQkq` (X-FEN: the outermost rook on that side), by rook file as Shredder
//!   writes them (`HAha`), or mixed; in any order;
//! - a move number of 0 (taken as 1), and leading zeros in both numbers.
//!
//! Written as python-chess and Lichess write it: the en-passant square only if a capture there is
//! legal, castling as `KQkq` where that is unambiguous and by rook file where not (X-FEN), or always
//! by rook file ([`FenStyle::Shredder`]).

use std::fmt;
use std::str::FromStr;

use crate::fen_write::{write_bytes, write_text};
use crate::{
    Bitboard, Board, Color, File, Piece, PieceType, Position, Rank, Setup, SetupError, Square,
};

/// The fields of a FEN, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are those of the FEN standard")]
pub enum FenField {
    Placement,
    Turn,
    Castling,
    EnPassant,
    HalfmoveClock,
    FullmoveNumber,
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Placement => "piece placement",
            Self::Turn => "side to move",
            Self::Castling => "castling rights",
            Self::EnPassant => "en-passant square",
            Self::HalfmoveClock => "halfmove clock",
            Self::FullmoveNumber => "move number",
        })
    }
}

/// Why a text is no FEN, or no legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The text ends before this field.
    #[error("the FEN ends before its {0}")]
    Missing(FenField),
    /// A field is not what it should be.
    #[error("{field} '{text}' at byte {at}: {problem}")]
    Malformed {
        /// Which field.
        field: FenField,
        /// The field as it stands there; of a very long one, the beginning.
        text: String,
        /// Where the trouble begins, in bytes from the start of the FEN.
        at: usize,
        /// What is wrong with it.
        problem: FenProblem,
    },
    /// Something follows the last field.
    #[error("'{text}' at byte {at} follows the end of the FEN")]
    Trailing {
        /// What follows, or its beginning.
        text: String,
        /// Where it begins.
        at: usize,
    },
    /// It is a FEN, but no position can be like that.
    #[error(transparent)]
    Illegal(#[from] SetupError),
}

/// What is wrong with a field of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenProblem {
    /// A character that means nothing in this place.
    #[error("'{0}' means nothing here")]
    UnexpectedChar(char),
    /// A rank with fewer than eight squares.
    #[error("rank {} has fewer than eight squares", .0.digit())]
    ShortRank(Rank),
    /// A rank with more than eight squares.
    #[error("rank {} has more than eight squares", .0.digit())]
    LongRank(Rank),
    /// Fewer than eight ranks.
    #[error("there are fewer than eight ranks")]
    FewRanks,
    /// More than eight ranks.
    #[error("there are more than eight ranks")]
    ManyRanks,
    /// Two digits in a row, which FEN writes as their sum.
    #[error("two numbers of empty squares in a row")]
    AdjacentDigits,
    /// Neither `w` nor `b`.
    #[error("it must be 'w' or 'b'")]
    NoColor,
    /// The same castling right twice.
    #[error("the same right is given twice")]
    RepeatedRight,
    /// Not a square, nor `-`.
    #[error("it must be a square or '-'")]
    NoSquare,
    /// Not on the rank where the player to move can take en passant.
    #[error("en passant happens on rank {} here", .0.digit())]
    WrongRank(Rank),
    /// Not a number from 0 to 65535.
    #[error("it must be a number from 0 to 65535")]
    NoNumber,
    /// Nothing between two blanks.
    #[error("it is empty")]
    Empty,
}

/// How castling rights are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FenStyle {
    /// `KQkq`; by rook file only where another rook stands farther out.
    #[default]
    Standard,
    /// Always by rook file, as Shredder does.
    Shredder,
}

impl Setup {
    /// Reads a FEN without asking whether the position is legal.
    ///
    /// ```
    /// use chess::Setup;
    /// let error = Setup::from_fen("8/8/8/8/8/8/8/7 w - - 0 1").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "piece placement '8/8/8/8/8/8/8/7' at byte 14: rank 1 has fewer than eight squares",
    /// );
    /// ```
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        Reader { fen, at: 0 }.setup()
    }
}

impl Position {
    /// Reads a FEN of a legal position.
    ///
    /// ```
    /// use chess::{Color, Position};
    /// let position = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 3 17")?;
    /// assert_eq!(position.turn(), Color::Black);
    /// assert_eq!(position.fullmove_number(), 17);
    /// # Ok::<(), chess::FenError>(())
    /// ```
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        Ok(Setup::from_fen(fen)?.position()?)
    }

    /// The position as FEN, castling rights in the standard style.
    pub fn fen(&self) -> String {
        self.fen_in(FenStyle::Standard)
    }

    /// The position as FEN in the given style.
    ///
    /// ```
    /// use chess::{FenStyle, Position};
    /// let fen = Position::INITIAL.fen_in(FenStyle::Shredder);
    /// assert_eq!(fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
    /// ```
    pub fn fen_in(&self, style: FenStyle) -> String {
        let mut text = String::new();
        self.append_fen(style, &mut text);
        text
    }

    /// Appends the FEN to a text.
    pub fn append_fen(&self, style: FenStyle, text: &mut String) {
        write_text(text, |line| line.position(self, style));
    }

    /// Appends the FEN to bytes: the fastest way to have many.
    pub fn append_fen_bytes(&self, style: FenStyle, bytes: &mut Vec<u8>) {
        write_bytes(bytes, |line| line.position(self, style));
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Self, FenError> {
        Self::from_fen(fen)
    }
}

impl FromStr for Setup {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Self, FenError> {
        Self::from_fen(fen)
    }
}

/// Reads a FEN field by field.
struct Reader<'a> {
    fen: &'a str,
    /// Where the next field begins.
    at: usize,
}

impl<'a> Reader<'a> {
    fn setup(mut self) -> Result<Setup, FenError> {
        use FenField::*;
        let board = match placement_at_once(self.fen.as_bytes()) {
            Some((board, length)) => {
                self.at = length + 1;
                board
            }
            None => self.parse(Placement, read_placement)?,
        };
        let turn = self.parse(Turn, read_turn)?;
        let castling_rooks = self.parse(Castling, |field| read_castling(field, &board))?;
        let en_passant = self.parse(EnPassant, |field| read_en_passant(field, turn))?;
        let halfmove_clock = self.parse(HalfmoveClock, read_number)?;
        let fullmove_number = self.parse(FullmoveNumber, read_number)?;
        if self.at <= self.fen.len() {
            // The blank before it is what does not belong there.
            let at = self.at - 1;
            return Err(FenError::Trailing { text: excerpt(&self.fen[at..]), at });
        }
        Ok(Setup { board, turn, castling_rooks, en_passant, halfmove_clock, fullmove_number })
    }

    /// Reads the field up to the next blank. The reader of a field gives its value, or what is
    /// wrong and how far into the field.
    #[inline(always)]
    fn parse<T>(
        &mut self,
        field: FenField,
        read: impl FnOnce(&[u8]) -> Result<T, (usize, FenProblem)>,
    ) -> Result<T, FenError> {
        let bytes = self.fen.as_bytes();
        let start = self.at;
        let Some(rest) = bytes.get(start..) else { return Err(FenError::Missing(field)) };
        let length = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
        self.at = start + length + 1;
        let text = &rest[..length];
        let result = if text.is_empty() { Err((0, FenProblem::Empty)) } else { read(text) };
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
            // The readers see bytes; here is the whole character.
            *character = self.fen.get(at..).and_then(|s| s.chars().next()).unwrap_or(*character);
        }
        FenError::Malformed { field, text: excerpt(&self.fen[start..start + length]), at, problem }
    }
}

/// The text itself, or as much of it as a person reads.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

type FieldResult<T> = Result<T, (usize, FenProblem)>;

fn unexpected<T>(offset: usize, byte: u8) -> FieldResult<T> {
    Err((offset, FenProblem::UnexpectedChar(byte as char)))
}

/// What a byte of the placement means: a piece, 1 to 8 empty squares, the end of a rank, or nothing.
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

/// For [`placement_at_once`]: what a byte leaves in its place (low byte: the code of a piece in the
/// planes of a [`Board`], or one of the marks below) and how many places it takes (high byte).
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

/// Reads a placement without a branch for each byte: what a piece, a number and a slash do differ
/// only by what [`STEPS`] says of them. Gives the board and the length of the field, or nothing if
/// anything is wrong with it; [`read_placement`] then finds out what.
fn placement_at_once(fen: &[u8]) -> Option<(Board, usize)> {
    // Eight places for the squares of each rank, from the eighth down, and one for the slash.
    let mut places = [0u8; 128];
    let mut next = 0usize;
    let (mut before, mut digits) = (0, 0);
    let mut length = 0;
    for &byte in fen {
        if byte == b' ' {
            break;
        }
        let step = STEPS[byte as usize];
        places[next % 128] = step as u8;
        next += usize::from(step >> 8);
        digits |= step & before;
        before = step;
        length += 1;
    }
    // If every rank is full, each slash is in its place and nothing else is.
    if next != 71 || digits & DIGIT != 0 {
        return None;
    }
    let mut planes = [0u64; 4];
    let mut marks = 0;
    for rank in 0..8 {
        let start = 9 * (7 - rank);
        let codes = places[start..].first_chunk().map_or(0, |codes| u64::from_le_bytes(*codes));
        marks |= codes & u64::from_le_bytes([(SLASH | WRONG) as u8; 8]);
        if rank > 0 && places[start + 8] != SLASH as u8 {
            return None;
        }
        for (n, plane) in planes.iter_mut().enumerate() {
            // One bit of each of the eight bytes, gathered into the top byte.
            let bits = (codes >> n & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080);
            *plane |= bits >> 56 << (8 * rank);
        }
    }
    let [leaps, diagonal, straight, black] = planes;
    (marks == 0).then_some((Board { leaps, diagonal, straight, black }, length))
}

fn read_placement(field: &[u8]) -> FieldResult<Board> {
    let mut board = Board::EMPTY;
    let (mut rank, mut file) = (7usize, 0u8);
    let mut after_digit = false;
    for (offset, &byte) in field.iter().enumerate() {
        match GLYPHS[byte as usize] {
            Glyph::Piece(piece) if file < 8 => {
                let square = Square::from_index(rank * 8 + file as usize);
                // The square is known to be empty: each is passed once.
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
                return Err((offset, FenProblem::LongRank(Rank::from_index(rank))));
            }
            Glyph::EndOfRank if file < 8 => {
                return Err((offset, FenProblem::ShortRank(Rank::from_index(rank))));
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
        _ => Err((field.len() - 1, FenProblem::ShortRank(Rank::from_index(rank)))),
    }
}

fn read_turn(field: &[u8]) -> FieldResult<Color> {
    match field {
        b"w" => Ok(Color::White),
        b"b" => Ok(Color::Black),
        _ => Err((0, FenProblem::NoColor)),
    }
}

fn read_castling(field: &[u8], board: &Board) -> FieldResult<Bitboard> {
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
            letter @ b'a'..=b'h' => Square::new(File::from_index((letter - b'a') as usize), home),
            _ => return unexpected(offset, byte),
        };
        if rooks.has(rook) {
            return Err((offset, FenProblem::RepeatedRight));
        }
        rooks |= rook.bitboard();
    }
    Ok(rooks)
}

/// The rook that `K` or `Q` means: the farthest from the king on that side; or the corner, if there
/// is none (which is then found to be no legal position).
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

fn read_en_passant(field: &[u8], turn: Color) -> FieldResult<Option<Square>> {
    match *field {
        [b'-'] => Ok(None),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            let expected = Rank::Sixth.relative_to(turn);
            let square = Square::from_index(((rank - b'1') * 8 + file - b'a') as usize);
            if square.rank() != expected {
                return Err((1, FenProblem::WrongRank(expected)));
            }
            Ok(Some(square))
        }
        _ => Err((0, FenProblem::NoSquare)),
    }
}

fn read_number(field: &[u8]) -> FieldResult<u16> {
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

/// The first field of a FEN, for any board.
pub(crate) struct Placement<'a>(pub &'a Board);

impl fmt::Display for Placement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        write_text(&mut text, |line| line.placement(self.0));
        f.write_str(&text)
    }
}
