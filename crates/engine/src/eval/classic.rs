//! The classical evaluation (HCE): material, piece-square tables, mobility, pawns, king safety, threats.
//!
//! One function visits the terms of a position with a [`Tally`]. One tally sums weights, another records counts
//! for the tuner: the tuned function is the played one.

use chess::{Bitboard, Color, PieceType, Position};

use super::side::Side;
use super::terms::{COUNT, TEMPO};
use super::weights::WEIGHTS;
use crate::value::Value;

/// A visitor of evaluation terms.
pub trait Tally {
    /// A term counts `count` times for a player.
    fn add(&mut self, color: Color, term: usize, count: i32);
}

/// Middlegame and endgame packed in one integer, the endgame in the upper half; addition works on both.
const fn packed((middle, end): (i16, i16)) -> i32 {
    ((end as i32) << 16) + middle as i32
}

static PACKED: [i32; COUNT] = {
    let mut table = [0; COUNT];
    let mut n = 0;
    while n < COUNT {
        table[n] = packed(WEIGHTS[n]);
        n += 1;
    }
    table
};

/// Sums weights from White's view.
struct Sum(i32);

impl Tally for Sum {
    #[inline(always)]
    fn add(&mut self, color: Color, term: usize, count: i32) {
        let weight = PACKED[term] * count;
        self.0 += if color == Color::White { weight } else { -weight };
    }
}

/// The phase of the initial position; see [`phase`].
pub const FULL_PHASE: i32 = 24;
/// The scale of an unreduced endgame score.
pub const FULL_SCALE: i32 = 64;

/// The game phase, from 0 (endgame) to [`FULL_PHASE`] (middlegame).
pub fn phase(position: &Position) -> i32 {
    let count = |piece_type| position.board().piece_type(piece_type).len() as i32;
    let phase = count(PieceType::Knight)
        + count(PieceType::Bishop)
        + 2 * count(PieceType::Rook)
        + 4 * count(PieceType::Queen);
    phase.min(FULL_PHASE)
}

/// The endgame scale factor, of [`FULL_SCALE`]: drawish material without pawns, opposite-colored bishops.
pub fn scale(position: &Position, favored: Color) -> i32 {
    let board = position.board();
    let pieces = |color, piece_type| board.pieces(color, piece_type).len() as i32;
    if board.pieces(favored, PieceType::Pawn).is_empty() {
        let worth = |color| {
            3 * (pieces(color, PieceType::Knight) + pieces(color, PieceType::Bishop))
                + 5 * pieces(color, PieceType::Rook)
                + 9 * pieces(color, PieceType::Queen)
        };
        let (own, enemy) = (worth(favored), worth(!favored));
        if own < 5 {
            return 0;
        }
        if own - enemy <= 3 {
            return 12;
        }
        if own == 6 && pieces(favored, PieceType::Knight) == 2 {
            return 0;
        }
    }
    let bishops = board.piece_type(PieceType::Bishop);
    let opposite = Color::ALL.iter().all(|&color| pieces(color, PieceType::Bishop) == 1)
        && (bishops & Bitboard::LIGHT_SQUARES).len() == 1;
    if opposite {
        let others = board.piece_type(PieceType::Knight) | board.straight_sliders();
        return if others.is_empty() { 32 } else { 52 };
    }
    FULL_SCALE
}

/// A pawn hash table: most positions of a search share a few pawn structures.
#[derive(Clone)]
pub struct PawnCache(Box<[PawnEntry]>);

/// A zeroed entry is correct for a board without pawns.
#[derive(Clone, Copy, Default)]
struct PawnEntry {
    key: u64,
    passed: [Bitboard; 2],
    sum: i32,
}

const PAWN_ENTRIES: usize = 8192;

impl Default for PawnCache {
    fn default() -> Self {
        Self(vec![PawnEntry::default(); PAWN_ENTRIES].into_boxed_slice())
    }
}

impl PawnCache {
    #[inline(always)]
    fn probe(&mut self, position: &Position) -> PawnEntry {
        let key = position.pawn_key();
        let entry = &mut self.0[key as usize % PAWN_ENTRIES];
        if entry.key != key {
            let mut sum = Sum(0);
            let passed = tally_pawns(position, &mut sum);
            *entry = PawnEntry { key, passed, sum: sum.0 };
        }
        *entry
    }
}

