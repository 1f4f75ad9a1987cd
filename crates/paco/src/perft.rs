//! Counting: how many action sequences, or sequences of whole turns, there are.

use crate::{Position, Turns};

/// How many sequences of exactly `depth` actions there are. The last action of each is counted and
/// not played.
///
/// ```
/// use paco::{Position, perft};
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

/// The same with every action played, the last one too.
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

/// How many sequences of `depth` distinct turns there are; each turn is counted once for each
/// different end. `None` if a position on the way has more turns than [`Turns`] generates.
///
/// ```
/// use paco::{Position, turn_perft};
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
