//! The analysis of the whole game: annotates the tree and sends a report.

use std::time::Duration;

use chess::Color;
use chess::pgn::NodeId;
use engine::analysis::{GameAnalysis, MoveAnalysis, annotate};
use engine::wdl::expectation;
use engine::search::Limits;

use super::Session;
use super::document::{JudgedMove, notations, white};
use super::refusal::Refusal;
use crate::job::{JobId, Output, Work};
use crate::protocol::{Better, GraphPoint, PlayerReport, ReportMessage, ServerMessage};

/// The maximum length of an analyzed game in plies.
pub(super) const MAX_PLIES: usize = 2_000;

/// The analysis job of the open game.
#[derive(Default)]
pub struct Analysis {
    job: Option<JobId>,
    /// A job whose game has been closed; its result is discarded.
    discarded: Option<JobId>,
    /// Whether the open game has been analyzed.
    pub is_done: bool,
}

impl Analysis {
    pub fn failed(&mut self, id: JobId) -> bool {
        self.discarded.take_if(|known| *known == id);
        self.job.take_if(|known| *known == id).is_some()
    }
}

impl Session {
    pub(super) fn analyse_game(&mut self, seconds: f64) -> Result<(), Refusal> {
        if self.analysis.job.is_some() || self.analysis.discarded.is_some() {
            return Err(Refusal::Analysing);
        }
        if !(0.01..=60.0).contains(&seconds) {
            return Err(Refusal::Seconds);
        }
        match self.document.tree.main_line().take(MAX_PLIES + 1).count() {
            0 => return Err(Refusal::NothingToAnalyse),
            plies if plies > MAX_PLIES => return Err(Refusal::TooMany(MAX_PLIES)),
            _ => {}
        }
        let time = Duration::from_secs_f64(seconds);
        let limits = Limits { move_time: Some(time), ..Limits::default() };
        let tree = self.document.tree.clone();
        let id = self.start(Work::AnalyseGame { tree, limits });
        self.analysis.job = Some(id);
        Ok(())
    }

    /// Stops the analysis; its partial result is shown.
    pub(super) fn stop_analysis(&mut self) {
        if let Some(id) = self.analysis.job {
            self.out.push(Output::Stop(id));
        }
    }

    pub(super) fn discard_analysis(&mut self) {
        self.stop_analysis();
        let discarded = self.analysis.job.or(self.analysis.discarded);
        self.analysis = Analysis { job: None, discarded, is_done: false };
    }

    pub(super) fn analysis_progress(&mut self, id: JobId, done: usize, total: usize) {
        if self.analysis.job == Some(id) {
            self.send(ServerMessage::Progress { done, total });
        }
    }

    pub(super) fn analysed(&mut self, id: JobId, mut analysis: GameAnalysis) {
        self.analysis.discarded.take_if(|known| *known == id);
        if self.analysis.job.take_if(|known| *known == id).is_none() {
            return;
        }
        // The game may have been edited meanwhile: removed moves are dropped.
        let tree = &self.document.tree;
        analysis.moves.retain(|judged| tree.path(judged.id).is_some());
        analysis.tree = tree.clone();
        if let Ok(annotated) = annotate(&analysis) {
            self.document.tree = annotated;
        }
        self.show_analysis(&analysis);
    }

    /// Stores the judged moves of the open game, and sends the report.
    pub(super) fn show_analysis(&mut self, analysis: &GameAnalysis) {
        self.document.judged_moves =
            analysis.moves.iter().map(|judged| (judged.id, judged_move(judged))).collect();
        self.analysis.is_done = true;
        // The exercises are those of an earlier analysis.
        self.learn = None;
        let report = self.report(analysis);
        self.flush_game();
        self.send(ServerMessage::Report(report));
    }

    /// Sends the tree now, before messages that refer to it.
    fn flush_game(&mut self) {
        self.changed.game = false;
        let message = self.document.message();
        self.send(ServerMessage::Game(message));
    }

    fn report(&self, analysis: &GameAnalysis) -> ReportMessage {
        let point = |node: NodeId, score, mark| GraphPoint {
            node: node.number(),
            score: white(score),
            expectation: expectation(score, &self.document.position(node)),
            mark,
        };
        let start = point(NodeId::ROOT, analysis.start, None);
        let moves = analysis.moves.iter();
        let points =
            moves.map(|judged| point(judged.id, judged.white, judged.judgement.map(Into::into)));
        ReportMessage {
            document: self.document.number,
            complete: !analysis.stopped,
            white: self.player_report(analysis, Color::White),
            black: self.player_report(analysis, Color::Black),
            graph: std::iter::once(start).chain(points).collect(),
            saved: self.keep_report(analysis),
        }
    }

    fn player_report(&self, analysis: &GameAnalysis, color: Color) -> PlayerReport {
        let role = if color.is_white() { "White" } else { "Black" };
        let tag = self.document.tree.tag(role).filter(|name| !name.is_empty() && *name != "?");
        let (marks, mean_loss) = analysis.tally(color);
        PlayerReport {
            name: tag.unwrap_or(role).to_owned(),
            accuracy: analysis.accuracy(color).unwrap_or(100.0),
            marks,
            mean_loss,
            moves: analysis.moves.iter().filter(|judged| judged.before.turn() == color).count(),
        }
    }
}

fn judged_move(judged: &MoveAnalysis) -> JudgedMove {
    let line = |position: &chess::Position, moves: &[chess::Move], score| {
        let (uci, san) = notations(position, moves);
        (!uci.is_empty()).then(|| Better { uci, san, score: white(score) })
    };
    // Only a bad move has a better one, and is refuted.
    let better = judged.judgement.and(judged.better.as_ref());
    let after = judged.before.is_legal(judged.m).then(|| judged.before.after(judged.m));
    JudgedMove {
        score: judged.white,
        judgement: judged.judgement,
        loss: judged.loss,
        better: better.and_then(|(moves, score)| line(&judged.before, moves, *score)),
        refutation: judged
            .judgement
            .and(after)
            .and_then(|after| line(&after, &judged.reply, judged.white)),
    }
}
