//! The layers behind the first: 512→32→32→1, weights of eight bits.

/// The outputs of each hidden layer.
pub(super) const HIDDEN: usize = 32;
/// The inputs of the first of them: both halves.
pub(super) const INPUTS: usize = 2 * super::HALF;

/// Gives what it holds a cache line's alignment, for aligned loads.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Aligned<T>(pub(super) T);

/// A hidden layer of `IN` inputs, which are four times `FOURS`.
pub(super) struct Dense<const IN: usize, const FOURS: usize> {
    pub(super) bias: Aligned<[i32; HIDDEN]>,
    /// The weights of each output, as in the file.
    pub(super) rows: Box<[[i8; IN]; HIDDEN]>,
    /// The same for vectors: for each four inputs, their weights in all outputs. Four bytes of input
    /// meet four weights of every output in one instruction, and sums need not be added across lanes.
    pub(super) fours: Box<Aligned<[[[i8; 4]; HIDDEN]; FOURS]>>,
}

impl<const IN: usize, const FOURS: usize> Dense<IN, FOURS> {
    pub(super) fn new(bias: [i32; HIDDEN], rows: Box<[[i8; IN]; HIDDEN]>) -> Self {
        const { assert!(IN == 4 * FOURS) };
        let mut fours = Box::new(Aligned([[[0; 4]; HIDDEN]; FOURS]));
        for (output, row) in rows.iter().enumerate() {
            for (input, &weight) in row.iter().enumerate() {
                fours.0[input / 4][output][input % 4] = weight;
            }
        }
        Self { bias: Aligned(bias), rows, fours }
    }
}

/// All layers behind the first.
pub(super) struct Layers {
    pub(super) first: Dense<INPUTS, 128>,
    pub(super) second: Dense<HIDDEN, 8>,
    pub(super) output_bias: i32,
    pub(super) output: Aligned<[i8; HIDDEN]>,
}
