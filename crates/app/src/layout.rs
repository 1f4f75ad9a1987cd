//! Text layout for people: terminal width, word wrapping, tables.
//!
//! The width is `COLUMNS` if set, else that of the terminal, else 80. Machine-readable output (JSON, FEN,
//! PGN) is never wrapped.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use terminal_size::{Width, terminal_size_of};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width without a terminal.
const DEFAULT_WIDTH: usize = 80;
/// Minimum width.
const MIN_WIDTH: usize = 20;
/// Minimum width of a text column.
const MIN_TEXT: usize = 12;
/// Spaces between two columns.
const GAP: usize = 2;

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

/// A table with a heading.
pub struct Table {
    /// The heading is the first row.
    rows: Vec<Vec<String>>,
    /// Text columns: left-aligned and shrinkable. Others are right-aligned.
    text: &'static [usize],
    /// The first columns that identify a row.
    keys: usize,
}

impl Table {
    /// A table whose first `keys` columns identify a row.
    pub fn new<S: Into<String>>(
        heading: impl IntoIterator<Item = S>,
        text: &'static [usize],
        keys: usize,
    ) -> Self {
        Self { rows: vec![heading.into_iter().map(S::into).collect()], text, keys }
    }

    /// Appends a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(S::into).collect());
    }

    /// All columns; those that do not fit go into a second table below, with the keys repeated.
    pub fn stacked(&self, width: usize) -> String {
        let all: Vec<usize> = (0..self.rows[0].len()).collect();
        let (keys, rest) = all.split_at(self.keys.min(all.len()));
        let mut blocks = Vec::new();
        let mut block = keys.to_vec();
        for &column in rest {
            block.push(column);
            if block.len() > keys.len() + 1 && self.fit(&block, width).is_none() {
                block.pop();
                blocks.push(std::mem::replace(&mut block, keys.to_vec()));
                block.push(column);
            }
        }
        blocks.push(block);
        let text = blocks.into_iter().map(|block| {
            let widths = self.fit(&block, width).unwrap_or_else(|| self.least(&block));
            self.render(&block, &widths)
        });
        text.collect::<Vec<String>>().join("\n")
    }

    /// The columns that fit: the unimportant ones are dropped in order until they do.
    pub fn without(&self, unimportant: &[usize], width: usize) -> String {
        let mut columns: Vec<usize> = (0..self.rows[0].len()).collect();
        for dropped in unimportant {
            if self.fit(&columns, width).is_some() {
                break;
            }
            columns.retain(|column| column != dropped);
        }
        let widths = self.fit(&columns, width).unwrap_or_else(|| self.least(&columns));
        self.render(&columns, &widths)
    }

    fn widest(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    }

    /// The minimum widths of columns.
    fn least(&self, columns: &[usize]) -> Vec<usize> {
        let least = |&column: &usize| match self.text.contains(&column) {
            true => self.widest(column).min(MIN_TEXT),
            false => self.widest(column),
        };
        columns.iter().map(least).collect()
    }

    /// The widths of columns side by side, if they fit; the widest text shrinks first.
    fn fit(&self, columns: &[usize], width: usize) -> Option<Vec<usize>> {
        let least = self.least(columns);
        let gaps = GAP * columns.len().saturating_sub(1);
        if least.iter().sum::<usize>() + gaps > width {
            return None;
        }
        let mut widths: Vec<usize> = columns.iter().map(|&column| self.widest(column)).collect();
        while widths.iter().sum::<usize>() + gaps > width {
            let can_shrink = (0..widths.len()).filter(|&n| widths[n] > least[n]);
            let widest = can_shrink.max_by_key(|&n| widths[n])?;
            widths[widest] -= 1;
        }
        Some(widths)
    }

    fn render(&self, columns: &[usize], widths: &[usize]) -> String {
        let mut text = String::new();
        // An empty heading is not printed.
        let has_heading = self.rows[0].iter().any(|cell| !cell.is_empty());
        for row in self.rows.iter().skip(usize::from(!has_heading)) {
            let cells: Vec<Vec<String>> = columns
                .iter()
                .zip(widths)
                .map(|(&column, &width)| {
                    let cell = row.get(column).map_or("", String::as_str);
                    let lines = wrap(cell, width, 2);
                    lines.split('\n').map(|line| shorten(line, width)).collect()
                })
                .collect();
            for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let mut whole = String::new();
                for (n, (cell, &width)) in cells.iter().zip(widths).enumerate() {
                    let cell = cell.get(line).map_or("", String::as_str);
                    let padding = " ".repeat(width.saturating_sub(cell.width()));
                    let is_text = self.text.contains(&columns[n]);
                    whole += if n > 0 { "  " } else { "" };
                    whole += &if is_text { cell.to_owned() + &padding } else { padding + cell };
                }
                text.push_str(whole.trim_end());
                text.push('\n');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide_table() -> Table {
        let heading = ["#", "engine", "points", "games", "%", "Elo", "±", "LOS", "pairs"];
        let mut table = Table::new(heading, &[1], 2);
        for (n, name) in
            ["Ŝako", "a network with a name of many words", &"x".repeat(50)].iter().enumerate()
        {
            let numbers =
                ["1234.5", "2469", "50.0", "+123.4", "12.3", "100.0%", "12-345-678-345-12"];
            let key = [(n + 1).to_string(), (*name).to_owned()];
            table.row(key.into_iter().chain(numbers.map(str::to_owned)));
        }
        table
    }

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
    fn tables_fit_and_stacked_ones_keep_every_cell() {
        let table = wide_table();
        for width in [60, 80, 120] {
            let text = table.stacked(width);
            assert!(widest(&text) <= width, "{text}");
            let cells = ["1234.5", "2469", "+123.4", "100.0%", "12-345-678-345-12", "words"];
            assert!(cells.iter().all(|cell| text.contains(cell)), "{text}");
        }
        assert_eq!(table.stacked(200).lines().count(), 4);
    }

    #[test]
    fn unimportant_columns_are_dropped_only_if_they_do_not_fit() {
        let table = wide_table();
        for width in [60, 80, 120] {
            let text = table.without(&[8, 4, 7], width);
            assert!(widest(&text) <= width, "{text}");
            assert!(text.contains("+123.4"));
            assert_eq!(text.contains("12-345-678"), width > 60, "{text}");
        }
    }

    #[test]
    fn columns_are_aligned_by_display_width() {
        let mut table = Table::new(["a", "±"], &[0], 1);
        table.row(["Ŝako", "10"]);
        table.row(["棋", "7"]);
        assert_eq!(table.stacked(80), "a      ±\nŜako  10\n棋     7\n");
    }
}
