//! Algebraic notation on any state.

use chess::{Bitboard, PieceType, San};

use super::moves::AnyMove;
use super::state::State;

/// Why a text is no move.
pub enum MoveError {
    /// It is malformed.
    Invalid(String),
    /// No legal move fits.
    Illegal(String),
    /// Several legal moves fit.
    Ambiguous(String),
}

impl State {
    /// A move in standard (or long) algebraic notation; `None` if no piece stands on its origin. The move
    /// should be legal.
    pub fn san(&self, m: AnyMove, long: bool) -> Option<String> {
        let next = self.after(m)?;
        let mut text = self.san_without_check(m, long)?;
        if next.checkers().any() {
            text.push(if next.has_legal_move() { '+' } else { '#' });
        }
        Some(text)
    }

    fn san_without_check(&self, m: AnyMove, long: bool) -> Option<String> {
        if m.is_null() {
            return Some("--".into());
        }
        let (from, to) = (m.from()?, m.to()?);
        let piece = self.board().piece_type_at(from)?;
        if self.is_castling(m) {
            let king_side = to.file() > from.file();
            return Some(if king_side { "O-O" } else { "O-O-O" }.into());
        }
        let mut text = String::with_capacity(8);
        let captures = self.is_capture(m);
        if piece != PieceType::Pawn {
            text.push(piece.letter().to_ascii_uppercase());
        }
        if long {
            text.push_str(from.name());
            text.push(if captures { 'x' } else { '-' });
        } else {
            if piece != PieceType::Pawn {
                let (file, rank) = self.disambiguation(m, piece);
                text.extend(file.then(|| from.file().letter()));
                text.extend(rank.then(|| from.rank().digit()));
            } else if captures {
                text.push(from.file().letter());
            }
            text.extend(captures.then_some('x'));
        }
        text.push_str(to.name());
        if let Some(promotion) = m.promotion() {
            text.push('=');
            text.push(promotion.letter().to_ascii_uppercase());
        }
        Some(text)
    }

    /// Whether file and rank of the origin are needed for disambiguation.
    fn disambiguation(&self, m: AnyMove, piece: PieceType) -> (bool, bool) {
        let (Some(from), Some(to)) = (m.from(), m.to()) else { return (false, false) };
        let same = self.board().pieces(self.turn(), piece) - from.bitboard();
        if same.is_empty() {
            return (false, false);
        }
        let others = self.legal_moves(same, to.bitboard());
        let others: Bitboard =
            others.into_iter().filter(|&m| !self.is_castling(m)).filter_map(|m| m.from()).collect();
        let same_file = !others.is_disjoint(from.file().bitboard());
        let same_rank = !others.is_disjoint(from.rank().bitboard());
        (others.any() && (same_rank || !same_file), same_file)
    }

    /// The legal move of a text in algebraic notation.
    pub fn parse_san(&self, text: &str) -> Result<AnyMove, MoveError> {
        let invalid = || MoveError::Invalid(format!("invalid san: {text:?}"));
        if text.chars().any(char::is_whitespace) {
            return Err(invalid());
        }
        let illegal =
            || MoveError::Illegal(format!("illegal san: {text:?} in {}", self.short_fen()));
        match San::parse(text.as_bytes()) {
            Err(_) => Err(invalid()),
            Ok(San::Null) => Ok(AnyMove::NULL),
            Ok(San::Castling { king_side }) => {
                let mut moves = self.castling_moves(Bitboard::FULL, Bitboard::FULL);
                let fits = |m: &AnyMove| {
                    m.to().zip(m.from()).is_some_and(|(to, from)| (to > from) == king_side)
                };
                let found = moves.find(fits).ok_or_else(illegal)?;
                Ok(self.written_as(found, self.chess960))
            }
            Ok(San::Move { piece: PieceType::Pawn, from, to, promotion }) if from.len() == 1 => {
                // Both squares without a piece, as in UCI: whatever stands on the first moves.
                let from = from.first().ok_or_else(illegal)?;
                let m = self.king_takes_rook(AnyMove::new(from, to).with_promotion(promotion));
                let m = self.written_as(m, self.chess960);
                if self.is_legal(m) { Ok(m) } else { Err(illegal()) }
            }
            Ok(San::Move { piece, from, to, promotion }) => {
                let own = self.board().pieces(self.turn(), piece) & from;
                let mut moves = self.legal_moves(own, to.bitboard());
                moves.retain(|&m| m.promotion() == promotion && !self.is_castling(m));
                match moves[..] {
                    [m] => Ok(m),
                    [] => Err(illegal()),
                    _ => Err(MoveError::Ambiguous(format!(
                        "ambiguous san: {text:?} in {}",
                        self.short_fen()
                    ))),
                }
            }
        }
    }

    /// The legal move of a text in UCI notation, or the null move.
    pub fn parse_uci(&self, text: &str) -> Result<AnyMove, MoveError> {
        let m = AnyMove::parse(text).map_err(MoveError::Invalid)?;
        if m.is_null() {
            return Ok(m);
        }
        let m = self.written_as(self.king_takes_rook(m), self.chess960);
        if self.is_legal(m) {
            return Ok(m);
        }
        Err(MoveError::Illegal(format!("illegal uci: {text:?} in {}", self.short_fen())))
    }

    /// The FEN for messages.
    pub fn short_fen(&self) -> String {
        self.fen(chess::FenStyle::Standard, super::fen::EnPassant::Legal, false)
    }
}
