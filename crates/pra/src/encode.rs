//! The encoding of positions, moves and results: the one definition that training and inference share.
//!
//! Tokens: 0 empty, 1–6 White's pawn, knight, bishop, rook, queen, king, 7–12 Black's. With
//! `state_input` also 13 and 14, a white and a black rook with castling rights, and 15, the en-passant
//! square. A flipped board is that of the side to move: his pieces are White's, and his first rank is
//! the first.
//!
//! Beside the position, a model may read its [`Context`]. History: where the piece on a square *k* plies ago
//! differs from the piece there now, its token, of 0 to 12. Ratings: those of the side to move and of the
//! opponent, between two rows of a table with one row for every 100 points. It may also read which kinds of pieces
//! attack a square, which follows from the position.
//!
//! Policy indices: `from × 64 + to`; castling is the king's move to the g- or c-file, which in Chess960
//! may share its index with a plain king move. With `promotions`, the last 192 indices are those of
//! promotions: [`promotion_index`].

use chess::pgn::{GameResult, Score};
use chess::{Board, Color, Game, Move, PieceType, Position, Square, attacks};

use crate::config::{Config, SQUARES};

/// From-to pairs of squares.
pub const PLAIN_MOVES: usize = SQUARES * SQUARES;
/// Size of the policy: from-to pairs, and promotions on 2 sides, 8 files, in 3 directions, to 4 pieces.
pub const POLICY: usize = PLAIN_MOVES + 2 * 8 * 3 * 4;
/// The token of an empty square.
pub const EMPTY: u8 = 0;
const CASTLING_ROOK: u8 = 13;
const EN_PASSANT: u8 = 15;

/// Tokens of pieces alone, without castling rights and en passant.
pub const PIECE_TOKENS: usize = 13;
/// Earlier positions that a model reads at most.
pub const HISTORY_PLIES: usize = data::HISTORY_PLIES;
/// In [`Tokens::history`]: what stood on the square stands there now.
pub const UNCHANGED: u8 = u8::MAX;
/// Kinds of pieces that may attack a square: six of the side to move, six of the opponent.
pub const ATTACKER_KINDS: usize = 12;
/// The ratings of the first and the last row of a rating table; others are clamped.
const RATINGS: (u16, u16) = (600, 2900);
/// Points between two rows.
const RATING_STEP: u16 = 100;
/// Rows of a rating table: the first is for unknown ratings.
pub const RATING_ROWS: usize = 2 + ((RATINGS.1 - RATINGS.0) / RATING_STEP) as usize;

/// Optional inputs besides the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Context<'a> {
    /// The boards before the position, the last first; more than [`HISTORY_PLIES`] are ignored.
    pub earlier: &'a [Board],
    /// The ratings of White and Black.
    pub ratings: [Option<u16>; 2],
}

/// The boards before the position of a game, the last first, as [`Context::earlier`].
pub fn earlier_boards(game: &Game) -> Vec<Board> {
    let mut game = game.clone();
    let mut boards = Vec::with_capacity(HISTORY_PLIES);
    while boards.len() < HISTORY_PLIES && game.undo().is_some() {
        boards.push(*game.position().board());
    }
    boards
}

/// A rating between two rows of a table: the first of both, and the weight of the second.
///
/// ```
/// use tabiya_pra::encode::rating_rows;
/// assert_eq!(rating_rows(0), (0, 0.0));
/// assert_eq!(rating_rows(650), (1, 0.5));
/// assert_eq!((rating_rows(100), rating_rows(4000)), ((1, 0.0), (24, 0.0)));
/// ```
pub fn rating_rows(rating: u16) -> (usize, f32) {
    if rating == 0 {
        return (0, 0.0);
    }
    let above = rating.clamp(RATINGS.0, RATINGS.1) - RATINGS.0;
    let weight = f32::from(above % RATING_STEP) / f32::from(RATING_STEP);
    (1 + usize::from(above / RATING_STEP), weight)
}

