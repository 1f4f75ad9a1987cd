//! What has worked before: statistics that order moves and correct evaluations.
//!
//! Each counter moves towards ±[`LIMIT`] with every success or failure, by less the nearer it is, so
//! that old news fades. All tables belong to one search thread.

use chess::{Bitboard, Color, Move, PieceType, Position, Square};

/// No counter of moves goes beyond this.
pub const LIMIT: i32 = 16_384;

/// A piece (with its color) arriving on a square: 12 × 64. [`NO_MOVE`] stands for none.
pub type Arrival = u16;

/// The arrival before the first move, and of a null move.
pub const NO_MOVE: Arrival = 768;
const ARRIVALS: usize = 769;

/// The arrival of a move's piece.
#[inline(always)]
pub fn arrival(position: &Position, m: Move) -> Arrival {
    let piece = position.board().piece_type_at(m.from()).unwrap_or(PieceType::Pawn);
    arrival_of(position.turn(), piece, m.to())
}

/// A piece arriving on a square.
#[inline(always)]
pub fn arrival_of(color: Color, piece: PieceType, to: Square) -> Arrival {
    ((piece.index() + 6 * color.index()) * 64 + to.index()) as Arrival
}

/// The type of what a move takes; a pawn for en passant and for promotions that take nothing.
#[inline(always)]
pub fn captured(position: &Position, m: Move) -> PieceType {
    position.board().piece_type_at(m.to()).unwrap_or(PieceType::Pawn)
}

#[inline(always)]
fn update(counter: &mut i16, bonus: i32) {
    let old = i32::from(*counter);
    *counter = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// Plies back at which a move is remembered as an answer or a follow-up, nearest first.
pub const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];

const PAWN_STRUCTURES: usize = 512;

/// A counter for each arrival of a move. What one piece can do lies in two lines of the cache.
#[derive(Clone)]
#[repr(align(64))]
struct Row([i16; NO_MOVE as usize]);

impl Row {
    const EMPTY: Self = Self([0; NO_MOVE as usize]);
}

/// Player, two threats, from, to.
type Butterfly = [i16; 2 * 4 * 64 * 64];

/// All statistics of a thread.
pub struct History {
    /// Quiet moves by player, whether enemy pawns attack either square, from and to.
    butterfly: Box<Butterfly>,
    /// Captures by arrival and captured type.
    captures: Vec<i16>,
    /// Quiet moves by what was played before.
    continuations: Vec<Row>,
    /// Quiet moves by pawn structure.
    pawns: Vec<Row>,
    correction: Correction,
}

impl Default for History {
    fn default() -> Self {
        Self {
            butterfly: Box::new([0; 2 * 4 * 64 * 64]),
            captures: vec![0; ARRIVALS * 6],
            continuations: vec![Row::EMPTY; ARRIVALS],
            pawns: vec![Row::EMPTY; PAWN_STRUCTURES],
            correction: Correction::default(),
        }
    }
}

#[inline(always)]
fn butterfly_index(position: &Position, pawn_threats: Bitboard, m: Move) -> usize {
    let (from, to) = (m.from(), m.to());
    let threats = usize::from(pawn_threats.has(from)) | usize::from(pawn_threats.has(to)) << 1;
    (position.turn().index() * 4 + threats) * 4096 + from.index() * 64 + to.index()
}

#[inline(always)]
fn capture_index(position: &Position, m: Move) -> usize {
    arrival(position, m) as usize * 6 + captured(position, m).index()
}

/// The statistics of quiet moves in one position: found once, asked for each move.
pub struct QuietScores<'a> {
    butterfly: &'a Butterfly,
    pawns: &'a Row,
    continuations: [&'a Row; 4],
    pawn_threats: Bitboard,
}

impl QuietScores<'_> {
    /// How well a quiet move has done.
    #[inline(always)]
    pub fn of(&self, position: &Position, m: Move) -> i32 {
        self.of_arrival(position, m, arrival(position, m))
    }

    /// The same, where the arrival is known.
    #[inline(always)]
    pub fn of_arrival(&self, position: &Position, m: Move, arrival: Arrival) -> i32 {
        // Asked once, so that it need not be asked of each table.
        let arrival = arrival.min(NO_MOVE - 1) as usize;
        let continued = |n: usize| i32::from(self.continuations[n].0[arrival]);
        let index = butterfly_index(position, self.pawn_threats, m) % self.butterfly.len();
        i32::from(self.butterfly[index])
            + i32::from(self.pawns.0[arrival])
            + continued(0)
            + continued(1)
            + (continued(2) >> 1)
            + (continued(3) >> 2)
    }
}

