//! Maximum likelihood of the Bradley–Terry model by minorization–maximization, and standard errors from the
//! Fisher information.
//!
//! Reference: D. R. Hunter, "MM algorithms for generalized Bradley–Terry models", 2004.

use std::f64::consts::LN_10;

use super::Results;

/// The scale of Elo.
const SCALE: f64 = 400.0 / LN_10;
/// Iterations end when no strength changes by more than this share of it …
const TOLERANCE: f64 = 1e-12;
/// … or after this many.
const MAX_ITERATIONS: u32 = 100_000;
/// Among more players than this there are no standard errors: they take the cube of the number.
const MAX_ERRORS: usize = 1000;

/// The ratings, with mean 0, and their standard errors: relative to a player if there is an anchor, else to
/// the mean. Players outside the largest group that is connected in both directions have none.
pub(super) fn fit(results: &Results, anchor: Option<usize>) -> Vec<Option<(f64, Option<f64>)>> {
    let group = largest_group(results);
    // Games and points within the group, by the index in it.
    let index: std::collections::HashMap<usize, usize> =
        group.iter().enumerate().map(|(n, &player)| (player, n)).collect();
    let mut points = vec![0.0; group.len()];
    let mut pairs: Vec<(usize, usize, f64)> = Vec::new();
    for (a, b, score) in results.pairs() {
        if let (Some(&a), Some(&b)) = (index.get(&a), index.get(&b)) {
            points[a] += score.points();
            points[b] += f64::from(score.games()) - score.points();
            pairs.push((a, b, score.games().into()));
        }
    }
    let strengths = maximize(&points, &pairs);
    let logarithms: Vec<f64> = strengths.iter().map(|strength| SCALE * strength.ln()).collect();
    let mean = logarithms.iter().sum::<f64>() / group.len().max(1) as f64;
    let anchor = anchor.and_then(|player| index.get(&player).copied());
    let errors = standard_errors(&strengths, &pairs, anchor);
    let mut ratings = vec![None; results.len()];
    for (n, &player) in group.iter().enumerate() {
        ratings[player] = Some((logarithms[n] - mean, errors.as_ref().map(|errors| errors[n])));
    }
    ratings
}

/// The strengths γ that maximize the likelihood, where the first beats the second with probability
/// γ₁ / (γ₁ + γ₂): each step sets γ to the points divided by Σ games / (γ + γ of the opponent).
fn maximize(points: &[f64], pairs: &[(usize, usize, f64)]) -> Vec<f64> {
    let mut strengths = vec![1.0f64; points.len()];
    for _ in 0..MAX_ITERATIONS {
        let mut sums = vec![0.0; points.len()];
        for &(a, b, games) in pairs {
            let share = games / (strengths[a] + strengths[b]);
            sums[a] += share;
            sums[b] += share;
        }
        let mut change = 0f64;
        for ((strength, sum), points) in strengths.iter_mut().zip(sums).zip(points) {
            let new = points / sum;
            change = change.max((new / *strength - 1.0).abs());
            *strength = new;
        }
        // The scale is arbitrary: keep it near 1.
        let scale = strengths.iter().map(|strength| strength.ln()).sum::<f64>();
        let scale = (scale / strengths.len().max(1) as f64).exp();
        strengths.iter_mut().for_each(|strength| *strength /= scale);
        if change < TOLERANCE {
            break;
        }
    }
    strengths
}

/// Standard errors in Elo by the inverse of the Fisher information, whose free direction (all ratings
/// shifted) is fixed by the mean: C = (F + 11ᵀ/n)⁻¹ − 11ᵀ/n. The model has no draws, which vary less
/// than wins and losses, so errors are a little too large where many games are drawn.
fn standard_errors(
    strengths: &[f64],
    pairs: &[(usize, usize, f64)],
    anchor: Option<usize>,
) -> Option<Vec<f64>> {
    let n = strengths.len();
    if n > MAX_ERRORS {
        return None;
    }
    let even = 1.0 / n.max(1) as f64;
    let mut matrix = vec![vec![even; n]; n];
    for &(a, b, games) in pairs {
        let expected = strengths[a] / (strengths[a] + strengths[b]);
        let information = games * expected * (1.0 - expected);
        matrix[a][a] += information;
        matrix[b][b] += information;
        matrix[a][b] -= information;
        matrix[b][a] -= information;
    }
    let inverse = invert(matrix)?;
    let covariance = |a: usize, b: usize| inverse[a][b] - even;
    let variance = |player: usize| match anchor {
        None => covariance(player, player),
        Some(anchor) => {
            covariance(player, player) + covariance(anchor, anchor)
                - 2.0 * covariance(player, anchor)
        }
    };
    Some((0..n).map(|player| SCALE * variance(player).max(0.0).sqrt()).collect())
}

/// The inverse of a positive definite matrix, by Gauss–Jordan elimination.
fn invert(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    for (row, values) in matrix.iter_mut().enumerate() {
        values.extend((0..n).map(|column| f64::from(u8::from(row == column))));
    }
    for pivot in 0..n {
        let mut pivot_row = std::mem::take(&mut matrix[pivot]);
        let divisor = pivot_row[pivot];
        if !divisor.is_normal() {
            return None;
        }
        pivot_row.iter_mut().for_each(|value| *value /= divisor);
        for row in matrix.iter_mut().filter(|row| !row.is_empty()) {
            let factor = row[pivot];
            row.iter_mut().zip(&pivot_row).for_each(|(value, above)| *value -= factor * above);
        }
        matrix[pivot] = pivot_row;
    }
    Some(matrix.into_iter().map(|mut row| row.split_off(n)).collect())
}

/// The largest group in which every player leads to every other by points taken, in the order of players.
fn largest_group(results: &Results) -> Vec<usize> {
    let mut beats = vec![Vec::new(); results.len()];
    let mut beaten_by = vec![Vec::new(); results.len()];
    for (a, b, score) in results.pairs() {
        if score.points() > 0.0 {
            beats[a].push(b);
            beaten_by[b].push(a);
        }
        if score.points() < f64::from(score.games()) {
            beats[b].push(a);
            beaten_by[a].push(b);
        }
    }
    // Kosaraju's algorithm: in the reverse order of finishing, whoever is reached backward is one group.
    let mut order = Vec::new();
    let mut seen = vec![false; results.len()];
    for start in 0..results.len() {
        order.extend(finishing_order(start, &beats, &mut seen));
    }
    let mut seen = vec![false; results.len()];
    let groups = order.into_iter().rev().map(|start| finishing_order(start, &beaten_by, &mut seen));
    let mut largest = groups.max_by_key(|group| group.len()).unwrap_or_default();
    largest.sort_unstable();
    largest
}

/// What a depth-first search from `start` reaches and has not been seen, each after what it leads to.
fn finishing_order(start: usize, edges: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    let mut finished = Vec::new();
    let mut path = vec![(start, 0)];
    if std::mem::replace(&mut seen[start], true) {
        return finished;
    }
    while let Some((node, next)) = path.last_mut() {
        match edges[*node].get(*next) {
            Some(&neighbor) => {
                *next += 1;
                if !std::mem::replace(&mut seen[neighbor], true) {
                    path.push((neighbor, 0));
                }
            }
            None => {
                finished.push(*node);
                path.pop();
            }
        }
    }
    finished
}
