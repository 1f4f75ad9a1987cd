//! The record of a finished game: result, ending, and the faults of the engines.

use std::collections::BTreeMap;
use std::fmt;

use chess::{Color, DrawReason};
use serde::{Deserialize, Serialize};

/// A violation of the protocol or the rules. The first four lose the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The process exits or closes its output.
    Crash,
    /// No move, or an illegal one.
    IllegalMove,
    /// The flag falls.
    TimeLoss,
    /// No answer while no clock is running.
    Hang,
    /// An illegal move in `info pv`.
    IllegalPv,
    /// A `bestmove` without a `go`.
    ExtraBestmove,
}

impl Fault {
    /// All faults.
    pub const ALL: [Self; 6] = [
        Self::Crash,
        Self::IllegalMove,
        Self::TimeLoss,
        Self::Hang,
        Self::IllegalPv,
        Self::ExtraBestmove,
    ];

    /// The heading of its column.
    pub fn short(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::IllegalMove => "illegal",
            Self::TimeLoss => "time",
            Self::Hang => "hang",
            Self::IllegalPv => "bad pv",
            Self::ExtraBestmove => "extra",
        }
    }

    /// Its plural.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Crash => "crashes",
            Self::IllegalMove => "illegal moves",
            Self::TimeLoss => "time losses",
            Self::Hang => "hangs",
            Self::IllegalPv => "illegal pvs",
            Self::ExtraBestmove => "extra bestmoves",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Crash => "crash",
            Self::IllegalMove => "illegal move",
            Self::TimeLoss => "time loss",
            Self::Hang => "hang",
            Self::IllegalPv => "illegal pv",
            Self::ExtraBestmove => "extra bestmove",
        })
    }
}

/// How often a fault occurred, with the first occurrence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FaultCount {
    /// Occurrences.
    pub count: u32,
    /// The first one, in words.
    pub example: String,
}

/// The faults of an engine, by kind.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Faults(BTreeMap<Fault, FaultCount>);

impl Faults {
    /// Adds occurrences of a fault.
    pub fn add(&mut self, fault: Fault, count: u32, example: &str) {
        if count > 0 {
            let tally = self.0.entry(fault);
            tally.or_insert_with(|| FaultCount { count: 0, example: example.to_owned() }).count +=
                count;
        }
    }

    /// Adds the faults of another game.
    pub fn append(&mut self, other: &Self) {
        for (&fault, tally) in &other.0 {
            self.add(fault, tally.count, &tally.example);
        }
    }

    /// The occurrences of a fault.
    pub fn count(&self, fault: Fault) -> u32 {
        self.0.get(&fault).map_or(0, |tally| tally.count)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All faults that occurred.
    pub fn iter(&self) -> impl Iterator<Item = (Fault, &FaultCount)> {
        self.0.iter().map(|(&fault, tally)| (fault, tally))
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory names")]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Checkmate,
    Stalemate,
    InsufficientMaterial,
    Repetition,
    FiftyMoves,
    MoveLimit,
    AdjudicatedWin,
    AdjudicatedDraw,
    Crash,
    IllegalMove,
    TimeLoss,
    Hang,
}

impl Ending {
    /// The ending for a draw by the rules.
    pub fn of_draw(reason: DrawReason) -> Self {
        match reason {
            DrawReason::Stalemate => Self::Stalemate,
            DrawReason::InsufficientMaterial => Self::InsufficientMaterial,
            DrawReason::SeventyFiveMoves | DrawReason::FiftyMoves => Self::FiftyMoves,
            DrawReason::FivefoldRepetition | DrawReason::ThreefoldRepetition => Self::Repetition,
        }
    }

    /// The value of the PGN tag `Termination`.
    pub fn termination(self) -> &'static str {
        match self {
            Self::AdjudicatedWin | Self::AdjudicatedDraw | Self::MoveLimit => "adjudication",
            Self::Crash | Self::Hang => "abandoned",
            Self::IllegalMove => "rules infraction",
            Self::TimeLoss => "time forfeit",
            _ => "normal",
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient material",
            Self::Repetition => "repetition",
            Self::FiftyMoves => "fifty moves",
            Self::MoveLimit => "move limit",
            Self::AdjudicatedWin => "adjudicated win",
            Self::AdjudicatedDraw => "adjudicated draw",
            Self::Crash => "crash",
            Self::IllegalMove => "illegal move",
            Self::TimeLoss => "time loss",
            Self::Hang => "hang",
        })
    }
}

/// The record of one player in a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// Moves played.
    pub moves: u32,
    /// Nodes searched, as reported.
    pub nodes: u64,
    /// Time used.
    pub milliseconds: f64,
    /// The sum of the reported depths.
    pub depths: u64,
    /// The largest delay of a move after the end of its time, in milliseconds.
    pub overrun: f64,
    /// The least time on the clock after a move and before the increment, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lowest_clock: Option<f64>,
    /// What it did wrong.
    #[serde(skip_serializing_if = "Faults::is_empty", default)]
    pub faults: Faults,
}

/// A finished game, as in the state file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the schedule, from 1.
    pub game: u32,
    /// The index of White's engine on the command line.
    pub white: usize,
    /// The index of Black's engine.
    pub black: usize,
    /// `None` is a draw.
    #[serde(with = "winner")]
    pub winner: Option<Color>,
    /// Why it ended.
    pub ending: Ending,
    /// The ending in words.
    pub reason: String,
    /// Moves by both sides.
    pub plies: usize,
    /// Its duration.
    pub seconds: f64,
    /// A random opening as arguments of `position`, so that the other game of the pair has the same one
    /// when the match is resumed. Older state files lack it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opening: Option<String>,
    /// White and Black.
    pub sides: [PlayerRecord; 2],
}

impl GameRecord {
    /// Twice the points of an engine.
    pub fn half_points(&self, engine: usize) -> u32 {
        match self.winner {
            None => 1,
            Some(Color::White) => 2 * u32::from(self.white == engine),
            Some(Color::Black) => 2 * u32::from(self.black == engine),
        }
    }
}

/// The winner as a PGN result.
mod winner {
    use chess::Color;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(winner: &Option<Color>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(crate::pgn::result(*winner).as_str())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Color>, D::Error> {
        match String::deserialize(from)?.as_str() {
            "1-0" => Ok(Some(Color::White)),
            "0-1" => Ok(Some(Color::Black)),
            "1/2-1/2" => Ok(None),
            other => Err(de::Error::custom(format!("'{other}' is not a result"))),
        }
    }
}
