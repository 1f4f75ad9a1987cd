//! Lazy accumulator updates and the refresh cache, generic over the architecture.
//!
//! [`AccumulatorStack::make_move`] only records the feature delta of a move. [`AccumulatorStack::evaluate`]
//! applies the deltas from the nearest computed ancestor; many positions of a search are never evaluated and
//! cost nothing. Where a king move has changed the perspective, all features of that color change, and its
//! accumulator is refreshed from the cache.
//!
//! The refresh cache is known as "Finny tables", after Finn Eggers of Koivisto. Kings go back and forth: it
//! stores, for each perspective, the last accumulator and its pieces, so that a refresh adds and subtracts
//! only the difference to the current position.

use std::sync::Arc;

use chess::{Bitboard, Color, Move, Observer, Piece, PieceType, Position, Square};
use simd::{Computation, IntegerKernels, Kernels};

/// What `AccumulatorStack` needs of a network. What takes kernels is `#[inline(always)]`: it is a part of a
/// [`Computation`].
pub trait Architecture {
    /// The sums of the feature transformer for one perspective.
    type Accumulator: Clone;
    /// What determines the features of a color's pieces. A king move that changes it needs a refresh.
    type Perspective: Copy + PartialEq;
    /// How many perspectives there can be.
    const PERSPECTIVES: usize;

    /// The kernels that positions are evaluated with.
    fn kernels(&self) -> Kernels;
    /// The perspective of a color whose king is on this square.
    fn perspective(&self, color: Color, king: Square) -> Self::Perspective;
    /// A unique index below [`PERSPECTIVES`](Self::PERSPECTIVES).
    fn index(perspective: Self::Perspective) -> usize;
    /// The feature of a piece on a square, if it has one.
    fn feature(perspective: Self::Perspective, piece: Piece, square: Square) -> Option<u16>;
    /// The accumulator without any features.
    fn bias(&self) -> Self::Accumulator;
    /// `dst = src` with features added and removed.
    fn accumulate(
        &self,
        kernels: impl IntegerKernels,
        src: &Self::Accumulator,
        dst: &mut Self::Accumulator,
        added: &[u16],
        removed: &[u16],
    );
    /// The value of a position from the side to move, from the accumulators of White and Black.
    fn forward(
        &self,
        kernels: impl IntegerKernels,
        accumulators: &[Self::Accumulator; 2],
        position: &Position,
    ) -> i32;
}

/// Initial capacity in plies, enough for most searches; the stack grows beyond.
const PLIES: usize = 130;

/// The accumulators of the line that a search is at.
///
/// ```
/// use std::sync::Arc;
/// use tabiya_nnue::chess::Position;
/// use tabiya_nnue::{AccumulatorStack, Network, Shape};
/// # let weights = (0..768 * 32).map(|i| (i * 37 % 101) as i16 - 50).collect();
/// # let network = Network::new(Shape::plain(32), weights, vec![9; 32], vec![5; 64], vec![0])?;
/// let network = Arc::new(network);
/// let mut stack = AccumulatorStack::new(network.clone());
/// let start = Position::INITIAL;
/// stack.reset(&start);
/// let next = stack.make_move(&start, start.parse_uci("e2e4")?);
/// assert_eq!(stack.evaluate(&next), network.evaluate(&next));
/// stack.unmake_move();
/// assert_eq!(stack.evaluate(&start), network.evaluate(&start));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AccumulatorStack<N: Architecture> {
    network: Arc<N>,
    kernels: Kernels,
    plies: Vec<Ply<N::Accumulator>>,
    /// The current ply.
    top: usize,
    /// By perspective, once it has occurred.
    cache: Vec<Option<CacheEntry<N::Accumulator>>>,
}

#[derive(Clone)]
struct Ply<A> {
    delta: Delta,
    /// Whether the move changed the perspective of each color.
    needs_refresh: [bool; 2],
    /// Whether the accumulator of each color is computed.
    computed: [bool; 2],
    accumulators: [A; 2],
}

