//! History heuristics: butterfly, capture, continuation and pawn history.
//!
//! Each counter moves towards ±[`LIMIT`] with every bonus or malus, by less the nearer it is ("gravity"), so
//! that old results fade. Each search thread has its own tables. The [correction history](crate::correction),
//! which all threads share, is apart.

use chess::{Bitboard, Color, Move, PieceType, Position, Square};

/// The limit of every move history counter.
pub const LIMIT: i32 = 16_384;

/// A colored piece and its target square: an index below 12 × 64, or [`NO_MOVE`].
pub type PieceTo = u16;

/// The index before the first move, and of a null move.
pub const NO_MOVE: PieceTo = 768;
/// The number of indices, [`NO_MOVE`] included.
pub const PIECE_TOS: usize = 769;

/// The piece and target square of a move.
#[inline(always)]
pub fn piece_to(position: &Position, m: Move) -> PieceTo {
    let piece = position.board().piece_type_at(m.from()).unwrap_or(PieceType::Pawn);
    piece_to_index(position.turn(), piece, m.to())
}

/// The index of a piece and its target square.
#[inline(always)]
pub fn piece_to_index(color: Color, piece: PieceType, to: Square) -> PieceTo {
    ((piece.index() + 6 * color.index()) * 64 + to.index()) as PieceTo
}

/// The captured piece type; a pawn for en passant and for promotions without capture.
#[inline(always)]
pub fn captured(position: &Position, m: Move) -> PieceType {
    position.board().piece_type_at(m.to()).unwrap_or(PieceType::Pawn)
}

/// Adds a bonus with gravity.
#[inline(always)]
fn update(counter: &mut i16, bonus: i32) {
    let old = i32::from(*counter);
    *counter = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// Continuation history: distances in plies to the earlier move, nearest first.
pub const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];

const PAWN_STRUCTURES: usize = 512;

/// A counter for each [`PieceTo`]. The targets of one piece take two cache lines.
#[derive(Clone)]
#[repr(align(64))]
struct Row([i16; NO_MOVE as usize]);

impl Row {
    const EMPTY: Self = Self([0; NO_MOVE as usize]);
}

/// By player, threats to either square, from, to.
type Butterfly = [i16; 2 * 4 * 64 * 64];

/// The context of quiet moves besides the position.
#[derive(Clone, Copy)]
pub struct QuietContext {
    /// Squares attacked by the opponent.
    pub threats: Bitboard,
    /// The earlier moves, at the distances of [`CONTINUATIONS`].
    pub continuation: [PieceTo; 4],
    /// The killer move.
    pub killer: Option<Move>,
}

impl QuietContext {
    /// Where only captures are generated.
    pub const UNUSED: Self =
        Self { threats: Bitboard::EMPTY, continuation: [NO_MOVE; 4], killer: None };
}

/// The histories of a thread.
pub struct History {
    /// Quiet moves by player, threats to either square, from and to.
    butterfly: Box<Butterfly>,
    /// Captures by piece, target square and captured type.
    captures: Vec<i16>,
    /// Quiet moves by earlier move.
    continuations: Vec<Row>,
    /// Quiet moves by pawn structure.
    pawns: Vec<Row>,
}

impl Default for History {
    fn default() -> Self {
        Self {
            butterfly: Box::new([0; 2 * 4 * 64 * 64]),
            captures: vec![0; PIECE_TOS * 6],
            continuations: vec![Row::EMPTY; PIECE_TOS],
            pawns: vec![Row::EMPTY; PAWN_STRUCTURES],
        }
    }
}

#[inline(always)]
fn butterfly_index(position: &Position, threats: Bitboard, m: Move) -> usize {
    let (from, to) = (m.from(), m.to());
    let threats = usize::from(threats.has(from)) | usize::from(threats.has(to)) << 1;
    (position.turn().index() * 4 + threats) * 4096 + from.index() * 64 + to.index()
}

/// The counter of a quiet move in the butterfly history.
pub type ButterflyIndex = u16;

/// The butterfly history's index of a quiet move.
#[inline(always)]
pub fn butterfly(position: &Position, context: &QuietContext, m: Move) -> ButterflyIndex {
    butterfly_index(position, context.threats, m) as ButterflyIndex
}

#[inline(always)]
fn capture_index(position: &Position, m: Move) -> usize {
    piece_to(position, m) as usize * 6 + captured(position, m).index()
}

