//! Errors of moves in algebraic notation.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::San;
use crate::movegen::CastlingPath;
use crate::{Bitboard, Move, MoveFilter, PieceType, Position, Rank, Square, attacks};

/// Why a text is not a legal move of a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SanError {
    /// Not a move in any position.
    #[error("'{text}' is not a move in algebraic notation, such as Nf3, exd5 or O-O")]
    Malformed {
        /// The text as given.
        text: String,
    },
    /// No such piece of the player can reach the square.
    #[error("'{text}': no {piece} can go to {to}")]
    NoSuchMove {
        /// The text as given.
        text: String,
        /// The piece type.
        piece: PieceType,
        /// The target square.
        to: Square,
    },
    /// Several legal moves match.
    #[error("'{text}' is ambiguous: {}", list(.candidates))]
    Ambiguous {
        /// The text as given.
        text: String,
        /// All matching moves.
        candidates: Vec<Move>,
    },
    /// A pseudo-legal move that is illegal.
    #[error("'{text}' is illegal: {why}")]
    Illegal {
        /// The text as given.
        text: String,
        /// The reason.
        why: Illegality,
    },
}

/// Why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Illegality {
    /// The piece is pinned.
    #[error("the {piece} on {from} is pinned by the {pinner_type} on {pinner}")]
    Pinned {
        /// The pinned piece.
        piece: PieceType,
        /// Its square.
        from: Square,
        /// The pinning piece.
        pinner_type: PieceType,
        /// Its square.
        pinner: Square,
    },
    /// The move does not parry a check.
    #[error("the king stays in check from {checker}")]
    StaysInCheck {
        /// The checking pieces.
        checker: Square,
    },
    /// The king would move into check.
    #[error("the king would be in check from {attacker}")]
    IntoCheck {
        /// The attackers.
        attacker: Square,
    },
    /// The target is occupied by an own piece.
    #[error("a piece of the same color stands on {0}")]
    OwnPiece(Square),
    /// A missing promotion piece.
    #[error("the promotion piece is missing")]
    PromotionMissing,
    /// A promotion piece without a promotion.
    #[error("nothing is promoted on {0}")]
    NoPromotionThere(Square),
    /// No castling right.
    #[error("there is no right to castle on that side")]
    NoCastlingRight,
    /// The castling path is blocked.
    #[error("a piece on {0} stands in the way of castling")]
    CastlingBlocked(Square),
    /// Castling out of check.
    #[error("the king is in check and cannot castle")]
    CastlingOutOfCheck,
    /// Castling through or into check.
    #[error("castling would lead the king over {0}, which is attacked")]
    CastlingThroughCheck(Square),
    /// A null move in check.
    #[error("a null move is not possible in check")]
    NullInCheck,
    /// A null move where a legal move is required.
    #[error("a null move is no move of the game")]
    Null,
}

fn list(moves: &[Move]) -> String {
    let texts: Vec<String> = moves.iter().map(Move::to_string).collect();
    texts.join(" or ")
}

impl Position {
    /// Parses a legal move in short or long algebraic notation. The module documentation lists the
    /// leniencies.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let position: Position = "4r1k1/8/8/8/8/8/4N3/4K1N1 w - - 0 1".parse().unwrap();
    /// let refused = |text| position.parse_san(text).unwrap_err().to_string();
    /// assert_eq!(position.parse_san("Nf3").unwrap().to_string(), "g1f3");
    /// assert_eq!(
    ///     refused("Nc3"),
    ///     "'Nc3' is illegal: the knight on e2 is pinned by the rook on e8",
    /// );
    /// assert_eq!(refused("Nb3"), "'Nb3': no knight can go to b3");
    /// assert_eq!(refused("O-O"), "'O-O' is illegal: there is no right to castle on that side");
    /// ```
    pub fn parse_san(&self, text: &str) -> Result<Move, SanError> {
        self.parse_san_bytes(text.as_bytes())
    }

    /// [`Position::parse_san`] for bytes, which need not be UTF-8.
    pub fn parse_san_bytes(&self, text: &[u8]) -> Result<Move, SanError> {
        let san = San::parse(text)?;
        self.find_san(san)
            .or_else(|| self.find_by_squares(san))
            .ok_or_else(|| self.why_not(san, text))
    }

    /// The move of a text in UCI notation: the piece on the first square moves. ([`San`] parses such a text as
    /// a pawn move.)
    #[cold]
    pub(crate) fn find_by_squares(&self, san: San) -> Option<Move> {
        let San::Move { piece: PieceType::Pawn, from, to, promotion } = san else { return None };
        let from = from.first().filter(|square| square.bitboard() == from)?;
        let letter = promotion.map_or_else(String::new, |piece| piece.letter().to_string());
        self.parse_uci(&format!("{from}{to}{letter}")).ok()
    }

