//! Portable Game Notation (PGN): read, replay, edit, write.
//!
//! [`Games`] iterates over the games of a file or any other source, one [`GameTree`] at a time. Below it are
//! four layers, each usable without the next:
//!
//! | | |
//! |---|---|
//! | [`Reader`] | tokenizes the games of a byte slice and calls a [`Visitor`]: tags, moves, comments, NAGs, variations, results. It has no position, allocates nothing and does not recurse |
//! | [`Replay`] | a visitor that plays the moves and calls a [`Watcher`] with every position or error |
//! | [`GameTree`] | a game with its variations, to inspect, edit and write; built by a watcher |
//! | [`Annotation`] | commands in comments: `[%eval …]`, `[%clk …]`, `[%cal …]` … |
//!
//! ```
//! use tabiya_chess::pgn::{self, Next, PgnError, Replay, Watcher};
//! use tabiya_chess::{Move, Position};
//!
//! /// Counts captures.
//! #[derive(Default)]
//! struct Captures(usize);
//!
//! impl Watcher for Captures {
//!     fn played(&mut self, _before: &Position, m: Move, _after: &Position) -> Next {
//!         self.0 += usize::from(m.is_capture());
//!         Next::Go
//!     }
//!     fn error(&mut self, error: PgnError) {
//!         panic!("{error}");
//!     }
//! }
//!
//! let mut replay = Replay::new(Captures::default());
//! pgn::read(b"1. e4 d5 2. exd5 Qxd5 (2... Nf6) 3. Nc3 *", &mut replay);
//! assert_eq!(replay.watcher().0, 2);
//! ```
//!
//! # Leniencies
//!
//! The import format of the standard, and beyond it:
//!
//! - byte order marks, also in the middle; line ends `\n`, `\r\n`, `\r`; any bytes in tags and
//!   comments ([`decode`] takes what is not UTF-8 for Latin-1);
//! - blanks from outside ASCII (non-breaking ones, also in Latin-1) between tokens, an ellipsis for dots,
//!   and characters that cannot be seen (zero-width ones, directions) anywhere among the moves;
//! - lines that begin with `%`; comments to the end of the line after `;`; comments before the first
//!   tag of a game that has tags, which are skipped, and comments among the tags, which are reported
//!   before the first move;
//! - no tags at all, tags in any order, several on a line, blank lines between them, blanks before
//!   them, blanks and line ends between their parts (`[ Event "x" ]`), quotes within values, a value
//!   without its closing quote or bracket;
//! - move numbers anywhere or nowhere, with any dots; moves as [`San`](crate::San) reads them, UCI and
//!   figurines included; `e.p.`, `ep`, `ch`, `check` after a move; null moves `--`, `Z0`, `0000`, `@@@@`;
//! - glyphs instead of NAGs, also right behind a move: `!?`, `‼`, `+-`, `=` …; NAGs above 255, three
//!   marks in a row and signs outside ASCII that are none of these are skipped (the last are reported
//!   as comments);
//! - braces within a comment, if those of the comment balance before the next [`border`]; otherwise the
//!   first closing one ends it, as in the standard, and so in all comments up to that border;
//! - variations to any depth; results within them; comments, NAGs and a second result after the last
//!   result;
//! - results as `1:0`, `½-½`, `1/2`, `0.5-0.5`, with any dash; words about the end of the game among the
//!   moves (`White resigns`, `draw agreed`, `mate`), which are reported as comments;
//! - a missing result: the next tag at the beginning of a line ends the game, and so does the end
//!   of the text. A result ends the game too, so that games without tags can follow each other. Of
//!   tag and token, the tag counts unless it is unknown: see [`GameResult::or_token`].
//!
//! [`border`] defines where a new game begins even after an unterminated comment. After an error, reading
//! continues with the next game, and the part before the error is kept: see [`BrokenGame`]. Reading takes
//! linear time for any text.

mod annotation;
pub mod border;
#[cfg(feature = "std")]
mod chunk_reader;
mod comment;
mod edit;
mod error;
#[cfg(feature = "std")]
mod games;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod linear;
mod nag;
mod odd_token;
mod reader;
mod replay;
mod scan;
mod tag_section;
mod tags;
mod tree;
mod tree_builder;
mod visitor;
mod write;

pub use crate::Score;
pub use crate::svg::ShapeColor;
pub use annotation::{Annotation, Annotations, Clock, Eval, Shape, Shapes, annotations};
#[cfg(feature = "std")]
pub use chunk_reader::{ChunkKind, ChunkReader};
pub use comment::split_commands;
pub use error::{PgnError, PgnProblem};
#[cfg(feature = "std")]
pub use games::{Games, GamesError, MAX_GAME_BYTES};
pub use nag::Nag;
pub use reader::{Reader, read};
pub use replay::{MAX_DEPTH, Replay, Watcher};
pub use tags::{TagValue, Variant, decode};
pub use tree::{GameTree, Node, NodeId, TreeError};
pub use tree_builder::{BrokenGame, MAX_TREE_BYTES, Trees, read_trees};
pub use visitor::{GameResult, Next, Token, Visitor};
