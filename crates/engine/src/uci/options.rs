//! The options: what they are called, what they take, what is set.

use std::fmt::Write;
use std::time::Duration;

/// What the machine allows.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The largest table, in MiB.
    pub hash: usize,
    /// The most threads.
    pub threads: usize,
}

impl Default for Limit {
    fn default() -> Self {
        Self { hash: 1 << 25, threads: 256 }
    }
}

const DEFAULT_HASH: usize = 16;
/// The weakest play that can be asked for, and the strongest that is still limited.
pub const ELO: std::ops::RangeInclusive<u32> = 800..=2800;
/// The skill that is not limited.
pub const FULL_SKILL: u32 = 20;

/// The options as they are set.
#[derive(Clone, Debug)]
pub struct Options {
    limit: Limit,
    /// How many lines.
    pub multi_pv: usize,
    /// Time that may be lost between us and the clock.
    pub overhead: Duration,
    /// Castling is written as the king taking the rook.
    pub chess960: bool,
    /// Chances are told with scores.
    pub show_wdl: bool,
    limit_strength: bool,
    elo: u32,
    skill: u32,
}

/// What a valid `setoption` asks of the engine beyond what [`Options`] keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing more.
    None,
    /// A table of another size.
    Hash(usize),
    /// Another number of threads.
    Threads(usize),
    /// Forget the table.
    ClearHash,
    /// Tablebases from these folders; empty: none.
    SyzygyPath(String),
    /// Another evaluation.
    Evaluation(Evaluation),
}

/// What `EvalFile` can ask for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evaluation {
    /// `<empty>`: the embedded network, or the hand-written terms if there is none.
    Embedded,
    /// `classic`: the hand-written terms.
    Classic,
    /// Anything else: a network from this file.
    File(String),
}

impl Options {
    /// All at their defaults.
    pub fn new(limit: Limit) -> Self {
        Self {
            limit,
            multi_pv: 1,
            overhead: Duration::from_millis(10),
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: *ELO.end(),
            skill: FULL_SKILL,
        }
    }

    /// Sets all to their defaults.
    pub fn reset(&mut self) {
        *self = Self::new(self.limit);
    }

    /// The table to begin with.
    pub fn default_hash(&self) -> usize {
        DEFAULT_HASH.min(self.limit.hash)
    }

    /// The Elo to play at, if play is to be weakened.
    pub fn weakened_to(&self) -> Option<u32> {
        if self.limit_strength {
            return Some(self.elo);
        }
        let (weakest, strongest) = (*ELO.start(), *ELO.end());
        (self.skill < FULL_SKILL).then(|| weakest + (strongest - weakest) * self.skill / FULL_SKILL)
    }

    /// The lines that announce the options.
    pub fn announcement(&self) -> String {
        let Limit { hash, threads } = self.limit;
        let (weakest, strongest) = (ELO.start(), ELO.end());
        let mut text = String::new();
        for (name, rest) in [
            ("Hash", format!("spin default {} min 1 max {hash}", self.default_hash())),
            ("Threads", format!("spin default 1 min 1 max {threads}")),
            ("MultiPV", "spin default 1 min 1 max 218".to_owned()),
            ("Ponder", "check default false".to_owned()),
            ("Move Overhead", "spin default 10 min 0 max 10000".to_owned()),
            ("UCI_Chess960", "check default false".to_owned()),
            ("UCI_ShowWDL", "check default false".to_owned()),
            ("UCI_LimitStrength", "check default false".to_owned()),
            ("UCI_Elo", format!("spin default {strongest} min {weakest} max {strongest}")),
            ("Skill Level", format!("spin default {FULL_SKILL} min 0 max {FULL_SKILL}")),
            ("SyzygyPath", "string default <empty>".to_owned()),
            ("EvalFile", "string default <empty>".to_owned()),
            ("Clear Hash", "button".to_owned()),
        ] {
            let _ = writeln!(text, "option name {name} type {rest}");
        }
        text
    }

