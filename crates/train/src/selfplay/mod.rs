//! Self-play: a data set of games of the engine against itself.
//!
//! Each game starts from a random balanced opening; then every move is searched with the same number of
//! nodes. Positions in check, with a capture as best move, or with a decided score are skipped: the rest are
//! quiet positions, as an evaluation sees them. Rows are unique and shuffled.
//!
//! A game depends on the seed and its number alone, because the engine is cleared before it. So the files
//! are the same for any number of threads. The rows of each unit, a few dozen games, are cached in a file
//! ([`cache`]) until the data set is finished; a resumed run does not play them again.

pub mod adjudicate;
pub mod cache;
pub mod game;

use std::path::Path;

use data::{
    Column, DataError, FileFormat, GenerateOptions, Partition, PrepareEvent, PrepareOptions,
    Prepared, RowOrder, Workers,
};
use engine::search::{Engine, with_deep_stack};
use engine::syzygy::Tablebases;
use serde_json::json;

use crate::pool::Pool;
use crate::rescore::{SearchDepth, Teacher};
use adjudicate::Adjudication;

/// The folder of cached units, in the folder of the data set.
const CACHE: &str = "_games";

/// Options of [`selfplay`].
#[derive(Clone, PartialEq, Debug)]
pub struct SelfplayOptions {
    /// Games; unless given, as many as [`positions`](SelfplayOptions::positions) need.
    pub games: Option<u64>,
    /// Positions, at most, duplicates included.
    pub positions: Option<u64>,
    /// Nodes per move.
    pub nodes: u64,
    /// Minimum and maximum number of random plies in the opening.
    pub random_plies: (u32, u32),
    /// Maximum absolute score of the opening, in centipawns …
    pub balance: i32,
    /// … by a search of this many nodes.
    pub balance_nodes: u64,
    /// Adjudication rules.
    pub adjudication: Adjudication,
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
            random_plies: (8, 12),
            balance: 200,
            balance_nodes: 2_000,
            adjudication: Adjudication::default(),
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

    /// The games of a unit.
    fn games_of(&self, unit: u64) -> std::ops::Range<u64> {
        let most = self.games.unwrap_or(u64::MAX);
        let first = unit.saturating_mul(self.unit_games).min(most);
        first..first.saturating_add(self.unit_games).min(most)
    }
}

/// Plays games and writes a data set. An interrupted or killed run resumes. Progress events count games.
pub fn selfplay<'a, 'w>(
    folder: &Path,
    player: &Teacher,
    tablebases: Option<&Tablebases>,
    options: &SelfplayOptions,
    workers: impl Into<Workers<'w>>,
    observer: impl FnMut(PrepareEvent<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    options.check()?;
    let rules = &options.adjudication;
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
        generator: json!({
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
        }),
        partitions: options.games.map_or(u64::MAX, |games| games.div_ceil(options.unit_games)),
    };
    let cache = folder.join(CACHE);
    let workers = workers.into();
    let players = Players { player, tablebases, options, workers, engines: Pool::default() };
    let unit = |number: u64| {
        let read = options.games_of(number).end;
        let path = cache.join(format!("{number:07}.games"));
        if let Some(unit) = cache::read(&path) {
            return Ok(Partition { read, ..unit });
        }
        let mut engine = players.engines.take(|| players.create())?;
        let played =
            with_deep_stack(|| players.play(&mut engine, number)).ok_or(DataError::Panicked)??;
        players.engines.put_back(engine);
        std::fs::create_dir_all(&cache).map_err(|cause| DataError::Io {
            what: "create folder",
            path: cache.clone(),
            cause,
        })?;
        cache::write(&path, &played)?;
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

/// What the games of all units share.
struct Players<'p> {
    player: &'p Teacher,
    tablebases: Option<&'p Tablebases>,
    options: &'p SelfplayOptions,
    workers: Workers<'p>,
    engines: Pool<Engine>,
}

impl Players<'_> {
    fn create(&self) -> Result<Engine, DataError> {
        let engine = self.player.engine(self.options.hash);
        let mut engine = engine.map_err(|error| DataError::Options(error.to_string()))?;
        engine.set_tablebases(self.tablebases.cloned());
        Ok(engine)
    }

    /// Plays the games of a unit, unless interrupted.
    fn play(&self, engine: &mut Engine, unit: u64) -> Result<Partition, DataError> {
        let mut played = Partition::default();
        for number in self.options.games_of(unit) {
            let Partition { rows, counts, .. } = &mut played;
            let is_stopped = || self.workers.are_stopped();
            game::play(engine, self.options, self.tablebases, number, rows, counts, &is_stopped);
            if is_stopped() {
                return Err(DataError::Interrupted { resumes: true });
            }
        }
        Ok(played)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::Counts;

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
    fn rows_are_quiet_and_have_the_result_of_their_game() {
        let games = played(&[5, 6, 7]);
        for (number, rows) in &games {
            assert!(rows.len() > 10, "{number}");
            assert!(rows.iter().all(|row| game::is_quiet(&row.packed)));
            assert!(rows.iter().all(|row| row.packed.result() == rows[0].packed.result()));
        }
    }
}
