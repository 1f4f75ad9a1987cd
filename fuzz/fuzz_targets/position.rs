//! FEN or Chess960 start → position → legal moves, every promise checked at each step: the property
//! of `crates/chess/tests/it/property.rs`, with the fuzzer choosing the bytes.

#![no_main]

#[path = "../../crates/chess/tests/it/slow/mod.rs"]
mod slow;
#[path = "../../crates/chess/tests/it/walk/mod.rs"]
mod walk;

use libfuzzer_sys::fuzz_target;

/// Short walks: what a longer one would meet, another start meets sooner.
const MOST_MOVES: usize = 6;

fuzz_target!(|bytes: &[u8]| walk::walk(bytes, MOST_MOVES));
