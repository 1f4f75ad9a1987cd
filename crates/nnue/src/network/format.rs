//! The network file.
//!
//! | bytes | field (little-endian) |
//! |---|---|
//! | 8 | `TABIYANN` |
//! | 4 | version: 1 with a linear head, 2 with a dense one |
//! | 4 | header length in bytes: 96 |
//! | 4 | size of the hidden layer, *N* |
//! | 4 | king buckets, *K* |
//! | 4 | output buckets, *O* |
//! | 4 | 1 with horizontal mirroring, else 0 |
//! | 64 | king bucket of each square, a1 first; the largest is *K* − 1 |
//! | 2·768·*K*·*N* | feature weights, `i16`, `[bucket·768 + feature][N]` |
//! | 2·*N* | feature biases, `i16` |
//! | *O*·2·*N* | output weights, `i8`, `[bucket][own N, then the opponent's N]` |
//! | 4·*O* | output biases, `i32` |
//! | 8 | checksum of all bytes before it |
//!
//! With a dense head there is, instead of output weights and biases, for each output bucket:
//!
//! | bytes | field |
//! |---|---|
//! | 4·16 | first layer: biases, `i32` |
//! | 16·*N* | its weights, `i8`, `[output][inputs of the side to move, then the opponent's]` |
//! | 4·32 | second layer: biases, `i32` |
//! | 32·30 | its weights, `i8`, `[output][squared activations, then plain ones]` |
//! | 4 | output bias, `i32` |
//! | 32 | output weights, `i8` |
//!
//! Files are untrusted: the length must match the shape exactly, which is checked before anything is
//! allocated. The checksum is computed over 8-byte words; each step is a bijection of the state, so every
//! change within one word is detected.

use simd::AlignedVec;

use super::dense::{Dense, DenseParameters};
use super::shape::{INPUTS_PER_BUCKET, MAX_BUCKETS, MAX_HIDDEN};
use super::{Head, Network, Shape, ShapeError};

/// The first eight bytes of a network file.
pub const MAGIC: [u8; 8] = *b"TABIYANN";
/// The format version of networks with a linear head, and of those with a dense one.
const VERSIONS: [u32; 2] = [1, 2];
const HEADER_LEN: usize = 96;
const CHECKSUM_LEN: usize = 8;

/// The length of the largest valid file, a limit for readers.
pub const MAX_FILE_LEN: usize = HEADER_LEN
    + 2 * MAX_HIDDEN * (INPUTS_PER_BUCKET * MAX_BUCKETS + 1)
    + MAX_BUCKETS * DenseParameters::len(MAX_HIDDEN)
    + CHECKSUM_LEN;

/// Why a network file is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The magic bytes are missing.
    #[error("not a network: it does not begin with TABIYANN")]
    Magic,
    /// Another format version.
    #[error("format version {0} is not supported, only 1 and 2")]
    Version(u32),
    /// Wrong header length.
    #[error("header of {0} bytes, not {HEADER_LEN}")]
    HeaderLength(u32),
    /// The shape is invalid.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The number of king buckets does not match the king bucket table.
    #[error("header states {stated} king buckets, but its table has {used}")]
    KingBuckets {
        /// In the header.
        stated: u32,
        /// In the table.
        used: usize,
    },
    /// The mirroring flag is neither 0 nor 1.
    #[error("mirroring flag is {0}, not 0 or 1")]
    Mirroring(u32),
    /// The file is too short.
    #[error("truncated: {found} bytes of {expected}")]
    Truncated {
        /// The length according to the header.
        expected: usize,
        /// The length of the file.
        found: usize,
    },
    /// The file is too long.
    #[error("{found} bytes, expected {expected} according to the header")]
    TooLong {
        /// The length according to the header.
        expected: usize,
        /// The length of the file.
        found: usize,
    },
    /// The checksum does not match.
    #[error("the checksum is {found:016x}, not {stated:016x}: the file is damaged")]
    Checksum {
        /// The checksum in the file.
        stated: u64,
        /// The checksum of its contents.
        found: u64,
    },
}

