//! From the text of a game to its [`GameTree`].

use super::{
    GameResult, GameTree, Nag, Next, NodeId, PgnError, Reader, Replay, TagValue, Watcher, decode,
};
use crate::{Move, Position};

/// Reads all games of a text as trees. A game that is broken gives its error instead.
///
/// ```
/// use chess::pgn::read_trees;
/// let games = read_trees(b"1. e4 e5 (1... c5 2. Nf3) 1-0\n\n1. e5 *");
/// assert_eq!(games[0].as_ref().unwrap().main_line().count(), 2);
/// assert_eq!(
///     games[1].as_ref().unwrap_err().to_string(),
///     "game 2, byte 34, move 1.e5: 'e5': no pawn can go to e5",
/// );
/// ```
pub fn read_trees(text: &[u8]) -> Vec<Result<GameTree, PgnError>> {
    let mut reader = Reader::new(text);
    let mut replay = Replay::new(TreeBuilder::default());
    let mut games = Vec::new();
    while reader.read_game(&mut replay) {
        games.push(replay.watcher_mut().take());
    }
    games
}

/// A [`Watcher`] that builds the tree of each game; [take](TreeBuilder::take) it before the next one
/// begins.
#[derive(Debug)]
pub struct TreeBuilder {
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
    /// The game that was read last, or what is wrong with it.
    pub fn take(&mut self) -> Result<GameTree, PgnError> {
        let done = std::mem::take(self);
        done.error.map_or(Ok(done.tree), Err)
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
        // Remarks in a variation without moves belong to the move it was to replace.
        let current = self.open.pop().unwrap_or(NodeId::ROOT);
        self.current = current;
        self.at_beginning = false;
        for comment in std::mem::take(&mut self.pending) {
            let _ = self.tree.add_comment(current, &comment);
        }
        for nag in std::mem::take(&mut self.pending_nags) {
            let _ = self.tree.add_nag(current, nag);
        }
        Next::Go
    }

    fn result(&mut self, result: GameResult) {
        self.tree.result = result;
    }

    fn error(&mut self, error: PgnError) {
        self.error.get_or_insert(error);
    }
}
