//! The engine in the process: `python/tabiya/engine.py` has the class that users see.
//!
//! A search runs on a thread of its own, which owns the engine meanwhile and gives it back at the end. The calling
//! thread takes lines from a channel without the GIL, and looks for Ctrl-C several times a second.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use ::engine::analysis::{AnalysisEngine, PvLine, StopHandle};
use ::engine::search::{Engine as Searcher, Limits};
use ::engine::syzygy::Tablebases;
use ::engine::value::to_score;
use chess::{CastlingStyle, Game, Score};
use data::threads::lock;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::chess::BoardArgument;
use crate::nnue::NetworkArgument;

/// How long Ctrl-C may wait.
const INTERVAL: Duration = Duration::from_millis(50);
/// The largest hash table, in mebibytes.
const MAX_HASH: usize = 1 << 20;
/// The largest number of threads, as of the option of the UCI engine.
const MAX_THREADS: usize = 256;
/// The largest number of lines.
const MAX_LINES: usize = 256;
/// The longest time, in seconds.
const MAX_SECONDS: f64 = 1e9;

/// The number of the next search.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Adds the classes to the extension module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Engine>()?;
    module.add_class::<Search>()
}

/// The place of the engine, empty while it searches.
struct Slot {
    engine: Mutex<Option<Searcher>>,
    returned: Condvar,
    /// The number of the search that runs and was not stopped.
    running: Mutex<Option<u64>>,
}

impl Slot {
    fn put_back(&self, engine: Searcher) {
        *lock(&self.running) = None;
        *lock(&self.engine) = Some(engine);
        self.returned.notify_all();
    }

    /// Notes that a search was stopped, if it is still the one that runs.
    fn is_stopping(&self, number: u64) {
        let mut running = lock(&self.running);
        if *running == Some(number) {
            *running = None;
        }
    }

    /// The engine. A search that was stopped returns it soon; another one is an error.
    fn take(&self, py: Python<'_>) -> PyResult<Searcher> {
        let taken = py.detach(|| {
            let mut engine = lock(&self.engine);
            let begun = Instant::now();
            while engine.is_none() && begun.elapsed() < Duration::from_secs(10) {
                if lock(&self.running).is_some() {
                    return Err("the engine is thinking: stop its search, or use another engine");
                }
                let waited = self.returned.wait_timeout(engine, INTERVAL);
                engine = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            engine.take().ok_or("the engine was lost in a search that failed")
        });
        taken.map_err(PyRuntimeError::new_err)
    }
}

/// An engine.
#[pyclass(frozen, module = "tabiya._tabiya")]
pub struct Engine(Arc<Slot>);

fn checked(value: usize, most: usize, what: &str) -> PyResult<usize> {
    if (1..=most).contains(&value) {
        return Ok(value);
    }
    Err(PyValueError::new_err(format!("{what} must be from 1 to {most}, not {value}")))
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (*, hash=16, threads=1, network=None, syzygy=None))]
    fn new(
        hash: usize,
        threads: usize,
        network: Option<NetworkArgument>,
        syzygy: Option<PathBuf>,
    ) -> PyResult<Self> {
        let hash = checked(hash, MAX_HASH, "hash")?;
        let mut engine =
            Searcher::new(hash).map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        engine.set_network(NetworkArgument::or_embedded(network));
        engine
            .set_threads(checked(threads, MAX_THREADS, "threads")?)
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        if let Some(path) = syzygy {
            let text = path.to_str().ok_or_else(|| PyValueError::new_err("syzygy is no text"))?;
            let tables = Tablebases::open(text);
            let tables = tables.map_err(|error| PyOSError::new_err(error.to_string()))?;
            engine.set_tablebases(Some(tables));
        }
        let (engine, running) = (Mutex::new(Some(engine)), Mutex::new(None));
        Ok(Self(Arc::new(Slot { engine, returned: Condvar::new(), running })))
    }

    /// Clears the hash table and the histories.
    fn new_game(&self, py: Python<'_>) -> PyResult<()> {
        let mut engine = self.0.take(py)?;
        py.detach(|| engine.new_game());
        self.0.put_back(engine);
        Ok(())
    }

    /// Begins a search of the last position of a game: a root and moves in UCI notation.
    #[pyo3(signature = (root, moves, *, time=None, nodes=None, depth=None, mate=None, multipv=1, searchmoves=None))]
    #[allow(clippy::too_many_arguments, reason = "the limits of a search, by name")]
    fn start(
        &self,
        py: Python<'_>,
        root: BoardArgument,
        moves: Vec<String>,
        time: Option<f64>,
        nodes: Option<u64>,
        depth: Option<u32>,
        mate: Option<u32>,
        multipv: usize,
        searchmoves: Option<Vec<String>>,
    ) -> PyResult<Search> {
        let invalid = |error: String| PyValueError::new_err(error);
        let position = root.0.position().ok_or_else(|| {
            let problem = root.0.cleaned().position().err();
            let problem =
                problem.map_or_else(|| "an illegal position".to_owned(), |e| e.to_string());
            PyValueError::new_err(problem)
        })?;
        let mut game = Game::new(position);
        for text in &moves {
            let m = game.position().parse_uci(text).map_err(|error| invalid(error.to_string()))?;
            game.play(m).map_err(|error| invalid(error.to_string()))?;
        }
        let move_time = match time {
            None => None,
            Some(seconds) if (0.0..=MAX_SECONDS).contains(&seconds) => {
                Some(Duration::from_secs_f64(seconds))
            }
            Some(seconds) => {
                return Err(invalid(format!("time must be from 0 to 1e9 seconds, not {seconds}")));
            }
        };
        let wanted = searchmoves.unwrap_or_default();
        let wanted = wanted.iter().map(|text| game.position().parse_uci(text));
        let wanted = wanted.collect::<Result<Vec<_>, _>>().map_err(|e| invalid(e.to_string()))?;
        let limits = Limits { move_time, nodes, depth, mate, moves: wanted, ..Limits::default() };
        let multi_pv = checked(multipv, MAX_LINES, "multipv")?;
        let chess960 = root.0.chess960;
        self.search(py, game, limits, multi_pv, chess960)
    }
}

