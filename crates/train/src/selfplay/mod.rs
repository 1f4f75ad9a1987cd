//! A data set of games that the engine plays against itself.
//!
//! Each game begins with random moves, as long as they leave the position balanced; then every move is
//! searched with the same number of nodes. Positions in which the player is in check, would capture, or
//! sees the end are left out: what is left is what an evaluation is asked for. When all games are played,
//! every position is taken once, in random order.
//!
//! A game depends on the seed and its number alone: the engine forgets everything before it begins. So
//! the files are the same whatever the threads. The games of a unit, a few dozen, are kept in a file of
//! their own ([`kept`]) until the data set is there; after a kill they are not played again.

pub mod adjudicate;
pub mod game;
pub mod kept;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use data::{
    Column, DataError, FileFormat, GenerateOptions, Partition, PrepareEvent, PrepareOptions,
    Prepared, RowOrder, Workers,
};
use engine::search::{Engine, with_deep_stack};
use engine::syzygy::Tablebases;
use serde_json::json;

use crate::rescore::Teacher;
use adjudicate::Adjudication;

/// The folder of games that have been played, in the folder of the data set.
const GAMES: &str = "_games";

/// How games are played, and which of their positions are taken.
#[derive(Clone, PartialEq, Debug)]
pub struct SelfplayOptions {
    /// How many games; without it, as many as [`positions`](SelfplayOptions::positions) need.
    pub games: Option<u64>,
    /// Enough positions, before duplicates are removed.
    pub positions: Option<u64>,
    /// Positions searched for each move.
    pub nodes: u64,
    /// The least and the greatest number of random moves that a game begins with.
    pub random_plies: (u32, u32),
    /// The position after them must be worth no more than this to either player, in centipawns …
    pub balance: i32,
    /// … as a search of so many positions says.
    pub balance_nodes: u64,
    /// When games end early.
    pub adjudication: Adjudication,
    /// The share of games that is put aside for validation.
    pub val_fraction: f64,
    /// Random seed.
    pub seed: u64,
    /// The table of each engine, in MiB.
    pub hash: usize,
    /// How many games are a unit of work.
    pub unit_games: u64,
    /// How many rows a file has.
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
    /// Whether they make sense.
    fn check(&self) -> Result<(), DataError> {
        let bad = |text: &str| Err(DataError::Options(text.to_owned()));
        if self.games.is_none() && self.positions.is_none() {
            return bad("how much is to be played: so many games, or so many positions?");
        }
        if self.nodes == 0 || self.balance_nodes == 0 || self.unit_games == 0 || self.hash == 0 {
            return bad("nodes, hash and games of a unit must be at least 1");
        }
        if self.random_plies.0 > self.random_plies.1 {
            return bad("the least number of random moves is above the greatest");
        }
        if self.balance < 1 {
            return bad("the balance must be at least 1");
        }
        Ok(())
    }

    /// The numbers of the games of a unit.
    fn games_of(&self, unit: u64) -> std::ops::Range<u64> {
        let most = self.games.unwrap_or(u64::MAX);
        let first = unit.saturating_mul(self.unit_games).min(most);
        first..first.saturating_add(self.unit_games).min(most)
    }
}

/// Plays games and makes a data set of them. Resumes a run that was killed or stopped. The observer is told how
/// many games have been played.
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
            "player": player.described(crate::rescore::Look::Nodes(options.nodes)),
            "games": options.games,
            "random_plies": options.random_plies,
            "balance": [options.balance, options.balance_nodes as i64],
            "win": [rules.win_score, rules.win_plies as i32],
            "draw": [rules.draw_score, rules.draw_plies as i32, rules.draw_after as i32],
            "most_plies": rules.most_plies,
            "syzygy_pieces": tablebases.map(Tablebases::max_pieces),
            "hash": options.hash,
            "unit_games": options.unit_games,
        }),
        partitions: options.games.map_or(u64::MAX, |games| games.div_ceil(options.unit_games)),
    };
    let kept = folder.join(GAMES);
    let workers = workers.into();
    let players = Players { player, tablebases, options, workers, idle: Mutex::default() };
    let unit = |number: u64| {
        let read = options.games_of(number).end;
        let path = kept.join(format!("{number:07}.games"));
        if let Some(unit) = kept::read(&path) {
            return Ok(Partition { read, ..unit });
        }
        let mut engine = players.take()?;
        let played =
            with_deep_stack(|| players.play(&mut engine, number)).ok_or(DataError::Panicked)??;
        players.put_back(engine);
        std::fs::create_dir_all(&kept).map_err(|cause| DataError::Io {
            what: "create folder",
            path: kept.clone(),
            cause,
        })?;
        kept::write(&path, &played)?;
        Ok(Partition { read, ..played })
    };
    let prepared = data::generate(folder, &making, workers, unit, observer)?;
    if kept.exists() {
        std::fs::remove_dir_all(&kept).map_err(|cause| DataError::Io {
            what: "remove",
            path: kept.clone(),
            cause,
        })?;
    }
    Ok(prepared)
}

/// Engines that nobody uses: as many as threads have needed at the same time.
struct Players<'p> {
    player: &'p Teacher,
    tablebases: Option<&'p Tablebases>,
    options: &'p SelfplayOptions,
    workers: Workers<'p>,
    idle: Mutex<Vec<Engine>>,
}

impl Players<'_> {
    fn take(&self) -> Result<Engine, DataError> {
        if let Some(engine) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(engine);
        }
        let engine = self.player.engine(self.options.hash);
        let mut engine = engine.map_err(|error| DataError::Options(error.to_string()))?;
        engine.set_tablebases(self.tablebases.cloned());
        Ok(engine)
    }

    fn put_back(&self, engine: Engine) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(engine);
    }

    /// Plays the games of a unit, unless it is stopped before their end.
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

    /// The rows of a few games, played in this order by one engine.
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
    fn a_game_depends_on_its_number_and_not_on_those_before_it() {
        let forward = played(&[0, 1, 2, 3]);
        let mut backward = played(&[3, 2, 1, 0]);
        backward.reverse();
        assert!(forward == backward);
        assert!(forward[0].1 != forward[1].1);
    }

    #[test]
    fn rows_are_quiet_and_know_how_their_game_ended() {
        let games = played(&[5, 6, 7]);
        for (number, rows) in &games {
            assert!(rows.len() > 10, "{number}");
            assert!(rows.iter().all(|row| game::is_quiet(&row.packed)));
            assert!(rows.iter().all(|row| row.packed.result() == rows[0].packed.result()));
        }
    }
}
