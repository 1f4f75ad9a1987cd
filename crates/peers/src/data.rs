//! Games to Parquet: `tabiya data prepare` on one thread, and a converter in Python as people write them.
//!
//! The converter (`python/prepare_positions.py`, python-chess and pyarrow) writes three columns; ours is
//! measured with the same three and with all eleven. All are compressed by zstd. Python is given the beginning of the text only, since it takes its time; on
//! that both must find the same positions.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;

use ::data::{Column, PrepareOptions, prepare};
use anyhow::{Context, ensure};
use cpu_time::ProcessTime;
use serde_json::{Value, json};

use crate::table::print;

/// Where both write, and what is removed in the end.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Positions, and how many of them a second of CPU time makes.
fn ours(input: &Path, out: &Path, columns: &[Column]) -> anyhow::Result<(u64, f64)> {
    let _ = fs::remove_dir_all(out);
    let columns = columns.iter().map(|column| column.name().to_owned()).collect();
    let options = PrepareOptions { with_eval: true, columns, ..PrepareOptions::default() };
    let start = ProcessTime::now();
    let prepared = prepare(&[input.to_owned()], out, &options, NonZero::<usize>::MIN, |_| {})?;
    let positions = prepared.manifest.counts.positions;
    Ok((positions, positions as f64 / start.elapsed().as_secs_f64()))
}

fn theirs(python: &Path, input: &Path, out: &Path) -> anyhow::Result<(u64, f64)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/prepare_positions.py");
    let output = Command::new(python)
        .args([script.as_path(), input, out])
        .arg("--json")
        .output()
        .with_context(|| format!("cannot run {}", python.display()))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let positions = report["positions"].as_u64().context("no positions")?;
    let seconds = report["cpu_seconds"].as_f64().context("no seconds")?;
    Ok((positions, positions as f64 / seconds))
}

pub fn run(
    file: &Path,
    python: &Path,
    limits_mb: [usize; 2],
    rounds: u32,
    as_json: bool,
) -> anyhow::Result<()> {
    let scratch =
        Scratch(std::env::temp_dir().join(format!("tabiya-peers-{}", std::process::id())));
    fs::create_dir_all(&scratch.0)?;
    let [long, short] = ["long.pgn", "short.pgn"].map(|name| scratch.0.join(name));
    for (path, limit) in [(&long, limits_mb[0]), (&short, limits_mb[1])] {
        fs::write(path, crate::pgn::load(file, limit * 1_000_000)?)?;
    }
    let out = scratch.0.join("out");
    let all = Column::ALL;
    let same = [Column::Fen, Column::BestMove, Column::Eval];
    let mut best = [0f64; 3];
    for _ in 0..rounds {
        let (positions, rate) = theirs(python, &short, &scratch.0.join("out.parquet"))?;
        best[2] = best[2].max(rate);
        let (found, _) = ours(&short, &out, &all)?;
        ensure!(found == positions, "tabiya finds {found} positions, python-chess {positions}");
        best[0] = best[0].max(ours(&long, &out, &same)?.1);
        best[1] = best[1].max(ours(&long, &out, &all)?.1);
    }
    let [same, all, python] = best;
    if as_json {
        let positions = json!({ "tabiya": same, "tabiya_all_columns": all, "python": python });
        let ratios = (same / python, all / python);
        println!(
            "{}",
            json!({ "positions": positions, "ratio": ratios.0, "ratio_all_columns": ratios.1 })
        );
        return Ok(());
    }
    let rows = [
        ("tabiya data prepare, the same three columns", same),
        ("tabiya data prepare, all columns", all),
        ("python-chess + pyarrow, three columns", python),
    ]
    .map(|(name, rate)| {
        vec![name.to_owned(), format!("{rate:.0}"), format!("{:.1}", rate / python)]
    });
    print("PGN to Parquet, one thread", &["", "positions per CPU second", "ratio"], &rows);
    Ok(())
}
