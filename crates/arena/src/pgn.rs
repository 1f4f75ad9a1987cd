//! A game as PGN, with `[%eval]`, `[%clk]` and `[%emt]` in its comments.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chess::pgn::{GameResult, GameTree, NodeId, TreeError};
use chess::{Color, Score};

use crate::game::PlayedGame;
use crate::turn::MoveStats;

/// The values of tags.
pub struct Tags<'a> {
    pub event: &'a str,
    /// Pair and game: `12.1`.
    pub round: String,
    pub white: &'a str,
    pub black: &'a str,
    /// The time control, if both have the same.
    pub time_control: Option<String>,
    pub chess960: bool,
}

/// The PGN result of a winner.
pub fn result(winner: Option<Color>) -> GameResult {
    match winner {
        Some(Color::White) => GameResult::WhiteWins,
        Some(Color::Black) => GameResult::BlackWins,
        None => GameResult::Draw,
    }
}

/// The game in export format.
pub fn text(played: &PlayedGame, tags: &Tags<'_>) -> Result<String, TreeError> {
    let mut tree = GameTree::new(*played.game.initial_position());
    for (name, value) in [
        ("Event", tags.event),
        ("Site", "?"),
        ("Date", &today()),
        ("Round", &tags.round),
        ("White", tags.white),
        ("Black", tags.black),
        ("PlyCount", &played.game.len().to_string()),
        ("Termination", played.ending.termination()),
    ] {
        tree.set_tag(name, value)?;
    }
    if let Some(time_control) = &tags.time_control {
        tree.set_tag("TimeControl", time_control)?;
    }
    if tags.chess960 {
        tree.set_tag("Variant", "Chess960")?;
    }
    tree.result = result(played.winner);
    let opening = played.game.len().saturating_sub(played.stats.len());
    let mut mover = played.game.initial_position().turn();
    let mut at = NodeId::ROOT;
    for (n, m) in played.game.moves().enumerate() {
        at = tree.add_move(at, m)?;
        if let Some(stats) = n.checked_sub(opening).and_then(|n| played.stats.get(n)) {
            tree.add_comment(at, &comment(stats, mover))?;
        }
        mover = !mover;
    }
    let loser =
        played.winner.map(|winner| if winner == Color::White { tags.black } else { tags.white });
    let reason = match (played.ending.termination(), loser) {
        ("normal" | "adjudication", _) | (_, None) => played.reason.clone(),
        (_, Some(loser)) => format!("{loser} {}", played.reason),
    };
    tree.add_comment(at, &reason)?;
    Ok(tree.to_string())
}

/// `[%eval 0.31,12] [%clk 0:00:07.912] [%emt 0:00:00.168]`.
fn comment(stats: &MoveStats, mover: Color) -> String {
    let mut commands = Vec::new();
    if let Some(score) = stats.score {
        let sign = if mover == Color::White { 1 } else { -1 };
        let value = match score {
            Score::Centipawns(value) => {
                // The sign is written separately: an integer has no -0, as in -0.31.
                let value = i64::from(value) * sign;
                let minus = if value < 0 { "-" } else { "" };
                format!("{minus}{}.{:02}", value.abs() / 100, value.abs() % 100)
            }
            Score::Mate(moves) => format!("#{}", i64::from(moves) * sign),
        };
        let depth = stats.depth.map_or(String::new(), |depth| format!(",{depth}"));
        commands.push(format!("[%eval {value}{depth}]"));
    }
    commands.extend(stats.clock.map(|clock| format!("[%clk {}]", time(clock))));
    commands.push(format!("[%emt {}]", time(stats.elapsed)));
    commands.join(" ")
}

/// `0:01:30.500`.
fn time(time: Duration) -> String {
    let (seconds, rest) = (time.as_secs(), time.subsec_millis());
    format!("{}:{:02}:{:02}.{rest:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The date in UTC.
fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = date(now.as_secs() / 86_400);
    format!("{year:04}.{month:02}.{day:02}")
}

/// Year, month and day from days since 1970. Years start in March here, so that a leap day is the last
/// day of its year.
fn date(days: u64) -> (u64, u64, u64) {
    // Days since 1 March of the year 0.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ending;
    use chess::Game;
    use chess::pgn::{Annotation, Clock, Eval, annotations, read_trees};

    fn stats(score: Score, milliseconds: u64) -> MoveStats {
        let elapsed = Duration::from_millis(milliseconds);
        MoveStats { score: Some(score), depth: Some(12), elapsed, clock: Some(10 * elapsed) }
    }

    #[test]
    fn evaluations_and_times_are_parsed_back() {
        let mut game = Game::default();
        for m in ["e2e4", "e7e5", "g1f3"] {
            game.play(game.position().parse_uci(m).unwrap()).unwrap();
        }
        let stats = vec![stats(Score::Centipawns(7), 5), stats(Score::Mate(-3), 61_234)];
        let reason = "ended (signal: 11)".to_owned();
        let winner = Some(Color::White);
        let played = PlayedGame { game, stats, winner, ending: Ending::Crash, reason };
        let tags = Tags {
            event: "a match",
            round: "1.2".to_owned(),
            white: "A \"quoted\"",
            black: "B",
            time_control: Some("8+0.08".to_owned()),
            chess960: false,
        };
        let text = text(&played, &tags).unwrap();
        let [Ok(tree)] = &read_trees(text.as_bytes())[..] else { panic!("{text}") };
        assert_eq!(tree.tag("White"), Some("A \"quoted\""));
        assert_eq!(tree.tag("Termination"), Some("abandoned"));
        assert_eq!(tree.result, GameResult::WhiteWins);
        let comments: Vec<&[String]> = tree.main_line().map(|(_, node)| node.comments()).collect();
        assert_eq!(comments.len(), 3);
        assert!(comments[0].is_empty(), "the opening has none");
        let found = |n: usize| annotations(comments[n][0].as_bytes()).collect::<Vec<_>>();
        let clock = |milliseconds| Clock { milliseconds };
        let eval = |score| Annotation::Eval(Eval { score, depth: Some(12) });
        assert_eq!(
            found(1),
            [
                eval(Score::Centipawns(-7)),
                Annotation::Clock(clock(50)),
                Annotation::MoveTime(clock(5))
            ]
        );
        assert_eq!(
            found(2),
            [
                eval(Score::Mate(-3)),
                Annotation::Clock(clock(612_340)),
                Annotation::MoveTime(clock(61_234))
            ]
        );
        assert_eq!(comments[2][1], "B ended (signal: 11)");
    }

    #[test]
    fn dates_are_computed_from_days() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(11_017), (2000, 3, 1));
        assert_eq!(date(20_453), (2025, 12, 31));
        assert_eq!(date(20_454), (2026, 1, 1));
    }
}
