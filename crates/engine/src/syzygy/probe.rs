//! Results and distances of positions.
//!
//! What a table stores for a position is only half of the answer. Where a capture is best, any value that is
//! no better may be stored, as compression likes it; and positions are stored without en passant. So captures
//! are tried first, and the better of both is the result. Where a capture or a pawn move wins, distances are
//! not stored at all. And distances are there for one player to move only; for the other, each move is made
//! and looked up.

use chess::{Move, MoveFilter, PieceType, Position};

use super::material::Material;
use super::table::{DtzLookup, StoredDtz};
use super::{Tablebases, Wdl};

/// The distance to the next capture or pawn move with best play, or to mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dtz {
    /// Plies: positive if the player to move wins, negative if he loses, 0 for a draw. More than 100
    /// either way is a win or a loss but for the 50-move rule.
    pub plies: i32,
    /// Whether it may really be one ply more, because the table counts in moves.
    pub rounded: bool,
}

impl Dtz {
    const DRAW: Self = Self { plies: 0, rounded: false };

    /// The distance before a capture or pawn move that has this result.
    pub(super) fn before_zeroing(wdl: Wdl) -> Self {
        let plies = match wdl {
            Wdl::Win => 1,
            Wdl::CursedWin => 101,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => -101,
            Wdl::Loss => -1,
        };
        Self { plies, rounded: false }
    }

    /// The distance before a move that is neither capture nor pawn move and leads to this distance of the
    /// opponent.
    pub(super) fn before_quiet(self) -> Self {
        Self { plies: -self.plies - self.plies.signum(), ..self }
    }
}

/// Whether a move sets the halfmove clock to zero.
pub(super) fn is_zeroing(position: &Position, m: Move) -> bool {
    m.is_capture() || position.board().piece_type_at(m.from()) == Some(PieceType::Pawn)
}

/// A result, and whether a capture or pawn move reaches it.
struct Resolved {
    wdl: Wdl,
    by_zeroing: bool,
}

impl Tablebases {
    /// The result of a position, from a halfmove clock of zero, if the tables have it.
    pub fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.covers(position).then(|| self.after_captures(position))?
    }

    /// The distance of a position, if the tables have it.
    pub fn dtz(&self, position: &Position) -> Option<Dtz> {
        self.covers(position).then(|| self.distance(position, true))?
    }

    /// Whether there can be a table for a position: that castling is over is assumed in all.
    pub(super) fn covers(&self, position: &Position) -> bool {
        position.castling_rooks().is_empty() && position.occupied().len() <= self.max_pieces()
    }

    /// The result that is stored for a position. Two kings are no table.
    fn stored_wdl(&self, position: &Position) -> Option<Wdl> {
        let material = Material::of(position.board());
        if material == Material::KINGS {
            return Some(Wdl::Draw);
        }
        self.0.entry(material)?.wdl.as_ref()?.wdl(position, material)
    }

    /// The best of what captures lead to and what is stored.
    fn after_captures(&self, position: &Position) -> Option<Wdl> {
        let captures = position.moves(MoveFilter::CAPTURES);
        let mut best = Wdl::Loss;
        for &m in &captures {
            best = best.max(-self.after_captures(&position.after(m))?);
            if best == Wdl::Win {
                return Some(best);
            }
        }
        // Without the en passant capture, which is all there is, this would be stalemate.
        if position.en_passant().is_some() && captures.len() == position.count_legal_moves() {
            return Some(best);
        }
        Some(best.max(self.stored_wdl(position)?))
    }

    /// The same with pawn moves, and whether a capture or pawn move is best, or all there is: then
    /// distances are not stored.
    fn after_zeroing(&self, position: &Position) -> Option<Resolved> {
        let moves = position.legal_moves();
        let mut best = Wdl::Loss;
        let mut tried = 0;
        for &m in moves.iter().filter(|&&m| is_zeroing(position, m)) {
            best = best.max(-self.after_captures(&position.after(m))?);
            if best == Wdl::Win {
                return Some(Resolved { wdl: best, by_zeroing: true });
            }
            tried += 1;
        }
        if tried > 0 && tried == moves.len() {
            return Some(Resolved { wdl: best, by_zeroing: true });
        }
        let stored = self.stored_wdl(position)?;
        let by_zeroing = best >= stored && best > Wdl::Draw;
        Some(Resolved { wdl: best.max(stored), by_zeroing })
    }

    /// The distance of a position; `may_move` if moves may be made to find it, once.
    fn distance(&self, position: &Position, may_move: bool) -> Option<Dtz> {
        let Resolved { wdl, by_zeroing } = self.after_zeroing(position)?;
        if wdl == Wdl::Draw {
            return Some(Dtz::DRAW);
        }
        if by_zeroing {
            return Some(Dtz::before_zeroing(wdl));
        }
        let material = Material::of(position.board());
        match self.0.entry(material)?.dtz.as_ref()?.dtz(position, material, wdl)? {
            DtzLookup::Stored(StoredDtz { plies, rounded }) => {
                let beyond = if matches!(wdl, Wdl::CursedWin | Wdl::BlessedLoss) { 100 } else { 0 };
                let plies = (plies + beyond) * (wdl as i32).signum();
                Some(Dtz { plies, rounded })
            }
            DtzLookup::OtherSide if may_move => self.distance_by_moves(position, wdl),
            DtzLookup::OtherSide => None,
        }
    }

    /// The distance of a position from those after each move: the shortest win, or the longest loss.
    fn distance_by_moves(&self, position: &Position, wdl: Wdl) -> Option<Dtz> {
        let sign = (wdl as i32).signum();
        let mut best: Option<Dtz> = None;
        for m in position.legal_moves() {
            let next = position.after(m);
            let dtz = if next.is_checkmate() {
                Dtz { plies: 1, rounded: false }
            } else if is_zeroing(position, m) {
                Dtz::before_zeroing(-self.after_captures(&next)?)
            } else {
                self.distance(&next, false)?.before_quiet()
            };
            if dtz.plies.signum() == sign && best.is_none_or(|best| dtz.plies < best.plies) {
                best = Some(dtz);
            }
        }
        // Without moves it is mate.
        Some(best.unwrap_or(Dtz { plies: -1, rounded: false }))
    }
}
