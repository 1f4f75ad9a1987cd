//! An unvalidated board, and its validation.
//!
//! The fields of a [`Setup`] can hold anything. [`Setup::position`] validates it into a [`Position`]. The
//! checks:
//!
//! * at most sixteen pieces and one king of a color; fewer are fine (problems, lessons), though the
//!   machine-learning representation wants all 32;
//! * a hand only over an empty square, or, in a chain, over a union; no hand once the game is over;
//! * a pawn on its last row only where it waits for its promotion;
//! * an en-passant square behind a pawn that can just have run;
//! * a right to castle only with king and rook in place (the rook is not required by
//!   [`Rules::Compat`]);
//! * at most one king in a union;
//! * the no-progress counter at most 100.

use chess::{Bitboard, Color, Rank, Square};

use crate::position::{home_row, promotion_row};
use crate::{Ending, Hand, NO_PROGRESS_LIMIT, PieceType, Position, Required, Rules, shift};

/// A position in parts, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// White's and Black's piece on each square.
    pub board: [[Option<PieceType>; 2]; 64],
    /// Whose turn it is.
    pub player: Color,
    /// What the player holds.
    pub hand: Option<Hand>,
    /// Lifts since the last progress.
    pub no_progress: u32,
    /// Start squares of the rooks with a right to castle.
    pub castling: Bitboard,
    /// The square behind a pawn that has just run.
    pub en_passant: Option<Square>,
    /// Where a pawn waits for its promotion, and what comes after; `None` to find out.
    pub promotion: Option<(Square, Required)>,
    /// The number of the turn, from 1.
    pub half_moves: u32,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            board: [[None; 2]; 64],
            player: Color::White,
            hand: None,
            no_progress: 0,
            castling: Bitboard::EMPTY,
            en_passant: None,
            promotion: None,
            half_moves: 1,
        }
    }
}

/// Why a setup is no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// More than sixteen pieces of a color.
    #[error("{0} has {1} pieces, more than sixteen")]
    TooManyPieces(Color, usize),
    /// More than one king of a color.
    #[error("{0} has {1} kings")]
    TooManyKings(Color, usize),
    /// Both kings are in unions.
    #[error("both kings are in unions, so that both players would have won")]
    TwoWinners,
    /// The hand hovers over a square where nothing can have been lifted or released.
    #[error("the hand hovers over {0}, where nothing can have been lifted")]
    Hand(Square),
    /// There is a hand, but the game is over.
    #[error("the game is over, yet the hand over {0} holds a piece")]
    HandAfterTheEnd(Square),
    /// A pawn stands on its last row without waiting for its promotion.
    #[error("the pawn on {0} stands on its last row and waits for no promotion")]
    PawnOnLastRow(Square),
    /// No pawn of the player waits on the square, or not for this.
    #[error("no pawn on {0} can be waiting for {name}", name = .1.name())]
    Promotion(Square, Required),
    /// No pawn can have run past the square.
    #[error("no pawn can just have run past {0}")]
    EnPassant(Square),
    /// The king or the rook of a right to castle is not in its place.
    #[error("a right to castle with the rook on {0}, but king and rook are not in place")]
    Castling(Square),
    /// The no-progress counter is over 100.
    #[error("the no-progress counter is {0}, over 100")]
    Counter(u32),
}

impl Setup {
    /// Validates the setup.
    pub fn position(&self, rules: Rules) -> Result<Position, SetupError> {
        let mut position = Position::empty(rules);
        for square in Square::all() {
            for color in Color::ALL {
                if let Some(piece) = self.board[square.index()][color.index()] {
                    position.put(color, piece, square);
                }
            }
        }
        position.player = self.player;
        position.castling = self.castling;
        position.en_passant = self.en_passant;
        position.half_moves = self.half_moves.max(1);
        position.no_progress = u8::try_from(self.no_progress)
            .ok()
            .filter(|&count| count <= NO_PROGRESS_LIMIT)
            .ok_or(SetupError::Counter(self.no_progress))?;
        position.hand = self.hand;
        check_pieces(&position)?;
        let winner = winner(&position)?;
        check_hand(&position, winner)?;
        check_en_passant(&position)?;
        check_castling(&position)?;
        self.set_required(&mut position)?;

        position.ending = winner.map(Ending::Paco);
        position.key = position.recomputed_key();
        Ok(position.with_no_progress(position.no_progress))
    }

