//! Self-play: a data set of games of the engine against itself.
//!
//! Each game starts from a random balanced opening; then every move is searched with the same number of
//! nodes. Positions in check, with a capture as best move, or with a decided score are skipped: the rest are
//! quiet positions, as an evaluation sees them. Rows are unique and shuffled.
//!
//! A game depends on the seed and its number alone, because the engine is cleared before it. So the files
//! are the same for any number of threads. The rows of each unit, a few dozen games, are cached in a file
//! ([`cache`]) until the data set is finished; a resumed run does not play them again. Other machines may play
//! units too ([`selfplay_shard`], [`UnitPlayer`]): the data set stays the same.

pub mod adjudicate;
pub mod cache;
pub mod game;
pub mod report;
mod unit;

use std::path::{Path, PathBuf};

use data::{
    Column, DataError, FileFormat, GenerateOptions, Partition, PrepareEvent, PrepareOptions,
    Prepared, RowOrder, Workers,
};
use engine::syzygy::Tablebases;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rescore::{SearchDepth, Teacher};
use adjudicate::AdjudicationRules;
pub use unit::{PlayedShard, UnitPlayer, selfplay_shard};

/// The directory of cached units, in the directory of the data set.
const CACHE: &str = "_games";

/// Options of [`selfplay`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfplayOptions {
    /// Games; unless given, as many as [`positions`](SelfplayOptions::positions) need.
    pub games: Option<u64>,
    /// Positions, at most, duplicates included.
    pub positions: Option<u64>,
    /// Nodes per move.
    pub nodes: u64,
    /// Each game starts from one of the 960 positions of Chess960.
    pub chess960: bool,
    /// Minimum and maximum number of random plies in the opening.
    pub random_plies: (u32, u32),
    /// Maximum absolute score of the opening, in centipawns …
    pub balance: i32,
    /// … by a search of this many nodes.
    pub balance_nodes: u64,
    /// Adjudication rules.
    pub adjudication: AdjudicationRules,
    /// The share of games in the validation split.
    pub val_fraction: f64,
    /// Random seed.
    pub seed: u64,
    /// Transposition table of each engine, in MiB.
    pub hash: usize,
    /// Games per unit of work.
    pub unit_games: u64,
    /// Rows per file.
    pub shard_rows: u64,
}

impl Default for SelfplayOptions {
    fn default() -> Self {
        Self {
            games: None,
            positions: None,
            nodes: 5_000,
            chess960: false,
            random_plies: (8, 12),
            balance: 200,
            balance_nodes: 2_000,
            adjudication: AdjudicationRules::default(),
            val_fraction: 0.0,
            seed: 0,
            hash: 8,
            unit_games: 32,
            shard_rows: 1 << 20,
        }
    }
}

impl SelfplayOptions {
    /// Refuses values out of range.
    fn check(&self) -> Result<(), DataError> {
        let bad = |text: &str| Err(DataError::Options(text.to_owned()));
        if self.games.is_none() && self.positions.is_none() {
            return bad("the number of games or of positions is missing");
        }
        if self.nodes == 0 || self.balance_nodes == 0 || self.unit_games == 0 || self.hash == 0 {
            return bad("nodes, hash and games per unit must be at least 1");
        }
        if self.random_plies.0 > self.random_plies.1 {
            return bad("the minimum number of random plies is above the maximum");
        }
        if self.balance < 1 {
            return bad("the balance must be at least 1");
        }
        Ok(())
    }

    /// Number of units; none if the number of games is unknown.
    pub fn units(&self) -> Option<u64> {
        self.games.map(|games| games.div_ceil(self.unit_games.max(1)))
    }

    /// The games of a unit.
    fn games_of(&self, unit: u64) -> std::ops::Range<u64> {
        let most = self.games.unwrap_or(u64::MAX);
        let first = unit.saturating_mul(self.unit_games).min(most);
        first..first.saturating_add(self.unit_games).min(most)
    }
}

/// The parameters of the games, as manifests record them.
fn describe(player: &Teacher, tablebases: Option<&Tablebases>, options: &SelfplayOptions) -> Value {
    let rules = &options.adjudication;
    let mut description = json!({
        "by": "selfplay",
        "player": player.describe(SearchDepth::Nodes(options.nodes)),
        "games": options.games,
        "random_plies": options.random_plies,
        "balance": [options.balance, options.balance_nodes as i64],
        "win": [rules.win_score, rules.win_plies as i32],
        "draw": [rules.draw_score, rules.draw_plies as i32, rules.draw_after as i32],
        "most_plies": rules.max_plies,
        "syzygy_pieces": tablebases.map(Tablebases::max_pieces),
        "hash": options.hash,
        "unit_games": options.unit_games,
    });
    // Absent in manifests of chess, as in those of earlier versions.
    if options.chess960 {
        description["chess960"] = true.into();
    }
    description
}

