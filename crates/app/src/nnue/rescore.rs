//! `tabiya nnue rescore`: replaces the scores of a data set by those of an evaluation.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use ::data::{RowOrder, RunReport, check_foreign};
use clap::Args;
use layout::width;
use train::rescore::{RescoreOptions, SearchDepth, Source, Teacher, report, rescore};

use crate::jobs::GenerateArgs;
use crate::progress::JobProgress;
use crate::{Outcome, interrupt};

/// Replace the scores of a data set by those of an evaluation
///
/// Position, move and result stay; positions in check are skipped. From games to a training set for a
/// network:
///
///   tabiya data prepare games.pgn.zst --shuffle --val-fraction 0.01 --out positions
///   tabiya nnue rescore positions --net teacher.nnue --vary 2 --out scored
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct RescoreArgs {
    /// Directory of a data set, or one of its files: Parquet or packed rows; or Parquet of other programs with
    /// a column fen
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// Directory of the new data set; an interrupted run resumes
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Evaluation: a network file (Tabiya, HalfKP, HalfKAv2_hm), `classic`, the classical evaluation (HCE), or
    /// `embedded`, the built-in network
    #[arg(long, value_name = "FILE", default_value = "classic")]
    net: String,
    /// Score by quiescence search
    #[arg(long, conflicts_with_all = ["nodes", "depth"])]
    quiescence: bool,
    /// Score by a search of N nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    nodes: Option<u64>,
    /// Score by a search to depth N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: Option<u32>,
    /// Add N positions one or two random moves away from each position, without result
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=64))]
    vary: u32,
    /// Keep positions in check
    #[arg(long)]
    keep_checks: bool,
    /// Skip positions whose move is a capture
    #[arg(long)]
    no_captures: bool,
    /// Shuffle the rows globally, not only within blocks of 32,768
    #[arg(long)]
    shuffle: bool,
    /// Remove duplicate positions; implies --shuffle
    #[arg(long)]
    dedup: bool,
    /// Maximum number of positions
    #[arg(long, value_name = "N")]
    max_positions: Option<u64>,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    job: GenerateArgs,
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
            order: RowOrder::new(self.dedup, self.shuffle),
            max_positions: self.max_positions,
            shard_rows: self.job.shard_rows,
        }
    }
}

pub fn run(args: &RescoreArgs, out: &mut dyn Write) -> Outcome {
    let start = Instant::now();
    let teacher = Teacher::named(&args.net)?;
    let source = Source::open(&args.input)?;
    check_foreign(&args.input, args.job.threads(), |line| eprintln!("{line}"))?;
    let stop = interrupt::listen(|| {})?;
    let workers = args.job.workers(&stop);
    let mut progress = JobProgress::new(source.rows());
    let rescored = rescore(&source, &args.out, &teacher, &args.options(), workers, |event| {
        progress.on_event(event, false);
    });
    drop(progress);
    let (rescored, seconds) = (rescored?, start.elapsed().as_secs_f64());
    let report = RunReport { prepared: &rescored, folder: &args.out, seconds, columns: width() };
    match args.job.json {
        true => writeln!(out, "{}", report::json(&report, source.rows()))?,
        false => out.write_all(report::text(&report, source.rows()).as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}
