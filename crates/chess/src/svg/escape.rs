//! Text in SVG.

use alloc::string::String;

/// Escapes text for XML element content or a double-quoted attribute value. White space becomes a blank,
/// characters that XML does not allow become U+FFFD.
///
/// ```
/// use tabiya_chess::svg::escape_xml;
/// assert_eq!(escape_xml("<Kg1> & \"Qh7\"\n"), "&lt;Kg1&gt; &amp; &quot;Qh7&quot; ");
/// assert_eq!(escape_xml("\0"), "\u{fffd}");
/// ```
pub fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(letter),
        }
    }
    out
}
