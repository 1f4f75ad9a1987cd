//! Playing actions.

use chess::{Color, Rank, Square};

use crate::position::{home_row, promotion_row};
use crate::{
    Action, Ending, Hand, Legal, PieceType, Position, Required, Rules, castling, shift, zobrist,
};

/// The counter value at which a turn's end is a draw.
pub const NO_PROGRESS_LIMIT: u8 = 100;

/// The action is not legal in the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {action}: {}", why(*.over, *.required, *.action))]
pub struct IllegalAction {
    /// The action.
    pub action: Action,
    /// The required action.
    pub required: Required,
    /// Whether the game was over.
    pub over: bool,
}

fn why(over: bool, required: Required, action: Action) -> &'static str {
    match (over, required, action) {
        (true, ..) => "the game is over",
        (_, Required::Lift, Action::Lift(_)) => "nothing there that can move",
        (_, Required::Lift, _) => "a piece must be lifted",
        (_, Required::Place, Action::Place(_)) => "the hand cannot go there",
        (_, Required::Place, _) => "the hand must be placed",
        (_, _, Action::Promote(_)) => "a pawn becomes a rook, knight, bishop or queen",
        _ => "a pawn must be promoted",
    }
}

impl Position {
    /// Plays an action if it is legal.
    pub fn play(&mut self, action: Action) -> Result<(), IllegalAction> {
        let legal = self.legal();
        if !legal.has(action) {
            let over = legal == Legal::Nothing;
            return Err(IllegalAction { action, required: self.required, over });
        }
        self.play_unchecked(action);
        Ok(())
    }

    /// Plays an action that is known to be legal, for instance from [`legal`](Self::legal). An illegal one does
    /// not panic, but gives an unspecified position.
    #[inline]
    pub fn play_unchecked(&mut self, action: Action) {
        match action {
            Action::Lift(square) => self.lift(square),
            Action::Place(square) => self.place(square),
            Action::Promote(piece) => self.promote(piece),
        }
    }

    #[inline]
    fn lift(&mut self, square: Square) {
        let Some(piece) = self.take(self.player, square) else { return };
        let partner = self.take(!self.player, square);
        if self.castling.has(square) {
            // Whoever lifts it: a rook that leaves its start square takes the right along.
            let owner =
                if home_row(Color::White).has(square) { Color::White } else { Color::Black };
            let its_piece = if owner == self.player { Some(piece) } else { partner };
            if its_piece == Some(PieceType::Rook) {
                self.drop_castling(square.bitboard());
            }
        }
        self.set_hand(Some(Hand { square, piece, partner }));
        self.no_progress = self.no_progress.saturating_add(1).min(NO_PROGRESS_LIMIT);
        self.set_required(Required::Place, None);
    }

    #[inline]
    fn place(&mut self, square: Square) {
        let Some(hand) = self.hand else { return };
        match (hand.piece, hand.partner) {
            (PieceType::King, _) => self.place_king(hand.square, square),
            (piece, Some(partner)) => {
                self.set_hand(None);
                self.put(self.player, piece, square);
                self.put(!self.player, partner, square);
                self.settle(hand, square);
            }
            (piece, None) => self.place_single(hand, piece, square),
        }
    }

    #[inline]
    fn place_single(&mut self, hand: Hand, piece: PieceType, square: Square) {
        let me = self.player;
        if piece == PieceType::Pawn
            && self.en_passant == Some(square)
            && square.file() != hand.square.file()
        {
            // En passant: first everything on the runner's square comes back to where it passed.
            self.set_en_passant(None);
            if let Some(runner) = shift::behind(me, square.bitboard()).first() {
                self.carry(runner, square);
            }
        }
        match (self.take(me, square), self.piece_at(!me, square)) {
            (Some(released), _) => {
                // A chain: the piece takes the place of its own color's piece in the union.
                self.put(me, piece, square);
                if released == PieceType::Rook && self.rules == Rules::Exact {
                    self.drop_castling(square.bitboard() & home_row(me));
                }
                self.set_hand(Some(Hand { square, piece: released, partner: None }));
                if piece == PieceType::Pawn && promotion_row(me).has(square) {
                    self.set_required(Required::PromoteThenPlace, Some(square));
                }
            }
            (None, Some(partner)) => {
                self.set_hand(None);
                self.put(me, piece, square);
                self.no_progress = 0;
                if partner == PieceType::King {
                    self.ending = Some(Ending::Paco(me));
                }
                self.settle(hand, square);
            }
            (None, None) => {
                self.set_hand(None);
                self.put(me, piece, square);
                self.settle(hand, square);
            }
        }
    }

    fn place_king(&mut self, from: Square, square: Square) {
        let me = self.player;
        let steps = chess::attacks::king(from) - self.occupied();
        let castle = castling::castles(self, from)
            .find(|castle| castle.target == square && !steps.has(square));
        self.set_hand(None);
        match castle {
            Some(castle) => {
                // The rook may start where the king ends: both are off the board in between.
                let riders = Color::ALL.map(|color| (color, self.take(color, castle.rook_from)));
                self.put(me, PieceType::King, castle.king_to);
                for (color, rider) in riders {
                    if let Some(piece) = rider {
                        self.put(color, piece, castle.rook_to);
                    }
                }
            }
            None => self.put(me, PieceType::King, square),
        }
        self.drop_castling(home_row(me));
        self.end_turn(None, Required::Lift, None);
    }

    /// Ends the turn after the last placement, or requires a promotion.
    #[inline]
    fn settle(&mut self, hand: Hand, square: Square) {
        let me = self.player;
        if hand.piece == PieceType::Pawn {
            if promotion_row(me).has(square) {
                // The hand is at rest: en passant is over, though the turn is not.
                self.set_en_passant(None);
                return self.set_required(Required::PromoteThenFinish, Some(square));
            }
            let from = hand.square.rank().relative_to(me);
            if from == Rank::Second && square.rank().relative_to(me) == Rank::Fourth {
                let passed = shift::behind(me, square.bitboard()).first();
                return self.end_turn(passed, Required::Lift, None);
            }
        }
        if hand.partner == Some(PieceType::Pawn) && promotion_row(!me).has(square) {
            return self.end_turn(None, Required::PromoteThenLift, Some(square));
        }
        self.end_turn(None, Required::Lift, None);
    }

    #[inline]
    fn end_turn(&mut self, passed: Option<Square>, next: Required, promotion: Option<Square>) {
        self.set_en_passant(passed);
        self.player = !self.player;
        self.key ^= zobrist::black_to_move();
        self.half_moves = self.half_moves.saturating_add(1);
        self.set_required(next, promotion);
        // A promotion that is due at once is progress: no draw before it.
        if self.no_progress >= NO_PROGRESS_LIMIT && next == Required::Lift && self.ending.is_none()
        {
            self.ending = Some(Ending::NoProgress);
        }
    }

    fn promote(&mut self, piece: PieceType) {
        let Some(square) = self.promotion else { return };
        self.take(self.player, square);
        self.put(self.player, piece, square);
        self.no_progress = 0;
        match self.required {
            Required::PromoteThenPlace => self.set_required(Required::Place, None),
            Required::PromoteThenLift => self.set_required(Required::Lift, None),
            _ => self.end_turn(None, Required::Lift, None),
        }
    }
}
