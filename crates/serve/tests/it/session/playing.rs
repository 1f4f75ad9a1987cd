//! Games against machines and between people.

use chess::Position;
use pra::predict::PositionPrediction;
use serde_json::{Value, json};
use tabiya_serve::job::*;
use tabiya_serve::protocol::*;
use tabiya_serve::session::ratings;

use super::page::*;

#[test]
fn a_game_against_the_engine_ends_by_checkmate() {
    let mut page = Client::new();
    page.send(json!({ "type": "hello", "protocol": 1 }));
    assert!(matches!(page.received[0], ServerMessage::Welcome(_)));
    assert_eq!(page.play.as_ref().unwrap().status, PlayStatus::None);
    page.new_game(person(), engine(), Value::Null);
    assert_eq!(page.play.as_ref().unwrap().status, PlayStatus::Playing);
    page.moves("e2e4");
    assert!(page.play.as_ref().unwrap().thinking);
    assert_eq!(page.refused(json!({ "type": "move", "uci": "e7e5" })), "It is not your turn.");
    page.engine_plays("e7e5");
    assert_eq!(page.position.as_ref().unwrap().spoken, "Black pawn to e5");
    page.moves("d1h5");
    page.engine_plays("b8c6");
    page.moves("f1c4");
    page.engine_plays("g8f6");
    let opening = page.position.as_ref().unwrap().opening.clone().unwrap();
    assert_eq!(opening.name, "King's Pawn Game: Wayward Queen Attack");
    page.moves("h5f7");
    assert_eq!(page.end(), Some((GameResult::White, "checkmate".into())));
    assert_eq!(page.position.as_ref().unwrap().legal, []);
    assert_eq!(page.position.as_ref().unwrap().spoken, "White queen takes pawn on f7, checkmate");
    assert!(page.jobs.is_empty() && page.timer.is_none());
    assert_eq!(page.moves_text(), "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0");
    assert_eq!(page.refused(json!({ "type": "resign" })), "There is no game in play.");
}

#[test]
fn castling_en_passant_and_promotion_are_selected_by_their_squares() {
    let mut page = Client::new();
    page.new_game_from(
        "r3k2r/6P1/8/8/5p2/8/4P3/R3K2R w KQkq - 0 1",
        person(),
        person(),
        Value::Null,
    );
    let square = |name: &str| Square(name.parse().unwrap());
    assert_eq!(page.legal("e1h1").to, [square("g1"), square("h1")]);
    assert_eq!(page.legal("e1a1").to, [square("c1"), square("a1")]);
    let promotions = page.position.as_ref().unwrap().legal.iter().filter(|m| m.promotion.is_some());
    assert_eq!(promotions.count(), 8);
    page.moves("e2e4");
    assert_eq!(page.legal("f4e3").san, "fxe3");
    page.moves("f4e3 e1g1 e8c8 g7g8n");
    assert_eq!(page.position.as_ref().unwrap().last, Some((square("g7"), square("g8"))));
    assert_eq!(page.fen(), "2kr2Nr/8/8/8/8/4p3/8/R4RK1 b - - 0 3");
    assert_eq!(page.moves_text(), "1. e4 fxe3 2. O-O O-O-O 3. g8=N *");
}

#[test]
fn chess960_castling_is_king_takes_rook() {
    let mut page = Client::new();
    page.send(
        json!({ "type": "new_game", "variant": "chess960", "position": 959, "white": person(),
                     "black": person(), "clock": null }),
    );
    assert_eq!(page.game.as_ref().unwrap().variant, VariantName::Chess960);
    // The king on f1 can go to g1 by itself: only the rook's square selects castling.
    page.new_game_from("5k1r/8/8/8/8/8/8/5K1R w H - 0 1", person(), person(), Value::Null);
    assert_eq!(page.legal("f1h1").to, [Square("h1".parse().unwrap())]);
    page.moves("f1h1");
    assert_eq!(page.fen(), "5k1r/8/8/8/8/8/8/5RK1 b - - 1 1");
    let refusal = page.refused(json!({ "type": "new_game", "variant": "chess960", "position": 960,
                                       "white": person(), "black": person(), "clock": null }));
    assert!(refusal.contains("960"), "{refusal}");
    page.send(
        json!({ "type": "new_game", "variant": "chess960", "position": null, "white": person(),
                     "black": person(), "clock": null }),
    );
    assert_eq!(page.game.as_ref().unwrap().nodes.len(), 1);
}

