//! Counts in messages.

use std::fmt::Display;

/// A count with its noun: `1 game`, `2 games`, `0 games`.
pub fn count(number: impl Display, thing: &str) -> String {
    let number = number.to_string();
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular() {
        let counted: Vec<String> = [0, 1, 2, 11, 21].map(|n| count(n, "game")).into();
        assert_eq!(counted, ["0 games", "1 game", "2 games", "11 games", "21 games"]);
    }
}
