//! `tabiya data prepare`: from games to files of rows.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ::data::{Column, Event, FileFormat, PointOfView, PrepareOptions, Prepared, RowOrder, Workers};
use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use cpu_time::ProcessTime;
use indicatif::ProgressBar;
use serde_json::json;

use crate::layout::prose;
use crate::threads::Threads;
use crate::words::count;
use crate::{Outcome, jobs, progress};

#[derive(Args)]
pub struct PrepareArgs {
    /// Files of games: .pgn, .zst, .gz, .bz2; folders of such files; `-` for standard input.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The folder that the data set is to be. A run that was killed goes on from there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Read evaluations (`[%eval …]`) from comments. Where there is none, `eval` is null.
    #[arg(long)]
    with_eval: bool,
    /// Leave out positions without an evaluation.
    #[arg(long, requires = "with_eval")]
    only_eval: bool,
    /// Stop when there are so many positions.
    #[arg(long, value_name = "N")]
    max_positions: Option<u64>,
    /// Take this share of the positions, at random.
    #[arg(long, value_name = "R", default_value_t = 1.0)]
    sample_rate: f64,
    /// Take games only if both players are rated as high as this.
    #[arg(long, value_name = "N")]
    min_elo: Option<i16>,
    /// Take games only if both players are rated no higher than this.
    #[arg(long, value_name = "N")]
    max_elo: Option<i16>,
    /// Take games only if they ended like this: 1-0, 0-1, 1/2-1/2, *. Several with commas.
    #[arg(long, value_name = "RESULT", value_delimiter = ',', allow_hyphen_values = true)]
    results: Vec<String>,
    /// Take games only if their time control is one of these: ultrabullet, bullet, blitz, rapid,
    /// classical, correspondence, or as in the tag (300+3). Several with commas.
    #[arg(long, value_name = "CONTROL", value_delimiter = ',', allow_hyphen_values = true)]
    time_control: Vec<String>,
    /// Leave out so many positions at the beginning of each game.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip_plies: u32,
    /// Of the others, take the first of every N.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Leave out positions in which the player to move is in check.
    #[arg(long)]
    no_checks: bool,
    /// Leave out positions from which a capture was played.
    #[arg(long)]
    no_captures: bool,
    /// Take every position once: the first game that has it counts. The rows are shuffled, too.
    #[arg(long)]
    dedup: bool,
    /// Write the rows in random order.
    #[arg(long)]
    shuffle: bool,
    /// From whose view `eval` and `mate` are.
    #[arg(long, value_name = "VIEW", default_value = "white")]
    pov: Pov,
    /// Put this share of the games aside for validation.
    #[arg(long, value_name = "F", default_value_t = 0.0)]
    val_fraction: f64,
    /// Random seed: split, sample and order.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
    /// How many rows a file has.
    #[arg(long, value_name = "N", default_value_t = 1 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    shard_rows: u64,
    /// How many rows a row group has: what readers share out among themselves.
    #[arg(long, value_name = "N", default_value_t = 1 << 15, value_parser = clap::value_parser!(u64).range(1..))]
    group_rows: u64,
    /// Convert this part of the games only: the I-th of N, for several machines.
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: String,
    /// Which columns, with commas: fen, best_move, eval, mate, result, ply, white_elo, black_elo, game,
    /// clock, board. All unless given.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,
    /// What is written: Parquet, or rows of 32 bytes for training NNUE.
    #[arg(long, value_name = "FORMAT", default_value = "parquet")]
    format: FormatArg,
    /// How hard Parquet files are compressed: a level of zstd, 1 to 22.
    #[arg(long, value_name = "LEVEL", default_value_t = 1)]
    compression: i32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Pov {
    White,
    Mover,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    Parquet,
    Packed,
}

impl PrepareArgs {
    fn options(&self) -> anyhow::Result<PrepareOptions> {
        let (part, parts) = self
            .shard
            .split_once('/')
            .and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)))
            .with_context(|| format!("'{}' is no part such as 1/4", self.shard))?;
        let all = Column::ALL.map(|column| column.name().to_owned()).to_vec();
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
            pov: match self.pov {
                Pov::White => PointOfView::White,
                Pov::Mover => PointOfView::Mover,
            },
            val_fraction: self.val_fraction,
            seed: self.seed,
            shard_rows: self.shard_rows,
            group_rows: self.group_rows,
            shard: (part, parts),
            columns: if self.columns.is_empty() { all } else { self.columns.clone() },
            order: match (self.dedup, self.shuffle) {
                (true, _) => RowOrder::Unique,
                (false, true) => RowOrder::Shuffled,
                (false, false) => RowOrder::Games,
            },
            format: match self.format {
                FormatArg::Parquet => FileFormat::Parquet,
                FormatArg::Packed => FileFormat::Packed,
            },
            compression: self.compression,
        };
        if options.format == FileFormat::Packed {
            ensure!(self.columns.is_empty(), "packed rows have no columns to choose from");
            ensure!(options.pov == PointOfView::White, "packed rows are always from White's view");
            options.columns = Column::PACKED.map(|column| column.name().to_owned()).to_vec();
        }
        options.columns =
            options.columns()?.iter().map(|column| column.name().to_owned()).collect();
        options.check()?;
        Ok(options)
    }
}

