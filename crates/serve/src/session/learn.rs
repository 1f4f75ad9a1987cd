//! "Learn from your mistakes": exercises to find a better move than the marked one.
//!
//! A move is right if it is the engine's, or loses less than [`DUBIOUS`] against it in a search of the two. Until
//! an exercise is solved, lines and predictions are hidden.

use std::time::Duration;

use chess::pgn::NodeId;
use chess::{Color, Move};
use engine::analysis::{DUBIOUS, loss};
use engine::search::Limits;

use super::Session;
use super::refusal::Refusal;
use super::slot::Step;
use crate::job::{JobId, Lines, Output, Purpose, Search, Work};
use crate::protocol::{LearnMessage, LearnState, ServerMessage};

/// The time limit of the search that judges an attempt.
const TRY: Duration = Duration::from_millis(800);

/// A marked move.
struct Exercise {
    /// Its node.
    mistake: NodeId,
    /// The node before.
    before: NodeId,
    played: Move,
    best: Move,
}

/// An attempt: the move to be judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Try {
    before: NodeId,
    best: Move,
    tried: Move,
}

/// The exercises of a player.
pub struct Learn {
    color: Color,
    exercises: Vec<Exercise>,
    index: usize,
    state: LearnState,
    tried: Option<Move>,
    right: usize,
}

impl Session {
    /// Whether an exercise is unsolved, so that its answer is hidden.
    pub(super) fn hides_answers(&self) -> bool {
        use LearnState::{Find, Thinking, Wrong};
        self.learn.as_ref().is_some_and(|learn| matches!(learn.state, Find | Thinking | Wrong))
    }

    pub(super) fn start_learning(&mut self, color: Color) -> Result<(), Refusal> {
        if !self.analysis.is_done {
            return Err(Refusal::NoReport);
        }
        let tree = &self.document.tree;
        let exercise = |(id, node): (NodeId, &chess::pgn::Node)| {
            let judged = self.document.judged_moves.get(&id)?;
            judged.judgement?;
            let before = node.parent()?;
            let position = *tree.node(before)?.position();
            let best = position.parse_uci(judged.better.as_ref()?.uci.first()?).ok()?;
            let played = node.played()?;
            (position.turn() == color).then_some(Exercise { mistake: id, before, played, best })
        };
        let exercises: Vec<Exercise> = tree.main_line().filter_map(exercise).collect();
        if exercises.is_empty() {
            return Err(Refusal::NoMistakes);
        }
        let state = LearnState::Find;
        self.learn = Some(Learn { color, exercises, index: 0, state, tried: None, right: 0 });
        self.show_exercise();
        Ok(())
    }

    /// Shows the position before the mistake.
    fn show_exercise(&mut self) {
        let Some(learn) = &self.learn else { return };
        if let Some(exercise) = learn.exercises.get(learn.index) {
            self.show(exercise.before);
        }
        self.send_learn();
    }

    fn send_learn(&mut self) {
        let Some(learn) = &self.learn else { return };
        let exercise = learn.exercises.get(learn.index);
        let san = |exercise: &Exercise, m: Move| {
            let position = self.document.position(exercise.before);
            position.is_legal(m).then(|| position.san(m).to_string())
        };
        let is_solved = matches!(learn.state, LearnState::Right | LearnState::Shown);
        let message = LearnMessage {
            color: learn.color.into(),
            index: learn.index,
            total: learn.exercises.len(),
            state: learn.state,
            node: exercise.map(|exercise| exercise.before.number()),
            played: exercise.and_then(|exercise| san(exercise, exercise.played)),
            tried: exercise.zip(learn.tried).and_then(|(exercise, m)| san(exercise, m)),
            best: exercise.filter(|_| is_solved).and_then(|exercise| san(exercise, exercise.best)),
            right: learn.right,
        };
        self.send(ServerMessage::Learn(message));
    }

