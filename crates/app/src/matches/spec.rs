//! What the command line says of an engine: `command; key=value; key=value`.
//!
//! The command comes first, split at blanks unless they are quoted. Then, each behind a semicolon:
//! `name=…`, limits of its own (`tc=…`, `movetime=…`, `nodes=…`, `depth=…`), and everything else is an
//! option of the engine, with blanks in its name if it has some: `Skill Level=8`. An option without a
//! value is a button. `option.name=…` is an option even if its name means something to us.

use anyhow::{Context, bail, ensure};

use super::limits::Limits;

/// A value for an option of an engine; a button has none.
pub type Setting = (String, Option<String>);

/// An engine as described on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    pub name: String,
    pub program: String,
    pub args: Vec<String>,
    /// For this engine only, in the order given.
    pub settings: Vec<Setting>,
    /// Its own, in place of those for all.
    pub limits: Option<Limits>,
    /// Whether the name was given, not made up.
    is_named: bool,
}

impl EngineSpec {
    /// Reads an argument.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut parts = text.split(';');
        let command = words(parts.next().unwrap_or_default())
            .with_context(|| format!("in the engine '{text}'"))?;
        let Some((program, args)) = command.split_first() else {
            bail!("an engine without a command: '{text}'");
        };
        let mut limits = Limits::default();
        let mut name = None;
        let mut settings = Vec::new();
        for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key.trim(), Some(value.trim())),
                None => (part, None),
            };
            ensure!(!key.is_empty(), "an option without a name in the engine '{text}': '{part}'");
            match (key, value) {
                ("name", Some(value)) if !value.is_empty() => name = Some(value.to_owned()),
                ("name", _) => bail!("an empty name for the engine '{text}'"),
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

    /// The settings and limits in one line: what makes this engine different from its likes.
    fn peculiarities(&self) -> String {
        let setting = |(name, value): &Setting| match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        };
        let mut words: Vec<String> = self.settings.iter().map(setting).collect();
        words.extend(self.limits.map(|limits| limits.to_string()));
        words.join(" ")
    }
}

/// Gives engines that would have the same name different ones: first by what is special about them,
/// then by numbers. Names that were given stay as they are.
pub fn tell_apart(specs: &mut [EngineSpec]) -> anyhow::Result<()> {
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
        let more = spec.peculiarities();
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

/// Reads `Hash=16`, an option for all engines.
pub fn setting(text: &str) -> Result<Setting, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
        None => (text.trim(), None),
    };
    if name.is_empty() {
        return Err("an option without a name; write NAME=VALUE".to_owned());
    }
    Ok((name.to_owned(), value))
}

/// The name of a program without its folder; `self` is what it is called here.
fn short_name(program: &str) -> String {
    if program == "self" {
        return "tabiya".to_owned();
    }
    let name = program.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name).to_owned()
}

/// Splits a command at blanks, but for those between quotes of either kind.
fn words(text: &str) -> anyhow::Result<Vec<String>> {
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
    ensure!(quote.is_none(), "a quote is not closed");
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        let mut specs: Vec<EngineSpec> =
            texts.iter().map(|text| EngineSpec::parse(text).unwrap()).collect();
        tell_apart(&mut specs).unwrap();
        specs.into_iter().map(|spec| spec.name).collect()
    }

    #[test]
    fn a_command_comes_first_and_options_behind_semicolons() {
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
        assert_eq!(spec.limits, Some(Limits { nodes: Some(500), ..Limits::default() }));
    }

    #[test]
    fn engines_of_the_same_name_are_told_apart() {
        assert_eq!(names(&["/a/x", "self"]), ["x", "tabiya"]);
        assert_eq!(names(&["x; nodes=1", "x; A=2"]), ["x 1 nodes", "x A=2"]);
        assert_eq!(names(&["x", "x", "x"]), ["x", "x (2)", "x (3)"]);
        assert_eq!(names(&["x; name=y", "x"]), ["y", "x"]);
        assert_eq!(names(&["x", "z; name=x", "x"]), ["x (2)", "x", "x (3)"]);
        let mut twins = ["x; name=y", "z; name=y"].map(|text| EngineSpec::parse(text).unwrap());
        assert!(tell_apart(&mut twins).is_err());
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        for bad in ["", " ; a=1", "x; =3", "x; name=", "x; tc=soon", "'x", "x; nodes=0"] {
            assert!(EngineSpec::parse(bad).is_err(), "{bad}");
        }
    }
}
