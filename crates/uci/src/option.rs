//! Option declarations: `option name Skill Level type spin default 20 min 0 max 20`.

use std::fmt;

use crate::excerpt;

/// The declaration of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionDecl {
    /// May contain spaces.
    pub name: String,
    /// Its type, with default and range.
    pub kind: OptionKind,
}

/// The type of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// A boolean.
    Check {
        /// The default.
        default: bool,
    },
    /// An integer.
    Spin {
        /// The default.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of several values.
    Combo {
        /// The default.
        default: String,
        /// The values.
        vars: Vec<String>,
    },
    /// An action without a value.
    Button,
    /// Any text; an empty default is declared as `<empty>`.
    String {
        /// The default.
        default: String,
    },
}

/// Why an option cannot be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// There is no such option.
    #[error("unknown option '{}'", excerpt(.0))]
    Unknown(String),
    /// The client wants to set an option that the engine does not declare.
    #[error("no option '{name}'; there are: {}", declared.join(", "))]
    Undeclared {
        /// The option.
        name: String,
        /// All declared options.
        declared: Vec<String>,
    },
    /// A spin value that is not an integer in its range.
    #[error("{name}: '{}' is not a number from {min} to {max}", excerpt(value))]
    Spin {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// A check value that is not a boolean.
    #[error("{name}: '{}' is neither true nor false", excerpt(value))]
    Check {
        /// The option.
        name: String,
        /// The value.
        value: String,
    },
    /// A value for a button.
    #[error("{0} is a button and takes no value")]
    Button(String),
    /// No value for an option that needs one.
    #[error("{0} needs a value: {0}=…")]
    MissingValue(String),
}

/// Finds an option by name. Case, spaces and underscores do not matter.
pub fn find_option<'a>(
    options: &'a [OptionDecl],
    name: &str,
) -> Result<&'a OptionDecl, OptionError> {
    let key = |name: &str| -> String {
        let letters = name.chars().filter(|c| !c.is_whitespace() && *c != '_');
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    let found = options.iter().find(|option| key(&option.name) == key(name));
    found.ok_or_else(|| OptionError::Unknown(name.to_owned()))
}

impl OptionDecl {
    /// A boolean option.
    pub fn check(name: &str, default: bool) -> Self {
        Self { name: name.to_owned(), kind: OptionKind::Check { default } }
    }

    /// An integer option.
    pub fn spin(name: &str, default: i64, min: i64, max: i64) -> Self {
        Self { name: name.to_owned(), kind: OptionKind::Spin { default, min, max } }
    }

    /// A text option that is empty by default.
    pub fn string(name: &str) -> Self {
        Self { name: name.to_owned(), kind: OptionKind::String { default: String::new() } }
    }

    /// A button.
    pub fn button(name: &str) -> Self {
        Self { name: name.to_owned(), kind: OptionKind::Button }
    }

