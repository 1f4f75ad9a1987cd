//! Units of self-play: a few dozen games each, played by any process in any order.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use data::threads::{in_threads, lock};
use data::{DataError, Partition, PrepareEvent, Workers};
use engine::search::{Engine, with_deep_stack};
use engine::syzygy::Tablebases;

use super::cache::{self, Key};
use super::{SelfplayOptions, describe, game};
use crate::pool::Pool;
use crate::rescore::Teacher;

/// Plays units, which depend on the options and their number alone.
pub struct UnitPlayer<'p> {
    player: &'p Teacher,
    tablebases: Option<&'p Tablebases>,
    options: &'p SelfplayOptions,
    workers: Workers<'p>,
    engines: Pool<Engine>,
    key: Key,
}

impl<'p> UnitPlayer<'p> {
    /// Refuses options that are out of range.
    pub fn new(
        player: &'p Teacher,
        tablebases: Option<&'p Tablebases>,
        options: &'p SelfplayOptions,
        workers: impl Into<Workers<'p>>,
    ) -> Result<Self, DataError> {
        options.check()?;
        let mut determined_by = describe(player, tablebases, options);
        determined_by["seed"] = options.seed.into();
        determined_by["val_fraction"] = options.val_fraction.into();
        let context = concat!("tabiya ", env!("CARGO_PKG_VERSION"), " unit of self-play");
        let key = blake3::derive_key(context, determined_by.to_string().as_bytes());
        let (workers, engines) = (workers.into(), Pool::default());
        Ok(Self { player, tablebases, options, workers, engines, key })
    }

    /// The file of a unit in a directory.
    pub fn path(folder: &Path, number: u64) -> PathBuf {
        folder.join(format!("{number:07}.games"))
    }

    /// Reads a unit, if its file exists, is not damaged, and has games of these options.
    pub fn read(&self, folder: &Path, number: u64) -> Option<Partition> {
        cache::read(&Self::path(folder, number), &self.key)
    }

    /// Writes a unit.
    pub fn write(&self, folder: &Path, number: u64, unit: &Partition) -> Result<(), DataError> {
        std::fs::create_dir_all(folder).map_err(|cause| DataError::Io {
            what: "create directory",
            path: folder.to_owned(),
            cause,
        })?;
        cache::write(&Self::path(folder, number), unit, &self.key)
    }

    /// The content of the file of a unit.
    pub fn encode(&self, unit: &Partition) -> Result<Vec<u8>, DataError> {
        cache::encode(unit, &self.key)
    }

    /// Plays the games of a unit, unless interrupted.
    pub fn play(&self, number: u64) -> Result<Partition, DataError> {
        let mut engine = self.engines.take(|| self.create())?;
        let played = with_deep_stack(|| self.play_games(&mut engine, number));
        let played = played.ok_or(DataError::Panicked)??;
        self.engines.put_back(engine);
        Ok(played)
    }

    fn create(&self) -> Result<Engine, DataError> {
        let engine = self.player.engine(self.options.hash);
        let mut engine = engine.map_err(|error| DataError::Options(error.to_string()))?;
        engine.set_tablebases(self.tablebases.cloned());
        Ok(engine)
    }