/// The model input for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tokens {
    /// The token of each square.
    pub squares: [u8; SQUARES],
    /// 1 for White to move, 0 for Black; always 1 on a flipped board.
    pub side: u8,
    /// How many earlier positions are known.
    pub plies: u8,
    /// What stood on each square, the last position first: a token, or [`UNCHANGED`].
    pub history: [[u8; SQUARES]; HISTORY_PLIES],
    /// The ratings of the side to move and of the opponent; 0 if unknown.
    pub ratings: [u16; 2],
    /// The kinds of pieces that attack each square, a bit for each of the [`ATTACKER_KINDS`]: White's pawn, knight,
    /// bishop, rook, queen, king, then Black's.
    pub attackers: [u16; SQUARES],
}

impl Tokens {
    /// An input without history, ratings and attackers.
    pub const fn new(squares: [u8; SQUARES], side: u8) -> Self {
        let history = [[UNCHANGED; SQUARES]; HISTORY_PLIES];
        let attackers = [0; SQUARES];
        Self { squares, side, plies: 0, history, ratings: [0; 2], attackers }
    }
}

/// Win, draw and loss probabilities from the model's perspective; as a target, all zero if unknown.
pub type Outcome = [f32; 3];

/// The policy index of a promotion: file of the pawn, change of file (−1, 0, 1), piece, and whether the
/// pawn moves up the board.
///
/// ```
/// use tabiya_pra::chess::PieceType;
/// assert_eq!(tabiya_pra::encode::promotion_index(0, 0, PieceType::Queen, true), 4096 + 7);
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

/// From-square, to-square and weight row of the piece of a promotion; `None` for plain moves and for
/// indices that no move has.
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

/// Whether the board is flipped for this side to move.
#[inline]
fn is_flipped(config: &Config, turn: Color) -> bool {
    config.flipped && turn == Color::Black
}

/// Maps squares of the board to those of the encoding, and back.
#[inline]
pub fn orient(config: &Config, square: Square, turn: Color) -> Square {
    if is_flipped(config, turn) { square.flip_rank() } else { square }
}

/// Encodes a position without context.
///
/// ```
/// use tabiya_pra::chess::{Position, Square};
/// let tokens = tabiya_pra::encode::tokens(&tabiya_pra::Config::new(4, 96), &Position::INITIAL);
/// assert_eq!(tokens.squares[Square::E1.index()], 6);
/// assert_eq!(tokens.squares[Square::H8.index()], 14);
/// ```
#[inline]
pub fn tokens(config: &Config, position: &Position) -> Tokens {
    tokens_in(config, position, &Context::default())
}

/// The tokens of the pieces of a board, as the side to move sees it.
fn piece_tokens(board: &Board, is_flipped: bool) -> [u8; SQUARES] {
    let flip = if is_flipped { 56 } else { 0 };
    let mut squares = [EMPTY; SQUARES];
    for (square, piece) in board.iter() {
        let is_white = (piece.color() == Color::White) != is_flipped;
        let color = if is_white { 0 } else { 6 };
        squares[square.index() ^ flip] = 1 + piece.piece_type().index() as u8 + color;
    }
    squares
}

/// The kinds of pieces that attack each square, as the side to move sees it. A piece attacks what it could capture
/// if it were the enemy's turn to leave something there: pins do not matter.
fn attackers(board: &Board, is_flipped: bool) -> [u16; SQUARES] {
    let (flip, occupied) = (if is_flipped { 56 } else { 0 }, board.occupied());
    let mut squares = [0; SQUARES];
    for (square, piece) in board.iter() {
        let is_white = (piece.color() == Color::White) != is_flipped;
        let kind = piece.piece_type().index() + if is_white { 0 } else { 6 };
        for to in attacks::of(piece.color(), piece.piece_type(), square, occupied) {
            squares[to.index() ^ flip] |= 1 << kind;
        }
    }
    squares
}

/// Encodes a position in its context, as far as the model's options use it.
pub fn tokens_in(config: &Config, position: &Position, context: &Context<'_>) -> Tokens {
    let turn = position.turn();
    let is_flipped = is_flipped(config, turn);
    let pieces = piece_tokens(position.board(), is_flipped);
    let mut squares = pieces;
    let flip = if is_flipped { 56 } else { 0 };
    if config.state_input {
        for square in position.castling_rooks() {
            let token = &mut squares[square.index() ^ flip];
            *token = CASTLING_ROOK + u8::from(*token > 6);
        }
        if let Some(square) = position.en_passant() {
            squares[square.index() ^ flip] = EN_PASSANT;
        }
    }
    let mut tokens = Tokens::new(squares, u8::from(config.flipped || turn == Color::White));
    if config.history {
        tokens.plies = context.earlier.len().min(HISTORY_PLIES) as u8;
        for (history, board) in tokens.history.iter_mut().zip(context.earlier) {
            let then = piece_tokens(board, is_flipped);
            for (square, history) in history.iter_mut().enumerate() {
                if then[square] != pieces[square] {
                    *history = then[square];
                }
            }
        }
    }
    if config.ratings {
        tokens.ratings =
            [turn, !turn].map(|color| context.ratings[color.index()].unwrap_or_default());
    }
    if config.attackers {
        tokens.attackers = attackers(position.board(), is_flipped);
    }
    tokens
}

