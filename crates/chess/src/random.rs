//! Random legal moves, games and positions, determined by the state of a generator: for tests and benchmarks.

use core::iter;

use crate::rng::Rng;
use crate::{Move, Position};

/// A random legal move; `None` if there is none, and then no number is drawn.
pub fn legal_move(position: &Position, rng: &mut Rng) -> Option<Move> {
    let moves = position.legal_moves();
    (!moves.is_empty()).then(|| moves[rng.below(moves.len())])
}

/// A game of random legal moves: each move with the position before it, until there is no legal move.
///
/// ```
/// use tabiya_chess::rng::Rng;
/// use tabiya_chess::{Position, random};
/// let mut position = Position::INITIAL;
/// for (before, m) in random::game(Position::INITIAL, &mut Rng::new(1, 0)).take(40) {
///     assert_eq!(before, position);
///     position = before.after(m);
/// }
/// assert_eq!(position.fullmove_number(), 21);
/// ```
pub fn game(start: Position, rng: &mut Rng) -> impl Iterator<Item = (Position, Move)> {
    let mut position = start;
    iter::from_fn(move || {
        let (before, m) = (position, legal_move(&position, rng)?);
        position = before.after(m);
        Some((before, m))
    })
}

/// The positions after the moves of random games from the initial position, one game of at most so many plies after
/// another, without end.
///
/// ```
/// use tabiya_chess::random;
/// use tabiya_chess::rng::Rng;
/// let positions = || random::positions(Rng::new(1, 0), 80).take(1_000);
/// assert!(positions().eq(positions()));
/// assert!(positions().all(|position| position.fullmove_number() <= 41));
/// ```
pub fn positions(mut rng: Rng, plies: usize) -> impl Iterator<Item = Position> {
    const START: (Position, usize) = (Position::INITIAL, 0);
    let (mut position, mut ply) = START;
    iter::from_fn(move || {
        if ply >= plies {
            (position, ply) = START;
        }
        let m = legal_move(&position, &mut rng).or_else(|| {
            (position, ply) = START;
            legal_move(&position, &mut rng)
        })?;
        (position, ply) = (position.after(m), ply + 1);
        Some(position)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_without_legal_moves_has_no_random_one_and_ends_the_game() {
        let mut rng = Rng::new(1, 0);
        let mate: Position = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
        assert_eq!(legal_move(&mate, &mut rng), None);
        assert_eq!(game(mate, &mut rng).count(), 0);
        assert_eq!(rng.next_u64(), Rng::new(1, 0).next_u64());
    }

    #[test]
    fn every_legal_move_is_drawn() {
        let mut rng = Rng::new(2, 0);
        let mut seen = alloc::collections::BTreeSet::new();
        for _ in 0..400 {
            seen.insert(legal_move(&Position::INITIAL, &mut rng).unwrap().to_string());
        }
        assert_eq!(seen.len(), 20);
    }

    #[test]
    fn positions_follow_one_another_by_a_legal_move_or_begin_a_game() {
        let (mut before, mut games, mut ended) = (Position::INITIAL, 1, 0);
        let follows = |from: &Position, to: &Position| {
            from.legal_moves().iter().any(|&m| from.after(m) == *to)
        };
        for position in positions(Rng::new(3, 0), 300).take(30_000) {
            if !follows(&before, &position) {
                assert!(follows(&Position::INITIAL, &position), "{position}");
                games += 1;
                ended += usize::from(before.legal_moves().is_empty());
            }
            before = position;
        }
        // Games of 300 plies at most, some of which end by mate or stalemate.
        assert!(games > 100 && ended > 3, "{games} {ended}");
    }
}
