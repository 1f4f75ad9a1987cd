//! Ŝako: whether and how a player can unite with the enemy king this turn.
//!
//! The search itself is in [`chain`](crate::chain); this module applies it to any state of a turn (before the
//! lift, with a piece in the hand, before a promotion) and returns action sequences.

use alloc::vec::Vec;

use chess::{Color, Square};

use crate::chain::{Answer, Board, Origin, exact};
use crate::{Action, Ending, PieceType, Position, Required, Rules};

/// The default node limit of a Ŝako search.
pub const SAKO_NODES: u32 = 1_000_000;

/// The action sequences that unite with the king this turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacoSequences {
    /// Action sequences, shortest first, with distinct final positions.
    pub sequences: Vec<Vec<Action>>,
    /// Whether they are complete; otherwise a limit was reached.
    pub complete: bool,
}

impl Position {
    /// Whether the player can unite with the enemy king this turn, from the current state.
    ///
    /// ```
    /// use tabiya_paco::{Answer, Position};
    /// let position: Position =
    ///     "rnbqkbnr/pppp1ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR w 0 AHah - -".parse()?;
    /// assert_eq!(position.sako(1000), Answer::No);
    /// // Without the pawn on d7 the bishop attacks the king.
    /// let position: Position =
    ///     "rnbqkbnr/ppp2ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR w 0 AHah - -".parse()?;
    /// assert_eq!(position.sako(1000), Answer::Yes);
    /// # Ok::<(), tabiya_paco::FenError>(())
    /// ```
    pub fn sako(&self, nodes: u32) -> Answer {
        let me = self.player;
        let Some(king) = self.lone_king(!me) else { return Answer::No };
        if self.ending.is_some() {
            return Answer::No;
        }
        match (self.required, self.hand) {
            (Required::Lift, _) => {
                Board::new(self, me, self.en_passant).reaches(king.bitboard(), nodes)
            }
            (Required::Place, Some(hand)) => {
                if hand.partner.is_some() || hand.piece == PieceType::King {
                    return Answer::No;
                }
                let origin = Origin { square: hand.square, piece: hand.piece };
                Board::new(self, me, self.en_passant).hand_reaches(origin, king.bitboard(), nodes)
            }
            (Required::PromoteThenFinish, _) | (Required::Place, None) => Answer::No,
            (Required::PromoteThenPlace | Required::PromoteThenLift, _) => {
                let mut answer = Answer::No;
                for after in self.promoted() {
                    match after.sako(nodes) {
                        Answer::Yes => return Answer::Yes,
                        Answer::Unknown => answer = Answer::Unknown,
                        Answer::No => {}
                    }
                }
                answer
            }
        }
    }

    /// Whether the opponent could unite with the player's king if it were his turn now: the player
    /// is in Ŝako. What the player holds is off the board meanwhile.
    ///
    /// ```
    /// use tabiya_paco::{Answer, Position};
    /// let position: Position =
    ///     "rnbqkbnr/ppp2ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR b 0 AHah - -".parse()?;
    /// assert_eq!(position.sako_against(1000), Answer::Yes);
    /// # Ok::<(), tabiya_paco::FenError>(())
    /// ```
    pub fn sako_against(&self, nodes: u32) -> Answer {
        let Some(king) = self.lone_king(self.player) else { return Answer::No };
        if self.ending.is_some() {
            return Answer::No;
        }
        // The en-passant square is the opponent's own making; it is no use to him.
        let en_passant = match self.rules {
            Rules::Exact => None,
            Rules::Compat => self.en_passant,
        };
        Board::new(self, !self.player, en_passant).reaches(king.bitboard(), nodes)
    }

    /// The action sequences that unite with the enemy king this turn, shortest first: at most `limit`, one for
    /// each final position, within a limit of `nodes` states.
    ///
    /// ```
    /// use tabiya_paco::chess::Square;
    /// use tabiya_paco::{Action, Position};
    /// let position: Position =
    ///     "rnbqkbnr/ppp2ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR w 0 AHah - -".parse()?;
    /// let found = position.paco_sequences(1000, 10);
    /// assert_eq!(found.sequences, [[Action::Lift(Square::B5), Action::Place(Square::E8)]]);
    /// assert!(found.complete);
    /// # Ok::<(), tabiya_paco::FenError>(())
    /// ```
    pub fn paco_sequences(&self, nodes: u32, limit: usize) -> PacoSequences {
        let mut left = nodes;
        let mut found = self.sequences_within(&mut left, limit);
        // One sequence for each different end of the turn: the shortest.
        found.sequences.sort_by_key(Vec::len);
        let mut ends = alloc::collections::BTreeMap::<u64, Vec<Self>>::new();
        found.sequences.retain(|actions| {
            let mut end = *self;
            for &action in actions {
                end.play_unchecked(action);
            }
            let known = ends.entry(end.key).or_default();
            let fresh = !known.contains(&end);
            if fresh {
                known.push(end);
            }
            fresh
        });
        found.complete &= found.sequences.len() <= limit;
        found.sequences.truncate(limit);
        found
    }

    fn sequences_within(&self, left: &mut u32, limit: usize) -> PacoSequences {
        let me = self.player;
        let mut found = PacoSequences { sequences: Vec::new(), complete: true };
        let Some(king) = self.lone_king(!me) else { return found };
        if self.ending.is_some() {
            return found;
        }
        let board = Board::new(self, me, self.en_passant);
        let rights = match self.rules {
            Rules::Exact => self.castling_rooks(me),
            Rules::Compat => chess::Bitboard::EMPTY,
        };
        let mut search = |origin: Origin, first: Option<Action>| {
            let search = exact::Search::new(&board, origin).with_rights(rights);
            // Each origin may fill the limit: the shortest of all are chosen at the end.
            let (chains, complete) = search.chains(king, left, limit);
            found.complete &= complete;
            found.sequences.extend(
                chains.into_iter().map(|chain| first.into_iter().chain(chain).collect::<Vec<_>>()),
            );
        };
        match (self.required, self.hand) {
            (Required::Lift, _) => {
                for square in board.lone {
                    let origin = Origin { square, piece: board.kind(square) };
                    search(origin, Some(Action::Lift(square)));
                }
            }
            (Required::Place, Some(hand))
                if hand.partner.is_none() && hand.piece != PieceType::King =>
            {
                search(Origin { square: hand.square, piece: hand.piece }, None);
            }
            (Required::PromoteThenPlace | Required::PromoteThenLift, _) => {
                for (piece, after) in PieceType::PROMOTIONS.into_iter().zip(self.promoted()) {
                    let deeper = after.sequences_within(left, limit);
                    found.complete &= deeper.complete;
                    found.sequences.extend(deeper.sequences.into_iter().map(|actions| {
                        core::iter::once(Action::Promote(piece)).chain(actions).collect()
                    }));
                }
            }
            _ => {}
        }
        found
    }

    /// The four positions after the pending promotion.
    fn promoted(&self) -> [Self; 4] {
        PieceType::PROMOTIONS.map(|piece| {
            let mut after = *self;
            after.play_unchecked(Action::Promote(piece));
            after
        })
    }

    /// Where the king of this color stands alone.
    fn lone_king(&self, color: Color) -> Option<Square> {
        (self.of(color, PieceType::King) - self.unions()).first()
    }

    /// Whether a player has won by uniting with the enemy king.
    pub fn is_won_by(&self, color: Color) -> bool {
        self.ending == Some(Ending::Paco(color))
    }
}
