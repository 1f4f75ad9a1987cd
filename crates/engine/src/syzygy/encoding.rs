//! The index of a position in a table.
//!
//! A table lists its pieces in an order chosen for compression. They fall into *groups*: a leading one
//! (all pawns of one color; or two kings; or three unique pieces), then runs of like pieces. Each group has an
//! index among the squares left by the groups before, and the index of the position is the sum of these, each
//! times a factor that depends on the order of the groups in the file.

use arrayvec::ArrayVec;
use chess::{Board, Color, Piece, PieceType};

use super::material::{MAX_PIECES, Material};
use super::squares::{
    BELOW_DIAGONAL, BINOMIAL, KING_PLACEMENTS, KINGS, LEADING_PAWNS, MAX_GROUP, NO_PLACEMENT,
    PAWNS, Sq, TRIANGLE, above_diagonal, file, flip_diagonal, flip_file, flip_rank, rank,
};

/// The number of placements of three different pieces, up to symmetry.
const UNIQUE_PLACEMENTS: u64 = 31_332;

/// The leading group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lead {
    /// All pawns of a color.
    Pawns(Color),
    /// The first three pieces, each unique.
    Unique,
    /// The two kings, if no other piece is unique.
    Kings,
}

impl Lead {
    /// The leading group of a material. With pawns of both colors, the color with fewer pawns leads, White if
    /// equal.
    pub fn of(material: Material) -> Self {
        let pawns = [Color::White, Color::Black].map(|color| material.pawns(color));
        let is_unique =
            |&piece: &Piece| piece.piece_type() != PieceType::King && material.count(piece) == 1;
        match pawns {
            [0, 0] if Piece::ALL.iter().any(is_unique) => Self::Unique,
            [0, 0] => Self::Kings,
            [0, _] => Self::Pawns(Color::Black),
            [white, black] if black > 0 && black < white => Self::Pawns(Color::Black),
            _ => Self::Pawns(Color::White),
        }
    }
}

/// The squares of one group.
#[derive(Clone, Copy, Debug)]
struct Group {
    len: usize,
    factor: u64,
}

/// The index encoding of a table, or of its subtable with the leading pawn on one file.
#[derive(Debug)]
pub struct Encoding {
    lead: Lead,
    /// The pieces in order, like ones together.
    runs: ArrayVec<(Piece, usize), MAX_PIECES>,
    groups: ArrayVec<Group, MAX_PIECES>,
    /// Whether the second group is pawns.
    has_other_pawns: bool,
    size: u64,
}

impl Encoding {
    /// The encoding of these pieces, if they match the material in a valid order. `orders` are the positions of
    /// the leading group, and of the other color's pawns if any, among the groups.
    pub fn new(
        material: Material,
        pieces: &[Piece],
        orders: [u8; 2],
        lead_file: usize,
    ) -> Option<Self> {
        let lead = Lead::of(material);
        let mut runs = ArrayVec::<(Piece, usize), MAX_PIECES>::new();
        for &piece in pieces {
            match runs.last_mut() {
                Some((last, len)) if *last == piece => *len += 1,
                _ => runs.try_push((piece, 1)).ok()?,
            }
        }
        // All pieces of the material are there, and like ones are together.
        let is_whole = |&piece: &Piece| {
            let mut lens = runs.iter().filter(|run| run.0 == piece).map(|run| run.1);
            lens.next().unwrap_or(0) == material.count(piece) && lens.next().is_none()
        };
        if !Piece::ALL.iter().all(is_whole) {
            return None;
        }

        let (lead_runs, has_other_pawns) = match lead {
            Lead::Pawns(color) => {
                let pawn = |color| Piece::new(color, PieceType::Pawn);
                let has_other_pawns = material.pawns(!color) > 0;
                if runs[0].0 != pawn(color) || (has_other_pawns && runs[1].0 != pawn(!color)) {
                    return None;
                }
                (1, has_other_pawns)
            }
            Lead::Unique if runs.len() >= 3 && runs[..3].iter().all(|run| run.1 == 1) => (3, false),
            Lead::Kings if runs[..2].iter().all(|run| run.0.piece_type() == PieceType::King) => {
                (2, false)
            }
            Lead::Unique | Lead::Kings => return None,
        };

        let lead_len = runs[..lead_runs].iter().map(|run| run.1).sum();
        let mut groups = ArrayVec::<Group, MAX_PIECES>::new();
        groups.push(Group { len: lead_len, factor: 0 });
        groups.extend(runs[lead_runs..].iter().map(|run| Group { len: run.1, factor: 0 }));
        if groups.iter().skip(1).any(|group| group.len > MAX_GROUP) {
            return None;
        }
        let size = set_factors(lead, &mut groups, has_other_pawns, orders, lead_file)?;
        Some(Self { lead, runs, groups, has_other_pawns, size })
    }

