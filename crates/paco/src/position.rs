//! The state of the board and of the turn in progress.
//!
//! A [`Position`] is a `Copy` value. It stores the settled pieces in three forms (sets by color, sets by color
//! and type, and a code per square and color), because legal actions need sets and the machine-learning
//! representation needs codes; [`put`](Position::put) and [`take`](Position::take) update all three and the
//! key. [`Game`](crate::Game) keeps the history (repetitions, undo).
//!
//! The state machine of a turn is in [`Required`], the kind of the next action.

use chess::{Bitboard, Color, File, Rank, Square};

use crate::{PieceType, zobrist};

/// The kind of the next action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Required {
    /// Lift a piece or a union: the turn begins.
    Lift,
    /// Place what is in the hand.
    Place,
    /// Promote the pawn that has just taken a partner's place, then place the released piece.
    PromoteThenPlace,
    /// Promote the pawn that has arrived; that ends the turn.
    PromoteThenFinish,
    /// Promote the pawn that the opponent has brought to its last row, then lift.
    PromoteThenLift,
}

impl Required {
    /// All five.
    pub const ALL: [Self; 5] = [
        Self::Lift,
        Self::Place,
        Self::PromoteThenPlace,
        Self::PromoteThenFinish,
        Self::PromoteThenLift,
    ];

    /// Whether the next action is a promotion.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        matches!(self, Self::PromoteThenPlace | Self::PromoteThenFinish | Self::PromoteThenLift)
    }

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lift => "Lift",
            Self::Place => "Place",
            Self::PromoteThenPlace => "PromoteThenPlace",
            Self::PromoteThenFinish => "PromoteThenFinish",
            Self::PromoteThenLift => "PromoteThenLift",
        }
    }
}

/// The rules: the official ones, or those of the reference library with its bugs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rules {
    /// The official rules.
    #[default]
    Exact,
    /// The rules of the reference library, to replay its games:
    ///
    /// 1. a castling right survives when its rook leaves inside a chain, and the king can then
    ///    castle with whatever stands there, or with nothing;
    /// 2. a player's own en-passant square of the turn before takes part in his threats and blocks
    ///    the opponent's castling;
    /// 3. a king without an empty neighbor cannot be lifted, not even to castle onto its rook's
    ///    square in Fischer random chess;
    /// 4. a FEN's castling rights are not checked against the rooks.
    Compat,
}

/// How a game ends on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// This player has united with the enemy king.
    Paco(Color),
    /// A turn has ended with the no-progress counter at 100 (and no promotion due at once).
    NoProgress,
}

/// The hand: the player's piece, its partner if it was lifted as a union, and its square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hand {
    /// The square where it was lifted or released.
    pub square: Square,
    /// The mover's piece.
    pub piece: PieceType,
    /// The opponent's piece that comes along, when a union is moved.
    pub partner: Option<PieceType>,
}

/// The code of a square without a piece of that color.
pub(crate) const NONE: u16 = 7 << 6;

/// The code of a piece on a square: `square + 64 * type`.
#[inline(always)]
const fn code(piece: PieceType, square: Square) -> u16 {
    (piece as u16) << 6 | square.index() as u16
}

/// The board, the turn in progress, and the counters.
///
/// ```
/// use tabiya_paco::chess::Square;
/// use tabiya_paco::{Action, Position, Required};
/// let mut position = Position::default();
/// position.play(Action::Lift(Square::D2))?;
/// assert_eq!(position.required(), Required::Place);
/// position.play(Action::Place(Square::D4))?;
/// assert_eq!(
///     position.to_string(),
///     "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b 1 AHah d3 -"
/// );
/// # Ok::<(), tabiya_paco::IllegalAction>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    pub(crate) colors: [Bitboard; 2],
    pub(crate) pieces: [[Bitboard; 6]; 2],
    /// The piece code by color and square, `square + 64 * type`, as in the index form.
    pub(crate) codes: [[u16; 64]; 2],
    /// The castling rights, as the start squares of their rooks.
    pub(crate) castling: Bitboard,
    pub(crate) key: u64,
    pub(crate) half_moves: u32,
    pub(crate) hand: Option<Hand>,
    pub(crate) en_passant: Option<Square>,
    pub(crate) promotion: Option<Square>,
    pub(crate) ending: Option<Ending>,
    pub(crate) required: Required,
    pub(crate) player: Color,
    pub(crate) no_progress: u8,
    pub(crate) rules: Rules,
}