/// The policy index of a move of the side to move.
#[inline]
pub fn move_index(config: &Config, turn: Color, m: Move) -> u16 {
    let to = if m.is_castling() { m.castling_king_to() } else { m.to() };
    let (from, to) = (orient(config, m.from(), turn), orient(config, to, turn));
    if let Some(piece) = m.promotion().filter(|_| config.promotions) {
        let step = to.file().index() as i8 - from.file().index() as i8;
        let goes_up = to.rank().index() == 7;
        return promotion_index(from.file().index(), step, piece, goes_up);
    }
    (from.index() * SQUARES + to.index()) as u16
}

/// The legal moves with their policy indices; only promotions to a queen if the policy has no others.
pub fn legal_moves(
    config: &Config,
    position: &Position,
) -> impl Iterator<Item = (Move, u16)> + use<> {
    let (config, turn) = (*config, position.turn());
    let has_index =
        move |m: &Move| config.promotions || matches!(m.promotion(), None | Some(PieceType::Queen));
    let moves = position.legal_moves().into_iter().filter(has_index);
    moves.map(move |m| (m, move_index(&config, turn, m)))
}

/// The value target: from the evaluation if there is one, else from the result, both from White's
/// perspective.
///
/// An evaluation of *c* centipawns has the value *c* / (|*c*| + 1000) in [−1, 1], as in the reference. For
/// the WDL head it is an expected score *s*: *s*², 2*s*(1−*s*), (1−*s*)².
pub fn outcome(config: &Config, turn: Color, score: Option<Score>, result: GameResult) -> Outcome {
    let expected = match score {
        Some(Score::Centipawns(c)) => {
            Some(0.5 + 0.5 * c as f32 / (c.unsigned_abs() as f32 + 1000.0))
        }
        Some(Score::Mate(moves)) => Some(if moves > 0 { 1.0 } else { 0.0 }),
        None => None,
    };
    let [win, draw, loss] = match (expected, result) {
        (Some(s), _) if config.light_value => [s * s, 2.0 * s * (1.0 - s), (1.0 - s) * (1.0 - s)],
        (Some(s), _) => [s, 0.0, 1.0 - s],
        (None, GameResult::WhiteWins) => [1.0, 0.0, 0.0],
        (None, GameResult::Draw) => [0.0, 1.0, 0.0],
        (None, GameResult::BlackWins) => [0.0, 0.0, 1.0],
        (None, GameResult::Unknown) => [0.0; 3],
    };
    if is_flipped(config, turn) { [loss, draw, win] } else { [win, draw, loss] }
}

