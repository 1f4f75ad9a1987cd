//! Where a game begins, whatever came before.
//!
//! A file of gigabytes is read by several threads, each beginning somewhere in the middle, and a game
//! with an open comment must not swallow those that follow. Both need a place that can be known for
//! the beginning of a game by looking at its surroundings alone. This is the rule, and the reader
//! obeys it in every state, so that a text cut at borders reads as the same games as the whole:
//!
//! > A **border** is a tag pair (`[Name "`) at the beginning of a line that follows a blank line or
//! > the beginning of the text, unless the last line with anything on it is a tag pair as well; in
//! > that case only the tag `Event` is one.
//!
//! So a comment cannot contain an empty line followed by a tag pair. In all that is known of real
//! files, none does on purpose.

/// The bytes that names of tags are made of.
static NAMES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// Whether a tag pair begins here. (Not whether at the beginning of a line.)
#[inline]
pub(super) fn is_tag(text: &[u8], at: usize) -> bool {
    tag_quote(text, at).is_some()
}

/// Where the name of the tag pair that begins here ends, and where the quote before its value is.
#[inline]
pub(super) fn tag_quote(text: &[u8], at: usize) -> Option<(usize, usize)> {
    if text.get(at) != Some(&b'[') {
        return None;
    }
    // No name is longer than that; so nobody looks at the same bytes again and again.
    let most = text.len().min(at + 256);
    let mut end = at + 1;
    while end < most && NAMES[text[end] as usize] {
        end += 1;
    }
    if end == at + 1 {
        return None;
    }
    let mut quote = end;
    while quote < most && matches!(text[quote], b' ' | b'\t') {
        quote += 1;
    }
    (text.get(quote) == Some(&b'"')).then_some((end, quote))
}

/// Whether a game begins at this byte, whatever came before.
///
/// ```
/// use chess::pgn::border::is_border;
/// let text = b"[Event \"a\"]\n[Site \"b\"]\n\n1. e4 {\n\n[Event \"c\"]\n";
/// let borders: Vec<usize> = (0..text.len()).filter(|&at| is_border(text, at)).collect();
/// assert_eq!(borders, [0, 33]);
/// ```
pub fn is_border(text: &[u8], at: usize) -> bool {
    is_tag(text, at) && follows_an_end(text, at, false)
}

/// The first border from a place on that can be told from the text alone, without knowing what
/// stands before its first byte: for a text cut out of the middle of another.
pub fn first_in_fragment(text: &[u8], from: usize) -> Option<usize> {
    candidates(text, from).find(|&at| is_tag(text, at) && follows_an_end(text, at, true))
}

/// The first border from a place on.
pub fn first(text: &[u8], from: usize) -> Option<usize> {
    candidates(text, from).find(|&at| is_border(text, at))
}

/// The last border that is not the first byte.
pub fn last(text: &[u8]) -> Option<usize> {
    let mut end = text.len();
    loop {
        let at = text.get(..end)?.windows(2).rposition(|pair| pair == b"\n[")? + 1;
        if is_border(text, at) {
            return Some(at);
        }
        end = at;
    }
}

/// Places where `[` begins a line.
fn candidates(text: &[u8], from: usize) -> impl Iterator<Item = usize> {
    let mut at = from;
    std::iter::from_fn(move || {
        loop {
            let here = super::scan::find(text, at, [b'[']);
            if here >= text.len() {
                return None;
            }
            at = here + 1;
            if here == 0 || text[here - 1] == b'\n' {
                return Some(here);
            }
        }
    })
}

/// Whether what stands before a tag pair makes it a border. In a fragment, whose first line may have
/// begun earlier, nothing that leans on the beginning of the text is proof.
fn follows_an_end(text: &[u8], at: usize, is_fragment: bool) -> bool {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let Some(before) = text[..at].strip_suffix(b"\n") else {
        return !is_fragment && (at == 0 || text[..at] == *MARK);
    };
    let Some(last) = before.iter().rposition(|byte| !byte.is_ascii_whitespace()) else {
        return !is_fragment;
    };
    if !before[last..].contains(&b'\n') {
        return !is_fragment && last == 2 && before.starts_with(MARK);
    }
    if is_event(text, at) {
        return true;
    }
    let begin = match before[..last].iter().rposition(|&byte| byte == b'\n') {
        Some(newline) => newline + 1,
        None if is_fragment => return false,
        None => 0,
    };
    !matches!(before[begin..], [b'[', letter, ..] if letter.is_ascii_alphanumeric())
}

fn is_event(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    rest.starts_with(b"[Event") && matches!(rest.get(6), Some(b' ' | b'\t' | b'"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_within_the_tags_is_no_border_but_event_is() {
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
    fn no_bytes_make_it_panic() {
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
