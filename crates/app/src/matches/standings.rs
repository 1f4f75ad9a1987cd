//! The sum of all games: points, pairs, faults, for each engine and each pairing.

use std::collections::{BTreeMap, HashMap};

use super::record::{Ending, Faults, GameRecord};
use super::schedule::{Pairing, pair_of};
use super::stats::Pentanomial;

/// Games won, drawn and lost, and the pairs among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    pub pairs: Pentanomial,
}

impl Score {
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Points per game; half without games.
    pub fn share(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.points() / f64::from(self.games()) }
    }

    /// Seen from the other side.
    pub fn reversed(self) -> Self {
        let pairs = self.pairs.reversed();
        Self { wins: self.losses, draws: self.draws, losses: self.wins, pairs }
    }

    fn add(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.pairs.add(other.pairs);
    }
}

/// What an engine did in all its games.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Conduct {
    pub moves: u64,
    pub nodes: u64,
    pub milliseconds: f64,
    pub depths: u64,
    pub overrun: f64,
    pub lowest_clock: Option<f64>,
    pub faults: Faults,
}

/// A fault of an engine in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incident {
    pub game: u32,
    pub engine: usize,
    pub faults: Faults,
}

/// All that is known after some games.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    scores: HashMap<Pairing, Score>,
    pub conduct: Vec<Conduct>,
    pub endings: BTreeMap<Ending, u32>,
    pub incidents: Vec<Incident>,
    /// The first game of pairs that wait for their second: its half points for the pairing's first.
    waiting: HashMap<u32, u32>,
    games: u32,
}

impl Standings {
    pub fn new(engines: usize) -> Self {
        Self { conduct: vec![Conduct::default(); engines], ..Self::default() }
    }

    /// How many games are in it.
    pub fn games(&self) -> u32 {
        self.games
    }

    pub fn add(&mut self, record: &GameRecord) {
        self.games += 1;
        *self.endings.entry(record.ending).or_default() += 1;
        let pairing = (record.white.min(record.black), record.white.max(record.black));
        let half_points = record.half_points(pairing.0);
        let score = self.scores.entry(pairing).or_default();
        match half_points {
            0 => score.losses += 1,
            1 => score.draws += 1,
            _ => score.wins += 1,
        }
        let pair = pair_of(record.game);
        match self.waiting.remove(&pair) {
            Some(other) => score.pairs.0[(half_points + other) as usize] += 1,
            None => {
                self.waiting.insert(pair, half_points);
            }
        }
        for (engine, side) in [record.white, record.black].into_iter().zip(&record.sides) {
            let Some(conduct) = self.conduct.get_mut(engine) else { continue };
            conduct.moves += u64::from(side.moves);
            conduct.nodes += side.nodes;
            conduct.milliseconds += side.milliseconds;
            conduct.depths += side.depths;
            conduct.overrun = conduct.overrun.max(side.overrun);
            let lowest = [conduct.lowest_clock, side.lowest_clock].into_iter().flatten();
            conduct.lowest_clock = lowest.min_by(f64::total_cmp);
            conduct.faults.append(&side.faults);
            if !side.faults.is_empty() {
                let faults = side.faults.clone();
                self.incidents.push(Incident { game: record.game, engine, faults });
            }
        }
    }

    /// The score of the first of a pairing.
    pub fn pairing(&self, pairing: Pairing) -> Score {
        self.scores.get(&pairing).copied().unwrap_or_default()
    }

    /// The score of an engine against all others.
    pub fn engine(&self, engine: usize) -> Score {
        let mut sum = Score::default();
        for (&(first, second), score) in &self.scores {
            if first == engine {
                sum.add(*score);
            } else if second == engine {
                sum.add(score.reversed());
            }
        }
        sum
    }

    /// The engines from the best to the worst.
    pub fn ranking(&self) -> Vec<usize> {
        let mut engines: Vec<usize> = (0..self.conduct.len()).collect();
        let share = |engine: usize| self.engine(engine).share();
        engines.sort_by(|&a, &b| share(b).total_cmp(&share(a)));
        engines
    }

    pub fn has_faults(&self) -> bool {
        !self.incidents.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::record::{Fault, SideReport};
    use chess::Color;

    fn record(game: u32, white: usize, black: usize, winner: Option<Color>) -> GameRecord {
        GameRecord {
            game,
            white,
            black,
            winner,
            ending: Ending::Checkmate,
            reason: String::new(),
            plies: 10,
            seconds: 1.0,
            sides: [SideReport::default(), SideReport::default()],
        }
    }

    #[test]
    fn games_are_counted_and_pairs_put_together_in_any_order() {
        let mut standings = Standings::new(2);
        for (game, white, black, winner) in [
            (1, 0, 1, Some(Color::White)),
            (4, 1, 0, None),
            (2, 1, 0, Some(Color::Black)),
            (3, 0, 1, Some(Color::Black)),
            (5, 0, 1, None),
        ] {
            standings.add(&record(game, white, black, winner));
        }
        let score = standings.pairing((0, 1));
        assert_eq!((score.wins, score.draws, score.losses), (2, 2, 1));
        // Games 1 and 2 both won, 3 and 4 half a point, 5 without its other.
        assert_eq!(score.pairs, Pentanomial([0, 1, 0, 0, 1]));
        assert_eq!(standings.engine(1), score.reversed());
        assert_eq!(standings.ranking(), [0, 1]);
        assert_eq!(standings.games(), 5);
    }

    #[test]
    fn faults_are_counted_for_whom_they_belong_to() {
        let mut standings = Standings::new(3);
        let mut game = record(7, 2, 0, Some(Color::White));
        game.sides[1].faults.add(Fault::Crash, 1, "ended (signal: 11)");
        game.sides[1].overrun = 3.0;
        standings.add(&game);
        assert!(standings.has_faults());
        assert_eq!(standings.conduct[0].faults.count(Fault::Crash), 1);
        assert!(standings.conduct[2].faults.is_empty());
        assert_eq!((standings.incidents[0].game, standings.incidents[0].engine), (7, 0));
        assert_eq!(standings.ranking(), [2, 1, 0]);
    }
}
