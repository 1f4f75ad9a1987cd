//! Turn generation: all complete turns, distinct by final position.
//!
//! A turn lasts from the first action to the change of player or the end of the game. With chains, many action
//! sequences transpose to the same position, and some are dead ends. The generator is a breadth-first search
//! over the states of the turn that visits each once and collects those where the turn is over, each with a
//! shortest sequence.

use alloc::vec;
use alloc::vec::Vec;

use crate::{Action, Position, Required};

/// The default node limit of a turn; about 450 MB.
pub const TURN_NODES: usize = 1_000_000;

/// A state of the turn with its parent and action.
#[derive(Clone, Copy, Debug)]
struct Node {
    position: Position,
    parent: u32,
    action: Option<Action>,
}

/// A turn generator; it reuses its allocations between positions.
///
/// ```
/// use tabiya_paco::{Position, Turns};
/// let mut turns = Turns::new();
/// turns.generate(&Position::default());
/// assert_eq!(turns.len(), 20);
/// let first = turns.iter().next().unwrap();
/// assert_eq!(first.actions().len(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Turns {
    nodes: Vec<Node>,
    /// The nodes where the turn is over.
    ends: Vec<u32>,
    /// A hash table of node indices plus one; 0 for empty.
    table: Vec<u32>,
    complete: bool,
}

/// A generated turn.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    turns: &'a Turns,
    node: u32,
}

impl<'a> Turn<'a> {
    /// The position after the turn.
    pub fn position(self) -> &'a Position {
        &self.turns.nodes[self.node as usize].position
    }

    /// A shortest action sequence of the turn.
    pub fn actions(self) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut node = &self.turns.nodes[self.node as usize];
        while let Some(action) = node.action {
            actions.push(action);
            node = &self.turns.nodes[node.parent as usize];
        }
        actions.reverse();
        actions
    }
}

impl Turns {
    /// A generator without turns.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of turns.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no turn: the game is over, or no turn can be completed.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether all turns were found within the limit.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The turns, those with the shortest sequences first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Turn<'_>> + Clone {
        self.ends.iter().map(|&node| Turn { turns: self, node })
    }

    /// The turn of this index.
    pub fn get(&self, index: usize) -> Option<Turn<'_>> {
        self.ends.get(index).map(|&node| Turn { turns: self, node })
    }

    /// Generates all turns, or the continuations of a turn in progress.
    pub fn generate(&mut self, position: &Position) {
        self.generate_within(position, TURN_NODES);
    }

    /// Generates turns within a limit of states.
    pub fn generate_within(&mut self, position: &Position, max_nodes: usize) {
        self.nodes.clear();
        self.ends.clear();
        self.table.clear();
        self.table.resize(256, 0);
        self.complete = true;
        self.nodes.push(Node { position: *position, parent: 0, action: None });
        let mut at = 0;
        while at < self.nodes.len() {
            let from = self.nodes[at].position;
            // A state after the turn's end is not walked on from.
            let over = from.half_moves != position.half_moves || from.ending.is_some();
            if !over {
                for action in from.legal().iter() {
                    if self.nodes.len() >= max_nodes.min(u32::MAX as usize - 1) {
                        self.complete = false;
                        return;
                    }
                    let mut next = from;
                    next.play_unchecked(action);
                    self.add(next, at as u32, action, position.half_moves);
                }
            }
            at += 1;
        }
    }

    fn add(&mut self, position: Position, parent: u32, action: Action, half_moves: u32) {
        let node = Node { position, parent, action: Some(action) };
        let is_end = position.half_moves != half_moves || position.ending.is_some();
        if position.required == Required::Place && parent == 0 && !is_end {
            // The lift that opens the turn is different for every piece: no need to look it up.
            self.nodes.push(node);
            return;
        }
        if 2 * self.nodes.len() >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = position.key as usize & mask;
        loop {
            match self.table[slot] {
                0 => break,
                known if self.nodes[known as usize - 1].position == position => return,
                _ => slot = (slot + 1) & mask,
            }
        }
        self.nodes.push(node);
        let index = self.nodes.len() as u32;
        self.table[slot] = index;
        if is_end {
            self.ends.push(index - 1);
        }
    }

    /// Grows the hash table fourfold and rehashes.
    fn grow(&mut self) {
        let len = 4 * self.table.len();
        let old = core::mem::replace(&mut self.table, vec![0; len]);
        for index in old.into_iter().filter(|&index| index != 0) {
            let mut slot = self.nodes[index as usize - 1].position.key as usize & (len - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.table[slot] = index;
        }
    }
}
