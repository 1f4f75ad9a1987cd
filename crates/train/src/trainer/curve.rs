//! The loss through a training as a picture.

use std::fmt::Write;

use super::LogLine;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 86.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 52.0;
const INK: &str = "#5c6a6d";
/// Training and validation.
const COLORS: [&str; 2] = ["#4a7ab5", "#c0623b"];

/// Draws training loss and validation loss over the positions seen.
///
/// ```
/// let svg = train::trainer::loss_svg("a network", &[]);
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// ```
pub fn loss_svg(title: &str, lines: &[LogLine]) -> String {
    let curves: [Vec<(f64, f64)>; 2] = [
        lines.iter().map(|line| (line.positions as f64, line.loss)).collect(),
        lines.iter().filter_map(|line| Some((line.positions as f64, line.validation?))).collect(),
    ];
    let points = || curves.iter().flatten().filter(|(_, loss)| loss.is_finite());
    let most = points().map(|point| point.0).fold(1.0, f64::max);
    let (low, high) = points()
        .fold((f64::MAX, f64::MIN), |(low, high), point| (low.min(point.1), high.max(point.1)));
    let (low, high) = if low < high { (low, high) } else { (0.0, 0.1) };
    let step = round_step((high - low) / 5.0);
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    let x = |positions: f64| LEFT + (WIDTH - LEFT - RIGHT) * positions / most;
    let y = |loss: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - loss) / (high - low);
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
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
        let loss = low + step * f64::from(n);
        let at = y(loss);
        let _ = writeln!(
            svg,
            r##"<path d="M{LEFT} {at:.1}H{right}" stroke="#a9825a" stroke-width="0.7" opacity="0.45"/><text x="{:.1}" y="{:.1}" text-anchor="end">{loss:.5}</text>"##,
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
    let names = ["training", "validation"];
    for (n, (curve, (color, name))) in curves.iter().zip(COLORS.iter().zip(names)).enumerate() {
        let Some((_, last)) = curve.last() else { continue };
        let text: Vec<String> =
            curve.iter().map(|point| format!("{:.1},{:.1}", x(point.0), y(point.1))).collect();
        let at = LEFT + 6.0 + 220.0 * n as f64;
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

/// 1, 2 or 5 times a power of ten, about so large.
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

/// Millions and thousands.
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
