//! A game tree with variations, comments and glyphs.
//!
//! All nodes are in one arena and refer to each other by index, so that nesting is unlimited: nothing
//! recurses, not even drop.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::pgn::{GameResult, Nag};
use crate::{Move, Position, SanError};

/// The index of a node in its [`GameTree`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The position before the first move.
    pub const ROOT: Self = Self(0);

    /// The node of this number, which need not be in the tree.
    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// The number of the node: nodes are counted as they are added, and numbers are not used again.
    pub const fn number(self) -> u32 {
        self.0
    }

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A move, the position after it, and its annotations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    parent: Option<NodeId>,
    /// `None` for the root and for a null move.
    played: Option<Move>,
    position: Position,
    children: Vec<NodeId>,
    nags: Vec<Nag>,
    before: Vec<String>,
    after: Vec<String>,
}

impl Node {
    /// The parent node.
    pub const fn parent(&self) -> Option<NodeId> {
        self.parent
    }

    /// The move of the node; `None` for the root and for a null move.
    pub const fn played(&self) -> Option<Move> {
        self.played
    }

    /// The position after the move.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The children: the main move first, then the variations.
    pub fn children(&self) -> &[NodeId] {
        &self.children
    }

    /// The glyphs of the move.
    pub fn nags(&self) -> &[Nag] {
        &self.nags
    }

    /// Comments before the move: only the first of a variation has such.
    pub fn comments_before(&self) -> &[String] {
        &self.before
    }

    /// Comments after the move; for the root, before the first one.
    pub fn comments(&self) -> &[String] {
        &self.after
    }
}

/// Why an edit of a tree failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The node is not in this tree.
    #[error("there is no such node in the tree")]
    NoSuchNode,
    /// The move is not legal there.
    #[error("{m} is not legal in {fen}")]
    IllegalMove {
        /// The move.
        m: Move,
        /// The position.
        fen: String,
    },
    /// The text is not a legal move.
    #[error(transparent)]
    San(#[from] SanError),
    /// A null move in check.
    #[error("a null move is not possible in check, in {fen}")]
    NullInCheck {
        /// The position.
        fen: String,
    },
    /// The root cannot be promoted or removed.
    #[error("the root stays where it is")]
    Root,
    /// A tag's name is made of letters, digits and underscores.
    #[error("'{0}' is not the name of a tag")]
    BadTagName(String),
    /// The tag is derived from the game.
    #[error("the tag '{0}' is written by itself")]
    DerivedTag(String),
    /// More than four billion nodes.
    #[error("the tree is full")]
    Full,
}

/// The seven tag roster.
pub(super) const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// A game: tags, moves, variations, comments, glyphs, result.
///
/// ```
/// use tabiya_chess::pgn::{GameTree, Nag, NodeId, read_trees};
/// let mut game = GameTree::default();
/// let e4 = game.add_san(NodeId::ROOT, "e4")?;
/// let e5 = game.add_san(e4, "e5")?;
/// let c5 = game.add_san(e4, "c5")?;
/// game.add_comment(c5, "The Sicilian")?;
/// game.add_nag(e5, Nag::GOOD)?;
/// game.set_tag("White", "Réti")?;
/// let text = game.to_string();
/// assert!(text.ends_with("1. e4 e5 $1 (1... c5 { The Sicilian }) *\n"));
/// assert_eq!(read_trees(text.as_bytes()), [Ok(game)]);
/// # Ok::<(), tabiya_chess::pgn::TreeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameTree {
    /// Without the derived tags `Result`, `FEN` and `SetUp`; in export order: roster first, then by name.
    tags: BTreeMap<(usize, String), String>,
    nodes: Vec<Node>,
    /// The result.
    pub result: GameResult,
}

impl Default for GameTree {
    fn default() -> Self {
        Self::new(Position::INITIAL)
    }
}

