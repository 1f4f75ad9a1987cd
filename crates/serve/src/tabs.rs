//! The open tabs: bounded in number, each with an unguessable number and its uploads.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::workers::Workers;

/// Open tabs.
const MAX_TABS: usize = 200;
/// Uploads stored per tab: the last ones.
const MAX_UPLOADS: usize = 2;
/// The total length of all uploads, in bytes.
const MAX_UPLOADED: usize = 256 << 20;
/// Numbers of tabs are exact in JavaScript.
const NUMBER_BITS: u32 = 53;

/// The tabs of a server.
#[derive(Clone)]
pub struct Tabs(Arc<Inner>);

/// The uploads of each open tab, by their numbers.
type Open = HashMap<u64, Vec<(u64, Arc<str>)>>;

struct Inner {
    permits: Arc<Semaphore>,
    open: Mutex<Open>,
    /// Source of the numbers: the random keys of this process's hash maps.
    random: RandomState,
    workers: Arc<Workers>,
    cores: usize,
}

/// Permission for an open tab; returned when it is dropped.
pub struct TabPermit {
    tabs: Tabs,
    number: u64,
    _permit: OwnedSemaphorePermit,
}

impl Tabs {
    /// No open tabs; number of cores.
    pub fn new(cores: usize) -> Self {
        Self(Arc::new(Inner {
            permits: Arc::new(Semaphore::new(MAX_TABS)),
            open: Mutex::default(),
            random: RandomState::new(),
            workers: Arc::new(Workers::new(cores)),
            cores,
        }))
    }

    /// Opens a tab, unless too many are open.
    pub fn open(&self) -> Option<TabPermit> {
        let permit = Arc::clone(&self.0.permits).try_acquire_owned().ok()?;
        let mut open = self.lock();
        let mut seed = open.len() as u64;
        let number = loop {
            let number = self.0.random.hash_one((seed, std::time::Instant::now()));
            let number = number >> (u64::BITS - NUMBER_BITS);
            if !open.contains_key(&number) {
                break number;
            }
            seed += 1;
        };
        open.insert(number, Vec::new());
        drop(open);
        self.0.workers.open(number);
        Some(TabPermit { tabs: self.clone(), number, _permit: permit })
    }

    /// The workers of all tabs.
    pub fn workers(&self) -> &Arc<Workers> {
        &self.0.workers
    }

    /// The number of cores.
    pub fn cores(&self) -> usize {
        self.0.cores
    }

    /// Whether a tab is open.
    pub fn is_open(&self, tab: u64) -> bool {
        self.lock().contains_key(&tab)
    }

    /// Stores a text for a tab, if it is still open and there is room; returns the number of the upload.
    pub fn store(&self, tab: u64, text: Arc<str>) -> Option<u64> {
        let mut open = self.lock();
        let stored: usize = open.values().flatten().map(|(_, text)| text.len()).sum();
        if stored + text.len() > MAX_UPLOADED {
            return None;
        }
        let uploads = open.get_mut(&tab)?;
        let number = uploads.last().map_or(1, |(number, _)| number + 1);
        if uploads.len() >= MAX_UPLOADS {
            uploads.remove(0);
        }
        uploads.push((number, text));
        Some(number)
    }

    /// The text of an upload of a tab.
    pub fn upload(&self, tab: u64, upload: u64) -> Option<Arc<str>> {
        let open = self.lock();
        let uploads = open.get(&tab)?;
        let (_, text) = uploads.iter().find(|(number, _)| *number == upload)?;
        Some(Arc::clone(text))
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TabPermit {
    /// The number of the tab.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// All tabs.
    pub fn tabs(&self) -> &Tabs {
        &self.tabs
    }
}

impl Drop for TabPermit {
    fn drop(&mut self) {
        self.tabs.lock().remove(&self.number);
        self.tabs.workers().close(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_keeps_its_last_uploads_until_it_is_closed() {
        let tabs = Tabs::new(1);
        let (first, second) = (tabs.open().unwrap(), tabs.open().unwrap());
        assert_ne!(first.number(), second.number());
        let store = |text: &str| tabs.store(first.number(), text.into());
        assert_eq!([store("a"), store("b"), store("c")], [Some(1), Some(2), Some(3)]);
        assert_eq!(tabs.upload(first.number(), 1), None);
        assert_eq!(tabs.upload(first.number(), 3).as_deref(), Some("c"));
        assert_eq!(tabs.upload(second.number(), 3), None);
        let number = first.number();
        drop(first);
        assert!(!tabs.is_open(number));
        assert_eq!(tabs.store(number, "d".into()), None);
        assert_eq!(tabs.upload(number, 3), None);
    }

    #[test]
    fn the_number_of_tabs_is_bounded() {
        let tabs = Tabs::new(1);
        let mut all: Vec<TabPermit> = std::iter::from_fn(|| tabs.open()).collect();
        assert_eq!(all.len(), MAX_TABS);
        all.pop();
        assert!(tabs.open().is_some());
    }
}
