//! Human-readable turn notation.
//!
//! | text | what happens |
//! |---|---|
//! | `d2>d4` | a pawn goes to an empty square; other pieces have their letter: `Ng1>f3` |
//! | `e4xd5` | a piece unites with a lone enemy piece |
//! | `Qd8>Pd5>d4` | a chain: the queen goes into the union on d5, the pawn released goes on to d4 |
//! | `RPh2>h8` | a union moves: the mover's rook with the opponent's pawn |
//! | `b7>b8=Q`, `b7xa8=Q` | a promotion at the end |
//! | `b7>Bc8=Q>h3` | a promotion inside a chain |
//! | `=N:Rh1>Nh8>g6` | a promotion at the start of the turn |
//! | `0-0`, `0-0-0` | castling on the king's and on the queen's side |
//!
//! The writer is canonical. The parser also accepts parts of a turn from the current state (`Qd8>Pd5`, then
//! `>d4`), a hyphen or nothing instead of `>` and `x` (`d2-d4`, `d2d4`), a promotion without `=` or in lower
//! case (`b7b8q`), `O` for `0` in castling, and omitted piece letters; a given letter must be correct.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use chess::{Bitboard, File, Square};

use crate::{Action, IllegalAction, Legal, PieceType, Position, Required, castling};

/// Why a text is not a legal turn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} (at character {})", .at + 1)]
pub struct NotationError {
    /// The byte offset of the error.
    pub at: usize,
    /// The reason.
    pub reason: NotationReason,
}

/// The reason of a notation error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotationReason {
    /// Empty text.
    #[error("a turn is like 'd2>d4', 'Qd8>Pd5>d4' or '0-0', not nothing")]
    Empty,
    /// Unexpected text.
    #[error("'{0}' does not belong here")]
    Unexpected(String),
    /// A letter of another piece than the lifted or released one.
    #[error("there is no {0} to take from {1}")]
    WrongPiece(PieceType, Square),
    /// Castling that is not possible.
    #[error("castling is not possible")]
    NoCastling,
    /// An action that is not legal.
    #[error(transparent)]
    Illegal(#[from] IllegalAction),
}

impl Position {
    /// The notation of actions from here, a turn or a part of it.
    ///
    /// ```
    /// use tabiya_paco::chess::Square;
    /// use tabiya_paco::{Action, Position};
    /// let actions = [Action::Lift(Square::D2), Action::Place(Square::D4)];
    /// assert_eq!(Position::default().notation(&actions)?, "d2>d4");
    /// # Ok::<(), tabiya_paco::IllegalAction>(())
    /// ```
    pub fn notation(&self, actions: &[Action]) -> Result<String, IllegalAction> {
        let mut position = *self;
        let mut text = String::new();
        for &action in actions {
            let before = position;
            position.play(action)?;
            before.describe(action, &position, &mut text);
        }
        Ok(text)
    }

    /// Appends an action, given the position after it.
    fn describe(&self, action: Action, after: &Self, text: &mut String) {
        match action {
            Action::Promote(piece) => {
                let colon = if self.required == Required::PromoteThenLift { ":" } else { "" };
                _ = write!(text, "={}{colon}", piece.letter());
            }
            Action::Lift(square) => {
                let Some(hand) = after.hand else { return };
                if let Some(partner) = hand.partner {
                    _ = write!(text, "{}{}", hand.piece.letter(), partner.letter());
                } else if hand.piece != PieceType::Pawn {
                    text.push(hand.piece.letter());
                }
                _ = write!(text, "{square}");
            }
            Action::Place(square) => {
                let from = self.hand.map_or(square, |hand| hand.square);
                if let Some(castle) = self.castle_to(square) {
                    // The lift of the king is part of the sign.
                    let lift = format!("K{from}");
                    if text.ends_with(&lift) {
                        text.truncate(text.len() - lift.len());
                    }
                    text.push_str(if castle < from { "0-0-0" } else { "0-0" });
                    return;
                }
                let unites = after.unions().len() > self.unions().len()
                    && self.hand.is_some_and(|hand| hand.partner.is_none());
                text.push(if unites { 'x' } else { '>' });
                if let Some(released) = after.hand {
                    text.push(released.piece.letter());
                }
                _ = write!(text, "{square}");
            }
        }
    }

