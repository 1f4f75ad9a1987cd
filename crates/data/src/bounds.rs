//! Upper bound of the counts in manifests and progress logs, which are untrusted input.
//!
//! Options have bounds of their own ([`crate::PrepareOptions::check`]). All counts (games, rows, bytes) stay
//! below one limit, so no sum of them overflows and no allocation is sized by a forged one.

use serde::Serialize;
use serde_json::Value;

/// 4 × 10¹². The sum of all counts of a 256 MB file is less than 2⁶⁴.
pub(crate) const MAX_COUNT: u64 = 1 << 42;

/// Reports the first number above the limit, with its JSON path.
pub(crate) fn check_counts(name: &str, counts: &impl Serialize) -> Result<(), String> {
    let counts = serde_json::to_value(counts).map_err(|error| error.to_string())?;
    check(name, &counts)
}

fn check(at: &str, value: &Value) -> Result<(), String> {
    match value {
        Value::Object(fields) => {
            fields.iter().try_for_each(|(name, value)| check(&format!("{at}.{name}"), value))
        }
        Value::Array(items) => {
            items.iter().enumerate().try_for_each(|(n, value)| check(&format!("{at}[{n}]"), value))
        }
        Value::Number(number) if number.as_u64().is_none_or(|number| number > MAX_COUNT) => {
            Err(format!("{at} must be 0 to {MAX_COUNT}, not {number}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_above_the_limit_is_reported_with_its_path() {
        let counts = |value: Value| check_counts("counts", &value);
        let good = serde_json::json!({ "a": MAX_COUNT, "b": ["x", null, { "c": 0 }] });
        assert_eq!(counts(good), Ok(()));
        let bad = serde_json::json!({ "a": 1, "b": [0, { "c": u64::MAX }] });
        let error = counts(bad).unwrap_err();
        assert_eq!(error, format!("counts.b[1].c must be 0 to {MAX_COUNT}, not {}", u64::MAX));
    }
}
