//! Resolves a [`San`] to a legal move.
//!
//! A move of a piece other than the king is legal if it is pseudo-legal and the king is not attacked
//! afterwards. So it suffices to find candidates by attacks from the target square, and to test the king's
//! lines once for each; usually there is one. The test compares with the reference (filter all legal moves)
//! on every possible SAN.

use super::San;
use crate::movegen::CastlingPath;
use crate::side::{Black, Side, White};
use crate::{Bitboard, Color, Move, MoveKind, PieceType, Position, Square, attacks, sliders};

impl Position {
    /// The unique legal move of the text; `None` if there is none or it is ambiguous
    /// ([`Position::parse_san`] returns the reason), and for a null move, which is not a [`Move`].
    ///
    /// ```
    /// use tabiya_chess::{Position, San};
    /// let position: Position = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1".parse().unwrap();
    /// assert!(position.find_san(San::parse(b"Nd2").unwrap()).is_none());
    /// assert!(position.find_san(San::parse(b"Nbd2").unwrap()).is_some());
    /// ```
    #[inline]
    pub fn find_san(&self, san: San) -> Option<Move> {
        match self.turn {
            Color::White => self.find::<White>(san),
            Color::Black => self.find::<Black>(san),
        }
    }

    /// The unique legal move of the text and the position after it: faster than [`Position::find_san`]
    /// followed by [`Position::after`].
    ///
    /// ```
    /// use tabiya_chess::{Position, San};
    /// let (e4, next) = Position::INITIAL.play_san(San::parse(b"e4").unwrap()).unwrap();
    /// assert_eq!(next, Position::INITIAL.after(e4));
    /// ```
    #[inline]
    pub fn play_san(&self, san: San) -> Option<(Move, Self)> {
        let mut next = *self;
        self.play_san_to(san, &mut next).map(|m| (m, next))
    }

    /// [`Position::play_san`] that writes the position in place, saving a 64-byte copy. Without a move, `next`
    /// is unchanged.
    #[inline]
    pub(crate) fn play_san_to(&self, san: San, next: &mut Self) -> Option<Move> {
        match self.turn {
            Color::White => self.play_san_as::<White>(san, next),
            Color::Black => self.play_san_as::<Black>(san, next),
        }
    }

    #[inline(always)]
    fn play_san_as<S: Side>(&self, san: San, next: &mut Self) -> Option<Move> {
        let m = self.find::<S>(san)?;
        let (from, to) = (m.from(), m.to());
        let passed = self.passed::<S>();
        match san {
            // The kinds that matter most get their own code.
            San::Move { piece: PieceType::Pawn, .. } => match m.kind() {
                MoveKind::Quiet => {
                    *next = passed.quiet::<S, ()>(PieceType::Pawn, from, to, &mut ())
                }
                MoveKind::Capture => {
                    *next = passed.capture::<S, ()>(PieceType::Pawn, from, to, &mut ());
                }
                MoveKind::DoublePush => *next = passed.double_push::<S, ()>(from, to, &mut ()),
                _ => *next = passed.made::<S, ()>(m, &mut ()),
            },
            San::Move { piece, .. } => {
                if m.is_capture() {
                    *next = passed.capture::<S, ()>(piece, from, to, &mut ());
                } else {
                    *next = passed.quiet::<S, ()>(piece, from, to, &mut ());
                }
            }
            _ => *next = passed.castle::<S, ()>(m, &mut ()),
        }
        Some(m)
    }

    #[inline(always)]
    fn find<S: Side>(&self, san: San) -> Option<Move> {
        match san {
            San::Move { piece: PieceType::Pawn, from, to, promotion } => {
                self.find_pawn::<S>(from, to, promotion)
            }
            San::Move { promotion: Some(_), .. } | San::Null => None,
            San::Move { piece, from, to, promotion: None } => self.find_piece::<S>(piece, from, to),
            San::Castling { king_side } => self.find_castling::<S>(king_side),
        }
    }

    /// The move of a piece other than a pawn.
    #[inline(always)]
    fn find_piece<S: Side>(&self, piece: PieceType, from: Bitboard, to: Square) -> Option<Move> {
        let own = self.board.color(S::COLOR);
        let candidates = self.reaching(piece, to) & own & from;
        if own.has(to) {
            return None;
        }
        let enemies = self.board.color(S::Opponent::COLOR);
        let kind = if enemies.has(to) { MoveKind::Capture } else { MoveKind::Quiet };
        let single = candidates.first()?;
        if piece == PieceType::King {
            let hidden = self.occupied() ^ single.bitboard();
            let safe = self.attackers(to, hidden).is_disjoint(enemies);
            return safe.then(|| Move::new(single, to, kind));
        }
        if !candidates.many() {
            return self.is_safe::<S>(single, to).then(|| Move::new(single, to, kind));
        }
        only(candidates, |from| self.is_safe::<S>(from, to)).map(|from| Move::new(from, to, kind))
    }

