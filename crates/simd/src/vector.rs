//! Registers: what each instruction set implements for the generic loops.
//!
//! The methods compile to single instructions, so a type may be used only where the CPU supports its
//! instruction set. That is why the loops over these traits are `unsafe fn`.
//!
//! Loops over arrays of registers go by index: closures behind iterators are compiled without the target
//! features of their caller, are then not inlined, and registers are spilled to memory.

use std::mem::MaybeUninit;

use crate::CacheAligned;
use crate::halfka::{BLOCK, GROUPS_OF_BLOCK, Group, OUTPUTS};

/// Registers of `i16`.
///
/// # Safety
/// [`LANES`](Self::LANES) divides [`quantized::STEP`](crate::quantized::STEP).
pub(crate) unsafe trait I16Vector: Copy {
    /// How many `i16` a register holds.
    const LANES: usize;
    /// A register of `i32` sums.
    type Sum: Copy;

    /// # Safety
    /// [`LANES`](Self::LANES) values are readable.
    unsafe fn load(from: *const i16) -> Self;
    /// # Safety
    /// [`LANES`](Self::LANES) values are writable.
    unsafe fn store(self, to: *mut i16);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn zero_sum() -> Self::Sum;
    /// `sum + Σ screlu(value) · weight`, where `screlu(x) = clamp(x, 0, 255)²`. The product of the
    /// clamped value and the weight fits `i16`, since 255 · 128 < 32,768.
    ///
    /// # Safety
    /// [`LANES`](Self::LANES) weights are readable.
    unsafe fn screlu_dot(self, weights: *const i8, sum: Self::Sum) -> Self::Sum;
    /// The sum of all lanes of both. No lane of their sum overflows.
    fn horizontal_sum(a: Self::Sum, b: Self::Sum) -> i64;
}

/// Sixteen `i32` sums, in as many registers as it takes: the first layer of HalfKAv2_hm networks.
pub(crate) trait GroupSums: Copy {
    fn load(sums: &CacheAligned<[i32; OUTPUTS]>) -> Self;
    fn store(self) -> [i32; OUTPUTS];
    fn add(self, other: Self) -> Self;
    /// Adds to each sum the dot product of four bytes, 0 to 127, and its weights.
    fn add_dot(self, bytes: i32, weights: &Group) -> Self;
    /// `clamp(low, 0, 127) · clamp(high, 0, 127) / 128`, as bytes in groups of four, and which groups are not 0.
    fn products(low: &[i16; BLOCK], high: &[i16; BLOCK]) -> (Block, u16);
    /// Writes the numbers of the groups of a mask, of which the lowest is the `first`; what it writes after
    /// them has no meaning.
    #[inline(always)]
    fn append(mask: u16, first: u32, to: &mut [MaybeUninit<u32>; GROUPS_OF_BLOCK]) {
        let mut len = 0;
        for n in 0..GROUPS_OF_BLOCK {
            to[len % GROUPS_OF_BLOCK].write(first + n as u32);
            len += usize::from(mask >> n & 1);
        }
    }
}

/// The inputs of a block, in groups of four.
pub(crate) type Block = CacheAligned<[i32; GROUPS_OF_BLOCK]>;

/// Sixteen lanes of `f32`, in as many registers as it takes.
///
/// Every lane is rounded as the same operation on one number is, so that results are the same bits on
/// every machine with fused multiply-add (`scalar` has none where the target has none).
pub(crate) trait F32x16: Copy {
    /// How many such vectors the register file holds.
    const REGISTERS: usize;
    /// Whether the instruction set has fused multiply-add.
    const FUSED: bool;

    /// Runs a kernel in a function of its own, compiled for the instruction set.
    ///
    /// # Safety
    /// The CPU supports the instruction set.
    unsafe fn outline<K: Outline>(kernel: K);

