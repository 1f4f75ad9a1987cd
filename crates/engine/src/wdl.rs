//! The WDL model: what a value of the search means for the result of the game, and its centipawns.
//!
//! Searches, data sets and trainings have values in internal units, whatever the network was trained with. How
//! often they win was fitted to games of self-play, as in Stockfish's
//! [WDL_model](https://github.com/official-stockfish/WDL_model): a value *v* for the side to move wins with
//! probability 1 / (1 + exp((a − *v*) / b)), and loses with that of −*v*. Both a and b are cubic polynomials of
//! the material on the board, since fewer pieces leave fewer ways to turn an advantage into a win, or to spoil
//! it. Centipawns ([`to_cp`]) are 100 *v* / a: **100 centipawns are a win probability of 50 %**, at any material.
//! A constant in place of a would be wrong by a factor of two between the first moves and the ending.
//!
//! With another evaluation than the embedded network both are an approximation.

use chess::{PieceType, Position};

use crate::value::{Value, clamp_evaluation, is_decided};

/// The coefficients of a and of b, the cubic ones first, as `runs/wdl.py` prints them for the embedded network.
const A: [f64; 4] = [-319.650, 949.236, -945.060, 436.730];
const B: [f64; 4] = [38.657, -62.983, 63.788, 50.649];
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
    parameters_of(material(position))
}

fn parameters_of(material: u32) -> (f64, f64) {
    let m = f64::from(material.clamp(*MATERIAL.start(), *MATERIAL.end())) / UNIT;
    let cubic = |[c3, c2, c1, c0]: [f64; 4]| ((c3 * m + c2) * m + c1) * m + c0;
    (cubic(A), cubic(B))
}

/// The value of a search of the position in centipawns. Mates and tablebase results are unchanged, so that
/// [`to_score`](crate::value::to_score) applies to either.
pub fn to_cp(value: Value, position: &Position) -> Value {
    scaled(value, 100.0 / parameters(position).0)
}

/// Centipawns of one position as those of another one of its line, with the same value in internal units.
pub(crate) fn carry_cp(cp: Value, before: &Position, after: &Position) -> Value {
    scaled(cp, parameters(before).0 / parameters(after).0)
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
    /// The chances at a score of the position in [centipawns](to_cp), of either side.
    pub fn of(cp: Value, position: &Position) -> Self {
        if is_decided(cp) {
            let win = if cp > 0 { 1000 } else { 0 };
            return Self { win, draw: 0, loss: 1000 - win };
        }
        let [win, loss] = win_and_loss(cp, position).map(|p| (1000.0 * p).round() as u32);
        let loss = loss.min(1000 - win);
        Self { win, draw: 1000 - win - loss, loss }
    }
}

/// The expected score of a game, from 0 to 1, at a score of the position in [centipawns](to_cp).
pub fn expectation(cp: Value, position: &Position) -> f64 {
    if is_decided(cp) {
        return if cp > 0 { 1.0 } else { 0.0 };
    }
    let [win, loss] = win_and_loss(cp, position);
    (1.0 + win - loss) / 2.0
}

fn win_and_loss(cp: Value, position: &Position) -> [f64; 2] {
    let (a, b) = parameters(position);
    let spread = 100.0 * b / a;
    [cp, -cp].map(|x| 1.0 / (1.0 + ((100.0 - f64::from(x)) / spread).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{MATE, TABLEBASE_WIN, mate_in, mated_in};

    /// With all pieces, with a third of them, and with nearly none.
    fn positions() -> [Position; 3] {
        ["startpos", "4r1k1/5ppp/8/8/8/8/5PPP/3QR1K1 w - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]
            .map(|text| {
                if text == "startpos" {
                    Position::INITIAL
                } else {
                    text.parse().expect("a position")
                }
            })
    }

    #[test]
    fn both_parameters_are_positive_at_any_material() {
        for material in 0..=100 {
            let (a, b) = parameters_of(material);
            assert!(a > 20.0 && b > 20.0 && a < 1000.0 && b < 1000.0, "{material}: {a} {b}");
        }
        assert_eq!(material(&Position::INITIAL), 78);
    }

    #[test]
    fn chances_add_up_mirror_and_grow_with_the_value() {
        for position in &positions() {
            let mut last = Chances { win: 0, draw: 0, loss: 1000 };
            for value in [mated_in(6)].into_iter().chain(-3000..=3000).chain([mate_in(6)]) {
                let (own, other) = (Chances::of(value, position), Chances::of(-value, position));
                assert_eq!(own.win + own.draw + own.loss, 1000);
                assert_eq!((own.win, own.loss), (other.loss, other.win), "{value}");
                assert!(own.win >= last.win && own.loss <= last.loss, "{value}");
                let points = f64::from(own.win) + f64::from(own.draw) / 2.0;
                assert!((expectation(value, position) * 1000.0 - points).abs() <= 1.0);
                last = own;
            }
            assert_eq!(Chances::of(100, position).win, 500);
            assert!(expectation(100, position) > expectation(50, position));
        }
    }

    #[test]
    fn centipawns_are_proportional_but_for_decided_values() {
        for position in &positions() {
            let (a, _) = parameters(position);
            for value in (-3000..=3000).step_by(7) {
                let expected = (f64::from(value) * 100.0 / a).round() as Value;
                assert_eq!(to_cp(value, position), expected);
            }
            for decided in [MATE - 3, -MATE + 4, TABLEBASE_WIN - 2, 1 - TABLEBASE_WIN] {
                assert_eq!(to_cp(decided, position), decided);
                assert_eq!(Chances::of(decided, position).draw, 0);
                assert!([0.0, 1.0].contains(&expectation(decided, position)));
            }
        }
    }

    #[test]
    fn a_score_of_one_position_becomes_that_of_another_of_its_line() {
        let positions = positions();
        for before in &positions {
            for after in &positions {
                for value in (-1000..=1000).step_by(13) {
                    let carried = carry_cp(to_cp(value, before), before, after);
                    // Rounded twice, the first time in units that may be several times as large.
                    assert!((carried - to_cp(value, after)).abs() <= 4, "{value}: {carried}");
                }
                assert_eq!(carry_cp(MATE - 3, before, after), MATE - 3);
            }
        }
    }
}
