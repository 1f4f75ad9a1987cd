//! Ratings from the games of any PGN: the Bradley–Terry model, a draw as half a win for each side.
//!
//! The expected score of a player with rating *a* against one with rating *b* is 1 / (1 + 10^((b − a) / 400)).
//! `bradley_terry` finds the ratings that make the results most likely, and their standard errors; `results`
//! counts the results of a PGN file.
//!
//! Ratings exist only among players that are connected by results in both directions: who has won (or lost)
//! every game has no finite rating. The largest such group is rated, the others are listed without a rating.

mod bradley_terry;
mod results;

use layout::{Table, shorten};
use serde_json::{Value, json};

pub use results::{GameCounts, Results, WinDrawLoss};

use crate::pentanomial::CONFIDENCE;
use bradley_terry::fit;

/// What fixes the scale.
#[derive(Clone, PartialEq, Debug)]
pub enum Anchor {
    /// The mean rating of all rated players.
    Mean(f64),
    /// The rating of a player.
    Player(String, f64),
}

/// A player with its results.
#[derive(Clone, PartialEq, Debug)]
pub struct Player {
    /// The name in the tags.
    pub name: String,
    /// Its results.
    pub score: WinDrawLoss,
    /// Rating and half of its 95 % confidence interval, if it can be rated. The interval is relative to the
    /// anchor, and unknown among more than a thousand players.
    pub rating: Option<(f64, Option<f64>)>,
}

/// The anchor is no player that can be rated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnchorError {
    /// No such player.
    #[error("no games of the anchor '{0}'")]
    Unknown(String),
    /// It is in another group than the rated players.
    #[error("the anchor '{0}' cannot be rated: its results do not connect it with the others")]
    NotRated(String),
}

/// Rates all players, the best first, unrated ones last.
pub fn rate(results: &Results, anchor: &Anchor) -> Result<Vec<Player>, AnchorError> {
    let anchored = match anchor {
        Anchor::Mean(_) => None,
        Anchor::Player(name, _) => {
            let index = results.player(name);
            Some(index.ok_or_else(|| AnchorError::Unknown(name.clone()))?)
        }
    };
    let fitted = fit(results, anchored);
    let shift = match (anchor, anchored) {
        (Anchor::Player(name, elo), Some(index)) => {
            let rating = fitted[index].ok_or_else(|| AnchorError::NotRated(name.clone()))?;
            elo - rating.0
        }
        (Anchor::Player(_, elo) | Anchor::Mean(elo), _) => *elo,
    };
    let mut players: Vec<Player> = (0..results.len())
        .map(|n| Player {
            name: results.name(n).to_owned(),
            score: results.total(n),
            rating: fitted[n].map(|(elo, error)| (elo + shift, error.map(|e| CONFIDENCE * e))),
        })
        .collect();
    players.sort_by(|a, b| {
        let elo = |player: &Player| player.rating.map_or(f64::NEG_INFINITY, |(elo, _)| elo);
        elo(b).total_cmp(&elo(a)).then_with(|| b.score.rate().total_cmp(&a.score.rate()))
    });
    Ok(players)
}

/// Columns of [`table`] that a narrow table leaves out: wins, draws, losses.
pub const UNIMPORTANT: [usize; 3] = [7, 8, 9];

/// A line for each player.
pub fn table(players: &[Player]) -> Table {
    let heading = ["#", "player", "Elo", "±", "points", "games", "%", "+", "=", "-"];
    let mut table = Table::new(heading, &[1], 2);
    let number = |value: f64| format!("{value:.1}");
    for (n, player) in players.iter().enumerate() {
        let (rating, error) = player.rating.unzip();
        let WinDrawLoss { wins, draws, losses } = player.score;
        table.row([
            (n + 1).to_string(),
            shorten(&player.name, 40),
            rating.map_or("-".to_owned(), number),
            error.flatten().map_or("-".to_owned(), number),
            number(player.score.points()),
            player.score.games().to_string(),
            number(100.0 * player.score.rate()),
            wins.to_string(),
            draws.to_string(),
            losses.to_string(),
        ]);
    }
    table
}

