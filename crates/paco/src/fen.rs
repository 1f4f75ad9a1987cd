//! FEN for Paco Ŝako, both ways.
//!
//! ```text
//! <ranks 8 to 1>[^<square><letter>] <w|b> <no-progress> <castling> <en passant> -
//! rnbqkbnr/pppppppp/8/8/8/8/PPP1PPPP/RNBQKBNR^d2P w 1 AHah - -
//! ```
//!
//! After `^` follow the square and the content of the hand. Castling names the files of the rooks,
//! White's in upper case, queen side first. The sixth field is always `-`.
//!
//! The **extended form** adds two fields that the plain one lacks: the square of a pending promotion and the
//! action after it (`f8:place`, `f8:finish`, `f8:lift` or `-`), and the
//! number of the turn:
//!
//! ```text
//! 2Sq1E1r/1v3k2/ni3n2/pNt3a1/8/a2K2L1/3E1a2/R3NB2^f8B w 5 - - - f8:place 131
//! ```
//!
//! The parser accepts both. It is strict: eight ranks of eight squares, fields separated by one blank,
//! nothing before or after, no two digits in a row, numbers without sign or leading zeros, and the
//! result must be a position (see [`Setup`]). The leniencies are two: castling letters may come in
//! any order, and the letters of unions of equal types may be of either case. Where the plain form
//! leaves a pawn on its last row, the promotion is inferred: with a hand it comes before placing, a
//! lone pawn or one that has won ends the turn with it, one in a union begins the turn with it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use chess::{Bitboard, Color, File, ParseSquareError, Rank, Square};

use crate::letters::{letter_of, pieces_of};
use crate::position::home_square;
use crate::{Hand, Position, Required, Rules, Setup, SetupError};

/// Why a text is not FEN, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} (at character {})", .at + 1)]
pub struct FenError {
    /// The byte offset of the error.
    pub at: usize,
    /// The reason.
    pub reason: FenReason,
}

/// The reason of a FEN error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenReason {
    /// Not six fields (or eight in the extended form).
    #[error("a FEN has 6 fields separated by single blanks, or 8 in the extended form, not {0}")]
    Fields(usize),
    /// Not eight ranks.
    #[error("a board has 8 ranks, not {0}")]
    Ranks(usize),
    /// A rank with more or fewer than eight squares.
    #[error("rank {0} has {1} squares, not 8")]
    Rank(char, usize),
    /// A character that is not a piece, union or count of empty squares.
    #[error("'{0}' is no piece, union or count of empty squares")]
    Letter(char),
    /// Not a hand after `^`.
    #[error("a hand is a square and a piece of the player or a union, not '{0}'")]
    Hand(String),
    /// Neither `w` nor `b`.
    #[error("the player is 'w' or 'b', not '{0}'")]
    Player(String),
    /// Not a number.
    #[error("'{0}' is no number")]
    Number(String),
    /// Not castling rights.
    #[error("castling is '-' or different file letters, not '{0}'")]
    Castling(String),
    /// Not a square.
    #[error("en passant is '-' or a square, not '{0}'")]
    EnPassant(String),
    /// The sixth field.
    #[error("the sixth field is '-', not '{0}'")]
    Sixth(String),
    /// Not a promotion.
    #[error("a promotion is '-' or like 'f8:place', ':finish' or ':lift', not '{0}'")]
    Promotion(String),
    /// Well-formed, but not a valid position.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

fn fail<T>(at: usize, reason: FenReason) -> Result<T, FenError> {
    Err(FenError { at, reason })
}

fn number(text: &str, at: usize) -> Result<u32, FenError> {
    let plain =
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    match text.parse() {
        Ok(number) if plain => Ok(number),
        _ => fail(at, FenReason::Number(text.to_owned())),
    }
}

