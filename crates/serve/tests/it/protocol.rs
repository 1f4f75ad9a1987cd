//! Messages as JSON text.

use serde_json::{Value, from_str, from_value, json, to_value};
use tabiya_serve::protocol::*;

/// Every message of the page as the page writes it.
fn client_messages() -> Vec<Value> {
    let person = json!({ "kind": "person" });
    let model = json!({ "kind": "model", "rating": 1600 });
    let likeliest = json!({ "kind": "model", "rating": 2000, "temperature": 0.0 });
    let engine = json!({ "kind": "engine", "level": 3 });
    let clock = json!({ "initial_ms": 300_000, "increment_ms": 2_000 });
    let saved = json!({
        "pgn": "1. e4 *", "path": ["e2e4"], "paco": null,
        "play": { "white": person, "black": engine, "clock": null, "white_ms": 0, "black_ms": 0,
                  "line": ["e2e4"], "result": "*", "reason": null },
    });
    let report = json!({ "complete": true, "start": 20, "line": ["f2f3", "0000", "g2g4"], "moves": [
        { "score": 15, "loss": 0.01 }, null,
        { "score": -31_999, "loss": 0.5, "mark": "??", "reply": ["d8h4"], "better": [["e2e4"], 30] } ] });
    let paco = json!({ "start": "fen", "actions": ["e2", "e4"], "white": person,
                       "black": { "kind": "player", "level": 1 } });
    vec![
        json!({ "type": "hello", "protocol": 1 }),
        json!({ "type": "hello", "protocol": 1, "saved": saved }),
        json!({ "type": "hello", "protocol": 1, "upload": 3 }),
        json!({ "type": "hello", "protocol": 1,
                "saved": { "path": [], "play": null, "report": report, "paco": paco } }),
        json!({ "type": "new_game", "variant": "chess960", "position": 518, "white": person,
                "black": model, "clock": clock }),
        json!({ "type": "new_game", "variant": "chess", "position": null, "fen": "8/8", "white": person,
                "black": engine, "clock": null }),
        json!({ "type": "play_from", "white": likeliest, "black": person, "clock": clock }),
        json!({ "type": "load", "text": "1. e4 e5" }),
        json!({ "type": "open", "upload": 1, "game": 2 }),
        json!({ "type": "move", "uci": "e2e4" }),
        json!({ "type": "type_move", "text": "Nf3" }),
        json!({ "type": "go_to", "node": 4 }),
        json!({ "type": "takeback" }),
        json!({ "type": "hint" }),
        json!({ "type": "resign" }),
        json!({ "type": "claim_draw" }),
        json!({ "type": "set_comment", "node": 1, "text": "good" }),
        json!({ "type": "set_nags", "node": 1, "nags": [1, 16] }),
        json!({ "type": "set_shapes", "node": 0, "shapes": [
            { "color": "green", "from": "e2", "to": "e4" },
            { "color": "blue", "from": "a8", "to": null } ] }),
        json!({ "type": "promote_variation", "node": 2 }),
        json!({ "type": "make_main_line", "node": 2 }),
        json!({ "type": "delete_node", "node": 2 }),
        json!({ "type": "set_tags", "tags": [["White", "Réti"]] }),
        json!({ "type": "get_pgn" }),
        json!({ "type": "set_engine", "on": true, "multipv": 3, "threat": false }),
        json!({ "type": "set_model", "on": true }),
        json!({ "type": "set_model", "on": true, "rating": 1400 }),
        json!({ "type": "get_attention", "layer": 0, "head": 11 }),
        json!({ "type": "preview", "node": 0, "moves": ["e2e4", "e7e5"] }),
        json!({ "type": "analyse_game", "seconds": 0.5 }),
        json!({ "type": "stop_analysis" }),
        json!({ "type": "learn", "color": "black" }),
        json!({ "type": "learn_try", "uci": "e2e4" }),
        json!({ "type": "learn_show" }),
        json!({ "type": "learn_next" }),
        json!({ "type": "learn_end" }),
        json!({ "type": "paco_new", "white": person, "black": { "kind": "player", "level": 0 } }),
        json!({ "type": "paco_load", "text": "e2>e4", "white": person, "black": person }),
        json!({ "type": "paco_act", "action": { "lift": "e2" } }),
        json!({ "type": "paco_act", "action": { "promote": "q" } }),
        json!({ "type": "paco_undo", "all": true }),
        json!({ "type": "paco_takeback" }),
        json!({ "type": "paco_resign" }),
        json!({ "type": "paco_go_to", "turns": 2, "actions": 1 }),
        json!({ "type": "paco_play_from" }),
        json!({ "type": "paco_hint", "paco_in": 2 }),
        json!({ "type": "paco_threats", "on": true }),
    ]
}

