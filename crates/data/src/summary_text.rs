//! Counts, sizes and distributions of a data set as text, and its histograms as SVG.

use std::fmt;

use layout::{Table, count, wrap};
use serde::Serialize;
use serde_json::Value;

use crate::histogram::bars_svg;
use crate::{Manifest, Split, Summary};

/// Columns of a histogram's longest bar.
const BAR_COLUMNS: usize = 40;

impl Summary {
    /// Histograms as SVG files: name and content.
    pub fn charts(&self, manifest: &Manifest) -> [(&'static str, String); 5] {
        let view = manifest.plan.options.pov.name();
        let charts = [
            ("eval.svg", format!("evaluation in centipawns, {view}'s view"), self.eval.bars()),
            ("mate.svg", format!("moves to mate, {view}'s view"), self.mate.bars()),
            ("result.svg", "result of the game, by position".to_owned(), self.named_results()),
            ("ply.svg", "half moves before the position".to_owned(), self.ply.bars()),
            ("elo.svg", "ratings of both players, by position".to_owned(), self.elo.bars()),
        ];
        charts.map(|(name, title, bars)| (name, bars_svg(&title, &bars)))
    }
}

/// A data set with its distributions as text.
#[derive(Clone, Copy, Debug)]
pub struct SummaryText<'a> {
    /// The data set.
    pub manifest: &'a Manifest,
    /// Its distributions.
    pub summary: &'a Summary,
    /// The width of the text.
    pub columns: usize,
}

impl fmt::Display for SummaryText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_counts(f)?;
        write!(f, "\n{}", self.schema().stacked(self.columns))?;
        self.write_histograms(f)
    }
}

impl SummaryText<'_> {
    fn line(&self, f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
        writeln!(f, "{}", wrap(text, self.columns, 2))
    }

    fn write_counts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let manifest = self.manifest;
        for input in &manifest.plan.inputs {
            let bytes = input.bytes.map_or("? bytes".into(), |bytes| format!("{bytes} bytes"));
            self.line(f, &format!("from {} ({bytes})", input.name))?;
        }
        let counts = &manifest.counts;
        let summary = format!(
            "{}, {}, {}, {} with the inputs",
            count(counts.games, "game"),
            count(counts.moves, "move"),
            count(counts.positions, "position"),
            count(manifest.problems, "problem")
        );
        self.line(f, &summary)?;
        for split in Split::ALL {
            let own = manifest.files.iter().filter(|file| file.split == split);
            let (mut files, mut bytes) = (0, 0);
            own.for_each(|file| (files, bytes) = (files + 1, bytes + file.bytes));
            let rows = manifest.rows.of(split);
            let each = bytes as f64 / rows.max(1) as f64;
            let (rows, files) = (count(rows, "row"), count(files, "file"));
            let line = format!("{rows}, {files}, {bytes} bytes ({each:.1} a row)");
            self.line(f, &format!("{:<11}{line}", split.name()))?;
        }
        let skipped = [
            ("games", nonzero(counts.skipped_games)),
            ("positions", nonzero(counts.skipped_positions)),
        ];
        for (what, skipped) in skipped.into_iter().filter(|(_, skipped)| !skipped.is_empty()) {
            self.line(f, &format!("{what} left out: {skipped}"))?;
        }
        Ok(())
    }

    fn schema(&self) -> Table {
        let mut table = Table::new(["column", "type", "bytes a row"], &[0, 1], 1);
        for note in &self.manifest.columns {
            let bytes = self.summary.bytes_of(&note.name);
            let each = bytes.map(|bytes| bytes as f64 / self.summary.rows.max(1) as f64);
            let each = each.map_or("-".into(), |each| format!("{each:.2}"));
            table.row([note.name.as_str(), note.r#type.as_str(), &each]);
        }
        table
    }

    fn write_histograms(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        let view = self.manifest.plan.options.pov.name();
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
            writeln!(f)?;
            self.line(f, &format!("{title}: mean {mean:.1}, {least} to {most}"))?;
            write!(f, "{}", histogram.text(BAR_COLUMNS))?;
        }
        writeln!(f, "\nresult, by position")?;
        for (name, count) in summary.named_results() {
            let share = 100.0 * count as f64 / summary.rows.max(1) as f64;
            writeln!(f, "{name:>8} {count} ({share:.1} %)")?;
        }
        Ok(())
    }
}

/// The nonzero entries of counters, as text.
fn nonzero(counters: impl Serialize) -> String {
    let counters = serde_json::to_value(counters).unwrap_or(Value::Null);
    let entries = counters.as_object().into_iter().flatten();
    let entries = entries.filter(|(_, count)| count.as_u64() != Some(0));
    entries.map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}
