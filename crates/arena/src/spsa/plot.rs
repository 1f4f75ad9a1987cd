//! The parameters over the iterations as SVG: a small chart for each.

use std::fmt::Write;

use chess::svg::escape_xml;

use super::{GainSchedule, Tuning};

const COLUMNS: usize = 4;
/// Width and height of a chart with its title.
const CHART: (f64, f64) = (250.0, 130.0);
/// Space around the curve.
const MARGIN: f64 = 12.0;
const TITLE: f64 = 36.0;
const HEAD: f64 = 40.0;
const INK: &str = "#5c6a6d";
const CURVE: &str = "#4a7ab5";

/// Draws all parameters; each curve has the height of its own changes, with its start as a dashed line.
pub fn svg(title: &str, schedule: &GainSchedule, tuning: &Tuning) -> String {
    let count = schedule.parameters.len();
    let columns = count.clamp(1, COLUMNS);
    let (width, height) =
        (columns as f64 * CHART.0, HEAD + count.div_ceil(columns) as f64 * CHART.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"{INK}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{MARGIN}\" y=\"24\" font-size=\"15\">{}</text>\n",
        escape_xml(title)
    );
    for n in 0..count {
        let (x, y) = ((n % columns) as f64 * CHART.0, HEAD + (n / columns) as f64 * CHART.1);
        chart(&mut svg, (x, y), n, schedule, tuning);
    }
    svg + "</svg>\n"
}

fn chart(svg: &mut String, (x, y): (f64, f64), n: usize, schedule: &GainSchedule, tuning: &Tuning) {
    let parameter = &schedule.parameters[n];
    let points = tuning.history.iter().map(|(k, values)| (f64::from(*k), values[n]));
    let points: Vec<(f64, f64)> =
        points.chain([(f64::from(tuning.iterations), tuning.values[n])]).collect();
    let bounds = points.iter().fold((parameter.start, parameter.start), |(low, high), point| {
        (low.min(point.1), high.max(point.1))
    });
    // A curve that does not move is in the middle.
    let spread = (bounds.1 - bounds.0).max(1e-9);
    let last = f64::from(schedule.iterations.max(1));
    let (inner, depth) = (CHART.0 - 2.0 * MARGIN, CHART.1 - TITLE - MARGIN);
    let at = |(k, value): (f64, f64)| {
        let share = if spread > 1e-9 { (value - bounds.0) / spread } else { 0.5 };
        (x + MARGIN + inner * k / last, y + TITLE + depth * (1.0 - share))
    };
    let now = tuning.values[n];
    let (name, start) = (escape_xml(&parameter.name), parameter.start);
    let (left, top, base) = (x + MARGIN, y + 14.0, at((0.0, start)).1);
    // Writing to a string does not fail.
    let _ = writeln!(svg, "<text x=\"{left}\" y=\"{top}\">{name}</text>");
    let _ = writeln!(
        svg,
        "<text x=\"{left}\" y=\"{}\" font-size=\"11\">{start} → {now:.2} ({:.2} to {:.2})</text>",
        top + 15.0,
        bounds.0,
        bounds.1
    );
    let _ = writeln!(
        svg,
        "<line x1=\"{left}\" x2=\"{}\" y1=\"{base:.1}\" y2=\"{base:.1}\" stroke=\"{INK}\" \
         stroke-width=\"0.5\" stroke-dasharray=\"4 3\"/>",
        left + inner
    );
    let line: Vec<String> =
        points.iter().map(|&point| at(point)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline fill=\"none\" stroke=\"{CURVE}\" stroke-width=\"1.5\" points=\"{}\"/>",
        line.join(" ")
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spsa::Parameter;

    #[test]
    fn every_parameter_has_a_chart_and_the_table_fits() {
        let text = "a<b, int, 10, 0, 100, 4, 0.05\nflat, int, 3, 0, 9, 1, 0.05";
        let parameters = Parameter::parse_lines(text).unwrap();
        let schedule = GainSchedule { parameters, iterations: 50, seed: 1 };
        let mut tuning = Tuning::new(&schedule);
        assert_eq!(svg("none yet", &schedule, &tuning).matches("<polyline").count(), 2);
        for k in 1..=20 {
            let trial = schedule.trial(&tuning.values, k);
            tuning.add(&schedule, &trial, [1, 1, 0], 0);
            tuning.values[1] = 3.0;
        }
        let picture = svg("title & more", &schedule, &tuning);
        assert!(picture.contains("a&lt;b") && picture.contains("title &amp; more"));
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
        let text = crate::spsa::table(&schedule, &tuning).without(&crate::spsa::UNIMPORTANT, 50);
        assert!(text.lines().all(|line| line.chars().count() <= 50), "{text}");
        assert_eq!(crate::spsa::json(&schedule, &tuning)["games"], 40);
    }
}