/// Plays games and writes a data set. An interrupted or killed run resumes. Progress events count games.
///
/// Units that other processes have played are taken from the directories of [`selfplay_shard`]; all others are played.
pub fn selfplay<'a, 'w>(
    folder: &Path,
    player: &Teacher,
    tablebases: Option<&Tablebases>,
    options: &SelfplayOptions,
    shards: &[PathBuf],
    workers: impl Into<Workers<'w>>,
    observer: impl FnMut(PrepareEvent<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    let workers = workers.into();
    let units = UnitPlayer::new(player, tablebases, options, workers)?;
    let making = GenerateOptions {
        inputs: Vec::new(),
        options: PrepareOptions {
            format: FileFormat::Packed,
            columns: Column::PACKED.map(|column| column.name().to_owned()).to_vec(),
            order: RowOrder::Unique,
            seed: options.seed,
            no_checks: true,
            no_captures: true,
            max_positions: options.positions,
            val_fraction: options.val_fraction,
            shard_rows: options.shard_rows,
            ..PrepareOptions::default()
        },
        generator: describe(player, tablebases, options),
        partitions: options.units().unwrap_or(u64::MAX),
    };
    let cache = folder.join(CACHE);
    let unit = |number: u64| {
        let read = options.games_of(number).end;
        let mut folders = shards.iter().map(PathBuf::as_path).chain([cache.as_path()]);
        if let Some(unit) = folders.find_map(|folder| units.read(folder, number)) {
            return Ok(Partition { read, ..unit });
        }
        let played = units.play(number)?;
        units.write(&cache, number, &played)?;
        Ok(Partition { read, ..played })
    };
    let prepared = data::generate(folder, &making, workers, unit, observer)?;
    if cache.exists() {
        std::fs::remove_dir_all(&cache).map_err(|cause| DataError::Io {
            what: "remove",
            path: cache.clone(),
            cause,
        })?;
    }
    Ok(prepared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::Counts;
    use engine::search::with_deep_stack;

    /// The rows of some games, played in this order by one engine.
    fn played(numbers: &[u64]) -> Vec<(u64, Vec<data::Row>)> {
        let options =
            SelfplayOptions { nodes: 60, balance_nodes: 50, ..SelfplayOptions::default() };
        let play = || {
            let mut engine = Teacher::Classic.engine(1).unwrap();
            let one = |&number: &u64| {
                let (mut rows, mut counts) = (Vec::new(), Counts::default());
                game::play(&mut engine, &options, None, number, &mut rows, &mut counts, &|| false);
                assert_eq!(counts.games, 1);
                (number, rows)
            };
            numbers.iter().map(one).collect()
        };
        with_deep_stack(play).unwrap()
    }

    #[test]
    fn a_game_depends_on_its_number_and_not_on_earlier_games() {
        let forward = played(&[0, 1, 2, 3]);
        let mut backward = played(&[3, 2, 1, 0]);
        backward.reverse();
        assert!(forward == backward);
        assert!(forward[0].1 != forward[1].1);
    }

    #[test]
    fn games_of_chess960_start_from_many_positions() {
        let options = SelfplayOptions {
            nodes: 20,
            balance_nodes: 20,
            chess960: true,
            random_plies: (0, 0),
            balance: 10_000,
            ..SelfplayOptions::default()
        };
        let first_rows = || -> Vec<chess::Position> {
            let mut engine = Teacher::Classic.engine(1).unwrap();
            let one = |number: u64| {
                let (mut rows, mut counts) = (Vec::new(), Counts::default());
                game::play(&mut engine, &options, None, number, &mut rows, &mut counts, &|| false);
                rows[0].packed.unpack().unwrap().position
            };
            (0..8).map(one).collect()
        };
        let positions = with_deep_stack(first_rows).unwrap();
        assert!(positions.iter().any(chess::Position::has_chess960_castling_rights));
        assert!((1..8).all(|n| positions[n] != positions[n - 1]));
    }

    #[test]
    fn rows_are_quiet_and_have_the_result_of_their_game() {
        let games = played(&[5, 6, 7]);
        for (number, rows) in &games {
            assert!(rows.len() > 10, "{number}");
            assert!(rows.iter().all(|row| game::is_quiet(&row.packed)));
            assert!(rows.iter().all(|row| row.packed.result() == rows[0].packed.result()));
        }
    }
}
