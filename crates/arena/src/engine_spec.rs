//! An engine as described on the command line: `command; key=value; key=value`.
//!
//! The command comes first, split at spaces that are not quoted. Then, each after a semicolon: `name=…`,
//! limits (`tc=…`, `movetime=…`, `nodes=…`, `depth=…`), and UCI options, whose names may contain spaces:
//! `Skill Level=8`. An option without a value is a button. `option.NAME=…` is an option even if NAME has
//! another meaning here.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::{EngineLimits, ParseError, ensure};

/// The name of an option and its value; a button has none.
pub type OptionSetting = (String, Option<String>);

/// An engine as described on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    /// Unique after [`make_names_unique`].
    pub name: String,
    /// The program; `self` is the running one.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Options of this engine, in the order given.
    pub settings: Vec<OptionSetting>,
    /// Limits that replace those of the match.
    pub limits: Option<EngineLimits>,
    /// Whether the name was given explicitly.
    is_named: bool,
}

impl EngineSpec {
    /// Parses a description.
    ///
    /// ```
    /// let spec = tabiya_arena::EngineSpec::parse("stockfish; Skill Level=8; nodes=500")?;
    /// assert_eq!((spec.name.as_str(), spec.limits.unwrap().nodes), ("stockfish", Some(500)));
    /// # Ok::<(), tabiya_arena::ParseError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mut parts = text.split(';');
        let command = split_words(parts.next().unwrap_or_default())
            .ok_or_else(|| ParseError(format!("in the engine '{text}': a quote is not closed")))?;
        let Some((program, args)) = command.split_first() else {
            return Err(ParseError(format!("an engine without a command: '{text}'")));
        };
        let mut limits = EngineLimits::default();
        let mut name = None;
        let mut settings = Vec::new();
        for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
            let (key, value) = split_setting(part);
            ensure!(!key.is_empty(), "an option without a name in the engine '{text}': '{part}'");
            match (key, value) {
                ("name", Some(value)) if !value.is_empty() => name = Some(value.to_owned()),
                ("name", _) => {
                    return Err(ParseError(format!("an empty name for the engine '{text}'")));
                }
                (key, Some(value)) if limits.set(key, value)? => {}
                (key, value) => {
                    let key = key.strip_prefix("option.").unwrap_or(key);
                    settings.push((key.to_owned(), value.map(str::to_owned)));
                }
            }
        }
        let is_named = name.is_some();
        Ok(Self {
            name: name.unwrap_or_else(|| short_name(program)),
            program: program.clone(),
            args: args.to_vec(),
            settings,
            limits: (!limits.is_empty()).then_some(limits),
            is_named,
        })
    }

    /// The command to spawn.
    pub fn command(&self) -> std::io::Result<Command> {
        let mut command =
            if self.program == "self" { own_program()? } else { Command::new(&self.program) };
        command.args(&self.args);
        Ok(command)
    }

    /// The settings and limits in one line.
    fn summary(&self) -> String {
        let setting = |(name, value): &OptionSetting| match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        };
        let mut words: Vec<String> = self.settings.iter().map(setting).collect();
        words.extend(self.limits.map(|limits| limits.to_string()));
        words.join(" ")
    }
}

/// The command of the engine `self`, if overridden; default: the current executable.
static OWN_PROGRAM: OnceLock<(PathBuf, Vec<OsString>)> = OnceLock::new();

/// Overrides the command of `self` (default: current executable), for a program that is a library in another
/// process. Only the first call has an effect.
pub fn set_own_program(program: PathBuf, args: Vec<OsString>) {
    let _ = OWN_PROGRAM.set((program, args));
}

fn own_program() -> std::io::Result<Command> {
    Ok(match OWN_PROGRAM.get() {
        Some((program, args)) => {
            let mut command = Command::new(program);
            command.args(args);
            command
        }
        None => Command::new(std::env::current_exe()?),
    })
}