    /// The number of indices.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The index of a position with this material; with colors and ranks flipped if `flip` is set.
    pub fn index(&self, board: &Board, flip: bool) -> Option<u64> {
        let mut squares = ArrayVec::<Sq, MAX_PIECES>::new();
        for &(piece, _) in &self.runs {
            push_squares(&mut squares, board, piece, flip);
        }
        let lead_len = self.groups[0].len;
        let number = match self.lead {
            Lead::Pawns(_) => pawns_number(&mut squares, lead_len)?,
            Lead::Unique => {
                reflect(&mut squares, 3)?;
                unique_number(&squares)?
            }
            Lead::Kings => {
                reflect(&mut squares, 2)?;
                let number =
                    KINGS[TRIANGLE[squares[0] as usize & 63] as usize][squares[1] as usize & 63];
                (number != NO_PLACEMENT).then_some(u64::from(number))?
            }
        };
        let mut index = number * self.groups[0].factor;
        let mut start = lead_len;
        let mut first_square = if self.has_other_pawns { 8 } else { 0 };
        for group in &self.groups[1..] {
            let (before, rest) = squares.split_at_mut_checked(start)?;
            let own = rest.get_mut(..group.len)?;
            own.sort_unstable();
            let mut number = 0;
            for (n, &square) in own.iter().enumerate() {
                let taken = before.iter().filter(|&&other| other < square).count();
                let free = (square as usize).checked_sub(taken + first_square)?;
                number += BINOMIAL.get(n + 1)?[free & 63];
            }
            index += number * group.factor;
            start += group.len;
            first_square = 0;
        }
        Some(index)
    }
}

/// Adds the squares of a piece of the table: on the board, of the other color and with ranks flipped if
/// `flip` is set.
fn push_squares(squares: &mut ArrayVec<Sq, MAX_PIECES>, board: &Board, piece: Piece, flip: bool) {
    let color = if flip { !piece.color() } else { piece.color() };
    for square in board.pieces(color, piece.piece_type()) {
        let square = square.index() as Sq;
        let _ = squares.try_push(if flip { flip_rank(square) } else { square });
    }
}

/// The file, from 0 for a to 3 for d, of the leading pawn after reflection.
pub fn lead_file(board: &Board, lead: Color, flip: bool) -> usize {
    let mut squares = ArrayVec::new();
    push_squares(&mut squares, board, Piece::new(lead, PieceType::Pawn), flip);
    let leader = squares.iter().max_by_key(|&&square| PAWNS[square as usize & 63]);
    leader.map_or(0, |&square| file(square).min(file(flip_file(square)))) as usize
}

/// Sets the factor of each group, in the order of the file, and returns the number of indices.
fn set_factors(
    lead: Lead,
    groups: &mut [Group],
    has_other_pawns: bool,
    orders: [u8; 2],
    lead_file: usize,
) -> Option<u64> {
    let lead_len = groups[0].len;
    let special = if has_other_pawns { 2 } else { 1 };
    let orders = &orders.map(usize::from)[..special];
    if orders.iter().any(|&order| order >= groups.len())
        || (has_other_pawns && orders[0] == orders[1])
    {
        return None;
    }
    let mut free_squares = 64 - groups[..special].iter().map(|group| group.len).sum::<usize>();
    let mut next = special;
    let mut factor = 1;
    for place in 0..groups.len() {
        let (group, count) = match orders.iter().position(|&order| order == place) {
            Some(0) => match lead {
                Lead::Pawns(_) => (0, LEADING_PAWNS.get(lead_len - 1)?.get(lead_file)?[7]),
                Lead::Unique => (0, UNIQUE_PLACEMENTS),
                Lead::Kings => (0, KING_PLACEMENTS),
            },
            Some(_) => (1, BINOMIAL[groups[1].len][48 - lead_len]),
            None => {
                let len = groups[next].len;
                let count = BINOMIAL[len][free_squares];
                free_squares -= len;
                next += 1;
                (next - 1, count)
            }
        };
        groups[group].factor = factor;
        factor *= count;
    }
    Some(factor)
}

/// The index of the leading pawns' placement. Reflects all squares so that the leader is on the
/// files a to d.
fn pawns_number(squares: &mut [Sq], pawns: usize) -> Option<u64> {
    let number_of = |square: Sq| PAWNS[square as usize & 63];
    let leader = (0..pawns).max_by_key(|&n| number_of(squares[n]))?;
    squares.swap(0, leader);
    if file(*squares.first()?) > 3 {
        squares.iter_mut().for_each(|square| *square = flip_file(*square));
    }
    let others = squares.get_mut(1..pawns)?;
    others.sort_unstable_by_key(|&square| number_of(square));
    let mut number = 0;
    for (n, &square) in others.iter().enumerate() {
        number += BINOMIAL.get(n + 1)?[number_of(square) as usize];
    }
    let leader = squares[0];
    let starts = &LEADING_PAWNS.get(pawns - 1)?[file(leader) as usize & 3];
    Some(number + starts[rank(leader) as usize & 7])
}

