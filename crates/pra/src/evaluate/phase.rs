//! Game phases by material.

use std::fmt;

use chess::{PieceType, Position};

/// The phase of a game, by the material on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// At most two minor pieces, or their equivalent, are off the board.
    Opening,
    /// Between opening and endgame.
    Middlegame,
    /// At most two queens, or their equivalent, are left.
    Endgame,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 3] = [Self::Opening, Self::Middlegame, Self::Endgame];

    /// A knight or bishop counts 1, a rook 2, a queen 4, of both sides together: 24 in the initial
    /// position. The opening has at least 22, the endgame at most 8. Pawns do not count.
    ///
    /// ```
    /// use tabiya_pra::chess::Position;
    /// use tabiya_pra::evaluate::Phase;
    /// assert_eq!(Phase::of(&Position::INITIAL), Phase::Opening);
    /// let pawns: Position = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1".parse()?;
    /// assert_eq!(Phase::of(&pawns), Phase::Endgame);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(position: &Position) -> Self {
        let weight = |piece: PieceType| match piece {
            PieceType::Knight | PieceType::Bishop => 1,
            PieceType::Rook => 2,
            PieceType::Queen => 4,
            PieceType::Pawn | PieceType::King => 0,
        };
        let material: u32 =
            position.board().iter().map(|(_, piece)| weight(piece.piece_type())).sum();
        match material {
            0..=8 => Self::Endgame,
            9..=21 => Self::Middlegame,
            _ => Self::Opening,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Opening => "opening",
            Self::Middlegame => "middlegame",
            Self::Endgame => "endgame",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_depend_on_material() {
        let phase = |fen: &str| Phase::of(&fen.parse().unwrap());
        assert_eq!(
            phase("r1bqkbnr/pppp1ppp/8/4p3/3P4/8/PPP2PPP/RNBQKB1R w KQkq - 0 1"),
            Phase::Opening
        );
        assert_eq!(phase("r4rk1/pppq1ppp/8/8/8/8/PPPQ1PPP/R4RK1 w - - 0 1"), Phase::Middlegame);
        assert_eq!(phase("6k1/pppq1ppp/8/8/8/8/PPPQ1PPP/6K1 w - - 0 1"), Phase::Endgame);
    }
}
