//! A position as tokens, moves as numbers of the policy, and what there is to learn about a position.
//!
//! Tokens: 0 empty, 1–6 White's pawn, knight, bishop, rook, queen, king, 7–12 Black's. With state input
//! also 13 and 14, a rook of White's and of Black's that may castle, and 15, the empty square on which
//! a pawn can be taken en passant. On a turned board the player to move has White's pieces, and the
//! ranks are his.
//!
//! Moves: `from × 64 + to`; castling is the king's move to the g- or c-file. In Chess960 it may share its
//! number with a plain move of the king. With promotions, the last 192 numbers are those of pawns that
//! become something: [`promotion_index`].

use chess::pgn::{GameResult, Score};
use chess::{Color, Move, PieceType, Position, Square};

use crate::config::{Config, SQUARES};

/// Moves from a square to a square.
pub const PLAIN_MOVES: usize = SQUARES * SQUARES;
/// All numbers of the policy: two sides, eight files, three directions, four pieces more.
pub const POLICY: usize = PLAIN_MOVES + 2 * 8 * 3 * 4;
/// An empty square.
pub const EMPTY: u8 = 0;
const CASTLING_ROOK: u8 = 13;
const EN_PASSANT: u8 = 15;

/// What a model reads of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tokens {
    /// What is on each square.
    pub squares: [u8; SQUARES],
    /// 1 for White to move, 0 for Black; always 1 on a turned board.
    pub side: u8,
}

/// How likely win, draw and loss are, or how the game ended, from the model's view; all zero if nobody
/// knows.
pub type Outcome = [f32; 3];

/// The number of a promotion: the file it comes from, the step to the next file (−1, 0, 1), the piece,
/// and whether the pawn goes up the board.
///
/// ```
/// use chess::PieceType;
/// assert_eq!(pra::encode::promotion_index(0, 0, PieceType::Queen, true), 4096 + 7);
/// ```
pub const fn promotion_index(file: usize, step: i8, piece: PieceType, goes_up: bool) -> u16 {
    let piece = match piece {
        PieceType::Knight => 0,
        PieceType::Bishop => 1,
        PieceType::Rook => 2,
        _ => 3,
    };
    let side = if goes_up { 0 } else { 96 };
    (PLAIN_MOVES + side + (file * 3 + (step + 1) as usize) * 4 + piece) as u16
}

/// Where a promotion of such a number comes from and goes to, and which row of the weights its piece
/// has; nothing for plain moves and for numbers that no move has.
pub const fn promotion_of(index: u16) -> Option<(usize, usize, usize)> {
    if (index as usize) < PLAIN_MOVES || index as usize >= POLICY {
        return None;
    }
    let rest = index as usize - PLAIN_MOVES;
    let (side, rest, piece) = (rest / 96, rest % 96 / 4, rest % 4);
    let (file, step) = (rest / 3, rest % 3);
    let to_file = file + step;
    if to_file == 0 || to_file > 8 {
        return None;
    }
    let (from_rank, to_rank) = if side == 0 { (6, 7) } else { (1, 0) };
    Some((from_rank * 8 + file, to_rank * 8 + to_file - 1, piece))
}

impl Config {
    /// Whether squares are turned for this player.
    #[inline]
    fn turns(&self, color: Color) -> bool {
        self.turned && color == Color::Black
    }

    /// The square as the model sees it, or the square of the board that it sees as this one.
    #[inline]
    pub fn seen(&self, square: Square, turn: Color) -> Square {
        if self.turns(turn) { square.flip_rank() } else { square }
    }

    /// What the model reads.
    ///
    /// ```
    /// use chess::{Position, Square};
    /// let config = pra::Config::new(4, 96);
    /// let tokens = config.tokens(&Position::INITIAL);
    /// assert_eq!(tokens.squares[Square::E1.index()], 6);
    /// assert_eq!(tokens.squares[Square::H8.index()], 14);
    /// ```
    #[inline]
    pub fn tokens(&self, position: &Position) -> Tokens {
        let turn = position.turn();
        let turns = self.turns(turn);
        let flip = if turns { 56 } else { 0 };
        let mut squares = [EMPTY; SQUARES];
        for (square, piece) in position.board().iter() {
            let is_white = (piece.color() == Color::White) != turns;
            let color = if is_white { 0 } else { 6 };
            squares[square.index() ^ flip] = 1 + piece.piece_type().index() as u8 + color;
        }
        if self.state_input {
            for square in position.castling_rooks() {
                let token = &mut squares[square.index() ^ flip];
                *token = CASTLING_ROOK + u8::from(*token > 6);
            }
            if let Some(square) = position.en_passant() {
                squares[square.index() ^ flip] = EN_PASSANT;
            }
        }
        Tokens { squares, side: u8::from(self.turned || turn == Color::White) }
    }

    /// The number of a move of this player's.
    #[inline]
    pub fn move_index(&self, turn: Color, m: Move) -> u16 {
        let to = if m.is_castling() { m.castling_king_to() } else { m.to() };
        let (from, to) = (self.seen(m.from(), turn), self.seen(to, turn));
        if let Some(piece) = m.promotion().filter(|_| self.promotions) {
            let step = to.file().index() as i8 - from.file().index() as i8;
            let goes_up = to.rank().index() == 7;
            return promotion_index(from.file().index(), step, piece, goes_up);
        }
        (from.index() * SQUARES + to.index()) as u16
    }

