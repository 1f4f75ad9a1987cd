//! The levels of the player, named by strategy or time.

use std::time::Duration;

use paco::Strategy;

use crate::protocol::PacoLevel;

/// A strength.
pub struct Strength {
    name: &'static str,
    detail: &'static str,
    /// How turns are chosen.
    pub strategy: Strategy,
    /// The depth of a search in turns.
    pub depth: u32,
    /// The time of a search.
    pub time: Duration,
}

const fn strength(
    name: &'static str,
    detail: &'static str,
    strategy: Strategy,
    depth: u32,
    milliseconds: u64,
) -> Strength {
    Strength { name, detail, strategy, depth, time: Duration::from_millis(milliseconds) }
}

/// All strengths, the weakest first.
pub const STRENGTHS: [Strength; 6] = [
    strength("Random", "any legal actions", Strategy::Random, 0, 0),
    strength("Greedy", "the turn that looks best at once", Strategy::Greedy, 0, 0),
    strength("Two turns", "searches its turn and your reply", Strategy::Search, 2, 1_000),
    strength("Half a second", "searches for half a second", Strategy::Search, 32, 500),
    strength("Two seconds", "searches for two seconds", Strategy::Search, 32, 2_000),
    strength("Five seconds", "searches for five seconds", Strategy::Search, 32, 5_000),
];

/// The strengths for the page.
pub fn levels() -> Vec<PacoLevel> {
    let level =
        |of: &Strength| PacoLevel { name: of.name.to_owned(), detail: of.detail.to_owned() };
    STRENGTHS.iter().map(level).collect()
}