    /// Determines the required action, given or inferred from the board.
    fn set_required(&self, position: &mut Position) -> Result<(), SetupError> {
        let me = position.player;
        if let Some(square) = (position.of(!me, PieceType::Pawn) & promotion_row(!me)).first() {
            return Err(SetupError::PawnOnLastRow(square));
        }
        let waiting = position.of(me, PieceType::Pawn) & promotion_row(me);
        let found = waiting.first().map(|square| {
            let after = match position.hand {
                Some(_) => Required::PromoteThenPlace,
                None if position.unions().has(square) && winner(position) != Ok(Some(me)) => {
                    Required::PromoteThenLift
                }
                None => Required::PromoteThenFinish,
            };
            (square, after)
        });
        if let Some(second) = waiting.into_iter().nth(1) {
            return Err(SetupError::PawnOnLastRow(second));
        }
        let (promotion, required) = match (self.promotion, found) {
            (None, None) => {
                let hand = position.hand.is_some();
                (None, if hand { Required::Place } else { Required::Lift })
            }
            (None, Some((square, required))) => (Some(square), required),
            (Some((square, required)), found) => {
                let fits = found.is_some_and(|(there, _)| there == square)
                    && match (required, position.hand) {
                        (Required::PromoteThenPlace, Some(hand)) => {
                            hand.square == square && hand.partner.is_none()
                        }
                        (Required::PromoteThenFinish, None) => true,
                        (Required::PromoteThenLift, None) => position.unions().has(square),
                        _ => false,
                    };
                if !fits {
                    return Err(SetupError::Promotion(square, required));
                }
                (Some(square), required)
            }
        };
        if let (Some(square), Some(hand)) = (promotion, position.hand)
            && (hand.square != square || hand.partner.is_some())
        {
            return Err(SetupError::PawnOnLastRow(square));
        }
        position.required = required;
        position.promotion = promotion;
        Ok(())
    }
}

fn check_pieces(position: &Position) -> Result<(), SetupError> {
    for color in Color::ALL {
        let held = |kind: Option<PieceType>| match (position.hand, position.player == color) {
            (Some(hand), true) => usize::from(kind.is_none_or(|kind| hand.piece == kind)),
            (Some(Hand { partner: Some(partner), .. }), false) => {
                usize::from(kind.is_none_or(|kind| partner == kind))
            }
            _ => 0,
        };
        let pieces = position.of_color(color).len() + held(None);
        if pieces > 16 {
            return Err(SetupError::TooManyPieces(color, pieces));
        }
        let kings = position.of(color, PieceType::King).len() + held(Some(PieceType::King));
        if kings > 1 {
            return Err(SetupError::TooManyKings(color, kings));
        }
    }
    Ok(())
}

/// Who has united with the enemy king.
fn winner(position: &Position) -> Result<Option<Color>, SetupError> {
    let lost = |color| !position.of(color, PieceType::King).is_disjoint(position.unions());
    match (lost(Color::White), lost(Color::Black)) {
        (true, true) => Err(SetupError::TwoWinners),
        (true, false) => Ok(Some(Color::Black)),
        (false, true) => Ok(Some(Color::White)),
        (false, false) => Ok(None),
    }
}

