//! The HalfKP file format, little-endian.
//!
//! | field | bytes |
//! |---|---|
//! | version [`VERSION`], hash of the architecture, length of the description | 3 × 4 |
//! | description, text | the stated length |
//! | hash of the feature transformer; its bias, `i16` | 4 + 256 × 2 |
//! | its weights, `i16`, one row of 256 for each feature | 41024 × 256 × 2 |
//! | hash of the layers after it | 4 |
//! | biases `i32`, weights `i8` with a row for each output: 512→32, 32→32, 32→1 | 128 + 16384, 128 + 1024, 4 + 32 |
//!
//! The length of the description determines the length of the file, which is checked before anything is
//! allocated. There is no checksum: a damaged weight is not detected.

use simd::halfkp::{AffineLayer, HIDDEN, INPUTS, Layers, Tail};
use simd::{AlignedVec, CacheAligned, Kernels};

use super::features::COUNT;
use super::{HALF_DIMENSIONS, Network, ZERO};

/// The version, the first four bytes of a HalfKP file.
pub const VERSION: u32 = 0x7AF3_2F16;
const HASH: u32 = 0x3E5A_A6EE;
const TRANSFORMER_HASH: u32 = 0x5D69_D7B8;
const LAYERS_HASH: u32 = 0x6333_7156;

/// The longest valid description; they usually have some hundred bytes.
const MAX_DESCRIPTION: u32 = 1 << 16;

/// Bytes of a file without the description.
const FIXED_LENGTH: usize = 12
    + (4 + 2 * HALF_DIMENSIONS + 2 * HALF_DIMENSIONS * COUNT)
    + 4
    + (4 * HIDDEN + INPUTS * HIDDEN)
    + (4 * HIDDEN + HIDDEN * HIDDEN)
    + (4 + HIDDEN);

/// Why a HalfKP file is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The first four bytes are not [`VERSION`].
    #[error(
        "no HalfKP network: the file begins with {found:#010x}, not with version {VERSION:#010x}"
    )]
    Version {
        /// The value in the file.
        found: u32,
    },
    /// A hash is not that of this architecture.
    #[error(
        "{part} (byte {offset}) has the hash {found:#010x}, HalfKP 256x2-32-32-1 has {expected:#010x}"
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
    /// The stated length of the description is too large.
    #[error("the description is stated to have {declared} bytes, more than {MAX_DESCRIPTION}")]
    Description {
        /// The stated length.
        declared: u32,
    },
    /// The file is too short.
    #[error(
        "the file has {found} bytes, a network with its description has {expected}: it is cut off"
    )]
    Truncated {
        /// The length of the file.
        found: usize,
        /// The expected length, as far as it is known.
        expected: usize,
    },
    /// The file continues after the network.
    #[error(
        "the file has {found} bytes, a network with its description has {expected}: something follows it"
    )]
    TrailingBytes {
        /// The length of the file.
        found: usize,
        /// The expected length.
        expected: usize,
    },
}

impl Network {
    /// Whether these bytes start with the [`VERSION`] of a HalfKP file.
    pub fn recognizes(bytes: &[u8]) -> bool {
        bytes.starts_with(&VERSION.to_le_bytes())
    }

    /// Parses a HalfKP file.
    ///
    /// ```
    /// use tabiya_nnue::halfkp::{LoadError, Network};
    /// let error = Network::from_bytes(b"TABIYANN").unwrap_err();
    /// assert_eq!(error, LoadError::Version { found: 0x4942_4154 });
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        let mut reader = Reader { bytes, at: 0, expected: FIXED_LENGTH };
        let version = reader.u32()?;
        if version != VERSION {
            return Err(LoadError::Version { found: version });
        }
        reader.hash("the architecture", HASH)?;
        let declared = reader.u32()?;
        if declared > MAX_DESCRIPTION {
            return Err(LoadError::Description { declared });
        }
        let length = declared as usize;
        reader.expected += length;
        let (found, expected) = (bytes.len(), reader.expected);
        if found < expected {
            return Err(LoadError::Truncated { found, expected });
        }
        let description = String::from_utf8_lossy(reader.take(length)?).into_owned();

        reader.hash("the feature transformer", TRANSFORMER_HASH)?;
        // Errors in the few kilobytes after the weights are found before the weights are converted.
        let transformer = reader.take(2 * HALF_DIMENSIONS * (1 + COUNT))?;
        reader.hash("the layers after the feature transformer", LAYERS_HASH)?;
        let layers = reader.layers()?;
        if found > expected {
            return Err(LoadError::TrailingBytes { found, expected });
        }
        let (bias_bytes, weight_bytes) = transformer.split_at(2 * HALF_DIMENSIONS);
        let (mut bias, mut weights) = (ZERO, AlignedVec::zeros(HALF_DIMENSIONS * COUNT));
        read_i16(bias_bytes, &mut bias.0);
        read_i16(weight_bytes, &mut weights);
        Ok(Self { description, bias, weights, layers, kernels: Kernels::current() })
    }
}

fn read_i16(bytes: &[u8], values: &mut [i16]) {
    for (value, &bytes) in values.iter_mut().zip(bytes.as_chunks().0) {
        *value = i16::from_le_bytes(bytes);
    }
}

/// A cursor over the bytes of a file.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The expected length of the file.
    expected: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], LoadError> {
        let (found, expected) = (self.bytes.len(), self.expected);
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.get(..length));
        self.at += length;
        bytes.ok_or(LoadError::Truncated { found, expected })
    }

    fn u32(&mut self) -> Result<u32, LoadError> {
        let mut number = [0; 4];
        number.copy_from_slice(self.take(4)?);
        Ok(u32::from_le_bytes(number))
    }

    fn hash(&mut self, part: &'static str, expected: u32) -> Result<(), LoadError> {
        let offset = self.at;
        match self.u32()? {
            found if found == expected => Ok(()),
            found => Err(LoadError::Hash { part, offset, found, expected }),
        }
    }

    fn layers(&mut self) -> Result<Layers, LoadError> {
        Ok(Layers {
            hidden1: self.affine()?,
            tail: Tail {
                hidden: self.affine()?,
                output_bias: self.u32()? as i32,
                output_weights: {
                    let mut weights = CacheAligned([0; HIDDEN]);
                    self.weights(&mut weights.0)?;
                    weights
                },
            },
        })
    }

    fn affine<const IN: usize, const GROUPS: usize>(
        &mut self,
    ) -> Result<AffineLayer<IN, GROUPS>, LoadError> {
        let mut bias = [0; HIDDEN];
        for value in &mut bias {
            *value = self.u32()? as i32;
        }
        let mut weights = Box::new([[0; IN]; HIDDEN]);
        self.weights(weights.as_flattened_mut())?;
        Ok(AffineLayer::new(bias, weights))
    }

    fn weights(&mut self, weights: &mut [i8]) -> Result<(), LoadError> {
        let bytes = self.take(weights.len())?;
        weights.copy_from_slice(bytemuck::cast_slice(bytes));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_a_description_of_177_bytes_has_the_known_length() {
        assert_eq!(FIXED_LENGTH + 177, 21_022_697);
    }
}
