//! `tabiya nnue rescore`: the positions of a data set with the scores of another evaluation.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use ::data::{Event, RowOrder, Workers};
use clap::Args;
use serde_json::json;
use train::rescore::{RescoreOptions, SearchDepth, Source, Teacher, rescore};

use crate::Outcome;
use crate::layout::prose;
use crate::progress::Progress;
use crate::threads::Threads;
use crate::words::count;

/// Give the positions of a data set the scores of an evaluation
///
/// Position, move and result stay; positions in check are left out. From games to a data set that a
/// network can be taught with takes two commands:
///
///   tabiya data prepare games.pgn.zst --shuffle --val-fraction 0.01 --out positions
///   tabiya nnue rescore positions --net teacher.nnue --vary 2 --out scored
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct RescoreArgs {
    /// The folder of a data set, or one of its files: Parquet or packed rows.
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// The folder that the new data set is to be. A run that was killed goes on from there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The evaluation: a file with a network, of Tabiya or of Stockfish's HalfKP; `classic`; or
    /// `embedded`, the network in this program.
    #[arg(long, value_name = "FILE", default_value = "classic")]
    net: String,
    /// Score by what the evaluation says after all that hangs has been taken.
    #[arg(long, conflicts_with_all = ["nodes", "depth"])]
    quiescence: bool,
    /// Score by a search of so many positions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    nodes: Option<u64>,
    /// Score by a search of this depth.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: Option<u32>,
    /// Beside each position, take so many that are one or two random moves away: without a result.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=64))]
    vary: u32,
    /// Keep positions in which the player to move is in check.
    #[arg(long)]
    keep_checks: bool,
    /// Leave out positions from which a capture was played.
    #[arg(long)]
    no_captures: bool,
    /// Write the rows in random order. Without it, rows of the same 32,768 stay near each other.
    #[arg(long)]
    shuffle: bool,
    /// Take every position once. The rows are shuffled, too.
    #[arg(long)]
    dedup: bool,
    /// Stop when there are so many positions.
    #[arg(long, value_name = "N")]
    max_positions: Option<u64>,
    /// Random seed.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many rows a file has.
    #[arg(long, value_name = "N", default_value_t = 1 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    shard_rows: u64,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl RescoreArgs {
    fn options(&self) -> RescoreOptions {
        let depth = match (self.quiescence, self.nodes, self.depth) {
            (true, ..) => SearchDepth::Quiescence,
            (_, Some(nodes), _) => SearchDepth::Nodes(nodes),
            (_, _, Some(depth)) => SearchDepth::Depth(depth),
            _ => SearchDepth::Static,
        };
        RescoreOptions {
            depth,
            augment: self.vary,
            seed: self.seed,
            keep_checks: self.keep_checks,
            no_captures: self.no_captures,
            order: match (self.dedup, self.shuffle) {
                (true, _) => RowOrder::Unique,
                (false, true) => RowOrder::Shuffled,
                (false, false) => RowOrder::Games,
            },
            max_positions: self.max_positions,
            shard_rows: self.shard_rows,
        }
    }
}

/// Runs it.
pub fn run(args: &RescoreArgs, out: &mut dyn Write) -> Outcome {
    let begin = Instant::now();
    let teacher = Teacher::named(&args.net)?;
    let source = Source::open(&args.input)?;
    let stop = crate::interrupt::listen(|| {})?;
    let workers = Workers::from(args.threads.count()).until(&stop);
    let mut progress = Progress::new(source.rows());
    let rescored =
        rescore(&source, &args.out, &teacher, &args.options(), workers, |event| match event {
            Event::Progress { read, positions, .. } => progress.tell(read, positions, ""),
            Event::Sorting { positions } => progress = Progress::new(positions),
            Event::Sorted { positions } => progress.tell(positions, positions, "sorted "),
            _ => {}
        });
    drop(progress);
    let rescored = rescored?;
    let seconds = begin.elapsed().as_secs_f64();
    let manifest = &rescored.manifest;
    let counts = &manifest.counts;
    let rate = counts.positions as f64 / seconds.max(1e-9);
    if args.json {
        let report = json!({
            "rows": source.rows(),
            "positions": counts.positions,
            "train": manifest.rows.train,
            "validation": manifest.rows.validation,
            "skipped": serde_json::to_value(counts.skipped_positions)?,
            "files": manifest.files.len(),
            "seconds": seconds,
            "positions_per_second": rate,
            "complete_before": rescored.was_complete,
            "resumed": rescored.was_resumed,
        });
        writeln!(out, "{report}")?;
        return Ok(ExitCode::SUCCESS);
    }
    if rescored.was_complete {
        writeln!(out, "{} is complete already", args.out.display())?;
    } else if rescored.was_resumed {
        writeln!(out, "went on where an earlier run had stopped")?;
    }
    let mut summary = format!(
        "{} read, {} written ({} train, {} validation) to {}, {} left out in check",
        count(source.rows(), "row"),
        count(counts.positions, "position"),
        manifest.rows.train,
        manifest.rows.validation,
        count(manifest.files.len(), "file"),
        counts.skipped_positions.check,
    );
    if !rescored.was_complete && !rescored.was_resumed {
        summary += &format!(", {seconds:.2} s, {rate:.0} positions/s");
    }
    prose(out, &summary)?;
    Ok(ExitCode::SUCCESS)
}