fn check_hand(position: &Position, winner: Option<Color>) -> Result<(), SetupError> {
    let Some(hand) = position.hand else { return Ok(()) };
    if winner.is_some() {
        return Err(SetupError::HandAfterTheEnd(hand.square));
    }
    let has_king = hand.piece == PieceType::King || hand.partner == Some(PieceType::King);
    let fits = if position.occupied().has(hand.square) {
        // Released in a chain: the union it left is still there.
        position.unions().has(hand.square) && hand.partner.is_none() && !has_king
    } else {
        hand.partner.is_none() || !has_king
    };
    let on_last_row =
        |color, piece| piece == PieceType::Pawn && promotion_row(color).has(hand.square);
    let waits = on_last_row(position.player, hand.piece)
        || hand.partner.is_some_and(|partner| on_last_row(!position.player, partner));
    if fits && !waits { Ok(()) } else { Err(SetupError::Hand(hand.square)) }
}

fn check_en_passant(position: &Position) -> Result<(), SetupError> {
    let Some(square) = position.en_passant else { return Ok(()) };
    let me = position.player;
    let runner = shift::behind(me, square.bitboard());
    // The runner stands ahead of the square, or the player has just lifted it in a union.
    let lifted = position
        .hand
        .is_some_and(|hand| hand.partner == Some(PieceType::Pawn) && runner.has(hand.square));
    let fits = square.rank().relative_to(me) == Rank::Sixth
        && !position.occupied().has(square)
        && (lifted || runner.is_subset(position.of(!me, PieceType::Pawn)));
    if fits { Ok(()) } else { Err(SetupError::EnPassant(square)) }
}

fn check_castling(position: &Position) -> Result<(), SetupError> {
    let rows = home_row(Color::White) | home_row(Color::Black);
    if let Some(square) = (position.castling - rows).first() {
        return Err(SetupError::Castling(square));
    }
    for color in Color::ALL {
        let rooks = position.castling_rooks(color);
        let Some(first) = rooks.first() else { continue };
        let king = position
            .king_square(color)
            .filter(|&king| home_row(color).has(king))
            .ok_or(SetupError::Castling(first))?;
        let left = Bitboard(king.bitboard().0 - 1);
        for side in [rooks & left, rooks - left] {
            if let Some(second) = side.into_iter().nth(1) {
                return Err(SetupError::Castling(second));
            }
        }
        let standing = match position.rules {
            Rules::Exact => position.of(color, PieceType::Rook),
            Rules::Compat => !king.bitboard(),
        };
        if let Some(missing) = (rooks - standing).first() {
            return Err(SetupError::Castling(missing));
        }
    }
    Ok(())
}

/// Every position in parts again.
impl From<&Position> for Setup {
    fn from(position: &Position) -> Self {
        let mut setup = Self {
            player: position.player,
            hand: position.hand,
            no_progress: u32::from(position.no_progress),
            castling: position.castling,
            en_passant: position.en_passant,
            promotion: position.promotion.map(|square| (square, position.required)),
            half_moves: position.half_moves,
            ..Self::default()
        };
        for square in Square::all() {
            for color in Color::ALL {
                setup.board[square.index()][color.index()] = position.piece_at(color, square);
            }
        }
        setup
    }
}

/// The start position of the standard setup.
impl Default for Position {
    fn default() -> Self {
        let mut position = Self::empty(Rules::Exact);
        const ROW: [PieceType; 8] = [
            PieceType::Rook,
            PieceType::Knight,
            PieceType::Bishop,
            PieceType::Queen,
            PieceType::King,
            PieceType::Bishop,
            PieceType::Knight,
            PieceType::Rook,
        ];
        for color in Color::ALL {
            for (file, piece) in ROW.into_iter().enumerate() {
                let home = Square::new(
                    chess::File::from_index_wrapping(file),
                    Rank::First.relative_to(color),
                );
                position.put(color, piece, home);
                if let Some(ahead) = shift::ahead(color, home.bitboard()).first() {
                    position.put(color, PieceType::Pawn, ahead);
                }
                if piece == PieceType::Rook {
                    position.castling |= home.bitboard();
                }
            }
        }
        position.key = position.recomputed_key();
        position
    }
}
