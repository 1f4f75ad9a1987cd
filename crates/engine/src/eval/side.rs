//! The terms of the classical evaluation for one player, known at compile time.

use chess::{Bitboard, Color, File, PieceType, Position, Rank, Square, attacks, sliders};

use super::classic::Tally;
use super::terms::*;

/// One player's view of a position.
pub struct Side<'a, const WHITE: bool> {
    position: &'a Position,
    occupied: Bitboard,
    own_pawns: Bitboard,
    enemy_pawns: Bitboard,
}

/// The attacks of one player.
pub struct Attacks {
    by: [Bitboard; 6],
    any: Bitboard,
    twice: Bitboard,
    /// Attackers of the king zone: their number and weighted sum.
    attackers: usize,
    danger: usize,
}

/// King danger per attack on the king zone, by piece.
const ATTACKER_DANGER: [usize; 6] = [0, 3, 2, 3, 4, 0];
/// King danger of a safe check, by piece.
const CHECK_DANGER: [usize; 6] = [0, 5, 3, 6, 5, 0];
/// King danger of a square defended only by the king.
const WEAK_SQUARE_DANGER: usize = 2;

const A_FILE: u64 = 0x0101_0101_0101_0101;

impl<'a, const WHITE: bool> Side<'a, WHITE> {
    const COLOR: Color = if WHITE { Color::White } else { Color::Black };

    #[inline(always)]
    pub fn new(position: &'a Position) -> Self {
        Self {
            position,
            occupied: position.occupied(),
            own_pawns: position.pieces(Self::COLOR, PieceType::Pawn),
            enemy_pawns: position.pieces(!Self::COLOR, PieceType::Pawn),
        }
    }

    #[inline(always)]
    fn own(&self, piece_type: PieceType) -> Bitboard {
        self.position.pieces(Self::COLOR, piece_type)
    }

    #[inline(always)]
    fn enemy(&self, piece_type: PieceType) -> Bitboard {
        self.position.pieces(!Self::COLOR, piece_type)
    }

    /// One rank forward.
    #[inline(always)]
    fn forward(squares: Bitboard) -> Bitboard {
        Bitboard(if WHITE { squares.0 << 8 } else { squares.0 >> 8 })
    }

    /// One rank back.
    #[inline(always)]
    fn back(squares: Bitboard) -> Bitboard {
        Bitboard(if WHITE { squares.0 >> 8 } else { squares.0 << 8 })
    }

    /// These squares and all in front of them.
    #[inline(always)]
    fn fill_forward(squares: Bitboard) -> Bitboard {
        let mut s = squares.0;
        if WHITE {
            s |= s << 8;
            s |= s << 16;
            s |= s << 32;
        } else {
            s |= s >> 8;
            s |= s >> 16;
            s |= s >> 32;
        }
        Bitboard(s)
    }

    /// These squares and all behind them.
    #[inline(always)]
    fn fill_back(squares: Bitboard) -> Bitboard {
        let mut s = squares.0;
        if WHITE {
            s |= s >> 8;
            s |= s >> 16;
            s |= s >> 32;
        } else {
            s |= s << 8;
            s |= s << 16;
            s |= s << 32;
        }
        Bitboard(s)
    }

    /// The squares to the left and right.
    #[inline(always)]
    fn beside(squares: Bitboard) -> Bitboard {
        let s = squares.0;
        Bitboard((s & !A_FILE) >> 1 | (s & !(A_FILE << 7)) << 1)
    }

    /// The pawn attacks.
    #[inline(always)]
    pub fn pawn_attacks(&self) -> Bitboard {
        Self::beside(Self::forward(self.own_pawns))
    }

    /// A square from the player's perspective.
    #[inline(always)]
    fn seen(square: Square) -> usize {
        if WHITE { square.index() } else { square.flip_rank().index() }
    }

    /// The rank from the player's perspective, from 0.
    #[inline(always)]
    fn rank(square: Square) -> usize {
        Self::seen(square) / 8
    }

    /// The king zone: the enemy king's neighborhood and the next rank before it.
    #[inline(always)]
    fn enemy_king_zone(&self) -> Bitboard {
        let around = attacks::king(self.position.king(!Self::COLOR));
        around | Self::back(around)
    }