fn board(text: &str, setup: &mut Setup) -> Result<(), FenError> {
    let ranks = text.split('/').count();
    if ranks != 8 {
        return fail(0, FenReason::Ranks(ranks));
    }
    let mut at = 0;
    for (rank, row) in Rank::ALL.into_iter().rev().zip(text.split('/')) {
        let mut file = 0;
        let mut after_digit = false;
        for (i, sign) in row.char_indices() {
            match (sign, pieces_of(sign)) {
                (digit @ '1'..='8', _) if !after_digit => {
                    file += digit as usize - '0' as usize;
                    after_digit = true;
                }
                (_, Some((white, black))) => {
                    if file < 8 {
                        let square = Square::new(File::from_index_wrapping(file), rank);
                        setup.board[square.index()] = [white, black];
                    }
                    file += 1;
                    after_digit = false;
                }
                _ => return fail(at + i, FenReason::Letter(sign)),
            }
        }
        if file != 8 {
            return fail(at, FenReason::Rank(rank.digit(), file));
        }
        at += row.len() + 1;
    }
    Ok(())
}

fn hand(text: &str, player: Color) -> Option<Hand> {
    let (square, letter) = text.split_at_checked(2)?;
    let square = square.parse().ok()?;
    let mut letters = letter.chars();
    let (white, black) = pieces_of(letters.next()?)?;
    if letters.next().is_some() {
        return None;
    }
    let (own, partner) = match player {
        Color::White => (white, black),
        Color::Black => (black, white),
    };
    Some(Hand { square, piece: own?, partner })
}

fn castling(text: &str) -> Option<Bitboard> {
    let mut rooks = Bitboard::EMPTY;
    if text != "-" {
        for letter in text.chars() {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let rook = home_square(color, File::from_letter(letter)?).bitboard();
            if !rooks.is_disjoint(rook) {
                return None;
            }
            rooks |= rook;
        }
        if rooks.is_empty() {
            return None;
        }
    }
    Some(rooks)
}

fn promotion(text: &str) -> Option<(Square, Required)> {
    let (square, after) = text.split_once(':')?;
    let required = match after {
        "place" => Required::PromoteThenPlace,
        "finish" => Required::PromoteThenFinish,
        "lift" => Required::PromoteThenLift,
        _ => return None,
    };
    Some((square.parse().ok()?, required))
}

impl Setup {
    /// Parses a FEN, plain or extended, without validating the position.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        let fields: Vec<&str> = text.split(' ').collect();
        if !matches!(fields.len(), 6 | 8) {
            return fail(0, FenReason::Fields(fields.len()));
        }
        let start = |n: usize| fields[..n].iter().map(|field| field.len() + 1).sum::<usize>();
        let mut setup = Self::default();
        let (ranks, in_hand) = match fields[0].split_once('^') {
            Some((ranks, hand)) => (ranks, Some(hand)),
            None => (fields[0], None),
        };
        board(ranks, &mut setup)?;
        setup.player = match fields[1].parse() {
            Ok(player) => player,
            Err(_) => return fail(start(1), FenReason::Player(fields[1].to_owned())),
        };
        if let Some(text) = in_hand {
            match hand(text, setup.player) {
                Some(hand) => setup.hand = Some(hand),
                None => return fail(ranks.len() + 1, FenReason::Hand(text.to_owned())),
            }
        }
        setup.no_progress = number(fields[2], start(2))?;
        setup.castling = match castling(fields[3]) {
            Some(rooks) => rooks,
            None => return fail(start(3), FenReason::Castling(fields[3].to_owned())),
        };
        if fields[4] != "-" {
            setup.en_passant = match fields[4].parse() {
                Ok(square) => Some(square),
                Err(ParseSquareError(text)) => return fail(start(4), FenReason::EnPassant(text)),
            };
        }
        if fields[5] != "-" {
            return fail(start(5), FenReason::Sixth(fields[5].to_owned()));
        }
        if let [.., text, turn] = fields[6..] {
            if text != "-" {
                setup.promotion = match promotion(text) {
                    Some(promotion) => Some(promotion),
                    None => return fail(start(6), FenReason::Promotion(text.to_owned())),
                };
            }
            setup.half_moves = match number(turn, start(7))? {
                0 => return fail(start(7), FenReason::Number(turn.to_owned())),
                turn => turn,
            };
        }
        Ok(setup)
    }
}