#[test]
fn messages_of_the_page_are_read_and_written_as_they_are() {
    for value in client_messages() {
        let message: ClientMessage = from_value(value.clone()).unwrap();
        assert_eq!(message.name(), value["type"]);
        let mut written = to_value(&message).unwrap();
        if written.get("position") == Some(&Value::Null) && value.get("position").is_none() {
            written.as_object_mut().unwrap().remove("position");
        }
        assert_eq!(written, value);
    }
}

#[test]
fn every_message_of_the_protocol_is_known() {
    let text = include_str!("../../web/protocol.d.ts");
    let (client, _) = text.split_once("/** What the page keeps").unwrap();
    let tested: Vec<String> =
        client_messages().iter().map(|m| m["type"].as_str().unwrap().to_owned()).collect();
    let mut count = 0;
    for rest in client.split("| { type: \"").skip(1) {
        let name = rest.split('"').next().unwrap();
        assert!(tested.iter().any(|known| known == name), "{name}");
        count += 1;
    }
    assert!(count > 40, "{count}");
}

#[test]
fn unknown_messages_and_fields_are_errors() {
    for text in [
        r#"{ "type": "quit" }"#,
        r#"{ "type": "takeback", "moves": 3 }"#,
        r#"{ "type": "move", "uci": "e2e4", "force": true }"#,
        r#"{ "type": "move" }"#,
        r#"{ "uci": "e2e4" }"#,
        r#"{ "type": "go_to", "node": -1 }"#,
        r#"{ "type": "go_to", "node": 1e30 }"#,
        r#"{ "type": "set_shapes", "node": 0, "shapes": [{ "color": "green", "from": "e9", "to": null }] }"#,
        r#"{ "type": "set_nags", "node": 0, "nags": [256] }"#,
        r#"{ "type": "play_from", "white": { "kind": "person", "level": 1 }, "black": { "kind": "person" }, "clock": null }"#,
        "[]",
        "null",
        "",
    ] {
        assert!(from_str::<ClientMessage>(text).is_err(), "{text}");
    }
}

#[test]
fn messages_of_the_server_read_back_as_they_were() {
    let e4 = Square(square("e4"));
    let line = PvMessage {
        score: ScoreMessage::Mate(-3),
        wdl: [0, 10, 990],
        uci: vec!["e2e4".into()],
        san: vec!["e4".into()],
    };
    for (message, text) in [
        (
            ServerMessage::Hint { node: 1, uci: "e2e4".into(), san: "e4".into() },
            r#"{"type":"hint","node":1,"uci":"e2e4","san":"e4"}"#,
        ),
        (
            ServerMessage::Lines(LinesMessage {
                node: 7,
                depth: 12,
                seldepth: 20,
                nodes: 1_000_000,
                nps: 500_000,
                lines: vec![line],
                done: false,
            }),
            r#"{"type":"lines","node":7,"depth":12,"seldepth":20,"nodes":1000000,"nps":500000,"lines":[{"score":{"mate":-3},"wdl":[0,10,990],"uci":["e2e4"],"san":["e4"]}],"done":false}"#,
        ),
        (
            ServerMessage::Preview {
                node: 0,
                moves: vec![],
                fen: "f".into(),
                last: Some((e4, e4)),
                check: None,
            },
            r#"{"type":"preview","node":0,"moves":[],"fen":"f","last":["e4","e4"],"check":null}"#,
        ),
        (
            ServerMessage::Notice {
                level: NoticeLevel::Error,
                text: "<b>".into(),
                about: Some("load".into()),
            },
            r#"{"type":"notice","level":"error","text":"<b>","about":"load"}"#,
        ),
    ] {
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
        assert_eq!(from_str::<ServerMessage>(text).unwrap(), message);
    }
}

fn square(name: &str) -> chess::Square {
    name.parse().unwrap()
}
