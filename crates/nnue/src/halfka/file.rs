//! The HalfKAv2_hm file format, little-endian, for accumulators of N values.
//!
//! | field | bytes |
//! |---|---|
//! | version [`VERSION`], hash of the architecture, length of the description | 3 × 4 |
//! | description, text | the stated length |
//! | hash of the feature transformer, from which N follows | 4 |
//! | its bias: a block of N `i16` | 21 + the stated length |
//! | its weights: a block of `i16`, a row of N for each feature | 21 + the stated length |
//! | PSQT weights: a block of `i32`, a row of 8 for each feature | 21 + the stated length |
//! | eight layer stacks: hash; biases `i32`, weights `i8` with a row for each output: N→16, 32→32, 32→1 | 8 × (4 + 64 + 16 N + 128 + 1024 + 4 + 32) |
//!
//! A block is `COMPRESSED_LEB128`, its length in bytes (4), and that many bytes of signed LEB128. All lengths
//! are checked against the file, and against the least and most bytes that the numbers can take, before
//! anything is allocated: memory stays within a small multiple of the file. There is no checksum.

use simd::halfka::{Layers, MAX_WIDTH, OUTPUTS, STEP};
use simd::halfkp::{AffineLayer, HIDDEN, Tail};
use simd::{AlignedVec, CacheAligned, Kernels};

use super::features::COUNT;
use super::leb128::{self, Leb128Error};
use super::{BUCKETS, Network};

/// The version, the first four bytes of a HalfKAv2_hm file.
pub const VERSION: u32 = 0x7AF3_2F20;
/// The length of the largest valid file, a limit for readers: the largest networks have about 110 MB.
pub const MAX_FILE_LEN: usize = 160 << 20;

/// The hash of the feature set.
const FEATURES_HASH: u32 = 0x7F23_4CB8;
/// The longest valid description; they usually have some hundred bytes.
const MAX_DESCRIPTION: u32 = 1 << 16;
/// The first bytes of a block.
const MAGIC: &[u8] = b"COMPRESSED_LEB128";

/// Why a HalfKAv2_hm file is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The first four bytes are not [`VERSION`].
    #[error(
        "no HalfKAv2_hm network: the file begins with {found:#010x}, not with version {VERSION:#010x}"
    )]
    Version {
        /// The value in the file.
        found: u32,
    },
    /// The stated length of the description is too large.
    #[error("the description is stated to have {declared} bytes, more than {MAX_DESCRIPTION}")]
    Description {
        /// The stated length.
        declared: u32,
    },
    /// The hash of the feature transformer is that of no width that is supported.
    #[error(
        "the feature transformer (byte {offset}) has the hash {found:#010x}: not HalfKAv2_hm with a width of {STEP} to {MAX_WIDTH} in steps of {STEP}"
    )]
    Width {
        /// The byte offset of the hash.
        offset: usize,
        /// The value in the file.
        found: u32,
    },
    /// A hash is not that of this architecture.
    #[error(
        "{part} (byte {offset}) has the hash {found:#010x}, this architecture has {expected:#010x}"
    )]
    Hash {
        /// The part of the network.
        part: &'static str,
        /// The byte offset of its hash.
        offset: usize,
        /// The value in the file.
        found: u32,
        /// The hash of this architecture.
        expected: u32,
    },
    /// Parameters are not compressed.
    #[error(
        "{part} (byte {offset}): not a block of numbers, it does not begin with COMPRESSED_LEB128"
    )]
    Magic {
        /// The part of the network.
        part: &'static str,
        /// The byte offset of the block.
        offset: usize,
    },
    /// The stated length of a block cannot be that of its numbers.
    #[error(
        "{part} (byte {offset}): stated to have {declared} bytes, {count} numbers have {count} to {most}"
    )]
    BlockLength {
        /// The part of the network.
        part: &'static str,
        /// The byte offset of the block.
        offset: usize,
        /// The stated length.
        declared: u32,
        /// How many numbers it has.
        count: usize,
        /// The most bytes that they can take.
        most: usize,
    },
    /// The numbers of a block are invalid.
    #[error("{part} (byte {offset}): {error}")]
    Numbers {
        /// The part of the network.
        part: &'static str,
        /// The byte offset of the block.
        offset: usize,
        /// What is wrong.
        error: Leb128Error,
    },
    /// The file is too short.
    #[error("the file has {found} bytes, but {part} ends at byte {expected}: it is cut off")]
    Truncated {
        /// The part that is not complete.
        part: &'static str,
        /// The length of the file.
        found: usize,
        /// The least length for this part.
        expected: usize,
    },
    /// The file continues after the network.
    #[error("the file has {found} bytes, the network {expected}: something follows it")]
    TrailingBytes {
        /// The length of the file.
        found: usize,
        /// The expected length.
        expected: usize,
    },
}

/// The hash of the layers after the feature transformer.
const fn layers_hash(width: usize) -> u32 {
    /// That of an affine layer after what has this hash.
    const fn affine(previous: u32, outputs: u32) -> u32 {
        0xCC03_DAE4_u32.wrapping_add(outputs) ^ previous.rotate_right(1)
    }
    const CLIPPED_RELU: u32 = 0x538D_24C7;
    let first = affine(0xEC42_E90D ^ (2 * width as u32), OUTPUTS as u32);
    let second = affine(first.wrapping_add(CLIPPED_RELU), HIDDEN as u32);
    affine(second.wrapping_add(CLIPPED_RELU), 1)
}

impl Network {
    /// Whether these bytes start with the [`VERSION`] of a HalfKAv2_hm file.
    pub fn recognizes(bytes: &[u8]) -> bool {
        bytes.starts_with(&VERSION.to_le_bytes())
    }

