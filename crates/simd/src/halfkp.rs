//! Integer kernels of HalfKP networks, (41024 → 256)×2 → 32 → 32 → 1.
//!
//! No sum can saturate: an input is at most 127 and a weight at least −128, so two products fit into 16
//! bits. Sums that could overflow, by the weights of a hostile file, wrap around with every instruction set.

use crate::CacheAligned;
use crate::dispatch::dispatch;

/// Outputs of the feature transformer for one perspective.
pub const HALF_DIMENSIONS: usize = 256;
/// Outputs of each hidden layer.
pub const HIDDEN: usize = 32;
/// Inputs of the first hidden layer: both perspectives.
pub const INPUTS: usize = 2 * HALF_DIMENSIONS;

/// The feature transformer's sums for one perspective, before clipped ReLU.
pub type Accumulator = CacheAligned<[i16; HALF_DIMENSIONS]>;

/// An affine layer of `IN` inputs, in `GROUPS` groups of four, and 32 outputs.
pub struct AffineLayer<const IN: usize, const GROUPS: usize> {
    pub(crate) bias: CacheAligned<[i32; HIDDEN]>,
    /// A row for each output, as in the file.
    pub(crate) weights: Box<[[i8; IN]; HIDDEN]>,
    /// The same for vectors: for each group of four inputs the weights of all outputs. One instruction
    /// multiplies a group with the weights of many outputs, and no sum crosses lanes.
    pub(crate) packed: Box<CacheAligned<[[[i8; 4]; HIDDEN]; GROUPS]>>,
}

impl<const IN: usize, const GROUPS: usize> AffineLayer<IN, GROUPS> {
    /// A layer with a row of weights for each output.
    pub fn new(bias: [i32; HIDDEN], weights: Box<[[i8; IN]; HIDDEN]>) -> Self {
        const { assert!(IN == 4 * GROUPS && GROUPS.is_multiple_of(4)) };
        let mut packed = Box::new(CacheAligned([[[0; 4]; HIDDEN]; GROUPS]));
        for (output, row) in weights.iter().enumerate() {
            for (input, &weight) in row.iter().enumerate() {
                packed.0[input / 4][output][input % 4] = weight;
            }
        }
        Self { bias: CacheAligned(bias), weights, packed }
    }
}

/// The layers after the feature transformer, with int8 weights.
pub struct Layers {
    /// 512 → 32.
    pub hidden1: AffineLayer<INPUTS, 128>,
    /// 32 → 32 → 1.
    pub tail: Tail,
}

/// The last two layers.
pub struct Tail {
    /// 32 → 32.
    pub hidden: AffineLayer<HIDDEN, 8>,
    /// 32 → 1.
    pub output_weights: CacheAligned<[i8; HIDDEN]>,
    /// The output's bias.
    pub output_bias: i32,
}

dispatch! {
    /// The output of the last layer for both accumulators, that of the side to move first.
    pub fn forward(kernels; layers: &Layers, own: &Accumulator, other: &Accumulator) -> i32 {
        set::halfkp_forward(layers, own, other)
    }
}

/// The same bytes as another type of the same size and no stricter alignment.
///
/// # Safety
/// Both types consist of integers, or vectors of them; if they are padded, at the same offsets.
#[inline(always)]
pub(crate) unsafe fn view<T, U>(value: &T) -> &U {
    const {
        assert!(size_of::<T>() == size_of::<U>());
        assert!(align_of::<T>() >= align_of::<U>());
    }
    // SAFETY: size and alignment are checked above, and any bytes are valid integers.
    unsafe { &*std::ptr::from_ref(value).cast() }
}
