//! A work queue for several threads.

use std::sync::Mutex;

use data::threads::{lock, map_or_panic};

/// Processes each item on one of as many threads as there are scratch buffers; each thread has its own.
pub(super) fn for_each<T: Send, S: Send>(
    scratches: &mut [S],
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(&mut S, T) + Sync,
) {
    let items = Mutex::new(items);
    let next = || lock(&items).next();
    let run = |scratch: &mut S| {
        while let Some(item) = next() {
            work(scratch, item);
        }
    };
    map_or_panic(scratches, run);
}
