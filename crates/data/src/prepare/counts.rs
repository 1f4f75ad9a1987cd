//! Counts of games, positions and filtered rows.

use chess::PackedRow;
use chess::pgn::Score;
use serde::{Deserialize, Serialize};

/// Number of games and positions, and of those left out, by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Games read, broken ones included.
    pub games: u64,
    /// Broken games; the moves before the error are used.
    pub broken_games: u64,
    /// Games whose tag `Result` contradicts the result token; the tag counts.
    #[serde(default)]
    pub result_conflicts: u64,
    /// Games left out.
    pub skipped_games: SkippedGames,
    /// Main line moves of the games that were not left out.
    pub moves: u64,
    /// Rows.
    pub positions: u64,
    /// Rows with a centipawn evaluation.
    pub evals: u64,
    /// Rows with a mate score.
    pub mates: u64,
    /// Evaluations out of range, stored as null.
    pub evals_out_of_range: u64,
    /// Positions left out.
    pub skipped_positions: SkippedPositions,
}

/// Games left out, by the first filter that applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkippedGames {
    /// Assigned to another `--shard`.
    pub other_shard: u64,
    /// A rating is out of range or unknown.
    pub elo: u64,
    /// Another result.
    pub result: u64,
    /// Another time control.
    pub time_control: u64,
}

/// Positions left out, by the first filter that applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkippedPositions {
    /// Followed by a null move.
    pub null_move: u64,
    /// Within the first plies of a game.
    pub skip_plies: u64,
    /// Between the sampled plies.
    pub every: u64,
    /// Random sampling.
    pub sample_rate: u64,
    /// No evaluation.
    pub no_eval: u64,
    /// The side to move is in check.
    pub check: u64,
    /// Followed by a capture.
    pub capture: u64,
    /// Halfmove clock or move number out of range of a packed row.
    pub clock_out_of_range: u64,
    /// Duplicate of an earlier position.
    pub duplicate: u64,
}

impl Counts {
    /// Adds the counts of another part.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.games, other.games),
            (&mut self.broken_games, other.broken_games),
            (&mut self.result_conflicts, other.result_conflicts),
            (&mut self.moves, other.moves),
            (&mut self.positions, other.positions),
            (&mut self.evals, other.evals),
            (&mut self.mates, other.mates),
            (&mut self.evals_out_of_range, other.evals_out_of_range),
        ];
        for (whole, part) in pairs {
            *whole += part;
        }
        let (games, more) = (&mut self.skipped_games, &other.skipped_games);
        games.other_shard += more.other_shard;
        games.elo += more.elo;
        games.result += more.result;
        games.time_control += more.time_control;
        let (positions, more) = (&mut self.skipped_positions, &other.skipped_positions);
        positions.null_move += more.null_move;
        positions.skip_plies += more.skip_plies;
        positions.every += more.every;
        positions.sample_rate += more.sample_rate;
        positions.no_eval += more.no_eval;
        positions.check += more.check;
        positions.capture += more.capture;
        positions.clock_out_of_range += more.clock_out_of_range;
        positions.duplicate += more.duplicate;
    }
}

impl Counts {
    /// Counts the score of a row.
    pub(crate) fn add_score(&mut self, row: PackedRow) {
        match row.score() {
            Ok(Some(Score::Centipawns(_))) => self.evals += 1,
            Ok(Some(Score::Mate(_))) => self.mates += 1,
            _ => {}
        }
    }

    /// The counts of the games alone: rows are counted again when they are written.
    pub(crate) fn without_rows(&self) -> Self {
        Self { positions: 0, evals: 0, mates: 0, ..*self }
    }
}

impl SkippedGames {
    /// Number of games left out.
    pub const fn total(&self) -> u64 {
        self.other_shard + self.elo + self.result + self.time_control
    }
}
