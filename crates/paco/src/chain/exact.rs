//! Exact chain search: each state is visited once.
//!
//! The state of a chain fits in 64 bits, so that the visited set is a hash set of integers:
//!
//! | bits | what |
//! |---|---|
//! | 0–47 | the player's piece type in each of at most sixteen unions, three bits each |
//! | 48–50 | the type in the hand |
//! | 51–55 | the union it hovers over; 16 for the origin |
//! | 56 | whether the en-passant capture has been made |
//! | 57–58 | which of the player's two rooks have left a right to castle behind |
//! | 63 | always set: no state is zero |

use alloc::vec;
use alloc::vec::Vec;

use arrayvec::ArrayVec;
use chess::{Bitboard, Square};

use super::relaxed::{self, FAR};
use super::{Answer, Board, Origin};
use crate::{Action, PieceType};

/// A chain's state in 64 bits.
pub(crate) type State = u64;

const AT_ORIGIN: u64 = 16;

/// A set of states: open addressing in a power of two of slots.
struct Visited {
    slots: Vec<State>,
    len: usize,
}

impl Visited {
    fn new() -> Self {
        Self { slots: vec![0; 256], len: 0 }
    }

    /// Inserts a state; returns whether it was new.
    fn insert(&mut self, state: State) -> bool {
        if 2 * (self.len + 1) > self.slots.len() {
            let old = core::mem::take(&mut self.slots);
            self.slots = vec![0; 4 * old.len()];
            for state in old {
                if state != 0 {
                    let slot = self.slot(state);
                    self.slots[slot] = state;
                }
            }
        }
        let slot = self.slot(state);
        let fresh = self.slots[slot] == 0;
        self.slots[slot] = state;
        self.len += usize::from(fresh);
        fresh
    }

