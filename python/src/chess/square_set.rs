//! `SquareSet`: a mutable set of squares in 64 bits.

use chess::{Bitboard, Square};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::convert::{AnySquare, AnySquares};

/// A set of squares.
///
/// It behaves like a set of numbers from 0 (a1) to 63 (h8) and like the 64-bit number of its squares: set
/// methods and operators take other sets, such numbers, and iterables of squares.
///
/// >>> from tabiya import chess
/// >>> squares = chess.SquareSet([chess.A1, chess.C3])
/// >>> chess.C3 in squares, len(squares), hex(squares)
/// (True, 2, '0x40001')
/// >>> list(squares | chess.BB_B2)
/// [0, 9, 18]
#[pyclass(module = "tabiya.chess")]
pub struct SquareSet(pub Bitboard);

#[pymethods]
impl SquareSet {
    #[new]
    #[pyo3(signature = (squares=None))]
    fn new(squares: Option<AnySquares>) -> Self {
        Self(squares.map_or(Bitboard::EMPTY, |squares| squares.0))
    }

    /// The squares as a 64-bit number.
    #[getter]
    fn mask(&self) -> u64 {
        self.0.0
    }

    #[setter]
    fn set_mask(&mut self, squares: AnySquares) {
        self.0 = squares.0;
    }

    /// The set of one square.
    #[classmethod]
    fn from_square(_cls: &Bound<'_, PyType>, square: AnySquare) -> Self {
        Self(square.0.bitboard())
    }

    /// The squares on the line from one square through another, to the edge on both sides.
    #[classmethod]
    fn ray(_cls: &Bound<'_, PyType>, a: AnySquare, b: AnySquare) -> Self {
        Self(chess::attacks::line(a.0, b.0))
    }

    /// The squares between two squares.
    #[classmethod]
    fn between(_cls: &Bound<'_, PyType>, a: AnySquare, b: AnySquare) -> Self {
        Self(chess::attacks::between(a.0, b.0))
    }

    fn __contains__(&self, square: AnySquare) -> bool {
        self.0.has(square.0)
    }

    fn __iter__(&self) -> SquareIterator {
        SquareIterator { rest: self.0, reverse: false }
    }

