//! The last moves before a position, in 14 bytes: enough to undo them from its board.
//!
//! Each ply takes 16 bits, the last ply first; 0 ends the list.
//!
//! | bits | content |
//! |---|---|
//! | 0–5 | origin square |
//! | 6–11 | target square; for castling the rook's origin, as in [`Move`] |
//! | 12–14 | 0 no capture, 1–5 the captured pawn, knight, bishop, rook or queen, 6 en passant, 7 castling |
//! | 15 | promotion |

use chess::{Board, Color, Move, MoveKind, Piece, PieceType, Position, Rank, Square, attacks};

/// Plies that a [`MoveHistory`] holds at most.
pub const HISTORY_PLIES: usize = 7;

const EN_PASSANT: u16 = 6;
const CASTLING: u16 = 7;
const PROMOTION: u16 = 1 << 15;

/// The last moves before a position.
///
/// ```
/// use tabiya_data::chess::Position;
/// use tabiya_data::MoveHistory;
/// let start = Position::INITIAL;
/// let m = start.parse_uci("e2e4")?;
/// let mut history = MoveHistory::default();
/// history.push(&start, m);
/// let boards = history.boards(&start.after(m))?;
/// assert_eq!(boards.as_slice(), [*start.board()]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MoveHistory([u16; HISTORY_PLIES]);

/// Why a history does not belong to a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("history: ply {ply} before the position cannot be undone")]
pub struct HistoryError {
    /// The ply, counted from 1 for the last.
    pub ply: usize,
}

/// The boards before a position, the last first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EarlierBoards {
    boards: [Board; HISTORY_PLIES],
    len: usize,
}

impl EarlierBoards {
    /// The boards.
    pub fn as_slice(&self) -> &[Board] {
        &self.boards[..self.len]
    }
}

impl MoveHistory {
    /// Size in bytes.
    pub const SIZE: usize = 2 * HISTORY_PLIES;

    /// The number of plies.
    pub fn len(&self) -> usize {
        self.0.iter().take_while(|&&ply| ply != 0).count()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0[0] == 0
    }

    /// Adds a move of a position; the oldest is forgotten.
    pub fn push(&mut self, before: &Position, m: Move) {
        self.0.copy_within(..HISTORY_PLIES - 1, 1);
        let code = match m.kind() {
            MoveKind::Castling => CASTLING,
            MoveKind::EnPassant => EN_PASSANT,
            _ if !m.is_capture() => 0,
            _ => before.piece_at(m.to()).map_or(0, |piece| 1 + piece.piece_type().index() as u16),
        };
        let promotion = if m.promotion().is_some() { PROMOTION } else { 0 };
        let squares = m.from().index() as u16 | (m.to().index() as u16) << 6;
        self.0[0] = squares | code << 12 | promotion;
    }

    /// The boards before a position. Any bytes give boards or an error.
    pub fn boards(&self, position: &Position) -> Result<EarlierBoards, HistoryError> {
        let (mut board, mut mover) = (*position.board(), !position.turn());
        let mut earlier = EarlierBoards { boards: [Board::EMPTY; HISTORY_PLIES], len: self.len() };
        for (n, &ply) in self.0[..earlier.len].iter().enumerate() {
            board = undo(&board, mover, ply).ok_or(HistoryError { ply: n + 1 })?;
            earlier.boards[n] = board;
            mover = !mover;
        }
        if self.0[earlier.len..].iter().any(|&ply| ply != 0) {
            return Err(HistoryError { ply: earlier.len + 1 });
        }
        Ok(earlier)
    }

    /// The bytes.
    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        for (bytes, ply) in bytes.as_chunks_mut().0.iter_mut().zip(self.0) {
            *bytes = ply.to_le_bytes();
        }
        bytes
    }

    /// The history of these bytes; [`boards`](Self::boards) checks it.
    pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> Self {
        let mut plies = [0; HISTORY_PLIES];
        for (ply, bytes) in plies.iter_mut().zip(bytes.as_chunks().0) {
            *ply = u16::from_le_bytes(*bytes);
        }
        Self(plies)
    }
}

