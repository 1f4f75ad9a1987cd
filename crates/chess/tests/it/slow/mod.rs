//! The rules of chess once more, slowly: a board of 64 squares, steps and rays walked square by
//! square, every move made to see whether the king can be taken.
//!
//! It shares no code with the library but the names of squares, pieces and moves. Where the library
//! is fast, tests compare it with this.

#![allow(dead_code, reason = "each test uses the part it needs")]

use std::collections::BTreeSet;

use tabiya_chess::{
    Bitboard, Color, File, Move, MoveKind, Piece, PieceType, Position, Rank, Square,
};

pub mod games;

pub const STRAIGHT: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
pub const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
pub const KNIGHT: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// A board as a beginner would write it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlowBoard {
    pub squares: [Option<Piece>; 64],
    pub turn: Color,
    /// The squares of the rooks that may castle.
    pub rooks: BTreeSet<Square>,
    /// The square a pawn has just passed, whether or not anybody can take there.
    pub passed: Option<Square>,
    pub halfmoves: u32,
    pub fullmoves: u32,
}

/// The rank a player's pieces begin on.
pub fn home(color: Color) -> Rank {
    if color == Color::White { Rank::First } else { Rank::Eighth }
}

/// The direction a player's pawns go.
pub fn forward(color: Color) -> i8 {
    if color == Color::White { 1 } else { -1 }
}

impl SlowBoard {
    pub fn of(position: &Position) -> Self {
        let mut squares = [None; 64];
        for square in Square::all() {
            squares[square.index()] = position.piece_at(square);
        }
        Self {
            squares,
            turn: position.turn(),
            rooks: position.castling_rooks().into_iter().collect(),
            passed: position.en_passant(),
            halfmoves: position.halfmove_clock().into(),
            fullmoves: position.fullmove_number().into(),
        }
    }

