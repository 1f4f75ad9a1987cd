//! `tabiya.pra`: piece-routed attention. `python/tabiya/pra.py` has the classes that users see.

use std::path::PathBuf;
use std::sync::Mutex;

use chess::{CastlingStyle, Position};
use data::threads::lock;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn};
use pra::attention::AttentionMaps;
use pra::config::{HEADS, SQUARES};
use pra::encode::{PLAIN_MOVES, POLICY, tokens, wdl_of_side_to_move};
use pra::player::at_temperature;
use pra::{Config, ModelError, Prediction, Transformer, Weights};
use pyo3::exceptions::{PyFileNotFoundError, PyKeyError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::tasks;

/// Positions between two looks for Ctrl-C.
const BATCH: usize = 256;

/// The prediction of a position: moves in UCI and SAN with their probabilities, and win, draw and loss.
type PredictionTuple = (Vec<(String, String, f32)>, [f32; 3]);

/// A model with its weights.
#[pyclass(module = "tabiya._tabiya", frozen)]
pub struct PraModel {
    weights: Weights,
    /// The buffers of the last call, for its number of threads.
    transformer: Mutex<Option<Transformer>>,
}

fn model_error(error: ModelError) -> PyErr {
    let text = error.to_string();
    match error {
        ModelError::NoModel { .. } => PyFileNotFoundError::new_err(text),
        ModelError::Io { .. } | ModelError::Write(_) => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

fn parse_config(config: &str) -> PyResult<Config> {
    let config: Config = serde_json::from_str(config)
        .map_err(|error| PyValueError::new_err(format!("the configuration is wrong: {error}")))?;
    config.check().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(config)
}

fn parse_positions(fens: &[String]) -> PyResult<Vec<Position>> {
    let position = |fen: &String| {
        fen.parse().map_err(|error| PyValueError::new_err(format!("{error}: {fen:?}")))
    };
    fens.iter().map(position).collect()
}

impl From<Weights> for PraModel {
    fn from(weights: Weights) -> Self {
        Self { weights, transformer: Mutex::new(None) }
    }
}

impl PraModel {
    /// Calls `each` with the output for every position, in order.
    fn for_each(
        &self,
        py: Python<'_>,
        positions: &[Position],
        threads: Option<usize>,
        mut each: impl FnMut(&Position, Prediction) + Send,
    ) -> PyResult<()> {
        let (threads, config) = (tasks::threads(threads)?.get(), self.weights.config());
        for batch in positions.chunks(BATCH) {
            let unfinished = py.detach(|| {
                let mut kept = lock(&self.transformer);
                let transformer = match kept.take().filter(|kept| kept.threads() == threads) {
                    Some(transformer) => kept.insert(transformer),
                    None => kept.insert(Transformer::new(config, threads)),
                };
                let inputs: Vec<_> =
                    batch.iter().map(|position| tokens(config, position)).collect();
                for (position, output) in
                    batch.iter().zip(transformer.predict(&self.weights, &inputs))
                {
                    if !output.is_finite() {
                        return Some(position.fen());
                    }
                    each(position, output);
                }
                None
            });
            if let Some(fen) = unfinished {
                let text = format!("the outputs of the model are not finite numbers: {fen}");
                return Err(PyValueError::new_err(text));
            }
            py.check_signals()?;
        }
        Ok(())
    }
}

#[pymethods]
impl PraModel {
    /// The model that Tabiya ships.
    #[staticmethod]
    fn embedded() -> PyResult<Self> {
        pra::embedded().map(Self::from).map_err(model_error)
    }

    /// The model in a directory with `config.json` and `model.safetensors`.
    #[staticmethod]
    fn load(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        py.detach(|| Weights::load(&folder)).map(Self::from).map_err(model_error)
    }

    /// A model with random weights; the configuration is JSON.
    #[staticmethod]
    fn random(config: &str, seed: u64) -> PyResult<Self> {
        let weights = Weights::random(&parse_config(config)?, seed);
        weights.map(Self::from).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// A model with these tensors, by their names in files.
    #[staticmethod]
    fn from_tensors(config: &str, tensors: &Bound<'_, PyDict>) -> PyResult<Self> {
        let weights = Weights::zero(&parse_config(config)?);
        let mut weights = weights.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let expected = weights.layout().tensors().to_vec();
        for name in tensors.keys() {
            let name: String = name.extract()?;
            if !expected.iter().any(|tensor| tensor.name == name) {
                return Err(PyKeyError::new_err(format!("unknown tensor '{name}'")));
            }
        }
        for tensor in &expected {
            let name = &tensor.name;
            let Some(value) = tensors.get_item(name)? else {
                return Err(PyKeyError::new_err(format!("tensor '{name}' is missing")));
            };
            let array: PyReadonlyArrayDyn<'_, f32> = value.extract()?;
            let array = array.as_array();
            if array.shape() != tensor.shape {
                let (found, shape) = (array.shape(), &tensor.shape);
                let text = format!("tensor '{name}' has shape {found:?}, expected {shape:?}");
                return Err(PyValueError::new_err(text));
            }
            if let Some((index, value)) = array.iter().enumerate().find(|(_, x)| !x.is_finite()) {
                let text = format!("element {index} of tensor '{name}' is {value}");
                return Err(PyValueError::new_err(text));
            }
            let target = &mut weights.values_mut()[tensor.range.clone()];
            target.iter_mut().zip(array.iter()).for_each(|(to, from)| *to = *from);
        }
        Ok(weights.into())
    }

    /// The configuration as JSON.
    #[getter]
    fn config(&self) -> String {
        serde_json::to_string(self.weights.config()).unwrap_or_default()
    }

    /// Number of parameters.
    #[getter]
    fn parameters(&self) -> usize {
        self.weights.values().len()
    }

    /// Copies of all tensors, by their names in files.
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for tensor in self.weights.layout().tensors() {
            let values = PyArray1::from_slice(py, &self.weights.values()[tensor.range.clone()]);
            all.set_item(&tensor.name, values.reshape(tensor.shape.clone())?)?;
        }
        Ok(all)
    }

    /// Writes a model directory, as f32 or f16.
    fn save(&self, py: Python<'_>, folder: PathBuf, half: bool) -> PyResult<()> {
        py.detach(|| self.weights.save(&folder, half)).map_err(model_error)
    }

    /// The legal moves with their probabilities, highest first, and win, draw and loss of the side to move.
    fn predict(
        &self,
        py: Python<'_>,
        fens: Vec<String>,
        temperature: f32,
        threads: Option<usize>,
    ) -> PyResult<Vec<PredictionTuple>> {
        if !(0.0..=1000.0).contains(&temperature) {
            let text = format!("the temperature must be from 0 to 1000, not {temperature}");
            return Err(PyValueError::new_err(text));
        }
        let (positions, config) = (parse_positions(&fens)?, self.weights.config());
        let mut found = Vec::with_capacity(positions.len());
        self.for_each(py, &positions, threads, |position, output| {
            let mut moves = output.moves(config, position);
            if temperature != 1.0 {
                let probabilities: Vec<f32> = moves.iter().map(|m| m.1).collect();
                let tempered = at_temperature(&probabilities, temperature);
                moves.iter_mut().zip(tempered).for_each(|(m, p)| m.1 = p);
            }
            let moves = moves.into_iter().map(|(m, probability)| {
                let uci = position.uci(m, CastlingStyle::Standard).as_str().to_owned();
                (uci, position.san(m).to_string(), probability)
            });
            let wdl = wdl_of_side_to_move(config, position.turn(), output.outcome);
            found.push((moves.collect(), wdl));
        })?;
        Ok(found)
    }

    /// Policy logits by policy index, `[n, 4096]` or with promotions `[n, 4288]`, and win, draw and loss of the
    /// side to move, `[n, 3]`.
    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn outputs<'py>(
        &self,
        py: Python<'py>,
        fens: Vec<String>,
        threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyArrayDyn<f32>>, Bound<'py, PyArrayDyn<f32>>)> {
        let (positions, config) = (parse_positions(&fens)?, self.weights.config());
        let width = if config.promotions { POLICY } else { PLAIN_MOVES };
        let mut policy = Vec::with_capacity(positions.len() * width);
        let mut value = Vec::with_capacity(positions.len() * 3);
        self.for_each(py, &positions, threads, |position, output| {
            policy.extend(output.logits.iter().take(width));
            value.extend(wdl_of_side_to_move(config, position.turn(), output.outcome));
        })?;
        let n = positions.len();
        let policy = PyArray1::from_vec(py, policy).reshape(vec![n, width])?;
        Ok((policy, PyArray1::from_vec(py, value).reshape(vec![n, 3])?))
    }

    /// Attention weights in board coordinates: `[n, depth, 12, 64, 64]`, queries before keys.
    fn attention<'py>(
        &self,
        py: Python<'py>,
        fens: Vec<String>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let (positions, depth) = (parse_positions(&fens)?, self.weights.config().depth);
        let threads = tasks::threads(threads)?.get();
        let mut values = Vec::with_capacity(positions.len() * depth * HEADS * SQUARES * SQUARES);
        for batch in positions.chunks(BATCH) {
            let maps = py.detach(|| {
                let share = batch.len().div_ceil(threads).max(1);
                data::threads::map_or_panic(batch.chunks(share), |positions| {
                    let mut transformer = Transformer::new(self.weights.config(), 1);
                    let maps = |p| AttentionMaps::new(&mut transformer, &self.weights, p);
                    positions.iter().map(maps).collect::<Vec<_>>()
                })
            });
            for maps in maps.iter().flatten() {
                for (layer, head) in (0..depth).flat_map(|l| (0..HEADS).map(move |h| (l, h))) {
                    values.extend_from_slice(maps.map(layer, head));
                }
            }
            py.check_signals()?;
        }
        let shape = vec![positions.len(), depth, HEADS, SQUARES, SQUARES];
        PyArray1::from_vec(py, values).reshape(shape)
    }
}

/// Adds the class to the extension module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PraModel>()
}
