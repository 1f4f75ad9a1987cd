//! Win, draw and loss chances and large numbers as text.

use engine::score::{Chances, Score};

/// White's chances to win, draw and lose: ` 31 %  52 %  17 %`.
pub fn chances(white: Score) -> String {
    let Chances { win, loss, .. } = Chances::of(white);
    let percent = |thousandths: u32| (thousandths + 5) / 10;
    let (win, loss) = (percent(win), percent(loss));
    format!("{win:3} % {:3} % {loss:3} %", 100u32.saturating_sub(win + loss))
}

/// A number with an SI suffix: `3.2 M`.
pub fn short(n: f64) -> String {
    match n {
        n if n >= 1e9 => format!("{:.1} G", n / 1e9),
        n if n >= 1e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e3 => format!("{:.0} k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_to_a_hundred() {
        for score in (-900..900).step_by(13) {
            let text = chances(score);
            let numbers = text.split_whitespace().filter_map(|word| word.parse::<u32>().ok());
            assert_eq!(text.len(), 17);
            assert_eq!(numbers.sum::<u32>(), 100, "{text}");
        }
    }
}