/// The ratings as JSON.
pub fn json(players: &[Player], counts: &GameCounts) -> Value {
    let player = |player: &Player| {
        let (rating, error) = player.rating.unzip();
        let WinDrawLoss { wins, draws, losses } = player.score;
        json!({
            "name": player.name, "elo": rating, "error": error.flatten(),
            "points": player.score.points(), "games": player.score.games(),
            "wins": wins, "draws": draws, "losses": losses,
        })
    };
    json!({
        "players": players.iter().map(player).collect::<Vec<Value>>(),
        "games": counts.counted, "skipped": counts.skipped,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo;

    /// Results of pairs of players: wins, draws, losses of the first.
    pub(super) fn results(pairs: &[(&str, &str, [u32; 3])]) -> Results {
        let mut results = Results::default();
        for &(a, b, [wins, draws, losses]) in pairs {
            let (a, b) = (results.add_player(a), results.add_player(b));
            for (count, score) in [(wins, 2), (draws, 1), (losses, 0)] {
                (0..count).for_each(|_| results.add(a, b, score));
            }
        }
        results
    }

    fn rating(players: &[Player], name: &str) -> (f64, Option<f64>) {
        players.iter().find(|player| player.name == name).unwrap().rating.unwrap()
    }

    #[test]
    fn two_players_have_the_difference_of_their_score() {
        let results = results(&[("a", "b", [6, 3, 1])]);
        let players = rate(&results, &Anchor::Mean(2000.0)).unwrap();
        let (a, b) = (rating(&players, "a"), rating(&players, "b"));
        assert!((a.0 - b.0 - elo(0.75)).abs() < 1e-6, "{a:?} {b:?}");
        assert!((a.0 + b.0 - 4000.0).abs() < 1e-6);
        // Ten games of variance 0.75 · 0.25: the difference has a standard error of 400/ln 10/√1.875.
        let expected = 1.96 * 400.0 / 10f64.ln() / 1.875f64.sqrt();
        let players = rate(&results, &Anchor::Player("b".to_owned(), 1500.0)).unwrap();
        let (a, b) = (rating(&players, "a"), rating(&players, "b"));
        assert!((a.1.unwrap() - expected).abs() < 0.01, "{a:?}");
        assert_eq!((b.0, b.1.map(f64::round)), (1500.0, Some(0.0)));
    }

    #[test]
    fn expected_points_equal_the_points_of_every_player() {
        let results = results(&[
            ("a", "b", [30, 20, 10]),
            ("b", "c", [5, 40, 7]),
            ("c", "d", [9, 1, 9]),
            ("d", "a", [2, 3, 30]),
        ]);
        let players = rate(&results, &Anchor::Mean(0.0)).unwrap();
        let mean: f64 = players.iter().map(|player| player.rating.unwrap().0).sum();
        assert!(mean.abs() < 1e-6);
        for n in 0..results.len() {
            let own = rating(&players, results.name(n)).0;
            let expected: f64 = results
                .pairs()
                .filter(|&(a, b, _)| a == n || b == n)
                .map(|(a, b, score)| {
                    let other = rating(&players, results.name(if a == n { b } else { a })).0;
                    f64::from(score.games()) * crate::expected_score(own - other)
                })
                .sum();
            assert!((expected - results.total(n).points()).abs() < 1e-4, "{n}: {expected}");
        }
    }

    #[test]
    fn who_won_every_game_has_no_rating() {
        let results =
            results(&[("best", "a", [5, 0, 0]), ("a", "b", [3, 3, 3]), ("x", "y", [1, 0, 1])]);
        let players = rate(&results, &Anchor::Mean(0.0)).unwrap();
        let rated: Vec<&str> =
            players.iter().filter(|p| p.rating.is_some()).map(|p| p.name.as_str()).collect();
        assert_eq!((rated.len(), players.len()), (2, 5));
        assert!(rated.contains(&"a") && rated.contains(&"b"));
        let anchor = |name: &str| rate(&results, &Anchor::Player(name.to_owned(), 0.0));
        assert_eq!(anchor("best"), Err(AnchorError::NotRated("best".to_owned())));
        assert_eq!(anchor("none"), Err(AnchorError::Unknown("none".to_owned())));
        let text = table(&players).without(&UNIMPORTANT, 60);
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    }
}