    /// Piece-square and mobility terms; collects attacks.
    #[inline(always)]
    pub fn pieces<T: Tally>(&self, tally: &mut T, enemy_pawn_attacks: Bitboard) -> Attacks {
        let zone = self.enemy_king_zone();
        let king = self.position.king(Self::COLOR);
        let room = !(enemy_pawn_attacks | self.own_pawns | king.bitboard());
        let mut found = Attacks {
            by: [Bitboard::EMPTY; 6],
            any: Bitboard::EMPTY,
            twice: Bitboard::EMPTY,
            attackers: 0,
            danger: 0,
        };
        let pawn_attacks = self.pawn_attacks();
        let by_left = Bitboard((Self::forward(self.own_pawns).0 & !A_FILE) >> 1);
        let by_right = Bitboard((Self::forward(self.own_pawns).0 & !(A_FILE << 7)) << 1);
        found.by[PieceType::Pawn.index()] = pawn_attacks;
        found.any = pawn_attacks;
        found.twice = by_left & by_right;
        found.add(PieceType::King, attacks::king(king));
        tally.add(Self::COLOR, PIECE_SQUARE + 5 * 64 + Self::seen(king), 1);
        // Written out by piece, so that each is compiled for its own kind.
        self.pieces_of(PieceType::Knight, KNIGHT_MOBILITY, room, zone, &mut found, tally);
        self.pieces_of(PieceType::Bishop, BISHOP_MOBILITY, room, zone, &mut found, tally);
        self.pieces_of(PieceType::Rook, ROOK_MOBILITY, room, zone, &mut found, tally);
        self.pieces_of(PieceType::Queen, QUEEN_MOBILITY, room, zone, &mut found, tally);
        self.minor_pieces(tally, pawn_attacks);
        found
    }

    /// The pieces of one kind.
    #[inline(always)]
    fn pieces_of<T: Tally>(
        &self,
        piece_type: PieceType,
        mobility: usize,
        room: Bitboard,
        zone: Bitboard,
        found: &mut Attacks,
        tally: &mut T,
    ) {
        let pieces = self.own(piece_type);
        // Sliders look through their own kind: what stands behind one another works together.
        let through_queens = self.occupied - self.own(PieceType::Queen);
        for square in pieces {
            let reach = match piece_type {
                PieceType::Knight => attacks::knight(square),
                PieceType::Bishop => sliders::bishop(square, through_queens),
                PieceType::Rook => sliders::rook(square, through_queens - pieces),
                _ => sliders::queen(square, self.occupied),
            };
            found.add(piece_type, reach);
            let on_square = PIECE_SQUARE + piece_type.index() * 64 + Self::seen(square);
            tally.add(Self::COLOR, on_square, 1);
            tally.add(Self::COLOR, mobility + (reach & room).len(), 1);
            let aimed = reach & zone;
            if aimed.any() {
                found.attackers += 1;
                found.danger += ATTACKER_DANGER[piece_type.index()] + aimed.len();
            }
        }
    }

    #[inline(always)]
    fn minor_pieces<T: Tally>(&self, tally: &mut T, pawn_attacks: Bitboard) {
        let bishops = self.own(PieceType::Bishop);
        if bishops.many() {
            tally.add(Self::COLOR, BISHOP_PAIR, 1);
        }
        for square in bishops {
            let color =
                if square.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
            tally.add(Self::COLOR, BISHOP_PAWNS + (self.own_pawns & color).len().min(8), 1);
        }
        // Enemy pawns may still come to attack the files beside them, in front of them.
        let assailable = Self::fill_back(Self::back(Self::beside(self.enemy_pawns)));
        let camp = if WHITE { 0x0000_ffff_ff00_0000 } else { 0x0000_00ff_ffff_0000 };
        let outposts = (pawn_attacks & Bitboard(camp)) - assailable;
        for (n, piece_type) in [PieceType::Knight, PieceType::Bishop].into_iter().enumerate() {
            let count = (self.own(piece_type) & outposts).len() as i32;
            if count > 0 {
                tally.add(Self::COLOR, OUTPOST + n, count);
            }
        }
    }

