//! Data augmentation: positions a random move or two away from those of games.
//!
//! In games, pieces seldom hang. Most positions that a search evaluates are different: they follow moves
//! nobody would play. A network needs such positions in its training data.

use chess::rng::Rng;
use chess::{Move, Position};

/// The maximum number of random moves.
pub const MAX_MOVES: usize = 2;

/// Makes one or two random legal moves; `play` makes each and returns the position after it. Returns the
/// last position and the number of moves made, which is lower if the game ends.
pub fn play_random_moves(
    from: &Position,
    rng: &mut Rng,
    mut play: impl FnMut(&Position, Move) -> Position,
) -> (Position, usize) {
    let mut position = *from;
    let count = 1 + rng.below(MAX_MOVES);
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
                play_random_moves(&Position::INITIAL, &mut rng, |position, m| position.after(m));
            assert_eq!(position.turn() == chess::Color::White, made == 2);
            seen.insert(position.fen());
        }
        // There are 20 positions after one move, and 400 after two.
        assert!((200..=420).contains(&seen.len()), "{}", seen.len());
    }

    #[test]
    fn no_move_is_made_where_the_game_is_over() {
        let mated: Position = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
        let (position, made) =
            play_random_moves(&mated, &mut Rng::new(1, 1), |_, _| unreachable!());
        assert_eq!((position, made), (mated, 0));
    }
}
