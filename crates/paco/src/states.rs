//! Games and states as JSON objects: the format of `tabiya paco states`.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use crate::{
    Action, Answer, DRAW_AFTER_REPETITIONS, FenError, Game, IllegalAction, Options,
    ParseActionError, Position, RepresentationError, Rules, SAKO_NODES,
};

/// Why a line is no game.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "documented by the messages")]
#[non_exhaustive]
pub enum GameJsonError {
    #[error("not JSON: {0}")]
    Syntax(serde_json::Error),
    #[error("not a JSON object")]
    NoObject,
    #[error("{name} is a {expected}, not {found}")]
    Type { name: &'static str, expected: &'static str, found: Value },
    #[error("draw_after_n_repetitions is 0 to 255, not {0}")]
    Repetitions(Value),
    #[error("either start_fen or fen, not both")]
    BothFens,
    #[error("neither start_fen nor fen")]
    NoFen,
    #[error("{name}: {error}")]
    Fen { name: &'static str, error: FenError },
    #[error("action {number} ({value}): {error}")]
    Action { number: usize, value: Value, error: ActionJsonError },
}

/// Why a value is no action of the game.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "documented by the messages")]
#[non_exhaustive]
pub enum ActionJsonError {
    #[error("an action is a number from 1 to 132")]
    Number,
    #[error(transparent)]
    Object(#[from] ParseActionError),
    #[error(transparent)]
    Illegal(#[from] IllegalAction),
}

/// Replays a game from a JSON object with `start_fen` (its no-progress counter is reset) or `fen`, and
/// optionally `actions` (policy indices or objects like `{"Lift":12}`) and `draw_after_n_repetitions`.
///
/// ```
/// use tabiya_paco::{Rules, game_from_json, state_json};
/// let line = r#"{"fen": "4k3/8/8/8/8/8/8/4K3 b 7 - - -", "actions": [{"Lift": 60}]}"#;
/// let game = game_from_json(line, Rules::Exact)?;
/// assert_eq!(state_json(&game, &[], false)["hand"]["piece"], "K");
/// # Ok::<(), tabiya_paco::GameJsonError>(())
/// ```
pub fn game_from_json(line: &str, rules: Rules) -> Result<Game, GameJsonError> {
    let line: Value = serde_json::from_str(line).map_err(GameJsonError::Syntax)?;
    let line = line.as_object().ok_or(GameJsonError::NoObject)?;
    let start = start_position(line, rules)?;
    let draw_after = match line.get("draw_after_n_repetitions") {
        None | Some(Value::Null) => DRAW_AFTER_REPETITIONS,
        Some(number) => small(number).ok_or_else(|| GameJsonError::Repetitions(number.clone()))?,
    };
    let mut game = Game::new(start, draw_after);
    let actions = match line.get("actions") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(actions)) => actions,
        Some(other) => {
            let found = other.clone();
            return Err(GameJsonError::Type { name: "actions", expected: "list", found });
        }
    };
    for (value, number) in actions.iter().zip(1..) {
        play_json(&mut game, value).map_err(|error| GameJsonError::Action {
            number,
            value: value.clone(),
            error,
        })?;
    }
    Ok(game)
}

fn small(value: &Value) -> Option<u8> {
    value.as_u64().and_then(|number| u8::try_from(number).ok())
}

fn play_json(game: &mut Game, value: &Value) -> Result<(), ActionJsonError> {
    let action = match value {
        Value::Object(_) => Action::from_json(value)?,
        _ => small(value).and_then(Action::from_policy_index).ok_or(ActionJsonError::Number)?,
    };
    Ok(game.play(action)?)
}

fn start_position(line: &Map<String, Value>, rules: Rules) -> Result<Position, GameJsonError> {
    let text = |name| match line.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => Err(GameJsonError::Type { name, expected: "text", found: other.clone() }),
    };
    let position = |name, fen| {
        Position::from_fen(fen, rules).map_err(|error| GameJsonError::Fen { name, error })
    };
    match (text("start_fen")?, text("fen")?) {
        (Some(fen), None) => Ok(position("start_fen", fen)?.with_no_progress(0)),
        (None, Some(fen)) => position("fen", fen),
        (Some(_), Some(_)) => Err(GameJsonError::BothFens),
        (None, None) => Err(GameJsonError::NoFen),
    }
}

/// Describes the state of a game: with `idx`, its index representation for each of `options`; with
/// `sako`, whether either player can unite with the enemy king.
pub fn state_json(game: &Game, options: &[u32], sako: bool) -> Value {
    let position = game.position();
    let hand = position.hand().map(|hand| {
        let mut value = json!({
            "piece": hand.piece.letter().to_string(),
            "sq": hand.square.index(),
        });
        if let Some(partner) = hand.partner {
            value["partner"] = partner.letter().to_string().into();
        }
        value
    });
    let legal: Vec<u8> = game.legal().iter().map(Action::policy_index).collect();
    let mut state = json!({
        "fen": position.to_string(),
        "extended_fen": position.to_extended_fen(),
        "to_move": position.player().letter().to_string(),
        "required": position.required().name(),
        "hand": hand,
        "promotion": position.promotion().map(|square| square.index()),
        "en_passant": position.en_passant().map(|square| square.index()),
        "castling": position.castling_rights(),
        "no_progress": position.no_progress(),
        "half_move_count": position.half_moves(),
        "victory": game.outcome().map_or("Running".to_owned(), |outcome| outcome.to_string()),
        "legal": legal,
    });
    if !options.is_empty() {
        match indices_json(position, options) {
            Ok(indices) => state["idx"] = indices,
            Err(error) => {
                state["idx"] = Value::Null;
                state["idx_error"] = error.to_string().into();
            }
        }
    }
    if sako {
        state["sako_by_me"] = position.sako(SAKO_NODES).to_json();
        state["sako_by_opp"] = position.sako_against(SAKO_NODES).to_json();
    }
    state
}

fn indices_json(position: &Position, options: &[u32]) -> Result<Value, RepresentationError> {
    let indices = options.iter().map(|&number| {
        let indices = position.indices(Options::from_number(number)?)?;
        Ok((number.to_string(), indices.into()))
    });
    Ok(Value::Object(indices.collect::<Result<_, _>>()?))
}

impl Answer {
    /// `true`, `false`, or `null` for unknown.
    pub fn to_json(self) -> Value {
        match self {
            Self::Yes => true.into(),
            Self::No => false.into(),
            Self::Unknown => Value::Null,
        }
    }
}