    /// Pawn structure. Returns the passed pawns.
    #[inline(always)]
    pub fn pawn_structure<T: Tally>(&self, tally: &mut T) -> Bitboard {
        let (own, theirs) = (self.own_pawns, self.enemy_pawns);
        let files = Self::fill_forward(own) | Self::fill_back(own);
        let protected = own & self.pawn_attacks();
        let phalanx = own & Self::beside(own);
        let isolated = own - Self::beside(files);
        let doubled = own & Self::fill_back(Self::back(own));
        let their_attacks = Self::beside(Self::back(theirs));
        // Squares that own pawns can still come to protect.
        let supportable = Self::fill_forward(Self::beside(own));
        let backward = (own - supportable - isolated) & Self::back(their_attacks);
        for (term, set) in [(ISOLATED, isolated), (DOUBLED, doubled), (BACKWARD, backward)] {
            tally.add(Self::COLOR, term, set.len() as i32);
        }
        for square in own {
            tally.add(Self::COLOR, PIECE_SQUARE + Self::seen(square), 1);
        }
        for square in phalanx {
            tally.add(Self::COLOR, PHALANX + Self::rank(square), 1);
        }
        for square in protected {
            tally.add(Self::COLOR, PROTECTED + Self::rank(square), 1);
        }
        let before_theirs = Self::fill_back(Self::back(theirs));
        let stoppable = before_theirs | Self::beside(before_theirs);
        let passed = own - stoppable - doubled;
        for square in passed {
            tally.add(Self::COLOR, PASSED + Self::rank(square), 1);
        }
        passed
    }

    /// Passed pawn advancement, rooks and kings relative to pawns.
    #[inline(always)]
    pub fn around_pawns<T: Tally>(&self, tally: &mut T, passed: Bitboard, enemy: &Attacks) {
        let rooks = self.own(PieceType::Rook);
        if rooks.any() {
            let files = Self::fill_forward(self.own_pawns) | Self::fill_back(self.own_pawns);
            let their_files =
                Self::fill_forward(self.enemy_pawns) | Self::fill_back(self.enemy_pawns);
            let open = rooks - files - their_files;
            let half_open = (rooks & their_files) - files;
            tally.add(Self::COLOR, ROOK_FILE, open.len() as i32);
            tally.add(Self::COLOR, ROOK_FILE + 1, half_open.len() as i32);
        }
        let (king, enemy_king) =
            (self.position.king(Self::COLOR), self.position.king(!Self::COLOR));
        for square in passed {
            let rank = Self::rank(square);
            let next = Self::forward(square.bitboard());
            if self.occupied.is_disjoint(next) {
                tally.add(Self::COLOR, PASSED_MOBILE + rank, 1);
                if Self::fill_forward(next).is_disjoint(self.occupied | enemy.any) {
                    tally.add(Self::COLOR, PASSED_CLEAR + rank, 1);
                }
            }
            if rank >= 3 {
                let next = next.first().unwrap_or(square);
                let steps = |king: Square| king.distance(next) as usize;
                tally.add(Self::COLOR, PASSED_OWN_KING + steps(king), 1);
                tally.add(Self::COLOR, PASSED_ENEMY_KING + steps(enemy_king), 1);
            }
            let behind = Self::fill_back(Self::back(square.bitboard()));
            if (behind & rooks).any() {
                tally.add(Self::COLOR, ROOK_BEHIND_PASSER, 1);
            }
            if (behind & self.enemy(PieceType::Rook)).any() {
                tally.add(!Self::COLOR, ROOK_BEHIND_PASSER + 1, 1);
            }
        }
    }

