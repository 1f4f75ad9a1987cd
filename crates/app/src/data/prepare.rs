//! `tabiya data prepare`: converts games to a data set.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ::data::{
    CHUNK_BYTES, Column, DataSetPlan, FileFormat, PointOfView, PrepareEvent, PrepareOptions,
    RowOrder, RunReport, Workers, convert_chunks, parse_part, prepare_with_chunks,
};
use anyhow::{Context, ensure};
use clap::Args;
use cpu_time::ProcessTime;
use indicatif::ProgressBar;
use layout::{count, prose, width};

use crate::threads::Threads;
use crate::{Outcome, progress};

#[derive(Args)]
pub struct PrepareArgs {
    /// PGN files (.pgn, .zst, .gz, .bz2), directories of them, or `-` for standard input
    #[arg(required_unless_present = "input", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The same, as an option; repeatable
    #[arg(long, value_name = "INPUT")]
    input: Vec<PathBuf>,
    /// Output directory; an interrupted run resumes
    #[arg(long, value_name = "DIR", visible_alias = "output-dir")]
    out: PathBuf,
    /// Read evaluations (`[%eval …]`) from comments; without one, `eval` is null
    #[arg(long)]
    with_eval: bool,
    /// Leave out positions without an evaluation
    #[arg(long, requires = "with_eval")]
    only_eval: bool,
    /// Maximum number of positions
    #[arg(long, value_name = "N")]
    max_positions: Option<u64>,
    /// Fraction of positions to sample
    #[arg(long, value_name = "R", default_value_t = 1.0)]
    sample_rate: f64,
    /// Minimum rating of both players
    #[arg(long, value_name = "N")]
    min_elo: Option<i16>,
    /// Maximum rating of both players
    #[arg(long, value_name = "N")]
    max_elo: Option<i16>,
    /// Results to keep, separated by commas: 1-0, 0-1, 1/2-1/2, *
    #[arg(long, value_name = "RESULT", value_delimiter = ',', allow_hyphen_values = true)]
    results: Vec<String>,
    /// Time controls to keep, separated by commas: ultrabullet, bullet, blitz, rapid, classical,
    /// correspondence, or the value of the tag (300+3)
    #[arg(long, value_name = "CONTROL", value_delimiter = ',', allow_hyphen_values = true)]
    time_control: Vec<String>,
    /// Number of plies to leave out at the start of each game
    #[arg(long, value_name = "N", default_value_t = 0, alias = "min-ply")]
    skip_plies: u32,
    /// Keep every N-th of the remaining plies
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Leave out positions in check
    #[arg(long)]
    no_checks: bool,
    /// Leave out positions from which a capture was played
    #[arg(long)]
    no_captures: bool,
    /// Remove duplicate positions, keeping that of the first game; implies --shuffle
    #[arg(long)]
    dedup: bool,
    /// Shuffle the rows
    #[arg(long)]
    shuffle: bool,
    /// Point of view of `eval` and `mate`
    #[arg(long, value_name = "VIEW", default_value = "white", value_parser = ["white", "mover"])]
    pov: String,
    /// Fraction of games for validation, 0 for none [default: 0.05, or that of the data set in DIR]
    #[arg(long, value_name = "F", alias = "val-ratio")]
    val_fraction: Option<f64>,
    /// Random seed of split, sample and order
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
    /// Rows per file
    #[arg(long, value_name = "N", default_value_t = 1 << 20, value_parser = clap::value_parser!(u64).range(1..), alias = "positions-per-shard")]
    shard_rows: u64,
    /// Rows per row group
    #[arg(long, value_name = "N", default_value_t = 1 << 15, value_parser = clap::value_parser!(u64).range(1..))]
    group_rows: u64,
    /// Convert only part I of N of the games, to distribute work over several machines
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: String,
    /// With --shard: write converted chunks of the games, for a run with --chunks, instead of a data set
    #[arg(long, requires = "shard")]
    convert_only: bool,
    /// Directories of chunks converted by other machines with --convert-only; missing chunks are converted
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with = "shard")]
    chunks: Vec<PathBuf>,
    /// Columns, separated by commas: fen, best_move, eval, mate, result, ply, white_elo, black_elo, game,
    /// clock, board, history [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,
    /// File format: Parquet, or packed rows of 32 bytes for NNUE training
    #[arg(long, default_value = "parquet", value_parser = ["parquet", "packed"])]
    format: String,
    /// zstd compression level of Parquet files, 1 to 22
    #[arg(long, value_name = "LEVEL", default_value_t = 1)]
    compression: i32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Fraction of games for validation, unless given.
const VAL_FRACTION: f64 = 0.05;

impl PrepareArgs {
    /// All inputs.
    fn inputs(&self) -> Vec<PathBuf> {
        self.input.iter().chain(&self.inputs).cloned().collect()
    }

