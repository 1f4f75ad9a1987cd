//! Commands embedded in comments: `[%eval -0.31]`, `[%clk 0:29:25]`, `[%cal Ge2e4]` and so on.
//!
//! | command | value | type |
//! |---|---|---|
//! | `eval` | pawns from White's view (`0.17`, `-3`), or moves to mate (`#5`, `#-2`); with a depth after a comma, and then a number without a point is in centipawns (`25,18`) | [`Eval`] |
//! | `clk` | time left: hours, minutes, seconds (`0:29:25`, `1:05`, `12.3`) | [`Clock`] |
//! | `emt` | time taken for the move, the same way | [`Clock`] |
//! | `csl` | marked squares with a color each: `Gd4,Re5` | [`Shapes`] |
//! | `cal` | arrows with a color each: `Ge2e4` | [`Shapes`] |
//!
//! Other commands and malformed values are returned verbatim.

use crate::svg::ShapeColor;
use crate::{Score, Square};

/// One command in a comment.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Annotation<'a> {
    /// `[%eval …]`: the evaluation of the position after the move.
    Eval(Eval),
    /// `[%clk …]`: the time the player has left after the move.
    Clock(Clock),
    /// `[%emt …]`: the time the move took.
    MoveTime(Clock),
    /// `[%csl …]`: squares to be marked.
    Squares(Shapes<'a>),
    /// `[%cal …]`: arrows to be drawn.
    Arrows(Shapes<'a>),
    /// Another command, or one of these with a malformed value.
    Other {
        /// The name after the `%`.
        name: &'a [u8],
        /// Everything up to the closing bracket.
        value: &'a [u8],
    },
}

/// An evaluation, from White's view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Eval {
    /// The score.
    pub score: Score,
    /// The search depth, if given.
    pub depth: Option<u32>,
}

/// A time on a clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Clock {
    /// In milliseconds.
    pub milliseconds: u64,
}

/// A marked square or an arrow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// Its color.
    pub color: ShapeColor,
    /// The square, or the arrow's tail.
    pub from: Square,
    /// The arrow's head; the same square for a marked square.
    pub to: Square,
}

/// An iterator over shapes. Malformed ones are skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shapes<'a>(&'a [u8]);

/// The commands in the text of a comment.
///
/// ```
/// use tabiya_chess::pgn::{Annotation, Clock, Eval, Score, annotations};
/// let found: Vec<_> = annotations(b" good [%eval #-3] [%clk 0:01:30.5] move ").collect();
/// assert_eq!(found, [
///     Annotation::Eval(Eval { score: Score::Mate(-3), depth: None }),
///     Annotation::Clock(Clock { milliseconds: 90_500 }),
/// ]);
/// ```
pub const fn annotations(comment: &[u8]) -> Annotations<'_> {
    Annotations(comment)
}

/// An iterator over the commands of a comment; see [`annotations`].
#[derive(Clone, Debug)]
pub struct Annotations<'a>(&'a [u8]);

impl<'a> Iterator for Annotations<'a> {
    type Item = Annotation<'a>;

    fn next(&mut self) -> Option<Annotation<'a>> {
        loop {
            let open = super::scan::find(self.0, 0, [b'[']);
            let rest = self.0.get(open + 1..)?;
            self.0 = rest;
            let Some(body) = rest.strip_prefix(b"%") else { continue };
            let close = super::scan::find(body, 0, [b']']);
            if close >= body.len() {
                return None;
            }
            self.0 = &body[close + 1..];
            let body = &body[..close];
            let name = body.iter().position(u8::is_ascii_whitespace).unwrap_or(body.len());
            let (name, value) = body.split_at(name);
            return Some(Annotation::new(name, value.trim_ascii()));
        }
    }
}

impl<'a> Annotation<'a> {
    fn new(name: &'a [u8], value: &'a [u8]) -> Self {
        let known = match name {
            b"eval" => Eval::parse(value).map(Self::Eval),
            b"clk" => Clock::parse(value).map(Self::Clock),
            b"emt" => Clock::parse(value).map(Self::MoveTime),
            b"csl" => Some(Self::Squares(Shapes(value))),
            b"cal" => Some(Self::Arrows(Shapes(value))),
            _ => None,
        };
        known.unwrap_or(Self::Other { name, value })
    }
}

impl Eval {
    /// Parses the value of an `eval` command.
    ///
    /// ```
    /// use tabiya_chess::pgn::{Eval, Score};
    /// let eval = |text: &str| Eval::parse(text.as_bytes()).map(|e| (e.score, e.depth));
    /// assert_eq!(eval("-0.31"), Some((Score::Centipawns(-31), None)));
    /// assert_eq!(eval("#4"), Some((Score::Mate(4), None)));
    /// assert_eq!(eval("0.25,18"), Some((Score::Centipawns(25), Some(18))));
    /// assert_eq!(eval("25,18"), Some((Score::Centipawns(25), Some(18))));
    /// assert_eq!(eval("much"), None);
    /// ```
    pub fn parse(value: &[u8]) -> Option<Self> {
        let comma = value.iter().position(|&byte| byte == b',');
        let (score, depth) = match comma {
            Some(n) => (&value[..n], Some(whole(value[n + 1..].trim_ascii())?)),
            None => (value, None),
        };
        let (is_negative, digits) = match score {
            [b'#', b'-', rest @ ..] | [b'-', b'#', rest @ ..] => {
                let moves = i32::try_from(whole(rest)?).ok()?;
                return Some(Self { score: Score::Mate(-moves), depth });
            }
            [b'#', b'+', rest @ ..] | [b'#', rest @ ..] => {
                let moves = i32::try_from(whole(rest)?).ok()?;
                return Some(Self { score: Score::Mate(moves), depth });
            }
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] | rest => (false, rest),
        };
        let is_centipawns = depth.is_some() && !digits.contains(&b'.');
        let value = if is_centipawns { whole(digits)?.into() } else { thousandths(digits)? / 10 };
        let value = i32::try_from(value).ok()?;
        Some(Self { score: Score::Centipawns(if is_negative { -value } else { value }), depth })
    }
}

