//! Totals of all games: points, pairs and faults, per engine and per pairing.

use std::collections::{BTreeMap, HashMap};

use crate::schedule::pair_of;
use crate::{Ending, Faults, GameRecord, Pairing, Pentanomial};

/// Wins, draws and losses, and the complete pairs among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MatchScore {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// Complete pairs.
    pub pairs: Pentanomial,
}

impl MatchScore {
    /// The number of games.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// A win is one point, a draw half of one.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Points per game; 0.5 without games.
    pub fn rate(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.points() / f64::from(self.games()) }
    }

    /// From the opponent's point of view.
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

/// Totals of an engine over all its games; fields as in [`PlayerRecord`](crate::PlayerRecord).
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs, reason = "as in `PlayerRecord`")]
pub struct PlayerTotals {
    pub moves: u64,
    pub nodes: u64,
    pub milliseconds: f64,
    pub depths: u64,
    pub overrun: f64,
    pub lowest_clock: Option<f64>,
    pub faults: Faults,
}

/// The faults of an engine in one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incident {
    /// The number of the game.
    pub game: u32,
    /// The engine.
    pub engine: usize,
    /// Its faults.
    pub faults: Faults,
}

/// The standings after some games.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    scores: HashMap<Pairing, MatchScore>,
    /// By engine.
    pub totals: Vec<PlayerTotals>,
    /// The number of games with each ending.
    pub endings: BTreeMap<Ending, u32>,
    /// In the order of finishing.
    pub incidents: Vec<Incident>,
    /// Half points of the pairing's first engine in the first game of each incomplete pair.
    incomplete: HashMap<u32, u32>,
    games: u32,
}

impl Standings {
    /// No games yet.
    pub fn new(engines: usize) -> Self {
        Self { totals: vec![PlayerTotals::default(); engines], ..Self::default() }
    }

    /// The number of games.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Adds a finished game.
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
        match self.incomplete.remove(&pair) {
            Some(other) => score.pairs.0[(half_points + other) as usize] += 1,
            None => {
                self.incomplete.insert(pair, half_points);
            }
        }
        for (engine, side) in [record.white, record.black].into_iter().zip(&record.sides) {
            let Some(totals) = self.totals.get_mut(engine) else { continue };
            totals.moves += u64::from(side.moves);
            totals.nodes += side.nodes;
            totals.milliseconds += side.milliseconds;
            totals.depths += side.depths;
            totals.overrun = totals.overrun.max(side.overrun);
            let lowest = [totals.lowest_clock, side.lowest_clock].into_iter().flatten();
            totals.lowest_clock = lowest.min_by(f64::total_cmp);
            totals.faults.append(&side.faults);
            if !side.faults.is_empty() {
                let faults = side.faults.clone();
                self.incidents.push(Incident { game: record.game, engine, faults });
            }
        }
    }

    /// The score of the first engine of a pairing.
    pub fn pairing(&self, pairing: Pairing) -> MatchScore {
        self.scores.get(&pairing).copied().unwrap_or_default()
    }

    /// The score of an engine against all others.
    pub fn engine(&self, engine: usize) -> MatchScore {
        let mut sum = MatchScore::default();
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
        let mut engines: Vec<usize> = (0..self.totals.len()).collect();
        let rate = |engine: usize| self.engine(engine).rate();
        engines.sort_by(|&a, &b| rate(b).total_cmp(&rate(a)));
        engines
    }

    /// Whether any engine had a fault.
    pub fn has_faults(&self) -> bool {
        !self.incidents.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fault, PlayerRecord};
    use chess::Color;

    fn record(game: u32, white: usize, black: usize, winner: Option<Color>) -> GameRecord {
        GameRecord {
            game,
            white,
            black,
            winner,
            ending: Ending::Checkmate,
            reason: String::new(),
            opening: None,
            plies: 10,
            seconds: 1.0,
            sides: [PlayerRecord::default(), PlayerRecord::default()],
        }
    }

    #[test]
    fn games_are_counted_and_pairs_completed_in_any_order() {
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
        // Games 1 and 2 both won, 3 and 4 half a point, 5 is incomplete.
        assert_eq!(score.pairs, Pentanomial([0, 1, 0, 0, 1]));
        assert_eq!(standings.engine(1), score.reversed());
        assert_eq!(standings.ranking(), [0, 1]);
        assert_eq!(standings.games(), 5);
    }

    #[test]
    fn faults_are_counted_per_engine() {
        let mut standings = Standings::new(3);
        let mut game = record(7, 2, 0, Some(Color::White));
        game.sides[1].faults.add(Fault::Crash, 1, "ended (signal: 11)");
        game.sides[1].overrun = 3.0;
        standings.add(&game);
        assert!(standings.has_faults());
        assert_eq!(standings.totals[0].faults.count(Fault::Crash), 1);
        assert!(standings.totals[2].faults.is_empty());
        assert_eq!((standings.incidents[0].game, standings.incidents[0].engine), (7, 0));
        assert_eq!(standings.ranking(), [2, 1, 0]);
    }
}
