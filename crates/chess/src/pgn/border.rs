//! Game borders: resynchronization points of a PGN text.
//!
//! A large file is read by several threads, each starting in the middle, and an unterminated comment must not
//! swallow the games that follow. Both need a start of a game that can be recognized from its surroundings
//! alone. The reader obeys this rule in every state, so that a text split at borders reads as the same games:
//!
//! > A **border** is a tag pair (`[Name "`) at the beginning of a line that follows a blank line or
//! > the beginning of the text, unless the last line with anything on it begins like a tag pair as
//! > well; in that case only the tag `Event` is a border.
//!
//! Lines end with `\n`, `\r\n` or `\r`; blanks and byte order marks before the `[` are ignored. So
//! a comment cannot contain an empty line followed by a tag pair; known files never do on purpose.
//!
//! All functions take linear time: looking back from one `[` scans blanks and the line before them, never
//! what was scanned from the previous `[`.

use super::scan::{count_work, find};

/// The bytes of tag names.
static NAMES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// The offsets of the start of a tag pair: `[Name "`.
#[derive(Clone, Copy)]
pub(super) struct TagStart {
    pub(super) name: usize,
    pub(super) name_end: usize,
    /// The quote before the value.
    pub(super) quote: usize,
}

/// Whether a tag pair begins here, at the beginning of a line or not.
#[inline]
pub(super) fn is_tag(text: &[u8], at: usize) -> bool {
    tag_start(text, at).is_some()
}

/// The tag pair that begins here.
#[inline]
pub(super) fn tag_start(text: &[u8], at: usize) -> Option<TagStart> {
    if text.get(at) != Some(&b'[') {
        return None;
    }
    // No name is longer than that; so nobody looks at the same bytes again and again.
    let most = text.len().min(at + 256);
    let mut name = at + 1;
    if text.get(name).is_some_and(|byte| *byte <= b' ') {
        while name < most && text[name] <= b' ' {
            name += 1;
        }
    }
    let mut name_end = name;
    while name_end < most && NAMES[text[name_end] as usize] {
        name_end += 1;
    }
    count_work(name_end - at);
    if name_end == name {
        return None;
    }
    let mut quote = name_end;
    while quote < most && text[quote] <= b' ' {
        quote += 1;
    }
    count_work(quote - name_end);
    (text.get(quote) == Some(&b'"')).then_some(TagStart { name, name_end, quote })
}

/// The byte order mark, which also occurs in the middle of concatenated files.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Skips blanks and byte order marks within the line.
pub(super) fn after_indent(text: &[u8], mut at: usize) -> usize {
    let start = at;
    loop {
        match text.get(at) {
            Some(&byte) if byte <= b' ' && !is_line_end(byte) => at += 1,
            Some(0xef) if text[at..].starts_with(MARK) => at += MARK.len(),
            _ => break,
        }
    }
    count_work(at - start);
    at
}

/// Whether this byte is a border.
///
/// ```
/// use tabiya_chess::pgn::border::is_border;
/// let text = b"[Event \"a\"]\n[Site \"b\"]\n\n1. e4 {\n\n[Event \"c\"]\n";
/// let borders: Vec<usize> = (0..text.len()).filter(|&at| is_border(text, at)).collect();
/// assert_eq!(borders, [0, 33]);
/// ```
pub fn is_border(text: &[u8], at: usize) -> bool {
    tag_start(text, at).is_some_and(|tag| follows_an_end(text, at, tag, false))
}

/// The first border from an offset on in a fragment: it does not depend on what precedes the fragment.
pub fn first_in_fragment(text: &[u8], from: usize) -> Option<usize> {
    brackets(text, from)
        .find(|&at| tag_start(text, at).is_some_and(|tag| follows_an_end(text, at, tag, true)))
}

/// The first border from an offset on.
pub fn first(text: &[u8], from: usize) -> Option<usize> {
    brackets(text, from).find(|&at| is_border(text, at))
}

/// The last border that is not the first byte.
pub fn last(text: &[u8]) -> Option<usize> {
    let mut end = text.len();
    loop {
        let at = text.get(1..end)?.iter().rposition(|&byte| byte == b'[')? + 1;
        count_work(end - at);
        if is_border(text, at) {
            return Some(at);
        }
        end = at;
    }
}

