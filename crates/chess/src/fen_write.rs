//! FEN written fast: every position of a database passes through here.
//!
//! A rank takes three steps, none of which asks about a single square. Its letters are put together
//! in one 64-bit word, a byte for each file, from the sets of pieces. A table that knows all 256
//! patterns of occupied squares tells for each byte of the text where it comes from: the letter of a
//! file, or a number. Then eight bytes are picked and written, of which as many count as the pattern
//! needs.

use crate::{Bitboard, Board, Color, FenStyle, PieceType, Position, Rank, Setup, Square};

/// What a FEN tells, whoever knows it.
pub(crate) trait Described {
    fn board(&self) -> &Board;
    fn turn(&self) -> Color;
    fn castling_rooks(&self) -> Bitboard;
    fn en_passant(&self) -> Option<Square>;
    fn clocks(&self) -> (u16, u16);
}

impl Described for Position {
    #[inline(always)]
    fn board(&self) -> &Board {
        &self.board
    }
    #[inline(always)]
    fn turn(&self) -> Color {
        self.turn
    }
    #[inline(always)]
    fn castling_rooks(&self) -> Bitboard {
        self.castling
    }
    #[inline(always)]
    fn en_passant(&self) -> Option<Square> {
        Self::en_passant(self)
    }
    #[inline(always)]
    fn clocks(&self) -> (u16, u16) {
        (self.halfmove_clock, self.fullmove_number)
    }
}

impl Described for Setup {
    #[inline(always)]
    fn board(&self) -> &Board {
        &self.board
    }
    #[inline(always)]
    fn turn(&self) -> Color {
        self.turn
    }
    #[inline(always)]
    fn castling_rooks(&self) -> Bitboard {
        self.castling_rooks
    }
    #[inline(always)]
    fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }
    #[inline(always)]
    fn clocks(&self) -> (u16, u16) {
        (self.halfmove_clock, self.fullmove_number)
    }
}

/// Room for the longest FEN (92 bytes), and for what the last rank writes beyond its end.
const ROOM: usize = 128;

/// A FEN under construction, in room that is there already.
///
/// What is rare is not told to write into it, but gives bytes back: so the compiler can keep the
/// length in a register.
pub(crate) struct Line<'a> {
    bytes: &'a mut [u8; ROOM],
    length: usize,
}

/// The text that this writes.
pub(crate) fn write_text(text: &mut String, write: impl FnOnce(&mut Line<'_>)) {
    let mut bytes = [0; ROOM];
    let mut line = Line { bytes: &mut bytes, length: 0 };
    write(&mut line);
    let length = line.length.min(ROOM);
    // Only ASCII is ever written.
    text.push_str(std::str::from_utf8(&bytes[..length]).unwrap_or_default());
}

/// Appends what this writes to bytes, in their own room: first there is too much of it, then as much as
/// was needed.
#[inline(always)]
pub(crate) fn write_bytes(bytes: &mut Vec<u8>, write: impl FnOnce(&mut Line<'_>)) {
    let start = bytes.len();
    bytes.extend_from_slice(&[0; ROOM]);
    if let Some(room) = bytes.get_mut(start..).and_then(<[u8]>::first_chunk_mut) {
        let mut line = Line { bytes: room, length: 0 };
        write(&mut line);
        let length = line.length.min(ROOM);
        bytes.truncate(start + length);
    }
}

/// A byte with all bits set for each bit of the index.
static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut file = 0;
        while file < 8 {
            if bits >> file & 1 == 1 {
                table[bits] |= 0xff << (8 * file);
            }
            file += 1;
        }
        bits += 1;
    }
    table
};

/// How a rank is written whose occupied files are these.
#[derive(Clone, Copy)]
struct Pattern {
    /// For each byte of the text its place among the eight letters and the digits that follow them.
    sources: [u8; 8],
    length: u8,
}

static PATTERNS: [Pattern; 256] = {
    let mut table = [Pattern { sources: [0; 8], length: 0 }; 256];
    let mut occupied = 0;
    while occupied < 256 {
        let (mut length, mut empty, mut file) = (0, 0, 0);
        while file <= 8 {
            if file == 8 || occupied >> file & 1 == 1 {
                if empty > 0 {
                    // The digits 1 to 8 follow the letters.
                    table[occupied].sources[length] = 7 + empty;
                    length += 1;
                    empty = 0;
                }
                if file < 8 {
                    table[occupied].sources[length] = file;
                    length += 1;
                }
            } else {
                empty += 1;
            }
            file += 1;
        }
        table[occupied].length = length as u8;
        occupied += 1;
    }
    table
};

/// The text of a rank without the slash: the first bytes count.
#[derive(Clone, Copy)]
struct RankText {
    bytes: [u8; 8],
    length: u8,
}

