//! Results between players, counted from the tags of PGN games.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use chess::pgn::{GameResult, Next, TagValue, Token, Visitor, read};
use data::{Chunk, Input, ReadError, ReadOptions, read_games};

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WinDrawLoss {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl WinDrawLoss {
    /// The number of games.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points: a draw is half of one.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Points per game; 0 without games.
    pub fn rate(&self) -> f64 {
        self.points() / f64::from(self.games().max(1))
    }
}

/// The results of all pairs of players.
#[derive(Clone, Default, Debug)]
pub struct Results {
    names: Vec<String>,
    index: HashMap<String, usize>,
    /// By players, the smaller index first, from its point of view.
    pairs: BTreeMap<(usize, usize), WinDrawLoss>,
    totals: Vec<WinDrawLoss>,
}

/// How many games there were.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GameCounts {
    /// Games that count.
    pub counted: u64,
    /// Games without a result or without two different names.
    pub skipped: u64,
}

impl Results {
    /// The number of players.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no players.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of a player.
    pub fn name(&self, player: usize) -> &str {
        &self.names[player]
    }

    /// The player of a name.
    pub fn player(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The results of a player against all others.
    pub fn total(&self, player: usize) -> WinDrawLoss {
        self.totals[player]
    }

    /// All pairs that have played, with the results of the first.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, WinDrawLoss)> {
        self.pairs.iter().map(|(&(a, b), &score)| (a, b, score))
    }

    /// The player of a name, new if there is none.
    pub fn add_player(&mut self, name: &str) -> usize {
        if let Some(&player) = self.index.get(name) {
            return player;
        }
        self.names.push(name.to_owned());
        self.totals.push(WinDrawLoss::default());
        self.index.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// Adds a game in which the first of two players has this many half points, 0 to 2. A player does not play
    /// against itself.
    pub fn add(&mut self, a: usize, b: usize, half_points: u8) {
        let count = |score: &mut WinDrawLoss, half_points: u8| match half_points {
            0 => score.losses += 1,
            1 => score.draws += 1,
            _ => score.wins += 1,
        };
        let reversed = 2u8.saturating_sub(half_points);
        count(&mut self.totals[a], half_points);
        count(&mut self.totals[b], reversed);
        let (pair, half_points) = if a <= b { ((a, b), half_points) } else { ((b, a), reversed) };
        count(self.pairs.entry(pair).or_default(), half_points);
    }

    /// Adds all games of a PGN input; `progress` receives how many more have been read. What cannot be read is the error, after everything else has been added.
    pub fn add_games(
        &mut self,
        input: Input,
        options: &ReadOptions,
        counts: &mut GameCounts,
        mut progress: impl FnMut(u64) + Send,
    ) -> Result<(), ReadError> {
        let convert = |chunk: Chunk<'_>| {
            let mut tags = Tags::default();
            match chunk {
                Chunk::Games(text) => read(text, &mut tags),
                Chunk::TooLong { .. } => tags.skipped += 1,
            }
            tags
        };
        read_games(input, options, convert, |tags, _| {
            counts.skipped += tags.skipped;
            counts.counted += tags.games.len() as u64;
            progress(tags.skipped + tags.games.len() as u64);
            for (white, black, half_points) in tags.games {
                let (white, black) = (self.add_player(&white), self.add_player(&black));
                self.add(white, black, half_points);
            }
            ControlFlow::Continue(())
        })
    }
}

/// The names and results of games: the tag `Result`, or the termination marker if there is none.
#[derive(Default)]
struct Tags {
    names: [String; 2],
    tag: GameResult,
    marker: GameResult,
    /// White, Black, half points of White.
    games: Vec<(String, String, u8)>,
    skipped: u64,
}

impl Visitor for Tags {
    fn begin_game(&mut self, _: usize) -> Next {
        self.names = Default::default();
        (self.tag, self.marker) = Default::default();
        Next::Go
    }

    fn tag(&mut self, name: Token<'_>, value: TagValue<'_>) -> Next {
        let text = || String::from_utf8_lossy(&value.bytes()).trim().to_owned();
        match name.text {
            b"White" => self.names[0] = text(),
            b"Black" => self.names[1] = text(),
            b"Result" => self.tag = GameResult::parse(value.raw()).unwrap_or_default(),
            _ => {}
        }
        Next::Go
    }

    fn begin_moves(&mut self) -> Next {
        // With a result in the tags the moves are of no interest.
        if self.tag == GameResult::Unknown { Next::Go } else { Next::SkipGame }
    }

    fn result(&mut self, result: GameResult) {
        self.marker = result;
    }

    fn end_game(&mut self) {
        let [white, black] = std::mem::take(&mut self.names);
        let result = if self.tag == GameResult::Unknown { self.marker } else { self.tag };
        let half_points = match result {
            GameResult::WhiteWins => Some(2),
            GameResult::Draw => Some(1),
            GameResult::BlackWins => Some(0),
            GameResult::Unknown => None,
        };
        let named = |name: &str| !name.is_empty() && name != "?";
        match half_points {
            Some(half_points) if named(&white) && named(&black) && white != black => {
                self.games.push((white, black, half_points));
            }
            _ => self.skipped += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_those_of_the_tags_or_of_the_marker() {
        let game = |white: &str, black: &str, tag: &str, marker: &str| {
            format!("[White \"{white}\"]\n[Black \"{black}\"]\n{tag}\n\n1. e4 {marker}\n\n")
        };
        let text = [
            game("a", "b", "[Result \"1-0\"]", "1-0"),
            game("b", "a", "[Result \"1/2-1/2\"]", "0-1"),
            game("b", "a", "", "0-1"),
            game("b", "c", "[Result \"*\"]", "1-0"),
            game("a", "b", "[Result \"*\"]", "*"),
            game("a", "a", "[Result \"1-0\"]", "1-0"),
            game("?", "a", "[Result \"1-0\"]", "1-0"),
        ]
        .concat();
        let input = Input::from_reader("text", std::io::Cursor::new(text)).unwrap();
        let (mut results, mut counts) = (Results::default(), GameCounts::default());
        results.add_games(input, &ReadOptions::default(), &mut counts, |_| {}).unwrap();
        assert_eq!(counts, GameCounts { counted: 4, skipped: 3 });
        let score = |wins, draws, losses| WinDrawLoss { wins, draws, losses };
        let [a, b, c] = ["a", "b", "c"].map(|name| results.player(name).unwrap());
        assert_eq!(results.total(a), score(2, 1, 0));
        assert_eq!(results.total(b), score(1, 1, 2));
        assert_eq!(
            results.pairs().collect::<Vec<_>>(),
            [(a, b, score(2, 1, 0)), (b, c, score(1, 0, 0))]
        );
    }
}
