//! Blocks of numbers in signed LEB128: seven bits a byte, least significant first, the highest bit set in all
//! bytes of a number but the last.

/// Why the numbers of a block cannot be decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Leb128Error {
    /// A number needs more bits than its type has.
    #[error("number {index} is out of range")]
    OutOfRange {
        /// Its index.
        index: usize,
    },
    /// The block ends too early.
    #[error("the block ends within number {index}")]
    TooShort {
        /// The first number that is missing.
        index: usize,
    },
    /// The block continues after the last number.
    #[error("{bytes} bytes follow the last number")]
    TooLong {
        /// How many bytes follow.
        bytes: usize,
    },
}

/// The longest encoding of a number of this many bits.
pub(super) const fn max_len(bits: u32) -> usize {
    bits.div_ceil(7) as usize
}

/// Decodes a block of `i16` or `i32`, as many as there are values.
pub(super) fn decode<T: TryFrom<i64>>(bytes: &[u8], values: &mut [T]) -> Result<(), Leb128Error> {
    let longest = max_len(8 * size_of::<T>() as u32);
    let mut rest = bytes.iter();
    for (index, value) in values.iter_mut().enumerate() {
        let mut number = 0;
        let mut bits = 0;
        loop {
            let byte = *rest.next().ok_or(Leb128Error::TooShort { index })?;
            number |= i64::from(byte & 0x7f) << bits;
            bits += 7;
            if byte < 0x80 {
                // Sign extension.
                number = number << (64 - bits) >> (64 - bits);
                break;
            }
            if bits as usize == 7 * longest {
                return Err(Leb128Error::OutOfRange { index });
            }
        }
        *value = T::try_from(number).map_err(|_| Leb128Error::OutOfRange { index })?;
    }
    match rest.len() {
        0 => Ok(()),
        bytes => Err(Leb128Error::TooLong { bytes }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_sign_extended_and_fit_their_type() {
        let bytes =
            [0x00, 0x3f, 0x40, 0x7f, 0xff, 0x00, 0x80, 0x7f, 0xff, 0xff, 0x01, 0x80, 0x80, 0x7e];
        let mut values = [0i16; 8];
        assert_eq!(decode(&bytes, &mut values), Ok(()));
        assert_eq!(values, [0, 63, -64, -1, 127, -128, i16::MAX, i16::MIN]);
        let mut values = [0i32; 1];
        assert_eq!(decode(&[0x80, 0x80, 0x80, 0x80, 0x78], &mut values), Ok(()));
        assert_eq!(values, [i32::MIN]);
    }

    #[test]
    fn numbers_out_of_range_and_wrong_lengths_are_rejected() {
        let decode = |bytes: &[u8]| decode(bytes, &mut [0i16; 2]);
        // 32768, −32769, and four bytes.
        for bytes in [&[1, 0x80, 0x80, 0x02][..], &[1, 0xff, 0xff, 0x7d], &[1, 0x80, 0x80, 0x80, 0]]
        {
            assert_eq!(decode(bytes), Err(Leb128Error::OutOfRange { index: 1 }));
        }
        for bytes in [&[1][..], &[1, 0x80]] {
            assert_eq!(decode(bytes), Err(Leb128Error::TooShort { index: 1 }));
        }
        assert_eq!(decode(&[]), Err(Leb128Error::TooShort { index: 0 }));
        assert_eq!(decode(&[1, 2, 3, 4]), Err(Leb128Error::TooLong { bytes: 2 }));
    }
}
