//! Sets of squares.
//!
//! A [`Bitboard`] is a set of squares kept in 64 bits, bit `n` for square `n` (`a1 = 0 … h8 = 63`).
//! Its operators are the operators of sets: `a | b` union, `a & b` intersection, `a ^ b` symmetric
//! difference, `a - b` difference, `!a` complement. It iterates over its squares from a1 to h8.

use core::fmt;
use core::ops::{
    BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign,
};

use crate::{File, Rank, Square};

/// A set of squares.
///
/// ```
/// use tabiya_chess::{Bitboard, File, Rank, Square};
/// let set = File::E.bitboard() & Rank::Fourth.bitboard();
/// assert_eq!(set, Square::E4.bitboard());
/// assert_eq!((set | Square::A1.bitboard()).len(), 2);
/// let squares: Vec<Square> = Rank::First.bitboard().into_iter().take(3).collect();
/// assert_eq!(squares, [Square::A1, Square::B1, Square::C1]);
///
/// let mut set = Bitboard::EMPTY;
/// assert!(set.insert(Square::E4) && !set.insert(Square::E4));
/// assert!(set.contains(Square::E4));
/// assert!(set.remove(Square::E4) && set.is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// Every square.
    pub const FULL: Self = Self(!0);
    /// The light squares, h1 among them.
    pub const LIGHT_SQUARES: Self = Self(0x55aa_55aa_55aa_55aa);
    /// The dark squares, a1 among them.
    pub const DARK_SQUARES: Self = Self(!Self::LIGHT_SQUARES.0);

    /// Whether the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there is any square in the set.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether there are two squares or more in the set.
    #[inline(always)]
    pub const fn many(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// How many squares are in the set.
    #[inline(always)]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the square is in the set.
    #[inline(always)]
    pub const fn has(self, square: Square) -> bool {
        self.0 & square.bitboard().0 != 0
    }

    /// Whether the square is in the set; the name that Rust's sets use for [`Bitboard::has`].
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.has(square)
    }

    /// Whether the square with this number is in the set; no number above 63 is.
    ///
    /// ```
    /// use tabiya_chess::Bitboard;
    /// assert!(Bitboard::FULL.has_bit(63) && !Bitboard::FULL.has_bit(64));
    /// ```
    #[inline]
    pub const fn has_bit(self, index: usize) -> bool {
        index < 64 && self.0 >> index & 1 != 0
    }

    /// Adds a square; returns whether it was not in the set before.
    #[inline(always)]
    pub const fn insert(&mut self, square: Square) -> bool {
        let is_new = !self.has(square);
        self.0 |= square.bitboard().0;
        is_new
    }

    /// Removes a square; returns whether it was in the set.
    #[inline(always)]
    pub const fn remove(&mut self, square: Square) -> bool {
        let was_there = self.has(square);
        self.0 &= !square.bitboard().0;
        was_there
    }

    /// Adds a square that is not in the set, removes one that is.
    #[inline(always)]
    pub const fn toggle(&mut self, square: Square) {
        self.0 ^= square.bitboard().0;
    }

    /// Whether the two sets share no square.
    #[inline(always)]
    pub const fn is_disjoint(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }

    /// Whether every square of this set is in the other.
    #[inline(always)]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether every square of the other set is in this one.
    #[inline(always)]
    pub const fn is_superset(self, other: Self) -> bool {
        other.is_subset(self)
    }

    /// The first square of the set, counted from a1.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(self.first_or_a1()) }
    }

    /// The last square of the set, counted from a1.
    #[inline(always)]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::from_index_wrapping(63 - self.0.leading_zeros() as usize))
        }
    }

    /// The first square of a set known not to be empty (a1 if it is after all).
    #[inline(always)]
    pub(crate) const fn first_or_a1(self) -> Square {
        Square::from_index_wrapping(self.0.trailing_zeros() as usize)
    }

    /// Flips the board vertically: ranks in reverse order.
    #[inline(always)]
    pub const fn flip_ranks(self) -> Self {
        Self(self.0.swap_bytes())
    }

    /// Mirrors the board horizontally: files in reverse order.
    pub const fn flip_files(self) -> Self {
        Self(self.0.swap_bytes().reverse_bits())
    }

    /// Every subset of this set, the empty one and the set itself included.
    ///
    /// ```
    /// use tabiya_chess::{Bitboard, Square};
    /// let set = Square::A1.bitboard() | Square::H8.bitboard();
    /// assert_eq!(set.subsets().count(), 4);
    /// ```
    pub fn subsets(self) -> impl Iterator<Item = Self> {
        // The carry-rippler: counting in the bits of the mask alone.
        let mut next = Some(0u64);
        core::iter::from_fn(move || {
            let subset = next?;
            let following = subset.wrapping_sub(self.0) & self.0;
            next = (following != 0).then_some(following);
            Some(Self(subset))
        })
    }
}

macro_rules! set_operator {
    ($trait:ident $method:ident $assign_trait:ident $assign_method:ident, $a:ident $b:ident $result:expr) => {
        impl $trait for Bitboard {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($result)
            }
        }
        impl $assign_trait for Bitboard {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = $trait::$method(*self, other);
            }
        }
    };
}

set_operator!(BitAnd bitand BitAndAssign bitand_assign, a b a & b);
set_operator!(BitOr bitor BitOrAssign bitor_assign, a b a | b);
set_operator!(BitXor bitxor BitXorAssign bitxor_assign, a b a ^ b);
set_operator!(Sub sub SubAssign sub_assign, a b a & !b);

