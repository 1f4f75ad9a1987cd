//! Engines, kept between searches: a tab finds its hash table again. Their number is bounded, and the one
//! unused for longest is given to the next tab.

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

/// Engines that are idle, the one used last at the end.
pub struct Engines {
    idle: Mutex<Vec<(Owner, Engine)>>,
    most: usize,
}

impl Engines {
    /// Keeps at most this many idle engines.
    pub fn new(most: usize) -> Self {
        Self { idle: Mutex::default(), most }
    }

    /// The engine of an owner, another one without its memory, or a new one; none if memory is short.
    pub fn take(&self, owner: Owner) -> Option<Engine> {
        let known = {
            let mut idle = self.idle();
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

    /// Keeps an engine for its owner.
    pub fn put(&self, owner: Owner, engine: Engine) {
        let mut idle = self.idle();
        if idle.len() >= self.most {
            idle.remove(0);
        }
        idle.push((owner, engine));
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(Owner, Engine)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_finds_its_engine_again_and_their_number_is_bounded() {
        let engines = Engines::new(2);
        let owner = |tab| Owner { tab, plays: false };
        for tab in 0..5 {
            let engine = engines.take(owner(tab)).expect("memory");
            engines.put(owner(tab), engine);
        }
        let kept: Vec<u64> = engines.idle().iter().map(|(owner, _)| owner.tab).collect();
        assert_eq!(kept, [3, 4]);
        drop(engines.take(owner(3)).expect("memory"));
        let kept: Vec<u64> = engines.idle().iter().map(|(owner, _)| owner.tab).collect();
        assert_eq!(kept, [4]);
    }
}
