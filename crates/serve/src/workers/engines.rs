//! Engines, kept between searches: a tab finds its hash table again. Their number is bounded, the one unused
//! for longest is given to the next tab, and those of a closed tab are dropped.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::search::Engine;

/// The hash table of an engine in MiB.
const HASH: usize = 32;

/// What an engine is used for: searches with limited strength must not find the results of deep ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Owner {
    /// The tab.
    pub tab: u64,
    /// To play, rather than to analyse.
    pub plays: bool,
}

/// The engines of all tabs.
pub struct Engines {
    pool: Mutex<Pool>,
    most: usize,
}

#[derive(Default)]
struct Pool {
    /// The tabs that are open.
    open: HashSet<u64>,
    /// Engines that are idle, the one used last at the end.
    idle: Vec<(Owner, Engine)>,
}

impl Engines {
    /// Keeps at most this many idle engines.
    pub fn new(most: usize) -> Self {
        Self { pool: Mutex::default(), most }
    }

    /// Keeps the engines of this tab from now on.
    pub fn open(&self, tab: u64) {
        self.pool().open.insert(tab);
    }

    /// Drops the engines of this tab; one that still searches is dropped when it is put back.
    pub fn close(&self, tab: u64) {
        let mut pool = self.pool();
        pool.open.remove(&tab);
        let (closed, idle) = pool.idle.drain(..).partition(|(owner, _)| owner.tab == tab);
        pool.idle = idle;
        drop(pool);
        // Without the lock: it returns memory to the system.
        drop::<Vec<_>>(closed);
    }

    /// The engine of an owner, another one without its memory, or a new one; none if memory is short.
    pub fn take(&self, owner: Owner) -> Option<Engine> {
        let known = {
            let idle = &mut self.pool().idle;
            match idle.iter().position(|(other, _)| *other == owner) {
                Some(at) => Some(idle.remove(at)),
                None if idle.len() >= self.most => Some(idle.remove(0)),
                None => None,
            }
        };
        match known {
            Some((other, mut engine)) => {
                if other != owner {
                    engine.new_game();
                }
                Some(engine)
            }
            None => Engine::new(HASH).ok(),
        }
    }

    /// Keeps an engine for its owner, if its tab is open.
    pub fn put(&self, owner: Owner, engine: Engine) {
        let mut pool = self.pool();
        if !pool.open.contains(&owner.tab) {
            return;
        }
        if pool.idle.len() >= self.most {
            pool.idle.remove(0);
        }
        pool.idle.push((owner, engine));
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(tab: u64) -> Owner {
        Owner { tab, plays: false }
    }

    fn use_once(engines: &Engines, tab: u64) {
        let engine = engines.take(owner(tab)).expect("memory");
        engines.put(owner(tab), engine);
    }

    fn kept(engines: &Engines) -> Vec<u64> {
        engines.pool().idle.iter().map(|(owner, _)| owner.tab).collect()
    }

    #[test]
    fn an_owner_finds_its_engine_again_and_their_number_is_bounded() {
        let engines = Engines::new(2);
        for tab in 0..5 {
            engines.open(tab);
            use_once(&engines, tab);
        }
        assert_eq!(kept(&engines), [3, 4]);
        drop(engines.take(owner(3)).expect("memory"));
        assert_eq!(kept(&engines), [4]);
    }

    #[test]
    fn a_closed_tab_leaves_no_engine_behind() {
        let engines = Engines::new(4);
        for tab in [1, 2] {
            engines.open(tab);
            use_once(&engines, tab);
        }
        engines.close(1);
        assert_eq!(kept(&engines), [2]);
        // Closed while it searches.
        let engine = engines.take(owner(2)).expect("memory");
        engines.close(2);
        engines.put(owner(2), engine);
        assert!(kept(&engines).is_empty());
    }
}