impl Clock {
    /// Parses hours, minutes and seconds; missing leading fields are zero.
    pub fn parse(value: &[u8]) -> Option<Self> {
        let mut parts = value.rsplit(|&byte| byte == b':');
        let seconds = thousandths(parts.next()?)?;
        let minutes = parts.next().map_or(Some(0), whole)?;
        let hours = parts.next().map_or(Some(0), whole)?;
        if parts.next().is_some() {
            return None;
        }
        let whole = (u64::from(hours) * 60 + u64::from(minutes)) * 60_000;
        Some(Self { milliseconds: whole + seconds })
    }

    /// In seconds.
    pub const fn seconds(self) -> f64 {
        self.milliseconds as f64 / 1000.0
    }
}

impl Iterator for Shapes<'_> {
    type Item = Shape;

    fn next(&mut self) -> Option<Shape> {
        while !self.0.is_empty() {
            let end = self.0.iter().position(|&byte| byte == b',');
            let item = &self.0[..end.unwrap_or(self.0.len())];
            self.0 = end.map_or(&[], |end| &self.0[end + 1..]);
            if let Some(shape) = Shape::parse(item.trim_ascii()) {
                return Some(shape);
            }
        }
        None
    }
}

impl Shape {
    /// Parses `Gd4` or `Ge2e4`.
    ///
    /// ```
    /// use tabiya_chess::{Square, pgn::{Shape, ShapeColor}};
    /// let arrow = Shape { color: ShapeColor::Red, from: Square::E2, to: Square::E4 };
    /// assert_eq!(Shape::parse(b"Re2e4"), Some(arrow));
    /// ```
    pub fn parse(item: &[u8]) -> Option<Self> {
        let (color, squares) = item.split_first()?;
        let color = ShapeColor::from_letter(color.to_ascii_uppercase() as char)?;
        let square = |text: &[u8]| core::str::from_utf8(text).ok()?.parse().ok();
        let (from, to) = match squares.len() {
            2 => (squares, squares),
            4 => squares.split_at(2),
            _ => return None,
        };
        Some(Self { color, from: square(from)?, to: square(to)? })
    }
}

/// An integer of at most nine digits.
fn whole(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    digits.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'))
    })
}

/// A number with or without a point, in thousandths; further digits are dropped.
fn thousandths(text: &[u8]) -> Option<u64> {
    let point = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
    let fraction = text.get(point + 1..).unwrap_or_default();
    if !fraction.iter().all(u8::is_ascii_digit) || (point == 0 && fraction.is_empty()) {
        return None;
    }
    let whole_part = if point == 0 { 0 } else { whole(&text[..point])? };
    let digit = |n: usize| fraction.get(n).map_or(0, |byte| u64::from(byte - b'0'));
    Some(u64::from(whole_part) * 1000 + digit(0) * 100 + digit(1) * 10 + digit(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_parsed_and_others_returned_verbatim() {
        let clock = |text: &str| Clock::parse(text.as_bytes()).map(|clock| clock.milliseconds);
        assert_eq!(clock("1:02:03"), Some(3_723_000));
        assert_eq!(clock("02:03.25"), Some(123_250));
        assert_eq!(clock("7"), Some(7_000));
        assert_eq!(clock("1:1:1:1").or(clock("")).or(clock("x")).or(clock("1:-2")), None);
        let eval = |text: &str| Eval::parse(text.as_bytes()).map(|eval| eval.score);
        assert_eq!(eval("12"), Some(Score::Centipawns(1_200)));
        assert_eq!(eval(".5"), Some(Score::Centipawns(50)));
        assert_eq!(eval("-152.66"), Some(Score::Centipawns(-15_266)));
        assert_eq!(eval("#0"), Some(Score::Mate(0)));
        for bad in ["", "-", ".", "1.2.3", "#", "#x", "1,", "99999999999", "1e5"] {
            assert_eq!(eval(bad), None, "{bad}");
            let comment = format!("[%eval {bad}]");
            let found: Vec<_> = annotations(comment.as_bytes()).collect();
            assert_eq!(found, [Annotation::Other { name: b"eval", value: bad.as_bytes() }]);
        }
    }

    #[test]
    fn shapes_are_found_among_other_text() {
        let comment = b"x [ok] [%csl Gd4,Re5, Yh8] y [%cal Ge2e4,Bnone][%foo] [%open";
        let found: Vec<_> = annotations(comment).collect();
        let [Annotation::Squares(squares), Annotation::Arrows(arrows), other] = *found else {
            panic!("{found:?}");
        };
        assert_eq!(
            squares.map(|shape| shape.from).collect::<Vec<_>>(),
            [Square::D4, Square::E5, Square::H8]
        );
        let arrow = Shape { color: ShapeColor::Green, from: Square::E2, to: Square::E4 };
        assert_eq!(arrows.collect::<Vec<_>>(), [arrow]);
        assert_eq!(other, Annotation::Other { name: b"foo", value: b"" });
    }
}
