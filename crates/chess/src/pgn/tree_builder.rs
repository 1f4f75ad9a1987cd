//! From the text of a game to its [`GameTree`].

use std::ops::Range;

use super::{
    GameResult, GameTree, Nag, Next, NodeId, PgnError, PgnProblem, Reader, Replay, TagValue,
    Watcher, decode,
};
use crate::{Move, Position};

/// Reads all games of a text as trees. Of a broken game there is what could be read of it, with the
/// error: see [`BrokenGame`].
///
/// ```
/// use chess::pgn::read_trees;
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

/// A game that could be read only up to an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct BrokenGame {
    /// The game up to the error.
    pub tree: GameTree,
    /// The last move before the error. The main line need not end there: the error may be in a
    /// variation.
    pub last: NodeId,
    /// What is wrong, and where.
    pub error: PgnError,
    /// The bytes of the text that belong to the game and are not in the tree: from the error to the
    /// end of the game.
    pub unread: Range<usize>,
}

impl BrokenGame {
    /// The game up to the error, with the text that could not be read as a comment after its last
    /// move, so that nothing is lost. `text` is what the game was read from.
    ///
    /// ```
    /// use chess::pgn::read_trees;
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

/// The games of a text as trees, one after the other: see [`read_trees`].
#[derive(Debug)]
pub struct Trees<'a> {
    text: &'a [u8],
    reader: Reader<'a>,
    replay: Replay<TreeBuilder>,
}

impl<'a> Trees<'a> {
    /// The games of this text.
    pub fn new(text: &'a [u8]) -> Self {
        let replay = Replay::new(TreeBuilder::default());
        Self { text, reader: Reader::new(text), replay }
    }
}

impl Iterator for Trees<'_> {
    type Item = Result<GameTree, Box<BrokenGame>>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.reader.read_game(&mut self.replay) {
            return None;
        }
        let (tree, last, error) = self.replay.watcher_mut().take();
        let Some(error) = error else { return Some(Ok(tree)) };
        let mut start = error.offset as usize;
        if matches!(error.problem, PgnProblem::Fen(_) | PgnProblem::UnknownVariant(_)) {
            // The error names the tag; the pair begins before it.
            start = self.text[..start].iter().rposition(|&byte| byte == b'[').unwrap_or(start);
        }
        let end = self.reader.offset().max(start);
        let length = self.text[start..end].trim_ascii_end().len();
        Some(Err(Box::new(BrokenGame { tree, last, error, unread: start..start + length })))
    }
}

/// A [`Watcher`] that builds the tree of each game; [take](TreeBuilder::take) it before the next one
/// begins.
#[derive(Debug)]
struct TreeBuilder {
    tree: GameTree,
    error: Option<PgnError>,
    /// The last move of the current line; before the first of a variation, the move it goes on from.
    current: NodeId,
    /// What is to be continued when variations end.
    open: Vec<NodeId>,
    /// Whether a variation has begun and has no move yet.
    at_beginning: bool,
    /// Comments and glyphs that wait for the first move of a variation.
    pending: Vec<String>,
    pending_nags: Vec<Nag>,
}

impl Default for TreeBuilder {
    fn default() -> Self {
        Self {
            tree: GameTree::default(),
            error: None,
            current: NodeId::ROOT,
            open: Vec::new(),
            at_beginning: false,
            pending: Vec::new(),
            pending_nags: Vec::new(),
        }
    }
}

impl TreeBuilder {
    /// The game that was read last, its last move, and what is wrong with it.
    fn take(&mut self) -> (GameTree, NodeId, Option<PgnError>) {
        if self.at_beginning {
            self.leave_variation();
        }
        let done = std::mem::take(self);
        (done.tree, done.current, done.error)
    }

    /// Goes back to the line that a variation left. Remarks in a variation without moves belong to the
    /// move it was to replace.
    fn leave_variation(&mut self) {
        let current = self.open.pop().unwrap_or(NodeId::ROOT);
        self.current = current;
        self.at_beginning = false;
        for comment in std::mem::take(&mut self.pending) {
            let _ = self.tree.add_comment(current, &comment);
        }
        for nag in std::mem::take(&mut self.pending_nags) {
            let _ = self.tree.add_nag(current, nag);
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
        Next::Go
    }
}

impl Watcher for TreeBuilder {
    fn begin_game(&mut self) -> Next {
        *self = Self::default();
        Next::Go
    }

    fn tag(&mut self, name: &[u8], value: TagValue<'_>) -> Next {
        if name == b"Result" {
            self.tree.result = GameResult::parse(value.raw().trim_ascii()).unwrap_or_default();
        } else {
            // What follows from the game itself is refused, and rightly so.
            let _ = self.tree.set_tag(&decode(name), &value.text());
        }
        Next::Go
    }

    fn begin_moves(&mut self, start: &Position) -> Next {
        let tags: Vec<_> = self.tree.tags().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
        let result = self.tree.result;
        self.tree = GameTree::new(*start);
        self.tree.result = result;
        for (name, value) in tags {
            let _ = self.tree.set_tag(&name, &value);
        }
        Next::Go
    }

    fn played(&mut self, _: &Position, m: Move, after: &Position) -> Next {
        self.add(Some(m), after)
    }

    fn passed(&mut self, _: &Position, after: &Position) -> Next {
        self.add(None, after)
    }

    fn comment(&mut self, text: &[u8]) -> Next {
        let text = decode(text);
        if self.at_beginning {
            self.pending.push(text.into_owned());
        } else {
            let _ = self.tree.add_comment(self.current, &text);
        }
        Next::Go
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

    fn error(&mut self, error: PgnError) {
        self.error.get_or_insert(error);
    }
}
