//! Perft: counts leaf nodes of the tree of actions, or of whole turns.

use alloc::vec;

use crate::{Position, Turns};

/// Counts leaf nodes at `depth` actions. Actions of the last ply are counted, not played (bulk counting).
///
/// ```
/// use tabiya_paco::{Position, perft};
/// assert_eq!(perft(&Position::default(), 4), 400);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal().len() as u64,
        _ => position
            .legal()
            .iter()
            .map(|action| {
                let mut next = *position;
                next.play_unchecked(action);
                perft(&next, depth - 1)
            })
            .sum(),
    }
}

/// The same count without bulk counting.
pub fn perft_played(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    position
        .legal()
        .iter()
        .map(|action| {
            let mut next = *position;
            next.play_unchecked(action);
            perft_played(&next, depth - 1)
        })
        .sum()
}

/// Counts leaf nodes at `depth` turns, distinct by final position. `None` if a position has more turns than
/// [`Turns`] generates.
///
/// ```
/// use tabiya_paco::{Position, turn_perft};
/// assert_eq!(turn_perft(&Position::default(), 2), Some(400));
/// ```
pub fn turn_perft(position: &Position, depth: u32) -> Option<u64> {
    let mut generators = vec![Turns::new(); depth as usize];
    walk(position, &mut generators)
}

fn walk(position: &Position, generators: &mut [Turns]) -> Option<u64> {
    let Some((turns, deeper)) = generators.split_first_mut() else { return Some(1) };
    turns.generate(position);
    if !turns.is_complete() {
        return None;
    }
    if deeper.is_empty() {
        return Some(turns.len() as u64);
    }
    turns.iter().map(|turn| walk(turn.position(), deeper)).sum()
}
