//! The output of an engine, checked against the rules of chess.

use chess::{Game, Position};

/// The game of a `position` command, read by another reader than the engine's: one that is made
/// for tests and takes what is right only.
pub fn game(command: &str) -> Option<Game> {
    let words = command.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.strip_prefix("position ")?;
    let (start, moves) = words.split_once(" moves ").unwrap_or((words, ""));
    let start = match start.strip_prefix("fen ") {
        Some(fen) => Position::from_fen(fen.trim()).ok()?,
        None => Position::INITIAL,
    };
    let mut game = Game::new(start);
    for text in moves.split_whitespace() {
        game.play(game.position().parse_uci(text).ok()?).ok()?;
    }
    Some(game)
}

/// The first move in a list that is not legal, if there is one.
pub fn first_illegal<'a>(position: &Position, moves: &[&'a str]) -> Option<&'a str> {
    let mut position = *position;
    for &text in moves {
        match position.parse_uci(text) {
            Ok(m) => position = position.after(m),
            Err(_) => return Some(text),
        }
    }
    None
}

/// The moves of the line in an `info`.
pub fn line_of_play(info: &str) -> Option<Vec<&str>> {
    Some(info.strip_prefix("info ")?.split_once(" pv ")?.1.split(' ').collect())
}

/// The moves of a `bestmove`: the move, and the expected answer if there is one.
pub fn best(line: &str) -> Option<Vec<&str>> {
    let rest = line.strip_prefix("bestmove ")?;
    Some(rest.split(" ponder ").collect())
}

/// Checks all lines and best moves of one search; gives the best move. The last first line begins with
/// it and with the expected answer.
pub fn check_search(position: &Position, lines: &[String]) -> Result<String, String> {
    let mut found = None;
    let mut first_line = None;
    for line in lines {
        let is_first = line.contains(" multipv 1 ") || !line.contains(" multipv ");
        if is_first && let Some(moves) = line_of_play(line) {
            first_line = Some(moves);
        }
        if let Some(moves) = line_of_play(line)
            && let Some(illegal) = first_illegal(position, &moves)
        {
            return Err(format!("{illegal} in '{line}' from {}", position.fen()));
        }
        if let Some(moves) = best(line) {
            if found.is_some() {
                return Err(format!("a second answer: {line}"));
            }
            let none = moves == ["(none)"];
            if none == position.has_legal_move() {
                return Err(format!("'{line}' from {}", position.fen()));
            }
            if !none && let Some(illegal) = first_illegal(position, &moves) {
                return Err(format!("{illegal} in '{line}' from {}", position.fen()));
            }
            let expected = first_line.as_deref().unwrap_or(&["(none)"]);
            if moves[..] != expected[..expected.len().min(2)] {
                return Err(format!("'{line}' after a line {expected:?} from {}", position.fen()));
            }
            found = Some(moves[0].to_owned());
        }
    }
    found.ok_or_else(|| format!("no answer among {} lines", lines.len()))
}
