#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! Matches between UCI engines: games, openings, adjudication, statistics, state.
//!
//! | module | contents |
//! |---|---|
//! | `engine_spec`, `time_control` | an engine as described on the command line, its limits and its clock |
//! | `turn`, `game`, `adjudication` | one move, one game, and when a game is adjudicated |
//! | `openings`, `schedule` | openings, pairings |
//! | `tournament`, `workers` | concurrent games until all are played or a test is decided |
//! | `record`, `state`, `pgn` | a finished game in memory, in the state file, as PGN |
//! | `pentanomial`, `sprt`, `standings`, `report` | Elo with error bars, sequential tests, totals, JSON |
//! | [`table`] | standings and reports as text |
//! | [`suite`] | best-move and avoid-move suites in EPD |
//! | [`spsa`] | tuning of engine options |
//! | [`ratings`] | Bradley–Terry ratings from the games of any PGN |
//!
//! The unit of all statistics is the *pair*: two games with one opening and colors reversed.
//!
//! The crates whose types are part of the interface are re-exported: [`chess`], [`data`], [`engine`], [`layout`] and
//! [`uci`].

mod adjudication;
mod engine_spec;
mod game;
mod openings;
mod pentanomial;
mod pgn;
pub mod ratings;
mod record;
mod report;
mod schedule;
mod sprt;
pub mod spsa;
mod standings;
mod state;
pub mod suite;
pub mod table;
mod time_control;
mod tournament;
mod turn;
mod workers;

pub use adjudication::{Adjudication, Adjudicator, Draw, Resign};
pub use engine_spec::{
    EngineSpec, OptionSetting, make_names_unique, parse_setting, set_own_program,
};
pub use game::Rules;
pub use openings::{Book, BookError, Opening};
pub use pentanomial::{Estimate, Pentanomial, elo, expected_score};
pub use record::{Ending, Fault, FaultCount, Faults, GameRecord, PlayerRecord};
pub use report::{MatchReport, Pace};
pub use schedule::{Pair, Pairing, Schedule};
pub use sprt::{Sprt, Verdict};
pub use standings::{Incident, MatchScore, PlayerTotals, Standings};
pub use state::{State, StateError};
pub use time_control::{EngineLimits, TimeControl, parse_seconds};
pub use tournament::{Contender, FinishedGame, MatchError, Tournament};
pub use {chess, data, engine, layout, uci};

/// Why a text such as `8+0.08` or `score=600,moves=4` is rejected, in one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(String);

/// Fails with a formatted [`ParseError`] unless the condition holds.
macro_rules! ensure {
    ($holds:expr, $($message:tt)+) => {
        let holds: bool = $holds;
        if !holds {
            return Err($crate::ParseError(format!($($message)+)));
        }
    };
}
use ensure;

/// Calls `set` with each field of `NAME=VALUE,NAME=VALUE`; names must be known.
fn parse_fields(
    text: &str,
    known: &[&str],
    mut set: impl FnMut(&str, &str) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    for field in text.split([',', ' ']).filter(|field| !field.is_empty()) {
        let Some((name, value)) = field.split_once('=') else {
            return Err(ParseError(format!("'{field}' is not NAME=NUMBER")));
        };
        ensure!(known.contains(&name), "'{name}' is none of {}", known.join(", "));
        set(name, value)?;
    }
    Ok(())
}

/// Parses the number of a field.
fn parse_number<T: std::str::FromStr>(value: &str) -> Result<T, ParseError> {
    value.parse().map_err(|_| ParseError(format!("'{value}' is not a number")))
}