    pub(super) fn learn_try(&mut self, text: &str) -> Result<(), Refusal> {
        let learn = self.learn.as_mut().ok_or(Refusal::NoExercise)?;
        if !matches!(learn.state, LearnState::Find | LearnState::Wrong | LearnState::Thinking) {
            return Err(Refusal::NoExercise);
        }
        let exercise = learn.exercises.get(learn.index).ok_or(Refusal::NoExercise)?;
        let text = text.get(..text.len().min(8)).unwrap_or_default();
        let m = self.document.position(exercise.before).parse_uci(text)?;
        learn.tried = Some(m);
        learn.state = if m == exercise.best {
            learn.right += 1;
            LearnState::Right
        } else if m == exercise.played {
            LearnState::Wrong
        } else {
            LearnState::Thinking
        };
        self.send_learn();
        Ok(())
    }

    pub(super) fn learn_show(&mut self) -> Result<(), Refusal> {
        let learn = self.learn.as_mut().ok_or(Refusal::NoExercise)?;
        if matches!(learn.state, LearnState::Find | LearnState::Wrong | LearnState::Thinking) {
            learn.state = LearnState::Shown;
        }
        self.send_learn();
        Ok(())
    }

    pub(super) fn learn_next(&mut self) -> Result<(), Refusal> {
        let learn = self.learn.as_mut().ok_or(Refusal::NoExercise)?;
        learn.index = (learn.index + 1).min(learn.exercises.len());
        learn.tried = None;
        let is_done = learn.index == learn.exercises.len();
        learn.state = if is_done { LearnState::Done } else { LearnState::Find };
        self.show_exercise();
        Ok(())
    }

    /// Drops the exercises if one of their moves has been removed from the game.
    pub(super) fn drop_stale_exercises(&mut self) {
        let tree = &self.document.tree;
        let is_stale = |exercise: &Exercise| tree.path(exercise.mistake).is_none();
        if self.learn.as_ref().is_some_and(|learn| learn.exercises.iter().any(is_stale)) {
            self.learn = None;
        }
    }

    fn current_try(&self) -> Option<Try> {
        let learn = self.learn.as_ref().filter(|l| l.state == LearnState::Thinking)?;
        let exercise = learn.exercises.get(learn.index)?;
        Some(Try { before: exercise.before, best: exercise.best, tried: learn.tried? })
    }

    pub(super) fn learn_jobs(&mut self) {
        let wanted = self.current_try();
        match self.learn_check.step(wanted.as_ref()) {
            Step::Nothing => {}
            Step::Stop(id) => self.out.push(Output::Stop(id)),
            Step::Start => {
                let Some(wanted) = wanted else { return };
                let game = self.document.tree.game(wanted.before).unwrap_or_default();
                let moves = vec![wanted.best, wanted.tried];
                let limits = Limits { move_time: Some(TRY), moves, ..Limits::default() };
                let purpose = Purpose::Check;
                let search = Search { purpose, game, limits, multi_pv: 2, weakening: None };
                let id = self.start(Work::Search(search));
                self.learn_check.fill(id, wanted);
            }
        }
    }

    pub(super) fn learn_checked(&mut self, id: JobId, lines: &Lines) {
        let Some(checked) = self.learn_check.finish(id) else { return };
        if self.current_try() != Some(checked) {
            return;
        }
        let before = self.document.position(checked.before);
        let score = |m: Move| {
            let line = lines.lines.iter().find(|line| line.moves.first() == Some(&m));
            line.map(|line| line.score)
        };
        let is_right = score(checked.tried)
            .zip(score(checked.best))
            .is_some_and(|(tried, best)| loss(best, tried, &before) < DUBIOUS);
        self.judge_try(is_right);
    }

    /// If the search fails, only the engine's move is right.
    pub(super) fn learn_failed(&mut self, id: JobId) -> bool {
        let Some(checked) = self.learn_check.finish(id) else { return false };
        if self.current_try() == Some(checked) {
            self.judge_try(false);
        }
        true
    }

    fn judge_try(&mut self, is_right: bool) {
        let Some(learn) = &mut self.learn else { return };
        learn.right += usize::from(is_right);
        learn.state = if is_right { LearnState::Right } else { LearnState::Wrong };
        self.send_learn();
    }
}
