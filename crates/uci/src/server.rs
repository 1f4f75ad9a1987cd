//! The engine's side of the protocol.
//!
//! A [`Server`] parses lines, keeps the current game and calls a [`Handler`]. Any line is accepted: what
//! cannot be parsed is answered by `info string error: …`. An invalid `position` also discards the one
//! before it, so that no move is ever found for the wrong position; `go` then answers `bestmove (none)`.
//! Besides the protocol, `d` shows the board.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use chess::{Color, Game, picture};

use crate::{Command, Go, OptionDecl, excerpt, parse_position};

/// Why a handler rejects a command, in one line.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The sink for lines to the GUI, shared between threads.
#[derive(Clone)]
pub struct Output(Arc<dyn Fn(&str) + Send + Sync>);

impl<F: Fn(&str) + Send + Sync + 'static> From<Arc<F>> for Output {
    fn from(sink: Arc<F>) -> Self {
        Self(sink)
    }
}

impl Output {
    /// Sends a line.
    pub fn line(&self, line: impl fmt::Display) {
        (self.0)(&line.to_string());
    }

    /// Sends `info string error: …`.
    pub fn error(&self, error: impl fmt::Display) {
        self.line(format_args!("info string error: {error}"));
    }
}

/// Whether a session continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Send the next line.
    Continue,
    /// After `quit`.
    Quit,
}

/// An engine behind the protocol. It sends its own lines, such as `info` and `bestmove`; an error it
/// returns is sent as `info string error: COMMAND: …`.
pub trait Handler {
    /// Name and author.
    fn id(&self) -> (String, String);

    /// The options to declare.
    fn options(&self) -> Vec<OptionDecl>;

    /// Sets an option.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), BoxError>;

    /// The next position is from another game.
    fn new_game(&mut self) -> Result<(), BoxError>;

    /// Fails while a search is running.
    fn check_idle(&mut self) -> Result<(), BoxError>;

    /// Starts a search; called only while idle.
    fn go(&mut self, game: Game, go: Go) -> Result<(), BoxError>;

    /// Ends the search: `bestmove` follows.
    fn stop(&mut self);

    /// The opponent has played the move that is pondered on.
    fn ponder_hit(&mut self);

    /// Ends the session: every search has answered when it returns.
    fn quit(&mut self);

    /// Runs a command outside of the protocol; `false` if there is no such command. The game is `None`
    /// after an invalid `position`.
    fn extension(&mut self, word: &str, args: &str, game: Option<&Game>) -> Result<bool, BoxError>;
}

/// A session of the protocol.
pub struct Server<H> {
    /// The engine.
    pub handler: H,
    output: Output,
    /// `None` after an invalid `position`.
    game: Option<Game>,
}

impl<H: Handler> Server<H> {
    /// A session at the initial position.
    pub fn new(handler: H, output: Output) -> Self {
        Self { handler, output, game: Some(Game::default()) }
    }

    /// Handles a line. A panic in the handler is reported, and the session continues.
    pub fn line(&mut self, line: &str) -> Flow {
        catch_unwind(AssertUnwindSafe(|| self.command(line))).unwrap_or_else(|_| {
            self.output.error("the command panicked");
            Flow::Continue
        })
    }

    fn command(&mut self, line: &str) -> Flow {
        let output = self.output.clone();
        let report = |word: &str, result: Result<(), BoxError>| {
            if let Err(error) = result {
                output.error(format_args!("{word}: {error}"));
            }
        };
        match Command::parse(line) {
            Command::Ignored => {}
            Command::Uci => self.introduce(),
            Command::IsReady => output.line("readyok"),
            Command::NewGame => {
                let result = self.handler.new_game();
                if result.is_ok() {
                    self.game = Some(Game::default());
                }
                report("ucinewgame", result);
            }
            Command::Position(args) => {
                let game = parse_position(args);
                self.game = game.map_err(|error| report("position", Err(error.into()))).ok();
            }
            Command::Go(args) => report("go", self.go(args)),
            Command::Stop => self.handler.stop(),
            Command::PonderHit => self.handler.ponder_hit(),
            Command::SetOption { name, value } => {
                report(
                    "setoption",
                    match name {
                        "" => Err("no name".into()),
                        _ => self.handler.set_option(name, value),
                    },
                );
            }
            Command::Quit => {
                self.handler.quit();
                return Flow::Quit;
            }
            Command::Extension { word: "d", .. } => report("d", self.show_board()),
            Command::Extension { word, args } => {
                match self.handler.extension(word, args, self.game.as_ref()) {
                    Ok(true) => {}
                    Ok(false) => output.error(format_args!("unknown command '{}'", excerpt(word))),
                    Err(error) => report(word, Err(error)),
                }
            }
        }
        Flow::Continue
    }

