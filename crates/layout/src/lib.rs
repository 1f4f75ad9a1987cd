#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! Text layout for terminals: width, word wrapping, tables, counts.
//!
//! The width is `COLUMNS` if set, else that of the terminal, else 80. Machine-readable output (JSON, FEN,
//! PGN) is never wrapped.

mod help;
mod table;

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use terminal_size::{Width, terminal_size_of};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub use help::paragraphs;
pub use table::Table;

/// Width without a terminal.
const DEFAULT_WIDTH: usize = 80;
/// Minimum width.
const MIN_WIDTH: usize = 20;

/// The width of standard output.
pub fn width() -> usize {
    let terminal = terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into());
    choose_width(std::env::var("COLUMNS").ok().as_deref(), terminal).unwrap_or(DEFAULT_WIDTH)
}

/// The width of standard error; unlimited if it is no terminal.
pub fn log_width() -> usize {
    let terminal = terminal_size_of(io::stderr()).map(|(Width(columns), _)| columns.into());
    match io::stderr().is_terminal() {
        true => choose_width(std::env::var("COLUMNS").ok().as_deref(), terminal),
        false => None,
    }
    .unwrap_or(usize::MAX)
}

fn choose_width(columns: Option<&str>, terminal: Option<usize>) -> Option<usize> {
    let columns = columns.and_then(|text| text.trim().parse().ok()).filter(|&columns| columns > 0);
    columns.or(terminal.filter(|&columns| columns > 0)).map(|columns: usize| columns.max(MIN_WIDTH))
}

/// Whether standard output is a terminal and `NO_COLOR` is not set.
pub fn has_color() -> bool {
    let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !is_unwanted
}

/// Prints a line wrapped to the width of standard output, with a hanging indent.
pub fn prose(out: &mut dyn Write, text: impl Display) -> io::Result<()> {
    writeln!(out, "{}", wrap(&text.to_string(), width(), 2))
}

/// Wraps each line at spaces, with a hanging indent. A word wider than a line stays whole: it may be a
/// path.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let lines = text.split('\n').map(|line| wrap_line(line, width, indent));
    lines.collect::<Vec<String>>().join("\n")
}

fn wrap_line(line: &str, width: usize, indent: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut wrapped = String::new();
    let (mut column, mut is_first) = (0, true);
    for part in line.split_inclusive(' ') {
        let word = part.trim_end_matches(' ');
        if !is_first && !word.is_empty() && column + word.width() > width {
            wrapped.truncate(wrapped.trim_end_matches(' ').len());
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent));
            column = indent;
        }
        wrapped.push_str(part);
        column += part.width();
        is_first &= word.is_empty();
    }
    wrapped.truncate(wrapped.trim_end_matches(' ').len());
    wrapped
}

/// Truncates a text that is too wide, with an ellipsis.
pub fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 1;
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used > width {
            break;
        }
        short.push(letter);
    }
    short.push('…');
    short
}

/// A count with its noun: `1 game`, `2 games`, `0 games`.
pub fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Seconds as `m:ss` or `h:mm:ss`.
///
/// ```
/// assert_eq!(tabiya_layout::clock(754.9), "12:34");
/// ```
pub fn clock(seconds: f64) -> String {
    let seconds = if seconds.is_finite() { seconds.clamp(0.0, 1e9) as u64 } else { 0 };
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widest(text: &str) -> usize {
        text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0)
    }

    #[test]
    fn columns_overrides_the_terminal_width() {
        assert_eq!(choose_width(None, None), None);
        assert_eq!(choose_width(None, Some(132)), Some(132));
        assert_eq!(choose_width(Some("60"), Some(132)), Some(60));
        assert_eq!(choose_width(Some("nonsense"), Some(132)), Some(132));
        assert_eq!(choose_width(Some("0"), Some(0)), None);
        assert_eq!(choose_width(Some("1"), None), Some(MIN_WIDTH));
    }

    #[test]
    fn text_is_wrapped_at_words_without_loss() {
        let text = "12 games, 345 moves, 678 positions (600 train, 78 validation), ".repeat(5);
        for width in [60, 80, 120] {
            let wrapped = wrap(text.trim_end(), width, 2);
            assert!(widest(&wrapped) <= width && wrapped.lines().count() > 1);
            assert!(wrapped.lines().skip(1).all(|line| line.starts_with("  ")));
            assert!(wrapped.split_whitespace().eq(text.split_whitespace()));
        }
        assert_eq!(wrap("  short  line", 20, 2), "  short  line");
        assert_eq!(wrap("one\n  two three", 9, 4), "one\n  two\n    three");
    }

    #[test]
    fn a_word_wider_than_the_line_stays_whole() {
        let path = format!("/{}", "x".repeat(90));
        assert_eq!(wrap(&format!("in {path} done"), 60, 2), format!("in\n  {path}\n  done"));
        assert_eq!(shorten(&path, 10), "/xxxxxxxx…");
        assert_eq!(shorten("Ŝako", 4), "Ŝako");
    }

    #[test]
    fn only_one_is_singular() {
        let counted: Vec<String> = [0, 1, 2, 11, 21].map(|n| count(n, "game")).into();
        assert_eq!(counted, ["0 games", "1 game", "2 games", "11 games", "21 games"]);
    }

    #[test]
    fn durations_are_formatted_as_minutes_and_hours() {
        assert_eq!((clock(7.0).as_str(), clock(754.0).as_str()), ("0:07", "12:34"));
        assert_eq!(clock(3_725.0), "1:02:05");
        assert_eq!([clock(-1.0), clock(f64::NAN), clock(f64::INFINITY)], ["0:00"; 3]);
    }
}
