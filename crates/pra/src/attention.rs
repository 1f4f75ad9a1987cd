//! Where a model looks: the attention of its heads on a position, and what its free heads have become.
//!
//! A map is 64 × 64 numbers: how much each square (the row) looks at each other one. Maps of a position
//! are in squares of the board, also where the model sees the board turned. What is learned is in the
//! model's own squares: on a turned board the first rank is that of the player to move.

use chess::{Bitboard, PieceType, Position, Square};
use serde::Serialize;

use crate::config::{FREE_HEADS, HEADS, PIECE_HEADS, SQUARES};
use crate::masks::reach;
use crate::{Config, Engine, Weights};

/// Numbers of a map.
pub const PAIRS: usize = SQUARES * SQUARES;

/// How much each square looks at each other one.
pub type Map = [f32];

/// The attention of all heads on a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Maps {
    depth: usize,
    values: Vec<f32>,
}

impl Maps {
    /// Asks the model about a position; maps are in squares of the board.
    pub fn of(engine: &mut Engine, weights: &Weights, position: &Position) -> Self {
        let config = weights.config();
        let seen = engine.attention(weights, &config.tokens(position));
        let mut maps = Self { depth: config.depth, values: seen };
        let turn = position.turn();
        if config.seen(Square::A1, turn) != Square::A1 {
            let place = |n: usize| config.seen(Square::from_index(n), turn).index();
            for map in maps.values.chunks_exact_mut(PAIRS) {
                let old = map.to_vec();
                for (n, value) in map.iter_mut().enumerate() {
                    *value = old[place(n / SQUARES) * SQUARES + place(n % SQUARES)];
                }
            }
        }
        maps
    }

    /// How many layers there are.
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// One head of a layer, both counted from 0; empty if there is none.
    pub fn map(&self, layer: usize, head: usize) -> &Map {
        if layer >= self.depth || head >= HEADS {
            return &[];
        }
        let begin = (layer * HEADS + head) * PAIRS;
        self.values.get(begin..begin + PAIRS).unwrap_or_default()
    }
}

/// The share of all attention that each square receives; together 1.
pub fn received(map: &Map) -> [f32; SQUARES] {
    let mut sums = [0.0; SQUARES];
    for row in map.chunks_exact(SQUARES) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value / SQUARES as f32);
    }
    sums
}

/// Heat from 0 to 1 of what squares [receive](received), and the most that one has: 1 is the most, 0 what
/// each would have if all were looked at alike, or less.
pub fn heat_received(map: &Map) -> ([f32; SQUARES], f32) {
    let shares = received(map);
    let (even, most) = (1.0 / SQUARES as f32, shares.iter().copied().fold(0.0, f32::max));
    // What roundings leave of nothing is not made hot.
    let width = (most - even).max(1e-4);
    (shares.map(|share| ((share - even) / width).clamp(0.0, 1.0)), most)
}

/// What a square looks at; together 1.
pub fn looked_at(map: &Map, from: Square) -> [f32; SQUARES] {
    let begin = from.index() * SQUARES;
    map.get(begin..begin + SQUARES).and_then(|row| row.try_into().ok()).unwrap_or([0.0; SQUARES])
}

/// A look from one square at another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Look {
    /// Who looks.
    pub from: Square,
    /// At what.
    pub to: Square,
    /// The share of its attention.
    pub weight: f32,
}

/// The sharpest looks of these squares, one of each at most: where the attention is furthest above what
/// it would be if the square looked at everything it can see alike.
pub fn sharpest(map: &Map, among: Bitboard, count: usize) -> Vec<Look> {
    let mut looks: Vec<(f32, Look)> = among
        .into_iter()
        .filter_map(|from| {
            let row = looked_at(map, from);
            let visible = row.iter().filter(|&&weight| weight > 1e-6).count().max(1);
            let to = Square::all()
                .filter(|&to| to != from)
                .max_by(|a, b| row[a.index()].total_cmp(&row[b.index()]))?;
            let weight = row[to.index()];
            Some((weight - 1.0 / visible as f32, Look { from, to, weight }))
        })
        .filter(|&(lift, _)| lift > 0.0)
        .collect();
    looks.sort_by(|a, b| b.0.total_cmp(&a.0));
    looks.into_iter().take(count).map(|(_, look)| look).collect()
}

/// The squares that one looks at most.
pub fn strongest(map: &Map, from: Square, count: usize) -> Vec<Look> {
    let row = looked_at(map, from);
    let mut looks: Vec<Look> = Square::all()
        .filter(|&to| to != from && row[to.index()] > 0.0)
        .map(|to| Look { from, to, weight: row[to.index()] })
        .collect();
    looks.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    looks.truncate(count);
    looks
}

