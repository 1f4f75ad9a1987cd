//! Positions as the 768 features: dense rows, bits, or lists of active features.

use std::num::NonZero;

use chess::Setup;
use nnue::features::Features;
use numpy::Element;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use simd::bits::{self, Bit};

use super::positions::Positions;
use super::{output, parallel};
use crate::tasks;

/// Rows that are computed before they are written.
const BLOCK: usize = 32;
/// A batch of more bytes than this does not stay in the caches.
const CACHE_BYTES: usize = 16 << 20;

/// The number of features.
const COUNT: usize = nnue::features::COUNT;

/// Whose pieces come first.
#[derive(Clone, Copy, PartialEq)]
pub enum Order {
    /// Black's, then White's.
    Color,
    /// Those of the side to move, seen from its side.
    Mover,
}

impl Order {
    /// The features of a setup.
    #[inline]
    pub fn features(self, setup: &Setup) -> Features {
        match self {
            Self::Color => Features::of(&setup.board),
            Self::Mover => Features::seen_by(&setup.board, setup.turn),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Order {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match value.extract::<String>()?.as_str() {
            "color" => Ok(Self::Color),
            "mover" => Ok(Self::Mover),
            other => Err(PyValueError::new_err(format!(
                "the order must be 'color' or 'mover', not {other:?}"
            ))),
        }
    }
}

/// Features in a layout: `[n, 768]` of a number type, `[n, 96]` bytes of bits, or `[n, 32]` indices, filled up with -1.
#[pyfunction]
#[pyo3(signature = (positions, *, order=Order::Color, layout="float32", out=None, threads=None))]
pub fn features<'py>(
    py: Python<'py>,
    positions: Positions,
    order: Order,
    layout: &str,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let batch = Batch { positions, order, threads: tasks::threads(threads)? };
    match layout {
        "float32" => batch.dense::<f32>(py, out),
        "float64" => batch.dense::<f64>(py, out),
        "uint8" => batch.dense::<u8>(py, out),
        "bits" => batch.write(py, out, COUNT / 8, |features, row: &mut [u8]| {
            row.copy_from_slice(&features.to_bits());
            Ok(())
        }),
        "active" => batch.write(py, out, MAX_PIECES, active),
        other => Err(PyValueError::new_err(format!(
            "the layout must be float32, float64, uint8, bits or active, not {other:?}"
        ))),
    }
}

/// Pieces of a legal position.
const MAX_PIECES: usize = 32;

fn active(features: Features, row: &mut [i16]) -> Result<(), String> {
    let count = features.len();
    if count > row.len() {
        return Err(format!("{count} pieces are more than {MAX_PIECES}"));
    }
    let mut at = 0;
    for (n, &word) in features.words().iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            row[at] = 64 * n as i16 + rest.trailing_zeros() as i16;
            at += 1;
            rest &= rest - 1;
        }
    }
    row[at..].fill(-1);
    Ok(())
}

struct Batch {
    positions: Positions,
    order: Order,
    threads: NonZero<usize>,
}

impl Batch {
    /// Rows of numbers. A large batch is written past the caches.
    fn dense<'py, T: Element + Bit>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = output::array::<T>(py, out, &[self.positions.len(), COUNT])?;
        output::fill(&array, |values| {
            let expand = match size_of_val(values) > CACHE_BYTES {
                true => bits::stream::<T>,
                false => bits::expand::<T>,
            };
            let state = || Vec::with_capacity(BLOCK);
            let rows = (values, COUNT);
            parallel::chunks(py, self.threads, "position", rows, state, |words, mut at, part| {
                for block in part.chunks_mut(BLOCK * COUNT) {
                    words.clear();
                    for _ in 0..block.len() / COUNT {
                        let setup = self.positions.setup(at).map_err(|reason| (at, reason))?;
                        words.push(*self.order.features(&setup).words());
                        at += 1;
                    }
                    expand(words.as_flattened(), block);
                }
                Ok(())
            })
        })?;
        Ok(array.into_any())
    }

    fn write<'py, T: Element>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
        width: usize,
        write: impl Fn(Features, &mut [T]) -> Result<(), String> + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = output::array::<T>(py, out, &[self.positions.len(), width])?;
        output::fill(&array, |values| {
            parallel::rows(py, self.threads, "position", (values, width), |at, row| {
                write(self.order.features(&self.positions.setup(at)?), row)
            })
        })?;
        Ok(array.into_any())
    }
}

/// Swaps the halves of every row of 768 values: from the old order, White first, to ours, or back.
#[pyfunction]
pub fn swap_feature_halves(mut rows: numpy::PyReadwriteArrayDyn<'_, f32>) -> PyResult<()> {
    let values = rows.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;
    nnue::features::old_order::convert_rows(values)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}