#[inline(always)]
fn rank_text(board: &Board, rank: usize) -> RankText {
    let byte = |plane: u64| (plane >> (8 * rank)) as u8 as usize;
    let (leaps, diagonal) = (SPREAD[byte(board.leaps)], SPREAD[byte(board.diagonal)]);
    let (straight, black) = (SPREAD[byte(board.straight)], SPREAD[byte(board.black)]);
    // The letter of a piece that is in one plane; of one in two planes, what is to be changed in the
    // letters of both. Lower case for Black: 32 more.
    let every = |byte: u8| u64::from(byte) * 0x0101_0101_0101_0101;
    let letters = (leaps & every(b'P'))
        ^ (diagonal & every(b'B'))
        ^ (straight & every(b'R'))
        ^ (leaps & diagonal & every(b'N' ^ b'P' ^ b'B'))
        ^ (leaps & straight & every(b'K' ^ b'P' ^ b'R'))
        ^ (diagonal & straight & every(b'Q' ^ b'B' ^ b'R'))
        ^ (black & every(32));
    let mut glyphs = *b"        12345678";
    glyphs[..8].copy_from_slice(&letters.to_le_bytes());
    let pattern = &PATTERNS[byte(board.leaps | board.diagonal | board.straight)];
    let bytes = pattern.sources.map(|source| glyphs[source as usize & 15]);
    RankText { bytes, length: pattern.length }
}

/// Writes the FENs of positions that follow each other, as in a game. It remembers the text of every
/// rank and writes anew only those that a move has changed, usually two.
///
/// ```
/// use chess::{FenStyle, FenWriter, Position};
/// let mut writer = FenWriter::new(FenStyle::Standard);
/// let mut column = Vec::new();
/// writer.append(&Position::INITIAL, &mut column);
/// assert_eq!(column, Position::INITIAL.fen().as_bytes());
/// ```
#[derive(Clone)]
pub struct FenWriter {
    style: FenStyle,
    board: Board,
    ranks: [RankText; 8],
}

impl FenWriter {
    /// A writer that remembers an empty board.
    pub const fn new(style: FenStyle) -> Self {
        let empty = RankText { bytes: *b"8       ", length: 1 };
        Self { style, board: Board::EMPTY, ranks: [empty; 8] }
    }

    /// Appends the FEN of a position. Any position will do; one that differs little from the last is
    /// fastest.
    pub fn append(&mut self, position: &Position, bytes: &mut Vec<u8>) {
        self.append_any(position, bytes);
    }

    /// Appends the FEN of a setup as it stands, legal or not.
    pub fn append_setup(&mut self, setup: &Setup, bytes: &mut Vec<u8>) {
        self.append_any(setup, bytes);
    }

    #[inline(always)]
    fn append_any(&mut self, position: &impl Described, bytes: &mut Vec<u8>) {
        let (old, new) = (self.board, *position.board());
        let mut changed = (old.leaps ^ new.leaps)
            | (old.diagonal ^ new.diagonal)
            | (old.straight ^ new.straight)
            | (old.black ^ new.black);
        while changed != 0 {
            let rank = changed.trailing_zeros() as usize / 8;
            self.ranks[rank] = rank_text(&new, rank);
            changed &= !(0xff << (8 * rank));
        }
        self.board = new;
        write_bytes(bytes, |line| {
            for rank in (0..8).rev() {
                line.rank(rank, self.ranks[rank]);
            }
            line.rest(position, self.style);
        });
    }
}

impl std::fmt::Debug for FenWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FenWriter({:?}, {:?})", self.style, self.board)
    }
}

