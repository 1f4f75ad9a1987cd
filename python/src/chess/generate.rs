//! Pseudo-legal and legal moves of any state.
//!
//! For a legal position the moves are those of [`Position::moves`]. Everything else (no king, too many
//! pieces, an impossible en-passant square) is generated pseudo-legally, and moves that leave the king in
//! check are dropped.

use chess::{
    Bitboard, Color, Move, MoveFilter, PieceType, Position, Rank, Setup, SetupProblems, Square,
    attacks,
};

use super::moves::AnyMove;
use super::state::State;

impl State {
    /// The legal position of this state, if it is one. Checks that cannot have come about are allowed.
    pub fn position(&self) -> Option<Position> {
        if self.promoted.any()
            && !self.promoted.is_disjoint(self.board().piece_type(PieceType::King))
        {
            return None;
        }
        self.cleaned().position_forgiving(SetupProblems::IMPOSSIBLE_CHECK).ok()
    }

    /// The setup, without castling rights that king and rooks cannot have.
    pub fn cleaned(&self) -> Setup {
        Setup { castling_rooks: self.clean_castling_rights(), ..self.setup }
    }

    /// A move of the chess library as it is written on this board.
    pub fn written(&self, m: Move) -> AnyMove {
        let any = AnyMove::new(m.from(), m.to()).with_promotion(m.promotion());
        if m.is_castling() { self.written_as(any, self.chess960) } else { any }
    }

    /// The legal moves between these squares, castling to the square of the rook.
    pub fn legal_moves(&self, from: Bitboard, to: Bitboard) -> Vec<AnyMove> {
        match self.position() {
            Some(position) => {
                let filter = MoveFilter { from, to, ..MoveFilter::ALL };
                position.moves(filter).into_iter().map(|m| self.written(m)).collect()
            }
            None => self.checked_moves(from, to),
        }
    }

    /// The legal moves by trying every pseudo-legal one.
    pub fn checked_moves(&self, from: Bitboard, to: Bitboard) -> Vec<AnyMove> {
        let mut moves = self.pseudo_legal_moves(from, to);
        moves.retain(|&m| !self.is_into_check(m));
        moves
    }

