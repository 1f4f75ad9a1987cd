//! A pool of engines, so that a tab keeps its hash table between searches. The pool is bounded: the least recently
//! used engine is given to the next tab. The engines of a closed tab are dropped.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::search::Engine;

/// The hash table of an engine in MiB.
const HASH: usize = 32;

/// The user of an engine. Searches with limited strength do not share a hash table with deep ones.
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
    capacity: usize,
}

#[derive(Default)]
struct Pool {
    /// The tabs that are open.
    open: HashSet<u64>,
    /// Idle engines, the most recently used at the end.
    idle: Vec<(Owner, Engine)>,
}

impl Engines {
    /// A pool of at most this many idle engines.
    pub fn new(capacity: usize) -> Self {
        Self { pool: Mutex::default(), capacity }
    }

    /// Keeps engines for this tab from now on.
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
        // Outside the lock: this returns memory to the system.
        drop::<Vec<_>>(closed);
    }

    /// The engine of an owner, a reset one of another owner, or a new one; none if out of memory.
    pub fn take(&self, owner: Owner) -> Option<Engine> {
        let known = {
            let idle = &mut self.pool().idle;
            match idle.iter().position(|(other, _)| *other == owner) {
                Some(at) => Some(idle.remove(at)),
                None if idle.len() >= self.capacity => Some(idle.remove(0)),
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
        if pool.idle.len() >= self.capacity {
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
    fn an_owner_gets_its_engine_back_and_the_pool_is_bounded() {
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
    fn the_engines_of_a_closed_tab_are_dropped() {
        let engines = Engines::new(4);
        for tab in [1, 2] {
            engines.open(tab);
            use_once(&engines, tab);
        }
        engines.close(1);
        assert_eq!(kept(&engines), [2]);
        // Closed during a search.
        let engine = engines.take(owner(2)).expect("memory");
        engines.close(2);
        engines.put(owner(2), engine);
        assert!(kept(&engines).is_empty());
    }
}