/// The evaluation from the side to move's view.
pub fn evaluate(position: &Position, pawns: &mut PawnCache) -> Value {
    let entry = pawns.probe(position);
    let mut sum = Sum(entry.sum);
    tally_pieces(position, entry.passed, &mut sum);
    let middle = i32::from(sum.0 as i16);
    let end = (sum.0 + 0x8000) >> 16;
    let favored = if end > 0 { Color::White } else { Color::Black };
    let (phase, scale) = (phase(position), scale(position, favored));
    let end = end * scale / FULL_SCALE + lone_king(position, favored);
    let white = (middle * phase + end * (FULL_PHASE - phase)) / FULL_PHASE;
    if position.turn() == Color::White { white } else { -white }
}

/// Mop-up evaluation against a bare king, from White's view: drive it to the edge, approach with the king.
fn lone_king(position: &Position, favored: Color) -> i32 {
    let board = position.board();
    if board.color(!favored).many() || board.straight_sliders().is_empty() {
        return 0;
    }
    let (own, enemy) = (position.king(favored), position.king(!favored));
    let off_center = |n: usize| (7 - 2 * n as i32).abs() / 2;
    let edge = off_center(enemy.file().index()) + off_center(enemy.rank().index());
    let bonus = 20 * edge + 10 * (7 - i32::from(own.distance(enemy)));
    if favored == Color::White { bonus } else { -bonus }
}

/// Visits every term of the position.
pub fn tally<T: Tally>(position: &Position, tally: &mut T) {
    let passed = tally_pawns(position, tally);
    tally_pieces(position, passed, tally);
}

/// The pawn structure terms. Returns each player's passed pawns.
fn tally_pawns<T: Tally>(position: &Position, tally: &mut T) -> [Bitboard; 2] {
    let white = Side::<true>::new(position).pawn_structure(tally);
    let black = Side::<false>::new(position).pawn_structure(tally);
    [white, black]
}

/// All other terms.
#[inline(always)]
fn tally_pieces<T: Tally>(position: &Position, passed: [Bitboard; 2], tally: &mut T) {
    let white = Side::<true>::new(position);
    let black = Side::<false>::new(position);
    let white_attacks = white.pieces(tally, black.pawn_attacks());
    let black_attacks = black.pieces(tally, white.pawn_attacks());
    white.around_pawns(tally, passed[0], &black_attacks);
    black.around_pawns(tally, passed[1], &white_attacks);
    white.king_shelter(tally);
    black.king_shelter(tally);
    white.aim_at_king(tally, &white_attacks, &black_attacks);
    black.aim_at_king(tally, &black_attacks, &white_attacks);
    white.threats(tally, &white_attacks, &black_attacks);
    black.threats(tally, &black_attacks, &white_attacks);
    tally.add(position.turn(), TEMPO, 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::rng::Rng;
    use chess::{Board, random};

    /// The unpacked reference.
    #[derive(Default)]
    struct Plain {
        middle: i32,
        end: i32,
    }

    impl Tally for Plain {
        fn add(&mut self, color: Color, term: usize, count: i32) {
            let sign = if color == Color::White { count } else { -count };
            self.middle += sign * i32::from(WEIGHTS[term].0);
            self.end += sign * i32::from(WEIGHTS[term].1);
        }
    }

    fn positions() -> impl Iterator<Item = Position> {
        random::positions(Rng::from_seed(1), 120).take(4_000)
    }

    #[test]
    fn packed_sums_match_unpacked_ones() {
        for position in positions() {
            let (mut plain, mut sum) = (Plain::default(), Sum(0));
            tally(&position, &mut plain);
            tally(&position, &mut sum);
            let unpacked = (i32::from(sum.0 as i16), (sum.0 + 0x8000) >> 16);
            assert_eq!(unpacked, (plain.middle, plain.end), "{position}");
        }
    }

    /// The color-flipped position.
    fn mirrored(position: &Position) -> Option<Position> {
        let mut board = Board::EMPTY;
        for (square, piece) in position.board().iter() {
            let piece = chess::Piece::new(!piece.color(), piece.piece_type());
            board.put(square.flip_rank(), piece);
        }
        let mut setup = chess::Setup::from(*position);
        setup.board = board;
        setup.turn = !position.turn();
        setup.castling_rooks = position.castling_rooks().flip_ranks();
        setup.en_passant = position.en_passant().map(Square::flip_rank);
        setup.position().ok()
    }

    use chess::Square;

    #[test]
    fn the_evaluation_is_color_symmetric() {
        let mut seen = 0;
        for position in positions() {
            let Some(mirrored) = mirrored(&position) else { continue };
            let mut pawns = PawnCache::default();
            let here = evaluate(&position, &mut pawns);
            assert_eq!(here, evaluate(&mirrored, &mut pawns), "{position}");
            assert_eq!(here, evaluate(&position, &mut pawns), "from the cache: {position}");
            seen += 1;
        }
        assert!(seen > 1000);
    }
}
