//! One position on several threads: each has some of the squares.
//!
//! A square needs the others in two places: attention reads keys and values of all of them, and the
//! heads of the model read the last rows. There the threads exchange rows: each puts its own where the
//! others can read them, waits until all have come so far, and takes what is theirs. Two places take
//! turns, so that nobody overwrites what another still reads: who comes to an exchange has read
//! everything of the last.

use std::ops::Range;
use std::sync::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::pass::Watch;
use crate::config::SQUARES;

/// How often a thread looks whether the others have come before it lets somebody else run.
const PATIENCE: u32 = 20_000;

/// Where rows are exchanged.
#[derive(Debug)]
pub(super) struct Team {
    /// Two places for each member.
    rows: Vec<[RwLock<Vec<f32>>; 2]>,
    arrived: AtomicUsize,
}

impl Team {
    /// Of at most so many members: as many as can have equal shares of the squares.
    pub fn new(threads: usize) -> Self {
        let members = 1 << threads.clamp(1, 8).ilog2();
        let rows = (0..members).map(|_| Default::default()).collect();
        Self { rows, arrived: AtomicUsize::new(0) }
    }

    /// How many there are.
    pub fn members(&self) -> usize {
        self.rows.len()
    }

    /// Lets members go that wait for others who will never come; what they compute is of no use.
    pub fn dissolve(&self) {
        self.arrived.store(usize::MAX / 2, Ordering::Release);
    }

    /// The squares of a member.
    pub fn squares(&self, member: usize) -> Range<usize> {
        let share = SQUARES / self.members();
        member * share..(member + 1) * share
    }

    /// A member before its first exchange.
    pub const fn member(&self, number: usize) -> Member<'_> {
        Member { team: self, number, exchanges: 0 }
    }
}

/// One of the threads.
#[derive(Debug)]
pub(super) struct Member<'a> {
    team: &'a Team,
    number: usize,
    exchanges: usize,
}

impl Watch for Member<'_> {
    fn exchange(&mut self, rows: &mut [f32], width: usize) {
        let team = self.team;
        let place = |member: usize| {
            let squares = team.squares(member);
            squares.start * width..squares.end * width
        };
        let turn = self.exchanges % 2;
        if let Ok(mut own) = team.rows[self.number][turn].write() {
            own.clear();
            own.extend_from_slice(&rows[place(self.number)]);
        }
        self.exchanges += 1;
        team.arrived.fetch_add(1, Ordering::Release);
        let mut looks = 0;
        while team.arrived.load(Ordering::Acquire) < self.exchanges * team.members() {
            looks += 1;
            if looks % PATIENCE == 0 {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
        for member in (0..team.members()).filter(|&member| member != self.number) {
            let own = &mut rows[place(member)];
            if let Ok(theirs) = team.rows[member][turn].read()
                && theirs.len() == own.len()
            {
                own.copy_from_slice(&theirs);
            }
        }
    }
}