/// Whether a line begins like a tag pair: then a tag pair after it belongs to the same game, unless it
/// is `Event`.
pub fn begins_like_a_tag(line: &[u8]) -> bool {
    let line = &line[after_indent(line, 0)..];
    matches!(line, [b'[', rest @ ..]
        if rest.trim_ascii_start().first().is_some_and(u8::is_ascii_alphanumeric))
}

/// Offsets of `[`.
fn brackets(text: &[u8], from: usize) -> impl Iterator<Item = usize> {
    let mut at = from;
    core::iter::from_fn(move || {
        let here = find(text, at, [b'[']);
        at = here + 1;
        (here < text.len()).then_some(here)
    })
}

/// The start of the white space before an offset, and its number of line ends.
fn blanks_before(text: &[u8], at: usize) -> (usize, usize) {
    let (mut start, mut line_ends) = (at, 0);
    loop {
        let (length, is_end) = match text[..start] {
            [.., b'\r', b'\n'] => (2, true),
            [.., b'\n' | b'\r'] => (1, true),
            [.., 0..=b' '] => (1, false),
            [.., 0xef, 0xbb, 0xbf] => (3, false),
            _ => break,
        };
        start -= length;
        line_ends += usize::from(is_end);
    }
    count_work(at - start);
    (start, line_ends)
}

/// Whether the text before a tag pair makes it a border. In a fragment the beginning of the text proves
/// nothing, since its first line may have begun earlier.
fn follows_an_end(text: &[u8], at: usize, tag: TagStart, is_fragment: bool) -> bool {
    let (before, line_ends) = blanks_before(text, at);
    if before == 0 {
        return !is_fragment;
    }
    if line_ends < 2 {
        return false;
    }
    if text[tag.name..tag.name_end] == *b"Event" {
        return true;
    }
    let begin = match text[..before].iter().rposition(|&byte| is_line_end(byte)) {
        Some(line_end) => line_end + 1,
        None if is_fragment => return false,
        None => 0,
    };
    count_work(before - begin);
    !begins_like_a_tag(&text[begin..before])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_after_tags_is_a_border_only_if_it_is_event() {
        let text = b"[White \"a\"]\n\n[Black \"b\"]\n\n[Event \"c\"]\n\ne4\n[Site \"no\"]\n";
        let borders: Vec<usize> = (0..text.len()).filter(|&at| is_border(text, at)).collect();
        assert_eq!(borders, [0, 26]);
        assert_eq!(last(text), Some(26));
        assert_eq!(first(text, 1), Some(26));
        assert_eq!(first_in_fragment(text, 0), Some(26));
    }

    #[test]
    fn carriage_returns_and_marks_do_not_hide_a_border() {
        let text = b"\xef\xbb\xbf[Event \"a\"]\r\n\r\n1. e4 *\r\n\r\n[Event \"b\"]\r\n\r\n*";
        assert_eq!(last(text), Some(29));
        assert_eq!(first_in_fragment(text, 0), Some(29));
        assert_eq!(first_in_fragment(&text[26..], 0), None);
        assert_eq!(first_in_fragment(b"te \"x\"]\n\n[Black \"y\"]", 0), None);
    }

    #[test]
    fn carriage_returns_alone_end_lines_and_indented_tags_are_borders() {
        let text = b"[Event \"a\"]\r\r1. e4\r\r [ White\t\"b\"]\r\r\r[Site \"no\"]";
        let borders: Vec<usize> = (0..text.len()).filter(|&at| is_border(text, at)).collect();
        assert_eq!(borders, [0, 21]);
        let text = b"1. e4\n\n\xef\xbb\xbf\t[Event\n\"b\"]\n";
        assert_eq!((first(text, 0), last(text)), (Some(11), Some(11)));
    }

    #[test]
    fn arbitrary_bytes_never_panic() {
        for n in 0..20_000u32 {
            let alphabet = b"[\n \"eE1\r";
            let text: Vec<u8> = (0..12)
                .map(|i| alphabet[(n.wrapping_mul(2_654_435_761) >> (i * 2)) as usize % 8])
                .collect();
            for at in 0..text.len() {
                is_border(&text, at);
            }
            let _ = (last(&text), first(&text, 3), first_in_fragment(&text, 0));
        }
    }
}
