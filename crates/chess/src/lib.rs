//! Chess and Chess960.

pub mod attacks;
mod bitboard;
mod color;
pub mod picture;
mod piece;
pub mod sliders;
mod square;
pub mod svg;

pub use bitboard::{Bitboard, Squares};
pub use color::{Color, ParseColorError};
pub use piece::{Piece, PieceType};
pub use square::{File, ParseSquareError, Rank, Square};