    fn __reversed__(&self) -> SquareIterator {
        SquareIterator { rest: self.0, reverse: true }
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __bool__(&self) -> bool {
        self.0.any()
    }

    fn __int__(&self) -> u64 {
        self.0.0
    }

    fn __index__(&self) -> u64 {
        self.0.0
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.extract::<AnySquares>().is_ok_and(|other| other.0 == self.0)
    }

    fn __and__(&self, other: AnySquares) -> Self {
        Self(self.0 & other.0)
    }

    fn __or__(&self, other: AnySquares) -> Self {
        Self(self.0 | other.0)
    }

    fn __xor__(&self, other: AnySquares) -> Self {
        Self(self.0 ^ other.0)
    }

    fn __sub__(&self, other: AnySquares) -> Self {
        Self(self.0 - other.0)
    }

    fn __rand__(&self, other: AnySquares) -> Self {
        Self(self.0 & other.0)
    }

    fn __ror__(&self, other: AnySquares) -> Self {
        Self(self.0 | other.0)
    }

    fn __rxor__(&self, other: AnySquares) -> Self {
        Self(self.0 ^ other.0)
    }

    fn __rsub__(&self, other: AnySquares) -> Self {
        Self(other.0 - self.0)
    }

    fn __iand__(&mut self, other: AnySquares) {
        self.0 &= other.0;
    }

    fn __ior__(&mut self, other: AnySquares) {
        self.0 |= other.0;
    }

    fn __ixor__(&mut self, other: AnySquares) {
        self.0 ^= other.0;
    }

    fn __isub__(&mut self, other: AnySquares) {
        self.0 -= other.0;
    }

    fn __invert__(&self) -> Self {
        Self(!self.0)
    }

    fn __lshift__(&self, shift: u32) -> Self {
        Self(Bitboard(self.0.0.checked_shl(shift).unwrap_or(0)))
    }

    fn __rshift__(&self, shift: u32) -> Self {
        Self(Bitboard(self.0.0.checked_shr(shift).unwrap_or(0)))
    }

    fn __ilshift__(&mut self, shift: u32) {
        *self = self.__lshift__(shift);
    }

    fn __irshift__(&mut self, shift: u32) {
        *self = self.__rshift__(shift);
    }

    /// Adds a square.
    fn add(&mut self, square: AnySquare) {
        self.0.insert(square.0);
    }

    /// Removes a square if it is there.
    fn discard(&mut self, square: AnySquare) {
        self.0.remove(square.0);
    }

    /// Removes a square; raises KeyError if it is not there.
    fn remove(&mut self, square: AnySquare) -> PyResult<()> {
        if self.0.remove(square.0) { Ok(()) } else { Err(PyKeyError::new_err(square.0.index())) }
    }

    /// Removes and returns a square; raises KeyError if there is none.
    fn pop(&mut self) -> PyResult<usize> {
        let square =
            self.0.first().ok_or_else(|| PyKeyError::new_err("pop from empty SquareSet"))?;
        self.0.remove(square);
        Ok(square.index())
    }

    /// Removes all squares.
    fn clear(&mut self) {
        self.0 = Bitboard::EMPTY;
    }

    /// A copy of the set.
    fn copy(&self) -> Self {
        Self(self.0)
    }

    fn __copy__(&self) -> Self {
        Self(self.0)
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        Self(self.0)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (u64,)) {
        (slf.get_type(), (slf.borrow().0.0,))
    }

    /// Whether the sets share no square.
    fn isdisjoint(&self, other: AnySquares) -> bool {
        self.0.is_disjoint(other.0)
    }

    /// Whether the other set contains this one.
    fn issubset(&self, other: AnySquares) -> bool {
        self.0.is_subset(other.0)
    }

    /// Whether this set contains the other.
    fn issuperset(&self, other: AnySquares) -> bool {
        self.0.is_superset(other.0)
    }

    /// The squares in either set.
    fn union(&self, other: AnySquares) -> Self {
        Self(self.0 | other.0)
    }

    /// The squares in both sets.
    fn intersection(&self, other: AnySquares) -> Self {
        Self(self.0 & other.0)
    }

    /// The squares of this set that are not in the other.
    fn difference(&self, other: AnySquares) -> Self {
        Self(self.0 - other.0)
    }

    /// The squares in exactly one of the sets.
    fn symmetric_difference(&self, other: AnySquares) -> Self {
        Self(self.0 ^ other.0)
    }

    /// Adds the squares of other sets.
    #[pyo3(signature = (*others))]
    fn update(&mut self, others: Vec<AnySquares>) {
        others.into_iter().for_each(|other| self.0 |= other.0);
    }

    /// Keeps only the squares that are in all other sets.
    #[pyo3(signature = (*others))]
    fn intersection_update(&mut self, others: Vec<AnySquares>) {
        others.into_iter().for_each(|other| self.0 &= other.0);
    }

    /// Removes the squares of another set.
    fn difference_update(&mut self, other: AnySquares) {
        self.0 -= other.0;
    }

    /// Keeps the squares that are in exactly one of the sets.
    fn symmetric_difference_update(&mut self, other: AnySquares) {
        self.0 ^= other.0;
    }

    /// The set with ranks reversed.
    fn mirror(&self) -> Self {
        Self(self.0.flip_ranks())
    }

    /// Whether each square from a1 to h8 is in the set.
    fn tolist(&self) -> Vec<bool> {
        Square::all().map(|square| self.0.has(square)).collect()
    }

    /// All subsets, as numbers.
    fn carry_rippler(&self) -> SubsetIterator {
        SubsetIterator { set: self.0.0, next: Some(0) }
    }

    fn __str__(&self) -> String {
        let mark =
            |rank: usize, file: usize| if self.0.has_bit(8 * rank + file) { "1" } else { "." };
        let row = |rank| (0..8).map(|file| mark(rank, file)).collect::<Vec<_>>().join(" ");
        (0..8).rev().map(row).collect::<Vec<_>>().join("\n")
    }

    fn __repr__(&self) -> String {
        let group = |n: u32| self.0.0 >> (16 * n) & 0xffff;
        format!("SquareSet(0x{:04x}_{:04x}_{:04x}_{:04x})", group(3), group(2), group(1), group(0))
    }
}

/// The squares of a set, one by one.
#[pyclass]
pub struct SquareIterator {
    rest: Bitboard,
    reverse: bool,
}

#[pymethods]
impl SquareIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> Option<usize> {
        let square = if self.reverse { self.rest.last() } else { self.rest.first() }?;
        self.rest.remove(square);
        Some(square.index())
    }
}

/// The subsets of a set.
#[pyclass]
pub struct SubsetIterator {
    set: u64,
    next: Option<u64>,
}

#[pymethods]
impl SubsetIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> Option<u64> {
        let subset = self.next?;
        let after = subset.wrapping_sub(self.set) & self.set;
        self.next = (after != 0).then_some(after);
        Some(subset)
    }
}