#[test]
fn typed_moves_are_taken_leniently() {
    let mut page = Client::new();
    page.new_game(person(), person(), Value::Null);
    for text in ["e4", "E7E5", "nf3", "Nb8-c6", "Bc4!", "g8f6", "0-0", "Nxe4"] {
        page.send(json!({ "type": "type_move", "text": text }));
    }
    assert_eq!(page.moves_text(), "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O Nxe4 *");
    for text in ["", "Ke9", "Qh5", "--", "é", &"x".repeat(1000)] {
        let refusal = page.refused(json!({ "type": "type_move", "text": text }));
        assert!(refusal.len() < 200, "{refusal}");
    }
}

#[test]
fn a_takeback_returns_to_the_move_of_a_person() {
    let mut page = Client::new();
    page.new_game(person(), engine(), Value::Null);
    assert!(!page.play.as_ref().unwrap().can_take_back);
    page.moves("e2e4");
    page.engine_plays("e7e5");
    page.moves("g1f3");
    // The engine thinks: only the person's move is taken back.
    page.send(json!({ "type": "takeback" }));
    assert_eq!(page.play.as_ref().unwrap().line, ["e2e4", "e7e5"]);
    let (stopped, _) = page.take_search(Purpose::Play);
    page.input(Input::Update(stopped, Update::Found { best: None, lines: Lines::default() }));
    assert!(page.received.is_empty());
    page.moves("f1c4");
    page.engine_plays("g8f6");
    page.send(json!({ "type": "takeback" }));
    page.send(json!({ "type": "takeback" }));
    assert!(page.play.as_ref().unwrap().line.is_empty());
    assert!(page.refused(json!({ "type": "takeback" })).contains("no move"));
    assert_eq!(page.fen(), Position::INITIAL.fen());
    assert_eq!(page.moves_text(), "*");
    // Two people take back one move at a time.
    page.new_game(person(), person(), Value::Null);
    page.moves("e2e4 e7e5");
    page.send(json!({ "type": "takeback" }));
    assert_eq!(page.play.as_ref().unwrap().line, ["e2e4"]);
    // A person with Black has nothing to take back before his first move.
    page.new_game(engine(), person(), Value::Null);
    page.engine_plays("e2e4");
    assert!(!page.play.as_ref().unwrap().can_take_back);
}

#[test]
fn a_flag_that_falls_loses_unless_the_opponent_cannot_mate() {
    let clock = json!({ "initial_ms": 10_000, "increment_ms": 1_000 });
    let mut page = Client::new();
    page.new_game(person(), person(), clock.clone());
    page.wait(60_000);
    page.moves("e2e4");
    page.wait(4_000);
    page.moves("e7e5");
    let play = page.play.clone().unwrap();
    assert_eq!((play.white_ms, play.black_ms, play.running), (10_000, 7_000, Some(Color::White)));
    page.wait(9_999);
    assert_eq!(page.end(), None);
    page.wait(1);
    assert_eq!(page.end(), Some((GameResult::Black, "time".into())));
    assert_eq!(page.play.as_ref().unwrap().white_ms, 0);
    page.new_game_from("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", person(), person(), clock.clone());
    page.moves("e2e4 e8d8");
    page.wait(20_000);
    assert_eq!(page.end().unwrap().0, GameResult::Draw);
    // A move that comes after the flag, before the timer, is too late.
    page.new_game(person(), person(), clock);
    page.moves("e2e4");
    page.now += std::time::Duration::from_secs(11);
    page.send(json!({ "type": "move", "uci": "e7e5" }));
    assert_eq!(page.end(), Some((GameResult::White, "time".into())));
}

