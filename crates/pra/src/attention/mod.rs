//! Attention weights of the heads on a position, and comparisons of the free heads with the pieces.
//!
//! An attention map has a row for each query square and a column for each key square. Maps of a position
//! are in board coordinates, also where the encoding flips the board. Learned masks and means over
//! positions are in model coordinates: on a flipped board, the first rank is that of the side to move.

mod free_heads;

use chess::{Bitboard, PieceType, Position, Square};
use serde::Serialize;

pub use free_heads::FreeHeads;

use crate::config::{FREE_HEADS, HEADS, PIECE_HEADS, SQUARES};
use crate::encode::{orient, tokens};
use crate::masks::reach;
use crate::{Transformer, Weights};

/// Pairs of query and key squares.
pub const PAIRS: usize = SQUARES * SQUARES;

/// Attention weights by query and key: `[64, 64]`.
pub type AttentionMap = [f32];

/// The attention maps of all heads on a position.
#[derive(Clone, PartialEq, Debug)]
pub struct AttentionMaps {
    depth: usize,
    values: Vec<f32>,
}

impl AttentionMaps {
    /// Runs the model on a position; the maps are in board coordinates.
    pub fn new(model: &mut Transformer, weights: &Weights, position: &Position) -> Self {
        let (config, turn) = (weights.config(), position.turn());
        let mut values = model.attention_weights(weights, &tokens(config, position));
        if orient(config, Square::A1, turn) != Square::A1 {
            let index = |n: usize| orient(config, Square::from_index_wrapping(n), turn).index();
            for map in values.chunks_exact_mut(PAIRS) {
                let flipped = map.to_vec();
                for (n, value) in map.iter_mut().enumerate() {
                    *value = flipped[index(n / SQUARES) * SQUARES + index(n % SQUARES)];
                }
            }
        }
        Self { depth: config.depth, values }
    }

    /// Number of layers.
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// The map of a head, with layer and head counted from 0; empty if there is none.
    pub fn map(&self, layer: usize, head: usize) -> &AttentionMap {
        if layer >= self.depth || head >= HEADS {
            return &[];
        }
        let begin = (layer * HEADS + head) * PAIRS;
        self.values.get(begin..begin + PAIRS).unwrap_or_default()
    }
}

/// Mean attention weight of each key square over all queries; sums to 1.
pub fn received(map: &AttentionMap) -> [f32; SQUARES] {
    let mut sums = [0.0; SQUARES];
    for row in map.chunks_exact(SQUARES) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value / SQUARES as f32);
    }
    sums
}

/// The attention that squares [receive](received), scaled for a heat map: 0 is uniform attention or less,
/// 1 the maximum, which is also returned.
pub(crate) fn heat_received(map: &AttentionMap) -> ([f32; SQUARES], f32) {
    let received = received(map);
    let (uniform, most) = (1.0 / SQUARES as f32, received.iter().copied().fold(0.0, f32::max));
    // Does not amplify rounding errors of a uniform map.
    let width = (most - uniform).max(1e-4);
    (received.map(|weight| ((weight - uniform) / width).clamp(0.0, 1.0)), most)
}

/// Attention weights of a query square; they sum to 1.
pub fn weights_of(map: &AttentionMap, query: Square) -> [f32; SQUARES] {
    let begin = query.index() * SQUARES;
    map.get(begin..begin + SQUARES).and_then(|row| row.try_into().ok()).unwrap_or([0.0; SQUARES])
}

/// An entry of an attention map.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct AttentionEdge {
    /// The query square.
    pub query: Square,
    /// The key square.
    pub key: Square,
    /// The attention weight.
    pub weight: f32,
}

/// The largest weight of each of these queries, sorted by its excess over uniform attention to all keys
/// that the query attends to; only positive ones.
pub(crate) fn sharpest(map: &AttentionMap, queries: Bitboard, count: usize) -> Vec<AttentionEdge> {
    let mut edges: Vec<(f32, AttentionEdge)> = queries
        .into_iter()
        .filter_map(|query| {
            let row = weights_of(map, query);
            let visible = row.iter().filter(|&&weight| weight > 1e-6).count().max(1);
            let key = Square::all()
                .filter(|&key| key != query)
                .max_by(|a, b| row[a.index()].total_cmp(&row[b.index()]))?;
            let weight = row[key.index()];
            Some((weight - 1.0 / visible as f32, AttentionEdge { query, key, weight }))
        })
        .filter(|&(excess, _)| excess > 0.0)
        .collect();
    edges.sort_by(|a, b| b.0.total_cmp(&a.0));
    edges.into_iter().take(count).map(|(_, edge)| edge).collect()
}

/// The largest weights of a query, without that of its own square.
pub(crate) fn strongest(map: &AttentionMap, query: Square, count: usize) -> Vec<AttentionEdge> {
    let row = weights_of(map, query);
    let mut edges: Vec<AttentionEdge> = Square::all()
        .filter(|&key| key != query && row[key.index()] > 0.0)
        .map(|key| AttentionEdge { query, key, weight: row[key.index()] })
        .collect();
    edges.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    edges.truncate(count);
    edges
}

