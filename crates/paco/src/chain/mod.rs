//! Chain search: the squares a player reaches through chains, for Ŝako and for castling.
//!
//! A chain goes from union to union. Each step puts the piece in the hand into a union and takes
//! the player's other piece out of it, so that the only things a chain changes are: the origin is
//! empty, the player's piece in each union visited is another one, a pawn that came to its last row
//! is promoted, and an en-passant capture may have moved one union by a square. Enumerating all
//! chains is exponential in the number of unions. Instead four tests follow each other, from cheap to
//! expensive, each exact:
//!
//! 1. **Direct.** Does a lone piece attack a target? Then yes. Does no lone piece attack a union?
//!    Then no.
//! 2. **Simple chains.** A chain that visits no union twice releases from each union the piece that
//!    stands in it now, so that a flood fill over the unions decides whether one reaches a target.
//!    If so, yes.
//! 3. **Relaxed chains** ([`relaxed`]). Suppose that every piece that could ever have been left in
//!    a union is still there for everyone to take. If even that reaches no target, no.
//! 4. **Exact search** ([`exact`]). What is left is searched state by state, each visited once,
//!    best first by the distance in the relaxed problem. At its node
//!    limit the answer is unknown.

pub(crate) mod exact;
pub(crate) mod relaxed;

use arrayvec::ArrayVec;
use chess::{Bitboard, Color, Square};

use crate::legal::attack;
use crate::position::promotion_row;
use crate::{PieceType, Position, shift};

/// Node limit of the exact search for castling.
pub(crate) const THREAT_NODES: u32 = 1_000_000;

/// The answer of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Unknown: the node limit is reached.
    Unknown,
}

/// An en-passant capture that continues as a chain: the captured pawn is in a union.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strike {
    /// Where the capturing pawn is placed.
    pub to: Square,
    /// The square of the captured pawn's union.
    pub from: Square,
}

/// The piece that starts a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub square: Square,
    pub piece: PieceType,
}

/// A board for the chains of one player.
#[derive(Clone, Debug)]
pub(crate) struct Board<'a> {
    pub color: Color,
    /// The codes of the player's pieces.
    pub codes: &'a [u16; 64],
    /// The player's lone pieces that can start a chain.
    pub lone: Bitboard,
    pub unions: Bitboard,
    pub occupied: Bitboard,
    pub strike: Option<Strike>,
}

impl<'a> Board<'a> {
    /// The board for the chains of one color, with the en-passant square that he may use.
    #[inline]
    pub fn new(position: &'a Position, color: Color, en_passant: Option<Square>) -> Self {
        let own = position.of_color(color);
        let unions = position.unions();
        let strike = en_passant.and_then(|to| {
            let from = shift::behind(color, to.bitboard()).first()?;
            unions.has(from).then_some(Strike { to, from })
        });
        Self {
            color,
            codes: &position.codes[color.index()],
            lone: own - unions - position.of(color, PieceType::King),
            unions,
            occupied: position.occupied(),
            strike,
        }
    }

    /// The same board with a piece of the opponent taken off.
    pub fn without(mut self, square: Square) -> Self {
        self.occupied -= square.bitboard();
        self
    }

    #[inline(always)]
    pub fn kind(&self, square: Square) -> PieceType {
        PieceType::from_index((self.codes[square.index()] >> 6) as usize)
    }

    /// The squares a piece attacks when these squares are occupied.
    #[inline(always)]
    pub fn attack(&self, piece: PieceType, square: Square, occupied: Bitboard) -> Bitboard {
        attack(self.color, piece, square, occupied)
    }

    /// The squares where a chain goes on: unions, and for a pawn the en-passant square.
    #[inline(always)]
    pub fn links(&self, piece: PieceType) -> Bitboard {
        match (self.strike, piece) {
            (Some(strike), PieceType::Pawn) => self.unions | strike.to.bitboard(),
            _ => self.unions,
        }
    }

    /// The row where the player's pawns are promoted.
    #[inline(always)]
    pub fn last_row(&self) -> Bitboard {
        promotion_row(self.color)
    }