impl History {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.butterfly.fill(0);
        self.captures.fill(0);
        self.continuations.fill(Row::EMPTY);
        self.pawns.fill(Row::EMPTY);
        self.correction = Correction::default();
    }

    /// The statistics of quiet moves here; `before` holds the arrivals at [`CONTINUATIONS`].
    #[inline]
    pub fn quiets(
        &self,
        position: &Position,
        pawn_threats: Bitboard,
        before: &[Arrival; 4],
    ) -> QuietScores<'_> {
        QuietScores {
            butterfly: &self.butterfly,
            pawns: &self.pawns[position.pawn_key() as usize % PAWN_STRUCTURES],
            continuations: before.map(|earlier| &self.continuations[earlier as usize]),
            pawn_threats,
        }
    }

    /// How well a capture or promotion has done.
    #[inline]
    pub fn capture(&self, position: &Position, m: Move) -> i32 {
        i32::from(self.captures[capture_index(position, m)])
    }

    /// The same, where the arrival and what is captured are known.
    #[inline(always)]
    pub fn capture_of_arrival(&self, arrival: Arrival, captured: PieceType) -> i32 {
        i32::from(self.captures[arrival as usize * 6 + captured.index()])
    }

    /// Rewards (or punishes) a quiet move.
    pub fn update_quiet(
        &mut self,
        position: &Position,
        pawn_threats: Bitboard,
        before: &[Arrival; 4],
        m: Move,
        bonus: i32,
    ) {
        update(&mut self.butterfly[butterfly_index(position, pawn_threats, m)], bonus);
        let arrival = arrival(position, m);
        let pawns = position.pawn_key() as usize % PAWN_STRUCTURES;
        update(&mut self.pawns[pawns].0[arrival as usize], bonus);
        self.update_continuations(before, arrival, bonus);
    }

    /// Rewards (or punishes) a quiet move as a continuation alone.
    pub fn update_continuations(&mut self, before: &[Arrival; 4], arrival: Arrival, bonus: i32) {
        for (n, &earlier) in before.iter().enumerate() {
            if earlier != NO_MOVE {
                let bonus = if n < 2 { bonus } else { bonus / 2 };
                update(&mut self.continuations[earlier as usize].0[arrival as usize], bonus);
            }
        }
    }

    /// Rewards (or punishes) a capture or promotion.
    pub fn update_capture(&mut self, position: &Position, m: Move, bonus: i32) {
        update(&mut self.captures[capture_index(position, m)], bonus);
    }

    /// By how much the static evaluation of such positions has been wrong, in centipawns.
    pub fn correction(&self, position: &Position, previous: Arrival, before: Arrival) -> i32 {
        self.correction.of(position, previous, before)
    }

    /// Learns that a search found `error` centipawns more than the static evaluation said.
    pub fn update_correction(
        &mut self,
        position: &Position,
        previous: Arrival,
        before: Arrival,
        depth: i32,
        error: i32,
    ) {
        self.correction.learn(position, previous, before, depth, error);
    }
}

const CORRECTIONS: usize = 16_384;
/// Units of the correction tables to a centipawn, over all tables together.
const CORRECTION_UNIT: i32 = 256;
const CORRECTION_LIMIT: i32 = 1024 * 16;

/// Errors of the static evaluation, by what positions have in common: the pawns, each player's
/// pieces, and the last two moves.
struct Correction {
    pawns: Vec<i16>,
    pieces: [Vec<i16>; 2],
    moves: Vec<i16>,
}

impl Default for Correction {
    fn default() -> Self {
        let table = || vec![0; 2 * CORRECTIONS];
        Self { pawns: table(), pieces: [table(), table()], moves: vec![0; ARRIVALS * ARRIVALS] }
    }
}

/// A key of a player's pieces without pawns, from the planes of the board: no need to keep one.
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

impl Correction {
    /// Where each table has what it knows: pawns, White's pieces, Black's pieces, moves.
    #[inline(always)]
    fn indices(position: &Position, previous: Arrival, before: Arrival) -> [usize; 4] {
        let turn = position.turn().index() * CORRECTIONS;
        let [pawns, white, black] = [
            position.pawn_key() as usize,
            pieces_key(position, Color::White),
            pieces_key(position, Color::Black),
        ]
        .map(|key| turn + key % CORRECTIONS);
        [pawns, white, black, previous as usize * ARRIVALS + before as usize]
    }

    fn of(&self, position: &Position, previous: Arrival, before: Arrival) -> i32 {
        let [pawns, white, black, moves] = Self::indices(position, previous, before);
        let sum = i32::from(self.pawns[pawns])
            + i32::from(self.pieces[0][white])
            + i32::from(self.pieces[1][black])
            + i32::from(self.moves[moves]);
        sum / CORRECTION_UNIT
    }

    fn learn(
        &mut self,
        position: &Position,
        previous: Arrival,
        before: Arrival,
        depth: i32,
        error: i32,
    ) {
        let bonus = (error * depth).clamp(-CORRECTION_LIMIT / 64, CORRECTION_LIMIT / 64) * 8;
        let [pawns, white, black, moves] = Self::indices(position, previous, before);
        let [white_pieces, black_pieces] = &mut self.pieces;
        for counter in [
            &mut self.pawns[pawns],
            &mut white_pieces[white],
            &mut black_pieces[black],
            &mut self.moves[moves],
        ] {
            let old = i32::from(*counter);
            *counter = (old + bonus - old * bonus.abs() / CORRECTION_LIMIT) as i16;
        }
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

    #[test]
    fn an_evaluation_is_corrected_towards_what_searches_found() {
        let mut history = History::default();
        let position = Position::INITIAL;
        assert_eq!(history.correction(&position, NO_MOVE, NO_MOVE), 0);
        for _ in 0..200 {
            history.update_correction(&position, NO_MOVE, NO_MOVE, 8, 60);
        }
        let corrected = history.correction(&position, NO_MOVE, NO_MOVE);
        assert!((10..=300).contains(&corrected), "{corrected}");
    }
}
