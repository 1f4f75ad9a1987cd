//! Random games.

use chess::rng::Rng;
use chess::{Move, Position, chess960, random};

/// The longest game of a walk, in plies played and unmade.
const PLIES: usize = 200;

fn chess960_start(rng: &mut Rng) -> Position {
    chess960::start(rng.below(960) as u16).expect("below 960")
}

/// Positions of random games without end, each a move after the one before. A game that is over is followed
/// by a start position of Chess960.
pub fn random_positions(mut rng: Rng) -> impl Iterator<Item = Position> {
    let mut position = Position::INITIAL;
    std::iter::repeat_with(move || {
        position = match random::legal_move(&position, &mut rng) {
            Some(m) => position.after(m),
            None => chess960_start(&mut rng),
        };
        position
    })
}

/// A step of a [`random_walk`].
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A game begins.
    Start,
    /// A move is made in a position.
    Make(Position, Move),
    /// The last move is unmade.
    Unmake,
}

/// Plays at least so many random moves, in games of Chess960 for its castling, and unmakes some now and then.
/// `follow` gets every step, and the position after it.
pub fn random_walk(moves: usize, mut rng: Rng, mut follow: impl FnMut(Step, Position)) {
    let mut played = 0;
    while played < moves {
        let mut position = chess960_start(&mut rng);
        follow(Step::Start, position);
        let mut line = vec![];
        for _ in 0..PLIES {
            if !line.is_empty() && rng.below(5) == 0 {
                for _ in 0..=rng.below(line.len().min(4)) {
                    position = line.pop().expect("as many as there are plies");
                    follow(Step::Unmake, position);
                }
                continue;
            }
            let Some(m) = random::legal_move(&position, &mut rng) else { break };
            line.push(position);
            position = position.after(m);
            follow(Step::Make(line[line.len() - 1], m), position);
            played += 1;
        }
    }
}
