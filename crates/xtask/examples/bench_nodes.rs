//! Prints the node count of a bench to a given depth, to compare builds (`make bench-check`).
//!
//! ```text
//! cargo run -p xtask --example bench_nodes -- 6
//! TABIYA_SLIDERS=magic cargo run -p xtask --example bench_nodes -- 6
//! ```

use tabiya_engine::bench;
use tabiya_engine::eval::file::embedded;
use tabiya_engine::search::{Control, with_deep_stack};

fn main() {
    let depth = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(6);
    let work =
        with_deep_stack(|| bench::run(depth, 1, embedded(), &Control::new(false), |_, _, _| {}));
    match work {
        Some(Ok(work)) => println!("{}", work.nodes),
        Some(Err(error)) => eprintln!("{error}"),
        None => eprintln!("the bench broke off"),
    }
}
