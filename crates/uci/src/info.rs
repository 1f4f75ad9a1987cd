//! `info` lines: `info depth 12 score cp 31 nodes 48216 pv e2e4 e7e5`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use chess::{Position, Score};

use crate::field;

/// An `info` line. Fields are named as in the protocol; what the line lacks is `None`, `false` or empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "the names are the protocol's own")]
pub struct Info {
    pub depth: Option<u32>,
    pub seldepth: Option<u32>,
    pub multipv: Option<u32>,
    /// From the engine's point of view.
    pub score: Option<Score>,
    pub lowerbound: bool,
    pub upperbound: bool,
    /// Win, draw and loss in permille.
    pub wdl: Option<[u32; 3]>,
    pub nodes: Option<u64>,
    pub nps: Option<u64>,
    /// In permille.
    pub hashfull: Option<u32>,
    pub tbhits: Option<u64>,
    pub time: Option<Duration>,
    pub currmove: Option<String>,
    pub currmovenumber: Option<u32>,
    pub pv: Vec<String>,
}

impl Info {
    /// Parses a line; `None` if it is not an `info` line. Unknown words are skipped, and everything after
    /// `string` is free text.
    ///
    /// ```
    /// use tabiya_uci::chess::Score;
    /// let info = tabiya_uci::Info::parse("info depth 7 score cp -31 pv e2e4").unwrap();
    /// assert_eq!((info.depth, info.score), (Some(7), Some(Score::Centipawns(-31))));
    /// ```
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("info") {
            return None;
        }
        let mut info = Self::default();
        let words = &mut words;
        while let Some(word) = words.next() {
            match word {
                "string" => break,
                "depth" => info.depth = next(words),
                "seldepth" => info.seldepth = next(words),
                "multipv" => info.multipv = next(words),
                "score" => {
                    info.score = match (words.next(), next(words)) {
                        (Some("cp"), Some(value)) => Some(Score::Centipawns(value)),
                        (Some("mate"), Some(moves)) => Some(Score::Mate(moves)),
                        _ => None,
                    };
                }
                "lowerbound" => info.lowerbound = true,
                "upperbound" => info.upperbound = true,
                "wdl" => {
                    let [win, draw, loss] = [next(words), next(words), next(words)];
                    info.wdl = win.zip(draw).zip(loss).map(|((win, draw), loss)| [win, draw, loss]);
                }
                "nodes" => info.nodes = next(words),
                "nps" => info.nps = next(words),
                "hashfull" => info.hashfull = next(words),
                "tbhits" => info.tbhits = next(words),
                "time" => info.time = next(words).map(Duration::from_millis),
                "currmove" => info.currmove = next(words),
                "currmovenumber" => info.currmovenumber = next(words),
                "pv" => info.pv = words.by_ref().map(str::to_owned).collect(),
                _ => {}
            }
        }
        Some(info)
    }

    /// The first move of `pv` that is illegal.
    pub fn illegal_pv_move(&self, position: &Position) -> Option<&str> {
        let mut position = *position;
        self.pv.iter().map(String::as_str).find(|text| match position.parse_uci(text) {
            Ok(m) => {
                position = position.after(m);
                false
            }
            Err(_) => true,
        })
    }

    /// The score of a position without legal moves: checkmate or stalemate.
    pub fn no_legal_moves(position: &Position) -> Self {
        let score = if position.in_check() { Score::Mate(0) } else { Score::Centipawns(0) };
        Self { depth: Some(0), score: Some(score), ..Self::default() }
    }
}

/// The next word as a value; `None` if it is missing or malformed.
fn next<'a, T: FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    words.next()?.parse().ok()
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        field(f, "depth", self.depth)?;
        field(f, "seldepth", self.seldepth)?;
        field(f, "multipv", self.multipv)?;
        field(f, "score", self.score)?;
        f.write_str(if self.lowerbound { " lowerbound" } else { "" })?;
        f.write_str(if self.upperbound { " upperbound" } else { "" })?;
        field(f, "wdl", self.wdl.map(|[win, draw, loss]| format!("{win} {draw} {loss}")))?;
        field(f, "nodes", self.nodes)?;
        field(f, "nps", self.nps)?;
        field(f, "hashfull", self.hashfull)?;
        field(f, "tbhits", self.tbhits)?;
        field(f, "time", self.time.map(|time| time.as_millis()))?;
        field(f, "currmove", self.currmove.as_ref())?;
        field(f, "currmovenumber", self.currmovenumber)?;
        field(f, "pv", (!self.pv.is_empty()).then(|| self.pv.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_parsed_in_any_order() {
        let line = "info seldepth 9 depth 7 multipv 2 score cp -31 upperbound nodes 48216 nps x pv e2e4 e7e5";
        let info = Info::parse(line).unwrap();
        assert_eq!((info.depth, info.nodes, info.multipv), (Some(7), Some(48216), Some(2)));
        assert_eq!((info.score, info.upperbound), (Some(Score::Centipawns(-31)), true));
        assert_eq!(info.pv, ["e2e4", "e7e5"]);
        assert_eq!(Info::parse("info string depth 3").unwrap().depth, None);
        assert_eq!(Info::parse("bestmove e2e4"), None);
        assert_eq!(Info::parse("info score mate -3").unwrap().score, Some(Score::Mate(-3)));
        assert_eq!(Info::parse("info score cp much depth").unwrap().score, None);
    }

    #[test]
    fn what_is_written_is_parsed_back() {
        for line in [
            "info depth 9 seldepth 14 multipv 1 score mate 3 lowerbound wdl 1000 0 0 nodes 5 nps 6 \
             hashfull 7 tbhits 8 time 9 pv e2e4 e7e5",
            "info depth 0 score cp 0",
            "info depth 3 currmove e2e4 currmovenumber 1",
        ] {
            assert_eq!(Info::parse(line).unwrap().to_string(), line);
        }
    }

    #[test]
    fn a_pv_is_checked_up_to_its_first_illegal_move() {
        let illegal = |line| {
            let info = Info::parse(line).unwrap();
            info.illegal_pv_move(&Position::INITIAL).map(str::to_owned)
        };
        assert_eq!(illegal("info pv e2e4 e7e5 g1f3"), None);
        assert_eq!(illegal("info pv e2e4 e2e4 g1f3").as_deref(), Some("e2e4"));
        assert_eq!(illegal("info pv 0000").as_deref(), Some("0000"));
    }
}
