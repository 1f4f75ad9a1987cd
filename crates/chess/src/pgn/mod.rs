//! PGN, the format that games are kept in: read, played through, edited, written.
//!
//! Four layers, each usable without the next:
//!
//! | | |
//! |---|---|
//! | [`Reader`] | finds the tokens of each game in a byte slice and tells a [`Visitor`]: tags, moves, comments, NAGs, variations, results. It knows no position, allocates nothing and does not recurse |
//! | [`Replay`] | is such a visitor: it plays the moves and tells a [`Watcher`] every position, or what is wrong with the game |
//! | [`GameTree`] | is such a watcher: a game with its variations, to look at, edit and write |
//! | [`Annotation`] | what comments hold for machines: `[%eval …]`, `[%clk …]`, `[%cal …]` … |
//!
//! ```
//! use chess::pgn::{self, Next, PgnError, Replay, Watcher};
//! use chess::{Move, Position};
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
//! # What is tolerated
//!
//! The import format of the standard, and what real files hold beyond it:
//!
//! - a byte order mark; line ends `\n`, `\r\n`; any bytes in tags and comments ([`decode`] takes what
//!   is not UTF-8 for Latin-1);
//! - lines that begin with `%`; comments to the end of the line after `;`; text in braces before the
//!   first tag of a game that has tags;
//! - no tags at all, tags in any order, several on a line, blank lines between them, quotes within
//!   values, a value without its closing quote or bracket;
//! - move numbers anywhere or nowhere, with any dots; moves as [`San`](crate::San) reads them; `e.p.`
//!   after a move; null moves `--` and `Z0`;
//! - glyphs instead of NAGs: `!?`, `+-`, `=` …; NAGs above 255 are passed over;
//! - braces within a comment, if those of the comment balance; otherwise the first closing one ends
//!   it, as the standard says;
//! - variations to any depth; results within them, and comments and NAGs after the last result;
//! - a missing result: the next tag at the beginning of a line ends the game, and so does the end
//!   of the text. A result ends the game too, so that games without tags can follow each other.
//!
//! Where a new game begins no matter what came before, an open comment included, is told in
//! [`border`]. Whatever is wrong with a game, reading goes on at the next one.

mod annotation;
pub mod border;
mod error;
mod nag;
mod reader;
mod replay;
mod scan;
mod tags;
mod tree;
mod tree_builder;
mod visitor;
mod write;

pub use annotation::{
    Annotation, Annotations, Clock, Eval, Mark, MarkColor, Marks, Score, annotations,
};
pub use error::{PgnError, PgnProblem};
pub use nag::Nag;
pub use reader::{Reader, read};
pub use replay::{MAX_DEPTH, Replay, Watcher};
pub use tags::{TagValue, Variant, decode};
pub use tree::{GameTree, Node, NodeId, TreeError};
pub use tree_builder::{BrokenGame, Trees, read_trees};
pub use visitor::{GameResult, Next, Token, Visitor};
