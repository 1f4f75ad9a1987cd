//! Tabs: invalid messages, many tabs, floods and idle connections.

use std::time::Duration;

use futures_util::SinkExt;
use serde_json::json;
use tabiya_serve::Access;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Tab, request, start};

#[tokio::test(flavor = "multi_thread")]
async fn invalid_messages_are_answered_by_notices_and_too_many_close_the_socket() {
    let address = start(Access::default()).await;
    let (mut tab, _) = Tab::hello(address).await;
    for text in [
        "",
        "null",
        "{",
        "[]",
        "{\"type\":\"quit\"}",
        "{\"type\":\"move\"}",
        "{\"type\":\"move\",\"uci\":3}",
        "{\"type\":\"resign\",\"extra\":1}",
        "go infinite",
        &"[".repeat(10_000),
        "{\"type\":\"paco_act\",\"action\":{\"lift\":\"z9\"}}",
    ] {
        tab.send_text(text).await;
        assert_eq!(tab.next_of("notice").await["level"], "error", "{text}");
    }
    let _ = tab.socket.send(Message::binary(vec![0, 1, 2])).await;
    assert_eq!(tab.next_of("notice").await["level"], "error");
    // A valid message is still answered.
    tab.send(
        json!({ "type": "paco_new", "white": { "kind": "person" }, "black": { "kind": "person" } }),
    )
    .await;
    tab.next_of("paco").await;
    for _ in 0..100 {
        tab.send_text("nonsense").await;
    }
    while tab.next().await.is_some() {}
    let (mut other, _) = Tab::hello(address).await;
    other.send_text(&format!("{{\"type\":\"load\",\"text\":\"{}\"}}", "x".repeat(64 << 10))).await;
    while other.next().await.is_some() {}
    assert_eq!(request(address, "GET /", &[]).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_tabs_play_two_games() {
    let address = start(Access::default()).await;
    let ((mut first, one), (mut second, two)) =
        (Tab::hello(address).await, Tab::hello(address).await);
    assert_ne!(one, two);
    let new =
        json!({ "type": "paco_new", "white": { "kind": "person" }, "black": { "kind": "person" } });
    first.send(new.clone()).await;
    second.send(new).await;
    first.send(json!({ "type": "paco_act", "action": { "lift": "e2" } })).await;
    first.next_of("paco").await;
    assert_eq!(first.next_of("paco").await["hand"]["square"], "e2");
    assert!(second.next_of("paco").await["hand"].is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_do_not_starve_others() {
    let address = start(Access::default()).await;
    let (mut tab, _) = Tab::hello(address).await;
    let mut silent = Vec::new();
    for n in 0..400 {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        if n % 2 == 0 {
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: 127").await;
        }
        silent.push(stream);
    }
    assert_eq!(request(address, "GET /", &[]).await.0, 200);
    tab.send(json!({ "type": "paco_threats", "on": true })).await;
    tab.next_of("paco").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_rate_limited_and_a_good_tab_is_answered_meanwhile() {
    let address = start(Access::default()).await;
    let (mut good, _) = Tab::hello(address).await;
    let mut floods = Vec::new();
    for n in 0..8 {
        floods.push(tokio::spawn(async move {
            let (mut tab, _) = Tab::hello(address).await;
            let player = json!({ "kind": "person" });
            for m in 0..400 {
                match (n + m) % 3 {
                    0 => tab.send(json!({ "type": "paco_threats", "on": m % 2 == 0 })).await,
                    1 => {
                        tab.send(json!({ "type": "paco_new", "white": player, "black": player }))
                            .await
                    }
                    _ => tab.send(json!({ "type": "paco_go_to", "turns": m, "actions": n })).await,
                }
            }
        }));
    }
    for turn in ["e2", "d2", "c2"] {
        let player = json!({ "kind": "person" });
        good.send(json!({ "type": "paco_new", "white": player, "black": player })).await;
        good.next_of("paco").await;
        good.send(json!({ "type": "paco_act", "action": { "lift": turn } })).await;
        assert_eq!(good.next_of("paco").await["hand"]["square"], turn);
    }
    for flood in floods {
        flood.abort();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_reads_nothing_does_not_stop_the_others() {
    let address = start(Access::default()).await;
    let (mut deaf, _) = Tab::hello(address).await;
    let (mut good, _) = Tab::hello(address).await;
    let player = json!({ "kind": "person" });
    let new = json!({ "type": "paco_new", "white": player, "black": player });
    let flood = tokio::spawn(async move {
        // Answers of some kilobytes each are never read.
        let mut sent = 0;
        while sent < 5_000 && deaf.socket.send(Message::text(new.to_string())).await.is_ok() {
            sent += 1;
        }
        deaf
    });
    for _ in 0..20 {
        good.send(json!({ "type": "paco_threats", "on": true })).await;
        good.next_of("paco").await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    flood.abort();
}
