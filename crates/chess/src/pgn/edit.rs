//! Finding one's way in a game tree, and reordering its lines.

use alloc::vec::Vec;

use super::{GameTree, NodeId, TreeError};
use crate::{Game, Move};

impl GameTree {
    /// The nodes from the first move to this one, itself included; `None` if it is not in the tree or was
    /// removed from it.
    ///
    /// ```
    /// use tabiya_chess::pgn::{GameTree, NodeId};
    /// let mut game = GameTree::default();
    /// let e4 = game.add_san(NodeId::ROOT, "e4")?;
    /// let e5 = game.add_san(e4, "e5")?;
    /// assert_eq!(game.path(e5), Some(vec![e4, e5]));
    /// game.remove(e4)?;
    /// assert_eq!(game.path(e5), None);
    /// # Ok::<(), tabiya_chess::pgn::TreeError>(())
    /// ```
    pub fn path(&self, id: NodeId) -> Option<Vec<NodeId>> {
        let mut path = Vec::new();
        let mut at = id;
        while at != NodeId::ROOT {
            path.push(at);
            at = self.node(at)?.parent()?;
        }
        path.reverse();
        Some(path)
    }

    /// The game up to a node, with its history. [`Game`] has no null moves: the history begins again after
    /// one. `None` if the node is not in the tree or was removed from it.
    pub fn game(&self, id: NodeId) -> Option<Game> {
        let mut game = Game::new(*self.root().position());
        for id in self.path(id)? {
            let node = self.node(id)?;
            if node.played().is_none_or(|m| game.play(m).is_err()) {
                game = Game::new(*node.position());
            }
        }
        Some(game)
    }

    /// The child of a node with this move.
    pub fn child(&self, parent: NodeId, m: Move) -> Option<NodeId> {
        let children = self.node(parent)?.children().iter().copied();
        children.into_iter().find(|&id| self.node(id).is_some_and(|node| node.played() == Some(m)))
    }

    /// Makes the innermost variation that holds this move the main line of its parent; a move of the main
    /// line stays where it is.
    ///
    /// ```
    /// use tabiya_chess::pgn::{GameTree, NodeId};
    /// let mut game = GameTree::default();
    /// let e4 = game.add_san(NodeId::ROOT, "e4")?;
    /// let d4 = game.add_san(NodeId::ROOT, "d4")?;
    /// let d5 = game.add_san(d4, "d5")?;
    /// game.promote_variation(d5)?;
    /// assert_eq!(game.root().children(), [d4, e4]);
    /// # Ok::<(), tabiya_chess::pgn::TreeError>(())
    /// ```
    pub fn promote_variation(&mut self, id: NodeId) -> Result<(), TreeError> {
        let path = self.path(id).ok_or(TreeError::NoSuchNode)?;
        match path.into_iter().rfind(|&id| !self.is_first_child(id)) {
            Some(id) => self.promote(id),
            None => Ok(()),
        }
    }

    /// Makes the line to this move the main line of the game.
    pub fn make_main_line(&mut self, id: NodeId) -> Result<(), TreeError> {
        let path = self.path(id).ok_or(TreeError::NoSuchNode)?;
        path.into_iter().try_for_each(|id| self.promote(id))
    }

    fn is_first_child(&self, id: NodeId) -> bool {
        let parent = self.node(id).and_then(|node| node.parent()).and_then(|id| self.node(id));
        parent.is_some_and(|parent| parent.children().first() == Some(&id))
    }
}

#[cfg(test)]
mod tests {
    use crate::pgn::{GameTree, NodeId, read_trees};

    fn tree(text: &str) -> GameTree {
        read_trees(text.as_bytes()).remove(0).unwrap()
    }

    fn moves(tree: &GameTree) -> String {
        let text = tree.to_string();
        text.split_once("\n\n").unwrap().1.trim_end().into()
    }

    #[test]
    fn a_line_is_promoted_by_one_variation_or_to_the_main_line() {
        let text = "1. e4 e5 (1... c5 2. Nf3 (2. c3 d5)) *";
        let mut game = tree(text);
        let ids = |game: &GameTree, sans: &[&str]| {
            sans.iter().fold(NodeId::ROOT, |at, san| {
                let m = game.node(at).unwrap().position().parse_san(san).unwrap();
                game.child(at, m).unwrap()
            })
        };
        let d5 = ids(&game, &["e4", "c5", "c3", "d5"]);
        game.promote_variation(d5).unwrap();
        assert_eq!(moves(&game), "1. e4 e5 (1... c5 2. c3 (2. Nf3) 2... d5) *");
        game.promote_variation(d5).unwrap();
        assert_eq!(moves(&game), "1. e4 c5 (1... e5) 2. c3 (2. Nf3) 2... d5 *");
        game.promote_variation(d5).unwrap();
        assert_eq!(moves(&game), "1. e4 c5 (1... e5) 2. c3 (2. Nf3) 2... d5 *");
        let mut game = tree(text);
        game.make_main_line(d5).unwrap();
        assert_eq!(moves(&game), "1. e4 c5 (1... e5) 2. c3 (2. Nf3) 2... d5 *");
    }

    #[test]
    fn the_history_of_a_node_begins_again_after_a_null_move() {
        let game = tree("1. Nf3 Nf6 2. -- Ng8 3. Ng1 *");
        let last = game.main_line().last().unwrap().0;
        assert_eq!(game.game(last).unwrap().moves().len(), 2);
        assert_eq!(game.game(last).unwrap().position(), game.node(last).unwrap().position());
        assert!(game.game(NodeId::from_number(99)).is_none());
    }
}