/// Reflects all squares so that the first is in the triangle a1, d1, d4, and the first of the leading
/// pieces that is off the diagonal is below it.
fn reflect(squares: &mut [Sq], lead_len: usize) -> Option<()> {
    let first = *squares.first()?;
    let files = if file(first) > 3 { flip_file(0) } else { 0 };
    let ranks = if rank(first) > 3 { flip_rank(0) } else { 0 };
    for square in squares.iter_mut() {
        *square ^= files | ranks;
    }
    let side = squares.get(..lead_len)?.iter().map(|&s| above_diagonal(s)).find(|&side| side != 0);
    if side.is_some_and(|side| side > 0) {
        squares.iter_mut().for_each(|square| *square = flip_diagonal(*square));
    }
    Some(())
}

/// The index of the placement of three different pieces, reflected: those with the first off the
/// diagonal come first, then those with the second off it, then those with the third, then the rest.
fn unique_number(squares: &[Sq]) -> Option<u64> {
    let &[a, b, c, ..] = squares else { return None };
    let after = |x: Sq, y: Sq| u64::from(x > y);
    let below = |square: Sq| u64::from(BELOW_DIAGONAL[square as usize & 63]);
    let row = |square: Sq| u64::from(rank(square));
    // Squares that are taken are not counted.
    let b_free = u64::from(b) - after(b, a);
    let c_free = u64::from(c) - after(c, a) - after(c, b);
    const SECOND: u64 = 6 * 63 * 62;
    const THIRD: u64 = SECOND + 4 * 28 * 62;
    const REST: u64 = THIRD + 4 * 7 * 28;
    Some(if above_diagonal(a) != 0 {
        (u64::from(TRIANGLE[a as usize & 63]) * 63 + b_free) * 62 + c_free
    } else if above_diagonal(b) != 0 {
        SECOND + (row(a) * 28 + below(b)) * 62 + c_free
    } else if above_diagonal(c) != 0 {
        THIRD + (row(a) * 7 + row(b) - after(b, a)) * 28 + below(c)
    } else {
        let c_row = row(c) - after(c, a) - after(c, b);
        REST + (row(a) * 7 + row(b) - after(b, a)) * 6 + c_row
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use chess::Square;
    use chess::rng::Rng;

    use super::*;

    /// The encodings of a table with its pieces in an order that the format allows, one for each file of the
    /// leading pawn.
    fn encodings(name: &str, letters: &str, orders: [u8; 2]) -> Vec<Encoding> {
        let material = Material::from_name(name).unwrap();
        let pieces: Vec<Piece> = letters.chars().map(|c| Piece::from_letter(c).unwrap()).collect();
        let files = if matches!(Lead::of(material), Lead::Pawns(_)) { 4 } else { 1 };
        (0..files).map(|file| Encoding::new(material, &pieces, orders, file).unwrap()).collect()
    }

    /// The file of the leading pawn, and the index in its subtable.
    fn index(encodings: &[Encoding], board: &Board, flip: bool) -> (usize, u64) {
        let file = match encodings[0].lead {
            Lead::Pawns(color) => lead_file(board, color, flip),
            Lead::Unique | Lead::Kings => 0,
        };
        let index = encodings[file].index(board, flip).unwrap();
        assert!(index < encodings[file].size(), "{board:?}");
        (file, index)
    }

    /// The pieces on random squares, with kings apart and pawns on valid ranks.
    fn random_board(letters: &str, rng: &mut Rng) -> Board {
        'again: loop {
            let mut board = Board::default();
            let mut kings = Vec::new();
            for letter in letters.chars() {
                let piece = Piece::from_letter(letter).unwrap();
                let square = Square::from_index_wrapping(rng.below(64));
                let is_pawn = piece.piece_type() == PieceType::Pawn;
                if board.piece_at(square).is_some()
                    || (is_pawn && !(8..56).contains(&square.index()))
                {
                    continue 'again;
                }
                if piece.piece_type() == PieceType::King {
                    kings.push(square);
                }
                board.put(square, piece);
            }
            if kings[0].distance(kings[1]) > 1 {
                return board;
            }
        }
    }

    /// The board under a symmetry.
    fn mapped(board: &Board, square: impl Fn(Sq) -> Sq, flip_colors: bool) -> Board {
        let mut result = Board::default();
        for (from, piece) in board.iter() {
            let color = if flip_colors { !piece.color() } else { piece.color() };
            let to = Square::from_index_wrapping(square(from.index() as Sq).into());
            result.put(to, Piece::new(color, piece.piece_type()));
        }
        result
    }

    const TABLES: [(&str, &str, [u8; 2]); 9] = [
        ("KQvK", "KQk", [0, 0]),
        ("KRvKR", "kRKr", [1, 0]),
        ("KRRvKBB", "KkRRbb", [1, 0]),
        ("KRRRvKB", "bKkRRR", [0, 0]),
        ("KBNvKRQ", "rNkKqB", [2, 0]),
        ("KPPvK", "PPkK", [1, 0]),
        ("KRPPvKPP", "PPppRKk", [3, 1]),
        ("KPPPvKP", "pPPPKk", [0, 2]),
        ("KvKPPPPP", "pppppKk", [2, 0]),
    ];

    #[test]
    fn symmetric_positions_have_the_same_index() {
        for (name, letters, orders) in TABLES {
            let encodings = encodings(name, letters, orders);
            let mut rng = Rng::new(1, 2);
            for _ in 0..500 {
                let board = random_board(letters, &mut rng);
                let here = index(&encodings, &board, false);
                // Positions with leading pawns on like squares of both wings are stored twice.
                let twice = matches!(encodings[0].lead, Lead::Pawns(color) if {
                    let pawns = board.pieces(color, PieceType::Pawn);
                    (pawns & pawns.flip_files()).any()
                });
                if !twice {
                    let same = mapped(&board, flip_file, false);
                    assert_eq!(index(&encodings, &same, false), here, "{name} {board:?}");
                }
                let other = mapped(&board, flip_rank, true);
                assert_eq!(index(&encodings, &other, true), here, "{name} {board:?}");
                if encodings.len() == 1 {
                    let same = mapped(&board, flip_rank, false);
                    assert_eq!(index(&encodings, &same, false), here, "{name} {board:?}");
                }
                // Positions with all leading pieces on a diagonal are stored twice.
                let lead = &letters[..encodings[0].groups[0].len];
                let is_off = |(square, piece): (Square, Piece)| {
                    let square = square.index() as Sq;
                    lead.contains(piece.letter())
                        && above_diagonal(square) != 0
                        && above_diagonal(flip_file(square)) != 0
                };
                if encodings.len() == 1 && board.iter().any(is_off) {
                    let same = mapped(&board, flip_diagonal, false);
                    assert_eq!(index(&encodings, &same, false), here, "{name} {board:?}");
                }
            }
        }
    }

    #[test]
    fn different_positions_have_different_indices() {
        // All placements of one kind of piece, with the others where no symmetry leaves them.
        for (name, letters, orders, moving) in [
            ("KQvK", "KQk", [0, 0], 'Q'),
            ("KRRvKBB", "KkRRbb", [1, 0], 'R'),
            ("KRRRvKB", "bKkRRR", [0, 0], 'R'),
            ("KPPPvK", "PPPKk", [1, 0], 'P'),
            ("KPPPvKP", "pPPPKk", [0, 2], 'P'),
        ] {
            let encodings = encodings(name, letters, orders);
            let moving = Piece::from_letter(moving).unwrap();
            let mut board = Board::default();
            let fixed = letters.chars().filter(|&letter| letter != moving.letter());
            for (letter, square) in fixed.zip([Square::B2, Square::C6, Square::G5, Square::H5]) {
                board.put(square, Piece::from_letter(letter).unwrap());
            }
            let squares = if moving.piece_type() == PieceType::Pawn { 8..56 } else { 0..64 };
            let free: Vec<Square> = squares
                .map(Square::from_index_wrapping)
                .filter(|&square| board.piece_at(square).is_none())
                .collect();
            let count = letters.len() - board.occupied().len();
            let mut seen = HashSet::new();
            choose(&free, count, &mut board, moving, &mut |board| {
                assert!(seen.insert(index(&encodings, board, false)), "{name} {board:?}");
            });
            assert_eq!(seen.len() as u64, BINOMIAL[count][free.len()], "{name}");
        }
    }

    /// All ways to put some pieces on free squares.
    fn choose(
        free: &[Square],
        count: usize,
        board: &mut Board,
        piece: Piece,
        show: &mut dyn FnMut(&Board),
    ) {
        if count == 0 {
            return show(board);
        }
        for (n, &square) in free.iter().enumerate() {
            board.put(square, piece);
            choose(&free[n + 1..], count - 1, board, piece, show);
            board.remove(square);
        }
    }
}
