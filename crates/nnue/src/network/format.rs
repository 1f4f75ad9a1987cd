//! The file of a network.
//!
//! | bytes | what (all numbers are little-endian) |
//! |---|---|
//! | 8 | `TABIYANN` |
//! | 4 | version, 1 |
//! | 4 | length of the header, all up to the weights: 96 |
//! | 4 | neurons of the hidden layer, *N* |
//! | 4 | king buckets, *K* |
//! | 4 | output buckets, *O* |
//! | 4 | 1 if files are mirrored, else 0 |
//! | 64 | the bucket of each king square, a1 first; the largest is *K* − 1 |
//! | 2·768·*K*·*N* | feature weights, `i16`, `[bucket·768 + input][N]` |
//! | 2·*N* | feature biases, `i16` |
//! | *O*·2·*N* | output weights, `i8`, the mover's *N* first |
//! | 4·*O* | output biases, `i32` |
//! | 8 | checksum of all before it |
//!
//! Nothing is taken on trust: the length must be exactly what the shape asks for, and it is known to
//! be before memory is taken. The checksum goes over words of eight bytes, each step of it a bijection
//! of what came before, so that no change within one word can go unseen.

use aligned::Aligned;

use super::shape::{INPUTS_PER_BUCKET, MAX_BUCKETS, MAX_HIDDEN};
use super::{Network, Shape, ShapeError};

/// The first eight bytes of a file.
pub const MAGIC: [u8; 8] = *b"TABIYANN";
/// The version that is written and read.
pub const VERSION: u32 = 1;
const HEADER_LEN: usize = 96;
const CHECKSUM_LEN: usize = 8;

/// The length of the largest file: whoever reads one need not read more.
pub const MAX_FILE_LEN: usize = HEADER_LEN
    + 2 * MAX_HIDDEN * (INPUTS_PER_BUCKET * MAX_BUCKETS + 1)
    + MAX_BUCKETS * (2 * MAX_HIDDEN + 4)
    + CHECKSUM_LEN;

/// Why bytes are no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It does not begin as such a file does.
    #[error("not a network: it does not begin with TABIYANN")]
    Magic,
    /// It was written by another version of this program.
    #[error("version {0} of the format, where {VERSION} is known")]
    Version(u32),
    /// The header is not as long as that of this version.
    #[error("a header of {0} bytes, where version {VERSION} has {HEADER_LEN}")]
    HeaderLength(u32),
    /// No network has this shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The number of king buckets is not that of the table of king squares.
    #[error("{stated} king buckets are stated, but the king squares have {used}")]
    KingBuckets {
        /// In the header.
        stated: u32,
        /// In the table.
        used: usize,
    },
    /// Neither mirrored nor not.
    #[error("mirroring is {0}, not 0 or 1")]
    Mirroring(u32),
    /// The file ends too early.
    #[error("truncated: {found} bytes of {expected}")]
    Truncated {
        /// The length that the header asks for.
        expected: usize,
        /// The length of the file.
        found: usize,
    },
    /// The file goes on too long.
    #[error("{found} bytes, where the header asks for {expected}")]
    TooLong {
        /// The length that the header asks for.
        expected: usize,
        /// The length of the file.
        found: usize,
    },
    /// Something in it was changed.
    #[error("the checksum is {found:016x}, not {stated:016x}: the file is damaged")]
    Checksum {
        /// In the file.
        stated: u64,
        /// Of what is in the file.
        found: u64,
    },
}

