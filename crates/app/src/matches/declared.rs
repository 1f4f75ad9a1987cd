//! The options an engine says it has: `option name Skill Level type spin default 20 min 0 max 20`.

use anyhow::{bail, ensure};

use super::spec::Setting;

/// What an engine declared between `uci` and `uciok`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Declared(Vec<Declaration>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Declaration {
    name: String,
    kind: String,
    min: Option<i64>,
    max: Option<i64>,
}

impl Declared {
    /// Takes a line, if it declares an option.
    pub fn add(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("option") || words.next() != Some("name") {
            return;
        }
        let name: Vec<&str> = words.by_ref().take_while(|&word| word != "type").collect();
        let kind = words.next().unwrap_or_default().to_owned();
        let (mut min, mut max) = (None, None);
        while let Some(word) = words.next() {
            match word {
                "min" => min = words.next().and_then(|value| value.parse().ok()),
                "max" => max = words.next().and_then(|value| value.parse().ok()),
                _ => {}
            }
        }
        self.0.push(Declaration { name: name.join(" "), kind, min, max });
    }

    /// Whether there is an option of this name; case does not matter.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<&Declaration> {
        self.0.iter().find(|declared| declared.name.eq_ignore_ascii_case(name))
    }

    /// Whether the engine will take this: a match with a misspelt option would measure nothing.
    pub fn check(&self, (name, value): &Setting) -> anyhow::Result<()> {
        let Some(declared) = self.find(name) else {
            let names: Vec<&str> = self.0.iter().map(|declared| declared.name.as_str()).collect();
            bail!("there is no option '{name}'; there are: {}", names.join(", "));
        };
        match (declared.kind.as_str(), value) {
            ("button", None) => {}
            ("button", Some(_)) => bail!("the option '{name}' is a button and takes no value"),
            (_, None) => bail!("the option '{name}' needs a value: {name}=…"),
            ("spin", Some(value)) => {
                let (min, max) =
                    (declared.min.unwrap_or(i64::MIN), declared.max.unwrap_or(i64::MAX));
                let fits = value.parse().is_ok_and(|value| (min..=max).contains(&value));
                ensure!(fits, "the option '{name}' is a number from {min} to {max}, not '{value}'");
            }
            ("check", Some(value)) => {
                ensure!(
                    matches!(value.as_str(), "true" | "false"),
                    "the option '{name}' is true or false, not '{value}'"
                );
            }
            _ => {}
        }
        Ok(())
    }
}

/// The line that sets an option.
pub fn command((name, value): &Setting) -> String {
    match value {
        Some(value) => format!("setoption name {name} value {value}"),
        None => format!("setoption name {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked_against_what_the_engine_declares() {
        let mut declared = Declared::default();
        for line in [
            "option name Skill Level type spin default 20 min 0 max 20",
            "option name Ponder type check default false",
            "option name Clear Hash type button",
            "option name Style type combo default Solid var Solid var Risky",
            "option name EvalFile type string default <empty>",
            "id name Some type",
        ] {
            declared.add(line);
        }
        let check = |text: &str| declared.check(&super::super::spec::setting(text).unwrap());
        for good in ["skill level=8", "Ponder=true", "Clear Hash", "Style=Risky", "EvalFile=a b"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in
            ["Skill=8", "Skill Level=21", "Skill Level=x", "Ponder=yes", "Ponder", "Clear Hash=1"]
        {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
