//! What a rescoring run has done, as text and as JSON.

use data::RunReport;
use layout::count;
use serde_json::Value;

/// Rows read, positions written and speed.
pub fn text(report: &RunReport<'_>, rows: u64) -> String {
    let manifest = &report.prepared.manifest;
    let counts = &manifest.counts;
    let mut summary = format!(
        "{} read, {} written ({} train, {} validation) to {}, {} left out in check",
        count(rows, "row"),
        count(counts.positions, "position"),
        manifest.rows.train,
        manifest.rows.validation,
        count(manifest.files.len(), "file"),
        counts.skipped_positions.check,
    );
    if report.is_whole_run() {
        let rate = report.per_second(counts.positions);
        summary += &format!(", {:.2} s, {rate:.0} positions/s", report.seconds);
    }
    report.text(&[summary])
}

/// The same as JSON.
pub fn json(report: &RunReport<'_>, rows: u64) -> Value {
    let rate = report.per_second(report.prepared.manifest.counts.positions);
    let mut value = report.generate_json(rate);
    value["rows"] = rows.into();
    value
}
