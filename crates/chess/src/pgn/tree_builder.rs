//! Builds [`GameTree`]s from PGN text.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::{
    GameResult, GameTree, Nag, Next, Node, NodeId, PgnError, PgnProblem, Reader, Replay, TagValue,
    Watcher, decode,
};
use crate::{Move, Position};

/// The approximate memory limit of one game tree: a quarter of a million moves. Otherwise a few kilobytes of
/// compressed text could demand gigabytes.
pub const MAX_TREE_BYTES: usize = 48 << 20;

/// Reads all games of a text as trees. A broken game yields its readable part and the error: see
/// [`BrokenGame`].
///
/// ```
/// use tabiya_chess::pgn::read_trees;
/// let text = b"1. e4 e5 (1... c5 2. Nf3) 1-0\n\n1. e4 e5 2. Ke3 Nf6 *";
/// let games = read_trees(text);
/// assert_eq!(games[0].as_ref().unwrap().main_line().count(), 2);
/// let broken = games[1].as_ref().unwrap_err();
/// assert_eq!(broken.to_string(), "game 2, byte 43, move 2.Ke3: 'Ke3': no king can go to e3");
/// assert_eq!(broken.tree.main_line().count(), 2);
/// assert_eq!(&text[broken.unread.clone()], b"Ke3 Nf6 *");
/// ```
pub fn read_trees(text: &[u8]) -> Vec<Result<GameTree, Box<BrokenGame>>> {
    Trees::new(text).collect()
}

/// A game that is readable up to an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct BrokenGame {
    /// The game up to the error.
    pub tree: GameTree,
    /// The last move before the error. The main line need not end there: the error may be in a
    /// variation.
    pub last: NodeId,
    /// The error.
    pub error: PgnError,
    /// The byte range of the text from the error to the end of the game.
    pub unread: Range<usize>,
}

impl BrokenGame {
    /// The game up to the error, with the unreadable text as a comment after its last move. `text` is the
    /// text the game was read from.
    ///
    /// ```
    /// use tabiya_chess::pgn::read_trees;
    /// let text = b"1. e4 e5 2. Ke3 { oops } Nf6 *";
    /// let broken = read_trees(text).remove(0).unwrap_err();
    /// let written = broken.with_unread(text).to_string();
    /// assert!(written.ends_with("1. e4 e5 { Unread: Ke3 ( oops ) Nf6 * } *\n"), "{written}");
    /// ```
    pub fn with_unread(self, text: &[u8]) -> GameTree {
        let Self { mut tree, last, unread, .. } = self;
        let unread = decode(text.get(unread).unwrap_or_default());
        if !unread.is_empty() {
            // The node is in the tree.
            let _ = tree.add_comment(last, &format!("Unread: {unread}"));
        }
        tree
    }
}

/// An iterator over the games of a text as trees: see [`read_trees`].
#[derive(Debug)]
pub struct Trees<'a> {
    reader: Reader<'a>,
    replay: Replay<TreeBuilder>,
    conflict: Option<PgnError>,
}

impl<'a> Trees<'a> {
    /// The games of this text.
    pub fn new(text: &'a [u8]) -> Self {
        Self::with_limit(text, MAX_TREE_BYTES)
    }

    /// The games of this text, each with so much memory instead of [`MAX_TREE_BYTES`]: a node takes about
    /// 300 bytes.
    pub fn with_limit(text: &'a [u8], max_tree_bytes: usize) -> Self {
        let replay = Replay::new(TreeBuilder::new(max_tree_bytes));
        Self { reader: Reader::new(text), replay, conflict: None }
    }

    /// The disagreement of tag and termination marker of the last game, if any. (The tag counts, and the game
    /// remains valid.)
    pub const fn result_conflict(&self) -> Option<&PgnError> {
        self.conflict.as_ref()
    }
}

impl Iterator for Trees<'_> {
    type Item = Result<GameTree, Box<BrokenGame>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (game, conflict) = next_tree(&mut self.reader, &mut self.replay)?;
        self.conflict = conflict;
        Some(game)
    }
}

/// A game or a broken one, and the disagreement of its results if any.
pub(super) type ReadTree = (Result<GameTree, Box<BrokenGame>>, Option<PgnError>);

/// Reads the next game of a reader as a tree.
pub(super) fn next_tree(
    reader: &mut Reader<'_>,
    replay: &mut Replay<TreeBuilder>,
) -> Option<ReadTree> {
    if !reader.read_game(replay) {
        return None;
    }
    let game = replay.games();
    let conflict = replay.watcher_mut().conflict.take();
    let (tree, last, error) = replay.watcher_mut().take();
    let error = match error {
        None => return Some((Ok(tree), conflict)),
        Some(Trouble::Error(error)) => error,
        Some(Trouble::Full) => {
            let offset = reader.stopped.unwrap_or(reader.offset()) as u64;
            let limit = replay.watcher().limit;
            PgnError { game, offset, at: None, problem: PgnProblem::TooLarge(limit) }
        }
    };
    let mut start = error.offset as usize;
    if matches!(error.problem, PgnProblem::Fen(_) | PgnProblem::UnknownVariant(_)) {
        // The error names the tag; the pair begins before it.
        start = reader.text[..start].iter().rposition(|&byte| byte == b'[').unwrap_or(start);
    }
    let end = reader.offset().max(start);
    let length = reader.text[start..end].trim_ascii_end().len();
    let unread = start..start + length;
    Some((Err(Box::new(BrokenGame { tree, last, error, unread })), conflict))
}

