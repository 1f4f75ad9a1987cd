//! Attack tables and lines between squares, computed at compile time.
//!
//! An attacked square is one a piece could capture on, whatever stands there. Leapers (knight, king, pawn)
//! have one set per square; for sliders see [`crate::sliders`].

use crate::{Bitboard, Color, PieceType, Square, sliders};

/// The squares reached from `square` by one step.
const fn leaps(square: usize, steps: &[(i8, i8)]) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < steps.len() {
        if let Some(to) = Square::from_index_wrapping(square).offset(steps[i].0, steps[i].1) {
            set |= to.bitboard().0;
        }
        i += 1;
    }
    set
}

const fn leap_table(steps: &[(i8, i8)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(leaps(square, steps));
        square += 1;
    }
    table
}

static KNIGHT: [Bitboard; 64] =
    leap_table(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
static KING: [Bitboard; 64] =
    leap_table(&[(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);
static PAWN: [[Bitboard; 64]; 2] =
    [leap_table(&[(-1, 1), (1, 1)]), leap_table(&[(-1, -1), (1, -1)])];

/// The squares a knight on `square` attacks.
#[inline(always)]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// The squares a king on `square` attacks.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// The squares a pawn of this color on `square` attacks.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

static STRAIGHT: [Bitboard; 64] = ray_table([(0, 1), (1, 0), (0, -1), (-1, 0)]);
static DIAGONAL: [Bitboard; 64] = ray_table([(1, 1), (1, -1), (-1, -1), (-1, 1)]);

const fn ray_table(steps: [(i8, i8); 4]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 4 {
            let (files, ranks) = steps[direction];
            table[square].0 |= ray(square, files, ranks);
            direction += 1;
        }
        square += 1;
    }
    table
}

/// The rank and the file of a square, without it: a rook's attacks on an empty board.
#[inline(always)]
pub fn straight_rays(square: Square) -> Bitboard {
    STRAIGHT[square.index()]
}

/// The diagonals of a square, without it: a bishop's attacks on an empty board.
#[inline(always)]
pub fn diagonal_rays(square: Square) -> Bitboard {
    DIAGONAL[square.index()]
}

/// From where on an empty board a rook, and a bishop, attack a square next to this one.
const fn approach_table(rays: &[Bitboard; 64]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut near = 0;
        while near < 64 {
            if Square::from_index_wrapping(square).distance(Square::from_index_wrapping(near)) == 1
            {
                table[square].0 |= rays[near].0;
            }
            near += 1;
        }
        square += 1;
    }
    table
}

static APPROACHES: [[Bitboard; 2]; 64] = {
    let straight = approach_table(&ray_table([(0, 1), (1, 0), (0, -1), (-1, 0)]));
    let diagonal = approach_table(&ray_table([(1, 1), (1, -1), (-1, -1), (-1, 1)]));
    let mut table = [[Bitboard::EMPTY; 2]; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = [straight[square], diagonal[square]];
        square += 1;
    }
    table
};

/// From where `[rooks, bishops]` can attack a square next to this one, if nothing is in the way.
#[inline(always)]
pub(crate) fn approaches(square: Square) -> [Bitboard; 2] {
    APPROACHES[square.index()]
}

/// The squares that the pieces of a type attack from `square` when these squares are occupied.
///
/// ```
/// use tabiya_chess::{attacks, Bitboard, Color, PieceType, Square};
/// let queen = attacks::of(Color::White, PieceType::Queen, Square::D1, Bitboard::EMPTY);
/// assert_eq!(queen.len(), 21);
/// ```
#[inline]
pub fn of(color: Color, piece_type: PieceType, square: Square, occupied: Bitboard) -> Bitboard {
    match piece_type {
        PieceType::Pawn => pawn(color, square),
        PieceType::Knight => knight(square),
        PieceType::Bishop => sliders::bishop(square, occupied),
        PieceType::Rook => sliders::rook(square, occupied),
        PieceType::Queen => sliders::queen(square, occupied),
        PieceType::King => king(square),
    }
}

/// For each pair of squares on one rank, file or diagonal: (strictly between, the whole line).
const fn line_tables() -> ([[Bitboard; 64]; 64], [[Bitboard; 64]; 64]) {
    const STEPS: [(i8, i8); 8] =
        [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
    let mut between = [[Bitboard::EMPTY; 64]; 64];
    let mut line = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = STEPS[direction];
            let whole = ray(a, files, ranks) | ray(a, -files, -ranks) | 1 << a;
            let mut passed = 0;
            let mut next = Square::from_index_wrapping(a).offset(files, ranks);
            while let Some(b) = next {
                between[a][b.index()] = Bitboard(passed);
                line[a][b.index()] = Bitboard(whole);
                passed |= b.bitboard().0;
                next = b.offset(files, ranks);
            }
            direction += 1;
        }
        a += 1;
    }
    (between, line)
}

/// The squares passed from `square` (not included) to the edge of the board.
pub(crate) const fn ray(square: usize, files: i8, ranks: i8) -> u64 {
    let mut set = 0;
    let mut next = Square::from_index_wrapping(square).offset(files, ranks);
    while let Some(to) = next {
        set |= to.bitboard().0;
        next = to.offset(files, ranks);
    }
    set
}

static BETWEEN: [[Bitboard; 64]; 64] = line_tables().0;
static LINE: [[Bitboard; 64]; 64] = line_tables().1;

/// The squares strictly between two squares of one rank, file or diagonal; otherwise none.
///
/// ```
/// use tabiya_chess::{attacks, Square};
/// let between = attacks::between(Square::A1, Square::D4);
/// assert_eq!(between, Square::B2.bitboard() | Square::C3.bitboard());
/// assert!(attacks::between(Square::A1, Square::B3).is_empty());
/// ```
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole rank, file or diagonal through two different squares, from edge to edge; none if they
/// share none.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaper_attacks_match_their_coordinates() {
        for a in Square::all() {
            for b in Square::all() {
                let files = (a.file() as i8 - b.file() as i8).abs();
                let ranks = b.rank() as i8 - a.rank() as i8;
                assert_eq!(knight(a).has(b), files * ranks.abs() == 2);
                assert_eq!(king(a).has(b), a.distance(b) == 1);
                assert_eq!(pawn(Color::White, a).has(b), files == 1 && ranks == 1);
                assert_eq!(pawn(Color::Black, a).has(b), files == 1 && ranks == -1);
            }
        }
    }

    #[test]
    fn between_and_line_agree_with_slider_attacks() {
        for a in Square::all() {
            for b in Square::all().filter(|&b| b != a) {
                let both = a.bitboard() | b.bitboard();
                let mut expected_between = Bitboard::EMPTY;
                let mut expected_line = Bitboard::EMPTY;
                for attack in [sliders::rook, sliders::bishop] {
                    if attack(a, Bitboard::EMPTY).has(b) {
                        expected_between = attack(a, both) & attack(b, both);
                        expected_line =
                            (attack(a, Bitboard::EMPTY) & attack(b, Bitboard::EMPTY)) | both;
                    }
                }
                assert_eq!(between(a, b), expected_between, "{a}{b}");
                assert_eq!(line(a, b), expected_line, "{a}{b}");
            }
        }
    }
}
