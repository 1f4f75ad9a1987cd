//! The PGN tokenizer.
//!
//! One loop over the movetext dispatches on the first byte of each token. A common move is parsed from a
//! single 64-bit word; the end of a tag or a comment is searched eight bytes at a time. Nothing is copied or
//! allocated, and variations are a depth counter.

use super::odd_token::odd_blank;
use super::scan::{before_blank, count_work, find, word};
use super::visitor::Nobody;
use super::{GameResult, Nag, Next, PgnProblem, Token, Visitor, border};
use crate::San;

/// Reads all games of a text.
///
/// ```
/// use tabiya_chess::San;
/// use tabiya_chess::pgn::{Next, Token, Visitor, read};
///
/// #[derive(Default)]
/// struct Count { games: usize, moves: usize }
///
/// impl Visitor for Count {
///     fn san(&mut self, _: San, _: Token<'_>) -> Next { self.moves += 1; Next::Go }
///     fn end_game(&mut self) { self.games += 1 }
/// }
///
/// let mut count = Count::default();
/// read(b"[White \"A\"]\n\n1. e4 e5 (1... c5) 1-0\n\n[White \"B\"]\n\n1. d4 *", &mut count);
/// assert_eq!((count.games, count.moves), (2, 3));
/// ```
pub fn read<V: Visitor>(text: &[u8], visitor: &mut V) {
    let mut reader = Reader::new(text);
    while reader.read_game(visitor) {}
}

/// A reader of games from a byte slice.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    /// The depth of open variations.
    pub(super) depth: usize,
    /// Comments that begin before this border do not nest, because one of them does not balance before it.
    /// So no text is searched for balance twice.
    flat_before: usize,
    /// The offset at which the visitor skipped the rest of the last game, if it did.
    pub(super) stopped: Option<usize>,
}

/// Why a pass over movetext ended.
#[derive(PartialEq, Eq)]
pub(super) enum End {
    /// The game is over.
    Game,
    /// The skipped variation is over.
    Variation,
    /// The visitor skips the rest of the game.
    Skip,
}

// Classes of the first byte of a token.
const BLANK: u8 = 0;
const NEWLINE: u8 = 1;
const MOVE: u8 = 2;
const DIGIT: u8 = 3;
const OTHER: u8 = 4;

static CLASSES: [u8; 256] = {
    let mut table = [OTHER; 256];
    let mut byte = 0;
    while byte <= b' ' as usize {
        table[byte] = BLANK;
        byte += 1;
    }
    table[b'\n' as usize] = NEWLINE;
    table[b'\r' as usize] = NEWLINE;
    table[b'.' as usize] = BLANK;
    let moves = b"abcdefghNBRQKPOoZ-";
    let mut n = 0;
    while n < moves.len() {
        table[moves[n] as usize] = MOVE;
        n += 1;
    }
    let mut digit = b'0';
    while digit <= b'9' {
        table[digit as usize] = DIGIT;
        digit += 1;
    }
    table
};

