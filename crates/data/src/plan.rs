//! The plan of a data set: inputs and options, which determine its files. A run resumes only the same plan.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Manifest;
use crate::manifest::VERSION;
use crate::prepare::{InputFile, PrepareOptions, ResumeState};

/// Longer values are shortened in messages.
const SHOWN: usize = 60;

/// Everything that determines the files of a data set, byte for byte.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSetPlan {
    /// Version of the layout of directories and files.
    pub version: u32,
    /// Version of the program.
    pub tabiya: String,
    /// The inputs.
    pub inputs: Vec<InputFile>,
    /// The options.
    pub options: PrepareOptions,
    /// Parameters of the generator, if the rows were generated (rescoring, self-play), not read from games.
    #[serde(rename = "made", default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<Value>,
}

impl DataSetPlan {
    pub(crate) fn new(
        inputs: Vec<InputFile>,
        options: &PrepareOptions,
        generator: Option<Value>,
    ) -> Self {
        let tabiya = env!("CARGO_PKG_VERSION").to_owned();
        Self { version: VERSION, tabiya, inputs, options: options.clone(), generator }
    }

    /// The plan of the data set in a directory, finished or not, if there is one.
    pub fn of(folder: &Path) -> Option<Self> {
        let finished = Manifest::open(folder).ok().map(|manifest| manifest.plan);
        finished.or_else(|| Some(ResumeState::open(folder).ok()?.plan))
    }

    /// Describes the first difference from an older plan. Inputs are compared first.
    pub(crate) fn difference(&self, old: &Self) -> Option<String> {
        inputs_difference(&old.inputs, &self.inputs).or_else(|| {
            let [old, new] = [old, self].map(|plan| serde_json::to_value(plan).unwrap_or_default());
            difference("", &old, &new)
        })
    }
}

/// Describes the first input that differs in name or content.
fn inputs_difference(old: &[InputFile], new: &[InputFile]) -> Option<String> {
    if old.len() != new.len() {
        let files = |inputs: &[InputFile]| match inputs {
            [one] => format!("'{}'", one.name),
            all => format!("{} files", all.len()),
        };
        return Some(format!("it was made of {}, not of {}", files(old), files(new)));
    }
    old.iter().zip(new).find(|(old, new)| old != new).map(|(old, new)| {
        if old.name != new.name {
            return format!("it was made of '{}', not of '{}'", old.name, new.name);
        }
        let content = |input: &InputFile| {
            let bytes = input.bytes.map_or("?".into(), |bytes| bytes.to_string());
            let hash = input.blake3.as_deref().unwrap_or("?");
            format!("{bytes} bytes, BLAKE3 hash {}", hash.get(..16).unwrap_or(hash))
        };
        format!("'{}' has changed: {} then, {} now", new.name, content(old), content(new))
    })
}

/// Describes the first JSON value that differs, with its path.
fn difference(at: &str, old: &Value, new: &Value) -> Option<String> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let gone = old.keys().filter(|name| !new.contains_key(*name));
            new.keys().chain(gone).find_map(|name| {
                let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                let [old, new] = [old, new].map(|map| map.get(name).unwrap_or(&Value::Null));
                difference(&at, old, new)
            })
        }
        _ if old == new => None,
        _ => {
            let [old, new] = excerpts(&old.to_string(), &new.to_string());
            Some(format!("{at} was {old} and is now {new}"))
        }
    }
}

/// Shortens two different texts to excerpts that contain the first difference.
fn excerpts(old: &str, new: &str) -> [String; 2] {
    let same = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    [old, new].map(|text| {
        let length = text.chars().count();
        if length <= SHOWN {
            return text.to_owned();
        }
        // A few characters of context before the difference.
        let from = same.saturating_sub(10).min(length - SHOWN);
        let part: String = text.chars().skip(from).take(SHOWN).collect();
        let before = if from > 0 { "…" } else { "" };
        let behind = if from + SHOWN < length { "…" } else { "" };
        format!("{before}{part}{behind}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, content: &[u8]) -> InputFile {
        let blake3 = Some(blake3::hash(content).to_hex().to_string());
        InputFile { name: name.into(), bytes: Some(content.len() as u64), blake3 }
    }

    fn plan(inputs: Vec<InputFile>, made: &str) -> DataSetPlan {
        DataSetPlan::new(inputs, &PrepareOptions::default(), Some(made.into()))
    }

    #[test]
    fn a_difference_names_the_input_and_what_differs() {
        let difference = |old: &[InputFile], new: &[InputFile]| {
            plan(new.to_vec(), "").difference(&plan(old.to_vec(), "")).unwrap()
        };
        let [a, b, changed] = [input("a", b"1"), input("b", b"1"), input("a", b"2")];
        let one = std::slice::from_ref;
        assert_eq!(difference(one(&a), one(&b)), "it was made of 'a', not of 'b'");
        let missing = InputFile { bytes: None, blake3: None, ..a.clone() };
        let text = difference(one(&missing), one(&a));
        assert!(
            text.starts_with("'a' has changed: ? bytes, BLAKE3 hash ? then, 1 bytes"),
            "{text}"
        );
        let text = difference(one(&a), one(&changed));
        let [old, new] = [&a, &changed].map(|input| &input.blake3.as_ref().unwrap()[..16]);
        assert!(text.contains(old) && text.contains(new), "{text}");
        let text = difference(&[a.clone(), b], one(&a));
        assert_eq!(text, "it was made of 2 files, not of 'a'");
        assert_eq!(plan(vec![a.clone()], "x").difference(&plan(vec![a], "x")), None);
    }

    #[test]
    fn excerpts_of_long_values_differ() {
        let long = "é".repeat(200);
        for (old, new) in [
            (format!("{long}1"), format!("{long}2")),
            (format!("{long}1{long}"), format!("{long}2")),
            (long.clone(), format!("{long}{long}")),
            (format!("1{long}"), format!("2{long}")),
        ] {
            let [a, b] = excerpts(&old, &new);
            assert_ne!(a, b);
            assert!(a.chars().count() <= SHOWN + 2 && b.chars().count() <= SHOWN + 2);
            let text = plan(Vec::new(), &new).difference(&plan(Vec::new(), &old)).unwrap();
            assert!(text.starts_with("made was "), "{text}");
        }
    }
}