impl<A: Clone> Ply<A> {
    fn new(accumulator: A) -> Self {
        let accumulators = [accumulator.clone(), accumulator];
        let (needs_refresh, computed) = ([false; 2], [false; 2]);
        Self { delta: Delta::new(), needs_refresh, computed, accumulators }
    }
}

/// A short list, inlined without link-time optimization. `N` is a power of two.
#[derive(Clone, Copy)]
pub(crate) struct List<T, const N: usize> {
    items: [T; N],
    len: usize,
}

impl<T: Copy, const N: usize> List<T, N> {
    #[inline(always)]
    pub(crate) fn new(placeholder: T) -> Self {
        Self { items: [placeholder; N], len: 0 }
    }

    /// Appends an item; callers never append more than `N`.
    #[inline(always)]
    pub(crate) fn push(&mut self, item: T) {
        self.items[self.len & (N - 1)] = item;
        self.len += 1;
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.items[..self.len.min(N)]
    }
}

/// The pieces that a move adds and removes: at most two each, when castling.
#[derive(Clone, Copy)]
struct Delta {
    added: List<(Piece, Square), 2>,
    removed: List<(Piece, Square), 2>,
}

impl Delta {
    #[inline(always)]
    fn new() -> Self {
        let none = List::new((Piece::ALL[0], Square::A1));
        Self { added: none, removed: none }
    }
}

impl Observer for Delta {
    #[inline(always)]
    fn put(&mut self, piece: Piece, square: Square) {
        self.added.push((piece, square));
    }

    #[inline(always)]
    fn remove(&mut self, piece: Piece, square: Square) {
        self.removed.push((piece, square));
    }
}

#[derive(Clone)]
struct CacheEntry<A> {
    pieces: [[Bitboard; 6]; 2],
    accumulator: A,
}

impl<N: Architecture> AccumulatorStack<N> {
    /// A stack for a network; [`reset`](Self::reset) it at the root of a search.
    pub fn new(network: Arc<N>) -> Self {
        let plies = vec![Ply::new(network.bias()); PLIES];
        let kernels = network.kernels();
        Self { network, kernels, plies, top: 0, cache: vec![None; N::PERSPECTIVES] }
    }

    /// The network.
    pub fn network(&self) -> &Arc<N> {
        &self.network
    }

    /// Starts at the root of a search, the first position to be evaluated or moved from.
    pub fn reset(&mut self, _root: &Position) {
        self.top = 0;
        self.plies[0].computed = [false; 2];
    }

    /// Makes a legal move; returns the position after it. A null move changes no piece and needs no call.
    #[inline]
    pub fn make_move(&mut self, position: &Position, m: Move) -> Position {
        self.top += 1;
        if self.top == self.plies.len() {
            self.plies.push(Ply::new(self.network.bias()));
        }
        let ply = &mut self.plies[self.top];
        ply.delta = Delta::new();
        ply.computed = [false; 2];
        ply.needs_refresh = [false; 2];
        let next = position.after_observed(m, &mut ply.delta);
        let side = position.turn();
        let (from, to) = (position.king(side), next.king(side));
        if from != to {
            ply.needs_refresh[side.index()] =
                self.network.perspective(side, from) != self.network.perspective(side, to);
        }
        next
    }

    /// Unmakes the last [move](Self::make_move).
    #[inline]
    pub fn unmake_move(&mut self) {
        self.top = self.top.saturating_sub(1);
    }

