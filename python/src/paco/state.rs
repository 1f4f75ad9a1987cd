//! `State`: a game of Paco Ŝako, with its history.

use chess::Color;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use paco::{Answer, Game, PacoIn, Position, Rules, Setup, Turns};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use super::action::{Action, AnyAction, square};
use super::batch::{options, value_error};

/// A game of Paco Ŝako: a position, its history, and its outcome.
///
/// >>> from tabiya import paco
/// >>> state = paco.State()
/// >>> len(state.legal_actions()), state.required
/// (10, 'Lift')
/// >>> state.play_turn("d2>d4")
/// [Action.lift(11), Action.place(27)]
/// >>> state.fen()
/// 'rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b 1 AHah d3 -'
#[pyclass(name = "State", module = "tabiya.paco")]
pub struct State {
    pub game: Game,
    start: Position,
    draw_after: u8,
}

fn color(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}

/// ``True``, ``False``, or ``None`` for unknown.
fn answer(answer: Answer) -> Option<bool> {
    match answer {
        Answer::Yes => Some(true),
        Answer::No => Some(false),
        Answer::Unknown => None,
    }
}

fn actions(actions: Vec<paco::Action>) -> Vec<Action> {
    actions.into_iter().map(Action).collect()
}

impl State {
    fn position(&self) -> &Position {
        self.game.position()
    }

