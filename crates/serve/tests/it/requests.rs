//! Requests, accepted and rejected.

use std::fmt::Write;

use serde_json::{Value, json};
use tabiya_serve::Access;

use crate::client::{Tab, raw, request, start, status};

const TOKEN: &str = "0123456789abcdef";

#[tokio::test(flavor = "multi_thread")]
async fn the_page_comes_with_its_policies_and_is_cached_by_its_content() {
    let address = start(Access::default()).await;
    let (status, answer) = request(address, "GET /", &[]).await;
    assert_eq!(status, 200);
    let head = answer.split("\r\n\r\n").next().unwrap().to_ascii_lowercase();
    for policy in [
        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cross-origin-opener-policy: same-origin",
        "cross-origin-resource-policy: same-origin",
        "content-type: text/html; charset=utf-8",
        "cache-control: no-cache",
    ] {
        assert!(head.contains(policy), "{policy}: {head}");
    }
    assert!(!head.contains("unsafe") && !head.contains("access-control"), "{head}");
    assert!(!answer.contains("style=\"") && !answer.contains("onclick"), "{answer}");
    let tag = answer.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let (status, answer) = request(address, "GET /", &[("If-None-Match", &tag)]).await;
    assert_eq!(status, 304);
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    for (path, kind) in [("/main.js", "text/javascript"), ("/pieces.svg", "image/svg+xml")] {
        let (status, answer) = request(address, &format!("GET {path}"), &[]).await;
        assert!(status == 200 && answer.contains(kind), "{path}");
    }
    let gzip = [("Accept-Encoding", "deflate, gzip, br")];
    let (plain, packed) = (
        request(address, "GET /style.css", &[]).await.1,
        request(address, "GET /style.css", &gzip).await.1,
    );
    assert!(!plain.contains("content-encoding") && packed.contains("content-encoding: gzip"));
    let (status, answer) = request(address, "HEAD /style.css", &[]).await;
    assert!(status == 200 && answer.ends_with("\r\n\r\n"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_hosts_and_origins_are_rejected() {
    let address = start(Access::default()).await;
    let port = address.port();
    let local = format!("localhost:{port}");
    assert_eq!(request(address, "GET /", &[("Host", &local)]).await.0, 200);
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "localhost", ""] {
        assert_eq!(request(address, "GET /", &[("Host", host)]).await.0, 421, "{host}");
    }
    let twice = format!("GET / HTTP/1.1\r\nHost: {local}\r\nHost: evil.example\r\n\r\n");
    assert!([400, 421].contains(&status(&raw(address, twice.as_bytes()).await)));
    for origin in ["http://evil.example", "null", &format!("http://localhost:{port}"), "https://x"]
    {
        assert_eq!(request(address, "GET /", &[("Origin", origin)]).await.0, 403, "{origin}");
        let header = ("origin", origin.to_owned());
        assert!(Tab::try_open(address, "", &[header]).await.is_err(), "{origin}");
        let upload = [("Origin", origin), ("Content-Length", "0")];
        assert_eq!(request(address, "POST /upload?session=1", &upload).await.0, 403, "{origin}");
    }
    assert!(Tab::try_open(address, "", &[]).await.is_err(), "a socket without an origin");
    let foreign =
        [("origin", "http://evil.example".to_owned()), ("host", "evil.example".to_owned())];
    assert!(Tab::try_open(address, "", &foreign).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_outside_the_page_are_not_found() {
    let address = start(Access::default()).await;
    for path in [
        "/../Cargo.toml",
        "/../../../../etc/passwd",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "/..%5cCargo.toml",
        "/%252e%252e/Cargo.toml",
        "/....//Cargo.toml",
        "/board/../../Cargo.toml",
        "//etc/passwd",
        "/etc/passwd",
        "/index.html%00.js",
        "/.git/config",
        "/web/index.html",
        "/README.md",
        "/tsconfig.json",
        "/C:/Windows/win.ini",
        "/\\..\\Cargo.toml",
    ] {
        let (status, answer) = request(address, &format!("GET {path}"), &[]).await;
        assert!([400, 404].contains(&status), "{path}: {answer}");
        assert!(!answer.contains("[package]") && !answer.contains("root:"), "{path}");
    }
    for line in ["PUT /", "DELETE /index.html", "POST /", "TRACE /", "OPTIONS /", "CONNECT x:1"] {
        let origin = format!("http://{address}");
        let (status, _) = request(address, line, &[("Origin", &origin)]).await;
        assert!([400, 405].contains(&status), "{line}: {status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn large_bodies_and_heads_are_rejected_and_the_server_keeps_running() {
    let address = start(Access::default()).await;
    let (_tab, session) = Tab::hello(address).await;
    let upload = |session: u64, length: usize| {
        format!(
            "POST /upload?session={session} HTTP/1.1\r\nHost: {address}\r\n\
             Origin: http://{address}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        )
    };
    let with_body = |head: String, length: usize| {
        let mut request = head.into_bytes();
        request.resize(request.len() + length, b'x');
        request
    };
    let ten = 10 << 20;
    let elsewhere = upload(session, ten).replace("/upload", "/elsewhere");
    let answer = raw(address, &with_body(elsewhere, ten)).await;
    assert!(answer.is_empty() || status(&answer) == 405, "{answer}");
    let answer = raw(address, &with_body(upload(session + 1, ten), ten)).await;
    assert!(answer.is_empty() || status(&answer) == 404, "{answer}");
    let huge = 17 << 20;
    assert_eq!(status(&raw(address, upload(session, huge).as_bytes()).await), 413);
    // Without a length, in chunks.
    let mut chunked = upload(session, 0).replace("Content-Length: 0", "Transfer-Encoding: chunked");
    for _ in 0..17 {
        let _ = write!(chunked, "{:x}\r\n{}\r\n", 1 << 20, "x".repeat(1 << 20));
    }
    chunked += "0\r\n\r\n";
    let answer = raw(address, chunked.as_bytes()).await;
    assert!(answer.is_empty() || status(&answer) == 413, "{answer}");
    // A head that never ends.
    let answer =
        raw(address, format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(1 << 20)).as_bytes()).await;
    assert!(answer.is_empty() || [400, 431].contains(&status(&answer)), "{answer}");
    for garbage in
        [&b"\0\0\0\0"[..], b"GET\r\n\r\n", b"\x16\x03\x01\x02\0", b"GET / HTTP/9.9\r\n\r\n"]
    {
        let answer = raw(address, garbage).await;
        assert!(answer.is_empty() || status(&answer) >= 400, "{answer}");
    }
    assert_eq!(request(address, "GET /", &[]).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_lists_its_games_with_markup_as_text() {
    let address = start(Access::default()).await;
    let (tab, session) = Tab::hello(address).await;
    let games = "[White \"<script>alert(1)</script>\"]\n[Black \"B\"]\n\n1. e4 {<img src=x>} e5 1-0\n\n\
                 [White \"C\"]\n\n1. Ke3 *\n";
    let post = |session: u64| {
        format!(
            "POST /upload?session={session} HTTP/1.1\r\nHost: {address}\r\n\
             Origin: http://{address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{games}",
            games.len()
        )
    };
    let answer = raw(address, post(session).as_bytes()).await;
    assert!(answer.contains("application/json") && answer.contains("nosniff"), "{answer}");
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(body["games"][0]["title"], "<script>alert(1)</script> – B");
    assert_eq!(body["games"][0]["plies"], 2);
    assert!(body["games"][1]["problem"].is_string(), "{body}");
    drop(tab);
    // The uploads of a closed tab are gone with it.
    let mut tries = 0;
    while status(&raw(address, post(session).as_bytes()).await) != 404 {
        tries += 1;
        assert!(tries < 1000, "the tab stays open");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_token_unauthenticated_requests_are_rejected() {
    let address = start(Access::new(None, Some(TOKEN)).unwrap()).await;
    let origin = ("origin", format!("http://{address}"));
    for path in ["/", "/main.js", "/pieces.svg", "/?token=wrong", "/?token=0123456789abcdeg"] {
        assert_eq!(request(address, &format!("GET {path}"), &[]).await.0, 401, "{path}");
    }
    assert!(Tab::try_open(address, "", std::slice::from_ref(&origin)).await.is_err());
    assert!(Tab::try_open(address, "?token=x", std::slice::from_ref(&origin)).await.is_err());
    let post = [("Origin", origin.1.as_str()), ("Content-Length", "0")];
    assert_eq!(request(address, "POST /upload?session=1", &post).await.0, 401);
    let (status, answer) = request(address, &format!("GET /?token={TOKEN}"), &[]).await;
    assert_eq!(status, 200);
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    assert_eq!(request(address, "GET /main.js", &[("Cookie", &cookie)]).await.0, 200);
    let query = format!("?token={TOKEN}");
    assert!(Tab::try_open(address, &query, std::slice::from_ref(&origin)).await.is_ok());
    assert!(Tab::try_open(address, "", &[origin, ("cookie", cookie)]).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_is_too_long_for_a_message_is_restored_from_an_upload() {
    let address = start(Access::default()).await;
    let (mut tab, session) = Tab::hello(address).await;
    let person = json!({ "kind": "person" });
    let comment = "long ".repeat(20_000);
    let saved = json!({
        "pgn": format!("1. e4 {{{comment}}} e5 *"), "path": ["e2e4", "e7e5"],
        "play": { "white": person, "black": person, "clock": null, "white_ms": 0, "black_ms": 0,
                  "line": ["e2e4", "e7e5"], "result": "*", "reason": null },
        "paco": { "start": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0 AHah - -",
                  "actions": ["e2", "e4"], "white": person, "black": person },
    });
    let keep = |body: String| {
        format!(
            "POST /upload?session={session}&saved=1 HTTP/1.1\r\nHost: {address}\r\n\
             Origin: http://{address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let hello = async |tab: &mut Tab, body: String| {
        let answer = raw(address, keep(body).as_bytes()).await;
        let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert_eq!(body["games"], json!([]));
        tab.send(json!({ "type": "hello", "protocol": 1, "upload": body["upload"] })).await;
    };
    hello(&mut tab, saved.to_string()).await;
    let play = loop {
        let play = tab.next_of("play").await;
        if play["status"] != "none" {
            break play;
        }
    };
    assert_eq!((&play["status"], &play["line"]), (&json!("playing"), &json!(["e2e4", "e7e5"])));
    assert_eq!(tab.next_of("paco").await["turns"][0]["actions"], json!(["e2", "e4"]));
    for damaged in ["{".to_owned(), "1. e4 *".to_owned(), "[".repeat(100_000)] {
        hello(&mut tab, damaged).await;
        assert!(tab.next_of("notice").await["text"].as_str().unwrap().contains("cannot be read"));
    }
    tab.send(json!({ "type": "hello", "protocol": 1, "upload": 99 })).await;
    assert!(tab.next_of("notice").await["text"].as_str().unwrap().contains("no longer there"));
}
