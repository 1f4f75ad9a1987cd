//! An evaluation as text.

use std::fmt;

use layout::{Table, count, wrap};

use super::{Accuracy, Evaluation, Report};

/// Columns that a narrow terminal drops: the accuracies among all from-to pairs, and the temperature.
const UNIMPORTANT: [usize; 3] = [5, 4, 7];

/// An evaluation as text: counts, a table of accuracies, and the metrics of the value.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationText<'a> {
    /// The evaluation.
    pub evaluation: &'a Evaluation,
    /// The width of the text.
    pub columns: usize,
}

impl fmt::Display for EvaluationText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evaluation { positions, games, skipped, report } = self.evaluation;
        let mut summary = count(positions, "position");
        if let Some(games) = games {
            summary += &format!(" of {}", count(games, "game"));
        }
        let (without_move, damaged) = (skipped.without_move, skipped.damaged);
        if without_move + damaged > 0 {
            summary += &format!(", {without_move} skipped without a move, {damaged} damaged");
        }
        writeln!(f, "{}\n", wrap(&summary, self.columns, 2))?;
        write!(f, "{}", report.table().without(&UNIMPORTANT, self.columns))?;
        write!(f, "{}", report.value)
    }
}

impl Report {
    /// The accuracies of all positions and of each group.
    fn table(&self) -> Table {
        let heading = ["moves", "positions", "top-1", "top-5", "all-1", "all-5", "entropy", "fit"];
        let mut table = Table::new(heading, &[0], 1);
        table.row(cells("all", &self.moves));
        for (name, groups) in
            [("piece", &self.pieces), ("phase", &self.phases), ("rating", &self.ratings)]
        {
            if !groups.is_empty() {
                table.row([name]);
            }
            for group in groups {
                table.row(cells(&format!("  {}", group.name), &group.accuracy));
            }
        }
        table
    }
}

fn cells(name: &str, accuracy: &Accuracy) -> Vec<String> {
    let mut cells = vec![name.to_owned(), accuracy.positions.to_string()];
    if accuracy.positions > 0 {
        let accuracies = [accuracy.top1, accuracy.top5, accuracy.all_top1, accuracy.all_top5];
        cells.extend(accuracies.map(|accuracy| format!("{:.2}%", 100.0 * accuracy)));
        cells.push(format!("{:.4}", accuracy.cross_entropy));
        cells.push(format!("{:.2}", accuracy.temperature));
    }
    cells
}
