//! Restores the state that the page has saved across a reload.

use chess::pgn::NodeId;

use super::Session;
use super::document::Document;
use super::load;
use super::play::Play;
use super::refusal::Refusal;
use crate::protocol::{GameResult, Saved, SavedPlay, Uci};

/// The maximum length of a restored line.
const MAX_LINE: usize = 10_000;
/// The maximum length of the reason of a result in characters.
const MAX_REASON: usize = 100;

impl Session {
    /// Restores game, position shown and game in play as far as they are valid.
    pub(super) fn restore(&mut self, saved: &Saved) -> Result<(), Refusal> {
        if let Some(text) = &saved.pgn {
            let (tree, problem) = load::read_game(text, 0)?;
            self.open(tree, problem);
        }
        let restored = saved.play.as_ref().map_or(Ok(()), |play| self.restore_play(play));
        // The game in play may be ahead of the text.
        self.cursor = self.follow(&saved.path);
        if let Some(report) = &saved.report {
            self.restore_report(report);
        }
        restored
    }

    fn restore_play(&mut self, saved: &SavedPlay) -> Result<(), Refusal> {
        let node = self.add_line(&saved.line)?;
        let mut play = Play::new([saved.white, saved.black], saved.clock, node, self.now)?;
        let turn = self.document.position(node).turn();
        // The clocks are stopped until the first move.
        let running = (node != NodeId::ROOT).then_some(turn);
        play.resume(NodeId::ROOT, [saved.white_ms, saved.black_ms], running, self.now);
        if saved.result != GameResult::Unknown || saved.reason.is_some() {
            let reason = saved.reason.clone().unwrap_or_default();
            play.finish(saved.result, reason.chars().take(MAX_REASON).collect(), self.now);
        }
        self.play = Some(play);
        self.end_by_rule();
        Ok(())
    }

    /// Adds the missing moves of a line; returns its last node.
    fn add_line(&mut self, line: &[Uci]) -> Result<NodeId, Refusal> {
        let line = &line[..line.len().min(MAX_LINE)];
        let mut at = self.follow(line);
        let known = self.document.tree.path(at).map_or(0, |path| path.len());
        for text in &line[known..] {
            let document: &mut Document = &mut self.document;
            let m = document.position(at).parse_uci(text)?;
            at = document.play(at, m)?.0;
        }
        Ok(at)
    }
}