    /// The pieces of one type, both players', that attack a square.
    #[inline(always)]
    pub(super) fn reaching(&self, piece: PieceType, to: Square) -> Bitboard {
        let occupied = self.occupied();
        let attacks = match piece {
            PieceType::Pawn => Bitboard::EMPTY,
            PieceType::Knight => attacks::knight(to),
            PieceType::Bishop => sliders::bishop(to, occupied),
            PieceType::Rook => sliders::rook(to, occupied),
            PieceType::Queen => sliders::queen(to, occupied),
            PieceType::King => attacks::king(to),
        };
        attacks & self.board.piece_type(piece)
    }

    /// Whether the player's king is safe after a move of another piece, capturing any piece on the target.
    #[inline(always)]
    fn is_safe<S: Side>(&self, from: Square, to: Square) -> bool {
        let occupied = (self.occupied() - from.bitboard()) | to.bitboard();
        self.king_is_safe::<S>(occupied, to.bitboard())
    }

    /// Whether the player's king is safe with these squares occupied, and some enemies taken.
    #[inline(always)]
    fn king_is_safe<S: Side>(&self, occupied: Bitboard, taken: Bitboard) -> bool {
        let board = &self.board;
        let enemies = board.color(S::Opponent::COLOR) - taken;
        let king = self.king(S::COLOR);
        let attackers = (sliders::rook(king, occupied) & board.straight_sliders())
            | (sliders::bishop(king, occupied) & board.diagonal_sliders())
            | (attacks::knight(king) & board.piece_type(PieceType::Knight))
            | (attacks::pawn(S::COLOR, king) & board.piece_type(PieceType::Pawn));
        attackers.is_disjoint(enemies)
    }

    #[inline(always)]
    fn find_pawn<S: Side>(
        &self,
        from: Bitboard,
        to: Square,
        promotion: Option<PieceType>,
    ) -> Option<Move> {
        let occupied = self.occupied();
        let own = self.board.color(S::COLOR);
        let pawns = self.board.piece_type(PieceType::Pawn) & own & from;
        let last = S::Opponent::HOME_RANK.has(to);
        if last != promotion.is_some() {
            return None;
        }
        if occupied.has(to) {
            if own.has(to) {
                return None;
            }
            let takers = attacks::pawn(S::Opponent::COLOR, to) & pawns;
            let from = only(takers, |from| self.is_safe::<S>(from, to))?;
            return Some(match promotion {
                Some(piece) => Move::promotion_to(from, to, piece, true),
                None => Move::new(from, to, MoveKind::Capture),
            });
        }
        let back = to.step(-S::FORWARD);
        if S::forward(pawns).has(to) {
            return self.is_safe::<S>(back, to).then(|| match promotion {
                Some(piece) => Move::promotion_to(back, to, piece, false),
                None => Move::new(back, to, MoveKind::Quiet),
            });
        }
        let passed = (S::forward(pawns) & S::THIRD_RANK) - occupied;
        if S::forward(passed).has(to) {
            let from = back.step(-S::FORWARD);
            return self.is_safe::<S>(from, to).then(|| Move::new(from, to, MoveKind::DoublePush));
        }
        self.find_en_passant::<S>(pawns, to)
    }

    /// En passant: no pawn can push to such a square, because an enemy pawn blocks it.
    #[inline(never)]
    fn find_en_passant<S: Side>(&self, pawns: Bitboard, to: Square) -> Option<Move> {
        let square = self.en_passant().filter(|square| *square == to)?;
        let takers = attacks::pawn(S::Opponent::COLOR, to) & pawns;
        only(takers, |from| self.en_passant_is_safe(from, square))
            .map(|from| Move::new(from, to, MoveKind::EnPassant))
    }

