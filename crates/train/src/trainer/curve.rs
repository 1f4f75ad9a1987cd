//! The loss through a training as a picture.

use super::LogLine;

/// Draws training loss and validation loss over the positions seen.
///
/// ```
/// let svg = train::trainer::loss_svg("a network", &[]);
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// ```
pub fn loss_svg(title: &str, lines: &[LogLine]) -> String {
    let training = lines.iter().map(|line| (line.positions as f64, line.loss)).collect();
    let validation =
        lines.iter().filter_map(|line| Some((line.positions as f64, line.validation?))).collect();
    data::curves_svg(title, &[("training", training), ("validation", validation)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_log_is_a_point_and_titles_cannot_break_out() {
        let line = |n: u64| LogLine {
            step: n,
            positions: n * 1_000_000,
            epochs: 0.0,
            rate: 0.1,
            loss: 0.1 / n as f64,
            validation: (n > 1).then_some(0.2),
            left_out: 0,
            positions_per_second: 1.0,
        };
        let svg = loss_svg("<a>", &[1, 2, 3].map(line));
        let points = |n: usize| svg.split("points=\"").nth(n).unwrap().split('"').next().unwrap();
        assert_eq!((points(1).split(' ').count(), points(2).split(' ').count()), (3, 2));
        assert!(svg.contains("&lt;a&gt;") && !svg.contains("<a>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(!loss_svg("", &[line(1)]).contains("NaN"));
    }
}
