//! The parameters of a tuning as text and JSON.

use layout::{Table, count};
use serde_json::{Value, json};

use super::{GainSchedule, Tuning};

/// Columns of [`table`] that a narrow table leaves out: learning rate, perturbation, range.
pub const UNIMPORTANT: [usize; 4] = [7, 6, 4, 5];

/// A line for each parameter.
pub fn table(schedule: &GainSchedule, tuning: &Tuning) -> Table {
    let heading = ["parameter", "start", "now", "change %", "min", "max", "c", "r"];
    let mut table = Table::new(heading, &[0], 1);
    for (parameter, &value) in schedule.parameters.iter().zip(&tuning.values) {
        let (c, r) = schedule.gains(parameter, tuning.iterations + 1);
        // Of the range: a parameter may start at 0.
        let change = 100.0 * (value - parameter.start) / (parameter.max - parameter.min);
        table.row([
            parameter.name.clone(),
            parameter.start.to_string(),
            format!("{value:.2}"),
            format!("{change:+.1}"),
            parameter.min.to_string(),
            parameter.max.to_string(),
            format!("{c:.2}"),
            format!("{r:.4}"),
        ]);
    }
    table
}

/// Iterations, games and faults in a line.
pub fn summary(schedule: &GainSchedule, tuning: &Tuning) -> String {
    let [wins, draws, losses] = tuning.games;
    let (done, games) = (tuning.iterations, count(wins + draws + losses, "game"));
    let faults = match tuning.faults {
        0 => String::new(),
        faults => format!(", {}", count(faults, "fault")),
    };
    let planned = count(schedule.iterations, "iteration");
    format!("{done} of {planned}, {games}{faults}")
}

/// The tuning as JSON.
pub fn json(schedule: &GainSchedule, tuning: &Tuning) -> Value {
    let parameters = schedule.parameters.iter().zip(&tuning.values).map(|(parameter, &value)| {
        json!({
            "name": parameter.name, "start": parameter.start, "value": value,
            "option": parameter.text(parameter.rounded(value, 0.5)),
            "min": parameter.min, "max": parameter.max, "c": parameter.c, "r": parameter.r,
        })
    });
    let [wins, draws, losses] = tuning.games;
    json!({
        "iterations": tuning.iterations, "planned": schedule.iterations,
        "games": wins + draws + losses, "wins": wins, "draws": draws, "losses": losses,
        "faults": tuning.faults, "parameters": parameters.collect::<Vec<Value>>(),
    })
}