    /// Why [`Position::find_san`] returns `None`. The text is for the message.
    #[cold]
    pub fn why_not(&self, san: San, text: &[u8]) -> SanError {
        let text = String::from_utf8_lossy(text).into_owned();
        let illegal = |text, why| SanError::Illegal { text, why };
        match san {
            San::Null if self.in_check() => illegal(text, Illegality::NullInCheck),
            San::Null => illegal(text, Illegality::Null),
            San::Castling { king_side } => illegal(text, self.why_not_castle(king_side)),
            San::Move { piece, from, to, promotion } => {
                let filter = MoveFilter { from, to: to.bitboard(), ..MoveFilter::ALL };
                let mut candidates = self.moves(filter);
                candidates.retain(|m| {
                    let moves = self.board().piece_type_at(m.from()) == Some(piece);
                    moves && !m.is_castling() && (promotion.is_none() || m.promotion() == promotion)
                });
                let last = Rank::Eighth.relative_to(self.turn());
                let promotes = piece == PieceType::Pawn && to.rank() == last;
                if promotes && promotion.is_none() && !candidates.is_empty() {
                    illegal(text, Illegality::PromotionMissing)
                } else if candidates.len() > 1 {
                    SanError::Ambiguous { text, candidates: candidates.to_vec() }
                } else if promotion.is_some() && !promotes {
                    illegal(text, Illegality::NoPromotionThere(to))
                } else {
                    match self.why_not_piece(piece, from, to) {
                        Some(why) => illegal(text, why),
                        None => SanError::NoSuchMove { text, piece, to },
                    }
                }
            }
        }
    }

    /// Why the pseudo-legal moves to the square are illegal; `None` if there are none.
    fn why_not_piece(&self, piece: PieceType, from: Bitboard, to: Square) -> Option<Illegality> {
        let board = self.board();
        let own = board.color(self.turn());
        let pawns_to = |square| attacks::pawn(!self.turn(), square);
        let candidates = match piece {
            PieceType::Pawn => {
                let takes = board.color(!self.turn()).has(to);
                let back = if takes { pawns_to(to) } else { self.pushing_to(to) };
                back & board.piece_type(piece)
            }
            _ => self.reaching(piece, to),
        } & own
            & from;
        let candidate = candidates.first()?;
        if own.has(to) {
            return Some(Illegality::OwnPiece(to));
        }
        let enemies = board.color(!self.turn()) - to.bitboard();
        if piece == PieceType::King {
            let hidden = self.occupied() - candidate.bitboard();
            let attacker = (self.attackers(to, hidden) & enemies).first()?;
            return Some(Illegality::IntoCheck { attacker });
        }
        let king = self.king(self.turn());
        let after = (self.occupied() - candidate.bitboard()) | to.bitboard();
        let attacker = (self.attackers(king, after) & enemies).first();
        let before = self.checkers();
        match attacker {
            Some(checker) if before.has(checker) => Some(Illegality::StaysInCheck { checker }),
            Some(pinner) => Some(Illegality::Pinned {
                piece,
                from: candidate,
                pinner_type: board.piece_type_at(pinner)?,
                pinner,
            }),
            None => None,
        }
    }

    /// The origins of pawn pushes to a square.
    fn pushing_to(&self, to: Square) -> Bitboard {
        let back = if self.turn() == crate::Color::White { -8 } else { 8 };
        let (one, two) = (to.step(back), to.step(back).step(back));
        let occupied = self.occupied();
        let fourth = Rank::Fourth.relative_to(self.turn());
        if occupied.has(to) {
            Bitboard::EMPTY
        } else if to.rank() == fourth && !occupied.has(one) {
            two.bitboard()
        } else {
            one.bitboard()
        }
    }

    fn why_not_castle(&self, king_side: bool) -> Illegality {
        let king = self.king(self.turn());
        let home = Rank::First.relative_to(self.turn()).bitboard();
        let rights = self.castling_rooks() & home;
        let rook = if king_side { rights.last() } else { rights.first() };
        let Some(rook) = rook.filter(|&rook| (rook > king) == king_side) else {
            return Illegality::NoCastlingRight;
        };
        let path = CastlingPath::of(king, rook);
        let others = self.occupied() - king.bitboard() - rook.bitboard();
        if let Some(square) = (path.empty & others).first() {
            return Illegality::CastlingBlocked(square);
        }
        if self.in_check() {
            return Illegality::CastlingOutOfCheck;
        }
        let enemies = self.board().color(!self.turn());
        let hidden = self.occupied() - king.bitboard();
        let attacked = |square: &Square| !self.attackers(*square, hidden).is_disjoint(enemies);
        let attacked = path.safe.into_iter().find(attacked);
        // Nothing attacked: then the rook itself shields the king, and leaves (Chess960).
        let end = Move::new(king, rook, crate::MoveKind::Castling).castling_king_to();
        Illegality::CastlingThroughCheck(attacked.unwrap_or(end))
    }
}