    fn introduce(&self) {
        let (name, author) = self.handler.id();
        self.output.line(format_args!("id name {name}"));
        self.output.line(format_args!("id author {author}"));
        self.handler.options().iter().for_each(|option| self.output.line(option));
        self.output.line("uciok");
    }

    fn go(&mut self, args: &str) -> Result<(), BoxError> {
        self.handler.check_idle()?;
        let Some(game) = self.game.clone() else {
            self.output.error("go: no position");
            self.output.line("bestmove (none)");
            return Ok(());
        };
        let go = Go::parse(args, game.position(), |error| self.output.error(error));
        self.handler.go(game, go)
    }

    fn show_board(&self) -> Result<(), BoxError> {
        let position = self.game.as_ref().ok_or("no position")?.position();
        let board = picture::text_board(
            |square| position.piece_at(square),
            Color::White,
            picture::Style::Ascii,
        );
        board.lines().for_each(|line| self.output.line(line));
        let checkers: Vec<_> = position.checkers().into_iter().map(|s| s.name()).collect();
        self.output.line(format_args!("Fen: {}", position.fen()));
        self.output.line(format_args!("Key: {:016x}", position.key()));
        self.output.line(format_args!("Checkers: {}", checkers.join(" ")));
        self.output.line(format_args!("Legal moves: {}", position.count_legal_moves()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OptionError, bestmove};
    use std::sync::Mutex;

    /// Plays the first legal move at once, and panics on request.
    struct First(Output);

    impl Handler for First {
        fn id(&self) -> (String, String) {
            ("First".to_owned(), "nobody".to_owned())
        }
        fn options(&self) -> Vec<OptionDecl> {
            vec![OptionDecl::button("Ring")]
        }
        fn set_option(&mut self, name: &str, _: &str) -> Result<(), BoxError> {
            Err(OptionError::Unknown(name.to_owned()).into())
        }
        fn new_game(&mut self) -> Result<(), BoxError> {
            Ok(())
        }
        fn check_idle(&mut self) -> Result<(), BoxError> {
            Ok(())
        }
        fn go(&mut self, game: Game, _: Go) -> Result<(), BoxError> {
            let position = game.position();
            let best = position.legal_moves().first().copied();
            self.0.line(bestmove(position, best, None, false));
            Ok(())
        }
        fn stop(&mut self) {}
        fn ponder_hit(&mut self) {}
        fn quit(&mut self) {}
        fn extension(&mut self, word: &str, _: &str, _: Option<&Game>) -> Result<bool, BoxError> {
            assert_ne!(word, "panic");
            Ok(false)
        }
    }

    #[test]
    fn every_line_is_answered_and_the_session_survives() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = lines.clone();
        let output: Output =
            Arc::new(move |line: &str| sink.lock().unwrap().push(line.to_owned())).into();
        let mut server = Server::new(First(output.clone()), output);
        let mut ask = |line: &str| {
            let flow = server.line(line);
            (flow, std::mem::take(&mut *lines.lock().unwrap()))
        };
        let hello = ["id name First", "id author nobody", "option name Ring type button", "uciok"];
        assert_eq!(ask("uci").1, hello);
        assert_eq!(ask(" isready ").1, ["readyok"]);
        assert_eq!(ask("position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\ngo").1.len(), 1);
        assert_eq!(ask("go").1, ["info string error: go: no position", "bestmove (none)"]);
        assert_eq!(ask("position fen 7k/8/8/8/8/8/6r1/K7 w - - 0 1").1, [""; 0]);
        assert_eq!(ask("go").1, ["bestmove a1b1"]);
        assert_eq!(ask("setoption value").1, ["info string error: setoption: no name"]);
        assert_eq!(ask("setoption name X").1, ["info string error: setoption: unknown option 'X'"]);
        assert_eq!(ask("dance").1, ["info string error: unknown command 'dance'"]);
        assert_eq!(ask("panic").1, ["info string error: the command panicked"]);
        assert!(ask("d").1.iter().any(|line| line == "Fen: 7k/8/8/8/8/8/6r1/K7 w - - 0 1"));
        assert_eq!(ask("").0, Flow::Continue);
        assert_eq!(ask("quit").0, Flow::Quit);
    }
}