    fn load(values: &[f32; 16]) -> Self;
    fn store(self, values: &mut [f32; 16]);
    fn splat(value: f32) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self + a · b`, rounded once.
    fn add_product(self, a: Self, b: Self) -> Self;
    /// The step of a matrix product: [`add_product`](Self::add_product), unless an element of the matrices is a
    /// pair of numbers.
    #[inline(always)]
    fn add_dot(self, a: Self, b: Self) -> Self {
        self.add_product(a, b)
    }
    /// Clipped ReLU: `clamp(x, 0, 1)`.
    fn clip(self) -> Self;
    /// `self · 2^n` for the integer *n* in the lowest bits of each lane of `exponent`, by adding it to the exponent.
    fn scale_by_power(self, exponent: Self) -> Self;
    /// Rows become columns.
    #[inline(always)]
    fn transpose(rows: &[Self; 16]) -> [Self; 16] {
        let mut values = [[0.0; 16]; 16];
        for n in 0..16 {
            rows[n].store(&mut values[n]);
        }
        let mut columns = *rows;
        for n in 0..16 {
            let mut column = [0.0; 16];
            for m in 0..16 {
                column[m] = values[m][n];
            }
            columns[n] = Self::load(&column);
        }
        columns
    }
    /// The sum of all lanes, by halves.
    #[inline(always)]
    fn sum(self) -> f32 {
        let mut lanes = [0.0; 16];
        self.store(&mut lanes);
        let eight: [f32; 8] = std::array::from_fn(|n| lanes[n] + lanes[n + 8]);
        let four: [f32; 4] = std::array::from_fn(|n| eight[n] + eight[n + 4]);
        (four[0] + four[2]) + (four[1] + four[3])
    }
    /// Bit *n* is set if lane *n* is not 0.
    fn nonzero(self) -> u16;
    /// `len` values, then zeros.
    ///
    /// # Safety
    /// `len` values are readable; `len` is 1 to 16.
    unsafe fn load_partial(from: *const f32, len: usize) -> Self;
    /// Writes the first `len` lanes.
    ///
    /// # Safety
    /// `len` values are writable; `len` is 1 to 16.
    unsafe fn store_partial(self, to: *mut f32, len: usize);
}

/// A kernel that is too large to be inlined wherever it is used.
pub(crate) trait Outline {
    /// # Safety
    /// The CPU supports the instruction set of `V`.
    unsafe fn run<V: F32x16>(self);
}

/// `a · b + c`, rounded once where the instruction set can; elsewhere that is a slow library call.
#[inline(always)]
pub(crate) fn mul_add<V: F32x16>(a: f32, b: f32, c: f32) -> f32 {
    if V::FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::dispatch;
    use crate::{InstructionSet, Kernels};

    /// # Safety
    /// The CPU supports the instruction set of `V`.
    #[inline(always)]
    unsafe fn lanes_match_scalar_arithmetic<V: F32x16>() {
        let a: [f32; 16] = std::array::from_fn(|n| n as f32 * 0.3 - 2.0);
        let b: [f32; 16] = std::array::from_fn(|n| 1.5 - n as f32 * 0.17);
        let check = |vector: V, expected: [f32; 16]| {
            let mut found = [0.0; 16];
            vector.store(&mut found);
            assert_eq!(found, expected);
        };
        let each = |f: fn(f32, f32) -> f32| std::array::from_fn(|n| f(a[n], b[n]));
        let (x, y) = (V::load(&a), V::load(&b));
        check(x.add(y), each(|a, b| a + b));
        check(x.sub(y), each(|a, b| a - b));
        check(x.mul(y), each(|a, b| a * b));
        let exponents = std::array::from_fn(|n| f32::from_bits(n as u32));
        check(
            x.scale_by_power(V::load(&exponents)),
            std::array::from_fn(|n| a[n] * (1 << n) as f32),
        );
        let rows: [[f32; 16]; 16] = std::array::from_fn(|n| a.map(|a| a + n as f32 * 100.0));
        let mut vectors = [V::splat(0.0); 16];
        for n in 0..16 {
            vectors[n] = V::load(&rows[n]);
        }
        for (n, column) in V::transpose(&vectors).into_iter().enumerate() {
            check(column, std::array::from_fn(|m| rows[m][n]));
        }
        assert_eq!(V::load(&std::array::from_fn(|n| (1 << n) as f32)).sum(), 65535.0);
        check(x.clip(), each(|a, _| a.clamp(0.0, 1.0)));
        check(V::splat(2.5), [2.5; 16]);
        let mut holes = a;
        (holes[3], holes[9], holes[15]) = (0.0, -0.0, 0.0);
        assert_eq!(V::load(&holes).nonzero(), !(1 << 3 | 1 << 9 | 1 << 15));
        if V::FUSED {
            check(y.add_product(x, x), each(|a, b| a.mul_add(a, b)));
        } else {
            check(y.add_product(x, x), each(|a, b| b + a * a));
        }
        for len in 1..=16 {
            let expected = std::array::from_fn(|n| if n < len { a[n] } else { 0.0 });
            // SAFETY: the slice has `len` values.
            check(unsafe { V::load_partial(a[..len].as_ptr(), len) }, expected);
            let mut found = b;
            // SAFETY: the slice has `len` values.
            unsafe { x.store_partial(found[..len].as_mut_ptr(), len) };
            assert_eq!((&found[..len], &found[len..]), (&a[..len], &b[len..]));
        }
    }

    dispatch! {
        fn check(kernels;) {
            // SAFETY: the CPU supports the instruction set of `set`.
            unsafe { lanes_match_scalar_arithmetic::<set::F32x16>() }
        }
    }

    #[test]
    fn every_lane_is_computed_as_one_number_is() {
        InstructionSet::ALL.into_iter().filter_map(Kernels::new).for_each(check);
    }
}
