//! A map of all pairs of squares as one picture: a board of boards.
//!
//! On the square that looks stands a small board of what it looks at.

use super::paint::{FONT, INK, SOFT, escaped};
use super::png::heat_image;
use crate::attention::Map;

/// The place of a pair in the picture of 64 × 64 dots: the first rank is below in both boards.
fn place(from: usize, to: usize) -> usize {
    let (x, y) = (from % 8 * 8 + to % 8, (7 - from / 8) * 8 + (7 - to / 8));
    y * 64 + x
}

/// Heats from a range, as a picture.
pub(super) fn image(map: &Map, low: f32, high: f32) -> String {
    let mut heats = vec![0.0; 64 * 64];
    let width = high - low;
    for (n, &value) in map.iter().enumerate().take(64 * 64) {
        let heat = if width > 0.0 { (value - low) / width } else { 0.0 };
        heats[place(n / 64, n % 64)] = heat;
    }
    heat_image(&heats, 64)
}

/// A number that all but one in a hundred stay below: the end of a scale that a few hot pairs do not
/// spoil for the rest.
pub(super) fn most(map: &Map) -> f32 {
    let mut sorted: Vec<f32> = map.to_vec();
    sorted.sort_by(f32::total_cmp);
    let at = (sorted.len() * 99 / 100).min(sorted.len().saturating_sub(1));
    sorted.get(at).copied().unwrap_or(0.0)
}

/// The picture with lines between the boards and a caption, as SVG of its own.
pub(super) fn svg(image: &str, title: &str, note: &str, side: u32) -> String {
    let mut lines = String::new();
    for n in 1..8 {
        lines += &format!("M{0} 0V64M0 {0}H64", 8 * n);
    }
    let (title, note) = (escaped(title), escaped(note));
    let height = side + 40;
    let label = if note.is_empty() { title.clone() } else { format!("{title}: {note}") };
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {height}" width="{side}" height="{height}" font-family="{FONT}" role="img"><title>{label}</title><svg width="{side}" height="{side}" viewBox="0 0 64 64"><image width="64" height="64" href="{image}" style="image-rendering:pixelated"/><path d="{lines}" stroke="#8b979e" stroke-width=".25" fill="none"/><rect width="64" height="64" fill="none" stroke="#66757f" stroke-width=".5"/></svg><text x="0" y="{}" font-size="13" font-weight="600" fill="{INK}">{title}</text><text x="0" y="{}" font-size="11" fill="{SOFT}">{note}</text></svg>"##,
        side + 17,
        side + 32
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_a_place_of_its_own_with_the_first_rank_below() {
        let all: std::collections::HashSet<usize> =
            (0..4096).map(|n| place(n / 64, n % 64)).collect();
        assert_eq!((all.len(), all.iter().max()), (4096, Some(&4095)));
        assert_eq!(place(0, 0), 63 * 64);
        assert_eq!(place(63, 63), 63);
        // b1 looks at a2.
        assert_eq!(place(1, 8), 62 * 64 + 8);
    }

    #[test]
    fn a_few_hot_pairs_do_not_spoil_the_scale() {
        let mut map = vec![0.1; 4096];
        map[7] = 1.0;
        assert_eq!(most(&map), 0.1);
        assert_eq!(most(&[]), 0.0);
    }
}
