//! The results of a benchmark as a table and as JSON.

use layout::{Table, wrap};
use serde_json::{Map, Value, json};

use crate::bench::{BenchReport, Measurement};

impl Measurement {
    fn value_text(&self) -> String {
        match self.value {
            value if value >= 1e6 => format!("{:.2} M", value / 1e6),
            value if value >= 1000.0 => format!("{value:.0}"),
            value => format!("{value:.2}"),
        }
    }
}

impl BenchReport {
    /// A row per measurement, with the speedup over the reference library.
    pub fn to_text(&self, columns: usize) -> String {
        let mut table = Table::new(["", "", "", "ratio"], &[0, 2], 1);
        for measured in &self.measurements {
            let ratio = measured.ratio().map_or(String::new(), |ratio| format!("{ratio:.1} ×"));
            let (name, unit) = (measured.name.to_owned(), measured.unit.to_owned());
            table.row([name, measured.value_text(), unit, ratio]);
        }
        let (positions, yes, unknown) = (self.sako_positions, self.sako_yes, self.sako_unknown);
        let sako = format!("Ŝako search over {positions} positions: {yes} yes, {unknown} unknown");
        table.stacked(columns) + &wrap(&sako, columns, 2) + "\n"
    }

    /// The values by their keys, and their ratios to the reference library's.
    pub fn to_json(&self) -> Value {
        let ratio =
            |measured: &Measurement| Some((measured.key.to_owned(), json!(measured.ratio()?)));
        let value = |measured: &Measurement| (measured.key.to_owned(), json!(measured.value));
        let mut report: Map<String, Value> = self.measurements.iter().map(value).collect();
        let ratios: Map<String, Value> = self.measurements.iter().filter_map(ratio).collect();
        report.insert("ratios".to_owned(), Value::Object(ratios));
        report.insert("sako_positions".to_owned(), json!(self.sako_positions));
        report.insert("sako_yes".to_owned(), json!(self.sako_yes));
        report.insert("sako_unknown".to_owned(), json!(self.sako_unknown));
        Value::Object(report)
    }
}
