//! Games that are loaded and edited.

use chess::pgn::read_trees;
use serde_json::json;
use tabiya_serve::protocol::*;

use super::page::*;

const GAME: &str = "[White \"Réti <b>\"]\n\n{ Before } 1. e4 { [%eval 0.3] [%cal Ge2e4] best by test } \
                    e5 (1... c5 $5 2. Nf3 (2. c3)) 2. Nf3 { [%csl Rf3] } Nc6 1-0";

fn loaded() -> Client {
    let mut page = Client::new();
    page.send(json!({ "type": "load", "text": GAME }));
    page
}

fn node<'a>(page: &'a Client, san: &str) -> &'a TreeNode {
    let nodes = &page.game.as_ref().unwrap().nodes;
    nodes.iter().find(|node| node.san.as_deref() == Some(san)).unwrap()
}

#[test]
fn a_game_is_loaded_with_variations_comments_and_shapes() {
    let page = loaded();
    let game = page.game.as_ref().unwrap();
    assert_eq!((game.nodes.len(), game.result, &game.problem), (8, GameResult::White, &None));
    assert!(game.tags.contains(&("White".into(), "Réti <b>".into())));
    assert_eq!(game.nodes[0].comment, "Before");
    let e4 = node(&page, "e4");
    assert_eq!((e4.comment.as_str(), e4.score), ("best by test", Some(ScoreMessage::Cp(30))));
    assert_eq!((e4.shapes.len(), e4.children.len(), e4.ply), (1, 2, 1));
    let marked = node(&page, "Nf3").shapes.as_slice();
    let f3 = Square("f3".parse().unwrap());
    assert_eq!(marked, [Shape { color: ShapeColor::Red, from: f3, to: None }]);
    assert_eq!(node(&page, "c5").nags, [5]);
}