/// What a free head has learned to look at, whatever is on the board: numbers from 0 to 1 by which the
/// attention is multiplied. Layer and head are counted from 0; empty if there is none.
pub fn free_pattern(weights: &Weights, layer: usize, head: usize) -> Vec<f32> {
    let name = format!("blocks.{layer}.attn.free_attn_logits");
    let found = weights.layout().tensors().iter().find(|tensor| tensor.name == name);
    let logits = found.map_or(&[][..], |tensor| &weights.values()[tensor.range.clone()]);
    let own = logits.get(head * PAIRS..(head + 1) * PAIRS).unwrap_or_default();
    own.iter().map(|logit| 1.0 / (1.0 + (-logit).exp())).collect()
}

/// The mean of the attention of all heads over positions, in the model's own squares.
pub fn mean_attention(
    engine: &mut Engine,
    weights: &Weights,
    positions: &[Position],
) -> Vec<Vec<f32>> {
    let config = weights.config();
    let mut sums = vec![vec![0.0; PAIRS]; config.depth * HEADS];
    let share = 1.0 / positions.len().max(1) as f32;
    for position in positions {
        let values = engine.attention(weights, &config.tokens(position));
        for (sum, map) in sums.iter_mut().zip(values.chunks_exact(PAIRS)) {
            sum.iter_mut().zip(map).for_each(|(sum, value)| *sum += share * value);
        }
    }
    sums
}

/// The six kinds of pieces, in the order of tables.
pub const PIECES: [PieceType; 6] = [
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
    PieceType::King,
    PieceType::Pawn,
];

/// The map of what a piece reaches on the empty board: 1 where it does, else 0.
pub fn piece_map(piece: PieceType) -> Vec<f32> {
    let pairs = Square::all().flat_map(|from| Square::all().map(move |to| (from, to)));
    pairs.map(|(from, to)| f32::from(reach(piece, from).has(to))).collect()
}

/// The correlation of two maps over all pairs of different squares, from −1 to 1; 0 if one of them is
/// the same everywhere.
pub fn correlation(a: &Map, b: &Map) -> f64 {
    let pairs = || {
        let all = a.iter().zip(b).enumerate();
        let others = all.filter(|(n, _)| n / SQUARES != n % SQUARES);
        others.map(|(_, (&a, &b))| (f64::from(a), f64::from(b)))
    };
    let count = pairs().count().max(1) as f64;
    let (sum_a, sum_b) = pairs().fold((0.0, 0.0), |sum, (a, b)| (sum.0 + a, sum.1 + b));
    let (mean_a, mean_b) = (sum_a / count, sum_b / count);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in pairs() {
        let (a, b) = (a - mean_a, b - mean_b);
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    // What roundings leave of a map that is the same everywhere is no pattern.
    let is_flat = |sum: f64, mean: f64| sum <= count * (1e-6 * mean).powi(2) || sum == 0.0;
    if is_flat(aa, mean_a) || is_flat(bb, mean_b) { 0.0 } else { ab / (aa * bb).sqrt() }
}

/// How much a free head resembles the pieces.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Resemblance {
    /// The layer, counted from 1.
    pub layer: usize,
    /// Which free head, counted from 1.
    pub head: usize,
    /// The least and the greatest number of its pattern.
    pub range: [f32; 2],
    /// The correlation of its pattern with the reach of each of [`PIECES`].
    pub pattern: [f64; 6],
    /// The correlation of its mean attention with the same.
    pub attention: [f64; 6],
}

/// The piece that has the most of something, if any has a correlation worth a name.
pub fn closest(correlations: &[f64; 6]) -> Option<PieceType> {
    let best = (0..PIECES.len()).max_by(|&a, &b| correlations[a].total_cmp(&correlations[b]))?;
    (correlations[best] >= 0.1).then_some(PIECES[best])
}

