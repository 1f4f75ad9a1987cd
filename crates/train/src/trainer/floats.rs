//! Arrays of numbers that begin at the border of a cache line, so that no vector straddles two.

use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

/// A cache line.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// An array of a fixed length.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Floats {
    lines: Vec<Line>,
    length: usize,
}

impl Floats {
    /// All zero.
    pub(super) fn zero(length: usize) -> Self {
        Self { lines: vec![Line([0.0; 16]); length.div_ceil(16)], length }
    }
}

impl From<&[f32]> for Floats {
    fn from(values: &[f32]) -> Self {
        let mut floats = Self::zero(values.len());
        floats.copy_from_slice(values);
        floats
    }
}

impl Deref for Floats {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        &bytemuck::cast_slice(&self.lines)[..self.length]
    }
}

impl DerefMut for Floats {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.length]
    }
}
