//! What is kept of a game: who won, why, and what the engines did wrong.

use std::collections::BTreeMap;
use std::fmt;

use chess::{Color, DrawReason};
use serde::{Deserialize, Serialize};

/// What an engine may do wrong. The first four lose the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The process ended or closed its output.
    Crash,
    /// No move, or none that the position allows.
    IllegalMove,
    /// The clock ran out.
    TimeLoss,
    /// No answer where no clock runs.
    Hang,
    /// A line of moves in `info pv` that cannot be played.
    IllegalPv,
    /// A `bestmove` that no `go` asked for.
    ExtraBestmove,
}

impl Fault {
    pub const ALL: [Self; 6] = [
        Self::Crash,
        Self::IllegalMove,
        Self::TimeLoss,
        Self::Hang,
        Self::IllegalPv,
        Self::ExtraBestmove,
    ];

    /// How it is called at the head of a column.
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

    /// How it is called where there are several.
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

/// How often a fault occurred, and the first time in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Tally {
    pub count: u32,
    pub example: String,
}

/// The faults of an engine.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Faults(BTreeMap<Fault, Tally>);

impl Faults {
    pub fn add(&mut self, fault: Fault, count: u32, example: &str) {
        if count > 0 {
            let tally = self.0.entry(fault);
            tally.or_insert_with(|| Tally { count: 0, example: example.to_owned() }).count += count;
        }
    }

    pub fn append(&mut self, other: &Self) {
        for (&fault, tally) in &other.0 {
            self.add(fault, tally.count, &tally.example);
        }
    }

    pub fn count(&self, fault: Fault) -> u32 {
        self.0.get(&fault).map_or(0, |tally| tally.count)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (Fault, &Tally)> {
        self.0.iter().map(|(&fault, tally)| (fault, tally))
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
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
    pub fn of_draw(reason: DrawReason) -> Self {
        match reason {
            DrawReason::Stalemate => Self::Stalemate,
            DrawReason::InsufficientMaterial => Self::InsufficientMaterial,
            DrawReason::SeventyFiveMoves | DrawReason::FiftyMoves => Self::FiftyMoves,
            DrawReason::FivefoldRepetition | DrawReason::ThreefoldRepetition => Self::Repetition,
        }
    }

    /// The value of the tag `Termination`.
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

/// What one player did in a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SideReport {
    pub moves: u32,
    pub nodes: u64,
    /// Time used.
    pub milliseconds: f64,
    /// The sum of all depths reached.
    pub depths: u64,
    /// How far behind the end of its time a move came at the most.
    pub overrun: f64,
    /// The least time on the clock after a move, before the increment.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lowest_clock: Option<f64>,
    #[serde(skip_serializing_if = "Faults::is_empty", default)]
    pub faults: Faults,
}

/// A finished game, as it is kept in the state file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the schedule, from 1.
    pub game: u32,
    /// The engines, by their number on the command line from 0.
    pub white: usize,
    pub black: usize,
    /// Which color has won; nothing is a draw.
    #[serde(with = "winner")]
    pub winner: Option<Color>,
    pub ending: Ending,
    /// The ending in words.
    pub reason: String,
    pub plies: usize,
    pub seconds: f64,
    /// White and Black.
    pub sides: [SideReport; 2],
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

/// The winner as a result, the way PGN writes it.
mod winner {
    use chess::Color;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(winner: &Option<Color>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(super::super::pgn_text::result(*winner).as_str())
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
