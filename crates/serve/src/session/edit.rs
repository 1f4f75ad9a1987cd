//! Edits of the tree.

use chess::pgn::{self, GameTree, Nag, NodeId, Variant, split_commands};

use super::Session;
use super::refusal::Refusal;
use crate::protocol::{GameResult, Shape, ShapeColor};

/// The maximum length of a comment in bytes.
const MAX_COMMENT: usize = 8_000;
/// The maximum number of glyphs of a move.
const MAX_NAGS: usize = 8;
/// The maximum number of shapes of a move.
const MAX_SHAPES: usize = 64;
/// The maximum number of tags.
const MAX_TAGS: usize = 64;
/// The maximum length of a tag's value in bytes.
const MAX_TAG: usize = 500;

impl Session {
    /// Replaces the text of a comment; evaluations, clocks and shapes in it stay.
    pub(super) fn set_comment(&mut self, node: u32, text: &str) -> Result<(), Refusal> {
        let id = self.document.find(node)?;
        if text.len() > MAX_COMMENT {
            return Err(Refusal::TooLong(MAX_COMMENT));
        }
        let (_, commands) = comment_parts(&self.document.tree, id);
        self.write_comment(id, text, commands)
    }

    pub(super) fn set_nags(&mut self, node: u32, nags: &[u8]) -> Result<(), Refusal> {
        let id = self.document.find(node)?;
        if nags.len() > MAX_NAGS {
            return Err(Refusal::TooMany(MAX_NAGS));
        }
        self.document.tree.clear_nags(id)?;
        for &nag in nags {
            self.document.tree.add_nag(id, Nag(nag))?;
        }
        self.changed.game = true;
        Ok(())
    }

    pub(super) fn set_shapes(&mut self, node: u32, shapes: &[Shape]) -> Result<(), Refusal> {
        let id = self.document.find(node)?;
        if shapes.len() > MAX_SHAPES {
            return Err(Refusal::TooMany(MAX_SHAPES));
        }
        let (text, mut commands) = comment_parts(&self.document.tree, id);
        let is_shape = |command: &String| ["[%csl", "[%cal"].iter().any(|c| command.starts_with(c));
        commands.retain(|command| !is_shape(command));
        let (squares, arrows): (Vec<pgn::Shape>, Vec<pgn::Shape>) =
            shapes.iter().map(annotated).partition(|shape| shape.from == shape.to);
        for (name, shapes) in [("csl", squares), ("cal", arrows)] {
            let shapes: Vec<String> = shapes.iter().map(pgn::Shape::to_string).collect();
            if !shapes.is_empty() {
                commands.push(format!("[%{name} {}]", shapes.join(",")));
            }
        }
        self.write_comment(id, &text, commands)
    }

    /// Writes commands and text as one comment, commands first, as other programs do.
    fn write_comment(
        &mut self,
        id: NodeId,
        text: &str,
        mut parts: Vec<String>,
    ) -> Result<(), Refusal> {
        let tree = &mut self.document.tree;
        tree.clear_comments(id)?;
        parts.push(text.trim().to_owned());
        parts.retain(|part| !part.is_empty());
        if !parts.is_empty() {
            tree.add_comment(id, &parts.join(" "))?;
        }
        self.changed.game = true;
        Ok(())
    }

    pub(super) fn promote_variation(&mut self, node: u32) -> Result<(), Refusal> {
        let id = self.document.find(node)?;
        self.document.tree.promote_variation(id)?;
        self.changed.game = true;
        Ok(())
    }

    pub(super) fn make_main_line(&mut self, node: u32) -> Result<(), Refusal> {
        let id = self.document.find(node)?;
        self.document.tree.make_main_line(id)?;
        self.changed.game = true;
        Ok(())
    }

    /// Removes a subtree. A cursor in the removed subtree moves to its parent; a game in play that loses moves is
    /// discarded.
    pub(super) fn delete_node(&mut self, node: u32) -> Result<(), Refusal> {
        let id = self.document.find(node)?;
        let parent = self.document.tree.node(id).and_then(|node| node.parent());
        let parent = parent.ok_or(Refusal::Tree(pgn::TreeError::Root))?;
        let holds = |at: NodeId| self.document.tree.path(at).is_some_and(|path| path.contains(&id));
        let (shows_it, plays_it) =
            (holds(self.cursor), self.play.as_ref().is_some_and(|play| holds(play.node)));
        self.document.tree.remove(id)?;
        let tree = &self.document.tree;
        self.document.judged_moves.retain(|&id, _| tree.path(id).is_some());
        if plays_it {
            self.play = None;
            self.changed.play = true;
        }
        if shows_it {
            self.show(parent);
        }
        self.drop_stale_exercises();
        self.changed.game = true;
        Ok(())
    }

    /// Replaces all tags, except result and start position.
    pub(super) fn set_tags(&mut self, tags: &[(String, String)]) -> Result<(), Refusal> {
        if tags.len() > MAX_TAGS {
            return Err(Refusal::TooMany(MAX_TAGS));
        }
        // All or nothing.
        let mut checked = GameTree::default();
        let mut kept = Vec::new();
        let mut result = self.document.tree.result;
        for (name, value) in tags {
            match name.as_str() {
                "FEN" | "SetUp" => continue,
                // The result of a game in play is determined by its end.
                "Result" => {
                    if self.play.is_none() {
                        result = game_result(value).ok_or_else(|| Refusal::Tag(name.clone()))?;
                    }
                    continue;
                }
                _ => {}
            }
            if value.len() > MAX_TAG {
                return Err(Refusal::TooLong(MAX_TAG));
            }
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            // Readers accept other spellings of these tags.
            if is("FEN") || is("SetUp") || is("Result") || (is("Variant") && name != "Variant") {
                return Err(Refusal::Tag(name.clone()));
            }
            if is("Variant") && Variant::parse(value.as_bytes()).is_none() {
                return Err(Refusal::Variant(value.clone()));
            }
            checked.set_tag(name, value)?;
            kept.push((name, value));
        }
        self.document.tree.clear_tags();
        self.document.tree.result = result;
        for (name, value) in kept {
            self.document.tree.set_tag(name, value)?;
        }
        self.changed.game = true;
        Ok(())
    }
}

/// A result as PGN writes it.
fn game_result(text: &str) -> Option<pgn::GameResult> {
    let text = serde_json::Value::String(text.to_owned());
    serde_json::from_value::<GameResult>(text).ok().map(Into::into)
}

/// The text of all comments of a move, and their commands.
fn comment_parts(tree: &GameTree, id: NodeId) -> (String, Vec<String>) {
    let (mut texts, mut commands) = (Vec::new(), Vec::new());
    let comments = tree.node(id).map(|node| node.comments_before().iter().chain(node.comments()));
    for comment in comments.into_iter().flatten() {
        let (text, found) = split_commands(comment);
        commands.extend(found.into_iter().map(str::to_owned));
        if !text.is_empty() {
            texts.push(text);
        }
    }
    (texts.join(" "), commands)
}

/// A shape of the page as comments have it.
fn annotated(shape: &Shape) -> pgn::Shape {
    let color = match shape.color {
        ShapeColor::Green => pgn::ShapeColor::Green,
        ShapeColor::Red => pgn::ShapeColor::Red,
        ShapeColor::Yellow => pgn::ShapeColor::Yellow,
        ShapeColor::Blue => pgn::ShapeColor::Blue,
    };
    pgn::Shape { color, from: shape.from.0, to: shape.to.map_or(shape.from.0, |to| to.0) }
}
