//! The PGN export format: canonical, so that equal games have equal text.
//!
//! Tags first, the seven of the roster in their order and the others by name; a blank line; moves,
//! glyphs as numbers, comments in braces, variations in parentheses, in lines of at most 79 bytes;
//! the result; and a blank line after the game if another follows. Lines break at blanks only, in
//! comments too, but never inside a command like `[%eval -0.31]` nor where the new line would parse as
//! something else.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use super::tree::ROSTER;
use super::{GameTree, Node, NodeId};
use crate::{Color, Position};

/// The longest line of the export format.
const WIDTH: usize = 79;

/// The game in export format, with a final line end.
impl fmt::Display for GameTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_tags(f)?;
        f.write_char('\n')?;
        let mut lines = LineWrapper::new(f);
        self.write_moves(&mut lines)?;
        lines.word(self.result.as_str())?;
        lines.flush()?;
        f.write_char('\n')
    }
}

impl GameTree {
    fn write_tags(&self, out: &mut impl Write) -> fmt::Result {
        let roster = ROSTER.map(|(name, default)| match name {
            "Result" => (name, self.result.as_str()),
            _ => (name, self.tag(name).unwrap_or(default)),
        });
        let others = self.tags().filter(|(name, _)| ROSTER.iter().all(|(known, _)| known != name));
        let mut others: Vec<(&str, &str)> = others.collect();
        let start = *self.root().position();
        let fen = start.fen();
        if start != Position::INITIAL {
            others.extend([("FEN", fen.as_str()), ("SetUp", "1")]);
            others.sort_unstable();
        }
        for (name, value) in roster.into_iter().chain(others) {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(out, "[{name} \"{value}\"]")?;
        }
        Ok(())
    }

    fn write_moves<W: Write>(&self, lines: &mut LineWrapper<'_, W>) -> fmt::Result {
        /// The work stack.
        enum Task {
            /// Continues after a node; whether its move needs a number even if it is Black's.
            Continue(NodeId, bool),
            /// Writes a variation that begins with this node.
            Variation(NodeId),
            /// Closes a variation.
            Close,
        }
        let root = self.root();
        for nag in root.nags() {
            lines.word(&nag.to_string())?;
        }
        lines.comments(root.comments())?;
        let mut tasks = vec![Task::Continue(NodeId::ROOT, true)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Close => lines.close(),
                Task::Variation(id) => {
                    let Some(node) = self.node(id) else { continue };
                    lines.open()?;
                    lines.comments(node.comments_before())?;
                    self.write_move(node, true, lines)?;
                    tasks.push(Task::Close);
                    tasks.push(Task::Continue(id, !node.comments().is_empty()));
                }
                Task::Continue(id, needs_number) => {
                    let Some(parent) = self.node(id) else { continue };
                    let Some((&first, variations)) = parent.children().split_first() else {
                        continue;
                    };
                    let Some(node) = self.node(first) else { continue };
                    self.write_move(node, needs_number, lines)?;
                    let interrupted = !node.comments().is_empty() || !variations.is_empty();
                    tasks.push(Task::Continue(first, interrupted));
                    tasks.extend(variations.iter().rev().map(|&id| Task::Variation(id)));
                }
            }
        }
        Ok(())
    }

    /// The move number if needed, the move, its glyphs and comments.
    fn write_move<W: Write>(
        &self,
        node: &Node,
        needs_number: bool,
        lines: &mut LineWrapper<'_, W>,
    ) -> fmt::Result {
        let Some(parent) = node.parent().and_then(|id| self.node(id)) else { return Ok(()) };
        let before = parent.position();
        let number = before.fullmove_number();
        match before.turn() {
            Color::White => lines.word(&format!("{number}."))?,
            Color::Black if needs_number => lines.word(&format!("{number}..."))?,
            Color::Black => {}
        }
        match node.played() {
            Some(m) => lines.word(&before.san(m))?,
            None => lines.word("--")?,
        }
        for nag in node.nags() {
            lines.word(&nag.to_string())?;
        }
        lines.comments(node.comments())
    }
}

/// A line wrapper. The last word is pending until it is known whether a parenthesis closes after it.
struct LineWrapper<'a, W> {
    out: &'a mut W,
    /// The length of the line in bytes.
    column: usize,
    word: String,
    /// Whether the next word is appended to the pending one: after `(`.
    glued: bool,
}

impl<'a, W: Write> LineWrapper<'a, W> {
    fn new(out: &'a mut W) -> Self {
        Self { out, column: 0, word: String::new(), glued: true }
    }

    fn word(&mut self, word: &str) -> fmt::Result {
        self.put(word, true)
    }

    fn put(&mut self, word: &str, may_break: bool) -> fmt::Result {
        if !core::mem::take(&mut self.glued) {
            if may_break {
                self.flush()?;
            } else {
                self.word.push(' ');
            }
        }
        self.word.push_str(word);
        Ok(())
    }

    /// Writes the pending word, on a new line if it is too long for this one.
    fn flush(&mut self) -> fmt::Result {
        if self.column > 0 {
            let too_long = self.column + 1 + self.word.len() > WIDTH;
            self.out.write_char(if too_long { '\n' } else { ' ' })?;
            self.column = if too_long { 0 } else { self.column + 1 };
        }
        self.column += self.word.len();
        self.out.write_str(&self.word)?;
        self.word.clear();
        Ok(())
    }

    fn open(&mut self) -> fmt::Result {
        self.word("(")?;
        self.glued = true;
        Ok(())
    }

    fn close(&mut self) {
        self.word.push(')');
    }

    fn comments(&mut self, comments: &[String]) -> fmt::Result {
        for comment in comments {
            self.word("{")?;
            if !comment.is_empty() {
                self.comment(comment)?;
            }
            self.word("}")?;
        }
        Ok(())
    }

    fn comment(&mut self, comment: &str) -> fmt::Result {
        // An empty word stands for two blanks in a row: the line must not end there, or one of
        // them would be lost. Nor may a line begin like a tag, an escape or a comment.
        let mut after_empty = false;
        // Where a command ends that was begun.
        let mut command_end = 0;
        let mut start = 0;
        for word in comment.split(' ') {
            let may_break = start >= command_end && !after_empty && !word.is_empty();
            self.put(word, may_break && !word.starts_with(['[', '%', ';']))?;
            if start >= command_end && word.starts_with("[%") {
                // One that does not fit into a line is broken like any other text.
                let rest = comment.as_bytes()[start..].iter().take(WIDTH - 4);
                command_end = start + rest.take_while(|&&byte| byte != b']').count();
            }
            after_empty = word.is_empty();
            start += word.len() + 1;
        }
        Ok(())
    }
}
