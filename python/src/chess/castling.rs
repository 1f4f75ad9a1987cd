//! Castling rights and castling moves of any state.

use chess::{Bitboard, Color, File, Rank, Square, attacks};
use chess::{PieceType, SetupProblems};

use super::moves::AnyMove;
use super::state::State;

impl State {
    /// The castling rights that king and rook at home can have; without Chess960, the usual four.
    pub fn clean_castling_rights(&self) -> Bitboard {
        let rooks = self.setup.castling_rooks;
        if rooks.is_empty() {
            return rooks;
        }
        Color::ALL.into_iter().fold(Bitboard::EMPTY, |clean, color| clean | self.clean_side(color))
    }

    fn clean_side(&self, color: Color) -> Bitboard {
        let home = Rank::First.relative_to(color).bitboard();
        let own = self.board().pieces(color, PieceType::Rook) - self.promoted;
        let rooks = self.setup.castling_rooks & home & own;
        let kings = self.kings(color) & home;
        if !self.chess960 {
            let corners = File::A.bitboard() | File::H.bitboard();
            let king_at_home = !kings.is_disjoint(File::E.bitboard());
            return if king_at_home { rooks & corners } else { Bitboard::EMPTY };
        }
        let Some(king) = kings.last() else { return Bitboard::EMPTY };
        let queen_side = rooks.first().filter(|&rook| rook < king);
        let king_side = rooks.last().filter(|&rook| rook > king);
        queen_side.into_iter().chain(king_side).collect()
    }

    /// Whether a player has a castling right on the queen's side (`false`) or king's side (`true`).
    pub fn has_castling_right(&self, color: Color, king_side: bool) -> bool {
        let home = Rank::First.relative_to(color).bitboard();
        let Some(king) = (self.kings(color) & home).last() else { return false };
        let rooks = self.clean_castling_rights() & home;
        rooks.into_iter().any(|rook| (rook > king) == king_side)
    }

    /// The legal castling moves as king takes rook, of kings and rooks on these squares.
    pub fn castling_moves(&self, from: Bitboard, to: Bitboard) -> impl Iterator<Item = AnyMove> {
        let turn = self.turn();
        let home = Rank::First.relative_to(turn).bitboard();
        let king = (self.kings(turn) & home & from).last();
        let rooks =
            if king.is_some() { self.clean_castling_rights() & home & to } else { Bitboard::EMPTY };
        let state = *self;
        rooks.into_iter().filter_map(move |rook| {
            let king = king?;
            state.can_castle(king, rook).then(|| AnyMove::new(king, rook))
        })
    }

    fn can_castle(&self, king: Square, rook: Square) -> bool {
        let (king_file, rook_file) =
            if rook > king { (File::G, File::F) } else { (File::C, File::D) };
        let king_to = Square::new(king_file, king.rank());
        let rook_to = Square::new(rook_file, king.rank());
        let movers = king.bitboard() | rook.bitboard();
        let king_path = attacks::between(king, king_to) | king_to.bitboard();
        let rook_path = attacks::between(rook, rook_to) | rook_to.bitboard();
        let others = self.occupied() - movers;
        let free = others.is_disjoint(king_path | rook_path);
        let enemy = !self.turn();
        let crossed = (king_path - king_to.bitboard()) | king.bitboard();
        free && !self.attacks_any(enemy, crossed, self.occupied() - king.bitboard())
            && !self.attacks_any(enemy, king_to.bitboard(), others | rook_to.bitboard())
    }

    /// The problems of the setup but for castling rights, which have their own rules here.
    pub fn problems(&self) -> SetupProblems {
        let setup = chess::Setup { castling_rooks: Bitboard::EMPTY, ..self.setup };
        setup.position().err().map_or(SetupProblems::empty(), |error| error.problems)
    }
}
