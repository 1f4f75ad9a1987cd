//! The rates of a benchmark as a table and as JSON.

use layout::Table;
use serde_json::{Value, json};

use crate::bench::{Bench, Rate};

impl Bench<'_> {
    /// The rates of all tasks.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["", "per second", "per CPU second"], &[0], 1);
        for Rate { name, wall, cpu, .. } in &self.rates {
            let cpu = cpu.map(|cpu| format!("{cpu:.0}")).unwrap_or_default();
            table.row([(*name).to_owned(), format!("{wall:.0}"), cpu]);
        }
        table
    }

    /// The rates of all tasks by their keys.
    pub fn to_json(&self) -> Value {
        let rate = |rate: &Rate| {
            let rates = json!({ "per_second": rate.wall, "per_cpu_second": rate.cpu });
            (rate.key.to_owned(), rates)
        };
        self.rates.iter().map(rate).collect()
    }
}
