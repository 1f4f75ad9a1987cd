//! How fast positions are read: `cargo run --release --example loader_speed DATA [THREADS]`.

use std::time::Instant;

use data::{ReaderPosition, Split};
use pra::{Batch, Config, Loader, LoaderOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which data set?")?;
    let threads = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let options = LoaderOptions { threads, ..LoaderOptions::default() };
    let (config, start) = (Config::new(8, 192), ReaderPosition::default());
    let mut loader = Loader::open(folder.as_ref(), Split::Train, &config, options, start)?;
    let (mut batch, begin) = (Batch::default(), Instant::now());
    for _ in 0..8_192 {
        loader.next_batch(256, &mut batch)?;
    }
    let speed = loader.counts().used as f64 / begin.elapsed().as_secs_f64();
    println!("{speed:.0} positions a second, {:?}", loader.counts());
    Ok(())
}