impl GameTree {
    /// A game without moves from this position.
    pub fn new(start: Position) -> Self {
        let root = Node {
            parent: None,
            played: None,
            position: start,
            children: Vec::new(),
            nags: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
        };
        let roster = ROSTER.iter().filter(|(name, _)| *name != "Result");
        let tags = roster.map(|&(name, value)| (tag_key(name), value.to_owned())).collect();
        Self { tags, nodes: vec![root], result: GameResult::Unknown }
    }

    /// Sets the start position of a tree without moves.
    pub(super) fn set_start(&mut self, start: Position) {
        self.nodes[0].position = start;
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    /// The node before the first move.
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// The number of nodes in memory, the root and removed ones included.
    pub const fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn edit(&mut self, id: NodeId) -> Result<&mut Node, TreeError> {
        self.nodes.get_mut(id.index()).ok_or(TreeError::NoSuchNode)
    }

    /// The moves of the main line, as nodes.
    pub fn main_line(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        let first = |node: &Node| node.children.first().copied();
        let with_node = |id: NodeId| self.node(id).map(|node| (id, node));
        core::iter::successors(first(self.root()).and_then(with_node), move |(_, node)| {
            first(node).and_then(with_node)
        })
    }

    /// Adds a move after a node: its main line if it is the first, a variation otherwise.
    pub fn add_move(&mut self, parent: NodeId, m: Move) -> Result<NodeId, TreeError> {
        let position = self.node(parent).ok_or(TreeError::NoSuchNode)?.position;
        if !position.is_legal(m) {
            return Err(TreeError::IllegalMove { m, fen: position.fen() });
        }
        self.add(parent, Some(m), position.after(m))
    }

    /// Adds a null move after a node.
    pub fn add_null(&mut self, parent: NodeId) -> Result<NodeId, TreeError> {
        let position = self.node(parent).ok_or(TreeError::NoSuchNode)?.position;
        let after = position.after_null();
        let after = after.ok_or_else(|| TreeError::NullInCheck { fen: position.fen() })?;
        self.add(parent, None, after)
    }

    /// Adds a move in algebraic notation after a node.
    pub fn add_san(&mut self, parent: NodeId, san: &str) -> Result<NodeId, TreeError> {
        let m = self.node(parent).ok_or(TreeError::NoSuchNode)?.position.parse_san(san)?;
        self.add_move(parent, m)
    }

    /// Adds a node with a known position.
    pub(super) fn add(
        &mut self,
        parent: NodeId,
        played: Option<Move>,
        position: Position,
    ) -> Result<NodeId, TreeError> {
        let id = NodeId(u32::try_from(self.nodes.len()).map_err(|_| TreeError::Full)?);
        self.edit(parent)?.children.push(id);
        self.nodes.push(Node {
            parent: Some(parent),
            played,
            position,
            children: Vec::new(),
            nags: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
        });
        Ok(id)
    }

    /// Adds a glyph to a move.
    pub fn add_nag(&mut self, id: NodeId, nag: Nag) -> Result<(), TreeError> {
        self.edit(id)?.nags.push(nag);
        Ok(())
    }

    /// Removes all glyphs of a move.
    pub fn clear_nags(&mut self, id: NodeId) -> Result<(), TreeError> {
        self.edit(id)?.nags.clear();
        Ok(())
    }

    /// Adds a comment after a move; at the root, before the first. Line ends become blanks, and
    /// braces, which a comment cannot hold, parentheses.
    pub fn add_comment(&mut self, id: NodeId, text: &str) -> Result<(), TreeError> {
        let text = plain(text, true);
        self.edit(id)?.after.push(text);
        Ok(())
    }

    /// Adds a comment before a move. Only the first move of a variation has one; otherwise it is added to the
    /// previous move.
    pub fn add_comment_before(&mut self, id: NodeId, text: &str) -> Result<(), TreeError> {
        let parent = self.node(id).ok_or(TreeError::NoSuchNode)?.parent.ok_or(TreeError::Root)?;
        if self.edit(parent)?.children.first() == Some(&id) {
            return self.add_comment(parent, text);
        }
        let text = plain(text, true);
        self.edit(id)?.before.push(text);
        Ok(())
    }

    /// Removes all comments of a move.
    pub fn clear_comments(&mut self, id: NodeId) -> Result<(), TreeError> {
        let node = self.edit(id)?;
        node.before.clear();
        node.after.clear();
        Ok(())
    }

    /// Makes a variation the main line of its parent.
    pub fn promote(&mut self, id: NodeId) -> Result<(), TreeError> {
        let parent = self.node(id).ok_or(TreeError::NoSuchNode)?.parent.ok_or(TreeError::Root)?;
        let siblings = &mut self.edit(parent)?.children;
        let at = siblings.iter().position(|&child| child == id).ok_or(TreeError::NoSuchNode)?;
        siblings[..=at].rotate_right(1);
        // A main move has no comments before it: they go to where they are read back.
        let before = core::mem::take(&mut self.edit(id)?.before);
        self.edit(parent)?.after.extend(before);
        Ok(())
    }

    /// Removes a move and its subtree.
    pub fn remove(&mut self, id: NodeId) -> Result<(), TreeError> {
        let parent = self.node(id).ok_or(TreeError::NoSuchNode)?.parent.ok_or(TreeError::Root)?;
        self.edit(parent)?.children.retain(|&child| child != id);
        // The next one, if any, is the main line now.
        let first = self.edit(parent)?.children.first().copied();
        if let Some(first) = first {
            let before = core::mem::take(&mut self.edit(first)?.before);
            self.edit(parent)?.after.extend(before);
        }
        self.edit(id)?.parent = None;
        Ok(())
    }

    /// The tags without the derived `Result`, `FEN` and `SetUp`.
    pub fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tags.iter().map(|((_, name), value)| (name.as_str(), value.as_str()))
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(&tag_key(name)).map(String::as_str)
    }

