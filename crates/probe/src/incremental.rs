//! Evaluation from the sums of earlier positions, in structures that belong to the caller.
//!
//! The structures have the names, fields and layout that nnue-probe gives them. They are read and
//! written through pointers, never as references: a caller's memory may be unaligned and need not be
//! what it should.

use std::ffi::c_int;
use std::ptr::{addr_of, addr_of_mut};

use arrayvec::ArrayVec;
use chess::{Board, Color, Piece, PieceType, Square};
use nnue::halfkp::features::feature;
use nnue::halfkp::{HALF, Half, Network};

use crate::{ProbeError, pieces};

/// Beside the board: where a piece comes from or goes to.
const BESIDE: c_int = 64;
/// The most pieces that a move changes.
const MOST: usize = 3;

/// What a move changed; see the header.
#[derive(Clone, Copy)]
#[repr(C)]
#[allow(non_snake_case, missing_docs, reason = "the names of the header")]
pub struct DirtyPiece {
    pub dirtyNum: c_int,
    pub pc: [c_int; MOST],
    pub from: [c_int; MOST],
    pub to: [c_int; MOST],
}

/// Sums of the first layer; see the header.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
#[allow(non_snake_case, missing_docs, reason = "the names of the header")]
pub struct Accumulator {
    pub accumulation: [[i16; HALF]; 2],
    pub computedAccumulation: c_int,
}

/// What an incremental evaluation keeps for a position; see the header.
#[derive(Clone, Copy)]
#[repr(C)]
#[allow(non_snake_case, missing_docs, reason = "the names of the header")]
pub struct NNUEdata {
    pub accumulator: Accumulator,
    pub dirtyPiece: DirtyPiece,
}

/// A piece that a move took from a square, put on one, or both.
#[derive(Clone, Copy)]
struct Change {
    piece: Piece,
    from: Option<Square>,
    to: Option<Square>,
}

/// What up to two moves change.
type Changes = ArrayVec<Change, { 2 * MOST }>;
type Features = ArrayVec<u16, { 2 * MOST }>;

/// Where a caller keeps a position's sums; not null.
#[derive(Clone, Copy)]
struct Place(*mut NNUEdata);

impl Place {
    /// # Safety
    /// The pointer leads to an `NNUEdata`.
    unsafe fn is_computed(self) -> bool {
        // SAFETY: the caller's promise; no alignment is asked for.
        unsafe { addr_of!((*self.0).accumulator.computedAccumulation).read_unaligned() != 0 }
    }

    /// # Safety
    /// The pointer leads to an `NNUEdata`.
    unsafe fn halves(self) -> [Half; 2] {
        // SAFETY: the caller's promise; no alignment is asked for.
        unsafe { addr_of!((*self.0).accumulator.accumulation).read_unaligned() }.map(Half)
    }

    /// # Safety
    /// The pointer leads to an `NNUEdata` that nobody else uses.
    unsafe fn set(self, halves: &[Half; 2]) {
        // SAFETY: the caller's promise; no alignment is asked for.
        unsafe {
            let place = addr_of_mut!((*self.0).accumulator.accumulation);
            place.write_unaligned(halves.map(|half| half.0));
            addr_of_mut!((*self.0).accumulator.computedAccumulation).write_unaligned(1);
        }
    }

    /// Appends what the move to this position changed.
    ///
    /// # Safety
    /// The pointer leads to an `NNUEdata`.
    unsafe fn changes(self, changes: &mut Changes) -> Result<(), ProbeError> {
        // SAFETY: the caller's promise; no alignment is asked for.
        let dirty = unsafe { addr_of!((*self.0).dirtyPiece).read_unaligned() };
        let count = usize::try_from(dirty.dirtyNum).ok().filter(|&count| count <= MOST);
        let count = count.ok_or(ProbeError::DirtyNumber(dirty.dirtyNum))?;
        for n in 0..count {
            let (piece, from, to) = (dirty.pc[n], dirty.from[n], dirty.to[n]);
            let bad = ProbeError::DirtyPiece { n, piece, from, to };
            let place = |number| match number {
                BESIDE => Some(None),
                _ => pieces::square(number).map(Some),
            };
            match (pieces::piece(piece), place(from), place(to)) {
                (Some(piece), Some(from), Some(to)) => changes.push(Change { piece, from, to }),
                _ => return Err(bad),
            }
        }
        Ok(())
    }
}