/// Compares all free heads with the pieces; `means` is what [`mean_attention`] gives.
pub fn resemblances(weights: &Weights, means: &[Vec<f32>]) -> Vec<Resemblance> {
    let reaches = PIECES.map(piece_map);
    let compare = |map: &Map| -> [f64; 6] {
        std::array::from_fn(|n| if map.is_empty() { 0.0 } else { correlation(map, &reaches[n]) })
    };
    let config: &Config = weights.config();
    let heads = (0..config.depth).flat_map(|layer| (0..FREE_HEADS).map(move |head| (layer, head)));
    heads
        .map(|(layer, head)| {
            let pattern = free_pattern(weights, layer, head);
            let low = pattern.iter().copied().fold(1.0, f32::min);
            let high = pattern.iter().copied().fold(0.0, f32::max);
            let mean = means.get(layer * HEADS + PIECE_HEADS + head).map_or(&[][..], |map| map);
            Resemblance {
                layer: layer + 1,
                head: head + 1,
                range: [low, high],
                pattern: compare(&pattern),
                attention: compare(mean),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_resembles_itself_most() {
        for piece in PIECES {
            let own = piece_map(piece);
            let all = PIECES.map(|other| correlation(&own, &piece_map(other)));
            assert_eq!(closest(&all), Some(piece));
            let itself = PIECES.iter().position(|&other| other == piece).unwrap();
            assert!((all[itself] - 1.0).abs() < 1e-9);
        }
        let flat = vec![0.3; PAIRS];
        assert_eq!(correlation(&flat, &piece_map(PieceType::Rook)), 0.0);
        assert_eq!(closest(&[0.0; 6]), None);
    }

    #[test]
    fn a_free_head_that_has_learned_a_knight_is_found_out() {
        let config = Config::new(2, 12);
        let mut weights = Weights::random(&config, 1).unwrap();
        let name = "blocks.1.attn.free_attn_logits";
        let tensors = weights.layout().tensors().iter();
        let range = tensors.clone().find(|tensor| tensor.name == name).unwrap().range.clone();
        let knight = piece_map(PieceType::Knight);
        for (n, value) in knight.iter().enumerate() {
            weights.values_mut()[range.start + PAIRS + n] = 4.0 * value - 3.0;
        }
        let found = resemblances(&weights, &[]);
        assert_eq!(found.len(), 6);
        let learned = &found[4];
        assert_eq!((learned.layer, learned.head), (2, 2));
        assert_eq!(closest(&learned.pattern), Some(PieceType::Knight));
        assert!(learned.pattern[0] > 0.99 && learned.range[1] > 0.7);
        for other in found.iter().filter(|other| **other != *learned) {
            assert_eq!((other.pattern, other.range), ([0.0; 6], [0.5, 0.5]));
        }
        assert!(free_pattern(&weights, 2, 0).is_empty() && free_pattern(&weights, 0, 3).is_empty());
    }

    /// A map in which every square looks at a1 with 0.75 and at h8 with 0.25.
    fn two_corners() -> Vec<f32> {
        let mut map = vec![0.0; PAIRS];
        for row in map.chunks_exact_mut(SQUARES) {
            (row[0], row[63]) = (0.75, 0.25);
        }
        map
    }

    #[test]
    fn what_squares_receive_and_look_at_adds_up() {
        let map = two_corners();
        let sums = received(&map);
        assert_eq!((sums[0], sums[63], sums[5]), (0.75, 0.25, 0.0));
        assert_eq!(looked_at(&map, Square::E4)[0], 0.75);
        assert_eq!(looked_at(&[], Square::E4), [0.0; 64]);
        let looks = strongest(&map, Square::E4, 5);
        let pairs: Vec<(Square, f32)> = looks.iter().map(|look| (look.to, look.weight)).collect();
        assert_eq!(pairs, [(Square::A1, 0.75), (Square::H8, 0.25)]);
        assert_eq!(strongest(&map, Square::A1, 5)[0].to, Square::H8);
        let sharp = sharpest(&map, Square::A1.bitboard() | Square::B2.bitboard(), 5);
        assert_eq!(sharp, [Look { from: Square::B2, to: Square::A1, weight: 0.75 }]);
    }

    #[test]
    fn maps_are_in_squares_of_the_board_even_if_it_is_seen_turned() {
        let config = Config::new(2, 12);
        let weights = Weights::random(&config, 3).unwrap();
        let mut engine = Engine::new(&config, 1);
        let white: Position = "4k3/8/8/8/8/2N5/8/4K3 w - - 0 1".parse().unwrap();
        let black: Position = "4k3/8/2n5/8/8/8/8/4K3 b - - 0 1".parse().unwrap();
        let of_white = Maps::of(&mut engine, &weights, &white);
        let of_black = Maps::of(&mut engine, &weights, &black);
        for (layer, head) in [(0, 0), (1, 4), (1, 11)] {
            let (ours, theirs) = (of_white.map(layer, head), of_black.map(layer, head));
            for from in Square::all() {
                let row = looked_at(theirs, from.flip_rank());
                for to in Square::all() {
                    let (a, b) = (looked_at(ours, from)[to.index()], row[to.flip_rank().index()]);
                    assert!((a - b).abs() < 1e-6);
                }
            }
            assert!((received(ours).iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
        // A knight's head sees a knight's squares, and itself.
        let row = looked_at(of_black.map(0, 0), Square::C6);
        let mut seen = Bitboard::EMPTY;
        for to in Square::all().filter(|to| row[to.index()] > 0.0) {
            seen |= to.bitboard();
        }
        assert_eq!(seen, reach(PieceType::Knight, Square::C6) | Square::C6.bitboard());
        assert!(of_white.map(2, 0).is_empty() && of_white.map(0, 12).is_empty());
    }

    #[test]
    fn the_mean_of_one_position_is_that_position() {
        let config = Config::new(1, 12);
        let weights = Weights::random(&config, 3).unwrap();
        let mut engine = Engine::new(&config, 1);
        let position = Position::INITIAL;
        let maps = Maps::of(&mut engine, &weights, &position);
        let means = mean_attention(&mut engine, &weights, &[position, position]);
        assert_eq!(means.len(), HEADS);
        for (head, mean) in means.iter().enumerate() {
            assert!(mean.iter().zip(maps.map(0, head)).all(|(a, b)| (a - b).abs() < 1e-6));
        }
    }
}
