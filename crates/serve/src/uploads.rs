//! Texts that are too long for a message: `POST /upload?session=N`, answered by the list of their games. With
//! `&saved=1` the text is the saved state of a page, which has no games to list.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, Response, StatusCode};
use chess::pgn::Trees;
use engine::analysis::game_title;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::access::query_value;
use crate::http::refuse;
use crate::protocol::{Upload, UploadedGame};
use crate::tabs::Tabs;

/// The longest upload.
const MAX_UPLOAD: usize = 16 << 20;
/// Timeout of receiving an upload.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(60);
/// Listed games.
const MAX_GAMES: usize = 10_000;
/// Characters of a title or a problem.
const MAX_TEXT: usize = 200;

/// Receives an upload of an open tab.
pub async fn receive(tabs: &Tabs, request: Request) -> Response<Body> {
    let tab = query_value(request.uri(), "session").and_then(|number| number.parse().ok());
    let Some(tab) = tab.filter(|&tab| tabs.is_open(tab)) else {
        return refuse(StatusCode::NOT_FOUND, "there is no such session");
    };
    let is_saved = query_value(request.uri(), "saved").is_some();
    let too_long = || refuse(StatusCode::PAYLOAD_TOO_LARGE, "an upload has at most 16 MiB");
    let announced =
        request.headers().get(CONTENT_LENGTH).and_then(|n| n.to_str().ok()?.parse().ok());
    if announced.is_some_and(|bytes: usize| bytes > MAX_UPLOAD) {
        return too_long();
    }
    let bytes = match timeout(UPLOAD_TIMEOUT, to_bytes(request.into_body(), MAX_UPLOAD)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return too_long(),
        Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT, "the upload took too long"),
    };
    let read = spawn_blocking(move || {
        let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
        let games = if is_saved { Vec::new() } else { games(&text) };
        (text, games)
    });
    let Ok((text, games)) = read.await else {
        return refuse(StatusCode::INTERNAL_SERVER_ERROR, "a bug ended the reading of the games");
    };
    let Some(upload) = tabs.store(tab, text) else {
        return refuse(StatusCode::INSUFFICIENT_STORAGE, "there is no room for another upload");
    };
    let answer = serde_json::to_string(&Upload { upload, games }).unwrap_or_default();
    let mut response = Response::new(Body::from(answer));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// The games of a text, up to a limit.
fn games(text: &str) -> Vec<UploadedGame> {
    let trees = Trees::new(text.as_bytes()).take(MAX_GAMES);
    let games = trees.map(|game| match game {
        Ok(tree) => (tree, None),
        Err(broken) => {
            let problem = broken.error.to_string();
            (broken.tree, Some(problem))
        }
    });
    let cut = |text: String| text.chars().take(MAX_TEXT).collect::<String>();
    let listed = games.map(|(tree, problem)| UploadedGame {
        title: cut(game_title(&tree)),
        result: tree.result.into(),
        plies: tree.main_line().count(),
        problem: problem.map(cut),
    });
    listed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::GameResult;

    #[test]
    fn games_are_listed_with_their_problems() {
        let text =
            "[White \"<b>A</b>\"]\n[Black \"B\"]\n\n1. e4 e5 1-0\n\n[White \"C\"]\n\n1. Ke3 *\n";
        let list = games(text);
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].title, "<b>A</b> – B");
        assert_eq!((list[0].result, list[0].plies), (GameResult::White, 2));
        assert!(list[0].problem.is_none() && list[1].problem.is_some());
        assert!(
            games("").is_empty() && games("1. e4 * ".repeat(20_000).as_str()).len() == MAX_GAMES
        );
    }
}