/// Why a tree is incomplete.
#[derive(Debug)]
enum Trouble {
    Error(PgnError),
    /// The memory limit is reached.
    Full,
}

/// A [`Watcher`] that builds the tree of each game; [take](TreeBuilder::take) it before the next one
/// begins.
#[derive(Debug)]
pub(super) struct TreeBuilder {
    tree: GameTree,
    trouble: Option<Trouble>,
    conflict: Option<PgnError>,
    /// The remaining memory budget in bytes.
    room: usize,
    /// The whole budget.
    limit: usize,
    /// The last node of the current line; before the first move of a variation, its parent.
    current: NodeId,
    /// The nodes to return to when variations end.
    open: Vec<NodeId>,
    /// Whether a variation has begun and has no move yet.
    at_beginning: bool,
    /// Pending comments and glyphs of the first move of a variation.
    pending: Vec<String>,
    pending_nags: Vec<Nag>,
}

impl Default for TreeBuilder {
    fn default() -> Self {
        Self::new(MAX_TREE_BYTES)
    }
}

impl TreeBuilder {
    /// Builds trees of at most so many bytes each.
    fn new(limit: usize) -> Self {
        Self {
            tree: GameTree::default(),
            trouble: None,
            conflict: None,
            room: limit,
            limit,
            current: NodeId::ROOT,
            open: Vec::new(),
            at_beginning: false,
            pending: Vec::new(),
            pending_nags: Vec::new(),
        }
    }

    /// The last game, its last node, and its problem.
    fn take(&mut self) -> (GameTree, NodeId, Option<Trouble>) {
        if self.at_beginning {
            self.leave_variation();
        }
        let done = core::mem::replace(self, Self::new(self.limit));
        (done.tree, done.current, done.trouble)
    }

    /// Returns to the parent line. Annotations of a variation without moves belong to the move it replaces.
    fn leave_variation(&mut self) {
        let current = self.open.pop().unwrap_or(NodeId::ROOT);
        self.current = current;
        self.at_beginning = false;
        for comment in core::mem::take(&mut self.pending) {
            let _ = self.tree.add_comment(current, &comment);
        }
        for nag in core::mem::take(&mut self.pending_nags) {
            let _ = self.tree.add_nag(current, nag);
        }
    }

    /// Charges bytes to the memory budget. The game is skipped once it is exhausted.
    fn take_room(&mut self, bytes: usize) -> Next {
        match self.room.checked_sub(bytes) {
            Some(left) => {
                self.room = left;
                Next::Go
            }
            None => {
                self.trouble.get_or_insert(Trouble::Full);
                Next::SkipGame
            }
        }
    }

    fn add(&mut self, played: Option<Move>, after: &Position) -> Next {
        let Ok(id) = self.tree.add(self.current, played, *after) else { return Next::SkipGame };
        for comment in self.pending.drain(..) {
            let _ = self.tree.add_comment_before(id, &comment);
        }
        for nag in self.pending_nags.drain(..) {
            let _ = self.tree.add_nag(id, nag);
        }
        self.current = id;
        self.at_beginning = false;
        // The node, and its place in the list of its parent.
        self.take_room(size_of::<Node>() + 32)
    }
}

impl Watcher for TreeBuilder {
    fn begin_game(&mut self) -> Next {
        *self = Self::new(self.limit);
        Next::Go
    }

    fn tag(&mut self, name: &[u8], value: TagValue<'_>) -> Next {
        // What follows from the game itself is refused, and rightly so.
        let _ = self.tree.set_tag(&decode(name), &value.text());
        self.take_room(name.len() + value.raw().len() + 128)
    }

    fn begin_moves(&mut self, start: &Position) -> Next {
        self.tree.set_start(*start);
        Next::Go
    }

    fn played(&mut self, _: &Position, m: Move, after: &Position) -> Next {
        self.add(Some(m), after)
    }

    fn passed(&mut self, _: &Position, after: &Position) -> Next {
        self.add(None, after)
    }

    fn comment(&mut self, text: &[u8]) -> Next {
        let bytes = text.len();
        let text = decode(text);
        if self.at_beginning {
            self.pending.push(text.into_owned());
        } else {
            let _ = self.tree.add_comment(self.current, &text);
        }
        self.take_room(bytes + 64)
    }

    fn nag(&mut self, nag: Nag) -> Next {
        if self.at_beginning {
            self.pending_nags.push(nag);
        } else {
            let _ = self.tree.add_nag(self.current, nag);
        }
        Next::Go
    }

    fn begin_variation(&mut self, _: &Position) -> Next {
        let Some(parent) = self.tree.node(self.current).and_then(|node| node.parent()) else {
            return Next::Skip;
        };
        self.open.push(self.current);
        self.current = parent;
        self.at_beginning = true;
        Next::Go
    }

    fn end_variation(&mut self) -> Next {
        self.leave_variation();
        Next::Go
    }

    fn result(&mut self, result: GameResult) {
        self.tree.result = result;
    }

    fn result_conflict(&mut self, conflict: PgnError) {
        self.conflict = Some(conflict);
    }

    fn error(&mut self, error: PgnError) {
        self.trouble.get_or_insert(Trouble::Error(error));
    }
}
