//! Incremental evaluation with accumulators in the caller's structures.
//!
//! The structures have the names, fields and layout of nnue-probe. They are accessed through pointers, never
//! through references: the caller's memory may be unaligned and hold any values.

use std::ffi::c_int;
use std::ptr::{addr_of, addr_of_mut};

use arrayvec::ArrayVec;
use chess::{Board, Color, Piece, PieceType, Square};
use nnue::halfkp::features::feature;
use nnue::halfkp::{self, HALF_DIMENSIONS, Network};

use crate::{ProbeError, pieces};

/// The square of a piece that is not on the board.
const OFF_BOARD: c_int = 64;
/// The most pieces that a move changes.
const MAX_DIRTY: usize = 3;

/// The pieces that a move changes; see the header.
#[derive(Clone, Copy)]
#[repr(C)]
#[allow(non_snake_case, missing_docs, reason = "the names of the header")]
pub struct DirtyPiece {
    pub dirtyNum: c_int,
    pub pc: [c_int; MAX_DIRTY],
    pub from: [c_int; MAX_DIRTY],
    pub to: [c_int; MAX_DIRTY],
}

/// The accumulators of White and Black; see the header.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
#[allow(non_snake_case, missing_docs, reason = "the names of the header")]
pub struct Accumulator {
    pub accumulation: [[i16; HALF_DIMENSIONS]; 2],
    pub computedAccumulation: c_int,
}

/// The incremental state of a position; see the header.
#[derive(Clone, Copy)]
#[repr(C)]
#[allow(non_snake_case, missing_docs, reason = "the names of the header")]
pub struct NNUEdata {
    pub accumulator: Accumulator,
    pub dirtyPiece: DirtyPiece,
}

/// A piece that is removed from a square, added to one, or moved.
#[derive(Clone, Copy)]
struct Change {
    piece: Piece,
    from: Option<Square>,
    to: Option<Square>,
}

/// The changes of up to two moves.
type Changes = ArrayVec<Change, { 2 * MAX_DIRTY }>;
type Features = ArrayVec<u16, { 2 * MAX_DIRTY }>;
/// The accumulators of White and Black.
type Accumulators = [halfkp::Accumulator; 2];

/// A non-null pointer to the caller's state of a position.
#[derive(Clone, Copy)]
struct DataPtr(*mut NNUEdata);

impl DataPtr {
    /// # Safety
    /// The pointer is to an `NNUEdata`.
    unsafe fn is_computed(self) -> bool {
        // SAFETY: the caller's promise; no alignment is assumed.
        unsafe { addr_of!((*self.0).accumulator.computedAccumulation).read_unaligned() != 0 }
    }

    /// # Safety
    /// The pointer is to an `NNUEdata`.
    unsafe fn accumulators(self) -> Accumulators {
        // SAFETY: the caller's promise; no alignment is assumed.
        let sums = unsafe { addr_of!((*self.0).accumulator.accumulation).read_unaligned() };
        sums.map(simd::CacheAligned)
    }

    /// # Safety
    /// The pointer is to an `NNUEdata` that is not accessed concurrently.
    unsafe fn set(self, accumulators: &Accumulators) {
        // SAFETY: the caller's promise; no alignment is assumed.
        unsafe {
            let sums = addr_of_mut!((*self.0).accumulator.accumulation);
            sums.write_unaligned(accumulators.map(|accumulator| accumulator.0));
            addr_of_mut!((*self.0).accumulator.computedAccumulation).write_unaligned(1);
        }
    }

    /// Appends the changes of the move that led to this position.
    ///
    /// # Safety
    /// The pointer is to an `NNUEdata`.
    unsafe fn changes(self, changes: &mut Changes) -> Result<(), ProbeError> {
        // SAFETY: the caller's promise; no alignment is assumed.
        let dirty = unsafe { addr_of!((*self.0).dirtyPiece).read_unaligned() };
        let count = usize::try_from(dirty.dirtyNum).ok().filter(|&count| count <= MAX_DIRTY);
        let count = count.ok_or(ProbeError::DirtyNumber(dirty.dirtyNum))?;
        for n in 0..count {
            let (piece, from, to) = (dirty.pc[n], dirty.from[n], dirty.to[n]);
            let bad = ProbeError::DirtyPiece { n, piece, from, to };
            let square = |number| match number {
                OFF_BOARD => Some(None),
                _ => pieces::square(number).map(Some),
            };
            match (pieces::piece(piece), square(from), square(to)) {
                (Some(piece), Some(from), Some(to)) => changes.push(Change { piece, from, to }),
                _ => return Err(bad),
            }
        }
        Ok(())
    }
}

