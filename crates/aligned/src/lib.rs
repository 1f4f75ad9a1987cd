//! Numbers that begin at a multiple of 64 bytes: a cache line, and the widest vector register.
//!
//! What asks for memory gets it at a multiple of 16. Then three of four vectors of 64 bytes lie in two
//! lines, and each of them is read and written twice.

#![forbid(unsafe_code)]

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

/// Bytes of a cache line.
const LINE: usize = 64;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

/// A fixed number of values, aligned to 64 bytes. To all else it is a slice.
///
/// ```
/// let mut numbers = aligned::Aligned::<f32>::zeros(100);
/// numbers[99] = 1.5;
/// assert_eq!(numbers.iter().sum::<f32>(), 1.5);
/// assert_eq!(numbers.as_ptr() as usize % 64, 0);
/// ```
#[derive(Clone)]
pub struct Aligned<T> {
    lines: Vec<Line>,
    len: usize,
    kind: PhantomData<T>,
}

impl<T: Pod> Aligned<T> {
    /// So many zeros.
    ///
    /// # Panics
    /// If there cannot be that many.
    pub fn zeros(len: usize) -> Self {
        const { assert!(LINE.is_multiple_of(size_of::<T>()), "values that straddle lines") };
        let bytes = len.checked_mul(size_of::<T>()).expect("values that fit into memory");
        let lines = bytemuck::zeroed_vec(bytes.div_ceil(LINE));
        Self { lines, len, kind: PhantomData }
    }
}

impl<T: Pod> From<&[T]> for Aligned<T> {
    fn from(values: &[T]) -> Self {
        let mut copy = Self::zeros(values.len());
        copy.copy_from_slice(values);
        copy
    }
}

impl<T: Pod> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl<T: Pod> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}

impl<T: Pod + PartialEq> PartialEq for Aligned<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T> fmt::Debug for Aligned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} aligned values", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_and_begin_at_a_cache_line() {
        for len in [0, 1, 31, 32, 100] {
            let values: Vec<i16> = (1..).take(len).collect();
            let aligned = Aligned::from(values.as_slice());
            assert_eq!(*aligned, *values);
            assert_eq!(aligned.as_ptr() as usize % LINE, 0);
            assert_eq!(aligned.clone(), aligned);
        }
    }

    #[test]
    #[should_panic(expected = "values that fit into memory")]
    fn more_values_than_can_be_are_refused() {
        // The bytes are 4 modulo 2^64.
        Aligned::<f32>::zeros((1 << 62) + 1);
    }

    #[test]
    fn what_lies_beyond_the_last_value_does_not_count() {
        let mut longer = Aligned::from([1.0, 2.0].as_slice());
        longer.len = 1;
        assert_eq!(longer, Aligned::from([1.0].as_slice()));
        assert_ne!(longer, Aligned::from([1.0, 2.0].as_slice()));
    }
}