#[test]
fn a_broken_game_is_kept_up_to_the_error_and_of_many_the_first_is_opened() {
    let mut page = Client::new();
    page.send(json!({ "type": "load", "text": "1. e4 e5 2. Ke3 Nf6 *" }));
    let game = page.game.as_ref().unwrap();
    assert_eq!(game.nodes.len(), 3);
    assert!(game.problem.as_ref().unwrap().contains("Ke3"));
    page.send(json!({ "type": "load", "text": "1. e4 *\n\n1. d4 *\n\n1. c4 *" }));
    let notified = page.received.iter().any(|message| {
        matches!(message, ServerMessage::Notice { level: NoticeLevel::Info, text, .. } if text.contains("3 games"))
    });
    assert!(notified, "{:?}", page.received);
    let before = page.game.clone();
    assert!(page.refused(json!({ "type": "load", "text": "no chess" })).contains("neither"));
    assert_eq!(page.game, before);
    page.send(json!({ "type": "load", "text": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1" }));
    assert_eq!(page.fen(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
}

#[test]
fn games_of_an_upload_are_opened_by_number() {
    let mut page = Client::with_texts(&["1. e4 *\n\n1. d4 d5 *"]);
    page.send(json!({ "type": "open", "upload": 0, "game": 1 }));
    assert_eq!(page.moves_text(), "1. d4 d5 *");
    assert!(page.refused(json!({ "type": "open", "upload": 0, "game": 2 })).contains("no game 2"));
    assert!(page.refused(json!({ "type": "open", "upload": 5, "game": 0 })).contains("upload"));
}

#[test]
fn a_move_ends_at_a_known_child_or_adds_a_variation() {
    let mut page = loaded();
    let count = page.game.as_ref().unwrap().nodes.len();
    page.moves("e2e4 c7c5");
    assert_eq!(page.node(), node(&page, "c5").id);
    assert_eq!(page.game.as_ref().unwrap().nodes.len(), count);
    page.moves("d2d4");
    assert_eq!(page.game.as_ref().unwrap().nodes.len(), count + 1);
    assert_eq!(node(&page, "d4").parent, Some(node(&page, "c5").id));
}

#[test]
fn comments_glyphs_and_shapes_are_edited_in_place() {
    let mut page = loaded();
    let e4 = node(&page, "e4").id;
    page.send(json!({ "type": "set_comment", "node": e4, "text": "a {new}\nword" }));
    assert_eq!(node(&page, "e4").comment, "a (new) word");
    assert_eq!(node(&page, "e4").score, Some(ScoreMessage::Cp(30)));
    assert_eq!(node(&page, "e4").shapes.len(), 1);
    page.send(json!({ "type": "set_shapes", "node": e4, "shapes": [
        { "color": "blue", "from": "a1", "to": null }, { "color": "red", "from": "a1", "to": "h8" }] }));
    assert_eq!(node(&page, "e4").shapes.len(), 2);
    page.send(json!({ "type": "set_nags", "node": e4, "nags": [1, 18] }));
    let text = page.moves_text();
    let head = "{ Before } 1. e4 $1 $18 { [%eval 0.3] [%csl Ba1] [%cal Ra1h8] a (new) word }";
    assert!(text.starts_with(head), "{text}");
    page.send(json!({ "type": "set_shapes", "node": e4, "shapes": [] }));
    page.send(json!({ "type": "set_comment", "node": e4, "text": "" }));
    assert!(page.moves_text().starts_with("{ Before } 1. e4 $1 $18 { [%eval 0.3] }"));
    let long = "x".repeat(10_000);
    assert!(
        page.refused(json!({ "type": "set_comment", "node": e4, "text": long })).contains("long")
    );
    assert!(
        page.refused(json!({ "type": "set_nags", "node": e4, "nags": vec![1; 50] }))
            .contains("many")
    );
    page.refused(json!({ "type": "set_comment", "node": 999, "text": "" }));
}

#[test]
fn lines_are_promoted_and_deleted() {
    let mut page = loaded();
    let c3 = node(&page, "c3").id;
    page.send(json!({ "type": "go_to", "node": c3 }));
    page.send(json!({ "type": "promote_variation", "node": c3 }));
    assert!(page.moves_text().contains("(1... c5 $5 2. c3 (2. Nf3))"));
    page.send(json!({ "type": "make_main_line", "node": c3 }));
    assert!(page.moves_text().contains("c5 $5 (1... e5 2. Nf3"), "{}", page.moves_text());
    let c5 = node(&page, "c5").id;
    page.send(json!({ "type": "delete_node", "node": c5 }));
    assert_eq!(page.node(), node(&page, "e4").id);
    page.refused(json!({ "type": "go_to", "node": c3 }));
    page.refused(json!({ "type": "delete_node", "node": 0 }));
    assert!(!page.moves_text().contains("c5"));
}

#[test]
fn tags_are_replaced_unless_a_reader_would_stumble_over_them() {
    let mut page = loaded();
    page.send(json!({ "type": "set_tags", "tags": [["White", "A \"B\" C"], ["Annotator", "é"]] }));
    let text = page.pgn();
    assert!(text.contains("[White \"A \\\"B\\\" C\"]") && text.contains("[Annotator \"é\"]"));
    assert!(text.contains("[Result \"1-0\"]"));
    for (name, value) in [
        ("fen", "8/8"),
        ("Variant", "Atomic"),
        ("a b", "x"),
        ("", "x"),
        ("variant", "x"),
        ("Result", "won"),
    ] {
        page.refused(json!({ "type": "set_tags", "tags": [[name, value]] }));
        assert_eq!(page.pgn(), text);
    }
    assert_eq!(read_trees(text.as_bytes())[0].as_ref().unwrap().to_string(), text);
    page.send(json!({ "type": "set_tags", "tags": [["Result", "1/2-1/2"]] }));
    assert!(page.pgn().contains("[Result \"1/2-1/2\"]") && page.moves_text().ends_with("1/2-1/2"));
}

#[test]
fn a_preview_shows_the_board_after_a_line() {
    let mut page = loaded();
    page.send(json!({ "type": "preview", "node": 0, "moves": ["e2e4", "f7f5", "d1h5"] }));
    match page.received.as_slice() {
        [ServerMessage::Preview { fen, last, check, .. }] => {
            assert!(fen.starts_with("rnbqkbnr/ppppp1pp/8/5p1Q"), "{fen}");
            assert_eq!(last.unwrap().1, Square("h5".parse().unwrap()));
            assert_eq!(check.unwrap(), Square("e8".parse().unwrap()));
        }
        other => panic!("{other:?}"),
    }
    page.refused(json!({ "type": "preview", "node": 0, "moves": ["e2e5"] }));
}
