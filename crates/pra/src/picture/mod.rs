//! Attention as pictures: one head on a board, all heads of a model on a page, and the patterns that
//! free heads have learned.
//!
//! Heat is how much a square is looked at, from the color of the board to red; an arrow goes from the
//! square that looks to the one it looks at, the broader the more. Pictures are SVG that stands for
//! itself, and one page of HTML without anything from outside.

mod board;
mod head;
mod page;
mod paint;
mod pattern;
mod png;

pub use head::{HeadPicture, View};
pub use page::Overview;
