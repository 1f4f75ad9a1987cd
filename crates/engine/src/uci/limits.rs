//! Search limits from the arguments of `go`.

use std::time::Duration;

use chess::Color;
use uci::Go;

use crate::search::{Clock, Limits};

/// The limits of a search for the side to move. Without any limit the search is infinite.
pub fn search_limits(go: &Go, turn: Color) -> Limits {
    let mut limits = Limits {
        clock: None,
        move_time: go.move_time,
        depth: go.depth,
        nodes: go.nodes,
        mate: go.mate,
        infinite: go.infinite,
        moves: go.search_moves.clone(),
    };
    let us = turn as usize;
    let is_limited = go.move_time.is_some()
        || go.depth.is_some()
        || go.nodes.is_some()
        || go.mate.is_some()
        || go.time != [None; 2] && !go.infinite;
    let has_increment = go.increment != [Duration::ZERO; 2] || go.moves_to_go.is_some();
    // A clock for the opponent alone, or an increment without a clock: our time is up.
    if !go.infinite && (go.time != [None; 2] || !is_limited && has_increment) {
        limits.clock = Some(Clock {
            remaining: go.time[us].unwrap_or_default(),
            increment: go.increment[us],
            moves_to_go: go.moves_to_go,
        });
    } else if !is_limited && !go.ponder {
        limits.infinite = true;
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    fn limits(args: &str) -> Limits {
        search_limits(&Go::parse(args, &Position::INITIAL, |_| {}), Color::White)
    }

    fn remaining(args: &str) -> Duration {
        limits(args).clock.unwrap().remaining
    }

    #[test]
    fn malformed_clocks_count_as_expired() {
        assert_eq!(remaining("wtime 1000 btime 5"), Duration::from_secs(1));
        assert_eq!(remaining("wtime -50 btime 5"), Duration::ZERO);
        assert_eq!(remaining("wtime 0"), Duration::ZERO);
        assert_eq!(remaining("btime 1000"), Duration::ZERO);
        assert_eq!(remaining("wtime"), Duration::ZERO);
        assert_eq!(remaining("wtime btime 100"), Duration::ZERO);
        assert_eq!(remaining("wtime 99999999999999999999999"), Duration::from_millis(1 << 40));
        assert_eq!(remaining("winc 100"), Duration::ZERO);
        assert_eq!(limits("wtime 9 movestogo 0").clock.unwrap().moves_to_go, None);
    }

    #[test]
    fn without_a_limit_the_search_is_infinite() {
        assert!(limits("").infinite);
        assert!(limits("infinite wtime 100").clock.is_none());
        assert!(!limits("ponder").infinite && limits("ponder").clock.is_none());
        assert!(!limits("depth 3 winc 5").infinite && limits("depth 3 winc 5").clock.is_none());
    }
}
