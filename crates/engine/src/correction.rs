//! Correction history: errors of the static evaluation by pawn structure, by each player's pieces, and by
//! the last two moves.
//!
//! All threads of a search share it: an error that one of them has seen corrects the evaluation of all.
//! There are no locks. A counter is loaded, changed and stored, each by a relaxed atomic access, so that an
//! update is lost where two threads make one at the same moment. That costs nothing but the lost update, and
//! an atomic read-modify-write would cost every node. With one thread nothing is lost, and a search is
//! reproducible.

use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

use chess::{Bitboard, Color, PieceType, Position};

use crate::history::{PIECE_TOS, PieceTo};
use crate::search::margins::correction_unit;

/// The counters of a player in one of the first three tables.
const CORRECTIONS: usize = 16_384;
/// The limit of every counter.
const LIMIT: i32 = 1024 * 16;

/// Where the tables begin: by pawn structure, White's pieces, Black's pieces, moves.
const STARTS: [usize; 4] = [0, 2 * CORRECTIONS, 4 * CORRECTIONS, 6 * CORRECTIONS];
/// The counters of all tables, 1.4 MB.
const COUNTERS: usize = STARTS[3] + PIECE_TOS * PIECE_TOS;

/// The correction history of an engine, one for all its threads.
pub struct Correction {
    counters: Box<[AtomicI16]>,
}

impl Default for Correction {
    fn default() -> Self {
        Self { counters: vec![0; COUNTERS].into_iter().map(AtomicI16::new).collect() }
    }
}

impl Correction {
    /// Clears all counters.
    pub fn clear(&mut self) {
        self.counters.iter_mut().for_each(|counter| *counter.get_mut() = 0);
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.counters.iter().all(|counter| counter.load(Relaxed) == 0)
    }

    /// The counters of a position and the last two moves.
    #[inline(always)]
    fn counters(&self, position: &Position, last_two: [PieceTo; 2]) -> [&AtomicI16; 4] {
        let turn = position.turn().index() * CORRECTIONS;
        let [pawns, white, black] = [
            position.pawn_key() as usize,
            pieces_key(position, Color::White),
            pieces_key(position, Color::Black),
        ]
        .map(|key| turn + key % CORRECTIONS);
        let moves = last_two[0] as usize * PIECE_TOS + last_two[1] as usize;
        [
            &self.counters[STARTS[0] + pawns],
            &self.counters[STARTS[1] + white],
            &self.counters[STARTS[2] + black],
            &self.counters[STARTS[3] + moves],
        ]
    }

    /// The correction of the static evaluation, in internal units.
    #[inline]
    pub fn of(&self, position: &Position, last_two: [PieceTo; 2]) -> i32 {
        let counters = self.counters(position, last_two);
        let sum: i32 = counters.iter().map(|counter| i32::from(counter.load(Relaxed))).sum();
        sum / correction_unit()
    }

    /// Updates the counters: the search score exceeds the static evaluation by `error`.
    pub fn update(&self, position: &Position, last_two: [PieceTo; 2], depth: i32, error: i32) {
        let bonus = (error * depth).clamp(-LIMIT / 64, LIMIT / 64) * 8;
        for counter in self.counters(position, last_two) {
            let old = i32::from(counter.load(Relaxed));
            counter.store((old + bonus - old * bonus.abs() / LIMIT) as i16, Relaxed);
        }
    }
}

