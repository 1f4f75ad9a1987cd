//! The player: alpha-beta search over turns.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use data::threads::lock;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::action::Action;
use super::state::State;

/// Time between two looks for Ctrl-C.
const INTERVAL: Duration = Duration::from_millis(50);

/// Searches turns. Its seed chooses between equal ones.
#[pyclass(name = "Player", module = "tabiya._tabiya", frozen)]
pub struct Player(Mutex<paco::Player>);

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (seed=1))]
    fn new(seed: u64) -> Self {
        Self(Mutex::new(paco::Player::new(seed)))
    }

    /// Actions, score, depth and nodes of the best turn; ``None`` if there is none.
    #[allow(clippy::type_complexity, reason = "a tuple for Python")]
    fn choose(
        &self,
        py: Python<'_>,
        state: &State,
        time: Option<f64>,
        depth: u32,
        avoid: Vec<u64>,
    ) -> PyResult<Option<(Vec<Action>, i32, u32, u64)>> {
        let limit = time.map(Duration::try_from_secs_f64).transpose();
        let limit = limit.map_err(|_| PyValueError::new_err("time must be a number of seconds"))?;
        if !(1..=64).contains(&depth) {
            return Err(PyValueError::new_err(format!("depth must be from 1 to 64, not {depth}")));
        }
        let (position, start) = (*state.game.position(), Instant::now());
        let mut raised = None;
        let choice = py.detach(|| {
            let mut player = lock(&self.0);
            player.avoid(avoid);
            let mut checked = start;
            player.choose(&position, depth, &mut || {
                let now = Instant::now();
                if raised.is_none() && now.duration_since(checked) >= INTERVAL {
                    checked = now;
                    raised = Python::attach(|py| py.check_signals()).err();
                }
                raised.is_some() || limit.is_some_and(|limit| now.duration_since(start) >= limit)
            })
        });
        match raised {
            Some(error) => Err(error),
            None => Ok(choice.map(|choice| {
                let actions = choice.actions.into_iter().map(Action).collect();
                (actions, choice.score, choice.depth, choice.nodes)
            })),
        }
    }
}
