//! Accumulators that keep in step with a search.
//!
//! A move is only noted: which pieces came and went. When an evaluation is asked for, the sums of
//! each player are made from the nearest ply before that has them, move by move; many positions of a
//! search are never evaluated, and cost nothing. If a player's king has meanwhile moved so that he
//! sees the board [another way](super::View), none of his inputs is what it was, and his sums are made
//! from those he last had when he saw it so ([`RefreshCache`]).
//!
//! A null move changes no piece, so that nobody has to tell of it.

use std::sync::Arc;

use aligned::Aligned;
use chess::{Color, Move, Observer, Piece, Position, Square};

use super::refresh::RefreshCache;
use super::{Network, View};
use crate::simd;

/// Room for most searches; if one goes deeper there will be more.
const USUAL_PLIES: usize = 130;

/// The accumulators of the line that a search stands at.
///
/// ```
/// use std::sync::Arc;
/// use chess::Position;
/// use nnue::{Accumulators, Network, Shape};
/// # let weights = (0..768 * 32).map(|i| (i * 37 % 101) as i16 - 50).collect();
/// # let network = Network::new(Shape::plain(32), weights, vec![9; 32], vec![5; 64], vec![0])?;
/// let network = Arc::new(network);
/// let mut accumulators = Accumulators::new(network.clone());
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
    plies: Vec<Ply>,
    /// The ply that the search stands at.
    top: usize,
    cache: RefreshCache,
}

/// What is known of a ply.
#[derive(Clone)]
struct Ply {
    changes: Changes,
    /// Whether the move made each player see the board another way.
    turned: [bool; 2],
    /// Whether the sums of each player are there.
    computed: [bool; 2],
    sums: [Aligned<i16>; 2],
}

/// The pieces that a move put and removed: at most two of each, when castling.
#[derive(Clone, Copy)]
struct Changes {
    added: [(Piece, Square); 2],
    removed: [(Piece, Square); 2],
    added_len: usize,
    removed_len: usize,
}

impl Changes {
    const NONE: Self = Self {
        added: [(Piece::ALL[0], Square::A1); 2],
        removed: [(Piece::ALL[0], Square::A1); 2],
        added_len: 0,
        removed_len: 0,
    };
}

impl Observer for Changes {
    #[inline(always)]
    fn put(&mut self, piece: Piece, square: Square) {
        self.added[self.added_len & 1] = (piece, square);
        self.added_len += 1;
    }

    #[inline(always)]
    fn remove(&mut self, piece: Piece, square: Square) {
        self.removed[self.removed_len & 1] = (piece, square);
        self.removed_len += 1;
    }
}

impl Accumulators {
    /// For a network; [`reset`](Self::reset) says where the search begins.
    pub fn new(network: Arc<Network>) -> Self {
        let ply = Ply::new(network.shape().hidden);
        Self { network, plies: vec![ply; USUAL_PLIES], top: 0, cache: RefreshCache::default() }
    }

    /// The network that these are for.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// A search begins at some position: the first one that is evaluated or played from.
    pub fn reset(&mut self, _root: &Position) {
        self.top = 0;
        self.plies[0].computed = [false; 2];
    }

    /// The position after a move, which the accumulators now stand at.
    #[inline]
    pub fn play(&mut self, position: &Position, m: Move) -> Position {
        self.top += 1;
        if self.top == self.plies.len() {
            self.plies.push(Ply::new(self.network.shape().hidden));
        }
        let ply = &mut self.plies[self.top];
        ply.changes = Changes::NONE;
        ply.computed = [false; 2];
        ply.turned = [false; 2];
        let next = position.after_observed(m, &mut ply.changes);
        let mover = position.turn();
        let (from, to) = (position.king(mover), next.king(mover));
        if from != to {
            let shape = self.network.shape();
            ply.turned[mover.index()] = shape.view(mover, from) != shape.view(mover, to);
        }
        next
    }

    /// Back to where they stood before the last [`play`](Self::play).
    #[inline]
    pub fn take_back(&mut self) {
        self.top = self.top.saturating_sub(1);
    }

    /// The evaluation in centipawns for the player to move. The position must be the one that these
    /// stand at; only its turn and its clocks may be others, as they are after a null move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        for perspective in Color::ALL {
            self.compute(position, perspective);
        }
        let (network, sums) = (&*self.network, &self.plies[self.top].sums);
        let (own, other) = (&sums[position.turn().index()], &sums[(!position.turn()).index()]);
        let bucket = network.shape().output_bucket(position.occupied().len());
        let sum = simd::output_sum(own, other, network.output_row(bucket));
        simd::scalar::centipawns(sum, network.output_bias()[bucket])
    }

    /// Makes the sums of a player at the top.
    #[inline]
    fn compute(&mut self, position: &Position, perspective: Color) {
        let index = perspective.index();
        let view = self.network.shape().view(perspective, position.king(perspective));
        let mut known = self.top;
        while !self.plies[known].computed[index] {
            if known == 0 || self.plies[known].turned[index] {
                let top = &mut self.plies[self.top];
                self.cache.refresh(&self.network, position, view, &mut top.sums[index]);
                top.computed[index] = true;
                return;
            }
            known -= 1;
        }
        for at in known + 1..=self.top {
            let (before, after) = self.plies.split_at_mut(at);
            let (before, after) = (&before[at - 1], &mut after[0]);
            let sums = (&*before.sums[index], &mut *after.sums[index]);
            after.changes.apply(&self.network, view, sums.0, sums.1);
            after.computed[index] = true;
        }
    }
}

impl Ply {
    fn new(hidden: usize) -> Self {
        let sums = [Aligned::zeros(hidden), Aligned::zeros(hidden)];
        Self { changes: Changes::NONE, turned: [false; 2], computed: [false; 2], sums }
    }
}

impl Changes {
    /// The sums after the move from those before it, in one pass.
    #[inline]
    fn apply(&self, network: &Network, view: View, before: &[i16], after: &mut [i16]) {
        let row = |(piece, square)| network.feature_row(view.feature(piece, square));
        let ([a, b], [r, s]) = (self.added, self.removed);
        match (self.added_len, self.removed_len) {
            (1, 1) => simd::update(before, after, [row(a)], [row(r)]),
            (1, 2) => simd::update(before, after, [row(a)], [row(r), row(s)]),
            (2, 2) => simd::update(before, after, [row(a), row(b)], [row(r), row(s)]),
            // No legal move does anything else.
            _ => after.copy_from_slice(before),
        }
    }
}
