//! Moves in words, for people who listen.

use alloc::format;
use alloc::string::String;

use crate::{Color, File, Move, MoveKind, PieceType, Position};

impl Position {
    /// A legal move in words.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let start = Position::INITIAL;
    /// let m = start.parse_san("Nf3").unwrap();
    /// assert_eq!(start.spoken(m), "White knight to f3");
    /// ```
    pub fn spoken(&self, m: Move) -> String {
        let color = match self.turn() {
            Color::White => "White",
            Color::Black => "Black",
        };
        let after = self.after(m);
        let mut text = if m.is_castling() {
            let side =
                if m.castling_king_to().file() == File::G { "kingside" } else { "queenside" };
            format!("{color} castles {side}")
        } else {
            let piece = self.piece_at(m.from()).map_or(PieceType::Pawn, |piece| piece.piece_type());
            // The square it comes from, where others of its kind could go there too.
            let rivals = self.legal_moves().into_iter().any(|other| {
                other.to() == m.to()
                    && other.from() != m.from()
                    && !other.is_castling()
                    && self.piece_at(other.from()) == self.piece_at(m.from())
            });
            let from = if rivals { format!(" from {}", m.from()) } else { String::new() };
            match (m.kind(), self.piece_at(m.to())) {
                (MoveKind::EnPassant, _) => {
                    format!("{color} pawn{from} takes pawn on {} en passant", m.to())
                }
                (_, Some(taken)) => {
                    format!("{color} {piece}{from} takes {} on {}", taken.piece_type(), m.to())
                }
                (_, None) => format!("{color} {piece}{from} to {}", m.to()),
            }
        };
        if let Some(piece) = m.promotion() {
            text.push_str(&format!(", promotes to {piece}"));
        }
        if after.in_check() {
            text.push_str(if after.has_legal_move() { ", check" } else { ", checkmate" });
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_moves_have_words() {
        for (fen, san, words) in [
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "White castles kingside"),
            ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "O-O-O", "Black castles queenside"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6", "White pawn takes pawn on d6 en passant"),
            (
                "3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1",
                "exd8=Q+",
                "White pawn takes rook on d8, promotes to queen, check",
            ),
            ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "Ra8#", "White rook to a8, checkmate"),
            ("4k3/8/8/8/8/8/8/RN2KN2 w - - 0 1", "Nbd2", "White knight from b1 to d2"),
            ("4k3/8/8/2p1p3/3P4/8/8/4K3 b - - 0 1", "cxd4", "Black pawn from c5 takes pawn on d4"),
        ] {
            let position: Position = fen.parse().unwrap();
            assert_eq!(position.spoken(position.parse_san(san).unwrap()), words);
        }
    }
}
