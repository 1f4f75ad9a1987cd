//! What an engine says while it thinks: `info depth 12 score cp 31 nodes 48216 pv e2e4 e7e5`.

use chess::Position;

/// How good the engine thinks its own position is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// In hundredths of a pawn.
    Centipawns(i32),
    /// Moves to mate; negative if the engine is to be mated.
    Mate(i32),
}

impl Score {
    /// In hundredths of a pawn, mates beyond everything else.
    pub fn centipawns(self) -> i32 {
        const MATE: i32 = 100_000;
        match self {
            Self::Centipawns(value) => value.clamp(-MATE / 2, MATE / 2),
            Self::Mate(moves) if moves > 0 => MATE - moves.min(1000),
            Self::Mate(moves) => -MATE - moves.max(-1000),
        }
    }
}

/// The words of an `info` line that a match needs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info<'a> {
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub score: Option<Score>,
    /// Whether the score is only a bound.
    pub is_bound: bool,
    /// Which of several lines this is; the first if it does not say.
    pub multipv: u32,
    /// The moves behind `pv`.
    pub pv: Vec<&'a str>,
}

impl<'a> Info<'a> {
    /// Reads a line; nothing if it is none of these, or only a text. Words that make no sense are
    /// passed over: engines say all kinds of things.
    pub fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("info") {
            return None;
        }
        let mut info = Self { multipv: 1, ..Self::default() };
        while let Some(word) = words.next() {
            match word {
                "string" => break,
                "depth" => info.depth = words.next().and_then(|value| value.parse().ok()),
                "nodes" => info.nodes = words.next().and_then(|value| value.parse().ok()),
                "multipv" => {
                    info.multipv = words.next().and_then(|value| value.parse().ok()).unwrap_or(1);
                }
                "score" => {
                    let kind = words.next();
                    let value = words.next().and_then(|value| value.parse().ok());
                    info.score = match (kind, value) {
                        (Some("cp"), Some(value)) => Some(Score::Centipawns(value)),
                        (Some("mate"), Some(moves)) => Some(Score::Mate(moves)),
                        _ => None,
                    };
                }
                "lowerbound" | "upperbound" => info.is_bound = true,
                "pv" => {
                    info.pv = words.by_ref().collect();
                }
                _ => {}
            }
        }
        Some(info)
    }

    /// The first move of the line that cannot be played.
    pub fn illegal_pv_move(&self, position: &Position) -> Option<&'a str> {
        let mut position = *position;
        for &text in &self.pv {
            match position.parse_uci(text) {
                Ok(m) => position = position.after(m),
                Err(_) => return Some(text),
            }
        }
        None
    }
}

/// What is known about a move from all that the engine said before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thought {
    pub score: Option<Score>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
}

impl Thought {
    /// Takes what a line adds. A bound counts only as long as there is nothing better.
    pub fn add(&mut self, info: &Info<'_>) {
        self.nodes = info.nodes.or(self.nodes);
        if info.multipv != 1 || info.score.is_none() || (info.is_bound && self.score.is_some()) {
            return;
        }
        self.score = info.score;
        self.depth = info.depth.or(self.depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_line_are_found_in_any_order() {
        let line = "info seldepth 9 depth 7 multipv 2 score cp -31 upperbound nodes 48216 nps x pv e2e4 e7e5";
        let info = Info::parse(line).unwrap();
        assert_eq!((info.depth, info.nodes, info.multipv), (Some(7), Some(48216), 2));
        assert_eq!((info.score, info.is_bound), (Some(Score::Centipawns(-31)), true));
        assert_eq!(info.pv, ["e2e4", "e7e5"]);
        assert_eq!(Info::parse("info string depth 3").unwrap().depth, None);
        assert_eq!(Info::parse("bestmove e2e4"), None);
        assert_eq!(Info::parse("info score mate -3").unwrap().score, Some(Score::Mate(-3)));
        assert_eq!(Info::parse("info score cp much depth").unwrap().score, None);
    }

    #[test]
    fn a_line_of_moves_is_followed_to_the_first_that_is_illegal() {
        let illegal = |line| Info::parse(line).unwrap().illegal_pv_move(&Position::INITIAL);
        assert_eq!(illegal("info pv e2e4 e7e5 g1f3"), None);
        assert_eq!(illegal("info pv e2e4 e2e4 g1f3"), Some("e2e4"));
        assert_eq!(illegal("info pv 0000"), Some("0000"));
    }

    #[test]
    fn bounds_and_second_lines_do_not_displace_a_score() {
        let mut thought = Thought::default();
        for line in [
            "info depth 1 score cp 10 lowerbound nodes 5",
            "info depth 2 score cp 20 nodes 50",
            "info depth 3 score cp 90 lowerbound nodes 60",
            "info depth 3 multipv 2 score cp -70 nodes 70",
            "info currmove e2e4",
        ] {
            thought.add(&Info::parse(line).unwrap());
        }
        assert_eq!(thought.score, Some(Score::Centipawns(20)));
        assert_eq!((thought.depth, thought.nodes), (Some(2), Some(70)));
    }

    #[test]
    fn mates_are_beyond_all_scores_and_nearer_ones_farther_out() {
        let value = Score::centipawns;
        assert!(value(Score::Mate(1)) > value(Score::Mate(5)));
        assert!(value(Score::Mate(5)) > value(Score::Centipawns(i32::MAX)));
        assert!(value(Score::Mate(-1)) < value(Score::Mate(-5)));
        assert!(value(Score::Mate(0)) < value(Score::Centipawns(i32::MIN)));
    }
}
