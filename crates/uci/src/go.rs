//! The arguments of `go`.

use std::fmt;
use std::time::Duration;

use chess::{Color, Move, Position, UciError};

use crate::{excerpt, field};

/// The arguments of `go`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// `wtime` and `btime`, by color.
    pub time: [Option<Duration>; 2],
    /// `winc` and `binc`, by color.
    pub increment: [Duration; 2],
    /// `movestogo`
    pub moves_to_go: Option<u32>,
    /// `movetime`
    pub move_time: Option<Duration>,
    /// `nodes`
    pub nodes: Option<u64>,
    /// `depth`
    pub depth: Option<u32>,
    /// `mate`, in moves.
    pub mate: Option<u32>,
    /// `infinite`
    pub infinite: bool,
    /// `ponder`
    pub ponder: bool,
    /// `searchmoves`; empty: all.
    pub search_moves: Vec<Move>,
    /// `perft`, an extension of the protocol: count leaf nodes at this depth instead of searching.
    pub perft: Option<u32>,
}

/// A problem with an argument of `go`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoError {
    /// An illegal move in `searchmoves`.
    #[error("searchmoves: {0}")]
    SearchMove(#[from] UciError),
    /// Not an argument of `go`.
    #[error("go: unknown word '{0}'")]
    UnknownWord(String),
    /// A limit without its number.
    #[error("go: no number after '{0}'")]
    MissingNumber(String),
    /// A limit with something else in place of its number.
    #[error("go: '{text}' after '{word}' is not a number")]
    NotANumber {
        /// The limit.
        word: String,
        /// What follows it.
        text: String,
    },
}

const KEYWORDS: [&str; 14] = [
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "ponder",
    "searchmoves",
    "perft",
    "go",
];
/// Longer times are clamped to this many milliseconds, about 35 years.
const MAX_MILLISECONDS: u64 = 1 << 40;
const MAX_PERFT: u64 = 30;
const MAX_MATE: u32 = 1000;

impl Go {
    /// Parses the arguments. Each problem is reported, and the other arguments still count: an engine
    /// with a running clock has to move. Numbers are clamped to their range; a limit without a number is 0.
    ///
    /// ```
    /// use tabiya_uci::chess::Position;
    /// let go = tabiya_uci::Go::parse("depth 3 nodes 1000", &Position::INITIAL, |error| panic!("{error}"));
    /// assert_eq!((go.depth, go.nodes), (Some(3), Some(1000)));
    /// assert_eq!(go.to_string(), "go nodes 1000 depth 3");
    /// ```
    pub fn parse(args: &str, position: &Position, mut report: impl FnMut(GoError)) -> Self {
        let mut go = Self::default();
        let mut words = args.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    while let Some(text) = words.next_if(|word| !KEYWORDS.contains(word)) {
                        match position.parse_uci(text) {
                            Ok(m) => go.search_moves.push(m),
                            Err(error) => report(error.into()),
                        }
                    }
                }
                _ if !KEYWORDS.contains(&word) || word == "go" => {
                    report(GoError::UnknownWord(excerpt(word)));
                }
                _ => {
                    let text = words.next_if(|word| !KEYWORDS.contains(word));
                    let value = text.and_then(number).unwrap_or_else(|| {
                        let word = word.to_owned();
                        report(match text {
                            None => GoError::MissingNumber(word),
                            Some(text) => GoError::NotANumber { word, text: excerpt(text) },
                        });
                        0
                    });
                    go.set_limit(word, value);
                }
            }
        }
        go
    }

    fn set_limit(&mut self, word: &str, value: u64) {
        let [white, black] = [Color::White as usize, Color::Black as usize];
        let small = u32::try_from(value).unwrap_or(u32::MAX);
        let time = Duration::from_millis(value.min(MAX_MILLISECONDS));
        match word {
            "wtime" => self.time[white] = Some(time),
            "btime" => self.time[black] = Some(time),
            "winc" => self.increment[white] = time,
            "binc" => self.increment[black] = time,
            "movestogo" => self.moves_to_go = (value > 0).then_some(small),
            "depth" => self.depth = Some(small.max(1)),
            "nodes" => self.nodes = Some(value.max(1)),
            "mate" => self.mate = Some(small.clamp(1, MAX_MATE)),
            "movetime" => self.move_time = Some(time),
            _ => self.perft = Some(value.min(MAX_PERFT) as u32),
        }
    }
}

/// An integer of any size and sign, clamped to `u64`.
fn number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    if text.starts_with('-') {
        return Some(0);
    }
    Some(digits.parse().unwrap_or(u64::MAX))
}

/// The command line; castling in `searchmoves` is written as the standard has it, `e1g1`.
impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [white, black] = [Color::White as usize, Color::Black as usize];
        let times = self.time.map(|time| time.map(|time| time.as_millis()));
        let has_increment = self.time != [None; 2] || self.increment != [Duration::ZERO; 2];
        let increments = self.increment.map(|time| has_increment.then_some(time.as_millis()));
        f.write_str("go")?;
        field(f, "wtime", times[white])?;
        field(f, "btime", times[black])?;
        field(f, "winc", increments[white])?;
        field(f, "binc", increments[black])?;
        field(f, "movestogo", self.moves_to_go)?;
        field(f, "movetime", self.move_time.map(|time| time.as_millis()))?;
        field(f, "nodes", self.nodes)?;
        field(f, "depth", self.depth)?;
        field(f, "mate", self.mate)?;
        field(f, "perft", self.perft)?;
        f.write_str(if self.infinite { " infinite" } else { "" })?;
        f.write_str(if self.ponder { " ponder" } else { "" })?;
        f.write_str(if self.search_moves.is_empty() { "" } else { " searchmoves" })?;
        self.search_moves.iter().try_for_each(|m| write!(f, " {m}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &str) -> (Go, usize) {
        let mut errors = 0;
        (Go::parse(args, &Position::INITIAL, |_| errors += 1), errors)
    }

    #[test]
    fn zero_limits_become_one() {
        assert_eq!(parse("depth 0").0.depth, Some(1));
        assert_eq!(parse("nodes 0").0.nodes, Some(1));
        assert_eq!(parse("depth -3").0.depth, Some(1));
        assert_eq!(parse("mate 0").0.mate, Some(1));
        assert_eq!(parse("wtime 9 movestogo 0").0.moves_to_go, None);
    }

    #[test]
    fn problems_are_reported_and_the_other_arguments_count() {
        let (go, errors) = parse("quickly depth 3 searchmoves e2e4 e2e5 d2d4 nodes x");
        assert_eq!((go.depth, go.nodes, go.search_moves.len(), errors), (Some(3), Some(1), 2, 3));
        let (go, errors) = parse("wtime btime 99999999999999999999999");
        assert_eq!(go.time, [0, MAX_MILLISECONDS].map(|time| Some(Duration::from_millis(time))));
        assert_eq!(errors, 1);
        assert!(parse("ponder wtime 100 btime 100").0.ponder);
        assert_eq!(parse("perft 4").0.perft, Some(4));
    }

    #[test]
    fn what_is_written_is_parsed_back() {
        for line in [
            "go",
            "go wtime 5000 btime 4900 winc 100 binc 0 movestogo 40 movetime 7 nodes 5 depth 3 mate 2",
            "go perft 5",
            "go btime 100 winc 0 binc 0 infinite ponder searchmoves e2e4 g1f3",
        ] {
            let (go, errors) = parse(line.strip_prefix("go").unwrap());
            assert_eq!((go.to_string().as_str(), errors), (line, 0));
        }
    }
}
