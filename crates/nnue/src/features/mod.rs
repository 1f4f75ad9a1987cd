//! A position as bitboards `[2][6][64]` and as 768 binary features.
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
//! [`Bitboards`] is the structured form, [`Features`] the flat one. The flat form has a second order, which
//! networks are trained on: the **side to move's** 384 first, then the opponent's, ranks flipped if Black is
//! to move, so that a network need not learn both colors ([`Features::for_mover`]). Either converts to a
//! list of active features or to dense `f32`, `u8` or bits, for one position or a [`batch`], in the
//! caller's buffer. [`old_order`] migrates data and weights of the White-first order.
//!
//! ```
//! use tabiya_nnue::chess::Position;
//! use tabiya_nnue::features::{Bitboards, Features};
//!
//! let position = Position::INITIAL;
//! // All pieces, and the pieces of each color.
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
mod report;

pub use self::layout::{
    BISHOP, BLACK, COUNT, KING, KNIGHT, PAWN, PER_COLOR, QUEEN, ROOK, WHITE, color_index, decode,
    index, offset,
};
pub use bitboards::{Bitboards, Material};
pub use flat::{Features, MAX_ACTIVE};
pub use report::FeatureReport;
