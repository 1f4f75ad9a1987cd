//! The WDL model: what a value of the search means for the result of the game, and the centipawns shown for it.
//!
//! The unit of the search is whatever the network was trained with. By how much it wins was fitted to games of
//! self-play, as in Stockfish's [WDL_model](https://github.com/official-stockfish/WDL_model): a value *v* for the
//! side to move wins with probability 1 / (1 + exp((a − *v*) / b)), and loses with that of −*v*. Both a and b are
//! cubic polynomials of the material on the board, since fewer pieces leave fewer ways to turn an advantage into
//! a win, or to spoil it. People see 100 *v* / a: **100 centipawns are a win probability of 50 %**, at any
//! material. A constant in place of a would be wrong by up to a third.
//!
//! Searches, data sets and trainings keep the values of the search; [`shown`] converts what people see. With
//! another evaluation than the embedded network both are an approximation.

use chess::{PieceType, Position};

use crate::value::{Value, clamp_evaluation, is_decided};

/// The coefficients of a and of b, the cubic ones first, as `runs/wdl.py` prints them for the embedded network.
const A: [f64; 4] = [0.0, 0.0, 0.0, 130.0];
const B: [f64; 4] = [0.0, 0.0, 0.0, 75.0];
/// The material that the polynomials were fitted to, and their unit.
const MATERIAL: std::ops::RangeInclusive<u32> = 17..=78;
const UNIT: f64 = 58.0;

/// Both sides' pieces: pawn 1, knight and bishop 3, rook 5, queen 9.
fn material(position: &Position) -> u32 {
    const VALUES: [u32; 6] = [1, 3, 3, 5, 9, 0];
    let pieces = PieceType::ALL.into_iter().zip(VALUES);
    pieces
        .map(|(piece_type, value)| value * position.board().piece_type(piece_type).len() as u32)
        .sum()
}

/// a and b: the value with a win probability of one half, and the scale of the logistic curves.
fn parameters(position: &Position) -> (f64, f64) {
    let m = f64::from(material(position).clamp(*MATERIAL.start(), *MATERIAL.end())) / UNIT;
    let cubic = |[c3, c2, c1, c0]: [f64; 4]| ((c3 * m + c2) * m + c1) * m + c0;
    (cubic(A), cubic(B))
}

/// The value of a search of the position in centipawns as people see them. Mates and tablebase results are
/// unchanged, so that [`to_score`](crate::value::to_score) applies to either.
pub fn shown(value: Value, position: &Position) -> Value {
    scaled(value, 100.0 / parameters(position).0)
}

/// The shown value of a search of one position as that of another one of its line.
pub(crate) fn shown_after(shown: Value, before: &Position, after: &Position) -> Value {
    scaled(shown, parameters(before).0 / parameters(after).0)
}

fn scaled(value: Value, factor: f64) -> Value {
    if is_decided(value) {
        return value;
    }
    clamp_evaluation((f64::from(value) * factor).round() as Value)
}

/// Win, draw and loss probabilities of the side to move in per mille (WDL); their sum is 1,000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chances {
    /// Wins.
    pub win: u32,
    /// Draws.
    pub draw: u32,
    /// Losses.
    pub loss: u32,
}

impl Chances {
    /// The chances at a value as [`shown`] for a search of the position, of either side.
    pub fn of(shown: Value, position: &Position) -> Self {
        if is_decided(shown) {
            let win = if shown > 0 { 1000 } else { 0 };
            return Self { win, draw: 0, loss: 1000 - win };
        }
        let [win, loss] = win_and_loss(shown, position).map(|p| (1000.0 * p).round() as u32);
        let loss = loss.min(1000 - win);
        Self { win, draw: 1000 - win - loss, loss }
    }
}

/// The expected score of a game, from 0 to 1, at a value as [`shown`] for a search of the position.
pub fn expectation(shown: Value, position: &Position) -> f64 {
    if is_decided(shown) {
        return if shown > 0 { 1.0 } else { 0.0 };
    }
    let [win, loss] = win_and_loss(shown, position);
    (1.0 + win - loss) / 2.0
}

fn win_and_loss(shown: Value, position: &Position) -> [f64; 2] {
    let (a, b) = parameters(position);
    let spread = 100.0 * b / a;
    [shown, -shown].map(|x| 1.0 / (1.0 + ((100.0 - f64::from(x)) / spread).exp()))
}
