//! Who plays whom, in which order.
//!
//! Games come in pairs: one opening, each engine once with each color. A round is one pair of every
//! pairing, all with the same opening; so standings grow evenly, and the number of a game does not depend
//! on the number of rounds.

/// Two engines, by index.
pub type Pairing = (usize, usize);

/// All games of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    pairings: Vec<Pairing>,
    /// Pairs of games per pairing.
    rounds: usize,
}

/// Two games with one opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// From 0, in the order of play.
    pub number: usize,
    /// The engines.
    pub pairing: Pairing,
    /// The index of the opening.
    pub opening: usize,
}

impl Schedule {
    /// A round robin, or a gauntlet: the first engine against all others.
    pub fn new(engines: usize, is_gauntlet: bool, rounds: usize) -> Self {
        let first = if is_gauntlet { 1.min(engines) } else { engines };
        let pairings = (0..first).flat_map(|a| (a + 1..engines).map(move |b| (a, b))).collect();
        Self { pairings, rounds }
    }

    /// The pairings of a round.
    pub fn pairings(&self) -> &[Pairing] {
        &self.pairings
    }

    /// The number of games.
    pub fn games(&self) -> usize {
        2 * self.pairings.len() * self.rounds
    }

    /// All pairs in the order of play.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        let pairings = self.pairings.len();
        (0..pairings * self.rounds).map(move |number| Pair {
            number,
            pairing: self.pairings[number % pairings],
            opening: number / pairings,
        })
    }
}

impl Pair {
    /// Its two games: number from 1, White, Black.
    pub fn games(&self) -> [(u32, usize, usize); 2] {
        let (a, b) = self.pairing;
        let first = 2 * self.number as u32 + 1;
        [(first, a, b), (first + 1, b, a)]
    }
}

/// The pair that a game belongs to.
pub fn pair_of(game: u32) -> u32 {
    game.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_robin_has_both_colors_and_one_opening_per_round() {
        let schedule = Schedule::new(3, false, 2);
        assert_eq!(schedule.pairings(), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(schedule.games(), 12);
        let pairs: Vec<Pair> = schedule.pairs().collect();
        assert_eq!(pairs.len(), 6);
        for (number, pair) in pairs.iter().enumerate() {
            let [(n1, white1, black1), (n2, white2, black2)] = pair.games();
            assert_eq!((n1, n2), (2 * number as u32 + 1, 2 * number as u32 + 2));
            assert_eq!((white1, black1), (black2, white2));
            assert_eq!((pair_of(n1), pair_of(n2)), (number as u32, number as u32));
            assert_eq!(pair.opening, number / 3);
        }
    }

    #[test]
    fn in_a_gauntlet_the_first_plays_all_others() {
        assert_eq!(Schedule::new(4, true, 1).pairings(), [(0, 1), (0, 2), (0, 3)]);
    }

    #[test]
    fn more_rounds_keep_the_first_games() {
        let few: Vec<Pair> = Schedule::new(3, false, 2).pairs().collect();
        let many: Vec<Pair> = Schedule::new(3, false, 5).pairs().collect();
        assert_eq!(few, many[..few.len()]);
    }
}