/// The learned mask of a free head: the sigmoid of its logits. Layer and head are counted from 0; empty
/// if there is none.
pub(crate) fn free_mask(weights: &Weights, layer: usize, head: usize) -> Vec<f32> {
    let name = format!("blocks.{layer}.attn.free_attn_logits");
    let found = weights.layout().tensors().iter().find(|tensor| tensor.name == name);
    let logits = found.map_or(&[][..], |tensor| &weights.values()[tensor.range.clone()]);
    let own = logits.get(head * PAIRS..(head + 1) * PAIRS).unwrap_or_default();
    own.iter().map(|logit| 1.0 / (1.0 + (-logit).exp())).collect()
}

/// Attention maps of all heads, averaged over positions, in model coordinates.
pub(crate) fn mean_attention(
    model: &mut Transformer,
    weights: &Weights,
    positions: &[Position],
) -> Vec<Vec<f32>> {
    let config = weights.config();
    let mut sums = vec![vec![0.0; PAIRS]; config.depth * HEADS];
    let factor = 1.0 / positions.len().max(1) as f32;
    for position in positions {
        let values = model.attention_weights(weights, &tokens(config, position));
        for (sum, map) in sums.iter_mut().zip(values.chunks_exact(PAIRS)) {
            sum.iter_mut().zip(map).for_each(|(sum, value)| *sum += factor * value);
        }
    }
    sums
}

/// Piece types, in the order of tables.
pub const PIECES: [PieceType; 6] = [
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
    PieceType::King,
    PieceType::Pawn,
];

/// The mask of a piece: 1 for keys that it reaches from the query on the empty board, else 0.
pub(crate) fn piece_mask(piece: PieceType) -> Vec<f32> {
    let pairs = Square::all().flat_map(|from| Square::all().map(move |to| (from, to)));
    pairs.map(|(from, to)| f32::from(reach(piece, from).has(to))).collect()
}

/// Pearson correlation of two maps over all pairs of different squares; 0 if one of them is constant.
pub(crate) fn correlation(a: &AttentionMap, b: &AttentionMap) -> f64 {
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
    // Rounding errors of a constant map do not count.
    let is_constant = |sum: f64, mean: f64| sum <= count * (1e-6 * mean).powi(2) || sum == 0.0;
    if is_constant(aa, mean_a) || is_constant(bb, mean_b) { 0.0 } else { ab / (aa * bb).sqrt() }
}

/// Correlations of a free head with the pieces.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HeadCorrelations {
    /// The layer, counted from 1.
    pub layer: usize,
    /// The free head, counted from 1.
    pub head: usize,
    /// Minimum and maximum of its learned mask.
    pub range: [f32; 2],
    /// Correlation of its learned mask with that of each of [`PIECES`].
    #[serde(rename = "pattern")]
    pub mask: [f64; 6],
    /// Correlation of its mean attention with the same.
    pub attention: [f64; 6],
}

/// The piece of the highest correlation, if it is at least 0.1.
pub(crate) fn most_similar(correlations: &[f64; 6]) -> Option<PieceType> {
    let best = (0..PIECES.len()).max_by(|&a, &b| correlations[a].total_cmp(&correlations[b]))?;
    (correlations[best] >= 0.1).then_some(PIECES[best])
}

