//! A game of Paco Ŝako as turns and actions, parsed from and written as text.

use paco::{Action, DRAW_AFTER_REPETITIONS, Game, PieceType, Position, Rules};

/// The maximum number of actions of a game; chains may be cyclic.
pub const MAX_ACTIONS: usize = 8_000;
/// The maximum number of actions of a turn.
pub const MAX_TURN: usize = 400;

/// A turn: its start position and its actions.
#[derive(Clone, Debug)]
pub struct TurnRecord {
    /// The position before it.
    pub before: Position,
    /// Its actions, at least one.
    pub actions: Vec<Action>,
    /// Whether it has ended.
    pub is_finished: bool,
}

/// Why a text cannot be loaded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoadError {
    /// Neither a FEN nor turns.
    #[error("'{text}' is neither a position nor a turn: {reason}")]
    Turn {
        /// The text.
        text: String,
        /// The reason.
        reason: String,
    },
    /// An illegal saved action.
    #[error("'{0}' is not a legal action here")]
    Action(String),
    /// An empty text.
    #[error("there is nothing to load")]
    Empty,
    /// Too many actions.
    #[error("the game is too long")]
    TooLong,
}

/// A game from a position.
pub fn game_from(start: Position) -> Game {
    Game::new(start, DRAW_AFTER_REPETITIONS)
}

/// The turns of a game. The last one may be unfinished.
pub fn turns(start: &Position, actions: &[Action]) -> Vec<TurnRecord> {
    let mut turns: Vec<TurnRecord> = Vec::new();
    let mut position = *start;
    for &action in actions {
        match turns.last_mut() {
            Some(turn) if !turn.is_finished => turn.actions.push(action),
            _ => turns.push(TurnRecord {
                before: position,
                actions: vec![action],
                is_finished: false,
            }),
        }
        let half_moves = position.half_moves();
        position.play_unchecked(action);
        if let Some(turn) = turns.last_mut() {
            turn.is_finished = position.half_moves() != half_moves || position.ending().is_some();
        }
    }
    turns
}

/// An action as the page writes it: a square, or the letter of a promotion.
pub fn action_text(action: Action) -> String {
    match action {
        Action::Lift(square) | Action::Place(square) => square.name().to_owned(),
        Action::Promote(piece) => piece.letter().to_ascii_lowercase().to_string(),
    }
}

/// Parses an action in a position.
pub fn parse_action(position: &Position, text: &str) -> Option<Action> {
    position.legal().iter().find(|&action| action_text(action) == text)
}

/// Plays saved actions; an illegal one is an error.
pub fn restore(start: &str, actions: &[String]) -> Result<(Position, Game), LoadError> {
    let start = parse_fen(start).map_err(|reason| turn_error(start, reason))?;
    let mut game = game_from(start);
    if actions.len() > MAX_ACTIONS {
        return Err(LoadError::TooLong);
    }
    for text in actions {
        let action = parse_action(game.position(), text);
        if action.is_none_or(|action| game.play(action).is_err()) {
            return Err(LoadError::Action(shorten(text)));
        }
    }
    Ok((start, game))
}

/// A game from a text: a FEN, or turns in our notation or as single actions, or turns after a FEN on a line of
/// its own. Move numbers and results are skipped.
pub fn load(text: &str) -> Result<(Position, Game), LoadError> {
    let text = text.trim();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.is_empty() {
        return Err(LoadError::Empty);
    }
    let (start, moves) = match parse_fen(first.trim()) {
        Ok(start) => (start, rest),
        // Only a FEN has slashes: report its error.
        Err(reason) if first.contains('/') => return Err(turn_error(first, reason)),
        Err(_) => (Position::default(), text),
    };
    let mut game = game_from(start);
    for word in moves.split_whitespace() {
        let unnumbered = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        // Castling also starts with a digit.
        let is_numbered = unnumbered.starts_with('.');
        let word = if is_numbered { unnumbered.trim_start_matches('.') } else { word };
        if word.is_empty() || ["*", "1-0", "0-1", "1/2-1/2"].contains(&word) {
            continue;
        }
        play_word(&mut game, word)?;
    }
    Ok((start, game))
}

fn play_word(game: &mut Game, word: &str) -> Result<(), LoadError> {
    if word.len() > 4 * MAX_TURN {
        return Err(LoadError::TooLong);
    }
    let actions = match parse_action(game.position(), word) {
        Some(action) => vec![action],
        None => {
            let parsed = game.position().parse_turn(word);
            parsed.map_err(|error| turn_error(word, error.to_string()))?
        }
    };
    for action in actions {
        if game.actions().len() >= MAX_ACTIONS || game.turn_actions().len() >= MAX_TURN {
            return Err(LoadError::TooLong);
        }
        game.play(action).map_err(|error| turn_error(word, error.to_string()))?;
    }
    Ok(())
}

/// A position of a FEN, or `startpos`.
pub fn parse_fen(text: &str) -> Result<Position, String> {
    if text == "startpos" {
        return Ok(Position::default());
    }
    Position::from_fen(text, Rules::Exact).map_err(|error| error.to_string())
}

fn turn_error(text: &str, reason: String) -> LoadError {
    LoadError::Turn { text: shorten(text), reason }
}

/// A prefix of a text, for messages.
fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// The lower-case name of a piece.
pub fn piece_name(piece: PieceType) -> &'static str {
    match piece {
        PieceType::Pawn => "pawn",
        PieceType::Rook => "rook",
        PieceType::Knight => "knight",
        PieceType::Bishop => "bishop",
        PieceType::Queen => "queen",
        PieceType::King => "king",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fen(text: &str) -> String {
        load(text).unwrap().1.position().to_string()
    }

    #[test]
    fn turns_are_read_in_notation_as_actions_and_after_a_fen() {
        let after = fen("d2>d4 e7>e5 d4xe5");
        assert_eq!(fen("1. d2>d4 e7>e5 2. d4xe5 *"), after);
        assert_eq!(fen("1.d2>d4 e7>e5 2.d4xe5 1-0"), after);
        assert_eq!(fen("d2 d4 e7 e5 d4 e5"), after);
        assert_eq!(fen("d2d4 e7-e5\nd4e5"), after);
        let start = Position::default().to_string();
        assert_eq!(fen(&start), start);
        assert_eq!(fen(&format!("{start}\n1. d2>d4 e7>e5 2. d4xe5")), after);
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let error = |text: &str| load(text).unwrap_err().to_string();
        assert!(error("d2>d5").contains("d2>d5"), "{}", error("d2>d5"));
        assert!(error("8/8/8 w 0 - - -").contains("8 ranks"));
        assert_eq!(error("  "), "there is nothing to load");
        assert!(error(&"x".repeat(100_000)).len() < 300);
    }

    #[test]
    fn actions_are_saved_and_restored_within_a_turn_too() {
        let (start, game) = load("d2 d4 e7 e5 d4").unwrap();
        let texts: Vec<String> = game.actions().iter().map(|&a| action_text(a)).collect();
        assert_eq!(texts, ["d2", "d4", "e7", "e5", "d4"]);
        let (_, again) = restore(&start.to_extended_fen(), &texts).unwrap();
        assert_eq!(again.position(), game.position());
        let turns = turns(&start, game.actions());
        assert_eq!(turns.len(), 3);
        assert!(turns[1].is_finished && !turns[2].is_finished);
        assert!(restore("startpos", &["e2".to_owned(), "e5".to_owned()]).is_err());
    }
}