impl Network {
    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
            return Err(LoadError::Magic);
        }
        let Some(header) = bytes.first_chunk::<HEADER_LEN>() else {
            return Err(LoadError::Truncated { expected: HEADER_LEN, found: bytes.len() });
        };
        let shape = read_shape(header)?;
        let (expected, found) = (file_len(&shape), bytes.len());
        if found < expected {
            return Err(LoadError::Truncated { expected, found });
        }
        if found > expected {
            return Err(LoadError::TooLong { expected, found });
        }
        let (body, sum) = bytes.split_at(expected - CHECKSUM_LEN);
        let stated = sum.first_chunk().map_or(0, |&sum| u64::from_le_bytes(sum));
        let found = checksum(body);
        if stated != found {
            return Err(LoadError::Checksum { stated, found });
        }
        Ok(read_parameters(shape, &body[HEADER_LEN..]))
    }

    /// The bytes of the file.
    ///
    /// ```
    /// # use nnue::{Network, Shape};
    /// # let network = Network::new(Shape::plain(32), vec![1; 768 * 32], vec![2; 32], vec![3; 64], vec![4])?;
    /// let copy = Network::from_bytes(&network.to_bytes())?;
    /// assert_eq!(copy.to_bytes(), network.to_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let shape = &self.shape;
        let mut bytes = Vec::with_capacity(file_len(shape));
        bytes.extend(MAGIC);
        let numbers = [
            VERSION as usize,
            HEADER_LEN,
            shape.hidden,
            shape.king_bucket_count(),
            shape.output_buckets,
            usize::from(shape.mirrored),
        ];
        bytes.extend(numbers.iter().flat_map(|&number| (number as u32).to_le_bytes()));
        bytes.extend(shape.king_buckets);
        bytes.extend(self.feature_weights.iter().flat_map(|weight| weight.to_le_bytes()));
        bytes.extend(self.feature_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        bytes.extend(self.output_weights.iter().flat_map(|weight| weight.to_le_bytes()));
        bytes.extend(self.output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }
}

fn file_len(shape: &Shape) -> usize {
    HEADER_LEN
        + 2 * shape.hidden * (shape.inputs() + 1)
        + shape.output_buckets * (2 * shape.hidden + 4)
        + CHECKSUM_LEN
}

fn read_shape(header: &[u8; HEADER_LEN]) -> Result<Shape, LoadError> {
    let number = |at: usize| {
        header[at..].first_chunk().map_or(0, |&bytes: &[u8; 4]| u32::from_le_bytes(bytes))
    };
    let (version, header_len) = (number(8), number(12));
    if version != VERSION {
        return Err(LoadError::Version(version));
    }
    if header_len as usize != HEADER_LEN {
        return Err(LoadError::HeaderLength(header_len));
    }
    let mirrored = number(28);
    if mirrored > 1 {
        return Err(LoadError::Mirroring(mirrored));
    }
    let mut king_buckets = [0; 64];
    king_buckets.copy_from_slice(&header[32..]);
    let shape = Shape {
        hidden: number(16) as usize,
        mirrored: mirrored == 1,
        king_buckets,
        output_buckets: number(24) as usize,
    };
    shape.check()?;
    let (stated, used) = (number(20), shape.king_bucket_count());
    if stated as usize != used {
        return Err(LoadError::KingBuckets { stated, used });
    }
    Ok(shape)
}

/// The bytes must be as many as the shape asks for.
fn read_parameters(shape: Shape, bytes: &[u8]) -> Network {
    let (hidden, outputs) = (shape.hidden, shape.output_buckets);
    let (feature_weights, rest) = bytes.split_at(2 * hidden * shape.inputs());
    let (feature_bias, rest) = rest.split_at(2 * hidden);
    let (output_weights, output_bias) = rest.split_at(2 * hidden * outputs);
    let pairs = |bytes: &[u8]| {
        let mut values = Aligned::zeros(bytes.len() / 2);
        for (value, &pair) in values.iter_mut().zip(bytes.as_chunks().0) {
            *value = i16::from_le_bytes(pair);
        }
        values
    };
    Network {
        feature_weights: pairs(feature_weights),
        feature_bias: pairs(feature_bias),
        output_weights: bytemuck::cast_slice(output_weights).into(),
        output_bias: output_bias.as_chunks().0.iter().map(|&b| i32::from_le_bytes(b)).collect(),
        shape,
    }
}

/// FNV-1a over words instead of bytes, with the high bits mixed into the low ones. The last word is
/// filled up with zeros; the length is the first.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^ (hash >> 32)
    };
    let (words, rest) = bytes.as_chunks();
    let mut hash = step(0xcbf2_9ce4_8422_2325, bytes.len() as u64);
    for &word in words {
        hash = step(hash, u64::from_le_bytes(word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    step(hash, u64::from_le_bytes(last))
}
