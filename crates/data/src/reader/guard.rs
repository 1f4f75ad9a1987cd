//! Decoders of others, kept from taking us down.
//!
//! The Parquet decoder gives errors for most of what can be wrong with a file, but panics on some. Here a
//! panic becomes an error, and says nothing on standard error.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

static QUIET: Once = Once::new();

/// Does something; a panic in it is given back as its text.
pub(super) fn guarded<T>(task: impl FnOnce() -> T) -> Result<T, String> {
    // All other panics are told as before.
    QUIET.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_GUARDED.get() {
                tell(info);
            }
        }));
    });
    let before = IS_GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(task));
    IS_GUARDED.set(before);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_text() {
        assert_eq!(guarded(|| 3), Ok(3));
        let number = std::hint::black_box(7);
        assert_eq!(guarded(|| panic!("no {number}")), Err::<(), _>("no 7".to_owned()));
    }
}
