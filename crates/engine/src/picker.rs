//! Staged move ordering: each stage is generated when it is reached, since most nodes end with the table move
//! or a capture.

use arrayvec::ArrayVec;
use chess::{
    Bitboard, Color, Flow, MAX_MOVES, Move, MoveFilter, MoveKind, MoveVisitor, PawnStep, PieceType,
    Position, Square, attacks,
};

use crate::history::{self, History, PieceTo, QuietContext};
use crate::search::margins::*;

/// Piece values for move ordering (MVV) and delta pruning.
pub(crate) const CAPTURE_VALUES: [i32; 6] = [100, 320, 330, 500, 950, 0];
const QUEEN_PROMOTION: i32 = 900;
const UNDERPROMOTION: i32 = -30_000;
/// Weight of the captured piece relative to capture history.
const CAPTURE_HISTORY_DIVISOR: i32 = 40;
/// History score of the killer move, added to its own.
const KILLER_BONUS: i32 = 24_000;

/// A quiet check earns its bonus if it loses no more than this by static exchange evaluation.
const CHECK_SEE: i32 = -75;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
enum Stage {
    TableMove,
    GenerateCaptures,
    GoodCaptures,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    Done,
}

/// Yields the moves of one position, best first.
pub struct MovePicker {
    stage: Stage,
    tt_move: Option<Move>,
    moves: ArrayVec<Move, MAX_MOVES>,
    /// Value (high bits) and index (low bits) of each move, so that the best move is a SIMD maximum. Padded
    /// to a multiple of [`LANES`].
    keys: ArrayVec<i32, { MAX_MOVES.next_multiple_of(LANES) }>,
    /// Index of the next bad capture.
    next_bad: usize,
    /// Captures that lose material (bad captures).
    bad: ArrayVec<Move, 74>,
    /// SEE threshold of good captures.
    threshold: i32,
    captures_only: bool,
}

/// Squares attacked by the opponent's pawns.
#[inline(always)]
pub fn pawn_threats(position: &Position) -> Bitboard {
    let pawns = position.pieces(!position.turn(), PieceType::Pawn).0;
    let (not_a, not_h) = (pawns & 0xfefe_fefe_fefe_fefe, pawns & 0x7f7f_7f7f_7f7f_7f7f);
    Bitboard(match position.turn() {
        Color::White => not_a >> 9 | not_h >> 7,
        Color::Black => not_a << 7 | not_h << 9,
    })
}

/// Squares attacked by any piece of the opponent.
#[inline]
pub fn threats(position: &Position) -> Bitboard {
    let (board, enemy) = (position.board(), !position.turn());
    let (own, occupied) = (board.color(enemy), position.occupied());
    let mut attacked = pawn_threats(position) | attacks::king(position.king(enemy));
    for square in position.pieces(enemy, PieceType::Knight) {
        attacked |= attacks::knight(square);
    }
    for square in board.diagonal_sliders() & own {
        attacked |= attacks::of(enemy, PieceType::Bishop, square, occupied);
    }
    for square in board.straight_sliders() & own {
        attacked |= attacks::of(enemy, PieceType::Rook, square, occupied);
    }
    attacked
}

/// By piece type: the squares where an enemy piece of less value attacks it.
fn threats_by_lesser(position: &Position) -> [Bitboard; 6] {
    let enemy = !position.turn();
    let occupied = position.occupied();
    let pawns = pawn_threats(position);
    let by = |piece_type| {
        position.pieces(enemy, piece_type).into_iter().fold(Bitboard::EMPTY, |all, square| {
            all | attacks::of(enemy, piece_type, square, occupied)
        })
    };
    let minors = pawns | by(PieceType::Knight) | by(PieceType::Bishop);
    let rooks = minors | by(PieceType::Rook);
    [Bitboard::EMPTY, pawns, pawns, minors, rooks, Bitboard::EMPTY]
}

/// By piece type: the squares from which it gives check.
fn check_squares(position: &Position) -> [Bitboard; 6] {
    let enemy = !position.turn();
    let king = position.king(enemy);
    let from = |piece_type| attacks::of(enemy, piece_type, king, position.occupied());
    let (bishop, rook) = (from(PieceType::Bishop), from(PieceType::Rook));
    [from(PieceType::Pawn), from(PieceType::Knight), bishop, rook, bishop | rook, Bitboard::EMPTY]
}

