//! Buffers aligned to 64 bytes: a cache line, and the widest vector register.
//!
//! The allocator aligns to 16 bytes only. Three of four 64-byte vectors would straddle two cache lines,
//! and each load and store of them would touch both.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct CacheLine([u8; CACHE_LINE]);

/// A value aligned to 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct CacheAligned<T>(pub T);

/// A fixed-length heap buffer aligned to 64 bytes. It dereferences to a slice.
///
/// ```
/// let mut values = tabiya_simd::AlignedVec::<f32>::zeros(100);
/// values[99] = 1.5;
/// assert_eq!(values.iter().sum::<f32>(), 1.5);
/// assert_eq!(values.as_ptr() as usize % 64, 0);
/// ```
pub struct AlignedVec<T> {
    lines: Vec<CacheLine>,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Pod> AlignedVec<T> {
    /// A buffer of `len` zeros.
    ///
    /// # Panics
    /// If the size in bytes overflows `usize`.
    pub fn zeros(len: usize) -> Self {
        const { assert!(CACHE_LINE.is_multiple_of(size_of::<T>()), "elements straddle cache lines") };
        let bytes = len.checked_mul(size_of::<T>()).expect("buffer size overflows usize");
        let lines = bytemuck::zeroed_vec(bytes.div_ceil(CACHE_LINE));
        Self { lines, len, element: PhantomData }
    }
}

impl<T: Pod> Clone for AlignedVec<T> {
    fn clone(&self) -> Self {
        Self { lines: self.lines.clone(), ..*self }
    }

    /// Reuses the allocation.
    fn clone_from(&mut self, source: &Self) {
        self.lines.clone_from(&source.lines);
        self.len = source.len;
    }
}

impl<T: Pod> From<&[T]> for AlignedVec<T> {
    fn from(values: &[T]) -> Self {
        let mut copy = Self::zeros(values.len());
        copy.copy_from_slice(values);
        copy
    }
}

impl<T: Pod> Deref for AlignedVec<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl<T: Pod> DerefMut for AlignedVec<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}

impl<T: Pod + PartialEq> PartialEq for AlignedVec<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T> fmt::Debug for AlignedVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlignedVec of {} elements", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_hold_their_values_and_start_at_a_cache_line() {
        for len in [0, 1, 31, 32, 100] {
            let values: Vec<i16> = (1..).take(len).collect();
            let aligned = AlignedVec::from(values.as_slice());
            assert_eq!(*aligned, *values);
            assert_eq!(aligned.as_ptr() as usize % CACHE_LINE, 0);
            assert_eq!(aligned.clone(), aligned);
        }
    }

    #[test]
    #[should_panic(expected = "buffer size overflows usize")]
    fn a_size_that_overflows_is_rejected() {
        // The size in bytes is 4 modulo 2^64.
        AlignedVec::<f32>::zeros((1 << 62) + 1);
    }

    #[test]
    fn bytes_past_the_last_element_are_ignored_in_comparisons() {
        let mut longer = AlignedVec::from([1.0, 2.0].as_slice());
        longer.len = 1;
        assert_eq!(longer, AlignedVec::from([1.0].as_slice()));
        assert_ne!(longer, AlignedVec::from([1.0, 2.0].as_slice()));
    }
}
