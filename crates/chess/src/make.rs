//! Copy-make: the position after a move.
//!
//! Each kind of move has its own function, always inlined: where kind, player and piece are known at compile
//! time (as in move generation), only the operations of that move remain. [`Position::after`] dispatches on a
//! move of any kind.
//!
//! An [`Observer`] is notified of every piece that appears, disappears or moves, so that derived state (such
//! as a network's accumulator) is updated incrementally without the board depending on it.

use crate::position::NO_FILE;
use crate::side::{Black, Side, White};
use crate::{
    Bitboard, Color, IllegalMove, Move, MoveKind, Piece, PieceType, Position, Square, attacks,
    zobrist,
};

/// An observer of the board changes of a move.
pub trait Observer {
    /// A piece appears on a square.
    fn put(&mut self, piece: Piece, square: Square);

    /// A piece disappears from a square.
    fn remove(&mut self, piece: Piece, square: Square);

    /// A piece moves from one square to another.
    #[inline(always)]
    fn relocate(&mut self, piece: Piece, from: Square, to: Square) {
        self.remove(piece, from);
        self.put(piece, to);
    }
}

/// The observer that ignores everything.
impl Observer for () {
    #[inline(always)]
    fn put(&mut self, _: Piece, _: Square) {}
    #[inline(always)]
    fn remove(&mut self, _: Piece, _: Square) {}
}

