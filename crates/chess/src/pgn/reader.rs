//! The tokens of games, found in a byte slice.
//!
//! One loop over the movetext looks at the first byte of each token and knows what it is. A move of
//! the usual form is read from a single 64-bit word; a search for the end of a tag or a comment looks
//! at eight bytes at a time. Nothing is copied, nothing is allocated, and variations are a number that
//! goes up and down.

use super::scan::{before_blank, find, word};
use super::visitor::Nobody;
use super::{GameResult, Nag, Next, PgnProblem, TagValue, Token, Visitor, border, decode};
use crate::San;

/// Reads all games of a text.
///
/// ```
/// use chess::San;
/// use chess::pgn::{Next, Token, Visitor, read};
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

/// Reads a text game by game.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// How many variations are open.
    depth: usize,
    /// Whether braces within comments may be taken to balance in the current game.
    may_nest: bool,
}

/// How a run through movetext ended.
#[derive(PartialEq, Eq)]
enum End {
    /// The game is over.
    Game,
    /// The variation that was to be skipped is over.
    Variation,
    /// The visitor does not want the rest of the game.
    Skip,
}

// What the first byte of a token says.
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
    /// A reader that stands before the first game of a text.
    pub const fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, depth: 0, may_nest: true }
    }

    /// How many bytes have been read.
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
        self.may_nest = true;
        if self.tags_and_moves(visitor) == End::Skip {
            while self.movetext(&mut Nobody, usize::MAX) == End::Skip {
                // Nobody skips only what is broken beyond its tokens.
            }
        }
        visitor.end_game();
        true
    }

    /// Goes to the first byte of a game: past blanks, escaped lines, and texts before the tags.
    fn skip_to_game(&mut self) {
        if self.text[self.at..].starts_with(b"\xef\xbb\xbf") {
            self.at += 3;
        }
        self.skip_blanks();
        let start = self.at;
        self.may_nest = true;
        loop {
            match self.text.get(self.at) {
                Some(b';') => self.at = find(self.text, self.at, [b'\n']),
                Some(b'{') => match self.comment_end() {
                    Some(end) => self.at = end + 1,
                    None => break,
                },
                _ => break,
            }
            self.skip_blanks();
        }
        // Comments that no tag follows belong to the moves.
        let before_tag = self.at_line_start() && border::is_tag(self.text, self.at);
        if !before_tag && self.at < self.text.len() {
            self.at = start;
        }
    }

    /// Skips blanks and lines that begin with `%`.
    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'%' if self.at_line_start() => self.at = find(self.text, self.at, [b'\n']),
                0..=b' ' => self.at += 1,
                _ => return,
            }
        }
    }

    fn at_line_start(&self) -> bool {
        self.at == 0 || matches!(self.text[self.at - 1], b'\n' | 0xbf)
    }

    fn tags_and_moves<V: Visitor>(&mut self, visitor: &mut V) -> End {
        let begin = self.at;
        let mut skip = visitor.begin_game(begin) != Next::Go;
        while let Some((name_end, quote)) = border::tag_quote(self.text, self.at) {
            let (name, value) = self.tag(name_end, quote);
            skip = skip || visitor.tag(name, value) != Next::Go;
            let end = self.at;
            self.skip_blanks();
            if self.at - end > 1 && border::is_border(self.text, self.at) {
                // A game of tags alone.
                return End::Game;
            }
        }
        if skip || visitor.begin_moves() != Next::Go {
            return End::Skip;
        }
        self.movetext(visitor, usize::MAX)
    }

    /// Reads the tag pair that begins here, and goes behind it.
    #[inline]
    fn tag(&mut self, name_end: usize, quote: usize) -> (Token<'a>, TagValue<'a>) {
        let text = self.text;
        let start = self.at + 1;
        let name = Token { text: &text[start..name_end], offset: start };
        let begin = quote + 1;
        let end = find(text, begin, [b'"', b'\\', b'\n']);
        if text.get(end) == Some(&b'"') && text.get(end + 1) == Some(&b']') {
            self.at = end + 2;
            return (name, TagValue::new(&text[begin..end]));
        }
        (name, self.odd_tag_value(begin))
    }

    /// A value with escapes, with quotes in it, or without an end: it ends with a quote before a
    /// bracket, or at the last quote of the line, or with the line.
    #[cold]
    fn odd_tag_value(&mut self, begin: usize) -> TagValue<'a> {
        let line_end = find(self.text, begin, [b'\n']);
        let line = &self.text[begin..line_end];
        let mut escaped = false;
        for (n, &byte) in line.iter().enumerate() {
            if byte == b'"' && !escaped {
                let after = line[n + 1..].trim_ascii_start();
                if let Some(rest) = after.strip_prefix(b"]") {
                    self.at = line_end - rest.len();
                    return TagValue::new(&line[..n]);
                }
            }
            escaped = byte == b'\\' && !escaped;
        }
        self.at = line_end;
        let line = line.trim_ascii_end();
        let line = line.strip_suffix(b"]").unwrap_or(line).trim_ascii_end();
        TagValue::new(line.strip_suffix(b"\"").unwrap_or(line))
    }

    /// Reads moves and what belongs to them, until the game is over or a variation closes that leaves
    /// `floor` open ones.
    fn movetext<V: Visitor>(&mut self, visitor: &mut V, floor: usize) -> End {
        let text = self.text;
        let mut at = self.at;
        /// Leaves the loop if the visitor has had enough.
        macro_rules! tell {
            ($call:expr) => {
                if $call != Next::Go {
                    self.at = at;
                    return End::Skip;
                }
            };
        }
        while let Some(&byte) = text.get(at) {
            match CLASSES[byte as usize] {
                BLANK => at += 1,
                MOVE => {
                    if let Some(word) = word(text, at) {
                        let length = before_blank(word);
                        if let Some(san) = San::parse_word(word, length) {
                            let end = at + length as usize;
                            let token = Token { text: &text[at..end], offset: at };
                            // The blank goes with it; a line end may begin something else.
                            at = end + usize::from(text.get(end) == Some(&b' '));
                            tell!(visitor.san(san, token));
                            continue;
                        }
                    }
                    self.at = at;
                    if self.odd_move(visitor) != Next::Go {
                        return End::Skip;
                    }
                    at = self.at;
                }
                DIGIT => {
                    let mut end = at + 1;
                    while text.get(end).is_some_and(u8::is_ascii_digit) {
                        end += 1;
                    }
                    if let Some(b'-' | b'/') = text.get(end) {
                        self.at = at;
                        match self.result_or_castling(visitor) {
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
                        Some(b'%') => at = find(text, at, [b'\n']),
                        Some(b'[') if border::is_tag(text, at) => {
                            self.at = at;
                            return self.close(visitor);
                        }
                        _ => {}
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

    /// A token that is not a plain move, number or blank. Nothing if reading goes on.
    fn other<V: Visitor>(&mut self, visitor: &mut V, byte: u8, floor: usize) -> Option<End> {
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
                self.at = find(self.text, start, [b'\n']);
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
            _ => self.odd_move(visitor),
        };
        (next != Next::Go).then_some(End::Skip)
    }

    /// Goes behind the end of the innermost variation, if it has one.
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

    /// The digits from here on, if they make a number up to 255.
    fn number(&mut self) -> Option<u8> {
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = &self.text[self.at..self.at + digits];
        self.at += digits;
        std::str::from_utf8(text).ok()?.parse().ok()
    }

    /// Where the comment that begins here ends: at its closing brace, or nowhere before the next
    /// border.
    fn comment_end(&mut self) -> Option<usize> {
        let text = self.text;
        let mut at = self.at + 1;
        let mut first_end = None;
        let mut open = 1usize;
        loop {
            at = find(text, at, [b'{', b'}', b'\n']);
            match text.get(at) {
                Some(b'{') if self.may_nest => open += 1,
                Some(b'{') => {}
                Some(b'}') => {
                    open -= 1;
                    if open == 0 || !self.may_nest {
                        return Some(at);
                    }
                    first_end = first_end.or(Some(at));
                }
                Some(b'\n') if !border::is_border(text, at + 1) => {}
                _ => {
                    // The braces do not balance in this game: the first that closes counts.
                    self.may_nest = false;
                    return first_end;
                }
            }
            at += 1;
        }
    }

    /// `1-0` and the like, which ends the game if it is not in a variation, or `0-0`.
    #[inline(never)]
    fn result_or_castling<V: Visitor>(&mut self, visitor: &mut V) -> Option<End> {
        let start = self.at;
        let end = start + token_length(&self.text[start..]);
        match GameResult::parse(&self.text[start..end]) {
            Some(result) => {
                self.at = end;
                self.end_with(visitor, result)
            }
            None => (self.odd_move(visitor) != Next::Go).then_some(End::Skip),
        }
    }

    /// A result: the game is over, unless it is one within a variation.
    fn end_with<V: Visitor>(&mut self, visitor: &mut V, result: GameResult) -> Option<End> {
        if self.depth > 0 {
            return None;
        }
        visitor.result(result);
        if !self.trailing(visitor) {
            self.trailing(&mut Nobody);
        }
        Some(End::Game)
    }

    /// Comments and NAGs after the result, or a second result. False if the visitor has had enough.
    fn trailing<V: Visitor>(&mut self, visitor: &mut V) -> bool {
        loop {
            self.skip_blanks();
            let start = self.at;
            match self.text.get(start) {
                Some(&byte @ (b'{' | b';' | b'$')) => match self.other(visitor, byte, usize::MAX) {
                    Some(End::Skip) => return false,
                    Some(_) => return true,
                    None => {}
                },
                Some(b'*' | b'0' | b'1') => {
                    let end = start + token_length(&self.text[start..]);
                    if GameResult::parse(&self.text[start..end]).is_none() {
                        return true;
                    }
                    self.at = end;
                }
                _ => return true,
            }
        }
    }

    /// A move that is not of the usual form, or something else that is made of letters and signs.
    #[inline(never)]
    fn odd_move<V: Visitor>(&mut self, visitor: &mut V) -> Next {
        let start = self.at;
        let length = token_length(&self.text[start..]);
        let token = &self.text[start..start + length.max(1)];
        self.at = start + token.len();
        let marks = token.iter().rev().take_while(|byte| matches!(byte, b'!' | b'?')).count();
        let (plain, marks) = token.split_at(token.len() - marks);
        let offset = start;
        if !plain.is_empty() {
            match San::read(plain) {
                Some(san) => {
                    if visitor.san(san, Token { text: plain, offset }) != Next::Go {
                        return Next::Skip;
                    }
                }
                None if matches!(plain, b"e.p." | b"ep" | b"e.p") => {}
                None => match Nag::parse(plain) {
                    Some(nag) if marks.is_empty() => return visitor.nag(nag),
                    _ => {
                        let shown = &token[..token.len().min(40)];
                        let text = decode(shown).into_owned();
                        visitor.error(start, PgnProblem::UnknownToken(text));
                        return Next::Skip;
                    }
                },
            }
        }
        match Nag::parse(marks) {
            Some(nag) => visitor.nag(nag),
            // No marks, or three of a kind.
            None => Next::Go,
        }
    }
}

/// How many bytes belong to the token that begins a text: up to a blank or a sign that begins
/// something else. `e8(Q)` is one token.
fn token_length(text: &[u8]) -> usize {
    let ends = |byte: &u8| {
        matches!(byte, 0..=b' ' | b'{' | b'}' | b'(' | b')' | b'[' | b']' | b';' | b'$')
    };
    let length = text.iter().position(ends).unwrap_or(text.len());
    match text[length..] {
        [b'(', b'N' | b'B' | b'R' | b'Q', b')', ..] if length > 0 => {
            let rest = &text[length + 3..];
            length + 3 + rest.iter().position(ends).unwrap_or(rest.len())
        }
        _ => length,
    }
}
