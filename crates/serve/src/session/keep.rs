//! The saved form of the report, which the page stores across a reload: scores, losses and lines of the analyzed
//! moves.

use chess::pgn::{GameTree, NodeId};
use chess::{Move, Position};
use engine::analysis::{GameAnalysis, Judgement, MoveAnalysis};
use engine::value::MATE;

use super::Session;
use super::document::{MAX_LINE, uci};
use super::report::MAX_PLIES;
use crate::protocol::{JudgementName, SavedMove, SavedReport, Uci};

impl Session {
    /// The saved form of an analysis of the open game.
    pub(super) fn keep_report(&self, analysis: &GameAnalysis) -> SavedReport {
        let last = analysis.moves.last().map_or(NodeId::ROOT, |judged| judged.id);
        let path = self.document.tree.path(last).unwrap_or_default();
        let mut judged = analysis.moves.iter().peekable();
        let moves = path.iter().map(|&id| judged.next_if(|judged| judged.id == id).map(keep_move));
        SavedReport {
            complete: !analysis.stopped,
            start: analysis.start,
            moves: moves.collect(),
            line: self.document.line(last),
        }
    }

    /// Restores a report; ignored if it does not match the open game.
    pub(super) fn restore_report(&mut self, saved: &SavedReport) {
        let last = self.follow(&saved.line);
        let path = self.document.tree.path(last).unwrap_or_default();
        if path.is_empty() || path.len() > MAX_PLIES || path.len() != saved.line.len() {
            return;
        }
        let tree = &self.document.tree;
        let judged = path.iter().zip(&saved.moves);
        let moves = judged.filter_map(|(&id, saved)| restore_move(tree, id, saved.as_ref()?));
        let analysis = GameAnalysis {
            moves: moves.collect(),
            start: clamp(saved.start),
            stopped: !saved.complete,
            problem: None,
            tree: GameTree::default(),
        };
        self.show_analysis(&analysis);
    }
}

fn keep_move(judged: &MoveAnalysis) -> SavedMove {
    let line = |moves: &[Move]| moves.iter().take(MAX_LINE).map(|&m| uci(m)).collect();
    let better = judged.judgement.and(judged.better.as_ref());
    SavedMove {
        score: judged.white,
        loss: judged.loss,
        mark: judged.judgement.map(JudgementName::from),
        reply: judged.judgement.map(|_| line(&judged.reply)).unwrap_or_default(),
        better: better.map(|(moves, score)| (line(moves), *score)),
    }
}

/// None if the node has been removed or has no move.
fn restore_move(tree: &GameTree, id: NodeId, saved: &SavedMove) -> Option<MoveAnalysis> {
    let node = tree.node(id)?;
    let (before, m) = (*tree.node(node.parent()?)?.position(), node.played()?);
    let better = saved.better.as_ref();
    Some(MoveAnalysis {
        id,
        before,
        m,
        white: clamp(saved.score),
        loss: if saved.loss.is_finite() { saved.loss.clamp(0.0, 1.0) } else { 0.0 },
        judgement: saved.mark.map(Judgement::from),
        reply: legal_line(*node.position(), &saved.reply),
        better: better.map(|(moves, score)| (legal_line(before, moves), clamp(*score))),
    })
}

/// The moves of a line up to the first that is not legal.
fn legal_line(mut position: Position, moves: &[Uci]) -> Vec<Move> {
    let mut line = Vec::new();
    for text in moves.iter().take(MAX_LINE) {
        let Ok(m) = position.parse_uci(text) else { break };
        position = position.after(m);
        line.push(m);
    }
    line
}

fn clamp(score: i32) -> i32 {
    score.clamp(-MATE, MATE)
}
