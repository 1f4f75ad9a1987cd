//! A fast FEN writer.
//!
//! A rank is written without a loop over its squares. Its piece letters are assembled in one 64-bit word, a
//! byte per file, from the bitboards. A table of all 256 occupancy patterns maps each byte of the text to its
//! source, a letter or a digit. Eight bytes are then gathered and stored, of which the pattern's length
//! counts.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Bitboard, Board, Color, FenStyle, PieceType, Position, Rank, Setup, Square};

/// The fields of a FEN.
pub(crate) trait FenFields {
    fn board(&self) -> &Board;
    fn turn(&self) -> Color;
    fn castling_rooks(&self) -> Bitboard;
    fn en_passant(&self) -> Option<Square>;
    fn clocks(&self) -> (u16, u16);
}

impl FenFields for Position {
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

impl FenFields for Setup {
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

/// Capacity for the longest FEN (92 bytes) and for the bytes stored beyond the end of the last rank.
const CAPACITY: usize = 128;

/// A fixed buffer for one FEN.
///
/// Cold paths return their bytes instead of writing into it, so that the compiler can keep the length in a
/// register.
pub(crate) struct FenBuffer<'a> {
    bytes: &'a mut [u8; CAPACITY],
    length: usize,
}

/// Appends what the closure writes to a string.
pub(crate) fn write_text(text: &mut String, write: impl FnOnce(&mut FenBuffer<'_>)) {
    let mut bytes = [0; CAPACITY];
    let mut fen = FenBuffer { bytes: &mut bytes, length: 0 };
    write(&mut fen);
    let length = fen.length.min(CAPACITY);
    // Only ASCII is ever written.
    text.push_str(core::str::from_utf8(&bytes[..length]).unwrap_or_default());
}

/// Appends what the closure writes to a byte vector, in place: the vector grows by the full capacity and is
/// then truncated.
#[inline(always)]
pub(crate) fn write_bytes(bytes: &mut Vec<u8>, write: impl FnOnce(&mut FenBuffer<'_>)) {
    let start = bytes.len();
    bytes.extend_from_slice(&[0; CAPACITY]);
    if let Some(room) = bytes.get_mut(start..).and_then(<[u8]>::first_chunk_mut) {
        let mut fen = FenBuffer { bytes: room, length: 0 };
        write(&mut fen);
        let length = fen.length.min(CAPACITY);
        bytes.truncate(start + length);
    }
}

/// Expands each bit of the index to a byte of ones.
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

/// The text layout of a rank with a given occupancy.
#[derive(Clone, Copy)]
struct Pattern {
    /// For each byte of the text its index into the eight letters and the digits that follow them.
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

/// The text of a rank without the slash: the first `length` bytes.
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
    // Letters by XOR: a piece in one plane has that plane's letter; a piece in two planes the two letters
    // and a correction. Lower case for Black: 32 more.
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

/// Writes the FENs of successive positions, as of a game. It caches the text of each rank and rewrites only
/// those that have changed, usually two.
///
/// ```
/// use tabiya_chess::{FenStyle, FenWriter, Position};
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
    /// A writer whose cache is the empty board.
    pub const fn new(style: FenStyle) -> Self {
        let empty = RankText { bytes: *b"8       ", length: 1 };
        Self { style, board: Board::EMPTY, ranks: [empty; 8] }
    }

    /// Appends the FEN of a position. It is fastest if the position differs little from the last.
    pub fn append(&mut self, position: &Position, bytes: &mut Vec<u8>) {
        self.append_any(position, bytes);
    }

    /// Appends the FEN of a setup, legal or not.
    pub fn append_setup(&mut self, setup: &Setup, bytes: &mut Vec<u8>) {
        self.append_any(setup, bytes);
    }

    #[inline(always)]
    fn append_any(&mut self, position: &impl FenFields, bytes: &mut Vec<u8>) {
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
        write_bytes(bytes, |fen| {
            for rank in (0..8).rev() {
                fen.rank(rank, self.ranks[rank]);
            }
            fen.rest(position, self.style);
        });
    }
}

impl core::fmt::Debug for FenWriter {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "FenWriter({:?}, {:?})", self.style, self.board)
    }
}

impl FenBuffer<'_> {
    #[inline(always)]
    fn push(&mut self, byte: u8) {
        self.bytes[self.length % CAPACITY] = byte;
        self.length += 1;
    }

    /// Appends the first `count` of eight bytes.
    #[inline(always)]
    fn push_some(&mut self, bytes: [u8; 8], count: usize) {
        if let Some(room) = self.bytes.get_mut(self.length..).and_then(<[u8]>::first_chunk_mut) {
            *room = bytes;
            self.length += count;
        }
    }

    /// The whole FEN.
    #[inline(always)]
    pub(crate) fn position(&mut self, position: &impl FenFields, style: FenStyle) {
        self.placement(position.board());
        self.rest(position, style);
    }

    /// All fields but the first.
    #[inline(always)]
    fn rest(&mut self, position: &impl FenFields, style: FenStyle) {
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
        // The slash after the first rank is overwritten by the next field.
        self.bytes[self.length % CAPACITY] = b'/';
        self.length += usize::from(rank > 0);
    }

    #[inline(always)]
    fn castling(&mut self, position: &impl FenFields, style: FenStyle) {
        /// The rook squares of standard chess.
        const CORNERS: u64 = 0x8100_0000_0000_0081;
        let rights = position.castling_rooks().0;
        if rights == 0 {
            self.push(b'-');
        } else if rights & !CORNERS == 0 && style == FenStyle::Standard {
            // A rook in the corner is the outermost of its side.
            for (square, letter) in [(7, b'K'), (0, b'Q'), (63, b'k'), (56, b'q')] {
                self.bytes[self.length % CAPACITY] = letter;
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

/// Castling rights where `KQkq` may be ambiguous.
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
    use crate::rng::Rng;

    /// The reference: square by square.
    fn reference_placement(board: &Board) -> String {
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
    fn fast_and_cached_writing_match_the_reference_in_random_games() {
        let mut rng = Rng::from_seed(7);
        let mut writer = FenWriter::new(FenStyle::Standard);
        for game in 0..40 {
            let start = if game % 2 == 0 { 518 } else { rng.below(960) as u16 };
            let mut position = crate::chess960::start(start).unwrap();
            for _ in 0..150 {
                let fen = position.fen();
                assert!(fen.starts_with(&(reference_placement(position.board()) + " ")));
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
                position = position.after(moves[rng.below(moves.len())]);
            }
        }
    }

    #[test]
    fn numbers_of_any_length_are_written_completely() {
        for number in [0, 9, 10, 99, 100, 101, 999, 1_000, 10_000, 65_535] {
            let mut text = String::new();
            write_text(&mut text, |fen| fen.number(number));
            assert_eq!(text, number.to_string());
        }
    }
}