    pub fn at(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()]
    }

    fn set(&mut self, square: Square, piece: Option<Piece>) {
        self.squares[square.index()] = piece;
    }

    fn is(&self, square: Option<Square>, color: Color, types: &[PieceType]) -> bool {
        square
            .and_then(|square| self.at(square))
            .is_some_and(|piece| piece.color() == color && types.contains(&piece.piece_type()))
    }

    pub fn king(&self, color: Color) -> Square {
        let king = Piece::new(color, PieceType::King);
        Square::all().find(|&square| self.at(square) == Some(king)).expect("a king")
    }

    /// The first piece on a ray.
    fn first_on_ray(&self, from: Square, (files, ranks): (i8, i8)) -> Option<Square> {
        let mut next = from.offset(files, ranks);
        while let Some(square) = next {
            if self.at(square).is_some() {
                return Some(square);
            }
            next = square.offset(files, ranks);
        }
        None
    }

    /// The pieces of one player that attack a square.
    pub fn attackers(&self, square: Square, by: Color) -> Bitboard {
        use PieceType::*;
        let mut found = Bitboard::EMPTY;
        let mut note = |from: Option<Square>, types: &[PieceType]| {
            if self.is(from, by, types) {
                found |= from.into_iter().collect();
            }
        };
        for direction in STRAIGHT {
            note(self.first_on_ray(square, direction), &[Rook, Queen]);
        }
        for direction in DIAGONAL {
            note(self.first_on_ray(square, direction), &[Bishop, Queen]);
        }
        for (files, ranks) in STRAIGHT.into_iter().chain(DIAGONAL) {
            note(square.offset(files, ranks), &[King]);
        }
        for (files, ranks) in KNIGHT {
            note(square.offset(files, ranks), &[Knight]);
        }
        for files in [-1, 1] {
            note(square.offset(files, -forward(by)), &[Pawn]);
        }
        found
    }

    pub fn is_attacked(&self, square: Square, by: Color) -> bool {
        self.attackers(square, by).any()
    }

    pub fn in_check(&self, color: Color) -> bool {
        self.is_attacked(self.king(color), !color)
    }

    /// All legal moves, in the order of their bits.
    pub fn legal_moves(&self) -> BTreeSet<Move> {
        let mut moves = self.castling_moves();
        for from in Square::all() {
            for m in self.moves_from(from) {
                if !self.after(m).in_check(self.turn) {
                    moves.insert(m);
                }
            }
        }
        moves
    }

    /// Moves as the pieces go, whether or not the king can then be taken; castling aside.
    fn moves_from(&self, from: Square) -> Vec<Move> {
        use PieceType::*;
        let Some(piece) = self.at(from).filter(|piece| piece.color() == self.turn) else {
            return Vec::new();
        };
        let mut moves = Vec::new();
        let everywhere = || STRAIGHT.into_iter().chain(DIAGONAL);
        match piece.piece_type() {
            Pawn => self.pawn_moves(from, &mut moves),
            Knight => self.steps(from, KNIGHT, 1, &mut moves),
            King => self.steps(from, everywhere(), 1, &mut moves),
            Bishop => self.steps(from, DIAGONAL, 7, &mut moves),
            Rook => self.steps(from, STRAIGHT, 7, &mut moves),
            Queen => self.steps(from, everywhere(), 7, &mut moves),
        }
        moves
    }

    fn steps(
        &self,
        from: Square,
        directions: impl IntoIterator<Item = (i8, i8)>,
        most: i8,
        moves: &mut Vec<Move>,
    ) {
        for (files, ranks) in directions {
            for n in 1..=most {
                let Some(to) = from.offset(n * files, n * ranks) else { break };
                match self.at(to) {
                    None => moves.push(Move::new(from, to, MoveKind::Quiet)),
                    Some(piece) => {
                        if piece.color() != self.turn {
                            moves.push(Move::new(from, to, MoveKind::Capture));
                        }
                        break;
                    }
                }
            }
        }
    }

    fn pawn_moves(&self, from: Square, moves: &mut Vec<Move>) {
        let ahead = forward(self.turn);
        let mut arrive = |to: Square, kind: MoveKind| {
            if to.rank() == home(!self.turn) {
                for piece in
                    [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen]
                {
                    moves.push(Move::promotion_to(from, to, piece, kind == MoveKind::Capture));
                }
            } else {
                moves.push(Move::new(from, to, kind));
            }
        };
        if let Some(one) = from.offset(0, ahead).filter(|&to| self.at(to).is_none()) {
            arrive(one, MoveKind::Quiet);
            let first_rank = home(self.turn).index() as i8 + ahead;
            let two = one.offset(0, ahead).filter(|&to| self.at(to).is_none());
            if let Some(two) = two.filter(|_| from.rank().index() as i8 == first_rank) {
                arrive(two, MoveKind::DoublePush);
            }
        }
        for files in [-1, 1] {
            let Some(to) = from.offset(files, ahead) else { continue };
            match self.at(to) {
                Some(piece) if piece.color() != self.turn => arrive(to, MoveKind::Capture),
                None if self.passed == Some(to) => arrive(to, MoveKind::EnPassant),
                _ => {}
            }
        }
    }

    /// Castling: nothing in the way of either piece, and no square attacked that the king leaves,
    /// passes or reaches.
    fn castling_moves(&self) -> BTreeSet<Move> {
        let mut moves = BTreeSet::new();
        let rank = home(self.turn);
        for &rook in self.rooks.iter().filter(|rook| rook.rank() == rank) {
            let king = self.king(self.turn);
            let (king_to, rook_to) = castling_targets(king, rook);
            let mut without = self.clone();
            without.set(king, None);
            without.set(rook, None);
            let clear = files_between(king, king_to)
                .chain(files_between(rook, rook_to))
                .all(|file| without.at(Square::new(file, rank)).is_none());
            // The rook still stands where it stood while the king goes.
            without.set(rook, self.at(rook));
            let safe = files_between(king, king_to)
                .all(|file| !without.is_attacked(Square::new(file, rank), !self.turn));
            let m = Move::new(king, rook, MoveKind::Castling);
            if clear && safe && !self.after(m).in_check(self.turn) {
                moves.insert(m);
            }
        }
        moves
    }

    /// The board after a move.
    pub fn after(&self, m: Move) -> Self {
        let mut next = self.clone();
        let (from, to) = (m.from(), m.to());
        let piece = self.at(from).expect("a piece to move");
        next.passed = None;
        next.halfmoves += 1;
        next.set(from, None);
        if m.kind() == MoveKind::Castling {
            let (king_to, rook_to) = castling_targets(from, to);
            let rook = self.at(to);
            next.set(to, None);
            next.set(king_to, Some(piece));
            next.set(rook_to, rook);
        } else {
            let became = m.promotion().map_or(piece, |kind| Piece::new(self.turn, kind));
            next.set(to, Some(became));
            if piece.piece_type() == PieceType::Pawn || self.at(to).is_some() {
                next.halfmoves = 0;
            }
            if m.kind() == MoveKind::EnPassant {
                next.set(Square::new(to.file(), from.rank()), None);
            }
            if m.kind() == MoveKind::DoublePush {
                next.passed = from.offset(0, forward(self.turn));
            }
        }
        if piece.piece_type() == PieceType::King {
            next.rooks.retain(|rook| rook.rank() != home(self.turn));
        }
        next.rooks.remove(&from);
        next.rooks.remove(&to);
        if self.turn == Color::Black {
            next.fullmoves += 1;
        }
        next.turn = !self.turn;
        next
    }

    /// The square of a legal en-passant capture.
    pub fn en_passant(&self) -> Option<Square> {
        self.legal_moves().into_iter().find(|m| m.kind() == MoveKind::EnPassant).map(|m| m.to())
    }

    /// The FEN, castling rights by rook file (Shredder) or as `KQkq` where that is clear (X-FEN).
    pub fn fen(&self, shredder: bool) -> String {
        let ranks: Vec<String> = (0..8usize)
            .rev()
            .map(|rank| {
                let mut text: String = (0..8usize)
                    .map(|file| self.squares[rank * 8 + file].map_or('1', Piece::letter))
                    .collect();
                for empty in (2..=8usize).rev() {
                    text = text.replace(&"1".repeat(empty), &empty.to_string());
                }
                text
            })
            .collect();
        let mut castling = String::new();
        for color in [Color::White, Color::Black] {
            for &right in self.rooks.iter().rev().filter(|rook| rook.rank() == home(color)) {
                let king_side = right > self.king(color);
                let farther = Square::all().any(|other| {
                    other.rank() == home(color)
                        && self.at(other) == Some(Piece::new(color, PieceType::Rook))
                        && if king_side { other > right } else { other < right }
                });
                let letter = match (shredder || farther, king_side) {
                    (true, _) => right.file().letter(),
                    (false, true) => 'k',
                    (false, false) => 'q',
                };
                let white = color == Color::White;
                castling.push(if white { letter.to_ascii_uppercase() } else { letter });
            }
        }
        if castling.is_empty() {
            castling.push('-');
        }
        format!(
            "{} {} {castling} {} {} {}",
            ranks.join("/"),
            self.turn.letter(),
            self.en_passant().map_or("-".to_owned(), |square| square.to_string()),
            self.halfmoves,
            self.fullmoves,
        )
    }

    /// What the FIDE laws compare for repetition.
    pub fn identity(&self) -> String {
        let fen = self.fen(true);
        fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
    }
}

/// Where king and rook end up.
pub fn castling_targets(king: Square, rook: Square) -> (Square, Square) {
    let (king_file, rook_file) =
        if rook.file() > king.file() { (File::G, File::F) } else { (File::C, File::D) };
    (Square::new(king_file, king.rank()), Square::new(rook_file, king.rank()))
}

/// All files from one square's to the other's, both included.
fn files_between(a: Square, b: Square) -> impl Iterator<Item = File> {
    let (a, b) = (a.file().index(), b.file().index());
    (a.min(b)..=a.max(b)).map(File::from_index_wrapping)
}
