//! Comments taken apart: the text for people, and the commands among it.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::Shape;

/// Splits a comment into its text and its commands (`[%clk 0:01:00]`), which are returned with their
/// brackets.
///
/// ```
/// use tabiya_chess::pgn::split_commands;
/// let (text, commands) = split_commands("[%clk 0:01:00] a plan [%cal Ge2e4] is born");
/// assert_eq!(text, "a plan is born");
/// assert_eq!(commands, ["[%clk 0:01:00]", "[%cal Ge2e4]"]);
/// ```
pub fn split_commands(comment: &str) -> (String, Vec<&str>) {
    let (mut text, mut commands) = (String::new(), Vec::new());
    let mut rest = comment;
    while let Some(begin) = rest.find("[%") {
        let Some(length) = rest[begin..].find(']') else { break };
        let end = begin + length + 1;
        text.push_str(&rest[..begin]);
        commands.push(&rest[begin..end]);
        rest = &rest[end..];
        if text.is_empty() || text.ends_with(' ') {
            rest = rest.trim_start();
        }
    }
    text.push_str(rest);
    (text.trim().to_owned(), commands)
}

/// As in `[%csl …]` and `[%cal …]`: `Gd4` or `Ge2e4`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.color.letter(), self.from)?;
        if self.from == self.to { Ok(()) } else { self.to.fmt(f) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_commands_are_taken_out() {
        for (comment, text, count) in [
            ("", "", 0),
            ("plain [text]", "plain [text]", 0),
            ("[%eval 0.17]", "", 1),
            ("[%csl Ge4][%cal Ge2e4] x", "x", 2),
            ("a [%x] [%y] b", "a b", 2),
            ("a[%x]b", "ab", 1),
            ("open [%eval 1", "open [%eval 1", 0),
            ("é [%eval 1] é", "é é", 1),
        ] {
            let (found, commands) = split_commands(comment);
            assert_eq!((found.as_str(), commands.len()), (text, count));
        }
    }

    #[test]
    fn shapes_are_written_as_they_are_read() {
        for text in ["Gd4", "Ra1h8", "Bh8", "Ye2e4"] {
            assert_eq!(alloc::format!("{}", Shape::parse(text.as_bytes()).unwrap()), text);
        }
    }
}
