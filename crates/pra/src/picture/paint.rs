//! Colors and number formats of the pictures.

/// Color of text.
pub(super) const INK: &str = "#26323a";
/// Color of secondary text.
pub(super) const SOFT: &str = "#66757f";
/// Color of arrows and rings.
pub(super) const ARROW: &str = "#2b3f9e";
/// Font stack.
pub(super) const FONT: &str = "'DejaVu Sans', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
/// Color of a square at heat 0; dark squares are shaded over it.
pub(super) const SQUARE: [u8; 3] = [0xfb, 0xf9, 0xf4];

/// Color stops of the scale.
const STOPS: [(f32, [u8; 3]); 5] = [
    (0.0, SQUARE),
    (0.15, [0xfd, 0xe8, 0xbd]),
    (0.4, [0xfd, 0xbb, 0x6e]),
    (0.7, [0xf7, 0x7f, 0x4b]),
    (1.0, [0xd1, 0x2f, 0x27]),
];

/// The color of a heat, clamped to 0 … 1.
pub(super) fn heat(value: f32) -> [u8; 3] {
    let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    let above = STOPS.iter().position(|stop| value <= stop.0).unwrap_or(STOPS.len() - 1).max(1);
    let ((low, from), (high, to)) = (STOPS[above - 1], STOPS[above]);
    let t = (value - low) / (high - low);
    let mixed = |n: usize| f32::from(from[n]) + t * (f32::from(to[n]) - f32::from(from[n]));
    std::array::from_fn(|n| mixed(n).round() as u8)
}

/// A color in CSS notation.
pub(super) fn hex(color: [u8; 3]) -> String {
    format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2])
}

/// A number with at most two decimals; 0 if it is not finite.
pub(super) fn short(value: f32) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A fraction as a percentage, with two significant digits.
pub(super) fn percent(fraction: f32) -> String {
    let percent = 100.0 * fraction;
    if percent >= 9.95 || percent == 0.0 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// A color bar.
pub(super) fn scale_bar(x: f32, y: f32, width: f32, height: f32) -> String {
    const STEPS: u16 = 48;
    let step = width / f32::from(STEPS);
    let mut out = String::from(r#"<g shape-rendering="crispEdges">"#);
    for n in 0..STEPS {
        let color = hex(heat((f32::from(n) + 0.5) / f32::from(STEPS)));
        let (at, wide) = (short(x + f32::from(n) * step), short(step + 0.5));
        out += &format!(
            r#"<rect x="{at}" y="{}" width="{wide}" height="{}" fill="{color}"/>"#,
            short(y),
            short(height)
        );
    }
    out + "</g>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_color_scale_is_monotonic_and_clamps_any_value() {
        assert_eq!(heat(0.0), SQUARE);
        assert_eq!(hex(heat(1.0)), "#d12f27");
        assert_eq!((heat(-3.0), heat(f32::NAN), heat(7.0)), (heat(0.0), heat(0.0), heat(1.0)));
        // Green plus blue decreases.
        let sums = (0..=100u8).map(|n| heat(f32::from(n) / 100.0));
        let sums: Vec<u16> = sums.map(|c| u16::from(c[1]) + u16::from(c[2])).collect();
        assert!(sums.is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            (short(1.0), short(-0.001), short(2.345)),
            ("1".into(), "0".into(), "2.35".into())
        );
        assert_eq!(short(f32::NAN), "0");
        assert_eq!((percent(0.5), percent(0.0153)), ("50 %".into(), "1.5 %".into()));
    }
}
