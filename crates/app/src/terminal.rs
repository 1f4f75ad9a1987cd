//! How wide the terminal is.

use console::Term;

/// What is assumed where there is no terminal.
const DEFAULT_COLUMNS: usize = 80;

/// The columns of the terminal that standard output is. Where it is none, what the environment variable
/// `COLUMNS` says, or 80.
pub fn columns() -> usize {
    let of_terminal = Term::stdout().size_checked().map(|(_, columns)| columns.into());
    let of_environment = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns: Option<usize> = of_terminal.or_else(of_environment);
    columns.filter(|&columns| columns > 0).unwrap_or(DEFAULT_COLUMNS)
}
