//! Tables that fit a width.

use unicode_width::UnicodeWidthStr;

use crate::{shorten, wrap};

/// Minimum width of a text column.
const MIN_TEXT: usize = 12;
/// Spaces between two columns.
const GAP: usize = 2;

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
