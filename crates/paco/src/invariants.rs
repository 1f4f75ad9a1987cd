//! The invariants of a position, one predicate each: for debug checks, tests and fuzzing.

use chess::{Bitboard, Color, Square};

use crate::position::{NONE, promotion_row};
use crate::{Ending, NO_PROGRESS_LIMIT, PieceType, Position, Required};

/// An invariant: its description and its predicate.
type Check = (&'static str, fn(&Position) -> bool);

impl Position {
    /// The description of the first violated invariant; `None` for every reachable position.
    ///
    /// ```
    /// assert_eq!(tabiya_paco::Position::default().broken_invariant(), None);
    /// ```
    pub fn broken_invariant(&self) -> Option<&'static str> {
        let checks: [Check; 8] = [
            ("sets by type, sets by color and codes agree", sets_agree),
            ("no color has more than 16 pieces or two kings", counts_fit),
            ("the key is what it would be computed anew", key_fits),
            ("the hand and what is required belong together", hand_fits),
            ("a pawn on its last row waits for its promotion", pawns_fit),
            ("a king is in a union only when the game is over", kings_fit),
            ("the counter is at most 100", counter_fits),
            ("an en-passant square is empty", en_passant_fits),
        ];
        checks.into_iter().find(|(_, holds)| !holds(self)).map(|(name, _)| name)
    }
}

fn sets_agree(position: &Position) -> bool {
    Color::ALL.into_iter().all(|color| {
        let mut union = Bitboard::EMPTY;
        let disjoint = PieceType::ALL.into_iter().all(|piece| {
            let set = position.of(color, piece);
            let fresh = set.is_disjoint(union);
            union |= set;
            fresh
        });
        let codes = Square::all().all(|square| {
            let code = position.codes[color.index()][square.index()];
            match position.piece_at(color, square) {
                None => code == NONE && !union.has(square),
                Some(piece) => {
                    code as usize == square.index() + 64 * piece.index()
                        && position.of(color, piece).has(square)
                }
            }
        });
        disjoint && codes && union == position.of_color(color)
    })
}

fn counts_fit(position: &Position) -> bool {
    let held = |color: Color| {
        position
            .hand
            .map_or(0, |hand| usize::from(color == position.player || hand.partner.is_some()))
    };
    Color::ALL.into_iter().all(|color| {
        position.of_color(color).len() + held(color) <= 16
            && position.of(color, PieceType::King).len() <= 1
    })
}

fn key_fits(position: &Position) -> bool {
    position.key == position.recomputed_key()
}

fn hand_fits(position: &Position) -> bool {
    let in_hand = matches!(position.required, Required::Place | Required::PromoteThenPlace);
    let over_fitting_square = position.hand.is_none_or(|hand| {
        // Lifted from a square that is empty now, or released from a union that is still there.
        if position.occupied().has(hand.square) {
            position.unions().has(hand.square) && hand.partner.is_none()
        } else {
            position.required == Required::Place
        }
    });
    position.hand.is_some() == in_hand
        && over_fitting_square
        && position.promotion.is_some() == position.required.is_promotion()
}

fn pawns_fit(position: &Position) -> bool {
    Color::ALL.into_iter().all(|color| {
        let arrived = position.of(color, PieceType::Pawn) & promotion_row(color);
        let waiting = match position.promotion {
            Some(square) if color == position.player => square.bitboard(),
            _ => Bitboard::EMPTY,
        };
        arrived == waiting
    })
}

fn kings_fit(position: &Position) -> bool {
    let lost = |color| !position.of(color, PieceType::King).is_disjoint(position.unions());
    let won = |color| position.ending == Some(Ending::Paco(color));
    Color::ALL.into_iter().all(|color| lost(color) == won(!color))
}

fn counter_fits(position: &Position) -> bool {
    let drawn = position.ending == Some(Ending::NoProgress);
    position.no_progress <= NO_PROGRESS_LIMIT
        && (!drawn || position.no_progress == NO_PROGRESS_LIMIT)
}

fn en_passant_fits(position: &Position) -> bool {
    position.en_passant.is_none_or(|square| !position.occupied().has(square))
}
