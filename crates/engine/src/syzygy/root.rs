//! Ranking of root moves by the tablebases.

use chess::{Game, Position};

use super::probe::{Dtz, is_zeroing};
use super::{Tablebases, Wdl};
use crate::search::RootMove;
use crate::value::{DRAW, TABLEBASE_WIN, Value};

/// The halfmove clock of a draw by the fifty-move rule.
const FIFTY_MOVES: i32 = 100;

/// The tablebase value of a root move.
#[derive(Clone, Copy)]
struct Worth {
    /// The result with the game's halfmove clock.
    wdl: Wdl,
    /// Plies to the next capture, pawn move or mate, that of this move being 1.
    plies: i32,
}

impl Worth {
    const DRAW: Self = Self { wdl: Wdl::Draw, plies: 0 };

    fn rank(self) -> i32 {
        match self.wdl {
            Wdl::Win => 20_000 - self.plies,
            Wdl::CursedWin => 10_000 - self.plies,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => -10_000 + self.plies,
            Wdl::Loss => -20_000 + self.plies,
        }
    }

    fn score(self) -> Value {
        let plies = self.plies.min(FIFTY_MOVES);
        match self.wdl {
            Wdl::Win => TABLEBASE_WIN - plies,
            Wdl::CursedWin => DRAW + 1,
            Wdl::Draw => DRAW,
            Wdl::BlessedLoss => DRAW - 1,
            Wdl::Loss => plies - TABLEBASE_WIN,
        }
    }
}

impl Tablebases {
    /// Ranks the root moves if the tables have all positions after them.
    ///
    /// Wins within the fifty-move rule rank first, then cursed wins, draws, blessed losses, and losses. Among
    /// wins, the shortest DTZ ranks first, so that there is always progress; among losses, the longest. A
    /// threefold repetition is a draw. With WDL but no DTZ files, moves with the same result have the same rank.
    #[doc(hidden)] // for the tests
    pub fn rank_root(&self, game: &Game, moves: &mut [RootMove]) {
        let position = game.position();
        if !self.covers(position) {
            return;
        }
        // All or none: a move that is not known could be better than those that are.
        let all = |worth: &dyn Fn(&Position) -> Option<Worth>| -> Option<Vec<Worth>> {
            moves.iter().map(|root| self.worth(game, root, worth)).collect()
        };
        let clock = i32::from(position.halfmove_clock());
        let by_distance = |next: &Position| Some(worth_of_quiet(self.dtz(next)?, clock));
        let by_result = |next: &Position| Some(Worth { wdl: -self.wdl(next)?, plies: 1 });
        let Some(worths) = all(&by_distance).or_else(|| all(&by_result)) else { return };
        for (root, worth) in moves.iter_mut().zip(worths) {
            root.tablebase_rank = worth.rank();
            root.tablebase_score = Some(worth.score());
        }
        moves.sort_by_key(|root| -root.tablebase_rank);
    }

    /// The value of a move; `quiet` evaluates a position after a move that is neither zeroing nor ends the game.
    fn worth(
        &self,
        game: &Game,
        root: &RootMove,
        quiet: &dyn Fn(&Position) -> Option<Worth>,
    ) -> Option<Worth> {
        let position = game.position();
        let next = position.after(root.m);
        if next.is_checkmate() {
            return Some(Worth { wdl: Wdl::Win, plies: 1 });
        }
        if is_zeroing(position, root.m) {
            let wdl = -self.wdl(&next)?;
            return Some(Worth { wdl, plies: Dtz::before_zeroing(wdl).plies.abs() });
        }
        let earlier = game.reversible_keys().filter(|&key| key == next.key()).count();
        if earlier >= 2 || i32::from(next.halfmove_clock()) >= FIFTY_MOVES {
            return Some(Worth::DRAW);
        }
        quiet(&next)
    }
}

/// The value of a non-zeroing move that leads to this DTZ of the opponent.
fn worth_of_quiet(dtz: Dtz, clock: i32) -> Worth {
    let Dtz { plies, rounded } = dtz.before_quiet();
    let end = plies.abs() + clock;
    let wdl = match plies {
        0 => Wdl::Draw,
        // A win must be certain, a loss need not.
        1.. if end + i32::from(rounded) <= FIFTY_MOVES => Wdl::Win,
        1.. => Wdl::CursedWin,
        _ if end <= FIFTY_MOVES => Wdl::Loss,
        _ => Wdl::BlessedLoss,
    };
    Worth { wdl, plies: plies.abs() }
}
