//! Values that threads reuse.

use std::sync::Mutex;

use data::threads::lock;

/// Idle values; the pool grows with the threads that need one at the same time.
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Pool<T> {
    /// Takes an idle value, or creates one.
    pub(crate) fn take<E>(&self, create: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let idle = lock(&self.0).pop();
        idle.map_or_else(create, Ok)
    }

    /// Returns a value to the pool.
    pub(crate) fn put_back(&self, value: T) {
        lock(&self.0).push(value);
    }
}