impl Position {
    /// Parses a FEN, plain or extended, to be played by these rules.
    ///
    /// ```
    /// use tabiya_paco::{Position, Rules};
    /// let text = "rnbqkbnr/pppppppp/8/8/8/8/PPP1PPPP/RNBQKBNR^d2P w 1 AHah - -";
    /// let position = Position::from_fen(text, Rules::Exact)?;
    /// assert_eq!(position.to_string(), text);
    /// let error = Position::from_fen("8/8/8/8 w 0 - - -", Rules::Exact).unwrap_err();
    /// assert_eq!(error.to_string(), "a board has 8 ranks, not 4 (at character 1)");
    /// # Ok::<(), tabiya_paco::FenError>(())
    /// ```
    pub fn from_fen(text: &str, rules: Rules) -> Result<Self, FenError> {
        Setup::from_fen(text)?
            .position(rules)
            .map_err(|error| FenError { at: 0, reason: error.into() })
    }

    /// The extended FEN, which round-trips through [`from_fen`](Self::from_fen).
    pub fn to_extended_fen(&self) -> String {
        let promotion = match (self.promotion, self.required) {
            (Some(square), Required::PromoteThenPlace) => format!("{square}:place"),
            (Some(square), Required::PromoteThenFinish) => format!("{square}:finish"),
            (Some(square), Required::PromoteThenLift) => format!("{square}:lift"),
            _ => "-".to_owned(),
        };
        format!("{self} {promotion} {}", self.half_moves)
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        Self::from_fen(text, Rules::Exact)
    }
}