    /// Parses an `option` line; `None` if the line is something else. A type that the protocol does not
    /// have counts as text, a missing range as unlimited.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("option") || words.next() != Some("name") {
            return None;
        }
        let name: Vec<&str> = words.by_ref().take_while(|&word| word != "type").collect();
        let kind = words.next().unwrap_or_default();
        let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
        for word in words {
            match fields.last_mut() {
                _ if matches!(word, "default" | "min" | "max" | "var") => {
                    fields.push((word, vec![]))
                }
                Some((_, values)) => values.push(word),
                None => {}
            }
        }
        let texts = |name| {
            let with_name = fields.iter().filter(move |(field, _)| *field == name);
            with_name.map(|(_, words)| words.join(" "))
        };
        let number = |name| texts(name).next().and_then(|text| text.parse().ok());
        let default = texts("default").next().filter(|text| text != "<empty>").unwrap_or_default();
        let kind = match kind {
            "check" => OptionKind::Check { default: default == "true" },
            "spin" => OptionKind::Spin {
                default: number("default").unwrap_or_default(),
                min: number("min").unwrap_or(i64::MIN),
                max: number("max").unwrap_or(i64::MAX),
            },
            "combo" => OptionKind::Combo { default, vars: texts("var").collect() },
            "button" => OptionKind::Button,
            _ => OptionKind::String { default },
        };
        Some(Self { name: name.join(" "), kind })
    }

    /// The value of a check option, in any case.
    pub fn parse_check(&self, value: &str) -> Result<bool, OptionError> {
        match value.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(OptionError::Check { name: self.name.clone(), value: value.to_owned() }),
        }
    }

    /// The value of a spin option. A value out of range is rejected, not clamped.
    pub fn parse_spin(&self, value: &str) -> Result<i64, OptionError> {
        let (min, max) = match self.kind {
            OptionKind::Spin { min, max, .. } => (min, max),
            _ => (i64::MIN, i64::MAX),
        };
        let number = value.parse().ok().filter(|number| (min..=max).contains(number));
        let (name, value) = (&self.name, value);
        number.ok_or_else(|| OptionError::Spin {
            name: name.clone(),
            value: value.to_owned(),
            min,
            max,
        })
    }

    /// Whether an engine that declares this accepts the value.
    pub fn validate(&self, value: Option<&str>) -> Result<(), OptionError> {
        match (&self.kind, value) {
            (OptionKind::Button, None) => Ok(()),
            (OptionKind::Button, Some(_)) => Err(OptionError::Button(self.name.clone())),
            (_, None) => Err(OptionError::MissingValue(self.name.clone())),
            (OptionKind::Spin { .. }, Some(value)) => self.parse_spin(value).map(drop),
            // Other engines may not accept `True`.
            (OptionKind::Check { .. }, Some("true" | "false")) => Ok(()),
            (OptionKind::Check { .. }, Some(value)) => {
                Err(OptionError::Check { name: self.name.clone(), value: value.to_owned() })
            }
            (OptionKind::Combo { .. } | OptionKind::String { .. }, Some(_)) => Ok(()),
        }
    }
}

impl fmt::Display for OptionDecl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_empty =
            |text: &str| if text.is_empty() { "<empty>".to_owned() } else { text.to_owned() };
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, vars } => {
                write!(f, "combo default {default}")?;
                vars.iter().try_for_each(|var| write!(f, " var {var}"))
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::String { default } => write!(f, "string default {}", or_empty(default)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 5] = [
        "option name Skill Level type spin default 20 min 0 max 20",
        "option name Ponder type check default false",
        "option name Clear Hash type button",
        "option name Style type combo default Solid var Solid var Very Risky",
        "option name EvalFile type string default <empty>",
    ];

    #[test]
    fn declarations_are_parsed_and_written_back() {
        for line in LINES {
            assert_eq!(OptionDecl::parse(line).unwrap().to_string(), line);
        }
        assert_eq!(OptionDecl::parse("id name Some type"), None);
        let unlimited = OptionDecl::parse("option name N type spin").unwrap();
        assert!(unlimited.parse_spin("-99999999999").is_ok());
    }

    #[test]
    fn values_are_validated_against_the_declaration() {
        let options: Vec<OptionDecl> = LINES.into_iter().filter_map(OptionDecl::parse).collect();
        let validate = |name: &str, value| find_option(&options, name)?.validate(value);
        for (name, value) in [
            ("skill level", Some("8")),
            ("Ponder", Some("true")),
            ("Clear Hash", None),
            ("Style", Some("Risky")),
            ("EvalFile", Some("a b")),
        ] {
            assert_eq!(validate(name, value), Ok(()), "{name}");
        }
        for (name, value) in [
            ("Skill", Some("8")),
            ("Skill Level", Some("21")),
            ("Skill Level", Some("x")),
            ("Ponder", Some("yes")),
            ("Ponder", None),
            ("Clear Hash", Some("1")),
        ] {
            assert!(validate(name, value).is_err(), "{name} {value:?}");
        }
    }
}
