//! Time control classes.

use chess::pgn::TagValue;

/// Class of a time control, with Lichess's limits: the estimated duration of 40 moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeClass {
    /// Less than half a minute.
    UltraBullet,
    /// Less than three minutes.
    Bullet,
    /// Less than eight minutes.
    Blitz,
    /// Less than twenty-five minutes.
    Rapid,
    /// Longer.
    Classical,
    /// No clock, or days per move.
    Correspondence,
}

impl TimeClass {
    /// Parses a class name, ignoring case.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "ultrabullet" => Self::UltraBullet,
            "bullet" => Self::Bullet,
            "blitz" => Self::Blitz,
            "rapid" => Self::Rapid,
            "classical" => Self::Classical,
            "correspondence" => Self::Correspondence,
            _ => return None,
        })
    }

    /// Classifies the value of a `TimeControl` tag: `180+2`, `600`, `-`, or `40/7200:3600`, of which the
    /// first period counts.
    ///
    /// ```
    /// use tabiya_data::TimeClass;
    /// assert_eq!(TimeClass::of(b"180+2"), Some(TimeClass::Blitz));
    /// assert_eq!(TimeClass::of(b"-"), Some(TimeClass::Correspondence));
    /// assert_eq!(TimeClass::of(b"?"), None);
    /// ```
    pub fn of(tag: &[u8]) -> Option<Self> {
        let tag = tag.trim_ascii();
        if tag == b"-" {
            return Some(Self::Correspondence);
        }
        let first = tag.split(|&byte| byte == b':').next()?;
        let (moves, time) = match first.iter().position(|&byte| byte == b'/') {
            Some(at) => (number(&first[..at])?.max(1), &first[at + 1..]),
            None => (0, first),
        };
        let (base, increment) = match time.iter().position(|&byte| byte == b'+') {
            Some(at) => (number(&time[..at])?, number(&time[at + 1..])?),
            None => (number(time)?, 0),
        };
        let base = (base * 40).checked_div(moves).unwrap_or(base);
        Some(match base + 40 * increment {
            0..30 => Self::UltraBullet,
            30..180 => Self::Bullet,
            180..480 => Self::Blitz,
            480..1_500 => Self::Rapid,
            1_500..86_400 => Self::Classical,
            _ => Self::Correspondence,
        })
    }
}

/// Whole seconds; a fraction is truncated.
fn number(text: &[u8]) -> Option<u64> {
    let whole = text.split(|&byte| byte == b'.').next()?;
    TagValue::new(whole).number().map(u64::from)
}

/// Whether a time control matches one of the names: a class, or the exact tag value.
pub(crate) fn is_wanted(tag: &[u8], wanted: &[String]) -> bool {
    let class = TimeClass::of(tag);
    wanted.iter().any(|name| match TimeClass::named(name) {
        Some(named) => class == Some(named),
        None => tag.trim_ascii() == name.as_bytes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_match_by_class_or_exactly() {
        let wanted = |tag: &str, names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            is_wanted(tag.as_bytes(), &names)
        };
        assert!(wanted("60+0", &["bullet"]) && !wanted("60+0", &["blitz", "classical"]));
        assert!(wanted("40/7200:3600", &["classical"]) && wanted("5+0.04", &["ultrabullet"]));
        assert!(wanted("300+3", &["300+3"]) && !wanted("300+4", &["300+3"]));
        assert!(!wanted("", &["blitz"]) && !wanted("?", &["correspondence"]));
    }
}
