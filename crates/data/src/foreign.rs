//! Unchecked rows: Parquet files written by other programs.

use std::num::NonZero;
use std::path::Path;

use layout::count;

use crate::{DataError, DataSet};

/// Checks the rows of files of other programs, counts them, and lists the first bad ones.
pub fn check_foreign(
    path: &Path,
    threads: usize,
    mut show: impl FnMut(&str),
) -> Result<(), DataError> {
    // Errors of opening are reported by the reader.
    let Some(set) = DataSet::open(path).ok().filter(DataSet::is_all_foreign) else {
        return Ok(());
    };
    let rows = set.rows();
    show(&format!(
        "{}: {} of another program ({} train, {} validation)",
        path.display(),
        count(rows.total(), "row"),
        rows.train,
        rows.validation,
    ));
    let checked = set.check(NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN))?;
    checked.first_problems.iter().for_each(|problem| show(problem));
    if checked.problems > 0 {
        let (bad, rows) = (checked.problems, count(checked.rows, "row"));
        show(&format!("{bad} of {rows} without a valid position or a legal move"));
    }
    Ok(())
}
