//! What is counted on the way from games to rows.

use serde::{Deserialize, Serialize};

/// How many games and positions there were, and why some are not in the files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Games read, good or bad.
    pub games: u64,
    /// Games that are broken; what comes before the trouble is used.
    pub broken_games: u64,
    /// Games whose tag `Result` contradicts the result at the end of the moves; the tag counts.
    #[serde(default)]
    pub result_conflicts: u64,
    /// Games left out.
    pub skipped_games: SkippedGames,
    /// Moves of the main lines of the games that were not left out.
    pub moves: u64,
    /// Rows.
    pub positions: u64,
    /// Rows with an evaluation in centipawns.
    pub evals: u64,
    /// Rows with a mate.
    pub mates: u64,
    /// Evaluations that have no room, and count as none.
    pub evals_out_of_range: u64,
    /// Positions left out.
    pub skipped_positions: SkippedPositions,
}

/// Why games are left out: the first reason that holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkippedGames {
    /// They belong to another part of the games.
    pub other_shard: u64,
    /// A rating is too low, too high, or not known.
    pub elo: u64,
    /// They ended otherwise.
    pub result: u64,
    /// They had another time control.
    pub time_control: u64,
}

/// Why positions are left out: the first reason that holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkippedPositions {
    /// A null move was played.
    pub null_move: u64,
    /// At the beginning of a game.
    pub skip_plies: u64,
    /// Between the positions that are taken.
    pub every: u64,
    /// By chance.
    pub sample_rate: u64,
    /// There is no evaluation.
    pub no_eval: u64,
    /// The player to move is in check.
    pub check: u64,
    /// A capture was played.
    pub capture: u64,
    /// A clock that has no room in a row.
    pub clock_out_of_range: u64,
    /// The same position is there already.
    pub duplicate: u64,
}

impl Counts {
    /// Adds what was counted in another part.
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

impl SkippedGames {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.other_shard + self.elo + self.result + self.time_control
    }
}