/// Correlates all free heads with the pieces, given the maps of [`mean_attention`].
pub(crate) fn free_head_correlations(
    weights: &Weights,
    means: &[Vec<f32>],
) -> Vec<HeadCorrelations> {
    let masks = PIECES.map(piece_mask);
    let compare = |map: &AttentionMap| -> [f64; 6] {
        std::array::from_fn(|n| if map.is_empty() { 0.0 } else { correlation(map, &masks[n]) })
    };
    let depth = weights.config().depth;
    let heads = (0..depth).flat_map(|layer| (0..FREE_HEADS).map(move |head| (layer, head)));
    heads
        .map(|(layer, head)| {
            let mask = free_mask(weights, layer, head);
            let low = mask.iter().copied().fold(1.0, f32::min);
            let high = mask.iter().copied().fold(0.0, f32::max);
            let mean = means.get(layer * HEADS + PIECE_HEADS + head).map_or(&[][..], |map| map);
            HeadCorrelations {
                layer: layer + 1,
                head: head + 1,
                range: [low, high],
                mask: compare(&mask),
                attention: compare(mean),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn a_piece_correlates_most_with_itself() {
        for piece in PIECES {
            let own = piece_mask(piece);
            let all = PIECES.map(|other| correlation(&own, &piece_mask(other)));
            assert_eq!(most_similar(&all), Some(piece));
            let itself = PIECES.iter().position(|&other| other == piece).unwrap();
            assert!((all[itself] - 1.0).abs() < 1e-9);
        }
        let flat = vec![0.3; PAIRS];
        assert_eq!(correlation(&flat, &piece_mask(PieceType::Rook)), 0.0);
        assert_eq!(most_similar(&[0.0; 6]), None);
    }

    #[test]
    fn a_free_head_with_the_mask_of_a_knight_correlates_with_the_knight() {
        let config = Config::new(2, 12);
        let mut weights = Weights::random(&config, 1).unwrap();
        let name = "blocks.1.attn.free_attn_logits";
        let tensors = weights.layout().tensors().iter();
        let range = tensors.clone().find(|tensor| tensor.name == name).unwrap().range.clone();
        let knight = piece_mask(PieceType::Knight);
        for (n, value) in knight.iter().enumerate() {
            weights.values_mut()[range.start + PAIRS + n] = 4.0 * value - 3.0;
        }
        let found = free_head_correlations(&weights, &[]);
        assert_eq!(found.len(), 6);
        let learned = &found[4];
        assert_eq!((learned.layer, learned.head), (2, 2));
        assert_eq!(most_similar(&learned.mask), Some(PieceType::Knight));
        assert!(learned.mask[0] > 0.99 && learned.range[1] > 0.7);
        for other in found.iter().filter(|other| **other != *learned) {
            assert_eq!((other.mask, other.range), ([0.0; 6], [0.5, 0.5]));
        }
        assert!(free_mask(&weights, 2, 0).is_empty() && free_mask(&weights, 0, 3).is_empty());
    }

    /// A map in which every query attends to a1 with 0.75 and to h8 with 0.25.
    fn two_corners() -> Vec<f32> {
        let mut map = vec![0.0; PAIRS];
        for row in map.chunks_exact_mut(SQUARES) {
            (row[0], row[63]) = (0.75, 0.25);
        }
        map
    }

    #[test]
    fn received_attention_and_weights_of_queries_add_up() {
        let map = two_corners();
        let sums = received(&map);
        assert_eq!((sums[0], sums[63], sums[5]), (0.75, 0.25, 0.0));
        assert_eq!(weights_of(&map, Square::E4)[0], 0.75);
        assert_eq!(weights_of(&[], Square::E4), [0.0; 64]);
        let edges = strongest(&map, Square::E4, 5);
        let pairs: Vec<(Square, f32)> = edges.iter().map(|edge| (edge.key, edge.weight)).collect();
        assert_eq!(pairs, [(Square::A1, 0.75), (Square::H8, 0.25)]);
        assert_eq!(strongest(&map, Square::A1, 5)[0].key, Square::H8);
        let sharp = sharpest(&map, Square::A1.bitboard() | Square::B2.bitboard(), 5);
        let edge = AttentionEdge { query: Square::B2, key: Square::A1, weight: 0.75 };
        assert_eq!(sharp, [edge]);
    }

    #[test]
    fn maps_are_in_board_coordinates_even_if_the_encoding_flips_the_board() {
        let config = Config::new(2, 12);
        let weights = Weights::random(&config, 3).unwrap();
        let mut model = Transformer::new(&config, 1);
        let white: Position = "4k3/8/8/8/8/2N5/8/4K3 w - - 0 1".parse().unwrap();
        let black: Position = "4k3/8/2n5/8/8/8/8/4K3 b - - 0 1".parse().unwrap();
        let of_white = AttentionMaps::new(&mut model, &weights, &white);
        let of_black = AttentionMaps::new(&mut model, &weights, &black);
        for (layer, head) in [(0, 0), (1, 4), (1, 11)] {
            let (ours, theirs) = (of_white.map(layer, head), of_black.map(layer, head));
            for from in Square::all() {
                let row = weights_of(theirs, from.flip_rank());
                for to in Square::all() {
                    let (a, b) = (weights_of(ours, from)[to.index()], row[to.flip_rank().index()]);
                    assert!((a - b).abs() < 1e-6);
                }
            }
            assert!((received(ours).iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
        // A knight head attends to a knight's squares and to its own.
        let row = weights_of(of_black.map(0, 0), Square::C6);
        let mut seen = Bitboard::EMPTY;
        for to in Square::all().filter(|to| row[to.index()] > 0.0) {
            seen |= to.bitboard();
        }
        assert_eq!(seen, reach(PieceType::Knight, Square::C6) | Square::C6.bitboard());
        assert!(of_white.map(2, 0).is_empty() && of_white.map(0, 12).is_empty());
    }

    #[test]
    fn the_mean_over_equal_positions_is_the_map_of_one() {
        let config = Config::new(1, 12);
        let weights = Weights::random(&config, 3).unwrap();
        let mut model = Transformer::new(&config, 1);
        let position = Position::INITIAL;
        let maps = AttentionMaps::new(&mut model, &weights, &position);
        let means = mean_attention(&mut model, &weights, &[position, position]);
        assert_eq!(means.len(), HEADS);
        for (head, mean) in means.iter().enumerate() {
            assert!(mean.iter().zip(maps.map(0, head)).all(|(a, b)| (a - b).abs() < 1e-6));
        }
    }
}