impl Engine {
    fn search(
        &self,
        py: Python<'_>,
        game: Game,
        limits: Limits,
        multi_pv: usize,
        chess960: bool,
    ) -> PyResult<Search> {
        let mut engine = AnalysisEngine::new(self.0.take(py)?);
        engine.multi_pv = multi_pv;
        let stop = engine.stop_handle();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        *lock(&self.0.running) = Some(number);
        let (sender, receiver) = channel();
        let slot = Arc::clone(&self.0);
        // Handed over after the thread has started: if it cannot be started, the engine stays.
        let (hand_over, take_over) = channel::<AnalysisEngine>();
        let run = move || {
            let Ok(mut engine) = take_over.recv() else { return };
            let found = engine.search_lines(&game, &limits, |line| {
                let _ = sender.send(Event::Line(line.clone()));
            });
            slot.put_back(engine.into_engine());
            let _ = sender.send(match found {
                Ok(lines) => Event::Done(lines),
                Err(error) => Event::Failed(error.to_string()),
            });
        };
        if let Err(error) = Builder::new().spawn(run) {
            self.0.put_back(engine.into_engine());
            return Err(PyRuntimeError::new_err(format!("cannot start a thread: {error}")));
        }
        let _ = hand_over.send(engine);
        let style = if chess960 { CastlingStyle::Chess960 } else { CastlingStyle::Standard };
        let (events, slot) = (Mutex::new(receiver), Arc::clone(&self.0));
        Ok(Search { events, slot, number, stop, style })
    }
}

enum Event {
    Line(PvLine),
    Done(Vec<PvLine>),
    Failed(String),
}

/// A running search.
#[pyclass(frozen, module = "tabiya._tabiya")]
pub struct Search {
    events: Mutex<Receiver<Event>>,
    slot: Arc<Slot>,
    number: u64,
    stop: StopHandle,
    style: CastlingStyle,
}

/// Depth, selective depth, number of the line, centipawns or none, moves to mate or none, nodes, seconds, moves.
type LineTuple = (i32, usize, usize, Option<i32>, Option<i32>, u64, f64, Vec<String>);

impl Search {
    fn line(&self, line: &PvLine) -> LineTuple {
        let (centipawns, mate) = match to_score(line.score) {
            Score::Centipawns(value) => (Some(value), None),
            Score::Mate(moves) => (None, Some(moves)),
        };
        let moves = line.moves.iter().map(|m| m.uci(self.style).to_string()).collect();
        let (depth, seldepth, number) = (line.depth, line.seldepth, line.multipv);
        (depth, seldepth, number, centipawns, mate, line.nodes, line.seconds, moves)
    }
}

#[pymethods]
impl Search {
    /// What comes next: (False, a line), or at the end (True, the last line of each number). None if nothing has come
    /// in this time. Ctrl-C raises KeyboardInterrupt.
    #[pyo3(signature = (timeout=None))]
    fn next<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<f64>,
    ) -> PyResult<Option<(bool, Bound<'py, PyAny>)>> {
        let limit = timeout.map(|seconds| {
            let seconds = if seconds.is_finite() { seconds.clamp(0.0, MAX_SECONDS) } else { 0.0 };
            Instant::now() + Duration::from_secs_f64(seconds)
        });
        loop {
            let now = Instant::now();
            let wait = limit.map_or(INTERVAL, |limit| limit.saturating_duration_since(now));
            let wait = wait.min(INTERVAL);
            match py.detach(|| lock(&self.events).recv_timeout(wait)) {
                Ok(Event::Line(line)) => {
                    return Ok(Some((false, self.line(&line).into_pyobject(py)?.into_any())));
                }
                Ok(Event::Done(lines)) => {
                    let lines: Vec<LineTuple> = lines.iter().map(|line| self.line(line)).collect();
                    return Ok(Some((true, lines.into_pyobject(py)?.into_any())));
                }
                Ok(Event::Failed(reason)) => return Err(PyRuntimeError::new_err(reason)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyTypeError::new_err("the search has ended"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    py.check_signals()?;
                    if limit.is_some_and(|limit| Instant::now() >= limit) {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Ends the search soon; its result follows.
    fn stop(&self) {
        self.stop.stop();
        self.slot.is_stopping(self.number);
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop();
    }
}
