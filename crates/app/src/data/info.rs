//! `tabiya data info`: counts, schema, sizes and distributions of a data set.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::data::{Manifest, Split, Summary, bars_svg, ensure_apart};
use anyhow::Context;
use clap::Args;
use layout::{Table, count, prose, width};
use serde_json::Value;

use crate::threads::Threads;
use crate::{Outcome, output};

#[derive(Args)]
pub struct InfoArgs {
    /// The folder of the data set.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Write histograms to this folder: eval.svg, mate.svg, result.svg, ply.svg, elo.svg.
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON.
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
        write_text(&manifest, &summary, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_charts(folder: &Path, manifest: &Manifest, summary: &Summary) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let view = manifest.plan.options.pov.name();
    let charts = [
        ("eval.svg", format!("evaluation in centipawns, {view}'s view"), summary.eval.bars()),
        ("mate.svg", format!("moves to mate, {view}'s view"), summary.mate.bars()),
        ("result.svg", "result of the game, by position".to_owned(), summary.named_results()),
        ("ply.svg", "half moves before the position".to_owned(), summary.ply.bars()),
        ("elo.svg", "ratings of both players, by position".to_owned(), summary.elo.bars()),
    ];
    for (name, title, bars) in charts {
        output::write(&folder.join(name), bars_svg(&title, &bars))?;
    }
    Ok(())
}

fn write_text(manifest: &Manifest, summary: &Summary, out: &mut dyn Write) -> anyhow::Result<()> {
    let counts = &manifest.counts;
    for input in &manifest.plan.inputs {
        let bytes = input.bytes.map_or("? bytes".into(), |bytes| format!("{bytes} bytes"));
        prose(out, format_args!("from {} ({bytes})", input.name))?;
    }
    let problems = manifest.problems;
    prose(
        out,
        format_args!(
            "{}, {}, {}, {} with the inputs",
            count(counts.games, "game"),
            count(counts.moves, "move"),
            count(counts.positions, "position"),
            count(problems, "problem")
        ),
    )?;
    for split in Split::ALL {
        let own = manifest.files.iter().filter(|file| file.split == split);
        let (mut files, mut bytes) = (0, 0);
        own.for_each(|file| (files, bytes) = (files + 1, bytes + file.bytes));
        let rows = manifest.rows.of(split);
        let each = bytes as f64 / rows.max(1) as f64;
        let (rows, files) = (count(rows, "row"), count(files, "file"));
        let line = format!("{rows}, {files}, {bytes} bytes ({each:.1} a row)");
        prose(out, format_args!("{:<11}{line}", split.name()))?;
    }
    if counts.skipped_games.total() > 0 {
        let skipped = nonzero(serde_json::to_value(counts.skipped_games)?);
        prose(out, format_args!("games left out: {skipped}"))?;
    }
    let skipped = nonzero(serde_json::to_value(counts.skipped_positions)?);
    if !skipped.is_empty() {
        prose(out, format_args!("positions left out: {skipped}"))?;
    }
    let mut table = Table::new(["column", "type", "bytes a row"], &[0, 1], 1);
    for note in &manifest.columns {
        let bytes = summary.bytes_of(&note.name);
        let each = bytes.map(|bytes| bytes as f64 / summary.rows.max(1) as f64);
        let each = each.map_or("-".into(), |each| format!("{each:.2}"));
        table.row([note.name.as_str(), note.r#type.as_str(), &each]);
    }
    write!(out, "\n{}", table.stacked(width()))?;
    let view = manifest.plan.options.pov.name();
    let titles = [
        (format!("eval, {view}'s view ({} without)", summary.without_eval), &summary.eval),
        (format!("mate, {view}'s view"), &summary.mate),
        ("ply".to_owned(), &summary.ply),
        ("elo".to_owned(), &summary.elo),
    ];
    for (title, histogram) in titles {
        let (Some(mean), Some((least, most))) = (histogram.mean(), histogram.range()) else {
            continue;
        };
        writeln!(out)?;
        prose(out, format_args!("{title}: mean {mean:.1}, {least} to {most}"))?;
        write!(out, "{}", histogram.text(40))?;
    }
    writeln!(out, "\nresult, by position")?;
    for (name, count) in summary.named_results() {
        writeln!(
            out,
            "{name:>8} {count} ({:.1} %)",
            100.0 * count as f64 / summary.rows.max(1) as f64
        )?;
    }
    Ok(())
}

/// The nonzero entries of an object, as text.
fn nonzero(counts: Value) -> String {
    let entries = counts.as_object().into_iter().flatten();
    let entries = entries.filter(|(_, count)| count.as_u64() != Some(0));
    entries.map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}
