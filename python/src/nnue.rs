//! `tabiya.nnue`: the engine's networks, and the two-tower MLP on the 768 features.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use nnue::AnyNetwork;
use nnue::features::COUNT;
use nnue::towers::{Checkpoint, CheckpointError, Towers as Parameters};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::batch::{self, Order, Positions};
use crate::tasks;

/// Adds the classes to the extension module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Network>()?;
    module.add_class::<Towers>()
}

/// A network of the engine: its own kind or HalfKP.
#[pyclass(frozen, module = "tabiya.nnue")]
pub struct Network(AnyNetwork);

#[pymethods]
impl Network {
    /// Reads a network file of any kind that the engine plays with.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        load(&path).map(Self)
    }

    /// The network that comes with the package; None if it was built without.
    #[classmethod]
    fn embedded(_class: &Bound<'_, PyType>) -> Option<Self> {
        engine::eval::file::embedded().map(Self)
    }

    fn __repr__(&self) -> String {
        format!("<Network {}>", self.0)
    }
}

fn load(path: &std::path::Path) -> PyResult<AnyNetwork> {
    engine::eval::file::load(path).map_err(|error| {
        let text = format!("{}: {error}", path.display());
        match error {
            engine::eval::file::FileError::Read(cause) => io_error(&cause, text),
            _ => PyValueError::new_err(text),
        }
    })
}

fn io_error(cause: &std::io::Error, text: String) -> PyErr {
    match cause.kind() {
        std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
        _ => PyOSError::new_err(text),
    }
}

/// A network, the path of its file, or `"classic"` for the classical evaluation (HCE).
pub struct NetworkArgument(Option<AnyNetwork>);

impl NetworkArgument {
    /// The network given, or the one that comes with the package; none is the classical evaluation.
    pub fn or_embedded(given: Option<Self>) -> Option<AnyNetwork> {
        given.map_or_else(engine::eval::file::embedded, |given| given.0)
    }
}

impl<'py> FromPyObject<'_, 'py> for NetworkArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(network) = value.cast::<Network>() {
            return Ok(Self(Some(network.get().0.clone())));
        }
        if value.extract::<String>().is_ok_and(|name| name == "classic") {
            return Ok(Self(None));
        }
        let path = value.extract::<PathBuf>().map_err(|_| {
            PyTypeError::new_err("a network must be a Network, a path or 'classic'")
        })?;
        load(&path).map(|network| Self(Some(network)))
    }
}

/// The two-tower MLP.
#[pyclass(frozen, module = "tabiya._tabiya")]
pub struct Towers(Arc<Parameters>);

fn checkpoint_error(error: CheckpointError) -> PyErr {
    let text = error.to_string();
    match error {
        CheckpointError::Io { cause, .. } => io_error(&cause, text),
        _ => PyValueError::new_err(text),
    }
}

impl Towers {
    fn checkpoint(&self) -> PyResult<Vec<u8>> {
        let towers = (*self.0).clone();
        let training = serde_json::Value::Null;
        Checkpoint { towers, averages: None, training }.to_bytes().map_err(checkpoint_error)
    }
}

#[pymethods]
impl Towers {
    #[new]
    fn new(seed: u64) -> Self {
        Self(Arc::new(Parameters::random(seed)))
    }

    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        let towers = Parameters::load(&path).map_err(|error| match error {
            error @ CheckpointError::Io { .. } => checkpoint_error(error),
            error => PyValueError::new_err(format!("{}: {error}", path.display())),
        })?;
        Ok(Self(Arc::new(towers)))
    }

    /// The file of the network.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.checkpoint()?))
    }

    /// The tensors by their names in PyTorch.
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let bytes = self.checkpoint()?;
        let file = SafeTensors::deserialize(&bytes).map_err(failed)?;
        let tensors = PyDict::new(py);
        let mut names = file.names();
        names.sort();
        for name in names {
            let view = file.tensor(name).map_err(failed)?;
            let values = view.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
            let array = PyArray1::from_vec(py, values.collect()).reshape(view.shape().to_vec())?;
            tensors.set_item(name, array)?;
        }
        Ok(tensors)
    }

    /// The network of these tensors.
    #[classmethod]
    fn from_tensors(
        _class: &Bound<'_, PyType>,
        tensors: HashMap<String, PyReadonlyArrayDyn<'_, f32>>,
    ) -> PyResult<Self> {
        // Names, shapes and values are checked as those of any file.
        let frame = Self::new(0).checkpoint()?;
        let (_, metadata) = SafeTensors::read_metadata(&frame).map_err(failed)?;
        let mut parts = Vec::new();
        for (name, array) in &tensors {
            let bytes: Vec<u8> =
                array.as_array().iter().flat_map(|value| value.to_le_bytes()).collect();
            parts.push((name, array.shape().to_vec(), bytes));
        }
        let views = parts.iter().map(|(name, shape, bytes)| {
            Ok((name, TensorView::new(Dtype::F32, shape.clone(), bytes).map_err(failed)?))
        });
        let views = views.collect::<PyResult<Vec<_>>>()?;
        let bytes = safetensors::serialize(views, metadata.metadata().clone()).map_err(failed)?;
        let checkpoint = Checkpoint::from_bytes(&bytes).map_err(checkpoint_error)?;
        Ok(Self(Arc::new(checkpoint.towers)))
    }

    /// The evaluation of every position in centipawns, from the side to move.
    #[pyo3(signature = (positions, *, out=None, threads=None))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        positions: Positions,
        out: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let threads = tasks::threads(threads)?;
        let mut features =
            vec![nnue::features::Features::of(&chess::Board::EMPTY); positions.len()];
        batch::rows(py, threads, "position", (&mut features, 1), |at, row| {
            row[0] = Order::Mover.features(&positions.setup(at)?);
            Ok(())
        })?;
        let array = batch::array::<f32>(py, out, &[positions.len()])?;
        batch::fill(&array, |values| {
            py.detach(|| self.0.evaluate_parallel(&features, values, threads));
            Ok(())
        })?;
        Ok(array.into_any())
    }

    /// The evaluations of rows `[n, 768]` in centipawns.
    #[pyo3(signature = (rows, *, threads=None))]
    fn evaluate_dense<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArrayDyn<'py, f32>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let &[count, COUNT] = rows.shape() else {
            let shape = rows.shape();
            let reason = format!("features must have the shape [n, {COUNT}], not {shape:?}");
            return Err(PyValueError::new_err(reason));
        };
        let inputs = rows
            .as_slice()
            .map_err(|_| PyValueError::new_err("features must be contiguous, in C order"))?;
        let array = batch::array::<f32>(py, None, &[count])?;
        batch::fill(&array, |values| {
            let share = count.div_ceil(tasks::threads(threads)?.get()).max(256);
            let parts = inputs.chunks(share * COUNT).zip(values.chunks_mut(share));
            let evaluated = py.detach(|| {
                data::threads::map(parts, |(rows, values)| self.0.evaluate_dense(rows, values))
            });
            let evaluated =
                evaluated.map_err(|_| PyRuntimeError::new_err("a thread has failed"))?;
            evaluated.into_iter().collect::<Result<(), _>>().map_err(failed)
        })?;
        Ok(array)
    }
}

fn failed(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}
