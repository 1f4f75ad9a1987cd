//! The loss curve of a training as SVG.

use std::fmt::Write;

use chess::svg::escape_xml;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 86.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 52.0;
const INK: &str = "#5c6a6d";
const COLORS: [&str; 4] = ["#4a7ab5", "#c0623b", "#5b8a5a", "#8a6aa8"];

/// Longer curves are averaged to at most this many points.
const MAX_POINTS: usize = 400;

/// A curve: its name, and its points: positions seen and value.
type Curve<'a> = (&'a str, Vec<(f64, f64)>);

/// Draws training loss and validation loss over the positions seen.
///
/// ```
/// let svg = tabiya_learn::loss_svg("a network", &[(0.0, 0.5), (1000.0, 0.25)], &[]);
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// assert!(svg.contains("training: 0.25"));
/// ```
pub fn loss_svg(title: &str, training: &[(f64, f64)], validation: &[(f64, f64)]) -> String {
    curves_svg(title, &[("training", averaged(training)), ("validation", validation.to_vec())])
}

/// Means of neighboring points, where there are more than the picture can show.
fn averaged(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let together = points.len().div_ceil(MAX_POINTS).max(1);
    let mean = |part: &[(f64, f64)]| {
        let sum = part.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        (sum.0 / part.len() as f64, sum.1 / part.len() as f64)
    };
    points.chunks(together).map(mean).collect()
}

/// Draws curves over the positions seen, each with its last value in the legend.
fn curves_svg(title: &str, curves: &[Curve<'_>]) -> String {
    let points = || {
        let all = curves.iter().flat_map(|(_, points)| points);
        all.filter(|(positions, value)| positions.is_finite() && value.is_finite())
    };
    let most = points().map(|point| point.0).fold(1.0, f64::max);
    let (low, high) = points()
        .fold((f64::MAX, f64::MIN), |(low, high), point| (low.min(point.1), high.max(point.1)));
    // All values are equal, or there are none: an axis around them.
    let (low, high) = match (low < high, low <= high) {
        (true, _) => (low, high),
        (_, true) => (low - 0.05 * low.abs().max(1.0), low + 0.05 * low.abs().max(1.0)),
        _ => (0.0, 0.1),
    };
    let step = round_step((high - low) / 5.0);
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    let x = |positions: f64| LEFT + (WIDTH - LEFT - RIGHT) * positions / most;
    let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low);
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let title = escape_xml(title);
    let mut svg = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="'DejaVu Sans', 'Segoe UI', sans-serif" font-size="11" fill="{INK}" role="img">
<title>{title}</title>
<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#f6f3ec"/>
<text x="{LEFT}" y="30" font-size="17" font-weight="600" fill="#2f3a3d">{title}</text>
"##
    );
    for n in 0..=((high - low) / step).round().min(20.0) as u32 {
        let value = low + step * f64::from(n);
        let at = y(value);
        let _ = writeln!(
            svg,
            r##"<path d="M{LEFT} {at:.1}H{right}" stroke="#a9825a" stroke-width="0.7" opacity="0.45"/><text x="{:.1}" y="{:.1}" text-anchor="end">{value:.5}</text>"##,
            LEFT - 8.0,
            at + 4.0
        );
    }
    let step = round_step(most / 6.0);
    for n in 0..=(most / step).floor().min(20.0) as u32 {
        let positions = step * f64::from(n);
        let _ = writeln!(
            svg,
            r##"<path d="M{0:.1} {bottom}v5" stroke="{INK}"/><text x="{0:.1}" y="{1:.1}" text-anchor="middle">{2}</text>"##,
            x(positions),
            bottom + 17.0,
            short(positions)
        );
    }
    for (n, (name, curve)) in curves.iter().enumerate() {
        let points = curve.iter().filter(|point| point.0.is_finite() && point.1.is_finite());
        let Some((_, last)) = points.clone().next_back() else { continue };
        let (name, color) = (escape_xml(name), COLORS[n % COLORS.len()]);
        let text: Vec<String> =
            points.map(|point| format!("{:.1},{:.1}", x(point.0), y(point.1))).collect();
        let at = LEFT + 6.0 + 220.0 * n as f64;
        // A polyline of one point is invisible.
        if let [point] = text.as_slice()
            && let Some((x, y)) = point.split_once(',')
        {
            let _ = writeln!(svg, r##"<circle cx="{x}" cy="{y}" r="4" fill="{color}"/>"##);
        }
        let _ = writeln!(
            svg,
            r##"<polyline points="{}" fill="none" stroke="{color}" stroke-width="2" stroke-linejoin="round"/><circle cx="{at:.1}" cy="49" r="5" fill="{color}"/><text x="{:.1}" y="53" font-size="12">{name}: {last:.6}</text>"##,
            text.join(" "),
            at + 11.0
        );
    }
    let _ = writeln!(
        svg,
        r##"<text x="{:.1}" y="{:.1}" text-anchor="middle">positions</text>"##,
        (LEFT + right) / 2.0,
        HEIGHT - 12.0
    );
    svg.push_str("</svg>\n");
    svg
}

