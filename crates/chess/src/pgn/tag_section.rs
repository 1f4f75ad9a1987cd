//! The tags of a game, up to its first move.

use super::reader::End;
use super::scan::{count_work, find};
use super::{Next, Reader, TagValue, Token, Visitor, border};

impl<'a> Reader<'a> {
    /// Reads a game from its first byte on.
    pub(super) fn tags_and_moves<V: Visitor>(&mut self, visitor: &mut V) -> End {
        let mut skip = visitor.begin_game(self.at) != Next::Go;
        // Where the first comment among the tags begins.
        let mut comments = None;
        let mut has_tags = false;
        let mut is_over = false;
        'tags: loop {
            while let Some(tag) = border::tag_start(self.text, self.at) {
                let (name, value) = self.tag(tag);
                if !skip && visitor.tag(name, value) != Next::Go {
                    skip = true;
                    self.stopped = Some(self.at);
                }
                has_tags = true;
                if let [b'\n', b'[', ..] = self.text[self.at..] {
                    // The usual case; no blank line, no border.
                    self.at += 1;
                    continue;
                }
                let end = self.at;
                self.skip_blanks();
                if self.at - end > 1 && border::is_border(self.text, self.at) {
                    // A game of tags alone.
                    is_over = true;
                    break 'tags;
                }
            }
            let start = self.at;
            if !has_tags || !self.skip_comments() || !self.at_another_tag() {
                self.at = start;
                break;
            }
            comments = comments.or(Some(start));
        }
        skip = skip || visitor.begin_moves() != Next::Go;
        let flow = match comments {
            Some(from) if !skip => self.comments_among_tags(visitor, from),
            _ => None,
        };
        match flow {
            _ if is_over => End::Game,
            Some(end) => end,
            None if skip => End::Skip,
            None => self.movetext(visitor, usize::MAX),
        }
    }

    /// Whether a tag of the same game follows after a comment.
    fn at_another_tag(&self) -> bool {
        border::tag_start(self.text, self.at).is_some_and(|tag| {
            self.text[tag.name..tag.name_end] != *b"Event" && !border::is_border(self.text, self.at)
        })
    }

    /// Visits the comments from an offset on, up to the first move. `None` if reading continues.
    #[cold]
    fn comments_among_tags<V: Visitor>(&mut self, visitor: &mut V, from: usize) -> Option<End> {
        let moves = core::mem::replace(&mut self.at, from);
        let mut end = None;
        while self.at < moves && end.is_none() {
            match (self.text[self.at], border::tag_start(self.text, self.at)) {
                (_, Some(tag)) => drop(self.tag(tag)),
                (byte @ (b'{' | b';'), _) => end = self.other(visitor, byte, usize::MAX),
                _ => break,
            }
            self.skip_blanks();
        }
        self.at = moves;
        end
    }

    /// Reads the tag pair here and skips past it.
    #[inline]
    fn tag(&mut self, tag: border::TagStart) -> (Token<'a>, TagValue<'a>) {
        let text = self.text;
        let name = Token { text: &text[tag.name..tag.name_end], offset: tag.name };
        let begin = tag.quote + 1;
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
        let text = self.text;
        let mut at = begin;
        let mut escaped = false;
        while let Some(&byte) = text.get(at).filter(|byte| !border::is_line_end(**byte)) {
            if byte == b'"' && !escaped {
                let after = border::after_indent(text, at + 1);
                if text.get(after) == Some(&b']') {
                    self.at = after + 1;
                    return TagValue::new(&text[begin..at]);
                }
            }
            escaped = byte == b'\\' && !escaped;
            at += 1;
        }
        count_work(at - begin);
        self.at = at;
        // The bracket may stand on a line of its own.
        let blanks = text[at..].iter().take_while(|byte| **byte <= b' ').count();
        count_work(blanks);
        if text.get(at + blanks) == Some(&b']') {
            self.at = at + blanks + 1;
        }
        let line = text[begin..at].trim_ascii_end();
        let line = line.strip_suffix(b"]").unwrap_or(line).trim_ascii_end();
        TagValue::new(line.strip_suffix(b"\"").unwrap_or(line))
    }
}