    /// The rook that placing the king here castles with.
    fn castle_to(&self, square: Square) -> Option<Square> {
        let hand = self.hand.filter(|hand| hand.piece == PieceType::King)?;
        let steps = chess::attacks::king(hand.square) - self.occupied();
        castling::castles(self, hand.square)
            .find(|castle| castle.target == square && !steps.has(square))
            .map(|castle| castle.rook_from)
    }

    /// Parses a turn, or a part of one, into legal actions.
    ///
    /// ```
    /// use tabiya_paco::chess::Square;
    /// use tabiya_paco::{Action, Position};
    /// let actions = Position::default().parse_turn("Ng1>f3")?;
    /// assert_eq!(actions, [Action::Lift(Square::G1), Action::Place(Square::F3)]);
    /// let error = Position::default().parse_turn("Ng1>e5").unwrap_err();
    /// assert_eq!(error.to_string(), "cannot place e5: the hand cannot go there (at character 4)");
    /// # Ok::<(), tabiya_paco::NotationError>(())
    /// ```
    pub fn parse_turn(&self, text: &str) -> Result<Vec<Action>, NotationError> {
        let mut reader = Reader { position: *self, text, at: 0, actions: Vec::new() };
        if text.is_empty() {
            return reader.fail(NotationReason::Empty);
        }
        reader.turn()?;
        Ok(reader.actions)
    }
}

struct Reader<'a> {
    position: Position,
    text: &'a str,
    at: usize,
    actions: Vec<Action>,
}