    /// The slot that holds the state, or the empty one where it belongs.
    fn slot(&self, state: State) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (state.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[slot] != 0 && self.slots[slot] != state {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// The unions of a board and where a chain from one origin can go.
pub(crate) struct Search<'a, 'b> {
    board: &'a Board<'b>,
    origin: Origin,
    occupied: Bitboard,
    /// The squares of the unions, in the order of their bits in a state.
    squares: ArrayVec<Square, 16>,
    /// Rook start squares with a right to castle that a chain may drop.
    rights: Bitboard,
}

/// A step of a chain: where the hand was placed, and what a pawn became there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Step {
    to: Square,
    promotion: Option<PieceType>,
}

impl<'a, 'b> Search<'a, 'b> {
    /// Chains that begin with this piece.
    pub fn new(board: &'a Board<'b>, origin: Origin) -> Self {
        Self {
            board,
            origin,
            occupied: board.occupied - origin.square.bitboard(),
            // A position has at most sixteen pieces of a color.
            squares: board.unions.into_iter().take(16).collect(),
            rights: Bitboard::EMPTY,
        }
    }

    /// Distinguishes states by lost castling rights.
    pub fn with_rights(mut self, rooks: Bitboard) -> Self {
        self.rights = rooks;
        self
    }

    fn start(&self) -> State {
        let mut state = 1 << 63 | AT_ORIGIN << 51 | (self.origin.piece as u64) << 48;
        for (i, &square) in self.squares.iter().enumerate() {
            state |= (self.board.kind(square) as u64) << (3 * i);
        }
        state
    }

    fn hand(&self, state: State) -> PieceType {
        PieceType::from_index((state >> 48 & 7) as usize)
    }

    fn has_struck(state: State) -> bool {
        state >> 56 & 1 != 0
    }

    /// Where a union stands in this state.
    fn union_square(&self, state: State, index: usize) -> Square {
        let square = self.squares[index & 15];
        match self.board.strike {
            Some(strike) if strike.from == square && Self::has_struck(state) => strike.to,
            _ => square,
        }
    }

    fn hand_square(&self, state: State) -> Square {
        let index = state >> 51 & 31;
        if index >= AT_ORIGIN || index as usize >= self.squares.len() {
            self.origin.square
        } else {
            self.union_square(state, index as usize)
        }
    }

    /// What the hand attacks in this state.
    fn attacked(&self, state: State) -> Bitboard {
        let mut occupied = self.occupied;
        if let (Some(strike), true) = (self.board.strike, Self::has_struck(state)) {
            occupied = (occupied - strike.from.bitboard()) | strike.to.bitboard();
        }
        self.board.attack(self.hand(state), self.hand_square(state), occupied)
    }

    /// Calls back with every successor state and its step.
    fn successors(&self, state: State, attacked: Bitboard, mut found: impl FnMut(State, Step)) {
        let hand = self.hand(state);
        for i in 0..self.squares.len() {
            let square = self.union_square(state, i);
            if attacked.has(square) {
                self.arrive(state, hand, i, square, &mut found);
            } else if hand == PieceType::Pawn
                && let Some(strike) = self.board.strike
                && !Self::has_struck(state)
                && strike.from == square
                && attacked.has(strike.to)
            {
                self.arrive(state | 1 << 56, hand, i, strike.to, &mut found);
            }
        }
    }

    /// The hand takes the place of the piece in union `i`, on this square.
    fn arrive(
        &self,
        state: State,
        hand: PieceType,
        i: usize,
        to: Square,
        found: &mut impl FnMut(State, Step),
    ) {
        let released = state >> (3 * i) & 7;
        let mut next = state & !(7 << (3 * i) | 7 << 48 | 31 << 51);
        next |= released << 48 | (i as u64) << 51;
        if self.rights.has(to) && released == PieceType::Rook as u64 {
            let first = self.rights.first() == Some(to);
            next |= if first { 1 << 57 } else { 1 << 58 };
        }
        if hand == PieceType::Pawn && self.board.last_row().has(to) {
            for promotion in PieceType::PROMOTIONS {
                let step = Step { to, promotion: Some(promotion) };
                found(next | (promotion as u64) << (3 * i), step);
            }
        } else {
            found(next | (hand as u64) << (3 * i), Step { to, promotion: None });
        }
    }

    /// Whether a chain captures on one of the targets: best first.
    pub fn reaches(&self, targets: Bitboard, nodes: &mut u32) -> Answer {
        let distances = relaxed::distances(self.board, self.occupied, self.origin, targets);
        let mut visited = Visited::new();
        let mut buckets: [Vec<State>; 8] = Default::default();
        buckets[0].push(self.start());
        while let Some(state) = buckets.iter_mut().find_map(Vec::pop) {
            let attacked = self.attacked(state);
            if !attacked.is_disjoint(targets) {
                return Answer::Yes;
            }
            if *nodes == 0 {
                return Answer::Unknown;
            }
            *nodes -= 1;
            self.successors(state, attacked, |next, _| {
                let square = self.hand_square(next);
                let distance = distances
                    .get(self.hand(next).index())
                    .map_or(FAR, |by_square| by_square[square.index()]);
                if distance != FAR && visited.insert(next) {
                    buckets[usize::from(distance).min(7)].push(next);
                }
            });
        }
        Answer::No
    }

    /// All squares attacked by chains from the origin; `None` if the node limit is reached.
    pub fn all_attacks(&self, nodes: &mut u32) -> Option<Bitboard> {
        let mut threatened = Bitboard::EMPTY;
        let mut visited = Visited::new();
        let mut waiting = vec![self.start()];
        while let Some(state) = waiting.pop() {
            let attacked = self.attacked(state);
            threatened |= attacked;
            *nodes = nodes.checked_sub(1)?;
            self.successors(state, attacked, |next, _| {
                if visited.insert(next) {
                    waiting.push(next);
                }
            });
        }
        Some(threatened)
    }

    /// The chains that capture on the target, shortest first, one for each state before the
    /// capture. The second value is whether they are complete.
    pub fn chains(
        &self,
        target: Square,
        nodes: &mut u32,
        limit: usize,
    ) -> (Vec<Vec<Action>>, bool) {
        /// A state with its path.
        struct Node {
            state: State,
            parent: usize,
            step: Option<Step>,
        }
        let distances =
            relaxed::distances(self.board, self.occupied, self.origin, target.bitboard());
        let mut visited = Visited::new();
        let mut tree = vec![Node { state: self.start(), parent: 0, step: None }];
        let mut chains = Vec::new();
        let mut at = 0;
        while at < tree.len() {
            let state = tree[at].state;
            let attacked = self.attacked(state);
            if attacked.has(target) {
                if chains.len() == limit {
                    return (chains, false);
                }
                let mut actions = vec![Action::Place(target)];
                let mut node = &tree[at];
                while let Some(step) = node.step {
                    actions.extend(step.promotion.map(Action::Promote));
                    actions.push(Action::Place(step.to));
                    node = &tree[node.parent];
                }
                actions.reverse();
                chains.push(actions);
            }
            if *nodes == 0 {
                return (chains, false);
            }
            *nodes -= 1;
            self.successors(state, attacked, |next, step| {
                let square = self.hand_square(next);
                let near = distances
                    .get(self.hand(next).index())
                    .is_some_and(|by_square| by_square[square.index()] != FAR);
                if near && visited.insert(next) {
                    tree.push(Node { state: next, parent: at, step: Some(step) });
                }
            });
            at += 1;
        }
        (chains, true)
    }
}