impl<'a> Reader<'a> {
    /// A reader at the start of a text.
    pub const fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, depth: 0, flat_before: 0, stopped: None }
    }

    /// The same reader over another text: a text that has moved in memory, or one that follows it.
    #[cfg(feature = "std")]
    pub(super) const fn with_text<'b>(&self, text: &'b [u8]) -> Reader<'b> {
        let Self { at, depth, flat_before, stopped, .. } = *self;
        Reader { text, at, depth, flat_before, stopped }
    }

    /// The number of bytes read.
    pub const fn offset(&self) -> usize {
        self.at
    }

    /// Reads the next game, if there is one.
    pub fn read_game<V: Visitor>(&mut self, visitor: &mut V) -> bool {
        self.skip_to_game();
        if self.at >= self.text.len() {
            return false;
        }
        self.depth = 0;
        self.stopped = None;
        if self.tags_and_moves(visitor) == End::Skip {
            self.stopped.get_or_insert(self.at);
            while self.movetext(&mut Nobody, usize::MAX) == End::Skip {
                // Nobody skips only what is broken beyond its tokens.
            }
        }
        visitor.end_game();
        true
    }

    /// Skips to the first byte of a game: blanks, escaped lines, and text before the tags.
    fn skip_to_game(&mut self) {
        self.skip_blanks();
        let start = self.at;
        self.skip_comments();
        // Comments that no tag follows belong to the moves.
        if !border::is_tag(self.text, self.at) && self.at < self.text.len() {
            self.at = start;
        }
    }

    /// Skips comments and blanks, up to other text or an unterminated comment. Returns whether there were
    /// any.
    pub(super) fn skip_comments(&mut self) -> bool {
        let start = self.at;
        loop {
            match self.text.get(self.at) {
                Some(b';') => self.at = self.line_end(),
                Some(b'{') => match self.comment_end() {
                    Some(end) => self.at = end + 1,
                    None => break,
                },
                _ => break,
            }
            self.skip_blanks();
        }
        self.at > start
    }

    /// Skips blanks, invisible characters and lines that begin with `%`.
    pub(super) fn skip_blanks(&mut self) {
        let start = self.at;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'%' if self.at_line_start() => self.at = self.line_end(),
                0..=b' ' => self.at += 1,
                0x80.. => match odd_blank(self.text, self.at) {
                    0 => break,
                    length => self.at += length,
                },
                _ => break,
            }
        }
        count_work(self.at - start);
    }

    fn at_line_start(&self) -> bool {
        let before = &self.text[..self.at];
        before.last().is_none_or(|&byte| border::is_line_end(byte))
            || before.ends_with(border::MARK)
    }

    /// The end of the line.
    fn line_end(&self) -> usize {
        find(self.text, self.at, [b'\n', b'\r'])
    }

    /// Reads movetext until the game is over or a closed variation leaves `floor` open ones.
    pub(super) fn movetext<V: Visitor>(&mut self, visitor: &mut V, floor: usize) -> End {
        let text = self.text;
        let mut at = self.at;
        /// Leaves the loop if the visitor stops.
        macro_rules! visit {
            ($call:expr) => {
                if $call != Next::Go {
                    self.at = at;
                    return End::Skip;
                }
            };
        }
        while let Some(&byte) = text.get(at) {
            match CLASSES[byte as usize] {
                BLANK => {
                    count_work(1);
                    at += 1;
                }
                MOVE => {
                    if let Some(word) = word(text, at) {
                        let length = before_blank(word);
                        if let Some(san) = San::parse_word(word, length) {
                            let end = at + length as usize;
                            let token = Token { text: &text[at..end], offset: at };
                            // The blank goes with it; a line end may begin something else.
                            at = end + usize::from(text.get(end) == Some(&b' '));
                            visit!(visitor.san(san, token));
                            continue;
                        }
                    }
                    self.at = at;
                    match self.odd_token(visitor) {
                        Some(end) => return end,
                        None => at = self.at,
                    }
                }
                DIGIT => {
                    let mut end = at + 1;
                    while text.get(end).is_some_and(u8::is_ascii_digit) {
                        end += 1;
                    }
                    count_work(end - at);
                    if text.get(end) != Some(&b'.') && is_no_number(text, at, end) {
                        self.at = at;
                        match self.odd_token(visitor) {
                            Some(end) => return end,
                            None => at = self.at,
                        }
                        continue;
                    }
                    while text.get(end) == Some(&b'.') {
                        end += 1;
                    }
                    at = end + usize::from(text.get(end) == Some(&b' '));
                }
                NEWLINE => {
                    at += 1;
                    match text.get(at) {
                        Some(b'%') => at = find(text, at, [b'\n', b'\r']),
                        Some(0..=b' ' | 0xef) => at = border::after_indent(text, at),
                        _ => {}
                    }
                    if border::is_tag(text, at) {
                        self.at = at;
                        return self.close(visitor);
                    }
                }
                _ => {
                    self.at = at;
                    match self.other(visitor, byte, floor) {
                        Some(end) => return end,
                        None => at = self.at,
                    }
                }
            }
        }
        self.at = text.len();
        self.close(visitor)
    }

    /// The game ends without a result.
    #[cold]
    fn close<V: Visitor>(&mut self, visitor: &mut V) -> End {
        if self.depth > 0 {
            visitor.error(self.at, PgnProblem::UnclosedVariation(self.depth));
        }
        End::Game
    }

    /// A token that is not a plain move, number or blank. `None` if reading continues.
    pub(super) fn other<V: Visitor>(
        &mut self,
        visitor: &mut V,
        byte: u8,
        floor: usize,
    ) -> Option<End> {
        let start = self.at;
        let next = match byte {
            b'{' => match self.comment_end() {
                Some(end) => {
                    self.at = end + 1;
                    let text = &self.text[start + 1..end];
                    visitor.comment(Token { text, offset: start + 1 })
                }
                None => {
                    visitor.error(start, PgnProblem::UnclosedComment);
                    self.at = border::first(self.text, start).unwrap_or(self.text.len());
                    return Some(End::Game);
                }
            },
            b';' => {
                self.at = self.line_end();
                let text = self.text[start + 1..self.at].trim_ascii_end();
                visitor.comment(Token { text, offset: start + 1 })
            }
            b'(' => {
                self.at += 1;
                self.depth += 1;
                match visitor.begin_variation(start) {
                    Next::Skip if !self.skip_variation() => {
                        visitor.error(start, PgnProblem::UnclosedVariation(self.depth));
                        return Some(End::Game);
                    }
                    Next::Skip | Next::Go => Next::Go,
                    Next::SkipGame => Next::SkipGame,
                }
            }
            b')' => {
                self.at += 1;
                if self.depth == 0 {
                    visitor.error(start, PgnProblem::UnmatchedParenthesis);
                    return Some(End::Skip);
                }
                self.depth -= 1;
                if self.depth == floor {
                    return Some(End::Variation);
                }
                visitor.end_variation()
            }
            b'$' => {
                self.at += 1;
                match self.number() {
                    Some(number) => visitor.nag(Nag(number)),
                    None => Next::Go,
                }
            }
            b'*' => {
                self.at += 1;
                return self.end_with(visitor, GameResult::Unknown);
            }
            b'}' => {
                self.at += 1;
                visitor.error(start, PgnProblem::UnmatchedBrace);
                Next::Skip
            }
            _ => return self.odd_token(visitor),
        };
        (next != Next::Go).then_some(End::Skip)
    }

    /// Skips past the end of the innermost variation, if it has one.
    fn skip_variation(&mut self) -> bool {
        let floor = self.depth - 1;
        loop {
            match self.movetext(&mut Nobody, floor) {
                End::Variation => return true,
                End::Game => return false,
                // What is broken within does not matter.
                End::Skip => {}
            }
        }
    }

    /// The number at the cursor, if it is at most 255.
    fn number(&mut self) -> Option<u8> {
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = &self.text[self.at..self.at + digits];
        self.at += digits;
        core::str::from_utf8(text).ok()?.parse().ok()
    }

    /// The end of the comment that begins here: its closing brace, if there is one before the next border.
    fn comment_end(&mut self) -> Option<usize> {
        let text = self.text;
        let nests = self.at >= self.flat_before;
        let mut at = self.at + 1;
        let mut first_end = None;
        let mut open = 1usize;
        loop {
            at = find(text, at, [b'{', b'}', b'[']);
            match text.get(at) {
                Some(b'{') => open += usize::from(nests),
                Some(b'}') => {
                    open -= 1;
                    if open == 0 {
                        return Some(at);
                    }
                    first_end = first_end.or(Some(at));
                }
                Some(b'[') if !border::is_border(text, at) => {}
                _ => {
                    // The braces do not balance: the first that closes counts, here and in all
                    // comments up to the border.
                    self.flat_before = at;
                    return first_end;
                }
            }
            at += 1;
        }
    }

    /// A result: the game is over, unless it is one within a variation.
    pub(super) fn end_with<V: Visitor>(
        &mut self,
        visitor: &mut V,
        result: GameResult,
    ) -> Option<End> {
        if self.depth > 0 {
            return None;
        }
        visitor.result(result);
        if !self.trailing(visitor) {
            self.trailing(&mut Nobody);
        }
        Some(End::Game)
    }
}

/// Whether digits without a following dot are not a move number: a result
/// (also with a colon, or a dash that is not a hyphen), castling, or the null move `0000`.
fn is_no_number(text: &[u8], at: usize, end: usize) -> bool {
    match text[end..] {
        [b'-' | b'/' | b':', ..] => true,
        [0xe2, 0x80, 0x90..=0x95, ..] | [0xe2, 0x88, 0x92, ..] => true,
        _ => text[at..end] == *b"0000",
    }
}