/// The plain FEN.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                let square = Square::new(file, rank);
                let [white, black] = Color::ALL.map(|color| self.piece_at(color, square));
                match letter_of(white, black) {
                    None => empty += 1,
                    Some(letter) => {
                        if empty > 0 {
                            write!(f, "{empty}")?;
                        }
                        empty = 0;
                        write!(f, "{letter}")?;
                    }
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if rank != Rank::First {
                write!(f, "/")?;
            }
        }
        if let Some(Hand { square, piece, partner }) = self.hand {
            let letter = match self.player {
                Color::White => letter_of(Some(piece), partner),
                Color::Black => letter_of(partner, Some(piece)),
            };
            write!(f, "^{square}{}", letter.unwrap_or('?'))?;
        }
        write!(f, " {} {} ", self.player.letter(), self.no_progress)?;
        if self.castling.is_empty() {
            write!(f, "-")?;
        }
        for color in Color::ALL {
            for rook in self.castling_rooks(color) {
                let letter = rook.file().letter();
                let upper = color == Color::White;
                write!(f, "{}", if upper { letter.to_ascii_uppercase() } else { letter })?;
            }
        }
        match self.en_passant {
            Some(square) => write!(f, " {square} -"),
            None => write!(f, " - -"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> String {
        text.parse::<Position>().unwrap_err().to_string()
    }

    #[test]
    fn errors_name_reason_and_offset() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        for (text, expected) in [
            ("", "a FEN has 6 fields"),
            (" rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w 0 - - -", "not 7"),
            ("8/8/8/8/8/8/8/8/8 w 0 - - -", "8 ranks, not 9"),
            ("8/8/8/8/8/8/8/7 w 0 - - -", "rank 1 has 7 squares, not 8 (at character 15)"),
            ("8/8/8/8/8/8/8/44 w 0 - - -", "'4' is no piece, union or count"),
            (
                "8/8/8/8/8/8/8/k6? w 0 - - -",
                "'?' is no piece, union or count of empty squares (at character 17)",
            ),
            ("8/8/8/8/8/8/8/8^d2p w 0 - - -", "a hand is a square and a piece of the player"),
            ("8/8/8/8/8/8/8/8^P w 0 - - -", "a hand is"),
            ("8/8/8/8/8/8/8/8 x 0 - - -", "the player is 'w' or 'b', not 'x' (at character 17)"),
            ("8/8/8/8/8/8/8/8 w 256 - - -", "no-progress counter is 256"),
            ("8/8/8/8/8/8/8/8 w 4294967296 - - -", "'4294967296' is no number"),
            ("8/8/8/8/8/8/8/8 w +1 - - -", "'+1' is no number"),
            ("8/8/8/8/8/8/8/8 w 01 - - -", "'01' is no number"),
            ("8/8/8/8/8/8/8/8 w 0 AA - -", "castling is"),
            ("8/8/8/8/8/8/8/8 w 0  - -", "castling is"),
            ("8/8/8/8/8/8/8/8 w 0 A - -", "king and rook are not in place"),
            ("8/8/8/8/8/8/8/8 w 0 - e9 -", "en passant is '-' or a square, not 'e9'"),
            ("8/8/8/8/8/8/8/8 w 0 - e6 -", "no pawn can just have run past e6"),
            ("8/8/8/8/8/8/8/8 w 0 - - x", "the sixth field is '-', not 'x'"),
            ("8/8/8/8/8/8/8/8 w 0 - - - f8 1", "a promotion is"),
            ("8/8/8/8/8/8/8/8 w 0 - - - f8:lift 1", "no pawn on f8 can be waiting"),
            ("8/8/8/8/8/8/8/8 w 0 - - - - 0", "'0' is no number"),
            ("P6P/8/8/8/8/8/8/8 w 0 - - -", "the pawn on h8 stands on its last row"),
            ("8/8/8/8/8/8/8/p7 w 0 - - -", "the pawn on a1 stands on its last row"),
            ("KK6/8/8/8/8/8/8/8 w 0 - - -", "White has 2 kings"),
            ("m6M/8/8/8/8/8/8/8 w 0 - - -", "both kings are in unions"),
            ("_7/8/8/8/8/8/8/8 w 0 - - -", "both kings are in unions"),
            ("QQQQQQQQ/QQQQQQQQ/Q7/8/8/8/8/8 w 0 - - -", "White has 17 pieces"),
            ("8/8/8/8/8/8/8/R7^a1R w 0 - - -", "the hand hovers over a1"),
            ("M7/8/8/8/8/8/8/8^a2R w 0 - - -", "the game is over, yet"),
        ] {
            let found = reason(text);
            assert!(found.contains(expected), "{text}: {found}");
        }
        assert!(reason(&format!("{start} w 0 AHah - - extra")).contains("not 7"));
        assert!(reason(&format!("{start} w 0 AHahB - -")).contains("b1"));
        assert!(format!("{start} w 0 haHA - -").parse::<Position>() == Ok(Position::default()));
    }

    #[test]
    fn the_reference_does_not_check_rooks_and_neither_does_compat() {
        let text = "4k3/8/8/7R/4s3/8/8/4K3 w 4 H - -";
        assert!(Position::from_fen(text, Rules::Exact).is_err());
        assert_eq!(Position::from_fen(text, Rules::Compat).unwrap().to_string(), text);
    }

    #[test]
    fn the_extended_form_distinguishes_promotions() {
        let plain = "3dk3/8/8/8/8/8/8/4K3 b 7 - - -";
        assert!(plain.parse::<Position>().is_ok(), "a black pawn at home waits for nothing");
        let plain = "3Dk3/8/8/8/8/8/8/4K3 w 7 - - -";
        let lift: Position = plain.parse().unwrap();
        assert_eq!(lift.required(), Required::PromoteThenLift);
        let finish: Position = format!("{plain} d8:finish 12").parse().unwrap();
        assert_eq!(finish.required(), Required::PromoteThenFinish);
        assert_ne!(lift.key(), finish.key());
        for position in [lift, finish] {
            assert_eq!(position.to_extended_fen().parse(), Ok(position));
            assert_eq!(position.to_string(), plain);
        }
    }
}