/// The value of a board, from the sums of one of the positions before it if they are there.
///
/// # Safety
/// `data` is null or leads to three pointers, each null or to an [`NNUEdata`] that nobody else uses
/// during the call.
pub unsafe fn evaluate(
    network: &Network,
    board: &Board,
    turn: Color,
    data: *mut *mut NNUEdata,
) -> Result<i32, ProbeError> {
    if data.is_null() {
        return Err(ProbeError::Null("nnue_data"));
    }
    // SAFETY: three pointers are there.
    let places = unsafe { data.cast::<[*mut NNUEdata; 3]>().read_unaligned() };
    let [current, before, two_before] =
        places.map(|pointer| (!pointer.is_null()).then_some(Place(pointer)));
    let current = current.ok_or(ProbeError::Null("nnue_data[0]"))?;
    // SAFETY: each place is an `NNUEdata` by the caller's promise.
    let halves = unsafe {
        if current.is_computed() {
            current.halves()
        } else {
            let mut changes = Changes::new();
            let start = match (before, two_before) {
                (Some(before), _) if before.is_computed() => Some(before),
                (Some(before), Some(start)) if start.is_computed() => {
                    before.changes(&mut changes)?;
                    Some(start)
                }
                _ => None,
            };
            let halves = match start {
                None => fresh(network, board)?,
                Some(start) => {
                    current.changes(&mut changes)?;
                    changed(network, board, &start.halves(), &changes)?
                }
            };
            current.set(&halves);
            halves
        }
    };
    Ok(network.evaluate_halves(&halves, turn))
}

/// Halves made from the pieces alone.
fn fresh(network: &Network, board: &Board) -> Result<[Half; 2], ProbeError> {
    let [white, black] = Color::ALL.map(|player| network.half(board, player));
    Ok([white.ok_or(ProbeError::Kings)?, black.ok_or(ProbeError::Kings)?])
}

/// Halves after some changes that end with this board. A player whose king moved gets his afresh.
fn changed(
    network: &Network,
    board: &Board,
    before: &[Half; 2],
    changes: &Changes,
) -> Result<[Half; 2], ProbeError> {
    let mut halves = *before;
    for (player, half) in Color::ALL.into_iter().zip(&mut halves) {
        let king = Piece::new(player, PieceType::King);
        *half = if changes.iter().any(|change| change.piece == king) {
            network.half(board, player).ok_or(ProbeError::Kings)?
        } else {
            let king = board.pieces(player, PieceType::King).first().ok_or(ProbeError::Kings)?;
            let feature = |piece, square: Option<_>| feature(player, king, piece, square?);
            let removed = changes.iter().filter_map(|change| feature(change.piece, change.from));
            let added = changes.iter().filter_map(|change| feature(change.piece, change.to));
            let (removed, added): (Features, Features) = (removed.collect(), added.collect());
            network.changed(half, &removed, &added)
        };
    }
    Ok(halves)
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn the_structures_have_the_layout_of_the_header() {
        assert_eq!(offset_of!(Accumulator, computedAccumulation), 1024);
        assert_eq!(size_of::<Accumulator>(), 1088);
        assert_eq!(size_of::<DirtyPiece>(), 40);
        assert_eq!(offset_of!(NNUEdata, dirtyPiece), 1088);
        assert_eq!(size_of::<NNUEdata>(), 1152);
    }
}