impl MovePicker {
    /// All moves; the table move first if it is legal.
    pub fn all(position: &Position, tt_move: Option<Move>) -> Self {
        Self::new(position, tt_move, 0, false)
    }

    /// Captures and promotions with a static exchange evaluation of at least `threshold`.
    pub fn captures(position: &Position, tt_move: Option<Move>, threshold: i32) -> Self {
        let tt_move = tt_move.filter(|&m| is_noisy(m));
        Self::new(position, tt_move, threshold, true)
    }

    fn new(
        position: &Position,
        tt_move: Option<Move>,
        threshold: i32,
        captures_only: bool,
    ) -> Self {
        let tt_move = tt_move.filter(|&m| position.is_legal(m));
        Self {
            stage: if tt_move.is_some() { Stage::TableMove } else { Stage::GenerateCaptures },
            tt_move,
            moves: ArrayVec::new(),
            keys: ArrayVec::new(),
            next_bad: 0,
            bad: ArrayVec::new(),
            threshold,
            captures_only,
        }
    }

    /// The table move, if it is legal.
    pub fn tt_move(&self) -> Option<Move> {
        self.tt_move
    }

    /// Skips the remaining quiet moves.
    pub fn skip_quiets(&mut self) {
        if matches!(self.stage, Stage::GenerateQuiets | Stage::Quiets) {
            self.stage = Stage::BadCaptures;
        }
    }

