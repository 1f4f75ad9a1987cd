//! A game with evaluations, marks and better lines, to be opened in any program.

use chess::pgn::{GameTree, TreeError};
use engine::score::Reading;

use super::game::{Judged, Study};
use super::view::reading;

/// Moves of a better line that are kept.
const KEPT_MOVES: usize = 8;

/// The game with `[%eval …]` after every move, and a mark and a variation where a better one was missed.
/// What was said about the game before stays.
pub fn annotated(study: &Study) -> Result<GameTree, TreeError> {
    let mut tree = study.tree.clone();
    for judged in &study.moves {
        tree.add_comment(judged.id, &format!("[%eval {}]", eval(judged)))?;
        let Some(mark) = judged.mark else { continue };
        let nags = tree.node(judged.id).map(|node| node.nags().to_vec()).unwrap_or_default();
        if !nags.contains(&mark.nag()) {
            tree.add_nag(judged.id, mark.nag())?;
        }
        let (Some((moves, _)), Some(parent)) =
            (&judged.better, tree.node(judged.id).and_then(|node| node.parent()))
        else {
            continue;
        };
        let mut at = parent;
        for &m in moves.iter().take(KEPT_MOVES) {
            // A variation that is there already is followed, not written twice.
            let children = tree.node(at).map(|node| node.children().to_vec()).unwrap_or_default();
            let known = children
                .into_iter()
                .find(|&child| tree.node(child).is_some_and(|node| node.played() == Some(m)));
            at = match known {
                Some(child) => child,
                None => tree.add_move(at, m)?,
            };
        }
    }
    Ok(tree)
}

/// Pawns as White sees it, or `#3`.
fn eval(judged: &Judged) -> String {
    match reading(judged.white) {
        Reading::Centipawns(cp) => format!("{:.2}", f64::from(cp) / 100.0),
        Reading::Mate(moves) => format!("#{moves}"),
    }
}
