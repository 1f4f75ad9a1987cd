//! A position as bitboards `[2][6][64]` and as 768 numbers that are 0 or 1.
//!
//! The first index is the color, **Black first**; the second the piece type from pawn to king; the
//! third the square from a1 to h8. Flattened, that is
//!
//! | features | pieces | features | pieces |
//! |---|---|---|---|
//! | 0–63 | black pawns | 384–447 | white pawns |
//! | 64–127 | black knights | 448–511 | white knights |
//! | 128–191 | black bishops | 512–575 | white bishops |
//! | 192–255 | black rooks | 576–639 | white rooks |
//! | 256–319 | black queens | 640–703 | white queens |
//! | 320–383 | black kings | 704–767 | white kings |
//!
//! [`Bitboards`] is the structured form, with the questions one asks of it; [`Features`] is the flat
//! one. The flat form has a second order, in which networks are trained: the **mover's** 384 first,
//! then the opponent's 384, ranks mirrored if Black is to move, so that a network need not learn
//! everything twice ([`Features::for_mover`]). Each of them can be had as a list of what is active
//! and as dense `f32`, `u8` or bits, for one position or for many ([`batch`]), into the buffer of
//! the caller. [`old_order`] converts what was made when White came first.
//!
//! ```
//! use chess::Position;
//! use nnue::features::{Bitboards, Features};
//!
//! let position = Position::INITIAL;
//! // All pieces, and those of each color.
//! let bitboards = Bitboards::of(position.board());
//! assert_eq!(bitboards.len(), 32);
//! assert_eq!(bitboards.counts().map(|color| color.iter().sum::<usize>()), [16, 16]);
//! // The 768 features, of which 32 are active.
//! let features = Features::of(position.board());
//! assert_eq!(features.to_f32().iter().sum::<f32>(), 32.0);
//! ```

pub mod batch;
mod bitboards;
mod flat;
mod layout;
pub mod old_order;

pub use bitboards::{Bitboards, Material};
pub use flat::{Features, MAX_ACTIVE};
pub use layout::{
    BISHOP, BLACK, COUNT, KING, KNIGHT, PAWN, PER_COLOR, QUEEN, ROOK, WHITE, color_index, decode,
    index, offset,
};
