//! Bits as numbers: 64 values, 0 or 1, for each word.
//!
//! Eight values at a time come from a table of all bytes. [`stream`] writes them past the caches, with non-temporal
//! stores: a batch that is larger than the caches is not read before it is written.

/// A number that bits become.
pub trait Bit: Copy + 'static {
    /// The eight values of each byte, its lowest bit first.
    const VALUES: &'static [[Self; 8]; 256];
}

macro_rules! bit {
    ($($type:ty),*) => {
        $(impl Bit for $type {
            const VALUES: &'static [[Self; 8]; 256] = &{
                let mut table = [[0 as $type; 8]; 256];
                let mut byte = 0;
                while byte < 256 {
                    let mut bit = 0;
                    while bit < 8 {
                        table[byte][bit] = (byte >> bit & 1) as $type;
                        bit += 1;
                    }
                    byte += 1;
                }
                table
            };
        })*
    };
}
bit!(u8, f32, f64);

/// Writes the bits of the words as 0 and 1, the lowest bit first; beyond the shorter of the two nothing.
///
/// ```
/// let mut values = [7.0f32; 64];
/// tabiya_simd::bits::expand(&[0b101], &mut values);
/// assert_eq!(values[..4], [1.0, 0.0, 1.0, 0.0]);
/// ```
#[inline]
pub fn expand<T: Bit>(words: &[u64], out: &mut [T]) {
    for (word, part) in words.iter().zip(out.as_chunks_mut::<64>().0) {
        for (byte, values) in word.to_le_bytes().into_iter().zip(part.as_chunks_mut().0) {
            *values = T::VALUES[usize::from(byte)];
        }
    }
}

/// [`expand`] with non-temporal stores, where the CPU has them and the buffer is aligned to 16 bytes, as those of
/// allocators are.
pub fn stream<T: Bit>(words: &[u64], out: &mut [T]) {
    #[cfg(target_arch = "x86_64")]
    if size_of::<[T; 8]>().is_multiple_of(16) && out.as_ptr().addr().is_multiple_of(16) {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
        for (word, part) in words.iter().zip(out.as_chunks_mut::<64>().0) {
            for (byte, values) in word.to_le_bytes().into_iter().zip(part.as_chunks_mut::<8>().0) {
                let from = T::VALUES[usize::from(byte)].as_ptr().cast::<__m128i>();
                let to = values.as_mut_ptr().cast::<__m128i>();
                for n in 0..size_of::<[T; 8]>() / 16 {
                    // SAFETY: both arrays have that many vectors, and every eight values of the buffer are aligned to
                    // 16 bytes, as its start is. SSE2 is part of x86-64. The fence below orders the stores before
                    // all that follows.
                    unsafe { _mm_stream_si128(to.add(n), _mm_loadu_si128(from.add(n))) };
                }
            }
        }
        // SAFETY: SSE is part of x86-64.
        unsafe { _mm_sfence() };
        return;
    }
    expand(words, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Bit + PartialEq + From<u8> + std::fmt::Debug>() {
        let words: Vec<u64> =
            (1..40u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n << 60).collect();
        let bit = |n: usize| T::from((words[n / 64] >> (n % 64) & 1) as u8);
        let expected: Vec<T> = (0..64 * words.len()).map(bit).collect();
        // Each alignment, and buffers that are too long and too short.
        for shift in 0..17 {
            for write in [expand, stream] {
                let mut buffer = vec![T::from(7); expected.len() + 17];
                write(&words, &mut buffer[shift..]);
                assert_eq!(buffer[shift..][..expected.len()], expected);
                let untouched = buffer[..shift].iter().chain(&buffer[shift + expected.len()..]);
                assert!(untouched.clone().all(|&value| value == T::from(7)), "{shift}");
                write(&words, &mut buffer[shift..][..130]);
                assert_eq!(buffer[shift..][..128], expected[..128]);
            }
        }
    }

    #[test]
    fn values_are_the_bits_at_any_alignment() {
        check::<u8>();
        check::<f32>();
        check::<f64>();
    }
}
