//! `tabiya data info`: what is in a data set.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ::data::{Histogram, Manifest, Split, Summary, bars_svg, ensure_apart};
use anyhow::Context;
use clap::Args;
use serde_json::{Value, json};

use crate::layout::{Table, prose, width};
use crate::threads::Threads;
use crate::words::count;
use crate::{Outcome, output};

#[derive(Args)]
pub struct InfoArgs {
    /// The folder of the data set.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Write histograms as pictures to this folder: eval.svg, result.svg, ply.svg, elo.svg.
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

const RESULTS: [&str; 4] = ["1-0", "1/2-1/2", "0-1", "unknown"];

pub fn run(args: &InfoArgs, out: &mut dyn Write) -> Outcome {
    let (manifest, summary) = ::data::summarize(&args.folder, args.threads.count())?;
    if let Some(folder) = &args.svg {
        ensure_apart(folder, [args.folder.as_path()])?;
        write_pictures(folder, &manifest, &summary)?;
    }
    if args.json {
        writeln!(out, "{}", as_json(&manifest, &summary)?)?;
    } else {
        write_text(&manifest, &summary, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn results(summary: &Summary) -> Vec<(String, u64)> {
    RESULTS.iter().zip(summary.results).map(|(name, count)| ((*name).to_owned(), count)).collect()
}

fn write_pictures(folder: &PathBuf, manifest: &Manifest, summary: &Summary) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let view = manifest.options.pov.name();
    let steps = |histogram: &Histogram| -> Vec<(String, u64)> { histogram.bars() };
    let pictures = [
        ("eval.svg", format!("evaluation in centipawns, {view}'s view"), steps(&summary.eval)),
        ("mate.svg", format!("moves to mate, {view}'s view"), steps(&summary.mate)),
        ("result.svg", "result of the game, by position".to_owned(), results(summary)),
        ("ply.svg", "half moves before the position".to_owned(), steps(&summary.ply)),
        ("elo.svg", "ratings of both players, by position".to_owned(), steps(&summary.elo)),
    ];
    for (name, title, bars) in pictures {
        let path = folder.join(name);
        output::write(&path, bars_svg(&title, &bars))?;
    }
    Ok(())
}

fn write_text(manifest: &Manifest, summary: &Summary, out: &mut dyn Write) -> anyhow::Result<()> {
    let counts = &manifest.counts;
    for input in &manifest.inputs {
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
        let bytes = summary.column_bytes.iter().find(|(column, _)| column.name() == note.name);
        let each = bytes.map(|(_, bytes)| *bytes as f64 / summary.rows.max(1) as f64);
        let each = each.map_or("-".into(), |each| format!("{each:.2}"));
        table.row([note.name.as_str(), note.r#type.as_str(), &each]);
    }
    write!(out, "\n{}", table.stacked(width()))?;
    let view = manifest.options.pov.name();
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
    for (name, count) in results(summary) {
        writeln!(
            out,
            "{name:>8} {count} ({:.1} %)",
            100.0 * count as f64 / summary.rows.max(1) as f64
        )?;
    }
    Ok(())
}

/// The entries of an object that are not zero, in words.
fn nonzero(counts: Value) -> String {
    let entries = counts.as_object().into_iter().flatten();
    let entries = entries.filter(|(_, count)| count.as_u64() != Some(0));
    entries.map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

fn as_json(manifest: &Manifest, summary: &Summary) -> anyhow::Result<Value> {
    let histogram = |histogram: &Histogram| {
        json!({
            "count": histogram.count(),
            "mean": histogram.mean(),
            "range": histogram.range().map(|(least, most)| [least, most]),
            "steps": histogram.steps(),
        })
    };
    let columns: Vec<Value> = manifest
        .columns
        .iter()
        .map(|note| {
            let bytes = summary.column_bytes.iter().find(|(column, _)| column.name() == note.name);
            let bytes = bytes.map(|(_, bytes)| *bytes);
            json!({ "name": note.name, "type": note.r#type, "meaning": note.meaning, "bytes": bytes })
        })
        .collect();
    let results: serde_json::Map<String, Value> =
        results(summary).into_iter().map(|(name, count)| (name, count.into())).collect();
    Ok(json!({
        "rows": summary.rows,
        "train": manifest.rows.train,
        "validation": manifest.rows.validation,
        "counts": serde_json::to_value(manifest.counts)?,
        "problems": manifest.problems,
        "files": manifest.files.len(),
        "bytes": manifest.files.iter().map(|file| file.bytes).sum::<u64>(),
        "columns": columns,
        "pov": manifest.options.pov.name(),
        "without_eval": summary.without_eval,
        "eval": histogram(&summary.eval),
        "mate": histogram(&summary.mate),
        "ply": histogram(&summary.ply),
        "elo": histogram(&summary.elo),
        "results": results,
    }))
}
