//! Perft: counts leaf nodes of the legal move tree, the standard test and benchmark of move generators.

use core::hint::black_box;

use crate::side::{Black, Side, White};
use crate::{Color, Position};

/// Counts the leaf nodes at a depth; moves of the last ply are counted, not made ("bulk counting").
///
/// ```
/// use tabiya_chess::{Position, perft};
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
    let mut nodes = 0;
    match depth {
        1 => nodes = position.count::<S>(),
        // Nearly all the time is spent here: no detour through another call.
        2 => position.children::<S>(|_, child| nodes += child.count::<S::Opponent>()),
        _ => position.children::<S>(|_, child| nodes += bulk_side::<S::Opponent>(child, depth - 1)),
    }
    nodes
}

/// The same count with every leaf position made, keys included.
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
