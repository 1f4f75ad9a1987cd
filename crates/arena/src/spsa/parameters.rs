//! Parameters as OpenBench writes them: `name, int, start, min, max, c, r`.

use std::fmt;
use std::str::FromStr;

use uci::{OptionDecl, OptionKind};

use crate::{ParseError, ensure, parse_number};

/// A parameter: a UCI option of the engine.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// The option.
    pub name: String,
    /// Whether the engine takes integers only.
    pub is_integer: bool,
    /// The value before the first iteration.
    pub start: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
    /// The perturbation in the last iteration.
    pub c: f64,
    /// The learning rate in the last iteration.
    pub r: f64,
}

impl Parameter {
    /// Parses lines of parameters; empty ones and those that start with `#` are skipped. An error has the number
    /// of its line.
    pub fn parse_lines(text: &str) -> Result<Vec<Self>, ParseError> {
        let lines = text.lines().map(str::trim).zip(1..);
        lines
            .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
            .map(|(line, n)| line.parse().map_err(|error| ParseError(format!("line {n}: {error}"))))
            .collect()
    }

    /// The value that the engine gets for a real number: within the range, and for integers one of both
    /// neighbors, the nearer one more often: `uniform` is a sample from 0..1.
    pub(super) fn rounded(&self, value: f64, uniform: f64) -> f64 {
        let value = value.clamp(self.min, self.max);
        match self.is_integer {
            true => (value + uniform).floor().clamp(self.min, self.max),
            false => value,
        }
    }

    /// A value as the text of an option.
    pub fn text(&self, value: f64) -> String {
        match self.is_integer {
            true => format!("{value:.0}"),
            false => format!("{value:.6}"),
        }
    }
}

impl FromStr for Parameter {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let [name, kind, numbers @ ..] = fields.as_slice() else {
            return Err(ParseError(format!("'{text}' is not name, int, start, min, max, c, r")));
        };
        ensure!(numbers.len() == 5, "'{text}' is not name, int, start, min, max, c, r");
        ensure!(!name.is_empty(), "a parameter without a name: '{text}'");
        ensure!(matches!(*kind, "int" | "float"), "{name}: '{kind}' is neither int nor float");
        let numbers = numbers.iter().map(|number| parse_number(number));
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>()?;
        ensure!(numbers.iter().all(|n| n.abs() <= 1e9), "{name}: a number beyond a billion");
        let [start, min, max, c, r] = numbers[..] else { unreachable!("five numbers") };
        ensure!(min < max, "{name}: the least value {min} is not below the greatest, {max}");
        ensure!((min..=max).contains(&start), "{name}: {start} is not from {min} to {max}");
        ensure!(c > 0.0 && r > 0.0, "{name}: c and r must be positive");
        let is_integer = *kind == "int";
        ensure!(
            !is_integer || [min, max].iter().all(|bound| bound.fract() == 0.0),
            "{name}: the range of an int is not of integers"
        );
        Ok(Self { name: (*name).to_owned(), is_integer, start, min, max, c, r })
    }
}

/// As it is parsed.
impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, start, min, max, c, r, .. } = self;
        let kind = if self.is_integer { "int" } else { "float" };
        write!(f, "{name}, {kind}, {start}, {min}, {max}, {c}, {r}")
    }
}

/// Integer options that are not worth tuning: resources and behavior, not play.
const UNSUITABLE: [&str; 6] =
    ["hash", "threads", "multipv", "move overhead", "skill level", "nodestime"];

/// The integer options of an engine as parameters, with OpenBench's usual r. As c a twentieth of the range, but at
/// most a quarter of the start: a range may reach to where the option has no effect.
pub fn suggestions(options: &[OptionDecl]) -> Vec<Parameter> {
    let suitable = |name: &str| {
        let name = name.to_lowercase();
        !UNSUITABLE.contains(&&*name) && !name.starts_with("uci_") && !name.starts_with("syzygy")
    };
    let parameter = |option: &OptionDecl| match option.kind {
        OptionKind::Spin { default, min, max } if min < max && suitable(&option.name) => {
            let [start, min, max] = [default, min, max].map(|number| number as f64);
            let most = if start == 0.0 { f64::INFINITY } else { start.abs() / 4.0 };
            let c = ((max - min) / 20.0).min(most).max(0.5);
            let name = option.name.clone();
            Some(Parameter { name, is_integer: true, start, min, max, c, r: 0.002 })
        }
        _ => None,
    };
    options.iter().filter_map(parameter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_parsed_and_written_back() {
        let text = "# two\nSkill Level, int, 10, 0, 20, 2.5, 0.002\n\nx,float,0.5,-1,1,0.1,0.01\n";
        let parameters = Parameter::parse_lines(text).unwrap();
        assert_eq!(parameters.len(), 2);
        assert_eq!(parameters[0].to_string(), "Skill Level, int, 10, 0, 20, 2.5, 0.002");
        assert_eq!(parameters[1].to_string().parse(), Ok(parameters[1].clone()));
        for bad in [
            "x",
            "x, int, 1, 0, 2, 1",
            ", int, 1, 0, 2, 1, 1",
            "x, str, 1, 0, 2, 1, 1",
            "x, int, 3, 0, 2, 1, 1",
            "x, int, 1, 2, 0, 1, 1",
            "x, int, 1, 0, 2, 0, 1",
            "x, int, 1, 0, 2, 1, nan",
            "x, int, 1, 0.5, 2, 1, 1",
            "x, int, 1, 0, 1e99, 1, 1",
        ] {
            let error = bad.parse::<Parameter>().unwrap_err();
            assert!(!error.to_string().contains('\n'), "{bad}");
        }
        let error = Parameter::parse_lines("\n\nx, int\n").unwrap_err();
        assert!(error.to_string().starts_with("line 3: "));
    }

    #[test]
    fn options_of_an_engine_are_suggested_but_for_resources() {
        let options = [
            OptionDecl::spin("Hash", 16, 1, 1024),
            OptionDecl::spin("UCI_Elo", 2000, 800, 2800),
            OptionDecl::spin("razor_base", 180, 0, 600),
            OptionDecl::check("Ponder", false),
        ];
        let found: Vec<String> = suggestions(&options).iter().map(|p| p.to_string()).collect();
        assert_eq!(found, ["razor_base, int, 180, 0, 600, 30, 0.002"]);
    }

    #[test]
    fn integers_are_rounded_at_random_within_the_range() {
        let parameter: Parameter = "x, int, 1, 0, 3, 1, 1".parse().unwrap();
        assert_eq!(parameter.rounded(1.25, 0.74), 1.0);
        assert_eq!(parameter.rounded(1.25, 0.76), 2.0);
        assert_eq!(parameter.rounded(9.0, 0.99), 3.0);
        assert_eq!(parameter.rounded(-9.0, 0.0), 0.0);
        assert_eq!(parameter.text(2.0), "2");
    }
}
