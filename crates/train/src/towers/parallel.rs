//! Work that is shared among threads: whoever is free takes the next piece.

use std::sync::{Mutex, PoisonError};

/// Does some work for each item, on as many threads as there are scratches. Each
/// thread has a scratch of its own.
pub(super) fn share<T: Send, S: Send>(
    scratches: &mut [S],
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(&mut S, T) + Sync,
) {
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = |scratch: &mut S| {
        while let Some(item) = next() {
            work(scratch, item);
        }
    };
    data::threads::map_or_panic(scratches, run);
}
