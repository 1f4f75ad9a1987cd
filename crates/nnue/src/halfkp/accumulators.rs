//! Halves that keep in step with a search.
//!
//! A stack has a level for each move on the way from the root to where the search stands. A move only
//! notes what it changed ([`Accumulators::play`]); the sums are made when a value is asked for, from
//! the nearest level that has them. Many positions of a search are never evaluated, and then nothing
//! is computed.
//!
//! When a king moves, all features of his player change. Such a half is not made from nothing: for
//! every square of each king a [cache](Entry) has the half that was last computed there, and only what
//! differs between that board and this one is taken away and added.

use std::sync::Arc;

use chess::{Board, Color, Move, Observer, Piece, PieceType, Position, Square};

use super::features::{List, difference, feature};
use super::{Half, Network};

/// One level of the stack.
#[derive(Clone)]
struct Level {
    halves: [Half; 2],
    /// Which halves are computed.
    computed: [bool; 2],
    /// What the move to this level changed.
    changes: Changes,
}

impl Level {
    fn new() -> Self {
        Self { halves: [Half::ZERO; 2], computed: [false; 2], changes: Changes::NONE }
    }
}

/// What a move changes: no move takes away or brings more than two pieces.
#[derive(Clone, Copy)]
struct Changes {
    removed: [Option<(Piece, Square)>; 2],
    added: [Option<(Piece, Square)>; 2],
    /// Whose king moved, if any did.
    king: Option<Color>,
}

impl Changes {
    const NONE: Self = Self { removed: [None; 2], added: [None; 2], king: None };

    fn note(list: &mut [Option<(Piece, Square)>; 2], piece: Piece, square: Square) {
        if let Some(free) = list.iter_mut().find(|place| place.is_none()) {
            *free = Some((piece, square));
        }
    }
}

impl Observer for Changes {
    fn put(&mut self, piece: Piece, square: Square) {
        match piece.piece_type() {
            PieceType::King => self.king = Some(piece.color()),
            _ => Self::note(&mut self.added, piece, square),
        }
    }

    fn remove(&mut self, piece: Piece, square: Square) {
        match piece.piece_type() {
            PieceType::King => self.king = Some(piece.color()),
            _ => Self::note(&mut self.removed, piece, square),
        }
    }
}

/// The half last computed with a king on some square, and the board it belongs to.
#[derive(Clone)]
struct Entry {
    half: Half,
    board: Board,
}

/// A network's halves in step with a search.
///
/// ```no_run
/// # use std::sync::Arc;
/// use chess::Position;
/// use nnue::halfkp::{Accumulators, Network};
/// # let network = Arc::new(Network::from_bytes(&std::fs::read("nn-62ef826d1a6d.nnue")?)?);
/// let mut accumulators = Accumulators::new(Arc::clone(&network));
/// let start = Position::INITIAL;
/// accumulators.reset(&start);
/// let next = accumulators.play(&start, start.parse_uci("e2e4")?);
/// assert_eq!(accumulators.evaluate(&next), network.evaluate(&next));
/// accumulators.take_back();
/// assert_eq!(accumulators.evaluate(&start), network.evaluate(&start));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Accumulators {
    network: Arc<Network>,
    /// Levels beyond [`current`](Self::current) are kept for their memory.
    levels: Vec<Level>,
    current: usize,
    /// By player and the square of his king.
    cache: Box<[[Entry; 64]; 2]>,
}

impl Accumulators {
    /// A stack for this network. It stands nowhere: [`reset`](Self::reset) it before anything else.
    pub fn new(network: Arc<Network>) -> Self {
        let entry = Entry { half: network.bias, board: Board::EMPTY };
        let entries = vec![entry; 128].into_boxed_slice();
        let cache = Box::new(std::array::from_fn(|player| {
            std::array::from_fn(|square| entries[64 * player + square].clone())
        }));
        Self { network, levels: vec![Level::new()], current: 0, cache }
    }

    /// The network it computes with.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// A search begins at this position. What is cached is kept.
    pub fn reset(&mut self, _root: &Position) {
        self.current = 0;
        self.levels[0].computed = [false; 2];
    }

    /// The position after a legal move from `position`, where the stack stands; it now stands there.
    #[inline]
    pub fn play(&mut self, position: &Position, m: Move) -> Position {
        self.current += 1;
        if self.current == self.levels.len() {
            self.levels.push(Level::new());
        }
        let level = &mut self.levels[self.current];
        level.computed = [false; 2];
        level.changes = Changes::NONE;
        position.after_observed(m, &mut level.changes)
    }

    /// Back to where it stood before the last [`play`](Self::play).
    #[inline]
    pub fn take_back(&mut self) {
        debug_assert!(self.current > 0, "nothing has been played");
        self.current = self.current.saturating_sub(1);
    }

    /// The value for the side to move of the position where the stack stands. A null move changes no
    /// piece: the position after one may be asked for without telling the stack.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        for player in Color::ALL {
            self.compute(player, position);
        }
        self.network.evaluate_halves(&self.levels[self.current].halves, position.turn())
    }

    /// Computes a player's half at the current level.
    fn compute(&mut self, player: Color, position: &Position) {
        let Some(start) = self.nearest(player) else { return self.refresh(player, position) };
        let king = position.king(player);
        for level in start + 1..=self.current {
            let (before, after) = self.levels.split_at_mut(level);
            let (from, level) = (&before[level - 1], &mut after[0]);
            let index = |(piece, square)| feature(player, king, piece, square);
            let (mut removed, mut added) = (List::EMPTY, List::EMPTY);
            level
                .changes
                .removed
                .into_iter()
                .flatten()
                .filter_map(index)
                .for_each(|f| removed.push(f));
            level.changes.added.into_iter().flatten().filter_map(index).for_each(|f| added.push(f));
            let n = player.index();
            let (removed, added) = (removed.as_slice(), added.as_slice());
            self.network.change(&from.halves[n], removed, added, &mut level.halves[n]);
            level.computed[n] = true;
        }
    }

    /// The nearest level with the player's half, if his king has not moved since.
    fn nearest(&self, player: Color) -> Option<usize> {
        for level in (0..=self.current).rev() {
            if self.levels[level].computed[player.index()] {
                return Some(level);
            }
            if self.levels[level].changes.king == Some(player) {
                return None;
            }
        }
        None
    }

    /// Computes a player's half at the current level from what is cached for his king.
    fn refresh(&mut self, player: Color, position: &Position) {
        let king = position.king(player);
        let n = player.index();
        let entry = &mut self.cache[n][king.index()];
        let level = &mut self.levels[self.current];
        let (removed, added) = difference(player, king, &entry.board, position.board());
        let (removed, added) = (removed.as_slice(), added.as_slice());
        self.network.change(&entry.half, removed, added, &mut level.halves[n]);
        level.computed[n] = true;
        *entry = Entry { half: level.halves[n], board: *position.board() };
    }
}