    /// A data set that exists keeps its fraction, so that the same command resumes it, whatever the default
    /// was then.
    fn val_fraction(&self) -> f64 {
        let existing = || DataSetPlan::of(&self.out).map(|plan| plan.options.val_fraction);
        self.val_fraction.or_else(existing).unwrap_or(VAL_FRACTION)
    }

    fn shard(&self) -> anyhow::Result<(u32, u32)> {
        let part = parse_part(&self.shard);
        part.with_context(|| format!("'{}' is not a part such as 1/4", self.shard))
    }

    fn options(&self) -> anyhow::Result<PrepareOptions> {
        let (part, parts) = self.shard()?;
        let is_packed = self.format == "packed";
        if is_packed {
            ensure!(self.columns.is_empty(), "packed rows have no columns to choose from");
            ensure!(self.pov == "white", "packed rows are always from White's view");
        }
        let all: &[Column] = if is_packed { &Column::PACKED } else { &Column::ALL };
        let names = |columns: &[Column]| columns.iter().map(ToString::to_string).collect();
        let mut options = PrepareOptions {
            with_eval: self.with_eval,
            only_eval: self.only_eval,
            max_positions: self.max_positions,
            sample_rate: self.sample_rate,
            min_elo: self.min_elo,
            max_elo: self.max_elo,
            results: self.results.clone(),
            time_controls: self.time_control.clone(),
            skip_plies: self.skip_plies,
            every: self.every,
            no_checks: self.no_checks,
            no_captures: self.no_captures,
            pov: if self.pov == "mover" { PointOfView::Mover } else { PointOfView::White },
            val_fraction: self.val_fraction(),
            seed: self.seed,
            shard_rows: self.shard_rows,
            group_rows: self.group_rows,
            // A part of the chunks has rows of the whole data set.
            shard: if self.convert_only { (1, 1) } else { (part, parts) },
            columns: if self.columns.is_empty() { names(all) } else { self.columns.clone() },
            order: RowOrder::new(self.dedup, self.shuffle),
            format: if is_packed { FileFormat::Packed } else { FileFormat::Parquet },
            compression: self.compression,
        };
        options.columns = names(&options.columns()?);
        options.check()?;
        Ok(options)
    }
}

/// Shows an event.
fn report(bar: &ProgressBar, event: PrepareEvent<'_>) {
    match event {
        PrepareEvent::Problem(line) => bar.suspend(|| eprintln!("{line}")),
        PrepareEvent::Progress { read, games, positions } => {
            let message = count(games, "game") + ", " + &count(positions, "position");
            progress::set(bar, read, message);
        }
        PrepareEvent::Sorting { positions } => {
            bar.reset();
            progress::set_template(bar, "{wide_bar} {pos}/{len} sorted {eta} left");
            bar.set_length(positions);
        }
        PrepareEvent::Sorted { positions } => bar.set_position(positions),
        _ => {}
    }
}

pub fn run(args: &PrepareArgs, out: &mut dyn Write) -> Outcome {
    let options = match args.options() {
        Ok(options) => options,
        Err(error) => {
            eprintln!("tabiya: {error:#}");
            return Ok(ExitCode::from(2));
        }
    };
    let stop = crate::interrupt::listen(|| {})?;
    let workers = Workers::from(args.threads.count()).until(&stop);
    let (begin, cpu) = (Instant::now(), ProcessTime::now());
    let inputs = args.inputs();
    let total = inputs.iter().flat_map(|path| path.metadata()).map(|file| file.len()).sum();
    let bar = progress::bar(total, "{wide_bar} {bytes}/{total_bytes} {msg} {eta} left");
    bar.enable_steady_tick(Duration::from_millis(200));
    let show = |event: PrepareEvent<'_>| report(&bar, event);
    if args.convert_only {
        let shard = args.shard()?;
        let converted =
            convert_chunks(&inputs, &args.out, &options, shard, CHUNK_BYTES, workers, show);
        drop(bar);
        let (converted, seconds) = (converted?, begin.elapsed().as_secs_f64());
        match args.json {
            true => writeln!(out, "{}", converted.to_json(seconds))?,
            false => prose(out, converted.text(seconds))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let chunks = (!args.chunks.is_empty()).then_some((args.chunks.as_slice(), CHUNK_BYTES));
    let prepared = prepare_with_chunks(&inputs, &args.out, &options, chunks, workers, show);
    drop(bar);
    let prepared = prepared?;
    let (seconds, cpu) = (begin.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    let report = RunReport { prepared: &prepared, folder: &args.out, seconds, columns: width() };
    match args.json {
        true => writeln!(out, "{}", report.prepare_json(cpu))?,
        false => out.write_all(report.prepare_text(cpu).as_bytes())?,
    }
    let is_fine = prepared.manifest.problems == 0;
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
