//! The options of the engine: declarations, ranges, values.

use std::time::Duration;

use uci::{OptionDecl, OptionError, find_option};

use crate::search::margins;

/// What the machine allows.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The largest transposition table, in MiB.
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
/// The range of `UCI_Elo`.
pub const ELO: std::ops::RangeInclusive<u32> = 800..=2800;
/// The `Skill Level` of full strength.
pub const FULL_SKILL: u32 = 20;

/// The current values.
#[derive(Clone, Debug)]
pub struct Options {
    limit: Limit,
    /// `MultiPV`
    pub multi_pv: usize,
    /// `Move Overhead`
    pub overhead: Duration,
    /// `UCI_Chess960`
    pub chess960: bool,
    /// `UCI_ShowWDL`
    pub show_wdl: bool,
    limit_strength: bool,
    elo: u32,
    skill: u32,
}

/// What a `setoption` changes in the engine itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: the value is stored in [`Options`].
    None,
    /// The size of the transposition table in MiB.
    Hash(usize),
    /// The number of threads.
    Threads(usize),
    /// Clear the transposition table.
    ClearHash,
    /// Tablebases from these directories; empty: none.
    SyzygyPath(String),
    /// The evaluation.
    Evaluation(EvalSource),
}

/// The values of `EvalFile`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvalSource {
    /// `<empty>`: the embedded network, or the classical evaluation if there is none.
    Embedded,
    /// `classic`: the classical evaluation (HCE).
    Classic,
    /// Anything else: the path of a network file.
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

    /// Resets all to their defaults.
    pub fn reset(&mut self) {
        *self = Self::new(self.limit);
    }

    /// The default size of the transposition table in MiB.
    pub fn default_hash(&self) -> usize {
        DEFAULT_HASH.min(self.limit.hash)
    }

    /// The Elo to play at; `None` at full strength.
    pub fn weakened_to(&self) -> Option<u32> {
        if self.limit_strength {
            return Some(self.elo);
        }
        let (weakest, strongest) = (*ELO.start(), *ELO.end());
        (self.skill < FULL_SKILL).then(|| weakest + (strongest - weakest) * self.skill / FULL_SKILL)
    }

    /// The declarations.
    pub fn declarations(&self) -> Vec<OptionDecl> {
        let Limit { hash, threads } = self.limit;
        let (weakest, strongest) = (i64::from(*ELO.start()), i64::from(*ELO.end()));
        let skill = i64::from(FULL_SKILL);
        let mut options = vec![
            OptionDecl::spin("Hash", self.default_hash() as i64, 1, hash as i64),
            OptionDecl::spin("Threads", 1, 1, threads as i64),
            OptionDecl::spin("MultiPV", 1, 1, 218),
            OptionDecl::check("Ponder", false),
            OptionDecl::spin("Move Overhead", 10, 0, 10_000),
            OptionDecl::check("UCI_Chess960", false),
            OptionDecl::check("UCI_ShowWDL", false),
            OptionDecl::check("UCI_LimitStrength", false),
            OptionDecl::spin("UCI_Elo", strongest, weakest, strongest),
            OptionDecl::spin("Skill Level", skill, 0, skill),
            OptionDecl::string("SyzygyPath"),
            OptionDecl::string("EvalFile"),
            OptionDecl::button("Clear Hash"),
        ];
        options.extend(margins::options());
        options
    }

    /// Sets an option. Case, spaces and underscores in its name do not matter.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Effect, OptionError> {
        let declarations = self.declarations();
        let option = find_option(&declarations, name)?;
        if margins::set(option, value)? {
            return Ok(Effect::None);
        }
        let spin = || option.parse_spin(value);
        let check = || option.parse_check(value);
        match option.name.as_str() {
            "Hash" => return Ok(Effect::Hash(spin()? as usize)),
            "Threads" => return Ok(Effect::Threads(spin()? as usize)),
            "Clear Hash" => return Ok(Effect::ClearHash),
            "SyzygyPath" => return Ok(Effect::SyzygyPath(path(value))),
            "EvalFile" => return Ok(Effect::Evaluation(evaluation(value))),
            "MultiPV" => self.multi_pv = spin()? as usize,
            "Move Overhead" => self.overhead = Duration::from_millis(spin()? as u64),
            "UCI_Chess960" => self.chess960 = check()?,
            "UCI_ShowWDL" => self.show_wdl = check()?,
            "UCI_LimitStrength" => self.limit_strength = check()?,
            "UCI_Elo" => self.elo = spin()? as u32,
            "Skill Level" => self.skill = spin()? as u32,
            // `Ponder`: `go ponder` works either way.
            _ => drop(check()?),
        }
        Ok(Effect::None)
    }
}

/// The protocol writes an empty string as `<empty>`.
fn path(value: &str) -> String {
    if value == "<empty>" { String::new() } else { value.to_owned() }
}

fn evaluation(value: &str) -> EvalSource {
    match path(value) {
        path if path.is_empty() => EvalSource::Embedded,
        path if path.eq_ignore_ascii_case("classic") => EvalSource::Classic,
        path => EvalSource::File(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_in_any_spelling() {
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
    fn values_out_of_range_are_rejected_and_change_nothing() {
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
            ("<empty>", EvalSource::Embedded),
            ("", EvalSource::Embedded),
            ("classic", EvalSource::Classic),
            ("./classic", EvalSource::File("./classic".to_owned())),
            ("a b.nnue", EvalSource::File("a b.nnue".to_owned())),
        ] {
            assert_eq!(options.set("EvalFile", value), Ok(Effect::Evaluation(evaluation)));
        }
    }

    #[cfg(feature = "tune")]
    #[test]
    fn search_parameters_are_options_in_a_build_for_tuning() {
        let mut options = Options::new(Limit::default());
        let declared = |options: &Options| options.declarations().len();
        assert!(declared(&options) > 13 + 40);
        assert_eq!(margins::null_verify_depth(), 13);
        assert_eq!(options.set("null_verify_depth", "14"), Ok(Effect::None));
        assert_eq!(margins::null_verify_depth(), 14);
        assert!(options.set("null_verify_depth", "100").is_err());
        options.set("null_verify_depth", "13").unwrap();
        assert_eq!(margins::null_verify_depth(), 13);
    }

    #[test]
    fn skill_and_elo_weaken_only_when_set() {
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
