//! Probes tablebases: reads a FEN per line and prints the result and the distance (WDL and DTZ) of each
//! position, `-` where the tables have none. `tests/differential/syzygy.py` compares that with python-chess.
//!
//! ```text
//! echo "8/8/8/3k4/8/8/8/KBN5 w - - 0 1" | cargo run --release -p xtask --example syzygy_probe DIR
//! ```

use std::io::{BufRead, Write, stdin, stdout};
use std::process::ExitCode;

use tabiya_chess::Position;
use tabiya_engine::syzygy::Tablebases;

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: syzygy_probe DIR < FENS");
        return ExitCode::from(2);
    };
    match run(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("syzygy_probe: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &str) -> Result<(), Box<dyn std::error::Error>> {
    let tables = Tablebases::open(folder)?;
    for warning in tables.warnings() {
        eprintln!("syzygy_probe: {warning}");
    }
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let position: Position = line?.parse()?;
        let shown = |number: Option<i32>| number.map_or("-".to_owned(), |n| n.to_string());
        let wdl = tables.wdl(&position).map(|wdl| wdl as i32);
        let dtz = tables.dtz(&position).map(|dtz| dtz.plies);
        writeln!(out, "{} {}", shown(wdl), shown(dtz))?;
    }
    Ok(())
}