/// The smallest 1, 2 or 5 times a power of ten that is not below `rough`.
fn round_step(rough: f64) -> f64 {
    if !rough.is_finite() || rough <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&step| step >= rough)
        .unwrap_or(power)
}

/// A count in thousands or millions.
fn short(count: f64) -> String {
    match count {
        _ if count >= 1e6 => format!("{} M", (count / 1e5).round() / 10.0),
        _ if count >= 1e3 => format!("{} k", (count / 1e2).round() / 10.0),
        _ => format!("{count}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_drawn_and_names_are_escaped() {
        let first: Vec<_> = (1..=3).map(|n| (f64::from(n) * 1e6, 0.1 / f64::from(n))).collect();
        let second = vec![(2e6, 0.2), (3e6, f64::NAN), (3e6, 0.2)];
        let svg = curves_svg("<a>", &[("one", first), ("<two>", second), ("none", Vec::new())]);
        let points = |n: usize| svg.split("points=\"").nth(n).unwrap().split('"').next().unwrap();
        assert_eq!((points(1).split(' ').count(), points(2).split(' ').count()), (3, 2));
        assert!(svg.contains("&lt;a&gt;") && !svg.contains("<a>"));
        assert!(svg.contains("&lt;two&gt;") && !svg.contains("<two>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(!curves_svg("", &[("one", vec![(1e6, 0.1)])]).contains("NaN"));
    }

    #[test]
    fn a_curve_of_one_point_is_a_dot_inside_the_picture() {
        for value in [0.0, 0.1, 0.7, 250.0, -3.0] {
            let svg = curves_svg("", &[("one", vec![(1e6, value)])]);
            let (_, dot) = svg.split_once(r#"<circle cx=""#).unwrap();
            let (x, rest) = dot.split_once(r#"" cy=""#).unwrap();
            let (y, _) = rest.split_once('"').unwrap();
            let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
            assert!((LEFT..=WIDTH - RIGHT).contains(&x), "{value}: {x}");
            assert!((TOP..=HEIGHT - BOTTOM).contains(&y), "{value}: {y}");
        }
        // The point, and the one in the legend.
        let circles = |points| curves_svg("", &[("one", points)]).matches("<circle").count();
        assert_eq!((circles(vec![(1e6, 0.1)]), circles(vec![(1e6, 0.1), (2e6, 0.2)])), (2, 1));
    }

    #[test]
    fn a_long_curve_is_drawn_by_the_means_of_neighbors() {
        let few: Vec<(f64, f64)> = (0..400).map(|n| (f64::from(n), 1.0)).collect();
        assert_eq!(averaged(&few), few);
        let many: Vec<(f64, f64)> = (0..900).map(|n| (f64::from(n), f64::from(n % 3))).collect();
        let thin = averaged(&many);
        assert_eq!((thin.len(), thin[0], thin[299]), (300, (1.0, 1.0), (898.0, 1.0)));
        assert_eq!(averaged(&[]), []);
    }
}
