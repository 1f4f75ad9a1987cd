//! The message with the position shown.

use chess::{Color, Square};
use paco::{Action, Answer, PieceType, Position};

use super::PacoSession;
use super::record::{TurnRecord, action_text};
use super::spoken::spoken;
use crate::job::Output;
use crate::protocol::{
    GameResult, PacoAction, PacoEnding, PacoHand, PacoMessage, PacoPiece, PacoPromotion, PacoSako,
    PacoShown, PacoSquare, PacoTurn, Required, ServerMessage,
};

/// The limit of a search for Ŝako, which answers in milliseconds.
const SAKO_NODES: u32 = 100_000;

impl PacoSession {
    /// Sends the position shown.
    pub(super) fn send(&self, out: &mut Vec<Output>) {
        out.push(Output::Send(ServerMessage::Paco(Box::new(self.message_shown()))));
    }

    /// The position shown.
    pub(super) fn shown_position(&self, turns: &[TurnRecord]) -> Position {
        let Some((whole, actions)) = self.shown else { return *self.game.position() };
        let Some(turn) = turns.get(whole) else { return *self.game.position() };
        let mut position = turn.before;
        for &action in turn.actions.iter().take(actions) {
            position.play_unchecked(action);
        }
        position
    }

    fn message_shown(&self) -> PacoMessage {
        let turns = self.turns();
        let position = self.shown_position(&turns);
        let (whole, actions) = self.shown.unwrap_or_else(|| self.last_shown(&turns));
        let live = self.shown.is_none();
        // The last actions: those of the turn in progress, or else of the previous turn.
        let led = match actions {
            0 => {
                whole.checked_sub(1).and_then(|n| turns.get(n)).map(|t| (t.before, &t.actions[..]))
            }
            n => turns.get(whole).and_then(|t| Some((t.before, t.actions.get(..n)?))),
        };
        let legal: Vec<Action> = match live && !self.is_over() {
            true => self.game.legal().iter().collect(),
            false => Vec::new(),
        };
        PacoMessage {
            white: self.players[0],
            black: self.players[1],
            start: self.start.to_extended_fen(),
            fen: position.to_extended_fen(),
            board: board(&position),
            hand: position.hand().map(|hand| PacoHand {
                square: hand.square.into(),
                piece: piece(hand.piece),
                partner: hand.partner.map(piece),
            }),
            turn: position.player().into(),
            required: match position.required() {
                paco::Required::Lift => Required::Lift,
                paco::Required::Place => Required::Place,
                _ => Required::Promote,
            },
            promotion: position.promotion().map(Into::into),
            legal: legal.into_iter().map(protocol_action).collect(),
            unfinished: live && !self.game.turn_actions().is_empty(),
            stuck: live && self.game.is_dead_end() && !self.game.turn_actions().is_empty(),
            turns: turns.iter().map(turn_message).collect(),
            shown: PacoShown { turns: whole, actions },
            live,
            last: led.map(|(_, actions)| squares(actions)).unwrap_or_default(),
            sako: self.threats.then(|| sako(&position)),
            thinking: self.turn_job.is_some(),
            ending: self.ending(),
            spoken: self.spoken_shown(led),
        }
    }

    fn spoken_shown(&self, led: Option<(Position, &[Action])>) -> String {
        let mut text = led.map(|(before, actions)| spoken(&before, actions)).unwrap_or_default();
        if self.shown.is_none()
            && let Some(ending) = self.ending()
        {
            text = format!("{text}. {}", ending.reason);
        }
        text
    }

    fn ending(&self) -> Option<PacoEnding> {
        let wins = |winner: Option<Color>| match winner {
            Some(Color::White) => GameResult::White,
            Some(Color::Black) => GameResult::Black,
            None => GameResult::Draw,
        };
        if let Some(outcome) = self.game.outcome() {
            let result = wins(outcome.winner());
            return Some(PacoEnding { result, reason: outcome.sentence() });
        }
        if let Some(loser) = self.resigned {
            let reason = format!("{loser} resigns: {} wins.", !loser);
            return Some(PacoEnding { result: wins(Some(!loser)), reason });
        }
        // The rules have no stalemate; the game cannot continue.
        let none = self.game.is_dead_end() && self.game.turn_actions().is_empty();
        let player = self.blocked.or(none.then(|| self.game.position().player()))?;
        let reason = format!("{player} cannot complete a turn: the game ends without a result.");
        Some(PacoEnding { result: GameResult::Unknown, reason })
    }
}

fn board(position: &Position) -> Vec<PacoSquare> {
    let at = |square: Square, color| position.piece_at(color, square).map(piece);
    Square::all()
        .map(|square| PacoSquare {
            square: square.into(),
            white: at(square, Color::White),
            black: at(square, Color::Black),
        })
        .filter(|square| square.white.is_some() || square.black.is_some())
        .collect()
}

fn turn_message(turn: &TurnRecord) -> PacoTurn {
    PacoTurn {
        color: turn.before.player().into(),
        notation: turn.before.notation(&turn.actions).unwrap_or_default(),
        actions: turn.actions.iter().copied().map(action_text).collect(),
    }
}

fn squares(actions: &[Action]) -> Vec<crate::protocol::Square> {
    let square = |action: &Action| match *action {
        Action::Lift(square) | Action::Place(square) => Some(square.into()),
        Action::Promote(_) => None,
    };
    actions.iter().filter_map(square).collect()
}

fn sako(position: &Position) -> PacoSako {
    let (mover, other) = (position.sako(SAKO_NODES), position.sako_against(SAKO_NODES));
    let (mover, other) = (mover == Answer::Yes, other == Answer::Yes);
    match position.player() {
        Color::White => PacoSako { white: mover, black: other },
        Color::Black => PacoSako { white: other, black: mover },
    }
}

fn piece(piece: PieceType) -> PacoPiece {
    match piece {
        PieceType::Pawn => PacoPiece::Pawn,
        PieceType::Rook => PacoPiece::Rook,
        PieceType::Knight => PacoPiece::Knight,
        PieceType::Bishop => PacoPiece::Bishop,
        PieceType::Queen => PacoPiece::Queen,
        PieceType::King => PacoPiece::King,
    }
}

fn protocol_action(action: Action) -> PacoAction {
    match action {
        Action::Lift(square) => PacoAction::Lift(square.into()),
        Action::Place(square) => PacoAction::Place(square.into()),
        Action::Promote(piece) => PacoAction::Promote(match piece {
            PieceType::Rook => PacoPromotion::Rook,
            PieceType::Knight => PacoPromotion::Knight,
            PieceType::Bishop => PacoPromotion::Bishop,
            _ => PacoPromotion::Queen,
        }),
    }
}