    /// Pawn shelter and storm on the king's file and the adjacent ones.
    #[inline(always)]
    pub fn king_shelter<T: Tally>(&self, tally: &mut T) {
        let king = self.position.king(Self::COLOR);
        // Not behind the king; his own rank counts.
        let rank = Rank::ALL[king.rank().index()].bitboard();
        let ahead = Self::fill_forward(rank);
        let middle = king.file().index().clamp(1, 6);
        for file in middle - 1..=middle + 1 {
            let squares = File::from_index_wrapping(file).bitboard() & ahead;
            let beside = usize::from(file != king.file().index());
            let nearest = |pawns: Bitboard| {
                let pawns = pawns & squares;
                let square = if WHITE { pawns.first() } else { pawns.last() };
                square.map_or(0, Self::rank)
            };
            tally.add(Self::COLOR, SHELTER + beside * 8 + nearest(self.own_pawns), 1);
            tally.add(Self::COLOR, STORM + beside * 8 + nearest(self.enemy_pawns), 1);
        }
    }

    /// King danger.
    #[inline(always)]
    pub fn aim_at_king<T: Tally>(&self, tally: &mut T, own: &Attacks, enemy: &Attacks) {
        let king = self.position.king(!Self::COLOR);
        let only_king = enemy.by[PieceType::King.index()] - enemy.twice;
        let weak = own.any & (only_king | !enemy.any);
        let mut danger =
            own.danger + WEAK_SQUARE_DANGER * (weak & attacks::king(king) & only_king).len();
        let safe =
            !self.position.board().color(Self::COLOR) & (!enemy.any | (own.twice & only_king));
        let straight = sliders::rook(king, self.occupied);
        let diagonal = sliders::bishop(king, self.occupied);
        let mut check = |piece_type: PieceType, lines: Bitboard| {
            if (lines & own.by[piece_type.index()] & safe).any() {
                danger += CHECK_DANGER[piece_type.index()];
            }
        };
        check(PieceType::Knight, attacks::knight(king));
        check(PieceType::Bishop, diagonal);
        check(PieceType::Rook, straight);
        check(PieceType::Queen, straight | diagonal);
        if own.attackers == 0 {
            danger /= 2;
        }
        let queen = usize::from(self.own(PieceType::Queen).any());
        tally.add(
            Self::COLOR,
            KING_DANGER + queen * DANGER_STEPS + danger.min(DANGER_STEPS - 1),
            1,
        );
    }

    /// Threats.
    #[inline(always)]
    pub fn threats<T: Tally>(&self, tally: &mut T, own: &Attacks, enemy: &Attacks) {
        let minor = own.by[PieceType::Knight.index()] | own.by[PieceType::Bishop.index()];
        let rook = own.by[PieceType::Rook.index()];
        let pawn = own.by[PieceType::Pawn.index()];
        let hanging = own.any - enemy.any;
        // Advances to squares where no pawn takes and which are not simply lost.
        let safe = !self.occupied - enemy.by[PieceType::Pawn.index()] - (enemy.any - own.any);
        let pushes = Self::forward(self.own_pawns) & safe;
        let push_attacks = Self::beside(Self::forward(pushes));
        let mut attacked = |piece_type: PieceType| {
            let targets = self.enemy(piece_type);
            let n = piece_type.index();
            if targets.is_disjoint(own.any) {
                return;
            }
            for (term, attacks) in [
                (PAWN_THREAT, pawn),
                (MINOR_THREAT, minor),
                (ROOK_THREAT, rook),
                (HANGING, hanging),
            ] {
                // What pawns attack of pawns is an exchange, not a threat.
                if piece_type != PieceType::Pawn || term != PAWN_THREAT {
                    tally.add(Self::COLOR, term + n, (targets & attacks).len() as i32);
                }
            }
        };
        attacked(PieceType::Pawn);
        attacked(PieceType::Knight);
        attacked(PieceType::Bishop);
        attacked(PieceType::Rook);
        attacked(PieceType::Queen);
        let board = self.position.board();
        let pieces =
            board.color(!Self::COLOR) - self.enemy_pawns - board.piece_type(PieceType::King);
        tally.add(Self::COLOR, PUSH_THREAT, (pieces & push_attacks).len() as i32);
    }
}

impl Attacks {
    #[inline(always)]
    fn add(&mut self, piece_type: PieceType, squares: Bitboard) {
        self.by[piece_type.index()] |= squares;
        self.twice |= self.any & squares;
        self.any |= squares;
    }
}
