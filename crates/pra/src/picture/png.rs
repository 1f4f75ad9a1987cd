//! Heat maps as PNG data URLs, for self-contained pages: 4096 pixels are 4 kB, and a hundred in SVG.
//!
//! Pixels are palette indices in a stored (uncompressed) zlib stream. PNG (third edition), W3C 2025; RFC
//! 1950 and 1951.

use super::paint::heat;

/// A square image of heats from 0 to 1 as a data URL: `data:image/png;base64,…`.
pub(super) fn heat_image(heats: &[f32], side: usize) -> String {
    let pixel = |value: &f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    let pixels: Vec<u8> = heats.iter().map(pixel).collect();
    format!("data:image/png;base64,{}", base64(&png(&pixels, side)))
}

fn png(pixels: &[u8], side: usize) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let size = (side as u32).to_be_bytes();
    // 8 bits per pixel, indexed color.
    chunk(&mut out, b"IHDR", &[&size[..], &size[..], &[8, 3, 0, 0, 0]].concat());
    let palette: Vec<u8> = (0..=255u8).flat_map(|n| heat(f32::from(n) / 255.0)).collect();
    chunk(&mut out, b"PLTE", &palette);
    let mut rows = Vec::with_capacity(pixels.len() + side);
    for row in pixels.chunks(side.max(1)) {
        rows.push(0); // filter: none
        rows.extend_from_slice(row);
    }
    chunk(&mut out, b"IDAT", &stored(&rows));
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let begin = out.len();
    out.extend(name);
    out.extend(data);
    let sum = crc(&out[begin..]);
    out.extend(sum.to_be_bytes());
}

/// A zlib stream of stored blocks, each of at most 65,535 bytes.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let blocks = data.chunks(65_535).count();
    for (n, block) in data.chunks(65_535).enumerate() {
        let length = block.len() as u16;
        out.push(u8::from(n + 1 == blocks));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    let (mut low, mut high) = (1u32, 0u32);
    for &byte in data {
        low = (low + u32::from(byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    out.extend((high << 16 | low).to_be_bytes());
    out
}

fn crc(data: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for &byte in data {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

fn base64(data: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(data.len().div_ceil(3) * 4);
    for three in data.chunks(3) {
        let byte = |n: usize| u32::from(three.get(n).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for n in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * n) & 63) as usize] as char;
            out.push(if n <= three.len() { letter } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_and_base64_match_the_standards() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc(b"IEND"), 0xae42_6082);
        assert_eq!(stored(b"Wikipedia")[7 + 9..], 0x11e6_0398u32.to_be_bytes());
        for (data, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(data.as_bytes()), text);
        }
    }

    #[test]
    fn an_image_has_all_chunks() {
        let image = png(&[0, 128, 255, 7], 2);
        assert!(
            image.starts_with(b"\x89PNG\r\n\x1a\n") && image.ends_with(b"IEND\xae\x42\x60\x82")
        );
        // Header, palette of 256 colors, two rows of a filter byte and two pixels, end.
        assert_eq!(image.len(), 8 + (12 + 13) + (12 + 768) + (12 + 2 + 5 + 6 + 4) + 12);
        assert!(
            heat_image(&[0.0, f32::NAN, 2.0, -1.0], 2)
                .starts_with("data:image/png;base64,iVBORw0KGgo")
        );
    }
}
