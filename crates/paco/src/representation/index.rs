//! The index form.

use chess::{Color, Square};

use super::{EN_PASSANT_LAYER, Options, PLACES, RepresentationError, check_len};
use crate::{Position, Required};

/// How a square and a color are seen.
#[derive(Clone, Copy)]
struct View {
    /// Exclusive or with a square's number.
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

/// Lifted pieces come after the twelve layers of settled ones.
const LIFTED: u32 = 12 * 64;

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
        let [wq, wk, bq, bk] = self.castling_rights().map(u32::from);
        let (castling, rest) = values.split_at_mut(4);
        castling.copy_from_slice(&match bottom {
            Color::White => [wq, wk, bq, bk],
            Color::Black => [bq, bk, wq, wk],
        });
        let mut i = 0;
        let mut push = |value: u32| {
            if let Some(slot) = rest.get_mut(i) {
                *slot = value;
            }
            i += 1;
        };
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
        Ok(())
    }

    /// Fills the 32 places of pieces; whether there are 32.
    #[inline(always)]
    fn fill_pieces(&self, view: View, places: &mut [u32; PLACES]) -> bool {
        let white = self.colors[0].len();
        let settled = white + self.colors[1].len();
        let Some((pieces, lifted)) = places.split_at_mut_checked(settled) else { return false };
        let (first, second) = pieces.split_at_mut(white);
        for (color, part) in [(Color::White, first), (Color::Black, second)] {
            let base = view.base[color.index()];
            let kinds = &self.kinds[color.index()];
            let mut set = self.colors[color.index()].0;
            for slot in part {
                let square = set.trailing_zeros();
                let kind = u32::from(kinds[(square & 63) as usize]);
                *slot = (square ^ view.flip) + 64 * kind + base;
                set &= set.wrapping_sub(1);
            }
        }
        match (self.hand, lifted) {
            (None, [_]) => true,
            (Some(hand), lifted) => {
                let value = |color: Color, piece: crate::PieceType, square: Square| {
                    (square.index() as u32 ^ view.flip)
                        + 64 * piece as u32
                        + view.base[color.index()]
                        + LIFTED
                };
                match (hand.partner, lifted) {
                    (None, [own, _]) => {
                        *own = value(self.player, hand.piece, hand.square);
                        true
                    }
                    (Some(partner), [own, other, _]) => {
                        *own = value(self.player, hand.piece, hand.square);
                        *other = value(!self.player, partner, hand.square);
                        true
                    }
                    _ => false,
                }
            }
            _ => false,
        }
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
    let len = options.index_len();
    check_len(out.len(), len * positions.len())?;
    for (position, out) in positions.iter().zip(out.chunks_exact_mut(len)) {
        position.fill_indices(options, out)?;
    }
    Ok(())
}