    /// Whether a turn that begins now can capture on one of the squares.
    pub fn reaches(&self, targets: Bitboard, nodes: u32) -> Answer {
        let mut origins = ArrayVec::<Origin, 64>::new();
        for square in self.lone {
            let piece = self.kind(square);
            let attacked = self.attack(piece, square, self.occupied);
            if !attacked.is_disjoint(targets) {
                return Answer::Yes;
            }
            if !attacked.is_disjoint(self.links(piece)) {
                origins.push(Origin { square, piece });
            }
        }
        if origins.is_empty() {
            return Answer::No;
        }
        let from_squares = origins.iter().map(|origin| origin.square).collect::<Bitboard>();
        if !relaxed::may_reach(self, self.occupied - from_squares, &origins, targets) {
            return Answer::No;
        }
        if origins.iter().any(|&origin| self.reaches_simply(origin, targets)) {
            return Answer::Yes;
        }
        self.reaches_from(&origins, targets, nodes)
    }

    /// Whether the piece in the hand can capture on one of the squares this turn.
    pub fn hand_reaches(&self, hand: Origin, targets: Bitboard, nodes: u32) -> Answer {
        let attacked = self.attack(hand.piece, hand.square, self.occupied);
        if !attacked.is_disjoint(targets) {
            return Answer::Yes;
        }
        if attacked.is_disjoint(self.links(hand.piece)) {
            return Answer::No;
        }
        if self.reaches_simply(hand, targets) {
            return Answer::Yes;
        }
        self.reaches_from(&[hand], targets, nodes)
    }

    /// Whether a chain that visits no union twice captures on one of the squares.
    fn reaches_simply(&self, origin: Origin, targets: Bitboard) -> bool {
        let occupied = self.occupied - origin.square.bitboard();
        let mut visited = self.attack(origin.piece, origin.square, occupied) & self.unions;
        let mut waiting = visited;
        while let Some(square) = waiting.first() {
            waiting -= square.bitboard();
            let attacked = self.attack(self.kind(square), square, occupied);
            if !attacked.is_disjoint(targets) {
                return true;
            }
            let fresh = (attacked & self.unions) - visited;
            visited |= fresh;
            waiting |= fresh;
        }
        false
    }

    /// The exact answer for chains from these origins, none of which is known to reach simply.
    fn reaches_from(&self, origins: &[Origin], targets: Bitboard, nodes: u32) -> Answer {
        let mut left = nodes;
        let mut answer = Answer::No;
        for &origin in origins {
            let occupied = self.occupied - origin.square.bitboard();
            if !relaxed::may_reach(self, occupied, &[origin], targets) {
                continue;
            }
            match exact::Search::new(self, origin).reaches(targets, &mut left) {
                Answer::Yes => return Answer::Yes,
                Answer::Unknown => answer = Answer::Unknown,
                Answer::No => {}
            }
        }
        answer
    }
}

/// All squares that a player attacks directly or through chains, were it his turn, as needed for
/// castling.
///
/// Own lone pieces are included, as protected targets. `None` if the limit of `nodes` states is reached.
///
/// ```
/// use tabiya_paco::chess::{Color, Square};
/// use tabiya_paco::{Position, threats};
/// let threatened = threats(&Position::default(), Color::White, 1000).unwrap();
/// assert!(threatened.has(Square::F3) && threatened.has(Square::B1));
/// assert!(!threatened.has(Square::A1));
/// ```
pub fn threats(position: &Position, color: Color, nodes: u32) -> Option<Bitboard> {
    let en_passant = match (position.rules(), position.player == color) {
        (crate::Rules::Exact, false) => None,
        _ => position.en_passant(),
    };
    let board = Board::new(position, color, en_passant);
    let mut threatened = Bitboard::EMPTY;
    let mut left = nodes;
    for square in board.lone {
        let origin = Origin { square, piece: board.kind(square) };
        threatened |= exact::Search::new(&board, origin).all_attacks(&mut left)?;
    }
    Some(threatened)
}