    fn at(start: Position, draw_after: u8) -> Self {
        Self { game: Game::new(start, draw_after), start, draw_after }
    }
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (fen=None, *, compat=false, draw_after=paco::DRAW_AFTER_REPETITIONS))]
    fn new(fen: Option<&str>, compat: bool, draw_after: u8) -> PyResult<Self> {
        let rules = if compat { Rules::Compat } else { Rules::Exact };
        let start = match fen {
            None => Position::default().with_rules(rules),
            Some(fen) => Position::from_fen(fen, rules)
                .map_err(|error| PyValueError::new_err(format!("{error}: {fen:?}")))?,
        };
        Ok(Self::at(start, draw_after))
    }

    /// The state of a board matrix: 8 lines from rank 8, each with 8 squares of two letters.
    #[classmethod]
    fn from_matrix(_: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        let setup = Setup::from_matrix(text).map_err(value_error)?;
        let start = setup.position(Rules::Exact).map_err(value_error)?;
        Ok(Self::at(start, paco::DRAW_AFTER_REPETITIONS))
    }

    /// The position as FEN; ``extended`` adds what the reference's FEN has no field for.
    #[pyo3(signature = (*, extended=false))]
    fn fen(&self, extended: bool) -> String {
        if extended { self.position().to_extended_fen() } else { self.position().to_string() }
    }

    /// The board as a matrix of two-letter squares.
    fn matrix(&self) -> String {
        self.position().to_matrix()
    }

    /// The board as text, from a player's side.
    #[pyo3(signature = (side=true))]
    fn text(&self, side: bool) -> String {
        paco::text_board(self.position(), color(side), false)
    }

    /// A copy with the whole history.
    fn copy(&self) -> Self {
        Self { game: self.game.clone(), ..*self }
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    /// Legal actions, by ascending policy index; empty when the game is over.
    fn legal_actions(&self) -> Vec<Action> {
        self.game.legal().iter().map(Action).collect()
    }

    /// Whether an action is legal.
    fn is_legal(&self, action: AnyAction) -> bool {
        self.game.legal().has(action.0)
    }

    /// Plays an action: an ``Action``, a policy index, or a dict like ``{"Lift": 12}``.
    fn play(&mut self, action: AnyAction) -> PyResult<()> {
        self.game.play(action.0).map_err(value_error)
    }

    /// Plays a turn or a part of one in notation, and returns its actions.
    fn play_turn(&mut self, text: &str) -> PyResult<Vec<Action>> {
        let found = self.parse_turn(text)?;
        for action in &found {
            self.game.play(action.0).map_err(value_error)?;
        }
        Ok(found)
    }

    /// The actions of a turn in notation, like ``e2>e4``, ``e4xd5``, ``Qd8>Pd5>d4``, ``0-0``.
    fn parse_turn(&self, text: &str) -> PyResult<Vec<Action>> {
        if self.game.outcome().is_some() {
            return Err(PyValueError::new_err("the game is over"));
        }
        self.position().parse_turn(text).map(actions).map_err(value_error)
    }

    /// The notation of actions from here.
    fn notation(&self, actions: Vec<AnyAction>) -> PyResult<String> {
        let actions: Vec<_> = actions.into_iter().map(|action| action.0).collect();
        self.position().notation(&actions).map_err(value_error)
    }

    /// Takes back an action; ``False`` if there is none.
    fn undo(&mut self) -> bool {
        self.game.undo()
    }

    /// Takes back the unfinished turn or else the last one; ``False`` if there is none.
    fn undo_turn(&mut self) -> bool {
        self.game.undo_turn()
    }

    /// Takes back the unfinished turn.
    fn roll_back(&mut self) {
        self.game.roll_back();
    }

    /// Ends the game by time: this player (``True`` is White) loses.
    fn time_out(&mut self, loser: bool) {
        self.game.time_out(color(loser));
    }

    /// All actions played.
    #[getter]
    fn actions(&self) -> Vec<Action> {
        actions(self.game.actions().to_vec())
    }

    /// Actions of the unfinished turn.
    #[getter]
    fn turn_actions(&self) -> Vec<Action> {
        actions(self.game.turn_actions().to_vec())
    }

    /// The side to act: ``True`` is White.
    #[getter]
    fn turn(&self) -> bool {
        self.position().player() == Color::White
    }

    /// What must be done: ``Lift``, ``Place``, ``PromoteThenPlace``, ``PromoteThenFinish``, ``PromoteThenLift``.
    #[getter]
    fn required(&self) -> &'static str {
        self.position().required().name()
    }

    /// What is in the hand: its square, piece and partner; ``None`` if it is empty.
    #[getter]
    fn hand<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(hand) = self.position().hand() else { return Ok(None) };
        let object = PyDict::new(py);
        object.set_item("square", hand.square.index())?;
        object.set_item("piece", hand.piece.letter())?;
        object.set_item("partner", hand.partner.map(paco::PieceType::letter))?;
        Ok(Some(object))
    }

    /// Whether nothing is legal although the game runs: the turn must be taken back.
    #[getter]
    fn is_dead_end(&self) -> bool {
        self.game.is_dead_end()
    }

    /// ``PacoVictory(White)`` …, ``NoProgressDraw``, ``RepetitionDraw``; ``None`` while the game runs.
    #[getter]
    fn outcome(&self) -> Option<String> {
        self.game.outcome().map(|outcome| outcome.to_string())
    }

    /// The winner, ``True`` for White; ``None`` without one.
    #[getter]
    fn winner(&self) -> Option<bool> {
        Some(self.game.outcome()?.winner()? == Color::White)
    }

    /// The no-progress counter; the game is drawn at 100.
    #[getter]
    fn no_progress(&self) -> u8 {
        self.position().no_progress()
    }

    /// Number of turns played, both players counted.
    #[getter]
    fn half_moves(&self) -> u32 {
        self.position().half_moves()
    }

    /// The en-passant square.
    #[getter]
    fn en_passant(&self) -> Option<usize> {
        self.position().en_passant().map(|square| square.index())
    }

    /// The square of a pawn that must be promoted.
    #[getter]
    fn promotion(&self) -> Option<usize> {
        self.position().promotion().map(|square| square.index())
    }

    /// White's queen side and king side, Black's queen side and king side.
    #[getter]
    fn castling(&self) -> [bool; 4] {
        self.position().castling_rights()
    }

    /// Whether mistakes of the reference are repeated.
    #[getter]
    fn compat(&self) -> bool {
        self.position().rules() == Rules::Compat
    }

    /// The letters of White's and Black's piece on a square, ``None`` for none.
    fn pieces_at(&self, on: i64) -> PyResult<(Option<char>, Option<char>)> {
        let on = square(on)?;
        let letter = |side| Some(self.position().piece_at(side, on)?.letter());
        Ok((letter(Color::White), letter(Color::Black)))
    }

    /// The Zobrist key of the position.
    #[getter]
    fn key(&self) -> u64 {
        self.position().key()
    }

    /// Index form for options 0 to 7, uint32.
    #[pyo3(signature = (number=0))]
    fn indices<'py>(&self, py: Python<'py>, number: i64) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let values = self.position().indices(options(number)?).map_err(value_error)?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Tensor form for options 0 to 7, float32 ``[layers, 8, 8]``.
    #[pyo3(signature = (number=0))]
    fn tensor<'py>(&self, py: Python<'py>, number: i64) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let options = options(number)?;
        let values = self.position().tensor(options).map_err(value_error)?;
        PyArray1::from_vec(py, values).reshape(vec![options.layers(), 8, 8])
    }

    /// Whether the side to act can unite with the enemy king in this turn; ``None`` if `nodes` do not suffice.
    #[pyo3(signature = (nodes=paco::SAKO_NODES))]
    fn sako(&self, py: Python<'_>, nodes: u32) -> Option<bool> {
        let position = *self.position();
        answer(py.detach(|| position.sako(nodes)))
    }

    /// Whether the opponent could unite with the king of the side to act, were it his turn.
    #[pyo3(signature = (nodes=paco::SAKO_NODES))]
    fn sako_against(&self, py: Python<'_>, nodes: u32) -> Option<bool> {
        let position = *self.position();
        answer(py.detach(|| position.sako_against(nodes)))
    }

    /// The turns that win at once, at most `limit`, and whether these are all.
    #[pyo3(signature = (nodes=10_000_000, limit=1000))]
    fn paco_sequences(&self, py: Python<'_>, nodes: u32, limit: usize) -> (Vec<Vec<Action>>, bool) {
        let position = *self.position();
        let found = py.detach(|| position.paco_sequences(nodes, limit));
        (found.sequences.into_iter().map(actions).collect(), found.complete)
    }

    /// The first turn of a forced win in this many own turns; an empty list if there is none, ``None`` if
    /// `nodes` do not suffice.
    #[pyo3(signature = (turns, nodes=1_000_000))]
    fn paco_in(&self, py: Python<'_>, turns: u32, nodes: u64) -> Option<Vec<Action>> {
        let position = *self.position();
        match py.detach(|| position.paco_in(turns, nodes)) {
            PacoIn::Yes(turn) => Some(actions(turn)),
            PacoIn::No => Some(Vec::new()),
            PacoIn::Unknown => None,
        }
    }

    /// Squares that a player (``True`` is White) threatens, as a number whose bits are squares; ``None`` if
    /// `nodes` do not suffice.
    #[pyo3(signature = (side, nodes=10_000_000))]
    fn threats(&self, py: Python<'_>, side: bool, nodes: u32) -> Option<u64> {
        let position = *self.position();
        py.detach(|| paco::threats(&position, color(side), nodes)).map(|squares| squares.0)
    }

    /// All distinct turns from here, as lists of actions; a ``ValueError`` if there are too many.
    fn turns(&self, py: Python<'_>) -> PyResult<Vec<Vec<Action>>> {
        if self.game.outcome().is_some() {
            return Ok(Vec::new());
        }
        let position = *self.position();
        let turns = py.detach(|| {
            let mut turns = Turns::new();
            turns.generate(&position);
            turns
        });
        if !turns.is_complete() {
            let text = format!("more than {} nodes are needed for all turns", paco::TURN_NODES);
            return Err(PyValueError::new_err(text));
        }
        Ok(turns.iter().map(|turn| actions(turn.actions())).collect())
    }

    /// Static evaluation for the side to act, about 100 for a pawn.
    fn evaluate(&self) -> i32 {
        paco::evaluate(self.position())
    }

    /// Leaf nodes at a depth in actions.
    fn perft(&self, py: Python<'_>, depth: u32) -> u64 {
        let position = *self.position();
        py.detach(|| paco::perft(&position, depth))
    }

    /// The board as SVG.
    fn svg(&self) -> String {
        paco::board_picture(self.position()).to_svg()
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>().ok().and_then(|other| other.try_borrow().ok());
        other.is_some_and(|other| self.position() == other.position())
    }

    fn __repr__(&self) -> String {
        format!("State('{}')", self.fen(false))
    }

    /// Rebuilds the state by playing its actions again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, this) = (slf.py(), slf.try_borrow()?);
        let played: Vec<u8> = this.game.actions().iter().map(|a| a.policy_index()).collect();
        let start = this.start.to_extended_fen();
        let restore = slf.get_type().getattr("_restore")?;
        let arguments = (start, this.start.half_moves(), this.compat(), this.draw_after, played);
        (restore, arguments.into_pyobject(py)?).into_pyobject(py)
    }

    #[classmethod]
    fn _restore(
        class: &Bound<'_, PyType>,
        fen: &str,
        half_moves: u32,
        compat: bool,
        draw_after: u8,
        actions: Vec<u8>,
    ) -> PyResult<Self> {
        let _ = class;
        let mut state = Self::new(Some(fen), compat, draw_after)?;
        if state.start.half_moves() != half_moves {
            let rules = state.start.rules();
            let setup = Setup { half_moves, ..Setup::from(&state.start) };
            state = Self::at(setup.position(rules).map_err(value_error)?, draw_after);
        }
        for index in actions {
            let action = paco::Action::from_policy_index(index)
                .ok_or_else(|| PyValueError::new_err(format!("{index} is no policy index")))?;
            state.game.play(action).map_err(value_error)?;
        }
        Ok(state)
    }
}
