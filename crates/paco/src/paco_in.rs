//! Paco in n: whether the player can force a union with the king within n turns.
//!
//! An exact search over whole turns. The player needs one turn after which every reply of the
//! opponent leaves a Paco in n - 1; a reply that wins, draws, or leaves none refutes it. A turn
//! that threatens is tried first; but all are tried, since being forced to move may lose too.

use alloc::vec::Vec;

use crate::{Action, Answer, Position, Required, SAKO_NODES, Turns};

/// The budget of a search, in turns.
#[derive(Clone, Copy, Debug)]
struct Budget {
    left: u64,
}

/// The result of a search for a Paco in n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PacoIn {
    /// It can be forced, beginning with these actions (a whole turn).
    Yes(Vec<Action>),
    /// It cannot be forced.
    No,
    /// Unknown: the budget is exhausted.
    Unknown,
}

impl Position {
    /// Whether the player can force a Paco within `n` turns, the one in progress included, with a budget of
    /// `budget` turns.
    ///
    /// ```
    /// use tabiya_paco::{PacoIn, Position};
    /// // Two rooks, two rows: after the next check there is nowhere left to go.
    /// let position: Position = "7k/R7/1R6/8/8/8/8/K7 w 0 - - -".parse()?;
    /// assert_eq!(position.paco_in(1, 1000), PacoIn::No);
    /// assert!(matches!(position.paco_in(2, 1000), PacoIn::Yes(_)));
    /// # Ok::<(), tabiya_paco::FenError>(())
    /// ```
    pub fn paco_in(&self, turns: u32, budget: u64) -> PacoIn {
        let mut budget = Budget { left: budget };
        let mut unknown = false;
        for n in 1..=turns {
            match force(self, n, &mut budget) {
                PacoIn::No => {}
                PacoIn::Yes(actions) => return PacoIn::Yes(actions),
                PacoIn::Unknown => unknown = true,
            }
        }
        if unknown { PacoIn::Unknown } else { PacoIn::No }
    }
}

/// Whether a Paco in exactly `n` turns or fewer can be forced.
fn force(position: &Position, n: u32, budget: &mut Budget) -> PacoIn {
    if n == 0 || position.ending().is_some() {
        return PacoIn::No;
    }
    match position.sako(SAKO_NODES) {
        Answer::Yes => {
            let first = position.paco_sequences(SAKO_NODES, 1).sequences.into_iter().next();
            return first.map_or(PacoIn::Unknown, PacoIn::Yes);
        }
        Answer::No if n == 1 => return PacoIn::No,
        Answer::Unknown if n == 1 => return PacoIn::Unknown,
        _ => {}
    }
    let mut turns = Turns::new();
    turns.generate(position);
    let mut unknown = !turns.is_complete();
    let mut order: Vec<(bool, usize)> = turns
        .iter()
        .enumerate()
        .map(|(i, turn)| (turn.position().sako_against(SAKO_NODES) != Answer::Yes, i))
        .collect();
    order.sort_unstable();
    let mut replies = Turns::new();
    for (_, i) in order {
        let Some(turn) = turns.get(i) else { continue };
        match all_replies_lose(turn.position(), n - 1, budget, &mut replies) {
            Answer::Yes => return PacoIn::Yes(turn.actions()),
            Answer::Unknown => unknown = true,
            Answer::No => {}
        }
        if budget.left == 0 {
            return PacoIn::Unknown;
        }
    }
    if unknown { PacoIn::Unknown } else { PacoIn::No }
}

/// Whether every reply of the opponent, now to move, loses within `n` turns.
fn all_replies_lose(after: &Position, n: u32, budget: &mut Budget, replies: &mut Turns) -> Answer {
    if after.ending().is_some() || after.sako(SAKO_NODES) == Answer::Yes {
        return Answer::No;
    }
    // Most turns are refuted by one of the first replies: look at a few before finding them all.
    for cap in [64, crate::TURN_NODES] {
        replies.generate_within(after, cap);
        let complete = replies.is_complete();
        let mut unknown = false;
        let mut any = false;
        for reply in replies.iter() {
            any = true;
            if budget.left == 0 {
                return Answer::Unknown;
            }
            budget.left -= 1;
            match force(reply.position(), n, budget) {
                PacoIn::Yes(_) => {}
                PacoIn::No => return Answer::No,
                PacoIn::Unknown => unknown = true,
            }
        }
        if complete {
            return match (any, unknown) {
                // Without a turn the opponent cannot be made to lose.
                (false, _) => Answer::No,
                (true, true) => Answer::Unknown,
                (true, false) => Answer::Yes,
            };
        }
    }
    Answer::Unknown
}

impl Position {
    /// Whether a turn begins here: nothing of it has been played but perhaps a promotion.
    pub fn is_turn_start(&self) -> bool {
        matches!(self.required(), Required::Lift | Required::PromoteThenLift)
    }
}