/// The histories of quiet moves in one position: found once, read for each move.
pub struct QuietScores<'a> {
    butterfly: &'a Butterfly,
    pawns: &'a Row,
    continuations: [&'a Row; 4],
    threats: Bitboard,
}

impl QuietScores<'_> {
    /// The history score of a quiet move.
    #[inline(always)]
    pub fn of(&self, position: &Position, m: Move) -> i32 {
        self.of_piece_to(position, m, piece_to(position, m))
    }

    /// The same with a known piece and target square.
    #[inline(always)]
    pub fn of_piece_to(&self, position: &Position, m: Move, piece_to: PieceTo) -> i32 {
        // One clamp instead of a bounds check for each table.
        let piece_to = piece_to.min(NO_MOVE - 1) as usize;
        let continued = |n: usize| i32::from(self.continuations[n].0[piece_to]);
        let index = butterfly_index(position, self.threats, m) % self.butterfly.len();
        i32::from(self.butterfly[index])
            + i32::from(self.pawns.0[piece_to])
            + continued(0)
            + continued(1)
            + (continued(2) >> 1)
            + (continued(3) >> 2)
    }
}

impl History {
    /// Clears all histories.
    pub fn clear(&mut self) {
        self.butterfly.fill(0);
        self.captures.fill(0);
        self.continuations.fill(Row::EMPTY);
        self.pawns.fill(Row::EMPTY);
    }

    /// The histories of quiet moves in a position.
    #[inline]
    pub fn quiets(&self, position: &Position, context: &QuietContext) -> QuietScores<'_> {
        QuietScores {
            butterfly: &self.butterfly,
            pawns: &self.pawns[position.pawn_key() as usize % PAWN_STRUCTURES],
            continuations: context
                .continuation
                .map(|earlier| &self.continuations[earlier as usize]),
            threats: context.threats,
        }
    }

    /// The history score of a capture or promotion.
    #[inline]
    pub fn capture(&self, position: &Position, m: Move) -> i32 {
        i32::from(self.captures[capture_index(position, m)])
    }

    /// The same with a known piece, target square and captured type.
    #[inline(always)]
    pub fn capture_of_piece_to(&self, piece_to: PieceTo, captured: PieceType) -> i32 {
        i32::from(self.captures[piece_to as usize * 6 + captured.index()])
    }

    /// Adds a bonus (or malus) to the histories of a quiet move.
    pub fn update_quiet(
        &mut self,
        position: &Position,
        context: &QuietContext,
        m: Move,
        bonus: i32,
    ) {
        let index = butterfly_index(position, context.threats, m);
        update(&mut self.butterfly[index], bonus);
        let piece_to = piece_to(position, m);
        let pawns = position.pawn_key() as usize % PAWN_STRUCTURES;
        update(&mut self.pawns[pawns].0[piece_to as usize], bonus);
        self.update_continuations(&context.continuation, piece_to, bonus);
    }

    /// Adds a bonus (or malus) to a counter of the butterfly history alone.
    pub fn update_butterfly(&mut self, index: ButterflyIndex, bonus: i32) {
        update(&mut self.butterfly[index as usize], bonus);
    }

    /// Adds a bonus (or malus) to the continuation history alone.
    pub fn update_continuations(
        &mut self,
        continuation: &[PieceTo; 4],
        piece_to: PieceTo,
        bonus: i32,
    ) {
        for (n, &earlier) in continuation.iter().enumerate() {
            if earlier != NO_MOVE {
                let bonus = if n < 2 { bonus } else { bonus / 2 };
                update(&mut self.continuations[earlier as usize].0[piece_to as usize], bonus);
            }
        }
    }

    /// Adds a bonus (or malus) to the capture history.
    pub fn update_capture(&mut self, position: &Position, m: Move, bonus: i32) {
        update(&mut self.captures[capture_index(position, m)], bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_approach_their_limit_and_never_pass_it() {
        let mut counter = 0;
        for _ in 0..1000 {
            update(&mut counter, 1500);
        }
        assert!(i32::from(counter) > LIMIT * 9 / 10 && i32::from(counter) <= LIMIT);
        for _ in 0..1000 {
            update(&mut counter, -LIMIT);
        }
        assert!(i32::from(counter) >= -LIMIT && i32::from(counter) < -LIMIT * 9 / 10);
    }
}