    /// The value of the current position from the side to move. Only its side to move and its clocks may
    /// differ, as they do after a null move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.kernels.compute(Evaluation { stack: self, position })
    }

    /// Computes the accumulator of a color at the current ply.
    #[inline(always)]
    fn compute(&mut self, kernels: impl IntegerKernels, position: &Position, color: Color) {
        let n = color.index();
        let perspective = self.network.perspective(color, position.king(color));
        let mut ancestor = self.top;
        while !self.plies[ancestor].computed[n] {
            if ancestor == 0 || self.plies[ancestor].needs_refresh[n] {
                return self.refresh(position, perspective, n);
            }
            ancestor -= 1;
        }
        for at in ancestor + 1..=self.top {
            let (before, after) = self.plies.split_at_mut(at);
            let (before, ply) = (&before[at - 1], &mut after[0]);
            let added = features::<N>(&ply.delta.added, perspective);
            let removed = features::<N>(&ply.delta.removed, perspective);
            let (src, dst) = (&before.accumulators[n], &mut ply.accumulators[n]);
            self.network.accumulate(kernels, src, dst, added.as_slice(), removed.as_slice());
            ply.computed[n] = true;
        }
    }

    /// Computes the accumulator of color `n` at the current ply from the cache. A function of its own: it is
    /// rare and large.
    #[inline(never)]
    fn refresh(&mut self, position: &Position, perspective: N::Perspective, n: usize) {
        let entry = self.cache[N::index(perspective)].get_or_insert_with(|| CacheEntry {
            pieces: [[Bitboard::EMPTY; 6]; 2],
            accumulator: self.network.bias(),
        });
        // A legal position has at most 32 pieces.
        let (mut added, mut removed) = (List::<u16, 32>::new(0), List::<u16, 32>::new(0));
        for color in Color::ALL {
            for piece_type in PieceType::ALL {
                let piece = Piece::new(color, piece_type);
                let cached = &mut entry.pieces[color.index()][piece_type.index()];
                let pieces = position.pieces(color, piece_type);
                for square in pieces - *cached {
                    if let Some(feature) = N::feature(perspective, piece, square) {
                        added.push(feature);
                    }
                }
                for square in *cached - pieces {
                    if let Some(feature) = N::feature(perspective, piece, square) {
                        removed.push(feature);
                    }
                }
                *cached = pieces;
            }
        }
        let ply = &mut self.plies[self.top];
        let accumulator = &mut ply.accumulators[n];
        let (added, removed) = (added.as_slice(), removed.as_slice());
        self.network.accumulate(self.kernels, &entry.accumulator, accumulator, added, removed);
        entry.accumulator.clone_from(accumulator);
        ply.computed[n] = true;
    }
}

/// The accumulators of White and Black, from scratch.
pub(crate) fn refreshed<N: Architecture>(network: &N, position: &Position) -> [N::Accumulator; 2] {
    let bias = network.bias();
    Color::ALL.map(|color| {
        let perspective = network.perspective(color, position.king(color));
        let mut features = List::<u16, 32>::new(0);
        for (square, piece) in position.board().iter() {
            if let Some(feature) = N::feature(perspective, piece, square) {
                features.push(feature);
            }
        }
        let mut accumulator = bias.clone();
        network.accumulate(network.kernels(), &bias, &mut accumulator, features.as_slice(), &[]);
        accumulator
    })
}

/// The features in a perspective of pieces that a move adds or removes.
#[inline(always)]
fn features<N: Architecture>(
    pieces: &List<(Piece, Square), 2>,
    perspective: N::Perspective,
) -> List<u16, 2> {
    let mut features = List::new(0);
    for &(piece, square) in pieces.as_slice() {
        if let Some(feature) = N::feature(perspective, piece, square) {
            features.push(feature);
        }
    }
    features
}

/// [`AccumulatorStack::evaluate`], compiled as a whole for each instruction set.
struct Evaluation<'a, N: Architecture> {
    stack: &'a mut AccumulatorStack<N>,
    position: &'a Position,
}

impl<N: Architecture> Computation for Evaluation<'_, N> {
    type Output = i32;

    #[inline(always)]
    fn run<K: IntegerKernels>(self, kernels: K) -> i32 {
        let Self { stack, position } = self;
        for color in Color::ALL {
            stack.compute(kernels, position, color);
        }
        let accumulators = &stack.plies[stack.top].accumulators;
        stack.network.forward(kernels, accumulators, position)
    }
}

impl<N: Architecture> Clone for AccumulatorStack<N> {
    fn clone(&self) -> Self {
        Self {
            network: Arc::clone(&self.network),
            kernels: self.kernels,
            plies: self.plies.clone(),
            top: self.top,
            cache: self.cache.clone(),
        }
    }
}