impl Network {
    /// Parses a network file.
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

    /// Serializes the network file.
    ///
    /// ```
    /// # use tabiya_nnue::{Network, Shape};
    /// # let network = Network::new(Shape::plain(32), vec![1; 768 * 32], vec![2; 32], vec![3; 64], vec![4])?;
    /// let copy = Network::from_bytes(&network.to_bytes())?;
    /// assert_eq!(copy.to_bytes(), network.to_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let shape = &self.shape;
        let mut bytes = Vec::with_capacity(file_len(shape));
        bytes.extend(MAGIC);
        let fields = [
            VERSIONS[shape.head as usize] as usize,
            HEADER_LEN,
            shape.hidden,
            shape.king_bucket_count(),
            shape.output_buckets,
            usize::from(shape.mirrored),
        ];
        bytes.extend(fields.iter().flat_map(|&field| (field as u32).to_le_bytes()));
        bytes.extend(shape.king_buckets);
        bytes.extend(self.feature_weights.iter().flat_map(|weight| weight.to_le_bytes()));
        bytes.extend(self.feature_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        bytes.extend(self.output_weights.iter().flat_map(|weight| weight.to_le_bytes()));
        bytes.extend(self.output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        self.dense_layers().into_iter().flatten().for_each(|layers| layers.write(&mut bytes));
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }
}

fn file_len(shape: &Shape) -> usize {
    let output_bucket = match shape.head {
        Head::Linear => 2 * shape.hidden + 4,
        Head::Dense => DenseParameters::len(shape.hidden),
    };
    HEADER_LEN
        + 2 * shape.hidden * (shape.inputs() + 1)
        + shape.output_buckets * output_bucket
        + CHECKSUM_LEN
}

fn read_shape(header: &[u8; HEADER_LEN]) -> Result<Shape, LoadError> {
    let number = |at: usize| {
        header[at..].first_chunk().map_or(0, |&bytes: &[u8; 4]| u32::from_le_bytes(bytes))
    };
    let (version, header_len) = (number(8), number(12));
    let head = match version {
        v if v == VERSIONS[Head::Linear as usize] => Head::Linear,
        v if v == VERSIONS[Head::Dense as usize] => Head::Dense,
        _ => return Err(LoadError::Version(version)),
    };
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
        head,
    };
    shape.check()?;
    let (stated, used) = (number(20), shape.king_bucket_count());
    if stated as usize != used {
        return Err(LoadError::KingBuckets { stated, used });
    }
    Ok(shape)
}

/// The length must match the shape.
fn read_parameters(shape: Shape, bytes: &[u8]) -> Network {
    let (hidden, outputs) = (shape.hidden, shape.output_buckets);
    let (feature_weights, rest) = bytes.split_at(2 * hidden * shape.inputs());
    let (feature_bias, rest) = rest.split_at(2 * hidden);
    let i16s = |bytes: &[u8]| {
        let mut values = AlignedVec::zeros(bytes.len() / 2);
        for (value, &pair) in values.iter_mut().zip(bytes.as_chunks().0) {
            *value = i16::from_le_bytes(pair);
        }
        values
    };
    let (output_weights, output_bias, dense): (&[u8], &[u8], _) = match shape.head {
        Head::Linear => {
            let (weights, bias) = rest.split_at(2 * hidden * outputs);
            (weights, bias, None)
        }
        Head::Dense => {
            let layers = rest.chunks_exact(DenseParameters::len(hidden));
            let layers = layers.map(|bytes| DenseParameters::read(bytes, hidden));
            (&[], &[], Some(Dense::new(layers.collect())))
        }
    };
    Network {
        feature_weights: i16s(feature_weights),
        feature_bias: i16s(feature_bias),
        output_weights: bytemuck::cast_slice(output_weights).into(),
        output_bias: output_bias.as_chunks().0.iter().map(|&b| i32::from_le_bytes(b)).collect(),
        dense,
        shape,
    }
}

/// FNV-1a over 8-byte words, with the high bits mixed into the low ones. The first word is the length; the
/// last is padded with zeros.
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
