//! Sums that a player had when he last saw the board in some way.
//!
//! When a king goes to another bucket or to the other half of the board, every input of his player
//! changes. But kings go back and forth: of each [way to see the board](View) the sums are kept that
//! were made last, with the pieces they were made of, and only the difference to the pieces that
//! stand now is added up. (Known as a "Finny table", after
//! Finn Eggers of Koivisto.)

use aligned::Aligned;
use chess::{Bitboard, Color, Piece, PieceType, Position};

use super::{Network, View};
use crate::simd;

/// One entry for each view that was met.
#[derive(Clone)]
pub(super) struct RefreshCache {
    entries: Vec<Option<Entry>>,
}

#[derive(Clone)]
struct Entry {
    pieces: [[Bitboard; 6]; 2],
    sums: Aligned<i16>,
}

impl Default for RefreshCache {
    fn default() -> Self {
        Self { entries: vec![None; View::COUNT] }
    }
}

impl RefreshCache {
    /// The sums of a position for a player with this view. All calls must be for one network.
    pub fn refresh(
        &mut self,
        network: &Network,
        position: &Position,
        view: View,
        sums: &mut [i16],
    ) {
        let entry = self.entries[view.index()].get_or_insert_with(|| Entry {
            pieces: [[Bitboard::EMPTY; 6]; 2],
            sums: network.feature_bias().into(),
        });
        let (mut added, mut removed) = (Rows::new(), Rows::new());
        for color in Color::ALL {
            for piece_type in PieceType::ALL {
                let piece = Piece::new(color, piece_type);
                let now = position.pieces(color, piece_type);
                let then = &mut entry.pieces[color.index()][piece_type.index()];
                for square in now - *then {
                    added.push(network.feature_row(view.feature(piece, square)));
                }
                for square in *then - now {
                    removed.push(network.feature_row(view.feature(piece, square)));
                }
                *then = now;
            }
        }
        simd::accumulate(&mut entry.sums, added.as_slice(), removed.as_slice());
        sums.copy_from_slice(&entry.sums);
    }
}

/// A short list of rows: there are at most 32 pieces in a position.
struct Rows<'a> {
    rows: [&'a [i16]; 32],
    len: usize,
}

impl<'a> Rows<'a> {
    fn new() -> Self {
        Self { rows: [&[]; 32], len: 0 }
    }

    #[inline(always)]
    fn push(&mut self, row: &'a [i16]) {
        self.rows[self.len & 31] = row;
        self.len += 1;
    }

    fn as_slice(&self) -> &[&'a [i16]] {
        &self.rows[..self.len.min(32)]
    }
}
