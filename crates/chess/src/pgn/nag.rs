//! Numeric annotation glyphs (NAGs).

use core::fmt;

/// A numeric annotation glyph, `$0` to `$255`.
///
/// ```
/// use tabiya_chess::pgn::Nag;
/// assert_eq!(Nag::parse(b"!?"), Some(Nag::INTERESTING));
/// assert_eq!(Nag::INTERESTING.to_string(), "$5");
/// assert_eq!(Nag::INTERESTING.symbol(), Some("!?"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Nag(pub u8);

/// Number and symbol; where there are several, the first is the one to show.
const SYMBOLS: [(u8, &str); 24] = [
    (1, "!"),
    (2, "?"),
    (3, "!!"),
    (4, "??"),
    (5, "!?"),
    (6, "?!"),
    (7, "□"),
    (10, "="),
    (13, "∞"),
    (14, "⩲"),
    (14, "+="),
    (14, "+/="),
    (15, "⩱"),
    (15, "=+"),
    (15, "=/+"),
    (16, "±"),
    (16, "+/-"),
    (17, "∓"),
    (17, "-/+"),
    (18, "+-"),
    (18, "+−"),
    (19, "-+"),
    (19, "−+"),
    (146, "N"),
];

#[allow(missing_docs, reason = "the names are those of the PGN standard")]
impl Nag {
    pub const GOOD: Self = Self(1);
    pub const MISTAKE: Self = Self(2);
    pub const BRILLIANT: Self = Self(3);
    pub const BLUNDER: Self = Self(4);
    pub const INTERESTING: Self = Self(5);
    pub const DUBIOUS: Self = Self(6);
}

impl Nag {
    /// The glyph of a symbol: `!?`, `+-`, `=` and the like.
    pub fn parse(symbol: &[u8]) -> Option<Self> {
        let known = SYMBOLS.iter().find(|(_, known)| known.as_bytes() == symbol);
        known.map(|&(number, _)| Self(number))
    }

    /// The symbol, if there is one.
    pub fn symbol(self) -> Option<&'static str> {
        SYMBOLS.iter().find(|(number, _)| *number == self.0).map(|(_, symbol)| *symbol)
    }
}

/// In PGN notation: `$5`.
impl fmt::Display for Nag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}
