//! PGN: any bytes are read to their end; cut at their borders they give the same games; whole games are
//! written so that they are read as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_chess::pgn::{self, BrokenGame, GameTree, border, read_trees};

/// What is read, without places in the text.
fn plain(games: Vec<Result<GameTree, Box<BrokenGame>>>) -> Vec<Result<GameTree, String>> {
    let reason = |broken: Box<BrokenGame>| broken.error.problem.to_string();
    games.into_iter().map(|game| game.map_err(reason)).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let games = plain(read_trees(bytes));
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some(at) = border::first(&bytes[from..], 1) {
        parts.extend(plain(read_trees(&bytes[from..from + at])));
        from += at;
    }
    parts.extend(plain(read_trees(&bytes[from..])));
    assert_eq!(games, parts);
    for game in read_trees(bytes) {
        // Of a broken game all is kept, too.
        let game = game.unwrap_or_else(|broken| broken.with_unread(bytes));
        for (_, node) in game.main_line() {
            for comment in node.comments() {
                pgn::annotations(comment.as_bytes()).for_each(drop);
            }
        }
        let text = game.to_string();
        let read = plain(read_trees(text.as_bytes()));
        assert_eq!(read, [Ok(game)], "{text}");
    }
});