    /// Sets an option. Capitals, blanks and underscores in its name do not matter.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Effect, String> {
        let plain: String = name
            .chars()
            .filter(|c| !c.is_whitespace() && *c != '_')
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let spin = |min: usize, max: usize| spin(name, value, min, max);
        match plain.as_str() {
            "hash" => {
                let mebibytes = spin(1, usize::MAX)?;
                if mebibytes > self.limit.hash {
                    return Err(format!("Hash: {mebibytes} MiB cannot be allocated"));
                }
                return Ok(Effect::Hash(mebibytes));
            }
            "threads" => return Ok(Effect::Threads(spin(1, self.limit.threads)?)),
            "clearhash" => return Ok(Effect::ClearHash),
            "syzygypath" => return Ok(Effect::SyzygyPath(path(value))),
            "evalfile" => return Ok(Effect::Evaluation(evaluation(value))),
            "multipv" => self.multi_pv = spin(1, 218)?,
            "moveoverhead" => self.overhead = Duration::from_millis(spin(0, 10_000)? as u64),
            "ponder" => drop(check(name, value)?),
            "ucichess960" => self.chess960 = check(name, value)?,
            "ucishowwdl" => self.show_wdl = check(name, value)?,
            "ucilimitstrength" => self.limit_strength = check(name, value)?,
            "ucielo" => self.elo = spin(*ELO.start() as usize, *ELO.end() as usize)? as u32,
            "skilllevel" => self.skill = spin(0, FULL_SKILL as usize)? as u32,
            _ => return Err(format!("unknown option '{}'", shown(name))),
        }
        Ok(Effect::None)
    }
}

/// `<empty>` is how the protocol writes nothing.
fn path(value: &str) -> String {
    if value == "<empty>" { String::new() } else { value.to_owned() }
}

fn evaluation(value: &str) -> Evaluation {
    match path(value) {
        path if path.is_empty() => Evaluation::Embedded,
        path if path.eq_ignore_ascii_case("classic") => Evaluation::Classic,
        path => Evaluation::File(path),
    }
}

/// A number within its range: outside it is refused, not bent.
fn spin(name: &str, value: &str, min: usize, max: usize) -> Result<usize, String> {
    let problem = || {
        let range =
            if max == usize::MAX { format!("from {min}") } else { format!("{min} to {max}") };
        format!("{name}: '{}' is no number {range}", shown(value))
    };
    let number: usize = value.parse().map_err(|_| problem())?;
    (min..=max).contains(&number).then_some(number).ok_or_else(problem)
}

fn check(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{name}: '{}' is neither true nor false", shown(value))),
    }
}

/// A text from outside, short enough and fit to be shown on a line.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String =
        text.chars().map(|c| if c.is_control() { '�' } else { c }).take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_in_any_spelling() {
        let mut options = Options::new(Limit::default());
        for name in ["Move Overhead", "MoveOverhead", "move_overhead", "moveoverhead"] {
            options.overhead = Duration::ZERO;
            assert_eq!(options.set(name, "25"), Ok(Effect::None));
            assert_eq!(options.overhead, Duration::from_millis(25));
        }
        assert_eq!(options.set("Clear Hash", ""), Ok(Effect::ClearHash));
        assert_eq!(options.set("hash", "64"), Ok(Effect::Hash(64)));
    }

    #[test]
    fn values_out_of_range_are_refused_and_change_nothing() {
        let mut options = Options::new(Limit { hash: 100, threads: 4 });
        for (name, value) in [
            ("Hash", "101"),
            ("Hash", "0"),
            ("Hash", "-1"),
            ("Hash", ""),
            ("Hash", "99999999999999999999999999"),
            ("Threads", "5"),
            ("MultiPV", "0"),
            ("Move Overhead", "x"),
            ("UCI_Chess960", "yes"),
            ("UCI_Elo", "100"),
            ("Nonsense", "1"),
            ("", ""),
        ] {
            let before = format!("{options:?}");
            assert!(options.set(name, value).is_err(), "{name} {value}");
            assert_eq!(format!("{options:?}"), before);
        }
    }

    #[test]
    fn an_evaluation_is_embedded_classic_or_from_a_file() {
        let mut options = Options::new(Limit::default());
        for (value, evaluation) in [
            ("<empty>", Evaluation::Embedded),
            ("", Evaluation::Embedded),
            ("classic", Evaluation::Classic),
            ("./classic", Evaluation::File("./classic".to_owned())),
            ("a b.nnue", Evaluation::File("a b.nnue".to_owned())),
        ] {
            assert_eq!(options.set("EvalFile", value), Ok(Effect::Evaluation(evaluation)));
        }
    }

    #[test]
    fn skill_and_elo_weaken_only_when_asked_to() {
        let mut options = Options::new(Limit::default());
        options.set("UCI_Elo", "1500").unwrap();
        assert_eq!(options.weakened_to(), None);
        options.set("UCI_LimitStrength", "true").unwrap();
        assert_eq!(options.weakened_to(), Some(1500));
        options.set("UCI_LimitStrength", "false").unwrap();
        options.set("Skill Level", "0").unwrap();
        assert_eq!(options.weakened_to(), Some(800));
    }
}
