//! Self-play games as training data.
//!
//! A game is exported in two ways: as one JSON object for replay ([`Record::to_json`], the input of `states`),
//! and as training rows, one per action ([`Record::rows`]): the index form of the state, the action as a policy
//! index with the same options, and the result for the acting player.

use alloc::borrow::ToOwned;
use alloc::string::ToString;
use alloc::vec::Vec;

use chess::Color;
use serde_json::{Value, json};

use crate::{
    Action, Game, Options, Outcome, Player, Position, RepresentationError, Rng, play_turns,
    random_turn,
};

/// A finished or aborted game.
#[derive(Clone, Debug)]
pub struct Record {
    /// The start position.
    pub start: Position,
    /// The actions.
    pub actions: Vec<Action>,
    /// The outcome; `None` if it was aborted or at a dead end.
    pub outcome: Option<Outcome>,
}

/// A training row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The index form of the state.
    pub indices: Vec<u32>,
    /// The legal actions as ascending policy indices in the options' perspective.
    pub legal: Vec<u8>,
    /// The policy index of the played action.
    pub policy: u8,
    /// 1 if the acting player won, -1 for a loss, 0 for a draw.
    pub result: i8,
}

impl Record {
    /// The game as one JSON object.
    pub fn to_json(&self) -> Value {
        let actions: Vec<u8> = self.actions.iter().map(|action| action.policy_index()).collect();
        let result = match self.outcome.and_then(Outcome::winner) {
            Some(Color::White) => 1,
            Some(Color::Black) => -1,
            None => 0,
        };
        json!({
            "start_fen": self.start.to_string(),
            "draw_after_n_repetitions": crate::DRAW_AFTER_REPETITIONS,
            "actions": actions,
            "victory": self.outcome.map_or("Running".to_owned(), |outcome| outcome.to_string()),
            "result": result,
        })
    }

    /// One row for each action.
    pub fn rows(&self, options: Options) -> Result<Vec<Row>, RepresentationError> {
        let mut game = Game::new(self.start, crate::DRAW_AFTER_REPETITIONS);
        let winner = self.outcome.and_then(Outcome::winner);
        let mut rows = Vec::with_capacity(self.actions.len());
        for &action in &self.actions {
            let player = game.position().player();
            let view =
                if options.contains(Options::USE_PERSPECTIVE) { player } else { Color::White };
            let mut legal: Vec<u8> =
                game.legal().iter().map(|action| action.policy_index_for(view)).collect();
            legal.sort_unstable();
            rows.push(Row {
                indices: game.position().indices(options)?,
                legal,
                policy: action.policy_index_for(view),
                result: winner.map_or(0, |winner| if winner == player { 1 } else { -1 }),
            });
            game.play_unchecked(action);
        }
        Ok(rows)
    }
}

impl Row {
    /// The row as a JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "idx": self.indices,
            "legal": self.legal,
            "policy": self.policy,
            "result": self.result,
        })
    }
}

/// An event of [`self_play`], whose caller has the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelfPlayEvent {
    /// The search of a turn starts; the return value is ignored.
    TurnStart,
    /// Polled during the search: the return value is whether to stop it.
    Poll,
}

/// Plays one game: a few random turns, then the player for both sides to the given depth, or until the
/// callback stops the search.
pub fn self_play(
    player: &mut Player,
    rng: &mut Rng,
    random_turns: usize,
    depth: u32,
    max_turns: usize,
    on_event: &mut dyn FnMut(SelfPlayEvent) -> bool,
) -> Record {
    let game = play_turns(max_turns, |number, position, seen| {
        if number < random_turns {
            return random_turn(position, rng);
        }
        player.avoid(seen.iter().copied());
        on_event(SelfPlayEvent::TurnStart);
        player
            .choose(position, depth, &mut || on_event(SelfPlayEvent::Poll))
            .map(|choice| choice.actions)
    });
    Record { start: Position::default(), actions: game.actions().to_vec(), outcome: game.outcome() }
}