impl Position {
    /// A board without pieces, White to lift.
    pub(crate) fn empty(rules: Rules) -> Self {
        Self {
            colors: [Bitboard::EMPTY; 2],
            pieces: [[Bitboard::EMPTY; 6]; 2],
            codes: [[NONE; 64]; 2],
            castling: Bitboard::EMPTY,
            key: 0,
            half_moves: 1,
            hand: None,
            en_passant: None,
            promotion: None,
            ending: None,
            required: Required::Lift,
            player: Color::White,
            no_progress: 0,
            rules,
        }
    }

    /// The same position, to be played by these rules from now on.
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// The same position with another no-progress counter; at 100 a turn cannot begin any more.
    pub fn with_no_progress(mut self, count: u8) -> Self {
        self.no_progress = count.min(crate::NO_PROGRESS_LIMIT);
        self.ending = match (self.ending, self.required) {
            (Some(Ending::Paco(color)), _) => Some(Ending::Paco(color)),
            (_, Required::Lift) if self.no_progress >= crate::NO_PROGRESS_LIMIT => {
                Some(Ending::NoProgress)
            }
            _ => None,
        };
        self
    }

    /// Which rules are played.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Whose turn it is.
    #[inline(always)]
    pub fn player(&self) -> Color {
        self.player
    }

    /// The kind of the next action.
    #[inline(always)]
    pub fn required(&self) -> Required {
        self.required
    }

    /// The hand.
    #[inline(always)]
    pub fn hand(&self) -> Option<Hand> {
        self.hand
    }

    /// The en-passant square.
    #[inline(always)]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// The square of the pending promotion.
    #[inline(always)]
    pub fn promotion(&self) -> Option<Square> {
        self.promotion
    }

    /// The end of the game on the board, if it is over.
    #[inline(always)]
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Lifts since the last progress, 0 to 100.
    #[inline(always)]
    pub fn no_progress(&self) -> u8 {
        self.no_progress
    }

    /// The turn number, counted for both players from 1.
    pub fn half_moves(&self) -> u32 {
        self.half_moves
    }

    /// The Zobrist key, without counters.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The settled pieces of a color, alone or in unions.
    #[inline(always)]
    pub fn of_color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The settled pieces of a color and type, alone or in unions.
    #[inline(always)]
    pub fn of(&self, color: Color, piece: PieceType) -> Bitboard {
        self.pieces[color.index()][piece.index()]
    }

    /// The squares of unions.
    #[inline(always)]
    pub fn unions(&self) -> Bitboard {
        self.colors[0] & self.colors[1]
    }

    /// The occupied squares, without the hand.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The settled piece of this color on the square.
    #[inline(always)]
    pub fn piece_at(&self, color: Color, square: Square) -> Option<PieceType> {
        match self.codes[color.index()][square.index()] {
            NONE => None,
            code => Some(PieceType::from_index((code >> 6) as usize)),
        }
    }

    /// The number of pieces, the hand included.
    pub fn piece_count(&self) -> usize {
        let in_hand = self.hand.map_or(0, |hand| 1 + usize::from(hand.partner.is_some()));
        self.colors[0].len() + self.colors[1].len() + in_hand
    }

    /// The square of a color's king, in the hand or not.
    #[inline]
    pub fn king_square(&self, color: Color) -> Option<Square> {
        self.of(color, PieceType::King).first().or_else(|| {
            let hand = self.hand?;
            (hand.piece == PieceType::King && self.player == color).then_some(hand.square)
        })
    }

    /// A color's castling rights, as the start squares of their rooks.
    pub fn castling_rooks(&self, color: Color) -> Bitboard {
        self.castling & home_row(color)
    }

    /// The rights to castle: White's queen side and king side, Black's queen side and king side.
    #[inline]
    pub fn castling_rights(&self) -> [bool; 4] {
        if self.castling.is_empty() {
            return [false; 4];
        }
        let mut rights = [false; 4];
        for color in Color::ALL {
            let rooks = self.castling_rooks(color);
            // While a right is held, the king stands where it started, so that its square
            // distinguishes the two sides.
            if let Some(king) = self.king_square(color) {
                let left_of_king = Bitboard(king.bitboard().0 - 1);
                rights[2 * color.index()] = (rooks & left_of_king).any();
                rights[2 * color.index() + 1] = (rooks - left_of_king).any();
            }
        }
        rights
    }

