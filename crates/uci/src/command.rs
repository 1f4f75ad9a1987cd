//! Commands that a GUI sends to an engine.

use chess::{FenError, Game, IllegalMove, Position, UciError};

use crate::excerpt;

/// A line from the GUI. Arguments that depend on the position are parsed later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Command<'a> {
    /// `uci`
    Uci,
    /// `isready`
    IsReady,
    /// `ucinewgame`
    NewGame,
    /// `position …`: see [`parse_position`].
    Position(&'a str),
    /// `go …`: see [`Go::parse`](crate::Go::parse).
    Go(&'a str),
    /// `stop`
    Stop,
    /// `ponderhit`
    PonderHit,
    /// `setoption name NAME [value VALUE]`
    SetOption {
        /// May contain spaces; empty if missing.
        name: &'a str,
        /// Empty if missing.
        value: &'a str,
    },
    /// `quit`
    Quit,
    /// An empty line, or a command that no engine here has a use for: `debug`, `register`.
    Ignored,
    /// Not part of the protocol.
    Extension {
        /// The first word.
        word: &'a str,
        /// The rest of the line.
        args: &'a str,
    },
}

impl<'a> Command<'a> {
    /// Parses a line. White space and control characters around it do not matter.
    pub fn parse(line: &'a str) -> Self {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        let (word, args) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let args = args.trim();
        match word {
            "" | "debug" | "register" => Self::Ignored,
            "uci" => Self::Uci,
            "isready" => Self::IsReady,
            "ucinewgame" => Self::NewGame,
            "position" => Self::Position(args),
            "go" => Self::Go(args),
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit,
            "setoption" => {
                let args = args.strip_prefix("name").map(str::trim_start);
                let (name, value) = args.map_or(("", ""), split_value);
                Self::SetOption { name, value }
            }
            "quit" => Self::Quit,
            _ => Self::Extension { word, args },
        }
    }
}

/// The command that sets an option; a button has no value.
pub fn setoption(name: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("setoption name {name} value {value}"),
        None => format!("setoption name {name}"),
    }
}

/// Splits `NAME value VALUE` at the first word `value`.
fn split_value(args: &str) -> (&str, &str) {
    let mut from = 0;
    while let Some(at) = args[from..].find("value") {
        let (start, end) = (from + at, from + at + "value".len());
        let before = args[..start].chars().next_back().is_none_or(char::is_whitespace);
        let after = args[end..].chars().next().is_none_or(char::is_whitespace);
        if before && after {
            return (args[..start].trim(), args[end..].trim());
        }
        from = end;
    }
    (args.trim(), "")
}

/// Why the arguments of `position` are rejected.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// Neither `startpos` nor `fen`.
    #[error("neither 'startpos' nor 'fen'")]
    Missing,
    /// A word where none of this name belongs.
    #[error("unknown word '{0}'")]
    UnknownWord(String),
    /// The FEN is invalid or the position illegal.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move is malformed or illegal.
    #[error("move {number} '{text}': {source}")]
    Move {
        /// Index in the list, from 1.
        number: usize,
        /// The move as received.
        text: String,
        /// Why.
        source: UciError,
    },
    /// The game rejects a move.
    #[error("move {number}: {source}")]
    Rejected {
        /// Index in the list, from 1.
        number: usize,
        /// Why.
        source: IllegalMove,
    },
}

/// The game described by the arguments of `position`. A FEN without its move counters is accepted.
///
/// ```
/// let game = tabiya_uci::parse_position("startpos moves e2e4 e7e5")?;
/// assert_eq!(game.len(), 2);
/// assert!(tabiya_uci::parse_position("startpos moves e2e5").is_err());
/// # Ok::<(), tabiya_uci::PositionError>(())
/// ```
pub fn parse_position(args: &str) -> Result<Game, PositionError> {
    let unknown = |word| Err(PositionError::UnknownWord(excerpt(word)));
    let mut words = args.split_ascii_whitespace();
    let start = match words.next() {
        Some("startpos") => match words.next() {
            None | Some("moves") => Position::INITIAL,
            Some(word) => return unknown(word),
        },
        Some("fen") => {
            let fen: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
            let counters = match fen.len() {
                4 => " 0 1",
                5 => " 1",
                _ => "",
            };
            Position::from_fen(&(fen.join(" ") + counters))?
        }
        Some(word) => return unknown(word),
        None => return Err(PositionError::Missing),
    };
    let mut game = Game::new(start);
    for (n, text) in words.enumerate() {
        let number = n + 1;
        let m = game.position().parse_uci(text);
        let m = m.map_err(|source| PositionError::Move { number, text: excerpt(text), source })?;
        game.play(m).map_err(|source| PositionError::Rejected { number, source })?;
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_and_values_may_contain_spaces() {
        let set = |name, value| Command::SetOption { name, value };
        for (line, command) in [
            ("setoption name Skill Level value 8", set("Skill Level", "8")),
            ("setoption name  EvalFile  value  a value b ", set("EvalFile", "a value b")),
            ("setoption name Clear Hash", set("Clear Hash", "")),
            ("setoption name Values value 1", set("Values", "1")),
            ("setoption Hash value 1", set("", "")),
            ("\u{feff}\t isready \r", Command::Extension { word: "\u{feff}", args: "isready" }),
            ("\0 isready \r", Command::IsReady),
        ] {
            assert_eq!(Command::parse(line), command, "{line:?}");
        }
        let line = setoption("Skill Level", Some("8"));
        assert_eq!(Command::parse(&line), set("Skill Level", "8"));
    }

    #[test]
    fn positions_are_parsed_with_and_without_move_counters() {
        let fen = |args: &str| parse_position(args).map(|game| game.position().fen());
        let bare = "fen 4k3/8/8/8/8/8/8/4K2R w K -";
        for counters in ["", " 0", " 0 1"] {
            let found = fen(&format!("{bare}{counters} moves h1h2")).unwrap();
            assert_eq!(found, "4k3/8/8/8/8/8/7R/4K3 b - - 1 1");
        }
        for bad in ["", "start", "startpos e2e4", "fen", "fen x moves", "startpos moves e2e5"] {
            assert!(fen(bad).is_err(), "{bad}");
        }
    }
}
