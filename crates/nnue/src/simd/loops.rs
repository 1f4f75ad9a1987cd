//! The loops of [`scalar`](super::scalar) over vectors, written once for all sets of instructions.

/// What a set of instructions can do with whole registers.
///
/// # Safety
///
/// The machine must have the instructions: every implementation is compiled only where the compiler
/// may use them anyway.
pub(crate) unsafe trait Instructions {
    /// How many `i16` a register holds; a divisor of [`STEP`].
    const LANES: usize;
    /// A register of `i16`.
    type I16: Copy;
    /// A register of `i32`.
    type I32: Copy;

    /// # Safety
    /// There must be [`LANES`](Self::LANES) values to read.
    unsafe fn load(from: *const i16) -> Self::I16;
    /// # Safety
    /// There must be [`LANES`](Self::LANES) values to write.
    unsafe fn store(to: *mut i16, values: Self::I16);
    fn add(a: Self::I16, b: Self::I16) -> Self::I16;
    fn subtract(a: Self::I16, b: Self::I16) -> Self::I16;
    fn zero() -> Self::I32;
    /// Adds the activations of some values times their weights: v²·w with v = clamp(value, 0, 255).
    /// The product v·w fits `i16` whatever the weight, since 255·128 is below 32,768.
    ///
    /// # Safety
    /// There must be [`LANES`](Self::LANES) weights to read.
    unsafe fn weigh(sum: Self::I32, values: Self::I16, weights: *const i8) -> Self::I32;
    fn total(sum: Self::I32) -> i64;
}

/// The length of every vector is a multiple of this.
const STEP: usize = crate::network::HIDDEN_STEP;

/// Registers that are filled at once while rows are added: sums stay in them for all rows.
const TILE: usize = 8;

/// Values that can be weighed before a lane of `i32` is full: even with four lanes of `i32` each gets
/// 256 products of at most 255²·128, which is below 2³¹.
const SEGMENT: usize = 1024;

/// [`scalar::accumulate`](super::scalar::accumulate).
#[inline]
pub(crate) fn accumulate<I: Instructions>(sums: &mut [i16], added: &[&[i16]], removed: &[&[i16]]) {
    let len = sums.len();
    assert!(len.is_multiple_of(STEP));
    assert!(added.iter().chain(removed).all(|row| row.len() == len));
    let mut at = 0;
    while at + TILE * I::LANES <= len {
        // SAFETY: the tile ends within the sums, and all rows are as long as they.
        unsafe { accumulate_tile::<I, TILE>(sums, added, removed, at) };
        at += TILE * I::LANES;
    }
    while at < len {
        // SAFETY: the length is a multiple of the lanes, so that another register is left.
        unsafe { accumulate_tile::<I, 1>(sums, added, removed, at) };
        at += I::LANES;
    }
}

/// # Safety
/// From `at` on, the sums and all rows must have `T · LANES` values.
#[inline(always)]
unsafe fn accumulate_tile<I: Instructions, const T: usize>(
    sums: &mut [i16],
    added: &[&[i16]],
    removed: &[&[i16]],
    at: usize,
) {
    // SAFETY: the caller's promise; register `n` of the tile begins `n · LANES` values into it.
    unsafe {
        let to = sums.as_mut_ptr().add(at);
        let mut tile: [I::I16; T] = std::array::from_fn(|n| I::load(to.add(n * I::LANES)));
        for row in added {
            let row = row.as_ptr().add(at);
            for (n, register) in tile.iter_mut().enumerate() {
                *register = I::add(*register, I::load(row.add(n * I::LANES)));
            }
        }
        for row in removed {
            let row = row.as_ptr().add(at);
            for (n, register) in tile.iter_mut().enumerate() {
                *register = I::subtract(*register, I::load(row.add(n * I::LANES)));
            }
        }
        for (n, register) in tile.into_iter().enumerate() {
            I::store(to.add(n * I::LANES), register);
        }
    }
}

/// [`scalar::update`](super::scalar::update): every value is read and written once.
#[inline]
pub(crate) fn update<I: Instructions, const A: usize, const R: usize>(
    before: &[i16],
    after: &mut [i16],
    added: [&[i16]; A],
    removed: [&[i16]; R],
) {
    let len = after.len();
    assert!(len.is_multiple_of(STEP) && before.len() == len);
    assert!(added.iter().chain(&removed).all(|row| row.len() == len));
    for at in (0..len).step_by(I::LANES) {
        // SAFETY: all vectors have the same length, a multiple of the lanes, and `at` is below it.
        unsafe {
            let mut register = I::load(before.as_ptr().add(at));
            for row in added {
                register = I::add(register, I::load(row.as_ptr().add(at)));
            }
            for row in removed {
                register = I::subtract(register, I::load(row.as_ptr().add(at)));
            }
            I::store(after.as_mut_ptr().add(at), register);
        }
    }
}

/// [`scalar::output_sum`](super::scalar::output_sum).
#[inline]
pub(crate) fn output_sum<I: Instructions>(own: &[i16], other: &[i16], weights: &[i8]) -> i64 {
    let len = own.len();
    assert!(len.is_multiple_of(STEP) && other.len() == len && weights.len() == 2 * len);
    let mut total = 0;
    for segment in (0..len).step_by(SEGMENT) {
        // Two sums, so that one need not wait for the other.
        let (mut own_sum, mut other_sum) = (I::zero(), I::zero());
        for at in (segment..len.min(segment + SEGMENT)).step_by(I::LANES) {
            // SAFETY: both accumulators have the same length, a multiple of the lanes, and `at` is
            // below it; there are twice as many weights.
            unsafe {
                let weights = weights.as_ptr().add(at);
                own_sum = I::weigh(own_sum, I::load(own.as_ptr().add(at)), weights);
                let weights = weights.add(len);
                other_sum = I::weigh(other_sum, I::load(other.as_ptr().add(at)), weights);
            }
        }
        total += I::total(own_sum) + I::total(other_sum);
    }
    total
}
