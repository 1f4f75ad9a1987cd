//! The results of one search by depth, and the interface of what searches.

use chess::{Game, Move, Position};

use super::worker::{AnalysisEngine, AnalysisError, PvLine};
use crate::search::Limits;
use crate::value::{Value, is_decided};
use crate::wdl::carry_cp;

/// The result of one iteration, for the side to move.
#[derive(Clone, Default, Debug)]
pub(super) struct DepthResult {
    pub(super) depth: i32,
    pub(super) score: Value,
    /// Nodes searched so far.
    pub(super) nodes: u64,
    pub(super) pv: Vec<Move>,
}

impl From<&PvLine> for DepthResult {
    fn from(line: &PvLine) -> Self {
        Self { depth: line.depth, score: line.score, nodes: line.nodes, pv: line.moves.clone() }
    }
}

/// The results of one search by depth, the deepest last; never empty.
#[derive(Clone, Debug)]
pub struct SearchResults(pub(super) Vec<DepthResult>);

/// Searches positions: an engine, or a script in tests.
pub trait PositionSearch {
    /// Clears the hash table and the histories before a new game.
    fn new_game(&mut self);

    /// Searches a position that has a legal move; `None` if the search was stopped from outside.
    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
    ) -> Result<Option<SearchResults>, AnalysisError>;
}

impl PositionSearch for AnalysisEngine {
    fn new_game(&mut self) {
        self.new_game();
    }

    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
    ) -> Result<Option<SearchResults>, AnalysisError> {
        let mut by_depth: Vec<DepthResult> = Vec::new();
        let lines = self.search_lines(game, limits, |line| {
            by_depth.retain(|result| result.depth < line.depth);
            by_depth.push(line.into());
        })?;
        if self.is_stopped() {
            return Ok(None);
        }
        if by_depth.is_empty() {
            by_depth.push(lines.first().map_or_else(DepthResult::default, DepthResult::from));
        }
        Ok(Some(SearchResults(by_depth)))
    }
}

impl SearchResults {
    /// A score known without a search, at depth 0.
    pub(super) fn known(score: Value) -> Self {
        Self(vec![DepthResult { score, ..DepthResult::default() }])
    }

    /// The deepest result.
    pub(super) fn last(&self) -> &DepthResult {
        &self.0[self.0.len() - 1]
    }

    /// The result at a depth, or at the deepest one below it.
    pub(super) fn at(&self, depth: i32) -> &DepthResult {
        self.0.iter().rfind(|result| result.depth <= depth).unwrap_or(&self.0[0])
    }

    /// The same results for the position after the first move of the PV: a mate is one ply nearer there, and
    /// the same value may be other centipawns.
    pub(super) fn after_move(&self, before: &Position, after: &Position) -> Self {
        let nearer = |score: Value| match is_decided(score) {
            true => score + score.signum(),
            false => carry_cp(score, before, after),
        };
        let shifted = self.0.iter().map(|result| DepthResult {
            depth: result.depth - 1,
            score: -nearer(result.score),
            nodes: result.nodes,
            pv: result.pv.get(1..).unwrap_or_default().to_vec(),
        });
        Self(shifted.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{mate_in, mated_in};

    #[test]
    fn a_mate_is_one_ply_nearer_after_the_move() {
        let results =
            |score| SearchResults(vec![DepthResult { depth: 5, score, ..DepthResult::default() }]);
        let initial = Position::INITIAL;
        let after = |score| results(score).after_move(&initial, &initial).last().score;
        assert_eq!(after(mate_in(7)), mated_in(6));
        assert_eq!(after(mated_in(6)), mate_in(5));
        assert_eq!(after(35), -35);
    }
}