impl Reader<'_> {
    fn fail<T>(&self, reason: NotationReason) -> Result<T, NotationError> {
        Err(NotationError { at: self.at, reason })
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn unexpected<T>(&self) -> Result<T, NotationError> {
        self.fail(NotationReason::Unexpected(self.rest().to_owned()))
    }

    /// Consumes a text if it is next.
    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn play(&mut self, at: usize, action: Action) -> Result<(), NotationError> {
        if let Err(error) = self.position.play(action) {
            return Err(NotationError { at, reason: error.into() });
        }
        self.actions.push(action);
        Ok(())
    }

    fn letter(&mut self) -> Option<PieceType> {
        let letter = self.rest().chars().next().filter(char::is_ascii_uppercase)?;
        let piece = PieceType::from_letter(letter)?;
        self.at += 1;
        Some(piece)
    }

    fn square(&mut self) -> Result<Square, NotationError> {
        let square = self.rest().get(..2).and_then(|text| text.parse().ok());
        match square {
            Some(square) => {
                self.at += 2;
                Ok(square)
            }
            None => self.unexpected(),
        }
    }

    fn turn(&mut self) -> Result<(), NotationError> {
        while self.at < self.text.len() {
            match self.position.required() {
                required if required.is_promotion() => self.promotion(required)?,
                Required::Lift if self.actions.iter().any(|a| matches!(a, Action::Place(_))) => {
                    return self.unexpected();
                }
                Required::Lift => self.lift()?,
                _ => self.place()?,
            }
        }
        Ok(())
    }

    fn promotion(&mut self, required: Required) -> Result<(), NotationError> {
        let at = self.at;
        self.eat("=");
        let letter = self.rest().chars().next().map(|letter| letter.to_ascii_uppercase());
        let Some(piece) = letter.and_then(PieceType::from_letter) else {
            return self.unexpected();
        };
        self.at += 1;
        self.play(at, Action::Promote(piece))?;
        if required == Required::PromoteThenLift && self.at < self.text.len() && !self.eat(":") {
            return self.unexpected();
        }
        Ok(())
    }

    fn lift(&mut self) -> Result<(), NotationError> {
        let at = self.at;
        if let Some(queen_side) = self.castling_sign() {
            let king = self.position.king_square(self.position.player());
            let lift = king.map(Action::Lift).filter(|&lift| self.position.legal().has(lift));
            self.at = at;
            let Some(lift) = lift else { return self.fail(NotationReason::NoCastling) };
            self.play(at, lift)?;
            return self.castle(at, queen_side);
        }
        let letters = [self.letter(), self.letter()];
        let square = self.square()?;
        self.play(at, Action::Lift(square))?;
        let Some(hand) = self.position.hand() else { return Ok(()) };
        let expected = [Some(hand.piece), hand.partner];
        for (given, there) in letters.into_iter().zip(expected) {
            if let Some(given) = given
                && Some(given) != there
            {
                self.at = at;
                return self.fail(NotationReason::WrongPiece(given, square));
            }
        }
        Ok(())
    }

    fn place(&mut self) -> Result<(), NotationError> {
        let at = self.at;
        if let Some(queen_side) = self.castling_sign() {
            return self.castle(at, queen_side);
        }
        let _ = self.eat(">") || self.eat("x") || self.eat("-");
        let letter_at = self.at;
        let letter = self.letter();
        let square = self.square()?;
        self.play(at, Action::Place(square))?;
        let released = self.position.hand().map(|hand| hand.piece);
        match letter {
            Some(letter) if Some(letter) != released => {
                self.at = letter_at;
                self.fail(NotationReason::WrongPiece(letter, square))
            }
            _ => Ok(()),
        }
    }

    /// Whether the king castles on the queen's side, if a sign of castling comes next.
    fn castling_sign(&mut self) -> Option<bool> {
        if self.eat("0-0-0") || self.eat("O-O-O") {
            Some(true)
        } else {
            (self.eat("0-0") || self.eat("O-O")).then_some(false)
        }
    }

    fn castle(&mut self, at: usize, queen_side: bool) -> Result<(), NotationError> {
        self.at = at;
        let places = match (self.position.legal(), self.position.hand()) {
            (Legal::Places(places), Some(_)) => places,
            _ => Bitboard::EMPTY,
        };
        let side = |rook: Square, king: Square| {
            let left: fn(File, File) -> bool = |rook, king| rook < king;
            left(rook.file(), king.file()) == queen_side
        };
        let king = self.position.hand().map(|hand| hand.square);
        let target = places.into_iter().find(|&target| {
            self.position.castle_to(target).zip(king).is_some_and(|(rook, king)| side(rook, king))
        });
        match target {
            Some(target) => {
                self.play(at, Action::Place(target))?;
                self.at = at + if queen_side { 5 } else { 3 };
                Ok(())
            }
            None => self.fail(NotationReason::NoCastling),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Rng, Turns, random_playout};

    fn both_ways(fen: &str, text: &str) {
        let position: Position = fen.parse().unwrap();
        let actions = position.parse_turn(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(position.notation(&actions).unwrap(), text);
    }

    #[test]
    fn the_examples_round_trip() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0 AHah - -";
        both_ways(start, "d2>d4");
        both_ways(start, "Ng1>f3");
        both_ways("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w 2 AHah d6 -", "e4xd5");
        both_ways("rnbqkbnr/ppp1pppp/8/3a4/8/8/PPPP1PPP/RNBQKBNR b 0 AHah - -", "Qd8>Pd5>d4");
        both_ways("4k3/8/8/8/8/8/7C/4K3 b 0 - - -", "RPh2>h8");
        both_ways("4k3/1P6/8/8/8/8/8/4K3 w 0 - - -", "b7>b8=Q");
        both_ways("r3k3/1P6/8/8/8/8/8/4K3 w 0 - - -", "b7xa8=N");
        both_ways("2e1k3/1P6/8/8/8/8/8/4K3 w 0 - - -", "b7>Bc8=Q>h3");
        both_ways("4k3/8/8/8/8/8/8/4K2C w 0 - - -", "PRh1>h3");
        both_ways("4k2D/8/8/8/8/8/8/4K2R w 0 - - -", "=N:Rh1>Nh8>g6");
        both_ways("r3k2r/8/8/8/8/8/8/R3K2R w 0 AHah - -", "0-0");
        both_ways("r3k2r/8/8/8/8/8/8/R3K2R b 0 AHah - -", "0-0-0");
        both_ways("2rkr3/8/8/8/8/8/2PPP3/2RKB3 w 0 C - -", "0-0-0");
        both_ways("8/8/8/8/8/8/8/R6R^e1K w 1 AH - -", "0-0-0");
        both_ways("rnbqkbnr/ppp1pppp/8/8/8/8/PPPPPPPP/RNBQKBNR^d5p b 1 AHah - -", ">d4");
    }

    #[test]
    fn other_spellings_are_accepted_and_errors_named() {
        let start = Position::default();
        assert_eq!(start.parse_turn("g1-f3"), start.parse_turn("Ng1>f3"));
        assert_eq!(start.parse_turn("g1").unwrap(), [Action::Lift(Square::G1)]);
        assert_eq!(start.parse_turn("g1f3"), start.parse_turn("Ng1>f3"));
        assert_eq!(start.parse_turn("Ng1f3"), start.parse_turn("Ng1>f3"));
        let chain: Position =
            "rnbqkbnr/ppp1pppp/8/3a4/8/8/PPPP1PPP/RNBQKBNR b 0 AHah - -".parse().unwrap();
        assert_eq!(chain.parse_turn("d8d5d4"), chain.parse_turn("Qd8>Pd5>d4"));
        let promotion: Position = "4k3/1P6/8/8/8/8/8/4K3 w 0 - - -".parse().unwrap();
        for text in ["b7b8q", "b7b8=Q", "b7-b8Q", "b7>b8=q"] {
            assert_eq!(promotion.parse_turn(text), promotion.parse_turn("b7>b8=Q"), "{text}");
        }
        let castling: Position = "4k3/8/8/8/8/8/8/R3K3 w 0 A - -".parse().unwrap();
        assert_eq!(castling.parse_turn("O-O-O"), castling.parse_turn("0-0-0"));
        for (text, expected) in [
            ("", "not nothing"),
            ("e5>e6", "nothing there that can move"),
            ("Bg1>f3", "there is no Bishop to take from g1 (at character 1)"),
            ("NPg1>f3", "there is no Pawn to take from g1"),
            ("Ng1>Qf3", "there is no Queen to take from f3 (at character 5)"),
            ("Ng1!f3", "'!f3' does not belong here (at character 4)"),
            ("Ng1>>f3", "'>f3' does not belong here (at character 5)"),
            ("d2>d4 ", "' ' does not belong here (at character 6)"),
            ("d2>d4>d5", "'>d5' does not belong here"),
            ("0-0", "castling is not possible"),
            ("ŝ", "'ŝ' does not belong here"),
            ("d2>d4=Q", "'=Q' does not belong here"),
        ] {
            let error = start.parse_turn(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn turns_of_random_games_round_trip() {
        let mut rng = Rng::from_seed(5);
        let mut positions = Vec::new();
        for _ in 0..20 {
            random_playout(&mut Game::default(), &mut rng, 2000, |game| {
                if game.position().key() % 61 == 0 {
                    positions.push(*game.position());
                }
            });
        }
        let mut turns = Turns::new();
        let mut checked = 0;
        for position in positions {
            turns.generate_within(&position, 2000);
            for turn in turns.iter() {
                let actions = turn.actions();
                let text = position.notation(&actions).unwrap();
                assert_eq!(position.parse_turn(&text), Ok(actions), "{position} {text}");
                checked += 1;
            }
        }
        assert!(checked > 5000, "{checked}");
    }
}