/// Tells of progress on a terminal, and of problems anywhere.
struct Teller {
    bar: ProgressBar,
    total: u64,
}

impl Teller {
    fn new(inputs: &[PathBuf]) -> Self {
        let size = |path: &PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
        let total = inputs.iter().map(size).sum();
        let bar = progress::bar(total, "{wide_bar} {bytes}/{total_bytes} {msg} {eta} left");
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, total }
    }

    fn tell(&mut self, event: Event<'_>) {
        let bar = &self.bar;
        match event {
            Event::Problem(line) => bar.suspend(|| eprintln!("{line}")),
            Event::Progress { read, games, positions } => {
                bar.set_length(self.total.max(read));
                bar.set_position(read);
                bar.set_message(count(games, "game") + ", " + &count(positions, "position"));
            }
            Event::Sorting { positions } => {
                bar.reset();
                progress::set_template(bar, "{wide_bar} {pos}/{len} sorted {eta} left");
                bar.set_length(positions);
            }
            Event::Sorted { positions } => bar.set_position(positions),
            _ => {}
        }
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
    let mut teller = Teller::new(&args.inputs);
    let prepared =
        ::data::prepare(&args.inputs, &args.out, &options, workers, |event| teller.tell(event));
    drop(teller);
    let prepared = prepared?;
    let (seconds, cpu) = (begin.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    report(&prepared, args, seconds, cpu, out)?;
    let is_fine = prepared.manifest.problems == 0;
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(
    prepared: &Prepared,
    args: &PrepareArgs,
    seconds: f64,
    cpu: f64,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let manifest = &prepared.manifest;
    let counts = &manifest.counts;
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    let rate = counts.positions as f64 / seconds.max(1e-9);
    let per_core = counts.positions as f64 / cpu.max(1e-9);
    if args.json {
        let report = json!({
            "games": counts.games,
            "moves": counts.moves,
            "positions": counts.positions,
            "train": manifest.rows.train,
            "validation": manifest.rows.validation,
            "evals": counts.evals,
            "mates": counts.mates,
            "counts": serde_json::to_value(counts)?,
            "problems": manifest.problems,
            "files": manifest.files.len(),
            "bytes": bytes,
            "seconds": seconds,
            "cpu_seconds": cpu,
            "positions_per_second": rate,
            "positions_per_cpu_second": per_core,
            "complete_before": prepared.was_complete,
            "resumed": prepared.was_resumed,
        });
        writeln!(out, "{report}")?;
        return Ok(());
    }
    jobs::print_resumed(out, &args.out, prepared)?;
    let summary = format!(
        "{}, {}, {} ({} train, {} validation), {}, {}, {}",
        count(counts.games, "game"),
        count(counts.moves, "move"),
        count(counts.positions, "position"),
        manifest.rows.train,
        manifest.rows.validation,
        count(counts.evals, "eval"),
        count(counts.mates, "mate"),
        count(manifest.problems, "problem"),
    );
    prose(out, &summary)?;
    let mut written = format!("{}, {bytes} bytes", count(manifest.files.len(), "file"));
    if !prepared.was_complete && !prepared.was_resumed {
        written += &format!(
            ", {seconds:.2} s, {rate:.0} positions/s, {per_core:.0} per second of CPU time"
        );
    }
    prose(out, &written)?;
    Ok(())
}
