//! The sum of embeddings of a square: its token, the square, the side to move, what stood there before, what
//! attacks it, and the ratings of the players.

use std::ops::Range;

use simd::float;

use super::ops::add_scaled;
use crate::config::{Config, SQUARES};
use crate::encode::{ATTACKER_KINDS, PIECE_TOKENS, Tokens, UNCHANGED, rating_rows};
use crate::layout::Layout;

/// Offsets of the embeddings in the rows of a position that have a history: row and offset.
fn history<'a>(
    config: &'a Config,
    layout: &'a Layout,
    tokens: &'a Tokens,
    squares: Range<usize>,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let plies = if config.history { usize::from(tokens.plies) } else { 0 };
    tokens.history.iter().take(plies).enumerate().flat_map(move |(ply, then)| {
        let changed = then[squares.clone()].iter().enumerate();
        changed.filter(|&(_, &token)| token != UNCHANGED).map(move |(row, &token)| {
            let index = ply * PIECE_TOKENS + usize::from(token);
            (row, layout.history_embed + index * config.n_embd)
        })
    })
}

/// Offsets of the embeddings of the kinds of pieces that attack the squares: row and offset.
fn attackers<'a>(
    config: &'a Config,
    layout: &'a Layout,
    tokens: &'a Tokens,
    squares: Range<usize>,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let rows = tokens.attackers[squares].iter().enumerate().filter(|_| config.attackers);
    rows.flat_map(move |(row, &kinds)| {
        let kinds = (0..ATTACKER_KINDS).filter(move |kind| kinds >> kind & 1 != 0);
        kinds.map(move |kind| (row, layout.attacker_embed + kind * config.n_embd))
    })
}

/// Offsets of the embeddings of the ratings, with their weights.
fn ratings(
    config: &Config,
    layout: &Layout,
    tokens: &Tokens,
) -> impl Iterator<Item = (usize, f32)> + use<> {
    let (d, is_used) = (config.n_embd, config.ratings);
    let tables = layout.rating_embeds.into_iter().zip(tokens.ratings).filter(move |_| is_used);
    tables.flat_map(move |(begin, rating)| {
        let (row, weight) = rating_rows(rating);
        let rows = [(begin + row * d, 1.0 - weight), (begin + (row + 1) * d, weight)];
        rows.into_iter().filter(|&(_, weight)| weight != 0.0)
    })
}

/// The sums of the embeddings of some squares of positions.
pub(super) fn embed(
    into: &mut [f32],
    config: &Config,
    (layout, weights): (&Layout, &[f32]),
    tokens: &[Tokens],
    squares: Range<usize>,
) {
    let d = config.n_embd;
    let row = |begin: usize, index: usize| &weights[begin + index * d..][..d];
    let mut side = vec![0.0; d];
    for (tokens, into) in tokens.iter().zip(into.chunks_exact_mut(squares.len() * d)) {
        side.copy_from_slice(row(layout.side_embed, tokens.side.into()));
        for (begin, weight) in ratings(config, layout, tokens) {
            add_scaled(&mut side, &weights[begin..][..d], weight);
        }
        for (square, into) in squares.clone().zip(into.chunks_exact_mut(d)) {
            let piece = row(layout.piece_embed, tokens.squares[square].into());
            let position = row(layout.position_embed, square);
            for n in 0..d {
                into[n] = piece[n] + position[n] + side[n];
            }
        }
        let rows = history(config, layout, tokens, squares.clone());
        for (row, begin) in rows.chain(attackers(config, layout, tokens, squares.clone())) {
            float::add(&mut into[row * d..][..d], &weights[begin..][..d]);
        }
    }
}

/// Adds the gradient w.r.t. all embeddings, given that w.r.t. their sums on all squares.
pub(super) fn embed_backward(
    grad: &[f32],
    config: &Config,
    layout: &Layout,
    tokens: &[Tokens],
    gradient: &mut [f32],
) {
    let d = config.n_embd;
    let mut sum = vec![0.0; d];
    for (tokens, grad) in tokens.iter().zip(grad.chunks_exact(SQUARES * d)) {
        sum.fill(0.0);
        for (square, grad) in grad.chunks_exact(d).enumerate() {
            for (begin, index) in [
                (layout.piece_embed, tokens.squares[square].into()),
                (layout.position_embed, square),
                (layout.side_embed, tokens.side.into()),
            ] {
                float::add(&mut gradient[begin + index * d..][..d], grad);
            }
            if config.ratings {
                float::add(&mut sum, grad);
            }
        }
        for (begin, weight) in ratings(config, layout, tokens) {
            add_scaled(&mut gradient[begin..][..d], &sum, weight);
        }
        let rows = history(config, layout, tokens, 0..SQUARES);
        for (row, begin) in rows.chain(attackers(config, layout, tokens, 0..SQUARES)) {
            float::add(&mut gradient[begin..][..d], &grad[row * d..][..d]);
        }
    }
}
