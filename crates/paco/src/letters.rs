//! The letters of pieces and unions in FEN.
//!
//! A lone piece has its chess letter, upper case for White. A union has one letter for its two
//! types: in lower case the first is Black's and the second White's (`c` is a black pawn with a
//! white rook), in upper case it is the other way round. Pairs of equal types are written in lower
//! case and read in both.

use crate::PieceType;
use crate::PieceType::{Bishop, King, Knight, Pawn, Queen, Rook};

/// Each pair of types with its letter.
const PAIRS: [(PieceType, PieceType, char); 21] = [
    (Pawn, Pawn, 'a'),
    (Pawn, Rook, 'c'),
    (Pawn, Knight, 'd'),
    (Pawn, Bishop, 'e'),
    (Pawn, Queen, 'f'),
    (Pawn, King, 'g'),
    (Rook, Rook, 'h'),
    (Rook, Knight, 'i'),
    (Rook, Bishop, 'j'),
    (Rook, Queen, 'l'),
    (Rook, King, 'm'),
    (Knight, Knight, 'o'),
    (Knight, Bishop, 's'),
    (Knight, Queen, 't'),
    (Knight, King, 'u'),
    (Bishop, Bishop, 'v'),
    (Bishop, Queen, 'w'),
    (Bishop, King, 'x'),
    (Queen, Queen, 'y'),
    (Queen, King, 'z'),
    (King, King, '_'),
];

/// The letter of a square with White's and Black's piece.
///
/// ```
/// use tabiya_paco::{PieceType, letter_of};
/// assert_eq!(letter_of(Some(PieceType::Rook), Some(PieceType::Pawn)), Some('c'));
/// assert_eq!(letter_of(Some(PieceType::Pawn), Some(PieceType::Rook)), Some('C'));
/// assert_eq!(letter_of(None, Some(PieceType::Queen)), Some('q'));
/// assert_eq!(letter_of(None, None), None);
/// ```
pub fn letter_of(white: Option<PieceType>, black: Option<PieceType>) -> Option<char> {
    match (white, black) {
        (None, None) => None,
        (Some(white), None) => Some(white.letter()),
        (None, Some(black)) => Some(black.letter().to_ascii_lowercase()),
        (Some(white), Some(black)) => PAIRS.iter().find_map(|&(first, second, letter)| {
            if (black, white) == (first, second) {
                Some(letter)
            } else {
                ((white, black) == (first, second)).then(|| letter.to_ascii_uppercase())
            }
        }),
    }
}

/// White's and Black's piece of a letter; not both are `None`.
pub fn pieces_of(letter: char) -> Option<(Option<PieceType>, Option<PieceType>)> {
    if let Some(piece) = PieceType::from_letter(letter) {
        let white = letter.is_ascii_uppercase();
        return Some(if white { (Some(piece), None) } else { (None, Some(piece)) });
    }
    let lower = letter.to_ascii_lowercase();
    let &(first, second, _) = PAIRS.iter().find(|&&(.., known)| known == lower)?;
    let swapped = letter.is_ascii_uppercase();
    Some(if swapped { (Some(first), Some(second)) } else { (Some(second), Some(first)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_round_trip() {
        let options =
            [None, Some(Pawn), Some(Rook), Some(Knight), Some(Bishop), Some(Queen), Some(King)];
        let mut letters = std::collections::BTreeSet::new();
        for white in options {
            for black in options {
                match letter_of(white, black) {
                    Some(letter) => {
                        assert_eq!(pieces_of(letter), Some((white, black)));
                        assert!(letters.insert(letter));
                    }
                    None => assert_eq!((white, black), (None, None)),
                }
            }
        }
        assert_eq!(letters.len(), 48);
    }

    #[test]
    fn equal_pairs_are_accepted_in_both_cases_and_other_characters_rejected() {
        assert_eq!(pieces_of('A'), Some((Some(Pawn), Some(Pawn))));
        assert_eq!(pieces_of('Y'), pieces_of('y'));
        for sign in ['1', ' ', '-', '^', 'é', 'ŝ'] {
            assert_eq!(pieces_of(sign), None);
        }
    }
}