impl Not for Bitboard {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl From<Square> for Bitboard {
    #[inline(always)]
    fn from(square: Square) -> Self {
        square.bitboard()
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<T: IntoIterator<Item = Square>>(squares: T) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | square.bitboard())
    }
}

impl Extend<Square> for Bitboard {
    fn extend<T: IntoIterator<Item = Square>>(&mut self, squares: T) {
        *self |= squares.into_iter().collect();
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;
    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

/// The squares of a [`Bitboard`] one by one, from a1 to h8.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl ExactSizeIterator for Squares {}

/// A picture for people, rank 8 on top: `X` for a square in the set, `.` for one outside.
impl fmt::Display for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            for file in File::ALL {
                let mark = if self.has(Square::new(file, rank)) { 'X' } else { '.' };
                write!(f, "{}{mark}", if file == File::A { "" } else { " " })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitboard({:#018x})", self.0)
    }
}

/// A set of squares drawn as a picture, rank 8 on top, for examples and tests.
///
/// ```
/// use tabiya_chess::{bitboard, Square};
/// let knight_moves = bitboard! {
///     . . . . . . . .
///     . . . . . . . .
///     . . . X . X . .
///     . . X . . . X .
///     . . . . . . . .
///     . . X . . . X .
///     . . . X . X . .
///     . . . . . . . .
/// };
/// assert_eq!(tabiya_chess::attacks::knight(Square::E4), knight_moves);
/// ```
#[macro_export]
macro_rules! bitboard {
    ($($mark:tt)*) => { $crate::Bitboard::from_picture(&[$(stringify!($mark)),*]) };
}

impl Bitboard {
    /// The implementation of [`bitboard!`](crate::bitboard): 64 marks from a8 to h1, `X` for a member.
    ///
    /// # Panics
    /// Unless there are 64 marks, each `X` or `.`.
    pub const fn from_picture(marks: &[&str]) -> Self {
        assert!(marks.len() == 64, "a picture has 64 marks");
        let mut set = 0;
        let mut i = 0;
        while i < 64 {
            match marks[i].as_bytes() {
                b"X" => set |= 1 << (i ^ 56),
                b"." => {}
                _ => panic!("a mark is X or ."),
            }
            i += 1;
        }
        Self(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_round_trips() {
        let corners = bitboard! {
            X . . . . . . X
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            X . . . . . . .
        };
        assert_eq!(corners.into_iter().collect::<Vec<_>>(), [Square::A1, Square::A8, Square::H8]);
        assert!(corners.to_string().starts_with("X . . . . . . X\n. . ."));
        assert!(corners.to_string().ends_with("X . . . . . . .\n"));
    }

    #[test]
    fn set_operators_agree_with_membership() {
        let a = Bitboard(0x1234_5678_9abc_def0);
        let b = Bitboard(0x0ff0_0ff0_a5a5_3c3c);
        for square in Square::all() {
            let (in_a, in_b) = (a.has(square), b.has(square));
            assert_eq!((a | b).has(square), in_a || in_b);
            assert_eq!((a & b).has(square), in_a && in_b);
            assert_eq!((a ^ b).has(square), in_a != in_b);
            assert_eq!((a - b).has(square), in_a && !in_b);
            assert_eq!((!a).has(square), !in_a);
        }
        assert_eq!(a.into_iter().collect::<Bitboard>(), a);
        assert_eq!(a.into_iter().len(), a.len());
    }

    #[test]
    fn insert_remove_and_toggle_behave_like_those_of_a_set() {
        let mut set = Bitboard::EMPTY;
        let mut twin = std::collections::BTreeSet::new();
        let mut rng = crate::rng::Rng::new(1, 0);
        for _ in 0..2_000 {
            let square = Square::from_index_wrapping(rng.below(64));
            match rng.below(4) {
                0 => assert_eq!(set.remove(square), twin.remove(&square)),
                1 => {
                    set.toggle(square);
                    let _ = twin.remove(&square) || twin.insert(square);
                }
                _ => assert_eq!(set.insert(square), twin.insert(square)),
            }
            assert_eq!(set.contains(square), twin.contains(&square));
            assert_eq!(set.has_bit(square.index()), twin.contains(&square));
        }
        assert!(set.into_iter().eq(twin.iter().copied()));
        let mut extended = Bitboard::EMPTY;
        extended.extend(twin);
        assert_eq!(extended, set);
        assert!(Bitboard::FULL.is_superset(set) && !set.is_superset(Bitboard::FULL));
        assert!([64, 65, 128, usize::MAX].iter().all(|&index| !Bitboard::FULL.has_bit(index)));
    }

    #[test]
    fn subsets_are_all_different_and_all_inside() {
        let set = Bitboard(0x8100_0000_0018_0081);
        let all: std::collections::BTreeSet<_> = set.subsets().collect();
        assert_eq!(all.len(), 1 << set.len());
        assert!(all.iter().all(|subset| subset.is_subset(set)));
    }

    #[test]
    fn flips_map_squares_by_file_and_rank() {
        assert_eq!(Square::B1.bitboard().flip_ranks(), Square::B8.bitboard());
        assert_eq!(Square::B1.bitboard().flip_files(), Square::G1.bitboard());
    }
}
