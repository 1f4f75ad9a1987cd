//! Perft: how many ways the game can go on for so many moves. The standard test of a move generator,
//! and the standard measure of its speed.

use std::hint::black_box;

use crate::side::{Black, Side, White};
use crate::{Color, Position};

/// Counts the leaves of the tree of legal moves; the last move is only counted, not made ("bulk
/// counting").
///
/// ```
/// use chess::{Position, perft};
/// assert_eq!(perft::bulk(&Position::INITIAL, 4), 197_281);
/// ```
pub fn bulk(position: &Position, depth: u32) -> u64 {
    match (depth, position.turn) {
        (0, _) => 1,
        (_, Color::White) => bulk_side::<White>(position, depth),
        (_, Color::Black) => bulk_side::<Black>(position, depth),
    }
}

fn bulk_side<S: Side>(position: &Position, depth: u32) -> u64 {
    if depth == 1 {
        return position.count::<S>();
    }
    let mut nodes = 0;
    position.children::<S>(|_, child| nodes += bulk_side::<S::Opponent>(child, depth - 1));
    nodes
}

/// The same count with every leaf made, as a position with its keys in step.
pub fn every_leaf(position: &Position, depth: u32) -> u64 {
    match (depth, position.turn) {
        (0, _) => 1,
        (_, Color::White) => every_leaf_side::<White>(position, depth),
        (_, Color::Black) => every_leaf_side::<Black>(position, depth),
    }
}

fn every_leaf_side<S: Side>(position: &Position, depth: u32) -> u64 {
    let mut nodes = 0;
    if depth == 1 {
        position.children::<S>(|_, child| {
            black_box(child); // the compiler may not leave out what nobody looks at
            nodes += 1;
        });
    } else {
        position.children::<S>(|_, child| {
            nodes += every_leaf_side::<S::Opponent>(child, depth - 1);
        });
    }
    nodes
}
