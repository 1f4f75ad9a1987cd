//! `tabiya data info`: counts, schema, sizes and distributions of a data set.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::data::{Manifest, Summary, SummaryText, ensure_apart};
use anyhow::Context;
use clap::Args;

use crate::threads::Threads;
use crate::{Outcome, output};

#[derive(Args)]
pub struct InfoArgs {
    /// Directory of the data set
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Write histograms to this directory: eval.svg, mate.svg, result.svg, ply.svg, elo.svg
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &InfoArgs, out: &mut dyn Write) -> Outcome {
    let (manifest, summary) = ::data::summarize(&args.folder, args.threads.count())?;
    if let Some(folder) = &args.svg {
        ensure_apart(folder, [args.folder.as_path()])?;
        write_charts(folder, &manifest, &summary)?;
    }
    if args.json {
        writeln!(out, "{}", summary.to_json(&manifest))?;
    } else {
        let columns = layout::width();
        write!(out, "{}", SummaryText { manifest: &manifest, summary: &summary, columns })?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_charts(folder: &Path, manifest: &Manifest, summary: &Summary) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    for (name, svg) in summary.charts(manifest) {
        output::write(&folder.join(name), svg)?;
    }
    Ok(())
}