/// Win, draw and loss from the perspective of the side to move, given those from the model's.
pub fn wdl_of_side_to_move(config: &Config, turn: Color, outcome: Outcome) -> [f32; 3] {
    let [win, draw, loss] = outcome;
    if turn == Color::Black && !config.flipped { [loss, draw, win] } else { [win, draw, loss] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotions_have_distinct_indices_that_decode_again() {
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
    fn a_flipped_board_is_the_same_for_both_sides() {
        let white: Position = "r3k2r/8/8/3pP3/8/8/1p6/R3K2R w KQ d6 0 1".parse().unwrap();
        let black: Position = "r3k2r/1P6/8/8/3Pp3/8/8/R3K2R b kq d3 0 1".parse().unwrap();
        let config = Config::new(1, 12);
        assert_eq!(tokens(&config, &white), tokens(&config, &black));
        let indices = |position: &Position| {
            let mut all: Vec<u16> =
                legal_moves(&config, position).map(|(_, index)| index).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(indices(&white), indices(&black));
        let other = Config::reference(1, 12);
        assert_ne!(tokens(&other, &white), tokens(&other, &black));
        assert_eq!(tokens(&other, &black).side, 0);
    }

    #[test]
    fn history_is_what_stood_there_before_as_the_side_to_move_sees_it() {
        let config = Config::new(1, 12);
        let mut game = Game::new(Position::INITIAL);
        for text in ["e2e4", "d7d5", "e4d5"] {
            let m = game.position().parse_uci(text).unwrap();
            game.play(m).unwrap();
        }
        let earlier = earlier_boards(&game);
        assert_eq!(earlier.len(), 3);
        let ratings = [Some(1500), Some(1800)];
        let context = Context { earlier: &earlier, ratings };
        let tokens = tokens_in(&config, game.position(), &context);
        assert_eq!((tokens.plies, tokens.ratings), (3, [1800, 1500]));
        // Black to move: the board is flipped, and Black's pawn is token 1.
        let at = |square: Square| square.flip_rank().index();
        let changed = |ply: usize| {
            let all = tokens.history[ply].iter().enumerate();
            all.filter(|(_, token)| **token != UNCHANGED).map(|(n, &token)| (n, token)).collect()
        };
        let sorted = |mut all: Vec<(usize, u8)>| {
            all.sort_unstable();
            all
        };
        let [before, first, start]: [Vec<_>; 3] = [changed(0), changed(1), changed(2)];
        let (e4, d5, d7, e2) = (at(Square::E4), at(Square::D5), at(Square::D7), at(Square::E2));
        assert_eq!(before, sorted(vec![(e4, 7), (d5, 1)]));
        assert_eq!(first, sorted(vec![(e4, 7), (d5, EMPTY), (d7, 1)]));
        assert_eq!(start, sorted(vec![(e2, 7), (d5, EMPTY), (d7, 1)]));
        let without = Config { history: false, ratings: false, ..config };
        let plain = tokens_in(&without, game.position(), &context);
        assert_eq!(plain, super::tokens(&config, game.position()));
    }

    #[test]
    fn legal_moves_have_distinct_indices() {
        let position: Position = "rn2k3/P1P5/8/8/8/8/5p2/R3K2R w KQ - 0 1".parse().unwrap();
        for config in [Config::new(1, 12), Config::reference(1, 12)] {
            let moves: Vec<(Move, u16)> = legal_moves(&config, &position).collect();
            let indices: std::collections::HashSet<u16> = moves.iter().map(|m| m.1).collect();
            assert_eq!(indices.len(), moves.len());
        }
        let count = |config: Config| legal_moves(&config, &position).count();
        let promotions = position.legal_moves().iter().filter(|m| m.promotion().is_some()).count();
        let difference = count(Config::new(1, 12)) - count(Config::reference(1, 12));
        assert_eq!(difference, promotions / 4 * 3);
    }

    #[test]
    fn value_targets_have_the_perspective_of_the_board() {
        let (ours, reference) = (Config::new(1, 12), Config::reference(1, 12));
        let up = Some(Score::Centipawns(1000));
        assert_eq!(outcome(&reference, Color::Black, up, GameResult::Draw), [0.75, 0.0, 0.25]);
        assert_eq!(outcome(&ours, Color::Black, up, GameResult::Draw), [0.0625, 0.375, 0.5625]);
        assert_eq!(outcome(&ours, Color::White, None, GameResult::WhiteWins), [1.0, 0.0, 0.0]);
        assert_eq!(outcome(&ours, Color::Black, None, GameResult::WhiteWins), [0.0, 0.0, 1.0]);
        assert_eq!(outcome(&ours, Color::White, None, GameResult::Unknown), [0.0; 3]);
    }

    #[test]
    fn wdl_is_exchanged_for_black_only_where_the_board_is_not_flipped() {
        let wdl = [0.6, 0.3, 0.1];
        let (ours, reference) = (Config::new(1, 12), Config::reference(1, 12));
        assert_eq!(wdl_of_side_to_move(&ours, Color::Black, wdl), wdl);
        assert_eq!(wdl_of_side_to_move(&reference, Color::White, wdl), wdl);
        assert_eq!(wdl_of_side_to_move(&reference, Color::Black, wdl), [0.1, 0.3, 0.6]);
    }
}
