//! Developer tools of the workspace, each a file of `examples`:
//!
//! | example | does |
//! |---|---|
//! | `find_magics` | finds the magic numbers of `tabiya_chess::sliders::magic` |
//! | `notation_lines` | legal moves in all notations, for comparison with other programs |
//! | `board_svg` | a board with everything on it |
//! | `instruction_sets` | the instruction sets of this CPU, for `make bench-check` |
//! | `bench_nodes` | the node count of a bench, for `make bench-check` |
//! | `syzygy_probe` | WDL and DTZ of positions, for comparison with other programs |
//! | `tune` | fits the weights of the classical evaluation |
//! | `evaluations`, `halfkp_speed`, `train_speed` | throughput of networks and of training |
//!
//! `cargo run --release -p xtask --example find_magics` runs one.

/// The Rust examples of the README and of the book are tested here, where the crates have the names their
/// users see.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/src/tutorials/build.md")]
#[doc = include_str!("../../../docs/src/tutorials/paco.md")]
#[cfg_attr(feature = "data", doc = include_str!("../../../docs/src/reference/data.md"))]
struct Documentation;
