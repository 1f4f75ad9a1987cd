//! What follows `go`.

use std::time::Duration;

use chess::{Color, Position};

use super::options::shown;
use crate::search::{Clock, Limits};

/// What a `go` asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Go {
    /// A search; while pondering, the clock does not run.
    Search {
        /// When it ends.
        limits: Limits,
        /// The opponent is still to move.
        ponder: bool,
    },
    /// A count of moves.
    Perft(u32),
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
/// A longer time than this means "as long as you like".
const LONGEST: u64 = 1 << 40;
const DEEPEST_PERFT: u64 = 30;

/// A number of any size and sign, bent into what can be used; nothing if it is no number.
fn number(token: &str) -> Option<u64> {
    let digits = token.strip_prefix(['-', '+']).unwrap_or(token);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    if token.starts_with('-') {
        return Some(0);
    }
    Some(digits.parse().unwrap_or(u64::MAX))
}

impl Go {
    /// Reads the words behind `go`. What is wrong with them is told, and the rest is used: a player
    /// with a clock needs a move more than a lesson.
    pub fn parse(words: &str, position: &Position, mut tell: impl FnMut(String)) -> Self {
        let mut limits = Limits::default();
        let mut ponder = false;
        let (mut time, mut increment) = ([None; 2], [0; 2]);
        let mut moves_to_go = None;
        let mut perft = None;
        let mut words = words.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => {
                    limits.infinite = true;
                    continue;
                }
                "ponder" => {
                    ponder = true;
                    continue;
                }
                "searchmoves" => {
                    while let Some(text) = words.next_if(|word| !KEYWORDS.contains(word)) {
                        match position.parse_uci(text) {
                            Ok(m) => limits.moves.push(m),
                            Err(error) => tell(format!("searchmoves: {error}")),
                        }
                    }
                    continue;
                }
                _ if !KEYWORDS.contains(&word) || word == "go" => {
                    tell(format!("go: unknown word '{}'", shown(word)));
                    continue;
                }
                _ => {}
            }
            // All others have a number. Without one, as with a clock that has run out, we hurry.
            let text = words.next_if(|word| !KEYWORDS.contains(word));
            let value = text.and_then(number).unwrap_or_else(|| {
                tell(match text {
                    None => format!("go: no number behind '{word}'"),
                    Some(text) => format!("go: '{}' behind '{word}' is no number", shown(text)),
                });
                0
            });
            let small = value.min(u64::from(u32::MAX)) as u32;
            match word {
                "wtime" => time[0] = Some(value),
                "btime" => time[1] = Some(value),
                "winc" => increment[0] = value,
                "binc" => increment[1] = value,
                "movestogo" => moves_to_go = (value > 0).then_some(small),
                "depth" => limits.depth = Some(small.max(1)),
                "nodes" => limits.nodes = Some(value.max(1)),
                "mate" => limits.mate = Some(small.clamp(1, 1000)),
                "movetime" => limits.move_time = Some(milliseconds(value)),
                _ => perft = Some(value.min(DEEPEST_PERFT) as u32),
            }
        }
        if let Some(depth) = perft {
            return Self::Perft(depth);
        }
        let us = usize::from(position.turn() == Color::Black);
        // A clock for the opponent alone: ours must have run out.
        if !limits.infinite && (time[0].is_some() || time[1].is_some()) {
            limits.clock = Some(Clock {
                remaining: milliseconds(time[us].unwrap_or(0)),
                increment: milliseconds(increment[us]),
                moves_to_go,
            });
        }
        let unlimited = limits.clock.is_none()
            && limits.move_time.is_none()
            && limits.depth.is_none()
            && limits.nodes.is_none()
            && limits.mate.is_none();
        // An increment or a number of moves without a clock: the clock is at nought.
        if unlimited && (increment != [0; 2] || moves_to_go.is_some()) && !limits.infinite {
            let (remaining, increment) = (Duration::ZERO, milliseconds(increment[us]));
            limits.clock = Some(Clock { remaining, increment, moves_to_go });
        } else if unlimited && !ponder {
            limits.infinite = true;
        }
        Self::Search { limits, ponder }
    }
}

fn milliseconds(value: u64) -> Duration {
    Duration::from_millis(value.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(words: &str) -> (Limits, bool, usize) {
        let mut told = 0;
        match Go::parse(words, &Position::INITIAL, |_| told += 1) {
            Go::Search { limits, ponder } => (limits, ponder, told),
            Go::Perft(_) => panic!("a search"),
        }
    }

    fn remaining(words: &str) -> Duration {
        limits(words).0.clock.unwrap().remaining
    }

    #[test]
    fn clocks_of_any_kind_are_bent_into_use() {
        assert_eq!(remaining("wtime 1000 btime 5"), Duration::from_secs(1));
        assert_eq!(remaining("wtime -50 btime 5"), Duration::ZERO);
        assert_eq!(remaining("wtime 0"), Duration::ZERO);
        assert_eq!(remaining("btime 1000"), Duration::ZERO);
        assert_eq!(remaining("wtime"), Duration::ZERO);
        assert_eq!(remaining("wtime btime 100"), Duration::ZERO);
        assert_eq!(remaining("wtime 99999999999999999999999"), Duration::from_millis(LONGEST));
        assert_eq!(remaining("winc 100"), Duration::ZERO);
        assert_eq!(limits("wtime 9 movestogo 0").0.clock.unwrap().moves_to_go, None);
    }

    #[test]
    fn noughts_are_ones() {
        assert_eq!(limits("depth 0").0.depth, Some(1));
        assert_eq!(limits("nodes 0").0.nodes, Some(1));
        assert_eq!(limits("depth -3").0.depth, Some(1));
        assert_eq!(limits("mate 0").0.mate, Some(1));
    }

    #[test]
    fn only_what_is_wrong_is_told_and_the_rest_is_used() {
        let (found, _, told) = limits("quickly depth 3 searchmoves e2e4 e2e5 d2d4 nodes x");
        assert_eq!((found.depth, found.nodes, found.moves.len(), told), (Some(3), Some(1), 2, 3));
        assert!(limits("").0.infinite);
        assert!(limits("ponder wtime 100 btime 100").1);
        assert_eq!(Go::parse("perft 4", &Position::INITIAL, |_| ()), Go::Perft(4));
    }
}
