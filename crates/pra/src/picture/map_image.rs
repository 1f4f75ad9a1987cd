//! An attention map as one image: a board of boards.
//!
//! Each query square holds a small board of its key squares.

use chess::svg::escape_xml;

use super::paint::{FONT, INK, SOFT};
use super::png::heat_image;
use crate::attention::AttentionMap;

/// The pixel of a pair in the 64 × 64 image; the first rank is at the bottom of both boards.
fn pixel(query: usize, key: usize) -> usize {
    let (x, y) = (query % 8 * 8 + key % 8, (7 - query / 8) * 8 + (7 - key / 8));
    y * 64 + x
}

/// A heat map of values from `low` to `high`, as a data URL.
pub(super) fn image(map: &AttentionMap, low: f32, high: f32) -> String {
    let mut heats = vec![0.0; 64 * 64];
    let width = high - low;
    for (n, &value) in map.iter().enumerate().take(64 * 64) {
        let heat = if width > 0.0 { (value - low) / width } else { 0.0 };
        heats[pixel(n / 64, n % 64)] = heat;
    }
    heat_image(&heats, 64)
}

/// The first and 99th percentile: ends of a scale that ignores outliers.
pub(super) fn range(map: &AttentionMap) -> (f32, f32) {
    let mut sorted: Vec<f32> = map.to_vec();
    sorted.sort_by(f32::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return (0.0, 0.0) };
    (sorted[last / 100], sorted[last - last / 100])
}

/// The image as SVG, with grid lines and a caption.
pub(super) fn svg(image: &str, title: &str, note: &str, side: u32) -> String {
    let mut lines = String::new();
    for n in 1..8 {
        lines += &format!("M{0} 0V64M0 {0}H64", 8 * n);
    }
    let (title, note) = (escape_xml(title), escape_xml(note));
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
    fn every_pair_has_its_own_pixel_with_the_first_rank_at_the_bottom() {
        let all: std::collections::HashSet<usize> =
            (0..4096).map(|n| pixel(n / 64, n % 64)).collect();
        assert_eq!((all.len(), all.iter().max()), (4096, Some(&4095)));
        assert_eq!(pixel(0, 0), 63 * 64);
        assert_eq!(pixel(63, 63), 63);
        // Query b1, key a2.
        assert_eq!(pixel(1, 8), 62 * 64 + 8);
    }

    #[test]
    fn outliers_do_not_stretch_the_scale() {
        let mut map = vec![0.1; 4096];
        (map[7], map[8]) = (1.0, 0.0);
        assert_eq!(range(&map), (0.1, 0.1));
        map[..100].fill(0.9);
        map[100..200].fill(0.01);
        assert_eq!(range(&map), (0.01, 0.9));
        assert_eq!(range(&[]), (0.0, 0.0));
        assert_eq!(range(&[0.5]), (0.5, 0.5));
    }
}