/// Makes the names of all engines unique: by their settings and limits, then by numbers. Explicit names
/// are kept; two equal ones are an error.
pub fn make_names_unique(specs: &mut [EngineSpec]) -> Result<(), ParseError> {
    for (n, spec) in specs.iter().enumerate() {
        let is_twin = |other: &EngineSpec| other.is_named && other.name == spec.name;
        ensure!(
            !(spec.is_named && specs[..n].iter().any(is_twin)),
            "two engines are named '{}'",
            spec.name
        );
    }
    let names: Vec<String> = specs.iter().map(|spec| spec.name.clone()).collect();
    let is_shared = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    for spec in specs.iter_mut().filter(|spec| !spec.is_named && is_shared(&spec.name)) {
        let more = spec.summary();
        if !more.is_empty() {
            spec.name = format!("{} {more}", spec.name);
        }
    }
    for n in 0..specs.len() {
        let base = specs[n].name.clone();
        let mut number = 2;
        let is_taken = |name: &str| {
            let is_same = |other: &EngineSpec| other.name == name;
            specs[..n].iter().any(is_same)
                || specs[n + 1..].iter().any(|other| other.is_named && is_same(other))
        };
        let mut name = base.clone();
        while !specs[n].is_named && is_taken(&name) {
            name = format!("{base} ({number})");
            number += 1;
        }
        specs[n].name = name;
    }
    Ok(())
}

/// Parses `Hash=16`.
pub fn parse_setting(text: &str) -> Result<OptionSetting, ParseError> {
    let (name, value) = split_setting(text);
    ensure!(!name.is_empty(), "an option without a name; write NAME=VALUE");
    Ok((name.to_owned(), value.map(str::to_owned)))
}

/// Splits `NAME=VALUE`; without `=` there is no value.
fn split_setting(text: &str) -> (&str, Option<&str>) {
    match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (text.trim(), None),
    }
}

/// The file name of a program without its extension; `self` is `tabiya`.
fn short_name(program: &str) -> String {
    if program == "self" {
        return "tabiya".to_owned();
    }
    let name = program.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name).to_owned()
}

/// Splits a command at spaces outside of single or double quotes; `None` if a quote is not closed.
fn split_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        let mut specs: Vec<EngineSpec> =
            texts.iter().map(|text| EngineSpec::parse(text).unwrap()).collect();
        make_names_unique(&mut specs).unwrap();
        specs.into_iter().map(|spec| spec.name).collect()
    }

    #[test]
    fn a_command_comes_first_and_options_after_semicolons() {
        let text = "/usr/games/stockfish --x 'a b'; Skill Level=8; name=SF 8 ; Clear Hash; nodes=500; option.depth=3;";
        let spec = EngineSpec::parse(text).unwrap();
        assert_eq!((spec.name.as_str(), spec.program.as_str()), ("SF 8", "/usr/games/stockfish"));
        assert_eq!(spec.args, ["--x", "a b"]);
        let setting = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        let expected = [
            setting("Skill Level", Some("8")),
            setting("Clear Hash", None),
            setting("depth", Some("3")),
        ];
        assert_eq!(spec.settings, expected);
        assert_eq!(spec.limits, Some(EngineLimits { nodes: Some(500), ..EngineLimits::default() }));
    }

    #[test]
    fn equal_names_are_made_unique() {
        assert_eq!(names(&["/a/x", "self"]), ["x", "tabiya"]);
        assert_eq!(names(&["x; nodes=1", "x; A=2"]), ["x 1 nodes", "x A=2"]);
        assert_eq!(names(&["x", "x", "x"]), ["x", "x (2)", "x (3)"]);
        assert_eq!(names(&["x; name=y", "x"]), ["y", "x"]);
        assert_eq!(names(&["x", "z; name=x", "x"]), ["x (2)", "x", "x (3)"]);
        let mut twins = ["x; name=y", "z; name=y"].map(|text| EngineSpec::parse(text).unwrap());
        assert!(make_names_unique(&mut twins).is_err());
    }

    #[test]
    fn invalid_input_is_rejected() {
        for bad in ["", " ; a=1", "x; =3", "x; name=", "x; tc=soon", "'x", "x; nodes=0"] {
            assert!(EngineSpec::parse(bad).is_err(), "{bad}");
        }
    }
}
