//! Turns panics of the Parquet decoder into errors, silently.
//!
//! The decoder returns errors for most kinds of damage, but panics on some.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

static QUIET: Once = Once::new();

/// Runs a task; the error is the message of its panic.
pub(super) fn catch_panic<T>(task: impl FnOnce() -> T) -> Result<T, String> {
    // Panics elsewhere still reach the previous hook.
    QUIET.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_CAUGHT.get() {
                hook(info);
            }
        }));
    });
    let before = IS_CAUGHT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(task));
    IS_CAUGHT.set(before);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_message() {
        assert_eq!(catch_panic(|| 3), Ok(3));
        let number = std::hint::black_box(7);
        assert_eq!(catch_panic(|| panic!("no {number}")), Err::<(), _>("no 7".to_owned()));
    }
}
