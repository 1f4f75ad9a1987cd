//! Limits of a search, for commands that search positions.

use std::time::Duration;

use engine::search::Limits;

/// Limits besides the time.
#[derive(clap::Args)]
pub struct SearchLimits {
    /// Depth limit in plies
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u32).range(1..=127))]
    depth: Option<u32>,
    /// Node limit
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
}

impl SearchLimits {
    /// These limits; this time if there are none.
    pub fn or_time(&self, time: Duration) -> Limits {
        let mut limits = Limits { depth: self.depth, nodes: self.nodes, ..Limits::default() };
        if limits == Limits::default() {
            limits.move_time = Some(time);
        }
        limits
    }
}