    /// Puts a piece on a square where there is none of its color.
    #[inline(always)]
    pub(crate) fn put(&mut self, color: Color, piece: PieceType, square: Square) {
        self.colors[color.index()] |= square.bitboard();
        self.pieces[color.index()][piece.index()] |= square.bitboard();
        self.codes[color.index()][square.index()] = code(piece, square);
        self.key ^= zobrist::settled(color, piece, square);
    }

    /// Takes the piece of a color off the square, if there is one.
    #[inline(always)]
    pub(crate) fn take(&mut self, color: Color, square: Square) -> Option<PieceType> {
        let piece = self.piece_at(color, square)?;
        self.colors[color.index()] -= square.bitboard();
        self.pieces[color.index()][piece.index()] -= square.bitboard();
        self.codes[color.index()][square.index()] = NONE;
        self.key ^= zobrist::settled(color, piece, square);
        Some(piece)
    }

    /// Moves everything that stands on one square to another, empty one.
    pub(crate) fn carry(&mut self, from: Square, to: Square) {
        for color in Color::ALL {
            if let Some(piece) = self.take(color, from) {
                self.put(color, piece, to);
            }
        }
    }

    /// Sets the hand and updates the key.
    #[inline(always)]
    pub(crate) fn set_hand(&mut self, hand: Option<Hand>) {
        self.key ^= self.hand_key();
        self.hand = hand;
        self.key ^= self.hand_key();
    }

    #[inline(always)]
    fn hand_key(&self) -> u64 {
        let Some(hand) = self.hand else { return 0 };
        let own = zobrist::lifted(self.player, hand.piece, hand.square);
        match hand.partner {
            Some(partner) => own ^ zobrist::lifted(!self.player, partner, hand.square),
            None => own,
        }
    }

    /// Sets the en-passant square and updates the key.
    #[inline(always)]
    pub(crate) fn set_en_passant(&mut self, square: Option<Square>) {
        if let Some(old) = self.en_passant {
            self.key ^= zobrist::en_passant(old);
        }
        self.en_passant = square;
        if let Some(new) = square {
            self.key ^= zobrist::en_passant(new);
        }
    }

    /// Removes castling rights and updates the key.
    #[inline(always)]
    pub(crate) fn drop_castling(&mut self, rooks: Bitboard) {
        for rook in self.castling & rooks {
            self.key ^= zobrist::castling(rook);
        }
        self.castling -= rooks;
    }

    /// Sets the required action and updates the key.
    #[inline(always)]
    pub(crate) fn set_required(&mut self, required: Required, promotion: Option<Square>) {
        self.key ^= zobrist::required(self.required) ^ zobrist::required(required);
        self.required = required;
        self.promotion = promotion;
    }

    /// The key from scratch.
    pub fn recomputed_key(&self) -> u64 {
        let mut key = self.hand_key() ^ zobrist::required(self.required);
        for color in Color::ALL {
            for piece in PieceType::ALL {
                for square in self.of(color, piece) {
                    key ^= zobrist::settled(color, piece, square);
                }
            }
        }
        for rook in self.castling {
            key ^= zobrist::castling(rook);
        }
        if let Some(square) = self.en_passant {
            key ^= zobrist::en_passant(square);
        }
        if self.player == Color::Black {
            key ^= zobrist::black_to_move();
        }
        key
    }
}

/// The row where a player's pieces start.
#[inline(always)]
pub(crate) const fn home_row(color: Color) -> Bitboard {
    Rank::First.relative_to(color).bitboard()
}

/// The row where a player's pawns are promoted.
#[inline(always)]
pub(crate) const fn promotion_row(color: Color) -> Bitboard {
    Rank::Eighth.relative_to(color).bitboard()
}

/// The square of a file on a player's home row.
pub(crate) const fn home_square(color: Color, file: File) -> Square {
    Square::new(file, Rank::First.relative_to(color))
}