    /// Parses a HalfKAv2_hm file.
    ///
    /// ```
    /// use tabiya_nnue::halfka::{LoadError, Network};
    /// let error = Network::from_bytes(b"TABIYANN").unwrap_err();
    /// assert_eq!(error, LoadError::Version { found: 0x4942_4154 });
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        let mut reader = Reader { bytes, at: 0, part: "the header" };
        let found = reader.u32()?;
        if found != VERSION {
            return Err(LoadError::Version { found });
        }
        let architecture = reader.u32()?;
        let declared = reader.u32()?;
        if declared > MAX_DESCRIPTION {
            return Err(LoadError::Description { declared });
        }
        let description = String::from_utf8_lossy(reader.take(declared as usize)?).into_owned();

        let (offset, found) = (reader.at, reader.u32()?);
        let width = (found ^ FEATURES_HASH) as usize / 2;
        let stated = FEATURES_HASH ^ (2 * width as u32);
        if found != stated || !(STEP..=MAX_WIDTH).contains(&width) || !width.is_multiple_of(STEP) {
            return Err(LoadError::Width { offset, found });
        }
        let expected = found ^ layers_hash(width);
        if architecture != expected {
            let (part, found) = ("the architecture", architecture);
            return Err(LoadError::Hash { part, offset: 4, found, expected });
        }
        // Errors after the weights are found before the weights are decoded.
        let bias = reader.block::<i16>("the bias", width)?;
        let weights = reader.block::<i16>("the weights", width * COUNT)?;
        let psqt_weights = reader.block::<i32>("the PSQT weights", BUCKETS * COUNT)?;
        let mut stacks = Vec::with_capacity(BUCKETS);
        for _ in 0..BUCKETS {
            stacks.push(reader.layers(width)?);
        }
        let (found, expected) = (bytes.len(), reader.at);
        let Ok(stacks) = stacks.try_into() else { unreachable!("as many as there are buckets") };
        if found > expected {
            return Err(LoadError::TrailingBytes { found, expected });
        }
        let kernels = Kernels::current();
        let (bias, weights) = (bias.aligned()?, weights.aligned()?);
        let mut psqt = vec![[0; BUCKETS]; COUNT];
        psqt_weights.decode(psqt.as_flattened_mut())?;
        Ok(Self { description, bias, weights, psqt_weights: psqt, stacks, kernels })
    }
}

/// A cursor over the bytes of a file.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// What is read, for errors.
    part: &'static str,
}

/// A block whose length is possible for its numbers.
struct Block<'a> {
    part: &'static str,
    offset: usize,
    count: usize,
    bytes: &'a [u8],
}

impl Block<'_> {
    fn decode<T: TryFrom<i64>>(&self, values: &mut [T]) -> Result<(), LoadError> {
        let Self { part, offset, .. } = *self;
        leb128::decode(self.bytes, values).map_err(|error| LoadError::Numbers {
            part,
            offset,
            error,
        })
    }

    fn aligned(&self) -> Result<AlignedVec<i16>, LoadError> {
        let mut values = AlignedVec::zeros(self.count);
        self.decode(&mut values)?;
        Ok(values)
    }
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], LoadError> {
        let (found, expected) = (self.bytes.len(), self.at.saturating_add(length));
        let bytes = self.bytes.get(self.at..expected);
        self.at = expected;
        bytes.ok_or(LoadError::Truncated { part: self.part, found, expected })
    }

    fn u32(&mut self) -> Result<u32, LoadError> {
        let mut number = [0; 4];
        number.copy_from_slice(self.take(4)?);
        Ok(u32::from_le_bytes(number))
    }

    fn block<T>(&mut self, part: &'static str, count: usize) -> Result<Block<'a>, LoadError> {
        self.part = part;
        let offset = self.at;
        if self.take(MAGIC.len())? != MAGIC {
            return Err(LoadError::Magic { part, offset });
        }
        let declared = self.u32()?;
        let most = count * leb128::max_len(8 * size_of::<T>() as u32);
        if !(count..=most).contains(&(declared as usize)) {
            return Err(LoadError::BlockLength { part, offset, declared, count, most });
        }
        Ok(Block { part, offset, count, bytes: self.take(declared as usize)? })
    }

    fn layers(&mut self, width: usize) -> Result<Layers, LoadError> {
        self.part = "a layer stack";
        let (offset, found, expected) = (self.at, self.u32()?, layers_hash(width));
        if found != expected {
            return Err(LoadError::Hash { part: self.part, offset, found, expected });
        }
        let bias = self.biases()?;
        let weights = self.take(OUTPUTS * width)?;
        let hidden_bias = self.biases()?;
        let mut hidden = Box::new([[0; HIDDEN]; HIDDEN]);
        hidden
            .as_flattened_mut()
            .copy_from_slice(bytemuck::cast_slice(self.take(HIDDEN * HIDDEN)?));
        let output_bias = self.u32()? as i32;
        let mut output_weights = CacheAligned([0; HIDDEN]);
        output_weights.0.copy_from_slice(bytemuck::cast_slice(self.take(HIDDEN)?));
        let hidden = AffineLayer::new(hidden_bias, hidden);
        let tail = Tail { hidden, output_weights, output_bias };
        Ok(Layers::new(bias, bytemuck::cast_slice(weights), tail))
    }

    fn biases<const N: usize>(&mut self) -> Result<[i32; N], LoadError> {
        let mut biases = [0; N];
        for bias in &mut biases {
            *bias = self.u32()? as i32;
        }
        Ok(biases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_stockfish_16_s_layers_is_the_known_one() {
        assert_eq!(layers_hash(1536), 0x6333_6BCA);
        assert_eq!(FEATURES_HASH ^ (2 * 1536) ^ layers_hash(1536), 0x1C10_2B72);
    }
}
