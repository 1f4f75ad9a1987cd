//! The position shown, with its legal moves and everything else the page needs of the rules.

use chess::pgn::{Node, NodeId};
use chess::{Move, Outcome, PieceType, Position, Square};

use super::document::uci;
use super::openings::opening;
use super::refusal::Refusal;
use super::{Session, document};
use crate::protocol::{
    GameResult, LegalMove, NoticeLevel, OutcomeMessage, PositionMessage, PromotionPiece,
    ServerMessage, Uci,
};

/// The maximum length of a preview in moves.
const MAX_PREVIEW: usize = 100;
/// The maximum length of a typed move in bytes.
const MAX_TYPED: usize = 32;

/// The legal moves with the target squares that select them.
pub fn legal_moves(position: &Position) -> Vec<LegalMove> {
    let moves = position.legal_moves();
    let message = |&m: &Move| {
        let mut to: Vec<Square> = vec![m.to()];
        if m.is_castling() {
            let king_to = m.castling_king_to();
            // In Chess960 the king may move there without castling, or stand there already.
            let is_taken =
                moves.iter().any(|other| other.from() == m.from() && other.to() == king_to);
            if king_to != m.from() && !is_taken {
                to.insert(0, king_to);
            }
        }
        let promotion = m.promotion().map(|piece| match piece {
            PieceType::Rook => PromotionPiece::Rook,
            PieceType::Bishop => PromotionPiece::Bishop,
            PieceType::Knight => PromotionPiece::Knight,
            _ => PromotionPiece::Queen,
        });
        LegalMove {
            uci: uci(m),
            san: position.san(m).to_string(),
            from: m.from().into(),
            to: to.into_iter().map(Into::into).collect(),
            promotion,
        }
    };
    moves.iter().map(message).collect()
}

/// Both squares of a move; of castling, the king's.
pub fn squares(m: Move) -> (Square, Square) {
    (m.from(), if m.is_castling() { m.castling_king_to() } else { m.to() })
}

/// The king in check.
pub fn check(position: &Position) -> Option<Square> {
    position.in_check().then(|| position.king(position.turn()))
}

/// The outcome of a game by rule, as a message.
pub fn outcome_message(outcome: Outcome) -> OutcomeMessage {
    let result = match outcome {
        Outcome::Checkmate(winner) => won_by(winner),
        Outcome::Draw(_) => GameResult::Draw,
    };
    OutcomeMessage { result, reason: outcome.to_string() }
}

/// The result of a game that a color wins.
pub fn won_by(color: chess::Color) -> GameResult {
    if color.is_white() { GameResult::White } else { GameResult::Black }
}

impl Session {
    pub(super) fn position_message(&self) -> PositionMessage {
        let tree = &self.document.tree;
        let node = tree.node(self.cursor).unwrap_or(tree.root());
        let position = node.position();
        let game = tree.game(self.cursor).unwrap_or_default();
        PositionMessage {
            document: self.document.number,
            node: self.cursor.number(),
            fen: position.fen(),
            turn: position.turn().into(),
            legal: legal_moves(position),
            check: check(position).map(Into::into),
            last: node.played().map(squares).map(|(from, to)| (from.into(), to.into())),
            outcome: game.outcome().map(outcome_message),
            opening: self.opening_here(),
            spoken: self.spoken(node),
        }
    }

    /// The opening: that of the last position on the path with a name.
    fn opening_here(&self) -> Option<crate::protocol::Opening> {
        let path = self.document.tree.path(self.cursor)?;
        let mut nodes = path.iter().rev().filter_map(|&id| self.document.tree.node(id));
        let found = nodes.find_map(|node| opening(node.position()));
        found.map(|(eco, name)| crate::protocol::Opening { eco: eco.into(), name: name.into() })
    }

    fn spoken(&self, node: &Node) -> String {
        let parent = node.parent().and_then(|id| self.document.tree.node(id));
        match (parent, node.played()) {
            (Some(parent), Some(m)) => parent.position().spoken(m),
            (Some(parent), None) => format!("{} passes", capital(parent.position().turn())),
            (None, _) => format!("Start position, {} to move", capital(node.position().turn())),
        }
    }

    pub(super) fn move_by_uci(&mut self, text: &str, explore: bool) -> Result<(), Refusal> {
        let m = self.document.position(self.cursor).parse_uci(cut(text))?;
        self.make_move(m, explore)
    }

    /// A move typed in any notation; piece letters are case-insensitive unless they could be a pawn's file.
    pub(super) fn type_move(&mut self, text: &str, explore: bool) -> Result<(), Refusal> {
        let position = self.document.position(self.cursor);
        let text = text.trim();
        if text.len() > MAX_TYPED {
            return Err(Refusal::TooLong(MAX_TYPED));
        }
        let upper = || {
            let (first, rest) = text.split_at_checked(1)?;
            position.parse_san(&(first.to_ascii_uppercase() + rest)).ok()
        };
        let m = match position.parse_san(text) {
            Ok(m) => m,
            Err(error) => {
                let uci = position.parse_uci(&text.to_ascii_lowercase()).ok();
                uci.or_else(upper).ok_or(error)?
            }
        };
        self.make_move(m, explore)
    }

    /// Plays a move at the end of the game in play; elsewhere, or on request, adds it as a variation.
    pub(super) fn make_move(&mut self, m: Move, explore: bool) -> Result<(), Refusal> {
        if self.plays_here() && !explore {
            return self.person_moves(m);
        }
        let (node, is_new) = self.document.play(self.cursor, m)?;
        if let Some(play) = self.play.as_mut().filter(|_| is_new) {
            play.explored.insert(node);
        }
        self.changed.game |= is_new;
        self.show(node);
        Ok(())
    }

    pub(super) fn preview(&mut self, node: u32, moves: Vec<Uci>) -> Result<(), Refusal> {
        let id = self.document.find(node)?;
        if moves.len() > MAX_PREVIEW {
            return Err(Refusal::TooMany(MAX_PREVIEW));
        }
        let mut position = self.document.position(id);
        let mut last = None;
        for text in &moves {
            let m = position.parse_uci(cut(text))?;
            last = Some(squares(m));
            position = position.after(m);
        }
        self.send(ServerMessage::Preview {
            node,
            moves,
            fen: position.fen(),
            last: last.map(|(from, to)| (from.into(), to.into())),
            check: check(&position).map(Into::into),
        });
        Ok(())
    }

    /// The last node of the longest prefix of the line that is in the tree.
    pub(super) fn follow(&self, line: &[Uci]) -> NodeId {
        let tree = &self.document.tree;
        let mut at = NodeId::ROOT;
        for text in line {
            let Some(node) = tree.node(at) else { break };
            let is_it = |id: &&NodeId| {
                tree.node(**id).is_some_and(|child| document::node_uci(child) == *text)
            };
            let Some(&child) = node.children().iter().find(is_it) else { break };
            at = child;
        }
        at
    }

    pub(super) fn inform(&mut self, text: String, about: &str) {
        self.notice(NoticeLevel::Info, text, Some(about));
    }
}

/// A prefix of a text, which errors quote; a longer text is no move.
fn cut(text: &str) -> &str {
    text.char_indices().nth(MAX_TYPED).map_or(text, |(at, _)| &text[..at])
}

fn capital(color: chess::Color) -> &'static str {
    if color.is_white() { "White" } else { "Black" }
}
