//! Positions beside those of games.
//!
//! In games of people, pieces are seldom left hanging. A search meets little else: most of what it
//! evaluates comes about by moves that nobody would play. A network that has seen such positions knows
//! what to make of them.

use chess::{Move, Position};

use chess::rng::Rng;

/// The most random moves that are made.
pub const MOST_MOVES: usize = 2;

/// Makes one or two random legal moves, by telling `play` of each, which gives the position after it.
/// Gives the last position and how many moves were made, whether or not there were enough.
pub fn stray(
    from: &Position,
    rng: &mut Rng,
    mut play: impl FnMut(&Position, Move) -> Position,
) -> (Position, usize) {
    let mut position = *from;
    let count = 1 + rng.below(MOST_MOVES);
    for made in 0..count {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return (position, made);
        }
        position = play(&position, moves[rng.below(moves.len())]);
    }
    (position, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_one_or_two_moves_away() {
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..1_000 {
            let mut rng = Rng::new(1, number);
            let (position, made) =
                stray(&Position::INITIAL, &mut rng, |position, m| position.after(m));
            assert_eq!(position.turn() == chess::Color::White, made == 2);
            seen.insert(position.fen());
        }
        // There are 20 positions after one move, and 400 after two.
        assert!((200..=420).contains(&seen.len()), "{}", seen.len());
    }

    #[test]
    fn where_the_game_is_over_no_move_is_made() {
        let mated: Position = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
        let (position, made) = stray(&mated, &mut Rng::new(1, 1), |_, _| unreachable!());
        assert_eq!((position, made), (mated, 0));
    }
}
