//! Slow and obvious versions of what the library does fast: square by square, without tables, sets
//! or clever bounds.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::HashSet;

use chess::{Color, Square};
use tabiya_paco::{Action, Options, PieceType, Position, Required};

const ORTHOGONAL: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const LEAPS: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

fn forward(color: Color) -> i8 {
    if color == Color::White { 1 } else { -1 }
}

/// What stands where: White's and Black's piece on each square.
type Board = Vec<[Option<PieceType>; 2]>;

fn board_of(position: &Position) -> Board {
    Square::all().map(|square| Color::ALL.map(|color| position.piece_at(color, square))).collect()
}

fn is_empty(board: &Board, square: Square) -> bool {
    board[square.index()] == [None, None]
}

/// The squares a piece attacks, ray by ray.
fn attacked(board: &Board, color: Color, piece: PieceType, from: Square) -> Vec<Square> {
    let (steps, far): (Vec<(i8, i8)>, bool) = match piece {
        PieceType::Pawn => (vec![(-1, forward(color)), (1, forward(color))], false),
        PieceType::Rook => (ORTHOGONAL.to_vec(), true),
        PieceType::Knight => (LEAPS.to_vec(), false),
        PieceType::Bishop => (DIAGONAL.to_vec(), true),
        PieceType::Queen => ([ORTHOGONAL, DIAGONAL].concat(), true),
        PieceType::King => (vec![], false),
    };
    let mut squares = Vec::new();
    for (files, ranks) in steps {
        let mut next = from.offset(files, ranks);
        while let Some(square) = next {
            squares.push(square);
            if !far || !is_empty(board, square) {
                break;
            }
            next = square.offset(files, ranks);
        }
    }
    squares
}

/// Every place where a hand can go, castling aside.
fn places(
    board: &Board,
    color: Color,
    (piece, partner): (PieceType, bool),
    from: Square,
    en_passant: Option<Square>,
) -> Vec<Square> {
    let me = color.index();
    let lone_own = |square: Square| {
        board[square.index()][me].is_some() && board[square.index()][1 - me].is_none()
    };
    let has_enemy = |square: Square| board[square.index()][1 - me].is_some();
    let mut found = match piece {
        PieceType::King => [ORTHOGONAL, DIAGONAL]
            .concat()
            .into_iter()
            .filter_map(|(files, ranks)| from.offset(files, ranks))
            .filter(|&square| is_empty(board, square))
            .collect(),
        PieceType::Pawn => {
            let mut found = Vec::new();
            if let Some(one) = from.offset(0, forward(color)).filter(|&s| is_empty(board, s)) {
                found.push(one);
                let row = if color == Color::White {
                    from.rank().index()
                } else {
                    7 - from.rank().index()
                };
                let two = one.offset(0, forward(color)).filter(|&s| is_empty(board, s));
                if let (true, Some(two)) = (row <= 1, two) {
                    found.push(two);
                }
            }
            let strikes = attacked(board, color, piece, from).into_iter();
            found.extend(strikes.filter(|&s| !partner && (has_enemy(s) || en_passant == Some(s))));
            found
        }
        _ => attacked(board, color, piece, from)
            .into_iter()
            .filter(|&s| if partner { is_empty(board, s) } else { !lone_own(s) })
            .collect(),
    };
    found.sort();
    found
}

/// The legal actions but for castling, in order of their policy numbers.
pub fn legal_without_castling(position: &Position) -> Vec<Action> {
    let board = board_of(position);
    let me = position.player();
    if position.ending().is_some() {
        return Vec::new();
    }
    match (position.required(), position.hand()) {
        (Required::Lift, _) => Square::all()
            .filter(|&square| {
                let [own, other] = [me, !me].map(|color| board[square.index()][color.index()]);
                let Some(own) = own else { return false };
                let mut lifted = board.clone();
                lifted[square.index()] = [None, None];
                let places =
                    places(&lifted, me, (own, other.is_some()), square, position.en_passant());
                // The square it comes from is empty once it is lifted, but no move leads back.
                places.iter().any(|&place| place != square)
            })
            .map(Action::Lift)
            .collect(),
        (Required::Place, Some(hand)) => {
            let what = (hand.piece, hand.partner.is_some());
            places(&board, me, what, hand.square, position.en_passant())
                .into_iter()
                .map(Action::Place)
                .collect()
        }
        _ => PieceType::PROMOTIONS.map(Action::Promote).to_vec(),
    }
}

