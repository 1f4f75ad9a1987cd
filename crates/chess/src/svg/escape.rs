//! Escaping of text in XML.

/// Text for the inside of an element or a quoted attribute. Control characters, which XML 1.0 cannot
/// hold, become U+FFFD; tabs and line breaks become spaces.
///
/// ```
/// assert_eq!(chess::svg::escape_xml("<b>&\"\u{1}"), "&lt;b&gt;&amp;&quot;\u{fffd}");
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
