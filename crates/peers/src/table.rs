//! Measuring, and tables that line up.

use cpu_time::ThreadTime;

/// Seconds of this thread's CPU time that a task takes, and what it returns.
pub fn measure<T>(task: impl FnOnce() -> T) -> (f64, T) {
    let start = ThreadTime::now();
    let result = task();
    (start.elapsed().as_secs_f64(), result)
}

/// The geometric mean.
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// A table: the first column to the left, the others to the right.
pub fn print(title: &str, header: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([header[column].chars().count()]).max().unwrap_or(0)
    };
    let line = |cells: &[String]| {
        let padded = cells.iter().enumerate().map(|(column, cell)| {
            let width = width(column);
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        println!("| {} |", padded.collect::<Vec<_>>().join(" | "));
    };
    println!("{title}");
    line(&header.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
    let rule: Vec<String> = (0..header.len())
        .map(|column| {
            if column == 0 {
                "-".repeat(width(column))
            } else {
                "-".repeat(width(column) - 1) + ":"
            }
        })
        .collect();
    line(&rule);
    rows.iter().for_each(|row| line(row));
    println!();
}

/// The best rate of each task, in units per CPU second, the tasks taken in turn.
pub fn best_rate<'a, T>(
    rounds: u32,
    units: f64,
    tasks: &[(&'a str, T)],
    run: impl Fn(&T),
) -> Vec<(&'a str, f64)> {
    let mut best: Vec<(&str, f64)> = tasks.iter().map(|&(name, _)| (name, 0.0)).collect();
    for _ in 0..rounds {
        for ((_, task), (_, rate)) in tasks.iter().zip(&mut best) {
            let (seconds, ()) = measure(|| run(task));
            *rate = rate.max(units / seconds);
        }
    }
    best
}
