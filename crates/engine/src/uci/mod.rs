//! The engine behind the UCI protocol.
//!
//! A [`Session`] takes lines and sends lines, and never waits for a search: searches run on their own
//! threads. It guarantees:
//!
//! - Any line is accepted. What cannot be parsed is answered by `info string error: …`.
//! - One legal `bestmove` for each accepted `go`, never before `stop` or `ponderhit` where the protocol
//!   requires one; `bestmove (none)` without a legal move or a position.
//! - An invalid `position` also discards the one before it: no move is found for the wrong position.
//!
//! Besides the protocol: `d` shows the board, `eval` the static evaluation, `go perft N` counts leaf
//! nodes, `bench` searches a fixed set of positions, `genfens N seed S book B` generates openings (as
//! OpenBench requests them). Files are read only where a command names them: `EvalFile`, `SyzygyPath`,
//! the book of `genfens`.
//!
//! | file | contents |
//! |---|---|
//! | `handler` | the commands |
//! | `slot` | the engine, which is either idle or on the thread of its search |
//! | `options` | option declarations and values |
//! | `limits` | from the arguments of `go` to search limits |
//! | `report` | from search reports to `info` lines |
//! | `perft` | `go perft` |

mod handler;
mod limits;
mod options;
mod perft;
mod report;
mod slot;

use uci::Server;

use crate::table::OutOfMemory;
use handler::EngineHandler;
pub use options::Limit;
pub use uci::{Flow, Output};

/// A session of the protocol; see the [module](self).
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use tabiya_engine::uci::Session;
/// let lines = Arc::new(Mutex::new(Vec::new()));
/// let sink = lines.clone();
/// let output = Arc::new(move |line: &str| sink.lock().unwrap().push(line.to_owned()));
/// let mut session = Session::new("Engine 1.0", "its authors", Default::default(), output)?;
/// session.line("position startpos moves f2f3 e7e5 g2g4");
/// session.line("go depth 3");
/// session.wait();
/// assert_eq!(lines.lock().unwrap().last().unwrap(), "bestmove d8h4");
/// # Ok::<(), tabiya_engine::OutOfMemory>(())
/// ```
pub struct Session(Server<EngineHandler>);

impl Session {
    /// A session at the initial position. Lines are sent to `output` from any thread.
    pub fn new(
        name: &str,
        authors: &str,
        limit: Limit,
        output: impl Into<Output>,
    ) -> Result<Self, OutOfMemory> {
        let output = output.into();
        let handler = EngineHandler::new(name, authors, limit, output.clone())?;
        Ok(Self(Server::new(handler, output)))
    }

    /// Handles a line. A panic is reported, and the session continues.
    pub fn line(&mut self, line: &str) -> Flow {
        self.0.line(line)
    }

    /// Waits for the end of the search. No command does that: `stop` must always get through.
    pub fn wait(&mut self) {
        self.0.handler.wait();
    }
}
