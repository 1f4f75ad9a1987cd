//! serde: positions and setups as FEN, squares, colors and pieces as their letters in FEN, sets of squares as
//! numbers.
//!
//! A [`Move`](crate::Move) is not among them: its text has a meaning in its position alone. Store
//! `m.to_string()` and read it by [`Position::parse_uci`].

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::{Bitboard, Color, FenStyle, FenWriter, Piece, PieceType, Position, Setup, Square};

fn read<'de, D: Deserializer<'de>, T, E: Display>(
    deserializer: D,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<T, D::Error> {
    parse(&Cow::<str>::deserialize(deserializer)?).map_err(Error::custom)
}

/// Parses a text of one letter by `find`.
fn letter<T>(text: &str, find: fn(char) -> Option<T>) -> Result<T, String> {
    let mut letters = text.chars();
    match (letters.next().and_then(find), letters.next()) {
        (Some(found), None) => Ok(found),
        _ => Err(format!("'{text}' is not the letter of a piece")),
    }
}

fn setup_fen(setup: &Setup) -> String {
    let mut bytes = Vec::new();
    FenWriter::new(FenStyle::Standard).append_setup(setup, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

macro_rules! as_text {
    ($($type:ty: $write:expr, $parse:expr;)*) => { $(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&$write(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(deserializer, $parse)
            }
        }
    )* };
}

as_text! {
    Square: Square::to_string, |text| text.parse::<Square>();
    Color: |color: &Color| color.letter(), |text| text.parse::<Color>();
    PieceType: |piece: &PieceType| piece.letter(), |text| letter(text, PieceType::from_letter);
    Piece: |piece: &Piece| piece.letter(), |text| letter(text, Piece::from_letter);
    Position: Position::fen, Position::from_fen;
    Setup: setup_fen, Setup::from_fen;
}

impl Serialize for Bitboard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Bitboard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use core::fmt::Debug;

    use super::*;

    fn round_trip<T>(value: T, json: &str)
    where
        T: Serialize + for<'de> Deserialize<'de> + PartialEq + Debug,
    {
        assert_eq!(serde_json::to_string(&value).unwrap(), json);
        assert_eq!(serde_json::from_str::<T>(json).unwrap(), value);
    }

    #[test]
    fn values_round_trip_through_json() {
        round_trip(Square::E4, "\"e4\"");
        round_trip(Color::Black, "\"b\"");
        round_trip(PieceType::Knight, "\"n\"");
        round_trip(Piece::new(Color::White, PieceType::Queen), "\"Q\"");
        round_trip(Bitboard::FULL, "18446744073709551615");
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        round_trip(Position::INITIAL, &format!("\"{start}\""));
        round_trip(Setup::from_fen(start).unwrap(), &format!("\"{start}\""));
    }

    #[test]
    fn what_is_no_value_is_an_error_with_its_reason() {
        let error = serde_json::from_str::<Square>("\"e9\"").unwrap_err().to_string();
        assert!(error.contains("e9"), "{error}");
        let error = serde_json::from_str::<Piece>("\"Qq\"").unwrap_err().to_string();
        assert!(error.contains("'Qq' is not the letter of a piece"), "{error}");
        assert!(serde_json::from_str::<Position>("\"8/8/8/8/8/8/8/8 w - - 0 1\"").is_err());
        assert!(serde_json::from_str::<Color>("7").is_err());
    }
}
