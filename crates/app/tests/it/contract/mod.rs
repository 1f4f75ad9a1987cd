//! What the tests of the UCI contract share.

mod answers;
pub mod driver;
pub mod fens;
pub mod hostile;
#[cfg(target_os = "linux")]
mod memory;
pub mod transcript;
