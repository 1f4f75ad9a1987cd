//! The index form.

use alloc::vec;
use alloc::vec::Vec;

use chess::Color;

use super::{
    EMPTY_HAND, EN_PASSANT_LAYER, LIFTED_LAYER, Options, PLACES, RepresentationError, check_len,
};
use crate::{PieceType, Position, Required};

/// The perspective transform of squares and colors.
#[derive(Clone, Copy)]
struct View {
    /// XOR mask of square indices.
    flip: u32,
    /// 64 times the first layer of each color's settled pieces.
    base: [u32; 2],
}

impl View {
    fn new(bottom: Color) -> Self {
        match bottom {
            Color::White => Self { flip: 0, base: [0, 6 * 64] },
            Color::Black => Self { flip: 56, base: [6 * 64, 0] },
        }
    }
}

/// What lifting a piece adds to its place.
const LIFTED: u32 = LIFTED_LAYER as u32 * 64;

impl Position {
    /// The index form in a vector of its own.
    pub fn indices(&self, options: Options) -> Result<Vec<u32>, RepresentationError> {
        let mut out = vec![0; options.index_len()];
        self.write_indices(options, &mut out)?;
        Ok(out)
    }

    /// Writes the index form into a buffer of exactly the right length.
    #[inline]
    pub fn write_indices(
        &self,
        options: Options,
        out: &mut [u32],
    ) -> Result<(), RepresentationError> {
        check_len(out.len(), options.index_len())?;
        self.fill_indices(options, out)
    }

    #[inline(always)]
    fn fill_indices(&self, options: Options, out: &mut [u32]) -> Result<(), RepresentationError> {
        let perspective = options.contains(Options::USE_PERSPECTIVE);
        let bottom = if perspective { self.player } else { Color::White };
        let view = View::new(bottom);
        let Some((places, values)) = out.split_first_chunk_mut::<PLACES>() else {
            return check_len(out.len(), options.index_len());
        };
        if !self.fill_pieces(view, places) {
            return Err(RepresentationError::PieceCount(self.piece_count()));
        }
        places[PLACES - 1] = match self.en_passant {
            Some(square) => EN_PASSANT_LAYER as u32 * 64 + (square.index() as u32 ^ view.flip),
            None => places[0],
        };
        self.layer_values(options, values);
        Ok(())
    }

    /// The values of the constant layers in order: castling, the optional ones, the counter; returns their
    /// number.
    #[inline(always)]
    pub(super) fn layer_values(&self, options: Options, values: &mut [u32]) -> usize {
        let perspective = options.contains(Options::USE_PERSPECTIVE);
        let [wq, wk, bq, bk] = self.castling_rights().map(u32::from);
        let castling = match self.player {
            Color::Black if perspective => [bq, bk, wq, wk],
            _ => [wq, wk, bq, bk],
        };
        let mut count = 0;
        let mut push = |value: u32| {
            if let Some(slot) = values.get_mut(count) {
                *slot = value;
                count += 1;
            }
        };
        castling.into_iter().for_each(&mut push);
        if !perspective {
            push(self.player as u32);
        }
        if options.contains(Options::WITH_MUST_LIFT) {
            push(u32::from(matches!(self.required, Required::Lift | Required::PromoteThenLift)));
        }
        if options.contains(Options::WITH_MUST_PROMOTE) {
            push(u32::from(self.required.is_promotion()));
        }
        push(u32::from(self.no_progress));
        count
    }

    /// Fills the 32 piece indices; returns whether there are 32 pieces.
    ///
    /// Branch-free: each color always writes sixteen indices; those beyond its settled pieces are overwritten
    /// by the next writer, finally by the en-passant square.
    #[inline(always)]
    fn fill_pieces(&self, view: View, places: &mut [u32; PLACES]) -> bool {
        let [white, black] = [self.colors[0].len(), self.colors[1].len()];
        let settled = white + black;
        let hand = self.hand.unwrap_or(EMPTY_HAND);
        let tile = (hand.square.index() as u32 ^ view.flip) + LIFTED;
        let me = self.player;
        let own = tile + 64 * hand.piece as u32 + view.base[me.index()];
        let partner = hand.partner.unwrap_or(PieceType::Pawn);
        let partner = tile + 64 * partner as u32 + view.base[(!me).index()];
        let in_hand = usize::from(self.hand.is_some()) + usize::from(hand.partner.is_some());
        if settled + in_hand != 32 || white > 16 || black > 16 {
            return false;
        }
        for (color, start) in [(Color::White, 0), (Color::Black, white)] {
            let part = places[start..].first_chunk_mut::<16>();
            let Some(part) = part else { return false };
            let base = view.base[color.index()];
            let codes = &self.codes[color.index()];
            let mut set = self.colors[color.index()].0;
            for slot in part {
                let code = codes[(set.trailing_zeros() & 63) as usize];
                *slot = (u32::from(code) ^ view.flip) + base;
                set &= set.wrapping_sub(1);
            }
        }
        places[settled.min(PLACES - 1)] = own;
        places[(settled + 1).min(PLACES - 1)] = partner;
        true
    }
}

/// Writes the index forms of many positions one after the other.
///
/// The buffer must have exactly [`Options::index_len`] numbers for each position. An error leaves
/// the buffer partly written.
pub fn write_indices_batch(
    positions: &[Position],
    options: Options,
    out: &mut [u32],
) -> Result<(), RepresentationError> {
    check_len(out.len(), options.index_len() * positions.len())?;
    // One loop for each option set, so that the options are settled before the loop.
    match options.bits() {
        0 => fill_batch::<0>(positions, out),
        1 => fill_batch::<1>(positions, out),
        2 => fill_batch::<2>(positions, out),
        3 => fill_batch::<3>(positions, out),
        4 => fill_batch::<4>(positions, out),
        5 => fill_batch::<5>(positions, out),
        6 => fill_batch::<6>(positions, out),
        _ => fill_batch::<7>(positions, out),
    }
}

fn fill_batch<const OPTIONS: u8>(
    positions: &[Position],
    out: &mut [u32],
) -> Result<(), RepresentationError> {
    let options = Options::from_bits_truncate(OPTIONS);
    for (position, out) in positions.iter().zip(out.chunks_exact_mut(options.index_len())) {
        position.fill_indices(options, out)?;
    }
    Ok(())
}