impl Position {
    /// The position after a move, if the move is legal.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let start = Position::INITIAL;
    /// let e4 = start.parse_uci("e2e4")?;
    /// let next = start.play(e4)?;
    /// let error = next.play(e4).unwrap_err();
    /// assert_eq!(error.to_string(), format!("e2e4 is not legal in {next}"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&self, m: Move) -> Result<Self, IllegalMove> {
        if self.is_legal(m) { Ok(self.after(m)) } else { Err(IllegalMove { m, fen: self.fen() }) }
    }

    /// The position after a move known to be legal; [`Position::play`] checks it.
    ///
    /// The move must be [legal](Position::is_legal) here. Any other gives an unspecified position, without a
    /// panic in release builds; debug builds assert legality.
    #[inline]
    pub fn after(&self, m: Move) -> Self {
        self.after_observed(m, &mut ())
    }

    /// [`Position::after`] with an observer of each board change.
    ///
    /// ```
    /// use tabiya_chess::{Observer, Piece, Position, Square};
    /// struct Count(i32);
    /// impl Observer for Count {
    ///     fn put(&mut self, _: Piece, _: Square) { self.0 += 1 }
    ///     fn remove(&mut self, _: Piece, _: Square) { self.0 -= 1 }
    /// }
    /// let position = Position::from_fen("k7/8/8/3p4/4P3/8/8/K7 w - - 0 1").unwrap();
    /// let mut pieces = Count(4);
    /// position.after_observed(position.parse_uci("e4d5").unwrap(), &mut pieces);
    /// assert_eq!(pieces.0, 3);
    /// ```
    pub fn after_observed<O: Observer>(&self, m: Move, observer: &mut O) -> Self {
        #[cfg(debug_assertions)]
        assert!(self.is_legal(m), "{m:?} is not legal in {self:?}");
        match self.turn {
            Color::White => self.passed::<White>().made::<White, O>(m, observer),
            Color::Black => self.passed::<Black>().made::<Black, O>(m, observer),
        }
    }

    /// The [key](Position::key) after a move, exact for all but castling, en passant, promotions, and moves
    /// that change castling or en-passant rights. It is cheap enough to prefetch a hash table entry before the
    /// move is made.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let develops = Position::INITIAL.parse_uci("g1f3")?;
    /// let likely = Position::INITIAL.likely_key_after(develops);
    /// assert_eq!(likely, Position::INITIAL.after(develops).key());
    /// # Ok::<(), tabiya_chess::UciError>(())
    /// ```
    #[inline(always)]
    pub fn likely_key_after(&self, m: Move) -> u64 {
        let (from, to) = (m.from(), m.to());
        self.key
            ^ zobrist::BLACK_TO_MOVE
            ^ zobrist::en_passant(self.en_passant_file)
            ^ zobrist::on_board(&self.board, from)
            ^ zobrist::on_board(&self.board, to)
            ^ zobrist::moved(&self.board, from, to)
    }

    #[inline(always)]
    pub(crate) fn made<S: Side, O: Observer>(&self, m: Move, observer: &mut O) -> Self {
        let (from, to) = (m.from(), m.to());
        let piece = self.board.piece_type_at(from).unwrap_or(PieceType::Pawn);
        match m.kind() {
            MoveKind::Quiet => self.quiet::<S, O>(piece, from, to, observer),
            MoveKind::Capture => self.capture::<S, O>(piece, from, to, observer),
            MoveKind::DoublePush => self.double_push::<S, O>(from, to, observer),
            MoveKind::EnPassant => self.take_en_passant::<S, O>(from, to, observer),
            MoveKind::Castling => self.castle::<S, O>(m, observer),
            MoveKind::Promotion | MoveKind::PromotionCapture => {
                let promoted = m.promotion().unwrap_or(PieceType::Queen);
                self.promote::<S, O>(promoted, m.is_capture(), from, to, observer)
            }
        }
    }

    /// The position after a null move, unless the side to move is in check.
    ///
    /// The clocks advance as for a quiet move, and the en-passant right expires.
    ///
    /// ```
    /// use tabiya_chess::{Color, Position};
    /// let passed = Position::INITIAL.after_null().unwrap();
    /// assert_eq!(passed.turn(), Color::Black);
    /// assert_eq!(passed.after_null().unwrap().key(), Position::INITIAL.key());
    /// ```
    pub fn after_null(&self) -> Option<Self> {
        if self.in_check() {
            return None;
        }
        Some(match self.turn {
            Color::White => self.passed::<White>().checked(),
            Color::Black => self.passed::<Black>().checked(),
        })
    }

    /// The part common to all moves: clocks, turn, expiry of the en-passant right.
    #[inline(always)]
    pub(crate) fn passed<S: Side>(&self) -> Self {
        let mut next = *self;
        next.key ^= zobrist::BLACK_TO_MOVE ^ zobrist::en_passant(self.en_passant_file);
        next.en_passant_file = NO_FILE;
        next.turn = S::Opponent::COLOR;
        next.halfmove_clock = self.halfmove_clock.saturating_add(1);
        if S::COLOR == Color::Black {
            next.fullmove_number = self.fullmove_number.saturating_add(1);
        }
        next
    }

    /// Asserts all invariants in debug builds.
    #[inline(always)]
    fn checked(self) -> Self {
        #[cfg(debug_assertions)]
        self.assert_invariants();
        self
    }

    /// Moves a piece of the player to an empty square.
    #[inline(always)]
    fn relocate<S: Side>(&mut self, piece_type: PieceType, from: Square, to: Square) -> Piece {
        let piece = Piece::new(S::COLOR, piece_type);
        self.board.flip(S::COLOR, piece_type, from.bitboard() ^ to.bitboard());
        let keys = zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
        self.key ^= keys;
        if piece_type == PieceType::Pawn {
            self.pawn_key ^= keys;
            self.halfmove_clock = 0;
        }
        piece
    }

    /// Removes an enemy piece.
    #[inline(always)]
    fn remove<O: Observer>(&mut self, square: Square, observer: &mut O) {
        let (piece, key) = (self.board.piece_at(square), zobrist::on_board(&self.board, square));
        self.key ^= key;
        if self.board.piece_type(PieceType::Pawn).has(square) {
            self.pawn_key ^= key;
        }
        self.board.remove(square);
        self.halfmove_clock = 0;
        if let Some(piece) = piece {
            observer.remove(piece, square);
        }
    }

    /// Removes the castling rights that depend on these squares.
    #[inline(always)]
    fn end_castling(&mut self, squares: Bitboard) {
        let lost = self.castling & squares;
        if lost.any() {
            self.key ^= zobrist::castling(lost);
            self.castling -= lost;
        }
    }

    /// The rook squares whose castling rights end when this piece leaves `from`.
    #[inline(always)]
    fn touched<S: Side>(piece_type: PieceType, from: Square) -> Bitboard {
        match piece_type {
            PieceType::King => S::HOME_RANK,
            PieceType::Rook | PieceType::Queen => from.bitboard(),
            _ => Bitboard::EMPTY,
        }
    }

    /// A quiet move.
    #[inline(always)]
    pub(crate) fn quiet<S: Side, O: Observer>(
        &self,
        piece_type: PieceType,
        from: Square,
        to: Square,
        observer: &mut O,
    ) -> Self {
        let mut next = *self;
        observer.relocate(next.relocate::<S>(piece_type, from, to), from, to);
        next.end_castling(Self::touched::<S>(piece_type, from));
        next.checked()
    }

    /// A capture.
    #[inline(always)]
    pub(crate) fn capture<S: Side, O: Observer>(
        &self,
        piece_type: PieceType,
        from: Square,
        to: Square,
        observer: &mut O,
    ) -> Self {
        let mut next = *self;
        next.remove(to, observer);
        observer.relocate(next.relocate::<S>(piece_type, from, to), from, to);
        next.end_castling(Self::touched::<S>(piece_type, from) | to.bitboard());
        next.checked()
    }

    /// A double pawn push.
    #[inline(always)]
    pub(crate) fn double_push<S: Side, O: Observer>(
        &self,
        from: Square,
        to: Square,
        observer: &mut O,
    ) -> Self {
        let mut next = *self;
        observer.relocate(next.relocate::<S>(PieceType::Pawn, from, to), from, to);
        let passed_square = to.step(-S::FORWARD);
        let takers = attacks::pawn(S::COLOR, passed_square)
            & next.board.pieces(S::Opponent::COLOR, PieceType::Pawn);
        if takers.any() {
            next.allow_en_passant(takers, passed_square);
        }
        next.checked()
    }

    /// Sets the en-passant file if one of these pawns can legally capture.
    #[inline(never)]
    pub(crate) fn allow_en_passant(&mut self, takers: Bitboard, passed_square: Square) {
        if takers.into_iter().any(|from| self.en_passant_is_safe(from, passed_square)) {
            self.en_passant_file = passed_square.file() as u8;
            self.key ^= zobrist::en_passant(self.en_passant_file);
        }
    }

    /// Whether the player's king is safe after this pawn's en-passant capture.
    #[inline(never)]
    pub(crate) fn en_passant_is_safe(&self, from: Square, passed_square: Square) -> bool {
        let taken = Square::new(passed_square.file(), from.rank()).bitboard();
        let occupied = (self.occupied() - from.bitboard() - taken) | passed_square.bitboard();
        let enemies = self.board.color(!self.turn) - taken;
        (self.attackers(self.king(self.turn), occupied) & enemies).is_empty()
    }

    /// An en-passant capture.
    #[inline(always)]
    pub(crate) fn take_en_passant<S: Side, O: Observer>(
        &self,
        from: Square,
        to: Square,
        observer: &mut O,
    ) -> Self {
        let mut next = *self;
        next.remove(to.step(-S::FORWARD), observer);
        observer.relocate(next.relocate::<S>(PieceType::Pawn, from, to), from, to);
        next.checked()
    }

    /// A promotion.
    #[inline(always)]
    pub(crate) fn promote<S: Side, O: Observer>(
        &self,
        promoted: PieceType,
        captures: bool,
        from: Square,
        to: Square,
        observer: &mut O,
    ) -> Self {
        let mut next = *self;
        if captures {
            next.remove(to, observer);
            next.end_castling(to.bitboard());
        }
        let (pawn, piece) = (Piece::new(S::COLOR, PieceType::Pawn), Piece::new(S::COLOR, promoted));
        next.board.flip(S::COLOR, PieceType::Pawn, from.bitboard());
        next.board.flip(S::COLOR, promoted, to.bitboard());
        next.key ^= zobrist::piece(pawn, from) ^ zobrist::piece(piece, to);
        next.pawn_key ^= zobrist::piece(pawn, from);
        next.halfmove_clock = 0;
        observer.remove(pawn, from);
        observer.put(piece, to);
        next.checked()
    }

    /// Castling.
    #[inline(always)]
    pub(crate) fn castle<S: Side, O: Observer>(&self, m: Move, observer: &mut O) -> Self {
        let mut next = *self;
        let (king_to, rook_to) = (m.castling_king_to(), m.castling_rook_to());
        // In Chess960 each may go to the other's square, or stay: exclusive-or does not mind.
        let king = next.relocate::<S>(PieceType::King, m.from(), king_to);
        let rook = next.relocate::<S>(PieceType::Rook, m.to(), rook_to);
        observer.remove(king, m.from());
        observer.remove(rook, m.to());
        observer.put(king, king_to);
        observer.put(rook, rook_to);
        next.end_castling(S::HOME_RANK);
        next.checked()
    }
}