    /// The legal moves with their numbers. Without promotions in the policy, a pawn that promotes
    /// becomes a queen.
    pub fn legal_moves(&self, position: &Position) -> impl Iterator<Item = (Move, u16)> + use<> {
        let (config, turn) = (*self, position.turn());
        let is_told_apart = move |m: &Move| {
            config.promotions || matches!(m.promotion(), None | Some(PieceType::Queen))
        };
        let moves = position.legal_moves().into_iter().filter(is_told_apart);
        moves.map(move |m| (m, config.move_index(turn, m)))
    }

    /// What there is to learn about the value: the evaluation if there is one, else the result; both
    /// White's view.
    ///
    /// An evaluation of *c* centipawns is worth *c* / (|*c*| + 1000) between −1 and 1, as in the reference.
    /// For win, draw and loss it is an expected score *s*: *s*², 2*s*(1−*s*), (1−*s*)².
    pub fn outcome(&self, turn: Color, score: Option<Score>, result: GameResult) -> Outcome {
        let expected = match score {
            Some(Score::Centipawns(c)) => {
                Some(0.5 + 0.5 * c as f32 / (c.unsigned_abs() as f32 + 1000.0))
            }
            Some(Score::Mate(moves)) => Some(if moves > 0 { 1.0 } else { 0.0 }),
            None => None,
        };
        let white = match (expected, result) {
            (Some(s), _) if self.light_value => [s * s, 2.0 * s * (1.0 - s), (1.0 - s) * (1.0 - s)],
            (Some(s), _) => [s, 0.0, 1.0 - s],
            (None, GameResult::WhiteWins) => [1.0, 0.0, 0.0],
            (None, GameResult::Draw) => [0.0, 1.0, 0.0],
            (None, GameResult::BlackWins) => [0.0, 0.0, 1.0],
            (None, GameResult::Unknown) => [0.0; 3],
        };
        if self.turns(turn) { [white[2], white[1], white[0]] } else { white }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_promotion_has_a_number_of_its_own_and_comes_back_from_it() {
        let mut seen = std::collections::HashSet::new();
        for goes_up in [true, false] {
            for file in 0..8usize {
                for step in [-1i8, 0, 1] {
                    for (row, piece) in PieceType::PROMOTIONS.into_iter().enumerate() {
                        let index = promotion_index(file, step, piece, goes_up);
                        assert!(seen.insert(index));
                        let to = file as i8 + step;
                        let expected = (0..8).contains(&to).then(|| {
                            let ranks = if goes_up { (6, 7) } else { (1, 0) };
                            (ranks.0 * 8 + file, ranks.1 * 8 + to as usize, row)
                        });
                        assert_eq!(promotion_of(index), expected);
                    }
                }
            }
        }
        assert_eq!(seen.len(), POLICY - PLAIN_MOVES);
    }

    #[test]
    fn a_turned_board_is_the_same_for_both_players() {
        let white: Position = "r3k2r/8/8/3pP3/8/8/1p6/R3K2R w KQ d6 0 1".parse().unwrap();
        let black: Position = "r3k2r/1P6/8/8/3Pp3/8/8/R3K2R b kq d3 0 1".parse().unwrap();
        let config = Config::new(1, 12);
        assert_eq!(config.tokens(&white), config.tokens(&black));
        let numbers = |position: &Position| {
            let mut all: Vec<u16> = config.legal_moves(position).map(|(_, index)| index).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(numbers(&white), numbers(&black));
        let other = Config::reference(1, 12);
        assert_ne!(other.tokens(&white), other.tokens(&black));
        assert_eq!(other.tokens(&black).side, 0);
    }

    #[test]
    fn every_legal_move_has_a_number_of_its_own() {
        let position: Position = "rn2k3/P1P5/8/8/8/8/5p2/R3K2R w KQ - 0 1".parse().unwrap();
        for config in [Config::new(1, 12), Config::reference(1, 12)] {
            let moves: Vec<(Move, u16)> = config.legal_moves(&position).collect();
            let numbers: std::collections::HashSet<u16> = moves.iter().map(|m| m.1).collect();
            assert_eq!(numbers.len(), moves.len());
        }
        let count = |config: Config| config.legal_moves(&position).count();
        let promotions = position.legal_moves().iter().filter(|m| m.promotion().is_some()).count();
        let difference = count(Config::new(1, 12)) - count(Config::reference(1, 12));
        assert_eq!(difference, promotions / 4 * 3);
    }

    #[test]
    fn the_value_is_told_from_the_view_of_the_board() {
        let (ours, reference) = (Config::new(1, 12), Config::reference(1, 12));
        let up = Some(Score::Centipawns(1000));
        assert_eq!(reference.outcome(Color::Black, up, GameResult::Draw), [0.75, 0.0, 0.25]);
        assert_eq!(ours.outcome(Color::Black, up, GameResult::Draw), [0.0625, 0.375, 0.5625]);
        assert_eq!(ours.outcome(Color::White, None, GameResult::WhiteWins), [1.0, 0.0, 0.0]);
        assert_eq!(ours.outcome(Color::Black, None, GameResult::WhiteWins), [0.0, 0.0, 1.0]);
        assert_eq!(ours.outcome(Color::White, None, GameResult::Unknown), [0.0; 3]);
    }
}
