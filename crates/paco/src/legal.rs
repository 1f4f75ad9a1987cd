//! Legal actions: one set of squares, or the four promotions.
//!
//! All legal actions of a state are of one kind, so that a set of squares represents them: the pieces that can
//! be lifted, or the targets of the hand. A piece can be lifted if it has a target; its nearest squares decide
//! that, set-wise for all pieces.

use chess::{Bitboard, Color, Square, attacks, sliders};

use crate::position::home_row;
use crate::{Action, Hand, PieceType, Position, Required, Rules, castling, shift};

/// The legal actions of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Legal {
    /// Lifts from these squares.
    Lifts(Bitboard),
    /// Placing on these squares.
    Places(Bitboard),
    /// The four promotions.
    Promotions,
    /// The game is over.
    Nothing,
}

impl Legal {
    /// The number of actions.
    #[inline(always)]
    pub const fn len(self) -> usize {
        match self {
            Self::Lifts(squares) | Self::Places(squares) => squares.len(),
            Self::Promotions => 4,
            Self::Nothing => 0,
        }
    }

    /// Whether there is none: the game is over, or the turn is at a dead end.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether the action is legal.
    #[inline(always)]
    pub const fn has(self, action: Action) -> bool {
        match (self, action) {
            (Self::Lifts(squares), Action::Lift(square))
            | (Self::Places(squares), Action::Place(square)) => squares.has(square),
            (Self::Promotions, Action::Promote(piece)) => {
                !matches!(piece, PieceType::Pawn | PieceType::King)
            }
            _ => false,
        }
    }

    /// The `n`th action, from 0 in the order of [`iter`](Self::iter).
    #[inline]
    pub fn nth(self, n: usize) -> Option<Action> {
        let nth_square = |mut squares: Bitboard| {
            for _ in 0..n {
                squares.0 &= squares.0.wrapping_sub(1);
            }
            squares.first()
        };
        match self {
            Self::Lifts(squares) => nth_square(squares).map(Action::Lift),
            Self::Places(squares) => nth_square(squares).map(Action::Place),
            Self::Promotions => PieceType::PROMOTIONS.get(n).copied().map(Action::Promote),
            Self::Nothing => None,
        }
    }

    /// Iterates by ascending square, or rook, knight, bishop, queen; hence by ascending policy index.
    pub fn iter(self) -> impl Iterator<Item = Action> + Clone {
        let (lifts, places, promotions) = match self {
            Self::Lifts(squares) => (squares, Bitboard::EMPTY, 0),
            Self::Places(squares) => (Bitboard::EMPTY, squares, 0),
            Self::Promotions => (Bitboard::EMPTY, Bitboard::EMPTY, 4),
            Self::Nothing => (Bitboard::EMPTY, Bitboard::EMPTY, 0),
        };
        lifts
            .into_iter()
            .map(Action::Lift)
            .chain(places.into_iter().map(Action::Place))
            .chain(PieceType::PROMOTIONS.into_iter().take(promotions).map(Action::Promote))
    }
}

impl Position {
    /// All legal actions.
    ///
    /// ```
    /// use tabiya_paco::{Action, Legal, Position, chess::Square};
    /// let legal = Position::default().legal();
    /// assert_eq!(legal.len(), 10);
    /// assert!(matches!(legal, Legal::Lifts(_)));
    /// assert!(legal.has(Action::Lift(Square::G1)));
    /// ```
    #[inline]
    pub fn legal(&self) -> Legal {
        if self.ending.is_some() {
            return Legal::Nothing;
        }
        match (self.required, self.hand) {
            (Required::Lift, _) => Legal::Lifts(self.lifts()),
            (Required::Place, Some(hand)) => Legal::Places(self.targets(hand)),
            (Required::Place, None) => Legal::Nothing,
            _ => Legal::Promotions,
        }
    }

    /// The pieces and unions that can be lifted.
    #[inline]
    fn lifts(&self) -> Bitboard {
        let me = self.player;
        let own = self.of_color(me);
        let their = self.of_color(!me);
        let empty = !(own | their);
        let lone = own - their;
        let unions = own & their;
        let [pawns, rooks, knights, bishops, queens, king] = self.pieces[me.index()];

        // A lone piece goes anywhere but onto a lone own piece; a union needs an empty square.
        let open = !lone;
        let steps = (lone & shift::orthogonal(open)) | (unions & shift::orthogonal(empty));
        let slants = (lone & shift::diagonal(open)) | (unions & shift::diagonal(empty));
        let leaps = (lone & shift::leap(open)) | (unions & shift::leap(empty));
        let strikes = their | self.en_passant.map_or(Bitboard::EMPTY, Square::bitboard);
        let pawn_moves = shift::behind(me, empty) | (lone & shift::pawns_attacking(me, strikes));

        let mut lifts = (pawns & pawn_moves)
            | ((rooks | queens) & steps)
            | ((bishops | queens) & slants)
            | (knights & leaps);
        if (king & (shift::orthogonal(empty) | shift::diagonal(empty))).any() {
            lifts |= king;
        } else if self.castling.any() && self.rules == Rules::Exact {
            // Only in Fischer random chess: nowhere to step, yet a rook beside to castle with.
            if let Some(square) = king.first()
                && castling::targets(self, square).any()
            {
                lifts |= king;
            }
        }
        lifts
    }

    /// The targets of the hand.
    #[inline]
    fn targets(&self, hand: Hand) -> Bitboard {
        let me = self.player;
        let own = self.of_color(me);
        let their = self.of_color(!me);
        let empty = !(own | their);
        match (hand.piece, hand.partner) {
            (PieceType::King, _) => {
                let steps = attacks::king(hand.square) & empty;
                if self.castling.is_empty() {
                    steps
                } else {
                    steps | castling::targets(self, hand.square)
                }
            }
            (PieceType::Pawn, Some(_)) => pawn_steps(me, hand.square, empty),
            (piece, Some(_)) => attack(me, piece, hand.square, !empty) & empty,
            (PieceType::Pawn, None) => {
                let strikes = their | self.en_passant.map_or(Bitboard::EMPTY, Square::bitboard);
                pawn_steps(me, hand.square, empty) | (attacks::pawn(me, hand.square) & strikes)
            }
            (piece, None) => attack(me, piece, hand.square, !empty) - (own - their),
        }
    }
}

/// The squares a pawn reaches straight ahead: one step, or two from its first two rows.
#[inline(always)]
fn pawn_steps(color: Color, square: Square, empty: Bitboard) -> Bitboard {
    let one = shift::ahead(color, square.bitboard()) & empty;
    let home = home_row(color);
    let may_run = home | shift::ahead(color, home);
    if may_run.has(square) { one | (shift::ahead(color, one) & empty) } else { one }
}

/// The squares a piece attacks. A king attacks nothing: it never unites.
#[inline(always)]
pub(crate) fn attack(
    color: Color,
    piece: PieceType,
    square: Square,
    occupied: Bitboard,
) -> Bitboard {
    match piece {
        PieceType::Pawn => attacks::pawn(color, square),
        PieceType::Rook => sliders::rook(square, occupied),
        PieceType::Knight => attacks::knight(square),
        PieceType::Bishop => sliders::bishop(square, occupied),
        PieceType::Queen => sliders::queen(square, occupied),
        PieceType::King => Bitboard::EMPTY,
    }
}