#[test]
fn draws_are_claimed_or_come_by_themselves() {
    let mut page = Client::new();
    page.new_game(person(), person(), Value::Null);
    assert!(page.refused(json!({ "type": "claim_draw" })).contains("claimed"));
    page.moves("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
    assert_eq!(page.play.as_ref().unwrap().claimable.as_deref(), Some("threefold repetition"));
    page.send(json!({ "type": "claim_draw" }));
    assert_eq!(page.end(), Some((GameResult::Draw, "threefold repetition".into())));
    page.new_game(person(), person(), Value::Null);
    page.moves(&"g1f3 g8f6 f3g1 f6g8 ".repeat(4));
    assert_eq!(page.end(), Some((GameResult::Draw, "fivefold repetition".into())));
    page.new_game_from("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", person(), person(), Value::Null);
    page.moves("g6f7");
    assert_eq!(page.end(), Some((GameResult::Draw, "stalemate".into())));
    page.new_game_from("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", person(), person(), Value::Null);
    page.moves("e1d2");
    assert_eq!(page.end(), Some((GameResult::Draw, "insufficient material".into())));
    page.new_game_from("4k3/8/8/8/8/8/8/R3K3 w - - 149 90", person(), person(), Value::Null);
    page.moves("a1a2");
    assert_eq!(page.end(), Some((GameResult::Draw, "75 moves".into())));
    page.new_game_from("4k3/8/8/8/8/8/8/R3K3 w - - 99 90", person(), person(), Value::Null);
    page.moves("a1a2");
    assert_eq!(page.play.as_ref().unwrap().claimable.as_deref(), Some("50 moves"));
    page.send(json!({ "type": "resign" }));
    assert_eq!(page.end(), Some((GameResult::White, "resignation".into())));
}

#[test]
fn a_reload_in_the_middle_of_a_game_resumes_it() {
    let clock = json!({ "initial_ms": 60_000, "increment_ms": 0 });
    let mut page = Client::new();
    page.new_game(person(), engine(), clock);
    page.moves("e2e4");
    page.engine_plays("c7c5");
    page.wait(5_000);
    page.send(json!({ "type": "go_to", "node": 1 }));
    let pgn = page.pgn();
    let play = page.play.clone().unwrap();
    let saved = json!({
        "pgn": pgn, "path": ["e2e4"], "paco": null,
        "play": { "white": person(), "black": engine(), "clock": play.clock, "white_ms": 55_000,
                  "black_ms": play.black_ms, "line": play.line, "result": "*", "reason": null },
    });
    let mut again = Client::new();
    again.send(json!({ "type": "hello", "protocol": 1, "saved": saved }));
    assert_eq!(again.position.as_ref().unwrap().last, page.position.as_ref().unwrap().last);
    let play = again.play.clone().unwrap();
    assert_eq!((play.status, play.line.len()), (PlayStatus::Playing, 2));
    assert_eq!((play.white_ms, play.running), (55_000, Some(Color::White)));
    again.send(json!({ "type": "go_to", "node": play.node }));
    again.moves("g1f3");
    again.engine_plays("d7d6");
    assert_eq!(again.moves_text(), "1. e4 c5 2. Nf3 d6 *");
    // Where the engine was to move, it thinks again.
    let saved = json!({
        "pgn": "1. e4 *", "path": ["e2e4"], "paco": null,
        "play": { "white": person(), "black": engine(), "clock": null, "white_ms": 0, "black_ms": 0,
                  "line": ["e2e4"], "result": "*", "reason": null },
    });
    let mut again = Client::new();
    again.send(json!({ "type": "hello", "protocol": 1, "saved": saved }));
    again.engine_plays("e7e5");
    assert_eq!(again.moves_text(), "1. e4 e5 *");
}

#[test]
fn an_invalid_saved_state_is_an_error_and_the_session_works() {
    let player = |level: i32| json!({ "kind": "engine", "level": level });
    for saved in [
        json!({ "pgn": "nonsense", "path": ["e2e4"], "play": null, "paco": null }),
        json!({ "pgn": "*", "path": [], "paco": null, "play": { "white": player(99), "black": player(0),
                "clock": null, "white_ms": 0, "black_ms": 0, "line": [], "result": "*", "reason": null } }),
        json!({ "pgn": "1. e4 *", "path": ["x", "y"], "paco": null, "play": { "white": player(1),
                "black": player(0), "clock": null, "white_ms": 0, "black_ms": 0, "line": ["e2e5"],
                "result": "*", "reason": null } }),
    ] {
        let mut page = Client::new();
        page.refused(json!({ "type": "hello", "protocol": 1, "saved": saved }));
        assert!(matches!(page.received[0], ServerMessage::Welcome(_)));
        assert!(page.position.is_some() && page.game.is_some() && page.play.is_some());
    }
}

#[test]
fn the_model_samples_from_its_prediction_after_a_thinking_time() {
    let mut page = Client::new();
    let model = json!({ "kind": "model", "rating": 2000, "temperature": 0.0 });
    page.new_game(model, person(), Value::Null);
    let job = page.take_job(|work| matches!(work, Work::Predict { .. }));
    let position = Position::INITIAL;
    let moves = ["d2d4", "e2e4"].map(|uci| position.parse_uci(uci).unwrap());
    let prediction = PositionPrediction {
        position,
        moves: vec![(moves[0], 0.4), (moves[1], 0.6)],
        wdl: [0.4, 0.3, 0.3],
    };
    page.input(Input::Update(job.id, Update::Prediction(prediction)));
    assert!(page.play.as_ref().unwrap().thinking);
    assert_eq!(page.fen(), position.fen());
    page.wait(6_000);
    assert_eq!(page.play.as_ref().unwrap().line, ["e2e4"]);
    page.moves("e7e5");
    assert_eq!(page.play.as_ref().unwrap().line.len(), 2);
    // It sees the game so far, and imitates players of the rating.
    let job = page.take_job(|work| matches!(work, Work::Predict { .. }));
    let Work::Predict { game, rating } = job.work else { unreachable!() };
    assert_eq!((game.moves().len(), rating), (2, Some(2000)));
}

#[test]
fn the_rating_of_the_model_is_checked_and_part_of_its_name() {
    let mut page = Client::new();
    for rating in ratings() {
        let model = json!({ "kind": "model", "rating": rating });
        page.new_game(person(), model, Value::Null);
        let name = format!("Tabiya (like people rated {rating})");
        assert!(page.game.as_ref().unwrap().tags.contains(&("Black".into(), name)));
    }
    for rating in [0, 999, 2801, 65_535] {
        let model = json!({ "kind": "model", "rating": rating });
        let error = page.refused(
            json!({ "type": "play_from", "white": model, "black": person(), "clock": null }),
        );
        assert_eq!(error, "The rating must be between 1000 and 2800.");
    }
}

#[test]
fn a_game_against_the_model_saved_without_a_rating_is_resumed() {
    let model = json!({ "kind": "model", "temperature": 0.5 });
    let mut page = Client::new();
    page.send(json!({ "type": "hello", "protocol": 1, "saved": {
        "pgn": "1. e4 *", "path": ["e2e4"], "paco": null,
        "play": { "white": person(), "black": model, "clock": null, "white_ms": 0, "black_ms": 0,
                  "line": ["e2e4"], "result": "*", "reason": null } } }));
    let black = Player::Model { rating: 1600, temperature: Some(0.5) };
    assert_eq!(page.play.as_ref().unwrap().black, black);
    page.take_job(|work| matches!(work, Work::Predict { rating: Some(1600), .. }));
}

#[test]
fn other_positions_can_be_shown_during_a_game() {
    let mut page = Client::new();
    page.new_game(person(), engine(), Value::Null);
    page.moves("e2e4");
    page.send(json!({ "type": "go_to", "node": 0 }));
    page.engine_plays("e7e5");
    assert_eq!(page.node(), 0);
    page.moves("d2d4");
    assert_eq!(page.play.as_ref().unwrap().line, ["e2e4", "e7e5"]);
    assert_eq!(page.moves_text(), "1. e4 (1. d4) 1... e5 *");
    // Playing on from there is another game.
    page.send(json!({ "type": "play_from", "white": person(), "black": person(), "clock": null }));
    page.moves("d7d5");
    assert_eq!(page.play.as_ref().unwrap().line, ["d2d4", "d7d5"]);
}

#[test]
fn a_machine_that_fails_leaves_the_game_to_the_person() {
    let mut page = Client::new();
    page.new_game(person(), engine(), Value::Null);
    page.moves("e2e4");
    let (id, _) = page.take_search(Purpose::Play);
    page.input(Input::Update(id, Update::Failed("no memory".into())));
    assert_eq!(page.error().as_deref(), Some("no memory"));
    assert!(!page.play.as_ref().unwrap().thinking && page.jobs.is_empty());
    page.send(json!({ "type": "takeback" }));
    page.moves("d2d4");
    page.engine_plays("d7d5");
}

#[test]
fn a_hint_is_given_for_the_position_shown() {
    let mut page = Client::new();
    page.new_game(person(), engine(), Value::Null);
    page.send(json!({ "type": "hint" }));
    let (id, search) = page.take_search(Purpose::Play);
    assert!(search.limits.move_time.unwrap().as_secs() < 2 && search.weakening.is_none());
    let best = search.game.position().parse_uci("e2e4").ok();
    page.input(Input::Update(id, Update::Found { best, lines: Lines::default() }));
    let hint = ServerMessage::Hint { node: 0, uci: "e2e4".into(), san: "e4".into() };
    assert_eq!(page.received, [hint]);
}

#[test]
fn exploring_beside_a_game_plays_no_move_of_it_and_leaves_its_main_line() {
    let mut page = Client::new();
    page.new_game(person(), engine(), Value::Null);
    page.moves("e2e4");
    // It is the engine's turn: a person may try out what it could play, and an answer to that.
    for uci in ["c7c5", "g1f3"] {
        page.send(json!({ "type": "move", "uci": uci, "explore": true }));
    }
    page.send(json!({ "type": "type_move", "text": "d6", "explore": true }));
    page.engine_plays("e7e5");
    assert_eq!(page.moves_text(), "1. e4 e5 (1... c5 2. Nf3 d6) *");
    assert_eq!(page.play.as_ref().unwrap().line, ["e2e4", "e7e5"]);
}