    /// Whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        match self.position() {
            Some(position) => position.has_legal_move(),
            None => !self.checked_moves(Bitboard::FULL, Bitboard::FULL).is_empty(),
        }
    }

    /// Whether the move leaves the mover's king attacked.
    pub fn is_into_check(&self, m: AnyMove) -> bool {
        self.after(m).is_some_and(|next| next.opponent_in_check())
    }

    /// Whether the move is pseudo-legal.
    pub fn is_pseudo_legal(&self, m: AnyMove) -> bool {
        let m = self.king_takes_rook(m);
        let (Some(from), Some(to), None) = (m.from(), m.to(), m.drop()) else { return false };
        let written = self.written_as(m, self.chess960);
        self.pseudo_legal_moves(from.bitboard(), to.bitboard()).contains(&written)
    }

    /// Whether the move is legal.
    pub fn is_legal(&self, m: AnyMove) -> bool {
        self.is_pseudo_legal(m) && !self.is_into_check(m)
    }

    /// The pseudo-legal moves between these squares: legal but for the safety of the king. Castling is
    /// generated only where it is legal.
    pub fn pseudo_legal_moves(&self, from: Bitboard, to: Bitboard) -> Vec<AnyMove> {
        let own = self.board().color(self.turn());
        let mut moves = Vec::with_capacity(64);
        for origin in own & from {
            let Some(piece_type) = self.board().piece_type_at(origin) else { continue };
            if piece_type == PieceType::Pawn {
                self.pawn_moves(origin, to, &mut moves);
            } else {
                let targets = (self.attacks(origin) - own) & to;
                moves.extend(targets.into_iter().map(|target| AnyMove::new(origin, target)));
            }
        }
        let castling = self.castling_moves(from, to);
        moves.extend(castling.map(|m| self.written_as(m, self.chess960)));
        moves.extend(self.pseudo_legal_en_passant(from, to));
        moves
    }

    fn pawn_moves(&self, origin: Square, to: Bitboard, moves: &mut Vec<AnyMove>) {
        let (turn, occupied) = (self.turn(), self.occupied());
        let forward = if turn == Color::White { 1 } else { -1 };
        let mut targets = attacks::pawn(turn, origin) & self.board().color(!turn);
        let one = origin.offset(0, forward).filter(|&square| !occupied.has(square));
        targets |= one.into_iter().collect();
        if one.is_some() && origin.rank() == Rank::Second.relative_to(turn) {
            let two = origin.offset(0, 2 * forward).filter(|&square| !occupied.has(square));
            targets |= two.into_iter().collect();
        }
        let last = Rank::Eighth.relative_to(turn);
        for target in targets & to {
            let m = AnyMove::new(origin, target);
            if target.rank() == last {
                let choices = PieceType::PROMOTIONS.into_iter().rev();
                moves.extend(choices.map(|piece| m.with_promotion(Some(piece))));
            } else {
                moves.push(m);
            }
        }
    }

    /// The pseudo-legal en-passant captures between these squares.
    pub fn pseudo_legal_en_passant(&self, from: Bitboard, to: Bitboard) -> Vec<AnyMove> {
        let turn = self.turn();
        let square = self.setup.en_passant.filter(|&square| {
            square.rank() == Rank::Sixth.relative_to(turn)
                && to.has(square)
                && !self.occupied().has(square)
        });
        let Some(square) = square else { return Vec::new() };
        let pawns = self.board().pieces(turn, PieceType::Pawn) & from;
        let takers = attacks::pawn(!turn, square) & pawns;
        takers.into_iter().map(|taker| AnyMove::new(taker, square)).collect()
    }

    /// The legal en-passant captures between these squares.
    pub fn legal_en_passant(&self, from: Bitboard, to: Bitboard) -> Vec<AnyMove> {
        let mut moves = self.pseudo_legal_en_passant(from, to);
        moves.retain(|&m| !self.is_into_check(m));
        moves
    }

    /// Whether an en-passant capture is legal.
    pub fn has_legal_en_passant(&self) -> bool {
        self.setup.en_passant.is_some()
            && !self.legal_en_passant(Bitboard::FULL, Bitboard::FULL).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use chess::rng::Rng;

    use super::*;

    fn sorted(mut moves: Vec<AnyMove>) -> Vec<String> {
        moves.sort_by_key(|m| m.uci());
        moves.iter().map(|m| m.uci()).collect()
    }

    #[test]
    fn the_moves_of_any_state_are_those_of_the_chess_library_on_legal_positions() {
        let mut rng = Rng::from_seed(20);
        for start in 0..60 {
            let position = chess::chess960::start(start * 16 + 6).unwrap();
            let mut state = State { chess960: true, ..State::from(Setup::from(position)) };
            for _ in 0..120 {
                let position = state.position().expect("a legal position");
                let listed = state.legal_moves(Bitboard::FULL, Bitboard::FULL);
                let tried = state.checked_moves(Bitboard::FULL, Bitboard::FULL);
                assert_eq!(sorted(listed.clone()), sorted(tried), "{position}");
                assert!(listed.iter().all(|&m| state.is_legal(m)), "{position}");
                if listed.is_empty() {
                    break;
                }
                let index = rng.below(listed.len());
                let after = position.after(position.moves(MoveFilter::ALL)[index]);
                assert!(state.push(listed[index]));
                // The library stores an en-passant square only if the capture is legal.
                let legal = state.setup.en_passant.filter(|_| state.has_legal_en_passant());
                assert_eq!(Setup { en_passant: legal, ..state.setup }, Setup::from(after));
            }
        }
    }

    #[test]
    fn a_state_without_kings_has_moves() {
        let setup = Setup::from_fen("8/8/8/pP6/8/8/8/8 w - a6 0 1").unwrap();
        let state = State::from(setup);
        assert!(state.position().is_none());
        let moves = state.legal_moves(Bitboard::FULL, Bitboard::FULL);
        assert_eq!(sorted(moves), ["b5a6", "b5b6"]);
    }
}