    /// The next move.
    pub fn next(
        &mut self,
        position: &Position,
        history: &History,
        context: &QuietContext,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::GenerateCaptures;
                    return self.tt_move;
                }
                Stage::GenerateCaptures => {
                    self.generate_captures(position, history);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => {
                    while let Some((score, m)) = self.best() {
                        if Some(m) == self.tt_move {
                            continue;
                        }
                        // A capture with good history may lose a little material.
                        let threshold =
                            if self.captures_only { self.threshold } else { -score / 32 };
                        let underpromotes = m.promotion().is_some_and(|p| p != PieceType::Queen);
                        if underpromotes || !position.see_reaches(m, threshold) {
                            let _ = self.bad.try_push(m);
                            continue;
                        }
                        return Some(m);
                    }
                    self.stage =
                        if self.captures_only { Stage::Done } else { Stage::GenerateQuiets };
                }
                Stage::GenerateQuiets => {
                    self.generate_quiets(position, history, context);
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    while let Some((_, m)) = self.best() {
                        if Some(m) != self.tt_move {
                            return Some(m);
                        }
                    }
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if let Some(&m) = self.bad.get(self.next_bad) {
                        self.next_bad += 1;
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    #[inline(never)]
    fn generate_captures(&mut self, position: &Position, history: &History) {
        let mut lister = Lister::<true>::new(position.turn(), &mut self.moves);
        let _ = position.visit_moves(MoveFilter::CAPTURES, &mut lister);
        let seventh = chess::Rank::Seventh.relative_to(position.turn()).bitboard();
        let pawns = position.pieces(position.turn(), PieceType::Pawn) & seventh;
        if pawns.any() {
            let promotions = MoveFilter { from: pawns, ..MoveFilter::QUIETS };
            let _ = position.visit_moves(promotions, &mut lister);
        }
        let piece_tos = lister.piece_tos;
        self.score_moves(&piece_tos, |m, piece_to| capture_score(position, history, m, piece_to));
    }

    #[inline(never)]
    fn generate_quiets(&mut self, position: &Position, history: &History, context: &QuietContext) {
        self.moves.clear();
        let mut lister = Lister::<false>::new(position.turn(), &mut self.moves);
        let _ = position.visit_moves(MoveFilter::QUIETS, &mut lister);
        let piece_tos = lister.piece_tos;
        let scores = history.quiets(position, context);
        let lesser = threats_by_lesser(position);
        let checks = check_squares(position);
        let escapes = [0, escape_minor(), escape_minor(), escape_rook(), escape_queen(), 0];
        self.score_moves(&piece_tos, |m, piece_to| {
            let mut bonus = if Some(m) == context.killer { KILLER_BONUS } else { 0 };
            let piece = usize::from(piece_to / 64 % 6);
            // Leaving the attack of a lesser piece, entering one, giving check.
            let (threatened, enters) = (lesser[piece].has(m.from()), lesser[piece].has(m.to()));
            bonus += escapes[piece] * (i32::from(threatened) - i32::from(enters));
            if checks[piece].has(m.to()) && position.see_reaches(m, CHECK_SEE) {
                bonus += check_bonus();
            }
            scores.of_piece_to(position, m, piece_to) + bonus
        });
    }

    /// Scores each move.
    #[inline(always)]
    fn score_moves(&mut self, piece_tos: &[PieceTo], score: impl Fn(Move, PieceTo) -> i32) {
        self.keys.clear();
        for (n, (&m, &piece_to)) in self.moves.iter().zip(piece_tos).enumerate() {
            self.keys.push(score(m, piece_to) << INDEX_BITS | n as i32);
        }
        while !self.keys.len().is_multiple_of(LANES) {
            self.keys.push(TAKEN);
        }
    }

    /// Removes the best remaining move (selection instead of a sort, since few nodes use all moves).
    #[inline]
    fn best(&mut self) -> Option<(i32, Move)> {
        let (keys, _) = self.keys.as_chunks::<LANES>();
        let lanes = keys.iter().fold([TAKEN; LANES], |mut best, keys| {
            for (best, &key) in best.iter_mut().zip(keys) {
                *best = key.max(*best);
            }
            best
        });
        let best = lanes.into_iter().fold(TAKEN, i32::max);
        if best == TAKEN {
            return None;
        }
        let index = (best & ((1 << INDEX_BITS) - 1)) as usize;
        let m = *self.moves.get(index)?;
        self.keys[index] = TAKEN;
        Some((best >> INDEX_BITS, m))
    }
}

/// Bits of a key that hold the index of the move.
const INDEX_BITS: u32 = 8;
/// The key of a move that has been yielded.
const TAKEN: i32 = i32::MIN;
/// Keys compared at once.
const LANES: usize = 16;

/// Collects moves with their [`PieceTo`], which the generator provides: captures and promotions if `NOISY`, all
/// others if not.
struct Lister<'a, const NOISY: bool> {
    color: Color,
    moves: &'a mut ArrayVec<Move, MAX_MOVES>,
    piece_tos: ArrayVec<PieceTo, MAX_MOVES>,
}

impl<'a, const NOISY: bool> Lister<'a, NOISY> {
    fn new(color: Color, moves: &'a mut ArrayVec<Move, MAX_MOVES>) -> Self {
        Self { color, moves, piece_tos: ArrayVec::new() }
    }

    #[inline(always)]
    fn push(&mut self, piece: PieceType, m: Move) {
        let _ = self.moves.try_push(m);
        let _ = self.piece_tos.try_push(history::piece_to_index(self.color, piece, m.to()));
    }
}

impl<const NOISY: bool> MoveVisitor for Lister<'_, NOISY> {
    #[inline(always)]
    fn piece(&mut self, piece: PieceType, from: Square, to: Bitboard, _: Bitboard) -> Flow {
        let kind = if NOISY { MoveKind::Capture } else { MoveKind::Quiet };
        for target in to {
            self.push(piece, Move::new(from, target, kind));
        }
        Flow::Continue(())
    }

    #[inline(always)]
    fn pawns(&mut self, step: PawnStep, to: Bitboard) -> Flow {
        for target in to {
            let from = step.origin(target);
            match step.kind {
                MoveKind::Promotion | MoveKind::PromotionCapture => {
                    let captures = step.kind == MoveKind::PromotionCapture;
                    let pieces = if NOISY { &PieceType::PROMOTIONS[..] } else { &[] };
                    for &piece in pieces {
                        let m = Move::promotion_to(from, target, piece, captures);
                        self.push(PieceType::Pawn, m);
                    }
                }
                kind => self.push(PieceType::Pawn, Move::new(from, target, kind)),
            }
        }
        Flow::Continue(())
    }

    #[inline(always)]
    fn special(&mut self, m: Move) -> Flow {
        self.push(if m.is_castling() { PieceType::King } else { PieceType::Pawn }, m);
        Flow::Continue(())
    }
}

/// Whether a move is a capture or promotion, which quiescence searches.
#[inline(always)]
pub fn is_noisy(m: Move) -> bool {
    m.is_capture() || m.promotion().is_some()
}

#[inline(always)]
fn capture_score(position: &Position, history: &History, m: Move, piece_to: PieceTo) -> i32 {
    let promotion = match m.promotion() {
        None => 0,
        Some(PieceType::Queen) => QUEEN_PROMOTION,
        Some(_) => UNDERPROMOTION,
    };
    let captured = history::captured(position, m);
    // MVV-LVA with capture history.
    let victim = if m.is_capture() { 8 * CAPTURE_VALUES[captured.index()] } else { 0 };
    let attacker = i32::from(piece_to / 64 % 6);
    let history = history.capture_of_piece_to(piece_to, captured);
    victim + promotion - attacker + history / CAPTURE_HISTORY_DIVISOR * 8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(position: &Position, tt_move: Option<Move>) -> Vec<Move> {
        let context = QuietContext {
            threats: threats(position),
            continuation: [history::NO_MOVE; 4],
            killer: None,
        };
        let history = History::default();
        let mut picker = MovePicker::all(position, tt_move);
        std::iter::from_fn(|| picker.next(position, &history, &context)).collect()
    }

    #[test]
    fn every_legal_move_comes_exactly_once_for_any_table_move() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
            "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
        ];
        for fen in fens {
            let position: Position = fen.parse().unwrap();
            let mut legal = position.legal_moves();
            legal.sort();
            for tt_move in
                [None, Some(legal[0]), legal.last().copied(), Some(Move::from_bits(0xabcd))]
            {
                let mut moves = picked(&position, tt_move);
                if let Some(m) = tt_move.filter(|&m| position.is_legal(m)) {
                    assert_eq!(moves[0], m);
                }
                moves.sort();
                assert_eq!(moves, legal.as_slice(), "{fen}");
            }
        }
    }

    #[test]
    fn good_captures_come_first_and_bad_captures_last() {
        let position: Position = "4k3/8/2p5/1p1q4/2P5/3R4/8/4K3 w - - 0 1".parse().unwrap();
        let moves = picked(&position, None);
        assert_eq!(moves[0], position.parse_uci("c4d5").unwrap());
        let losing = "4k3/8/2p5/3p4/8/3R4/8/4K3 w - - 0 1".parse().unwrap();
        let moves = picked(&losing, None);
        assert_eq!(moves.last().unwrap().to_string(), "d3d5");
    }

    #[test]
    fn pawn_threats_are_the_attacks_of_the_opponents_pawns() {
        let position: Position = "4k3/p6p/8/3p4/8/8/8/4K3 w - - 0 1".parse().unwrap();
        let expected: Bitboard = ["b6", "g6", "c4", "e4"]
            .map(|name| name.parse::<Square>().unwrap())
            .into_iter()
            .collect();
        assert_eq!(pawn_threats(&position), expected);
    }

    const MIDDLEGAMES: [&str; 3] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10",
        "5rk1/1rP3pp/p4n2/3Pp3/1P2Pq2/2Q4P/P5P1/R3R1K1 b - - 0 32",
    ];

    #[test]
    fn threats_are_the_squares_with_an_enemy_attacker() {
        for fen in MIDDLEGAMES {
            let position: Position = fen.parse().unwrap();
            let enemy = position.board().color(!position.turn());
            let attacked = Square::all()
                .filter(|&square| (position.attackers(square, position.occupied()) & enemy).any());
            assert_eq!(threats(&position), attacked.collect(), "{fen}");
        }
    }

    #[test]
    fn quiet_moves_to_check_squares_give_check() {
        for fen in MIDDLEGAMES {
            let position: Position = fen.parse().unwrap();
            let squares = check_squares(&position);
            for &m in position.legal_moves().iter().filter(|&&m| !is_noisy(m) && !m.is_castling()) {
                let piece = position.board().piece_type_at(m.from()).unwrap();
                if squares[piece.index()].has(m.to()) {
                    assert!(position.gives_check(m), "{fen} {m}");
                }
            }
        }
    }
}