/// A state of a chain, everything that is so written out.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Chain {
    board: Board,
    hand: (PieceType, Square),
    en_passant: Option<Square>,
}

/// All squares that a color attacks through chains that start with a lift, by walking through every
/// state; `None` after too many of them.
pub fn reached(
    position: &Position,
    color: Color,
    en_passant: Option<Square>,
    without: Option<Square>,
) -> Option<HashSet<Square>> {
    let mut board = board_of(position);
    if let Some(square) = without {
        board[square.index()] = [None, None];
    }
    let me = color.index();
    let mut waiting = Vec::new();
    for square in Square::all() {
        if let [Some(piece), None] = [board[square.index()][me], board[square.index()][1 - me]] {
            let mut board = board.clone();
            board[square.index()] = [None, None];
            waiting.push(Chain { board, hand: (piece, square), en_passant });
        }
    }
    let mut visited: HashSet<Chain> = waiting.iter().cloned().collect();
    let mut reached = HashSet::new();
    while let Some(chain) = waiting.pop() {
        if visited.len() > 4000 {
            return None;
        }
        let (piece, from) = chain.hand;
        for to in attacked(&chain.board, color, piece, from) {
            reached.insert(to);
            let mut next = chain.clone();
            if piece == PieceType::Pawn && chain.en_passant == Some(to) {
                let runner = to.offset(0, -forward(color)).unwrap();
                next.board[to.index()] = next.board[runner.index()];
                next.board[runner.index()] = [None, None];
                next.en_passant = None;
            }
            let [own, other] = [me, 1 - me].map(|color| next.board[to.index()][color]);
            let (Some(own), Some(_)) = (own, other) else { continue };
            let last_row = if color == Color::White { 7 } else { 0 };
            let becomes: &[PieceType] = if piece == PieceType::Pawn && to.rank().index() == last_row
            {
                &PieceType::PROMOTIONS
            } else {
                &[piece]
            };
            for &becomes in becomes {
                let mut next = next.clone();
                next.board[to.index()][me] = Some(becomes);
                next.hand = (own, to);
                if visited.insert(next.clone()) {
                    waiting.push(next);
                }
            }
        }
    }
    Some(reached)
}

/// The index form from its definition.
pub fn indices(position: &Position, options: Options) -> Vec<u32> {
    let perspective = options.contains(Options::USE_PERSPECTIVE);
    let black = perspective && position.player() == Color::Black;
    let tile = |square: Square| {
        let rank = if black { 7 - square.rank().index() } else { square.rank().index() };
        square.file().index() + 8 * rank
    };
    let index = |color: Color, piece: PieceType, square: Square, lifted: usize| {
        let side = usize::from((color == Color::Black) != black);
        (tile(square) + 64 * (piece.index() + 6 * (side + 2 * lifted))) as u32
    };
    let mut out = Vec::new();
    for color in Color::ALL {
        for square in Square::all() {
            if let Some(piece) = position.piece_at(color, square) {
                out.push(index(color, piece, square, 0));
            }
        }
    }
    if let Some(hand) = position.hand() {
        out.push(index(position.player(), hand.piece, hand.square, 1));
        if let Some(partner) = hand.partner {
            out.push(index(!position.player(), partner, hand.square, 1));
        }
    }
    assert_eq!(out.len(), 32);
    out.push(position.en_passant().map_or(out[0], |square| (1536 + tile(square)) as u32));
    let [wq, wk, bq, bk] = position.castling_rights().map(u32::from);
    out.extend(if black { [bq, bk, wq, wk] } else { [wq, wk, bq, bk] });
    if !perspective {
        out.push(position.player().index() as u32);
    }
    let required = position.required();
    if options.contains(Options::WITH_MUST_LIFT) {
        out.push(u32::from(required == Required::Lift || required == Required::PromoteThenLift));
    }
    if options.contains(Options::WITH_MUST_PROMOTE) {
        out.push(u32::from(required.is_promotion()));
    }
    out.push(u32::from(position.no_progress()));
    out
}

/// The tensor form from the index form, as the document's pseudocode has it.
pub fn tensor(indices: &[u32], options: Options) -> Vec<f32> {
    let mut out = vec![0.0; options.layers() * 64];
    for &place in &indices[..33] {
        out[place as usize] = 1.0;
    }
    for layer in 25..options.layers() {
        let value = indices[33 + layer - 25] as f32;
        let value = if layer + 1 == options.layers() { value / 100.0 } else { value };
        out[layer * 64..(layer + 1) * 64].fill(value);
    }
    out
}
