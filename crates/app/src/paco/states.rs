//! `tabiya paco states`: JSON lines of games in, JSON lines of states out.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use paco::{Action, Answer, DRAW_AFTER_REPETITIONS, Game, Options, Position, Rules, SAKO_NODES};
use serde_json::{Map, Value, json};

use crate::{Outcome, input};

/// Replay games and describe their last state, one JSON object a line
///
/// A line has 'start_fen' (whose no-progress counter is dropped) or 'fen' (taken as it is), and may
/// have 'actions' (policy numbers 1 to 132 with absolute squares, or objects like {"Lift":12}) and
/// 'draw_after_n_repetitions' (3 if not given, 0 for never). What comes out: fen, to_move, required,
/// hand, promotion, en_passant, castling (wQ, wK, bQ, bK), no_progress, victory, legal, and more as
/// asked. A bad line gives {"error": …}, and the next is read.
///
/// Examples:
///   echo '{"start_fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0 AHah - -","actions":[13,93]}' \
///     | tabiya paco states --options 0,1,6 --sako
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct StatesArgs {
    /// The file to read, or - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Add the index representation for these option sets
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..8))]
    options: Vec<u32>,
    /// Add whether the player, and the opponent, can unite with the king this turn
    #[arg(long)]
    sako: bool,
    /// Replay the reference library's mistakes
    #[arg(long)]
    compat: bool,
}

pub fn run(args: StatesArgs, out: &mut dyn Write) -> Outcome {
    let file = input::open(&args.file)?;
    let rules = super::rules(args.compat);
    input::each_line(file, |_, line| {
        let state = line.and_then(|line| replay(line, rules)).map(|game| describe(&game, &args));
        let state = state.unwrap_or_else(|error| json!({ "error": format!("{error:#}") }));
        writeln!(out, "{state}")?;
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Plays the game of a line.
fn replay(line: &str, rules: Rules) -> anyhow::Result<Game> {
    let line: Value = serde_json::from_str(line).context("not JSON")?;
    let line = line.as_object().ok_or_else(|| anyhow!("not a JSON object"))?;
    let start = start(line, rules)?;
    let draw_after = match line.get("draw_after_n_repetitions") {
        None | Some(Value::Null) => DRAW_AFTER_REPETITIONS,
        Some(number) => number
            .as_u64()
            .and_then(|number| u8::try_from(number).ok())
            .ok_or_else(|| anyhow!("draw_after_n_repetitions is 0 to 255, not {number}"))?,
    };
    let mut game = Game::new(start, draw_after);
    let actions = match line.get("actions") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(actions)) => actions,
        Some(other) => bail!("actions is a list, not {other}"),
    };
    for (n, value) in actions.iter().enumerate() {
        let place = || format!("action {} ({value})", n + 1);
        let action = match value {
            Value::Object(_) => Action::from_json(value).with_context(place)?,
            _ => value
                .as_u64()
                .and_then(|number| u8::try_from(number).ok())
                .and_then(Action::from_policy_index)
                .ok_or_else(|| anyhow!("an action is a number from 1 to 132"))
                .with_context(place)?,
        };
        game.play(action).with_context(place)?;
    }
    Ok(game)
}

fn start(line: &Map<String, Value>, rules: Rules) -> anyhow::Result<Position> {
    let text = |name: &str| match line.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => Err(anyhow!("{name} is a text, not {other}")),
    };
    match (text("start_fen")?, text("fen")?) {
        (Some(fen), None) => {
            let position = Position::from_fen(fen, rules).context("start_fen")?;
            Ok(position.with_no_progress(0))
        }
        (None, Some(fen)) => Ok(Position::from_fen(fen, rules).context("fen")?),
        (Some(_), Some(_)) => bail!("either start_fen or fen, not both"),
        (None, None) => bail!("neither start_fen nor fen"),
    }
}

fn describe(game: &Game, args: &StatesArgs) -> Value {
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
    if !args.options.is_empty() {
        let forms: Result<Map<String, Value>, paco::RepresentationError> = args
            .options
            .iter()
            .map(|&number| {
                let indices = position.indices(Options::from_number(number)?)?;
                Ok((number.to_string(), indices.into()))
            })
            .collect();
        match forms {
            Ok(forms) => state["idx"] = Value::Object(forms),
            Err(error) => {
                state["idx"] = Value::Null;
                state["idx_error"] = error.to_string().into();
            }
        }
    }
    if args.sako {
        state["sako_by_me"] = truth(position.sako(SAKO_NODES));
        state["sako_by_opp"] = truth(position.sako_against(SAKO_NODES));
    }
    state
}

/// `null` where the search did not come to an answer.
pub fn truth(answer: Answer) -> Value {
    match answer {
        Answer::Yes => true.into(),
        Answer::No => false.into(),
        Answer::Unknown => Value::Null,
    }
}
