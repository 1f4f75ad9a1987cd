//! The SAN and LAN writer.

use alloc::vec::Vec;

use arrayvec::ArrayString;

use crate::{Bitboard, Move, MoveFilter, PieceType, Position, Square};

/// The longest texts have eight bytes: `e7xd8=Q+`.
pub type SanText = ArrayString<8>;

impl Position {
    /// A legal move in standard algebraic notation.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let position: Position = "6k1/5ppp/8/8/8/8/8/1N1RKN2 w - - 0 1".parse().unwrap();
    /// let san = |uci| position.san(position.parse_uci(uci).unwrap());
    /// assert_eq!(san("d1d8").as_str(), "Rd8#");
    /// assert_eq!(san("b1d2").as_str(), "Nbd2");
    /// assert_eq!(san("f1e3").as_str(), "Ne3");
    /// ```
    pub fn san(&self, m: Move) -> SanText {
        let mut text = self.san_without_check(m);
        self.push_check(m, &mut text);
        text
    }

    /// A legal move in standard algebraic notation without `+` and `#`, which are the slowest part.
    pub fn san_without_check(&self, m: Move) -> SanText {
        self.write(m, |piece, text| {
            if piece == PieceType::Pawn {
                if m.is_capture() {
                    text.push(m.from().file().letter());
                }
                return;
            }
            let (file, rank) = self.disambiguation(m, piece);
            if file {
                text.push(m.from().file().letter());
            }
            if rank {
                text.push(m.from().rank().digit());
            }
        })
    }

    /// The moves of a line in standard algebraic notation, up to the first illegal one.
    ///
    /// ```
    /// use tabiya_chess::{Game, Position};
    /// let line: Vec<_> = Game::parse("startpos moves e2e4 e7e5 g1f3").unwrap().moves().collect();
    /// let texts = Position::INITIAL.san_line(&line);
    /// assert!(texts.iter().map(|san| san.as_str()).eq(["e4", "e5", "Nf3"]));
    /// ```
    pub fn san_line(&self, moves: &[Move]) -> Vec<SanText> {
        let mut position = *self;
        let mut texts = Vec::new();
        for &m in moves {
            if !position.is_legal(m) {
                break;
            }
            texts.push(position.san(m));
            position = position.after(m);
        }
        texts
    }

    /// A legal move in long algebraic notation: both squares, with `-` or `x` between them.
    ///
    /// ```
    /// use tabiya_chess::Position;
    /// let m = Position::INITIAL.parse_uci("g1f3").unwrap();
    /// assert_eq!(Position::INITIAL.lan(m).as_str(), "Ng1-f3");
    /// ```
    pub fn lan(&self, m: Move) -> SanText {
        let mut text = self.write(m, |_, text| {
            push_square(m.from(), text);
            if !m.is_capture() {
                text.push('-');
            }
        });
        self.push_check(m, &mut text);
        text
    }

    fn write(&self, m: Move, push_origin: impl FnOnce(PieceType, &mut SanText)) -> SanText {
        let mut text = SanText::new();
        if m.is_castling() {
            text.push_str(if m.to() > m.from() { "O-O" } else { "O-O-O" });
            return text;
        }
        let piece = self.board().piece_type_at(m.from()).unwrap_or(PieceType::Pawn);
        if piece != PieceType::Pawn {
            text.push(piece.letter().to_ascii_uppercase());
        }
        push_origin(piece, &mut text);
        if m.is_capture() {
            text.push('x');
        }
        push_square(m.to(), &mut text);
        if let Some(piece) = m.promotion() {
            text.push('=');
            text.push(piece.letter().to_ascii_uppercase());
        }
        text
    }

    /// The needed disambiguation (file, rank): the file if it suffices, else the rank, else both.
    fn disambiguation(&self, m: Move, piece: PieceType) -> (bool, bool) {
        let own = self.pieces(self.turn(), piece);
        let rivals = (self.reaching(piece, m.to()) & own) - m.from().bitboard();
        if rivals.is_empty() {
            return (false, false);
        }
        let filter = MoveFilter { from: rivals, to: m.to().bitboard(), ..MoveFilter::ALL };
        let rivals: Bitboard = self.moves(filter).iter().map(|m| m.from()).collect();
        if rivals.is_empty() {
            return (false, false);
        }
        let same_file = !rivals.is_disjoint(m.from().file().bitboard());
        let same_rank = !rivals.is_disjoint(m.from().rank().bitboard());
        (!same_file || same_rank, same_file)
    }

    fn push_check(&self, m: Move, text: &mut SanText) {
        if self.gives_check(m) {
            text.push(if self.after(m).has_legal_move() { '+' } else { '#' });
        }
    }
}

fn push_square(square: Square, text: &mut SanText) {
    text.push(square.file().letter());
    text.push(square.rank().digit());
}
