//! Histograms, as text and as SVG.

use std::fmt::Write;

use chess::svg::escape_xml;

/// A histogram with bins of equal width. Values out of range are counted in the outer bins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Histogram {
    first: i64,
    width: i64,
    steps: Vec<u64>,
    count: u64,
    sum: i64,
    least: i64,
    most: i64,
}

impl Histogram {
    /// `steps` bins of this width, the first of which begins at `first`.
    pub fn new(first: i64, width: i64, steps: usize) -> Self {
        let steps = vec![0; steps.max(1)];
        Self {
            first,
            width: width.max(1),
            steps,
            count: 0,
            sum: 0,
            least: i64::MAX,
            most: i64::MIN,
        }
    }

    /// Adds a value.
    pub fn add(&mut self, value: i64) {
        let last = self.steps.len() as i64 - 1;
        let step = (value - self.first).div_euclid(self.width).clamp(0, last);
        self.steps[step as usize] += 1;
        self.count += 1;
        self.sum += value;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    /// Adds all values of another histogram with the same bins.
    pub fn append(&mut self, other: &Self) {
        for (whole, part) in self.steps.iter_mut().zip(&other.steps) {
            *whole += part;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// Number of values.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Mean, if there are values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Minimum and maximum, if there are values.
    pub fn range(&self) -> Option<(i64, i64)> {
        (self.count > 0).then_some((self.least, self.most))
    }

    /// Lower bound and count of each bin, without the empty ones at both ends.
    pub fn steps(&self) -> Vec<(i64, u64)> {
        let all = self.steps.iter().enumerate();
        let all: Vec<(i64, u64)> =
            all.map(|(n, &count)| (self.first + n as i64 * self.width, count)).collect();
        let first = all.iter().position(|(_, count)| *count > 0).unwrap_or(all.len());
        let last = all.iter().rposition(|(_, count)| *count > 0).map_or(first, |last| last + 1);
        all[first..last].to_vec()
    }

    /// Label and count of each bin: its lower bound, or `< x` and `≥ x` for an outer bin with values out of
    /// range.
    ///
    /// ```
    /// let mut ratings = tabiya_data::Histogram::new(1000, 100, 3);
    /// for rating in [700, 1000, 1150, 1299] {
    ///     ratings.add(rating);
    /// }
    /// let bars = ratings.bars();
    /// assert_eq!(bars[0], ("< 1100".to_owned(), 2));
    /// assert_eq!(bars[2], ("1200".to_owned(), 1));
    /// ```
    pub fn bars(&self) -> Vec<(String, u64)> {
        let last = self.first + self.width * (self.steps.len() as i64 - 1);
        let name = |value: i64| {
            if value == self.first && self.least < self.first {
                format!("< {}", self.first + self.width)
            } else if value == last && self.most >= last + self.width {
                format!("≥ {last}")
            } else {
                value.to_string()
            }
        };
        self.steps().into_iter().map(|(value, count)| (name(value), count)).collect()
    }

    /// A text bar for each bin, at most `width` characters wide.
    pub fn text(&self, width: usize) -> String {
        let steps = self.bars();
        let most = steps.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
        let mut text = String::new();
        for (name, count) in steps {
            // In eighths of a character.
            let eighths = (count as u128 * width as u128 * 8 / u128::from(most)) as usize;
            let mut bar = "█".repeat(eighths / 8);
            if !eighths.is_multiple_of(8) {
                bar.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
            }
            let _ = writeln!(text, "{name:>8} {bar:<width$} {count}");
        }
        text
    }
}

/// Colors of bars and text.
const BAR: &str = "#4a7ab5";
const INK: &str = "#333";

/// A bar chart as SVG.
pub fn bars_svg(title: &str, bars: &[(String, u64)]) -> String {
    let (row, left, room) = (18, 90, 420);
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
    let (width, height) = (left + room + 110, 40 + row * bars.len());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"{INK}\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"20\" font-size=\"14\">{}</text>\n",
        escape_xml(title)
    );
    for (n, (name, count)) in bars.iter().enumerate() {
        let (y, length) = (32 + row * n, *count as f64 / most as f64 * f64::from(room));
        let (text_y, x) = (y + 12, left + 6 + length as i32);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{text_y}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{left}\" y=\"{y}\" width=\"{length:.1}\" height=\"14\" fill=\"{BAR}\"/>\
             <text x=\"{x}\" y=\"{text_y}\">{count}</text>",
            left - 6,
            escape_xml(name),
        );
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_counted_in_the_outer_bins() {
        let mut histogram = Histogram::new(-10, 10, 3);
        for value in [-500, -10, -1, 0, 9, 10, 19, 20, 7_000] {
            histogram.add(value);
        }
        assert_eq!(histogram.steps(), [(-10, 3), (0, 2), (10, 4)]);
        assert_eq!((histogram.count(), histogram.range()), (9, Some((-500, 7_000))));
        let mut twice = histogram.clone();
        twice.append(&histogram);
        assert_eq!((twice.count(), twice.mean()), (18, histogram.mean()));
        let text = histogram.text(8);
        assert_eq!(text.lines().next(), Some("     < 0 ██████   3"));
        assert_eq!(text.lines().next_back(), Some("    ≥ 10 ████████ 4"));
        assert_eq!(text.lines().nth(1), Some("       0 ████     2"));
    }

    #[test]
    fn outer_bins_are_labeled_as_open_only_with_values_out_of_range() {
        let mut inside = Histogram::new(-10, 10, 3);
        inside.add(-10);
        inside.add(19);
        let names = |histogram: &Histogram| -> Vec<String> {
            histogram.bars().into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(&inside), ["-10", "0", "10"]);
        inside.add(-11);
        assert_eq!(names(&inside), ["< 0", "0", "10"]);
        inside.add(20);
        assert_eq!(names(&inside), ["< 0", "0", "≥ 10"]);
    }

    #[test]
    fn svg_charts_have_a_bar_per_entry_and_escaped_labels() {
        let svg = bars_svg("a < b", &[("1-0".into(), 3), ("<script>".into(), 0)]);
        assert_eq!(svg.matches("<rect").count(), 3);
        assert!(svg.contains("a &lt; b") && !svg.contains("<script>"));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }
}