impl Line<'_> {
    #[inline(always)]
    fn push(&mut self, byte: u8) {
        self.bytes[self.length % ROOM] = byte;
        self.length += 1;
    }

    /// Writes eight bytes, of which the first few count.
    #[inline(always)]
    fn push_some(&mut self, bytes: [u8; 8], count: usize) {
        if let Some(room) = self.bytes.get_mut(self.length..).and_then(<[u8]>::first_chunk_mut) {
            *room = bytes;
            self.length += count;
        }
    }

    /// The whole FEN.
    #[inline(always)]
    pub(crate) fn position(&mut self, position: &impl Described, style: FenStyle) {
        self.placement(position.board());
        self.rest(position, style);
    }

    /// All fields but the first.
    #[inline(always)]
    fn rest(&mut self, position: &impl Described, style: FenStyle) {
        let turn = if position.turn() == Color::White { b'w' } else { b'b' };
        self.push_some([b' ', turn, b' ', 0, 0, 0, 0, 0], 3);
        self.castling(position, style);
        match position.en_passant() {
            None => self.push_some(*b" -      ", 3),
            Some(square) => {
                let (file, rank) = (square.file().letter() as u8, square.rank().digit() as u8);
                self.push_some([b' ', file, rank, b' ', 0, 0, 0, 0], 4);
            }
        }
        let (halfmoves, fullmoves) = position.clocks();
        self.number(halfmoves);
        self.push(b' ');
        self.number(fullmoves);
    }

    /// The first field.
    #[inline(always)]
    pub(crate) fn placement(&mut self, board: &Board) {
        for rank in (0..8).rev() {
            self.rank(rank, rank_text(board, rank));
        }
    }

    #[inline(always)]
    fn rank(&mut self, rank: usize, text: RankText) {
        self.push_some(text.bytes, text.length as usize);
        // The first rank has no slash: what stands there is written over.
        self.bytes[self.length % ROOM] = b'/';
        self.length += usize::from(rank > 0);
    }

    #[inline(always)]
    fn castling(&mut self, position: &impl Described, style: FenStyle) {
        /// The rooks of chess, and their letters in order.
        const CORNERS: u64 = 0x8100_0000_0000_0081;
        let rights = position.castling_rooks().0;
        if rights == 0 {
            self.push(b'-');
        } else if rights & !CORNERS == 0 && style == FenStyle::Standard {
            // A rook in the corner is the outermost of its side.
            for (square, letter) in [(7, b'K'), (0, b'Q'), (63, b'k'), (56, b'q')] {
                self.bytes[self.length % ROOM] = letter;
                self.length += (rights >> square & 1) as usize;
            }
        } else {
            let (text, count) =
                castling_by_file(position.board(), position.castling_rooks(), style);
            self.push_some(text, count);
        }
    }

    #[inline(always)]
    fn number(&mut self, number: u16) {
        let digit = |n: u16| b'0' + n as u8;
        if number < 10 {
            self.push(digit(number));
        } else if number < 100 {
            self.push_some([digit(number / 10), digit(number % 10), 0, 0, 0, 0, 0, 0], 2);
        } else {
            let (text, count) = large_number(number);
            self.push_some(text, count);
        }
    }
}

/// Castling rights where a letter for the side may not do.
#[cold]
fn castling_by_file(board: &Board, castling: Bitboard, style: FenStyle) -> ([u8; 8], usize) {
    let mut text = [0; 8];
    let mut count = 0;
    for color in Color::ALL {
        let home = Rank::First.relative_to(color).bitboard();
        let king = board.pieces(color, PieceType::King).first_or_a1();
        // King side first: from the h-file down.
        let rights = castling & home;
        for rook in rights.last().into_iter().chain(rights.first().filter(|_| rights.many())) {
            let king_side = rook > king;
            let rooks = board.pieces(color, PieceType::Rook) & home;
            let outermost = if king_side { rooks.last() } else { rooks.first() };
            let side = if king_side { b'k' } else { b'q' };
            let letter = match style {
                FenStyle::Standard if outermost == Some(rook) => side,
                _ => rook.file().letter() as u8,
            };
            text[count % 8] = match color {
                Color::White => letter.to_ascii_uppercase(),
                Color::Black => letter,
            };
            count += 1;
        }
    }
    (text, count)
}

#[cold]
fn large_number(number: u16) -> ([u8; 8], usize) {
    let mut text = [0; 8];
    let mut count = 0;
    let mut divisor = 10_000;
    while divisor > number {
        divisor /= 10;
    }
    while divisor > 0 {
        text[count % 8] = b'0' + (number / divisor % 10) as u8;
        count += 1;
        divisor /= 10;
    }
    (text, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The obvious way, for boards.
    fn placement_slowly(board: &Board) -> String {
        let mut text = String::new();
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in crate::File::ALL {
                match board.piece_at(Square::new(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            text += &empty.to_string();
                            empty = 0;
                        }
                        text.push(piece.letter());
                    }
                }
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            if rank != Rank::First {
                text.push('/');
            }
        }
        text
    }

    #[test]
    fn fast_and_remembered_writing_equal_the_obvious_way_in_random_games() {
        let mut state = 7u64;
        let mut random = move |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            (state >> 33) as usize % n
        };
        let mut writer = FenWriter::new(FenStyle::Standard);
        for game in 0..40 {
            let start = if game % 2 == 0 { 518 } else { random(960) as u16 };
            let mut position = crate::chess960::start(start).unwrap();
            for _ in 0..150 {
                let fen = position.fen();
                assert!(fen.starts_with(&(placement_slowly(position.board()) + " ")));
                assert_eq!(Position::from_fen(&fen), Ok(position));
                let mut bytes = Vec::new();
                writer.append(&position, &mut bytes);
                position.append_fen_bytes(FenStyle::Standard, &mut bytes);
                writer.append_setup(&Setup::from(position), &mut bytes);
                assert_eq!(bytes, fen.repeat(3).as_bytes());
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.after(moves[random(moves.len())]);
            }
        }
    }

    #[test]
    fn numbers_of_any_length_are_written_whole() {
        for number in [0, 9, 10, 99, 100, 101, 999, 1_000, 10_000, 65_535] {
            let mut text = String::new();
            write_text(&mut text, |line| line.number(number));
            assert_eq!(text, number.to_string());
        }
    }
}
