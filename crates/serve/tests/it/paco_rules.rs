//! The boards that explain the rules of Paco Ŝako agree with the rules: every action is legal, and leads to the
//! position that the page draws.

use paco::{Action, DRAW_AFTER_REPETITIONS, Game, Outcome, PieceType, Position, Required, Rules};
use serde_json::Value;

fn topics() -> Vec<Value> {
    let text = include_str!("../../web/paco/rules.json");
    let rules: Value = serde_json::from_str(text).unwrap();
    rules["topics"].as_array().unwrap().clone()
}

/// An action as the page names it: a square, or the letter of a promotion.
fn action(text: &str, position: &Position) -> Action {
    match (text.parse(), position.required()) {
        (Ok(square), Required::Lift) => Action::Lift(square),
        (Ok(square), _) => Action::Place(square),
        (Err(_), _) => {
            let letter = text.to_ascii_uppercase().chars().next().unwrap();
            Action::Promote(PieceType::from_letter(letter).unwrap())
        }
    }
}

/// Plays a topic to its end.
fn play(topic: &Value) -> Game {
    let steps = topic["steps"].as_array().unwrap();
    let fen = |step: &Value| step["fen"].as_str().unwrap().to_owned();
    let start = Position::from_fen(&fen(&steps[0]), Rules::Exact).unwrap();
    let mut game = Game::new(start, DRAW_AFTER_REPETITIONS);
    for step in steps {
        assert!(!step["caption"].as_str().unwrap().is_empty());
        for text in step["actions"].as_array().unwrap() {
            let action = action(text.as_str().unwrap(), game.position());
            game.play(action).unwrap_or_else(|error| panic!("{}: {error}", topic["title"]));
        }
        assert_eq!(game.position().to_string(), fen(step), "{}", topic["title"]);
    }
    game
}

#[test]
fn every_action_of_the_rules_is_legal_and_leads_to_the_position_shown() {
    let topics = topics();
    assert!(topics.len() >= 8);
    for topic in &topics {
        let game = play(topic);
        assert!(!game.actions().is_empty());
        assert!(game.turn_actions().is_empty(), "{} ends within a turn", topic["title"]);
    }
}

#[test]
fn the_rules_show_a_paco_and_a_draw() {
    let outcomes: Vec<Outcome> =
        topics().iter().filter_map(|topic| play(topic).outcome()).collect();
    assert_eq!(outcomes, [Outcome::PacoVictory(chess::Color::White), Outcome::RepetitionDraw]);
}
