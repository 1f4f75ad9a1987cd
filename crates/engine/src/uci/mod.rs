//! The engine's side of the Universal Chess Interface.
//!
//! A [`Session`] takes lines and gives lines, and never waits for a search: searches run on threads of
//! their own. What it promises:
//!
//! - Any line is taken. What cannot be understood is answered by `info string error: …`.
//! - One `bestmove` for each `go` that is accepted, never before `stop` or `ponderhit` where the
//!   protocol wants that, and always legal. `bestmove (none)` if there is no move or no position.
//! - A bad `position` is dropped, and so is the one before it: no move is found for a wrong position.
//!
//! Besides the protocol: `d` shows the board, `eval` the static evaluation, `go perft N` counts moves,
//! `bench` searches a fixed set of positions, `genfens N seed S book B` makes openings (as OpenBench
//! asks for them). No command waits for a search to end; [`Session::wait`] is for programs.
//!
//! How commands are read is public too, for players that are no engine and speak the same protocol.

mod format;
mod go;
mod options;
mod session;

pub use format::castling_style;
pub use go::Go;
pub use options::{Limit, shown};
pub use session::{Next, Session, parse_game, split_value};