    /// Sets or replaces a tag. Control characters become blanks.
    pub fn set_tag(&mut self, name: &str, value: &str) -> Result<(), TreeError> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || name.len() > 255 || !name.bytes().all(fits) {
            return Err(TreeError::BadTagName(name.to_owned()));
        }
        if matches!(name, "Result" | "FEN" | "SetUp") {
            return Err(TreeError::DerivedTag(name.to_owned()));
        }
        self.tags.insert(tag_key(name), plain(value, false));
        Ok(())
    }

    /// Removes all tags: those of the roster are unknown then.
    pub fn clear_tags(&mut self) {
        self.tags = Self::new(Position::INITIAL).tags;
    }

    /// Whether two subtrees are equal.
    fn same_from_root(&self, other: &Self) -> bool {
        let mut open = vec![(NodeId::ROOT, NodeId::ROOT)];
        while let Some((ours, theirs)) = open.pop() {
            let (Some(a), Some(b)) = (self.node(ours), other.node(theirs)) else { return false };
            if (a.played, a.position) != (b.played, b.position)
                || (&a.nags, &a.before, &a.after) != (&b.nags, &b.before, &b.after)
                || a.children.len() != b.children.len()
            {
                return false;
            }
            open.extend(a.children.iter().copied().zip(b.children.iter().copied()));
        }
        true
    }
}

/// Structural equality, independent of node indices.
impl PartialEq for GameTree {
    fn eq(&self, other: &Self) -> bool {
        self.result == other.result && self.tags == other.tags && self.same_from_root(other)
    }
}

impl Eq for GameTree {}

/// The sort key of tags: roster order, then name.
fn tag_key(name: &str) -> (usize, String) {
    let place = ROSTER.iter().position(|(known, _)| *known == name).unwrap_or(ROSTER.len());
    (place, name.to_owned())
}

/// Text sanitized for a comment or a tag.
pub(super) fn plain(text: &str, is_comment: bool) -> String {
    let replaced = text.replace("\r\n", " ");
    let replaced = replaced.chars().map(|c| match c {
        '{' if is_comment => '(',
        '}' if is_comment => ')',
        c if c.is_control() => ' ',
        c => c,
    });
    let replaced: String = replaced.collect();
    if is_comment { replaced.trim_matches(' ').to_owned() } else { replaced }
}
