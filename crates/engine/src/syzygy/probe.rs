//! WDL and DTZ probing.
//!
//! The stored value is not the whole answer. Where a capture is best, any value no better may be stored, for
//! compression; and positions are stored without en passant. So captures are searched first, and the better of
//! both is the result. Where a zeroing move wins, DTZ is not stored. DTZ is stored for one side to move only;
//! for the other, each move is made and probed.

use chess::{Move, MoveFilter, PieceType, Position};

use super::material::Material;
use super::table::{DtzLookup, StoredDtz};
use super::{Tablebases, Wdl};

/// Distance to zeroing (DTZ): to the next capture or pawn move with best play, or to mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dtz {
    /// Plies: positive for a win of the side to move, negative for a loss, 0 for a draw. Beyond ±100 it is a
    /// cursed win or blessed loss.
    pub plies: i32,
    /// Whether the true value may be one ply more, because the table counts in moves.
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

/// Whether a move is zeroing: a capture or pawn move.
pub(super) fn is_zeroing(position: &Position, m: Move) -> bool {
    m.is_capture() || position.board().piece_type_at(m.from()) == Some(PieceType::Pawn)
}

/// A result, and whether a zeroing move reaches it.
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

    /// Whether a table can exist for a position: tables assume no castling rights.
    pub(super) fn covers(&self, position: &Position) -> bool {
        position.castling_rooks().is_empty() && position.occupied().len() <= self.max_pieces()
    }

    /// The stored result of a position; bare kings are a draw.
    fn stored_wdl(&self, position: &Position) -> Option<Wdl> {
        let material = Material::of(position.board());
        if material == Material::KINGS {
            return Some(Wdl::Draw);
        }
        self.0.entry(material)?.wdl.as_ref()?.wdl(position, material)
    }

    /// The better of captures and the stored result.
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

    /// The same with pawn moves, and whether a zeroing move is best or the only kind: then DTZ is not stored.
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

    /// The DTZ of a position; `may_move` allows one ply of search.
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