    fn play_games(&self, engine: &mut Engine, unit: u64) -> Result<Partition, DataError> {
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

/// The units of a shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlayedShard {
    /// Number of units.
    pub units: u64,
    /// Number of those that had been played before.
    pub played_before: u64,
    /// Games of all units.
    pub games: u64,
    /// Rows of all units, duplicates included.
    pub positions: u64,
}

/// Plays part `shard.0` of `shard.1` of the units, counted from 1, and writes each to a file in the directory. An
/// interrupted run resumes.
pub fn selfplay_shard<'w>(
    folder: &Path,
    player: &'w Teacher,
    tablebases: Option<&'w Tablebases>,
    options: &'w SelfplayOptions,
    (shard, shards): (u64, u64),
    workers: impl Into<Workers<'w>>,
    observer: impl FnMut(PrepareEvent<'_>) + Send,
) -> Result<PlayedShard, DataError> {
    let workers = workers.into();
    let all = UnitPlayer::new(player, tablebases, options, workers)?;
    let Some(count) = options.units() else {
        return Err(DataError::Options("a shard needs the number of games".to_owned()));
    };
    if shard == 0 || shard > shards {
        let text = format!("{shard}/{shards} is no shard: the first of {shards} is 1/{shards}");
        return Err(DataError::Options(text));
    }
    let next = AtomicU64::new(shard - 1);
    let state = Mutex::new((PlayedShard::default(), observer, None));
    in_threads(workers.threads(), || {
        loop {
            let number = next.fetch_add(shards, Ordering::Relaxed);
            if number >= count || workers.are_stopped() {
                return;
            }
            let before = all.read(folder, number);
            let played_before = u64::from(before.is_some());
            let unit = before.map_or_else(
                || {
                    all.play(number)
                        .and_then(|unit| all.write(folder, number, &unit).map(|()| unit))
                },
                Ok,
            );
            let mut state = lock(&state);
            let (total, observer, error) = &mut *state;
            match unit {
                Ok(unit) => {
                    total.units += 1;
                    total.played_before += played_before;
                    total.games += unit.counts.games;
                    total.positions += unit.rows.len() as u64;
                    let PlayedShard { games, positions, .. } = *total;
                    observer(PrepareEvent::Progress { read: games, games, positions });
                }
                Err(first) => {
                    error.get_or_insert(first);
                    next.store(count, Ordering::Relaxed);
                    return;
                }
            }
        }
    })?;
    let (total, _, error) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match error {
        Some(error) => Err(error),
        None if workers.are_stopped() => Err(DataError::Interrupted { resumes: true }),
        None => Ok(total),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZero;

    use crate::selfplay::selfplay;

    fn options(seed: u64) -> SelfplayOptions {
        SelfplayOptions {
            games: Some(7),
            nodes: 50,
            balance_nodes: 50,
            unit_games: 2,
            seed,
            hash: 1,
            val_fraction: 0.3,
            ..SelfplayOptions::default()
        }
    }

    fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(files(&path));
            } else if !path.ends_with("_lock") {
                found.push((path.clone(), std::fs::read(path).unwrap()));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn shards_give_the_data_set_of_one_machine_and_units_of_other_options_are_not_used() {
        let temporary = tempfile::tempdir().unwrap();
        let (one, two) = (NonZero::<usize>::MIN, NonZero::new(2).unwrap());
        let (player, options) = (Teacher::Classic, options(3));
        let folder = |name: &str| temporary.path().join(name);
        let whole = folder("whole/set");
        selfplay(&whole, &player, None, &options, &[], two, |_| {}).unwrap();
        let shards = [folder("1"), folder("2"), folder("3")];
        for (shard, number) in shards.iter().zip(1..) {
            let play = || selfplay_shard(shard, &player, None, &options, (number, 3), two, |_| {});
            let (first, again) = (play().unwrap(), play().unwrap());
            assert_eq!((first.played_before, again.played_before), (0, again.units));
            assert_eq!((first.games, first.units), (again.games, if number == 1 { 2 } else { 1 }));
        }
        // A shard of another seed, and one whose only unit is damaged: both are played again.
        let stale = folder("stale");
        let other = self::options(4);
        selfplay_shard(&stale, &player, None, &other, (1, 1), one, |_| {}).unwrap();
        let damaged = UnitPlayer::path(&shards[2], 2);
        std::fs::write(&damaged, b"TABIYAGU").unwrap();
        let merged = folder("merged/set");
        let folders: Vec<_> = [stale].into_iter().chain(shards).collect();
        selfplay(&merged, &player, None, &options, &folders, one, |_| {}).unwrap();
        let [whole, merged] = [whole, merged].map(|folder| {
            let relative = |(path, bytes): (PathBuf, _)| {
                (path.strip_prefix(&folder).unwrap().to_owned(), bytes)
            };
            files(&folder).into_iter().map(relative).collect::<Vec<_>>()
        });
        assert!(whole.len() > 2);
        assert_eq!(whole, merged);
    }

    #[test]
    fn a_shard_outside_the_range_is_an_error() {
        let temporary = tempfile::tempdir().unwrap();
        let one = NonZero::<usize>::MIN;
        for shard in [(0, 2), (3, 2), (1, 0)] {
            let options = options(1);
            let played = selfplay_shard(
                temporary.path(),
                &Teacher::Classic,
                None,
                &options,
                shard,
                one,
                |_| {},
            );
            assert!(matches!(played, Err(DataError::Options(_))), "{shard:?}");
        }
    }
}
