//! Reading a HalfKP file.
//!
//! All numbers are little-endian:
//!
//! | what | bytes |
//! |---|---|
//! | version [`VERSION`], hash of the architecture, length of the description | 3 × 4 |
//! | description, text | as long as it says |
//! | hash of the first layer; its bias, `i16` | 4 + 256 × 2 |
//! | its weights, `i16`, one row of 256 for each feature | 41024 × 256 × 2 |
//! | hash of the other layers | 4 |
//! | bias `i32`, weights `i8` with one row for each output: 512→32, 32→32, 32→1 | 128 + 16384, 128 + 1024, 4 + 32 |
//!
//! So the length of the description settles the length of the file, which is checked before anything
//! is allocated. There is no checksum: a byte that is wrong among the weights makes another network.

use super::features::COUNT;
use super::layers::{Aligned, Dense, HIDDEN, INPUTS, Layers};
use super::{HALF, Half, InstructionSet, Network};

/// What a HalfKP file begins with.
pub const VERSION: u32 = 0x7AF3_2F16;
const HASH: u32 = 0x3E5A_A6EE;
const TRANSFORMER_HASH: u32 = 0x5D69_D7B8;
const LAYERS_HASH: u32 = 0x6333_7156;

/// Descriptions are some hundred bytes of text; one that says it is longer than this is none.
const LONGEST_DESCRIPTION: u32 = 1 << 16;

/// The bytes of a file beside the description.
const FIXED_LENGTH: usize = 12
    + (4 + 2 * HALF + 2 * HALF * COUNT)
    + 4
    + (4 * HIDDEN + INPUTS * HIDDEN)
    + (4 * HIDDEN + HIDDEN * HIDDEN)
    + (4 + HIDDEN);

/// Why bytes are no HalfKP network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The first four bytes are not [`VERSION`].
    #[error(
        "no HalfKP network: the file begins with {found:#010x}, not with version {VERSION:#010x}"
    )]
    Version {
        /// What is there.
        found: u32,
    },
    /// A part of the network is not of this architecture.
    #[error(
        "{part} (byte {offset}) has the hash {found:#010x}, HalfKP 256x2-32-32-1 has {expected:#010x}"
    )]
    Hash {
        /// Which part.
        part: &'static str,
        /// Where its hash stands.
        offset: usize,
        /// What is there.
        found: u32,
        /// What should be.
        expected: u32,
    },
    /// The description cannot be as long as the file says.
    #[error("the description is said to have {declared} bytes, more than {LONGEST_DESCRIPTION}")]
    Description {
        /// What the file says.
        declared: u32,
    },
    /// The file ends too early.
    #[error(
        "the file has {found} bytes, a network with its description has {expected}: it is cut off"
    )]
    Truncated {
        /// How many bytes there are.
        found: usize,
        /// How many there should be, so far as is known.
        expected: usize,
    },
    /// The file goes on after the network.
    #[error(
        "the file has {found} bytes, a network with its description has {expected}: something follows it"
    )]
    TrailingBytes {
        /// How many bytes there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
}

impl Network {
    /// Whether these bytes begin as a HalfKP file does.
    pub fn recognizes(bytes: &[u8]) -> bool {
        bytes.starts_with(&VERSION.to_le_bytes())
    }

    /// The network in the bytes of a file.
    ///
    /// ```
    /// use nnue::halfkp::{LoadError, Network};
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
        if declared > LONGEST_DESCRIPTION {
            return Err(LoadError::Description { declared });
        }
        let length = declared as usize;
        reader.expected += length;
        let (found, expected) = (bytes.len(), reader.expected);
        if found < expected {
            return Err(LoadError::Truncated { found, expected });
        }
        let description = String::from_utf8_lossy(reader.take(length)?).into_owned();

        reader.hash("the first layer", TRANSFORMER_HASH)?;
        // The rows come last but for a few kilobytes: what is wrong behind them is found before they
        // are read.
        let first_layer = reader.take(2 * HALF + 2 * HALF * COUNT)?;
        reader.hash("the layers behind the first", LAYERS_HASH)?;
        let layers = reader.layers()?;
        if found > expected {
            return Err(LoadError::TrailingBytes { found, expected });
        }
        let (bias, weights) = first_layer.split_at(2 * HALF);
        let mut rows = bytemuck::zeroed_slice_box::<Half>(COUNT);
        for (row, bytes) in rows.iter_mut().zip(weights.chunks_exact(2 * HALF)) {
            *row = half(bytes);
        }
        let instructions = InstructionSet::best();
        Ok(Self { description, bias: half(bias), rows, layers, instructions })
    }
}

/// The numbers in the bytes of a row.
fn half(bytes: &[u8]) -> Half {
    let mut half = Half::ZERO;
    for (number, &bytes) in half.0.iter_mut().zip(bytes.as_chunks::<2>().0) {
        *number = i16::from_le_bytes(bytes);
    }
    half
}

/// Bytes, and how far they have been read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How long the file should be.
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
            first: self.dense()?,
            second: self.dense()?,
            output_bias: self.u32()? as i32,
            output: {
                let mut output = Aligned([0; HIDDEN]);
                self.weights(&mut output.0)?;
                output
            },
        })
    }

    fn dense<const IN: usize, const FOURS: usize>(
        &mut self,
    ) -> Result<Dense<IN, FOURS>, LoadError> {
        let mut bias = [0; HIDDEN];
        for number in &mut bias {
            *number = self.u32()? as i32;
        }
        let mut rows = Box::new([[0; IN]; HIDDEN]);
        self.weights(rows.as_flattened_mut())?;
        Ok(Dense::new(bias, rows))
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
    fn a_file_with_the_usual_description_has_the_usual_length() {
        assert_eq!(FIXED_LENGTH + 177, 21_022_697);
    }
}