    #[inline(never)]
    fn find_castling<S: Side>(&self, king_side: bool) -> Option<Move> {
        let king = self.king(S::COLOR);
        let rights = self.castling & S::HOME_RANK;
        let rook = if king_side { rights.last() } else { rights.first() }
            .filter(|&rook| (rook > king) == king_side)?;
        let path = CastlingPath::of(king, rook);
        let (king_bit, rook_bit) = (king.bitboard(), rook.bitboard());
        let enemies = self.board.color(S::Opponent::COLOR);
        let hidden = self.occupied() - king_bit;
        let clear = path.empty.is_disjoint(hidden - rook_bit);
        // The path, and where the king stands: not out of check, nor through one. Once king and rook
        // stand where they go, no line may be open that the rook had closed.
        let unseen = |square| self.attackers(square, hidden).is_disjoint(enemies);
        let m = Move::new(king, rook, MoveKind::Castling);
        let after = (hidden - rook_bit) | m.castling_rook_to().bitboard();
        let safe = clear
            && (path.safe | king_bit).into_iter().all(unseen)
            && self.attackers(m.castling_king_to(), after).is_disjoint(enemies);
        safe.then_some(m)
    }
}

/// The unique square of a set that passes a test.
#[inline(always)]
fn only(squares: Bitboard, mut test: impl FnMut(Square) -> bool) -> Option<Square> {
    let mut found = None;
    for square in squares {
        if test(square) && found.replace(square).is_some() {
            return None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rank;
    use crate::rng::Rng;

    /// The reference: the unique match among all legal moves.
    fn slowly(position: &Position, san: San) -> Option<Move> {
        let fits = |m: &Move| match san {
            San::Move { piece, from, to, promotion } => {
                !m.is_castling()
                    && position.board().piece_type_at(m.from()) == Some(piece)
                    && (from.has(m.from()), m.to(), m.promotion()) == (true, to, promotion)
            }
            San::Castling { king_side } => m.is_castling() && (m.to() > m.from()) == king_side,
            San::Null => false,
        };
        let all = position.legal_moves();
        let mut fitting = all.into_iter().filter(fits);
        let first = fitting.next()?;
        fitting.next().is_none().then_some(first)
    }

    /// Every possible SAN: each piece to each square, with every disambiguation.
    fn check_every_san(position: &Position) {
        let mut origins = vec![Bitboard::FULL];
        origins.extend(crate::File::ALL.map(|file| file.bitboard()));
        origins.extend(Rank::ALL.map(|rank| rank.bitboard()));
        let own = position.board().color(position.turn());
        origins.extend(own.into_iter().map(Square::bitboard));
        let mut questions =
            vec![San::Null, San::Castling { king_side: true }, San::Castling { king_side: false }];
        for to in Square::all() {
            for &from in &origins {
                for piece in PieceType::ALL {
                    let last = Rank::Eighth.relative_to(position.turn());
                    let mut promotions = vec![None];
                    if piece == PieceType::Pawn && to.rank() == last {
                        promotions.extend([Some(PieceType::Queen), Some(PieceType::Knight)]);
                    }
                    let ask = |promotion| San::Move { piece, from, to, promotion };
                    questions.extend(promotions.into_iter().map(ask));
                }
            }
        }
        for san in questions {
            let expected = slowly(position, san);
            assert_eq!(position.find_san(san), expected, "{san:?} in {position:?}");
            let played = position.play_san(san);
            assert_eq!(played, expected.map(|m| (m, position.after(m))), "{san:?} {position:?}");
        }
    }

    #[test]
    fn resolved_moves_match_the_list_of_legal_moves() {
        let tricky = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
            "4k3/8/8/1pP5/8/8/8/K7 w - b6 0 1",
            "4k3/4p3/8/3pP3/8/8/8/K7 w - d6 0 1",
            "k7/8/8/2PpP3/8/8/8/K7 w - d6 0 1",
            "4k3/PPP5/8/8/8/8/1p1p4/R1B1K2R w K - 0 1",
            "1r2k3/P1P5/8/8/8/8/1p4p1/R1B1K2R b K - 0 1",
            "q6k/8/8/8/8/8/8/1R2KR2 w BF - 0 1",
            "7k/8/8/8/8/8/8/qR2KR2 w BF - 0 1",
            "k3r3/8/8/8/4N3/8/4N3/4K1N1 w - - 0 1",
            "k2b4/8/8/8/7q/6P1/8/4K2R w K - 0 1",
        ];
        for fen in tricky {
            check_every_san(&fen.parse().unwrap());
        }
        let mut rng = Rng::from_seed(1);
        for game in 0..12 {
            let start = if game % 2 == 0 { 518 } else { rng.below(960) as u16 };
            let mut position = crate::chess960::start(start).unwrap();
            for _ in 0..80 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                if rng.below(8) == 0 {
                    check_every_san(&position);
                }
                position = position.after(moves[rng.below(moves.len())]);
            }
        }
    }
}
