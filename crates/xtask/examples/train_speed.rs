//! How fast training is: `cargo run --release -p xtask --example train_speed [HIDDEN] [POSITIONS]
//! [THREADS]`.

use tabiya_nnue::Shape;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let number = |at: usize, default| numbers.get(at).copied().unwrap_or(default);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let (hidden, threads) = (number(0, 256), number(2, cores));
    let speed =
        tabiya_train::trainer::bench(&Shape::plain(hidden), number(1, 4_000_000) as u64, threads)?;
    println!(
        "(768→{hidden})×2→1, AdamW, batches of 16384, {threads} threads: {speed:.0} positions/s"
    );
    Ok(())
}
