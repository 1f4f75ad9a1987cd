//! The extension module is a library like any other: this example makes `cargo test` build it, with the libraries
//! that the other tests have compiled already. The tests in Python use what it leaves in `target/debug`.

pub use _tabiya::chess;