/// The board before a move of `mover`; `None` if no such move leads to the board.
fn undo(after: &Board, mover: Color, ply: u16) -> Option<Board> {
    let [from, to] = [ply, ply >> 6].map(|bits| Square::from_index_wrapping(usize::from(bits)));
    let (code, promotes) = (ply >> 12 & 7, ply & PROMOTION != 0);
    let mut board = *after;
    if code == CASTLING {
        let is_possible = !promotes && from != to && from.rank() == to.rank();
        let m = Move::new(from, to, MoveKind::Castling);
        let pieces = [
            (m.castling_king_to(), from, PieceType::King),
            (m.castling_rook_to(), to, PieceType::Rook),
        ];
        for (now, _, piece) in pieces {
            let is_there = after.piece_at(now) == Some(Piece::new(mover, piece));
            (is_possible && is_there && from.rank() == Rank::First.relative_to(mover))
                .then_some(())?;
            board.remove(now);
        }
        for (_, before, piece) in pieces {
            board.piece_at(before).is_none().then_some(())?;
            board.put(before, Piece::new(mover, piece));
        }
        return Some(board);
    }
    let now = after.piece_at(to).filter(|piece| piece.color() == mover)?;
    let rank = |square: Square| square.rank().relative_to(mover);
    let moved = match (promotes, now.piece_type()) {
        (true, PieceType::Pawn | PieceType::King) => return None,
        (true, _) => Piece::new(mover, PieceType::Pawn),
        (false, _) => now,
    };
    board.piece_at(from).is_none().then_some(())?;
    board.remove(to);
    let captured = match code {
        0 => None,
        EN_PASSANT => Some((Square::new(to.file(), from.rank()), PieceType::Pawn)),
        _ => Some((to, *PieceType::ALL.get(usize::from(code) - 1)?)),
    };
    if let Some((square, piece)) = captured {
        board.piece_at(square).is_none().then_some(())?;
        board.put(square, Piece::new(!mover, piece));
    }
    board.put(from, moved);
    let is_pawn = moved.piece_type() == PieceType::Pawn;
    let is_pawn_on_edge = |square: Square, is_pawn: bool| {
        is_pawn && matches!(square.rank(), Rank::First | Rank::Eighth)
    };
    let captures_pawn = captured.is_some_and(|(_, piece)| piece == PieceType::Pawn);
    if (code == EN_PASSANT && !(is_pawn && rank(to) == Rank::Sixth))
        || is_pawn_on_edge(from, is_pawn)
        || is_pawn_on_edge(to, captures_pawn)
        || promotes != (is_pawn && rank(to) == Rank::Eighth)
    {
        return None;
    }
    let reaches = if is_pawn && captured.is_none() {
        let steps = rank(to).index() as i8 - rank(from).index() as i8;
        let is_way_free = attacks::between(from, to).is_disjoint(after.occupied());
        from.file() == to.file()
            && (steps == 1 || steps == 2 && rank(from) == Rank::Second && is_way_free)
    } else {
        attacks::of(mover, moved.piece_type(), from, board.occupied()).contains(to)
    };
    reaches.then_some(board)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::rng::Rng;

    /// Plays random games, and compares every history with the boards that were there.
    fn replay(start: &Position, rng: &mut Rng) -> [usize; 4] {
        let (mut position, mut boards) = (*start, vec![*start.board()]);
        let (mut history, mut kinds) = (MoveHistory::default(), [0; 4]);
        for _ in 0..160 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let special = |m: &&Move| {
                m.promotion().is_some()
                    || matches!(m.kind(), MoveKind::Castling | MoveKind::EnPassant)
            };
            // Rare moves are preferred.
            let rare = moves.iter().find(special).filter(|_| rng.random_bool(0.7));
            let m = rare.copied().unwrap_or_else(|| moves[rng.below(moves.len())]);
            let flags = [
                m.is_castling(),
                m.kind() == MoveKind::EnPassant,
                m.promotion().is_some(),
                m.is_capture(),
            ];
            kinds.iter_mut().zip(flags).for_each(|(count, flag)| *count += usize::from(flag));
            history.push(&position, m);
            position = position.after(m);
            history = MoveHistory::from_bytes(&history.to_bytes());
            let found = history.boards(&position).unwrap();
            let expected: Vec<Board> = boards.iter().rev().take(HISTORY_PLIES).copied().collect();
            assert_eq!(found.as_slice(), expected, "{} {history:?}", position.fen());
            assert_eq!(history.len(), expected.len());
            boards.push(*position.board());
        }
        kinds
    }

    #[test]
    fn histories_of_random_games_undo_to_the_boards_that_were_there() {
        let mut rng = Rng::new(7, 1);
        let mut kinds = [0; 4];
        let fen = "6k1/PPP5/8/8/8/8/5ppp/1K6 w - - 0 1".parse().unwrap();
        for round in 0..300 {
            let start = match round % 3 {
                0 => Position::INITIAL,
                1 => chess::chess960::start(rng.below(960) as u16).unwrap(),
                _ => fen,
            };
            let found = replay(&start, &mut rng);
            kinds.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
        }
        assert!(kinds.iter().all(|&count| count > 50), "{kinds:?}");
    }

    #[test]
    fn any_bytes_are_boards_or_an_error() {
        let mut rng = Rng::new(3, 2);
        let position: Position =
            "r3k2r/pp1b1ppp/2n2n2/3pP3/3P4/2N2N2/PP3PPP/R4RK1 b kq - 0 12".parse().unwrap();
        let (mut good, mut bad) = (0, 0);
        for _ in 0..200_000 {
            let mut bytes = [0; MoveHistory::SIZE];
            let len = rng.below(MoveHistory::SIZE + 1);
            bytes[..len].iter_mut().for_each(|byte| *byte = rng.next_u64() as u8);
            match MoveHistory::from_bytes(&bytes).boards(&position) {
                Ok(boards) => {
                    for board in boards.as_slice() {
                        assert_eq!(board.piece_type(PieceType::King).len(), 2);
                    }
                    good += 1;
                }
                Err(error) => {
                    assert!((1..=HISTORY_PLIES).contains(&error.ply));
                    bad += 1;
                }
            }
        }
        assert!(good > 0 && bad > 1_000, "{good} {bad}");
        let after_the_end = MoveHistory([0, 1, 0, 0, 0, 0, 0]);
        assert_eq!(after_the_end.boards(&position), Err(HistoryError { ply: 1 }));
    }
}
