//! Repetition detection: repetitions that have occurred, and upcoming repetitions ("cycle detection").
//!
//! A player who can return to an earlier position with one move has at least a draw. The keys of two
//! positions one reversible move apart differ by a value that depends only on piece, squares and turn; all
//! 3,668 such values are in a cuckoo hash table, so that the test is cheap enough for every node. The
//! algorithm is Marcel van Kervinck's.

use std::sync::LazyLock;

use chess::{Bitboard, Piece, PieceType, Position, Square, attacks, zobrist};

const SLOTS: usize = 8192;

/// A cuckoo hash table of the key differences of reversible moves.
struct CuckooTable {
    keys: Vec<u64>,
    moves: Vec<(Square, Square)>,
}

const fn first_slot(key: u64) -> usize {
    key as usize % SLOTS
}

const fn second_slot(key: u64) -> usize {
    (key >> 16) as usize % SLOTS
}

static REVERSIBLE: LazyLock<CuckooTable> = LazyLock::new(|| {
    let mut table =
        CuckooTable { keys: vec![0; SLOTS], moves: vec![(Square::A1, Square::A1); SLOTS] };
    for piece in Piece::ALL {
        if piece.piece_type() == PieceType::Pawn {
            continue;
        }
        for from in Square::all() {
            let reach = attacks::of(piece.color(), piece.piece_type(), from, Bitboard::EMPTY);
            for to in reach.into_iter().filter(|&to| to > from) {
                let key = zobrist::piece(piece, from)
                    ^ zobrist::piece(piece, to)
                    ^ zobrist::BLACK_TO_MOVE;
                table.insert(key, (from, to));
            }
        }
    }
    table
});

impl CuckooTable {
    fn insert(&mut self, mut key: u64, mut squares: (Square, Square)) {
        let mut slot = first_slot(key);
        loop {
            std::mem::swap(&mut self.keys[slot], &mut key);
            std::mem::swap(&mut self.moves[slot], &mut squares);
            if key == 0 {
                return;
            }
            // The displaced entry moves to its other slot.
            slot = if slot == first_slot(key) { second_slot(key) } else { first_slot(key) };
        }
    }

    fn find(&self, key: u64) -> Option<(Square, Square)> {
        [first_slot(key), second_slot(key)]
            .into_iter()
            .find(|&slot| self.keys[slot] == key)
            .map(|slot| self.moves[slot])
    }
}

/// Whether the position repeats one since the root of the search (`ply` plies ago), or two before it.
/// `keys` are those of the earlier positions since the last irreversible move, oldest first.
pub fn is_repetition(position: &Position, keys: &[u64], ply: usize) -> bool {
    let reach = (position.halfmove_clock() as usize).min(keys.len());
    let mut before_root = 0;
    for back in (4..=reach).step_by(2) {
        if keys[keys.len() - back] == position.key() {
            before_root += 1;
            if back <= ply || before_root == 2 {
                return true;
            }
        }
    }
    false
}

/// Whether the side to move can repeat a position of the search with one move.
pub fn can_repeat(position: &Position, keys: &[u64], ply: usize) -> bool {
    let reach = (position.halfmove_clock() as usize).min(keys.len()).min(ply);
    if reach < 3 {
        return false;
    }
    let table = &*REVERSIBLE;
    for back in (3..=reach).step_by(2) {
        let difference = position.key() ^ keys[keys.len() - back];
        if let Some((a, b)) = table.find(difference)
            && attacks::between(a, b).is_disjoint(position.occupied())
        {
            // The piece on one of the squares must belong to the side to move.
            let piece = position.piece_at(a).or(position.piece_at(b));
            if piece.is_some_and(|piece| piece.color() == position.turn()) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::rng::Rng;

    #[test]
    fn all_reversible_moves_are_in_the_table() {
        let filled = REVERSIBLE.keys.iter().filter(|&&key| key != 0).count();
        assert_eq!(filled, 3668);
    }

    /// Plays moves; returns the last position and the keys of the earlier ones.
    fn play(moves: &[&str]) -> (Position, Vec<u64>) {
        let mut position = Position::INITIAL;
        let mut keys = Vec::new();
        for m in moves {
            keys.push(position.key());
            position = position.after(position.parse_uci(m).unwrap());
        }
        (position, keys)
    }

    #[test]
    fn one_repetition_within_the_search_or_two_before_it_are_a_draw() {
        let once = ["g1f3", "g8f6", "f3g1", "f6g8"];
        let (position, keys) = play(&once);
        assert!(is_repetition(&position, &keys, 4));
        assert!(!is_repetition(&position, &keys, 3));
        let (position, keys) = play(&[once, once].concat());
        assert!(is_repetition(&position, &keys, 0));
        let (position, keys) = play(&["g1f3", "g8f6", "f3g1", "b8c6"]);
        assert!(!is_repetition(&position, &keys, 4));
    }

    #[test]
    fn upcoming_repetitions_are_detected() {
        let mut rng = Rng::from_seed(7);
        let mut found = [0; 2];
        for _ in 0..400 {
            let mut position = Position::INITIAL;
            let mut keys = Vec::new();
            for _ in 0..60 {
                // The reference: try every move.
                let ply = keys.len();
                let slow = position.legal_moves().iter().any(|&m| {
                    let next = position.after(m);
                    let mut keys = keys.clone();
                    keys.push(position.key());
                    let reach = (next.halfmove_clock() as usize).min(keys.len());
                    (4..=reach).step_by(2).any(|back| keys[keys.len() - back] == next.key())
                });
                let fast = can_repeat(&position, &keys, ply);
                // `can_repeat` does not test whether the move leaves the king in check.
                if slow {
                    assert!(fast, "{position}");
                }
                found[usize::from(fast)] += 1;
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                // Mostly knights and rooks, so that positions do recur.
                let quiet: Vec<_> = moves
                    .iter()
                    .filter(|m| position.board().piece_type_at(m.from()) != Some(PieceType::Pawn))
                    .collect();
                let m = if quiet.is_empty() {
                    moves[rng.below(moves.len())]
                } else {
                    *quiet[rng.below(quiet.len())]
                };
                keys.push(position.key());
                position = position.after(m);
            }
        }
        assert!(found[0] > 1000 && found[1] > 1000, "{found:?}");
    }
}