/// The value of a board, updated from the accumulators of an ancestor if one is computed.
///
/// # Safety
/// `data` is null or points to three pointers, each null or to an [`NNUEdata`] that is not accessed
/// concurrently.
pub unsafe fn evaluate(
    network: &Network,
    board: &Board,
    turn: Color,
    data: *mut *mut NNUEdata,
) -> Result<i32, ProbeError> {
    if data.is_null() {
        return Err(ProbeError::Null("nnue_data"));
    }
    // SAFETY: the caller's promise.
    let pointers = unsafe { data.cast::<[*mut NNUEdata; 3]>().read_unaligned() };
    let [current, before, two_before] =
        pointers.map(|pointer| (!pointer.is_null()).then_some(DataPtr(pointer)));
    let current = current.ok_or(ProbeError::Null("nnue_data[0]"))?;
    // SAFETY: each pointer is to an `NNUEdata` by the caller's promise.
    let accumulators = unsafe {
        if current.is_computed() {
            current.accumulators()
        } else {
            let mut changes = Changes::new();
            let ancestor = match (before, two_before) {
                (Some(before), _) if before.is_computed() => Some(before),
                (Some(before), Some(ancestor)) if ancestor.is_computed() => {
                    before.changes(&mut changes)?;
                    Some(ancestor)
                }
                _ => None,
            };
            let accumulators = match ancestor {
                None => refresh(network, board)?,
                Some(ancestor) => {
                    current.changes(&mut changes)?;
                    update(network, board, &ancestor.accumulators(), &changes)?
                }
            };
            current.set(&accumulators);
            accumulators
        }
    };
    Ok(network.evaluate_accumulators(&accumulators, turn))
}

/// The refreshed accumulators of a board.
fn refresh(network: &Network, board: &Board) -> Result<Accumulators, ProbeError> {
    let [white, black] = Color::ALL.map(|color| network.refresh(board, color));
    Ok([white.ok_or(ProbeError::Kings)?, black.ok_or(ProbeError::Kings)?])
}

/// The accumulators of a board from those of an ancestor. A king move refreshes its color's.
fn update(
    network: &Network,
    board: &Board,
    before: &Accumulators,
    changes: &Changes,
) -> Result<Accumulators, ProbeError> {
    let mut accumulators = *before;
    for (color, accumulator) in Color::ALL.into_iter().zip(&mut accumulators) {
        let king = Piece::new(color, PieceType::King);
        *accumulator = if changes.iter().any(|change| change.piece == king) {
            network.refresh(board, color).ok_or(ProbeError::Kings)?
        } else {
            let king = board.pieces(color, PieceType::King).first().ok_or(ProbeError::Kings)?;
            let feature = |piece, square: Option<_>| feature(color, king, piece, square?);
            let removed = changes.iter().filter_map(|change| feature(change.piece, change.from));
            let added = changes.iter().filter_map(|change| feature(change.piece, change.to));
            let (removed, added): (Features, Features) = (removed.collect(), added.collect());
            network.update(accumulator, &added, &removed)
        };
    }
    Ok(accumulators)
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn structures_have_the_layout_of_the_header() {
        assert_eq!(offset_of!(Accumulator, computedAccumulation), 1024);
        assert_eq!(size_of::<Accumulator>(), 1088);
        assert_eq!(size_of::<DirtyPiece>(), 40);
        assert_eq!(offset_of!(NNUEdata, dirtyPiece), 1088);
        assert_eq!(size_of::<NNUEdata>(), 1152);
    }
}