/// A key of a player's pieces without pawns, computed from the bitboards rather than kept incrementally.
#[inline(always)]
fn pieces_key(position: &Position, color: Color) -> usize {
    let board = position.board();
    let own = board.color(color) - board.piece_type(PieceType::Pawn);
    let mix = |pieces: Bitboard, factor: u64| (pieces & own).0.wrapping_mul(factor);
    let key =
        mix(board.diagonal_sliders() | board.piece_type(PieceType::Knight), 0x9e37_79b9_7f4a_7c15)
            ^ mix(
                board.straight_sliders() | board.piece_type(PieceType::King),
                0xbf58_476d_1ce4_e5b9,
            )
            .rotate_left(21)
            ^ mix(
                board.piece_type(PieceType::Knight) | board.piece_type(PieceType::King),
                0x94d0_49bb_1331_11eb,
            )
            .rotate_left(42);
    (key >> 40) as usize
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::history::NO_MOVE;
    use chess::random;
    use chess::rng::Rng;

    const NO_MOVES: [PieceTo; 2] = [NO_MOVE; 2];

    #[test]
    fn the_correction_approaches_the_error_of_the_evaluation() {
        let correction = Correction::default();
        let position = Position::INITIAL;
        assert_eq!(correction.of(&position, NO_MOVES), 0);
        for _ in 0..200 {
            correction.update(&position, NO_MOVES, 8, 60);
        }
        let corrected = correction.of(&position, NO_MOVES);
        assert!((10..=400).contains(&corrected), "{corrected}");
    }

    #[test]
    fn one_thread_learns_from_another_and_a_cleared_history_has_forgotten() {
        let mut correction = Correction::default();
        let position = Position::INITIAL;
        thread::scope(|scope| {
            scope.spawn(|| (0..200).for_each(|_| correction.update(&position, NO_MOVES, 8, -60)));
        });
        assert!(correction.of(&position, NO_MOVES) < -10);
        correction.clear();
        assert_eq!(correction.of(&position, NO_MOVES), 0);
        assert!(correction.is_empty());
    }

    /// Threads that lose updates of each other must not break the limit either.
    #[test]
    fn counters_keep_their_limit_whatever_threads_write_at_the_same_time() {
        let correction = Correction::default();
        let positions: Vec<Position> = random::positions(Rng::from_seed(1), 60).take(8).collect();
        thread::scope(|scope| {
            for n in 0..4 {
                let (correction, positions) = (&correction, &positions);
                scope.spawn(move || {
                    let mut rng = Rng::from_seed(n);
                    for round in 0..20_000 {
                        // At first half of the threads see both signs. In the end all see only one, so that
                        // counters reach the limit whichever thread is last.
                        let is_mixed = n >= 2 && round < 10_000;
                        let error = rng.below(4000) as i32 - if is_mixed { 2000 } else { 0 };
                        let last_two = [rng.below(2) as PieceTo, rng.below(2) as PieceTo];
                        let position = &positions[rng.below(positions.len())];
                        correction.update(position, last_two, 1 + rng.below(60) as i32, error);
                    }
                });
            }
        });
        let values = || correction.counters.iter().map(|counter| i32::from(counter.load(Relaxed)));
        assert!(values().all(|value| value.abs() <= LIMIT));
        assert!(values().any(|value| value > LIMIT / 4), "they are used");
    }

    /// The same with plain numbers in a map, by one thread.
    #[test]
    fn with_one_thread_no_update_is_lost() {
        let correction = Correction::default();
        let mut rng = Rng::from_seed(7);
        let positions: Vec<Position> = random::positions(Rng::from_seed(8), 60).take(50).collect();
        let mut slow = std::collections::HashMap::<usize, i32>::new();
        for _ in 0..5000 {
            let position = &positions[rng.below(positions.len())];
            let last_two = [0, 1].map(|_| rng.below(PIECE_TOS) as PieceTo);
            let (depth, error) = (1 + rng.below(20) as i32, rng.below(400) as i32 - 200);
            let side = position.turn().index() * CORRECTIONS;
            let indices = [
                side + position.pawn_key() as usize % CORRECTIONS,
                2 * CORRECTIONS + side + pieces_key(position, Color::White) % CORRECTIONS,
                4 * CORRECTIONS + side + pieces_key(position, Color::Black) % CORRECTIONS,
                6 * CORRECTIONS + last_two[0] as usize * PIECE_TOS + last_two[1] as usize,
            ];
            let sum: i32 = indices.iter().map(|index| slow.get(index).copied().unwrap_or(0)).sum();
            assert_eq!(correction.of(position, last_two), sum / correction_unit());
            correction.update(position, last_two, depth, error);
            let bonus = 8 * (depth * error).clamp(-256, 256);
            for index in indices {
                let counter = slow.entry(index).or_default();
                *counter += bonus - *counter * bonus.abs() / 16_384;
            }
        }
    }
}
