//! Byte search eight bytes at a time (SWAR).

#[cfg(test)]
thread_local! {
    /// Bytes scanned by this thread, for the tests of linear time.
    pub(super) static WORK: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts scanned bytes in tests; a no-op otherwise. Every loop over the text calls it.
#[inline(always)]
#[cfg_attr(not(test), allow(unused_variables, reason = "only tests count"))]
pub(super) fn count_work(bytes: usize) {
    #[cfg(test)]
    WORK.with(|work| work.set(work.get() + bytes as u64));
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Eight bytes as a little-endian word; `None` near the end of the text.
#[inline(always)]
pub(super) fn word(text: &[u8], at: usize) -> Option<u64> {
    let bytes: &[u8; 8] = text.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

/// The high bit of each byte that is zero. Bits above the first one may be wrong.
#[inline(always)]
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

/// The number of bytes before the first blank or control character, at most 8.
#[inline(always)]
pub(super) fn before_blank(word: u64) -> u32 {
    // Bytes up to 0x20 borrow when 0x21 is taken from them.
    let blank = word.wrapping_sub(LOW * 0x21) & !word & HIGH;
    blank.trailing_zeros() / 8
}

/// The offset of the first of these bytes from an offset on; the end of the text if there is none.
#[inline(always)]
pub(super) fn find<const N: usize>(text: &[u8], from: usize, wanted: [u8; N]) -> usize {
    let at = position(text, from, wanted);
    count_work(at.saturating_sub(from));
    at
}

#[inline(always)]
fn position<const N: usize>(text: &[u8], mut at: usize, wanted: [u8; N]) -> usize {
    while let Some(word) = word(text, at) {
        let mut found = 0;
        for byte in wanted {
            found |= zeros(word ^ (LOW * byte as u64));
        }
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().position(|byte| wanted.contains(byte)).map_or(text.len(), |n| at + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_search_matches_byte_search() {
        let mut text: Vec<u8> = (0..=255).rev().collect();
        text.extend((0..=255).map(|n: u8| n.wrapping_mul(37)));
        for start in 0..text.len() + 2 {
            for a in [0, 1, b'"', b'}', 0x7f, 0x80, 0x81, 0xff] {
                let wanted = [a, a.wrapping_add(1)];
                let rest = text.get(start..).unwrap_or_default();
                let slow = rest.iter().position(|byte| wanted.contains(byte));
                let slow = slow.map_or(text.len(), |n| start + n);
                assert_eq!(find(&text, start, wanted), slow);
            }
            if let Some(word) = word(&text, start) {
                let slow = text[start..start + 8].iter().position(|&byte| byte <= b' ');
                assert_eq!(before_blank(word), slow.unwrap_or(8) as u32);
            }
        }
    }
}
