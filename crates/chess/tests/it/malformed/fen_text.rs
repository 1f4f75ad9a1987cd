//! Texts that are not FEN: each is rejected with the field and the text.

use std::collections::BTreeMap;

use tabiya_chess::rng::Rng;
use tabiya_chess::{FenError, FenField, Position, Setup};

use crate::slow::SlowBoard;
use crate::slow::games::RICH;

/// The expected rejection of a malformed FEN.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Expected {
    Malformed(FenField),
    Missing(FenField),
    Trailing,
}

use Expected::{Malformed, Missing, Trailing};
use FenField::{Castling, EnPassant, FullmoveNumber, HalfmoveClock, Placement, Turn};

const FIELDS: [FenField; 6] = [Placement, Turn, Castling, EnPassant, HalfmoveClock, FullmoveNumber];

/// Texts that are invalid in every field.
const JUNK: [&str; 14] =
    ["x", "?", ".", "_", "é", "♔", "０", "\t", "\n", "\0", "\u{7f}", "\u{a0}", "\u{200b}", "🏁"];

/// Malformed FENs by construction, each with its expected rejection.
fn malformed() -> BTreeMap<String, Expected> {
    let mut all = BTreeMap::new();
    let starts = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"];
    for fen in RICH.into_iter().chain(starts) {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut add = |n: usize, text: &str| {
            let mut changed = fields.clone();
            changed[n] = text;
            all.insert(changed.join(" "), Malformed(FIELDS[n]));
        };
        bad_placements(fields[0], |text| add(0, text));
        for text in ["W", "B", "-", "0", "ww", "wb", "white", "black"].into_iter().chain(JUNK) {
            add(1, text);
        }
        for text in ["--", "-K", "K-", "KK", "qq", "HH", "aa", "KQkqK", "I", "i", "L", "1"] {
            add(2, text);
        }
        bad_squares(fields[1], |text| add(3, text));
        let numbers = ["-1", "-", "+1", "1.0", "1e3", "0x10", "1_000", "1,000", "65536", "100000"];
        let endless = "9".repeat(400);
        for text in numbers.into_iter().chain(["18446744073709551616", &endless, "٣", "²", "½"])
        {
            add(4, text);
            add(5, text);
        }
        for junk in JUNK {
            add(2, junk);
            add(2, &format!("{}{junk}", fields[2]));
            add(3, &format!("{}{junk}", fields[3]));
            add(4, junk);
            add(4, &format!("{}{junk}", fields[4]));
            add(5, &format!("{junk}{}", fields[5]));
        }
        bad_blanks(&fields, &mut all);
    }
    let mut rng = Rng::from_seed(41);
    for _ in 0..200 {
        // Random text after a character that cannot begin a FEN.
        let mut text = JUNK[rng.below(JUNK.len())].to_owned();
        for _ in 0..rng.below(40) {
            text.extend(char::from_u32(rng.below(0x3000) as u32));
        }
        all.insert(text, Malformed(Placement));
    }
    all.insert(String::new(), Missing(Placement));
    all
}

fn bad_placements(placement: &str, mut add: impl FnMut(&str)) {
    let ranks: Vec<&str> = placement.split('/').collect();
    for junk in JUNK.into_iter().chain(["9", "0", "-"]) {
        add(&format!("{junk}{placement}"));
        add(&format!("{placement}{junk}"));
        for at in [5, placement.len() / 2] {
            add(&format!("{}{junk}{}", &placement[..at], &placement[at + 1..]));
        }
    }
    for n in 0..8 {
        let mut with = |changed: &[&str]| {
            let mut ranks = ranks.clone();
            ranks.splice(n..=n, changed.iter().copied());
            add(&ranks.join("/"));
        };
        with(&[]);
        with(&[ranks[n], "8"]);
        with(&[""]);
        with(&[&format!("{}p", ranks[n])]);
        with(&[&format!("1{}", ranks[n])]);
        with(&["44"]);
        with(&["7"]);
        with(&["pppp11pp"]);
        with(&["4P4"]);
        // One square fewer: a missing piece or digit.
        with(&[&ranks[n][1..]]);
    }
    for end in 1..placement.len() {
        add(&placement[..end]);
    }
    add(&format!("/{placement}"));
    add(&format!("{placement}/"));
    add(&placement.replacen('/', "", 1));
    add(&placement.replacen('/', "//", 1));
    add(&placement.replacen('/', "\\", 1));
}

fn bad_squares(turn: &str, mut add: impl FnMut(&str)) {
    let right_rank = if turn == "w" { '6' } else { '3' };
    for file in 'a'..='h' {
        for rank in ('0'..='9').filter(|&rank| rank != right_rank) {
            add(&format!("{file}{rank}"));
        }
        add(&file.to_string());
        add(&format!("{file}{right_rank}{right_rank}"));
        add(&format!("{}{right_rank}", file.to_ascii_uppercase()));
    }
    for text in ["--", "e", "i6", "i3", "33", "ee", "-e3", "e3-", "0"].into_iter().chain(JUNK) {
        add(text);
    }
}

fn bad_blanks(fields: &[&str], all: &mut BTreeMap<String, Expected>) {
    let fen = fields.join(" ");
    for end in 1..6 {
        let begun = fields[..end].join(" ");
        all.insert(format!("{begun} "), Missing(FIELDS[end]));
        all.insert(begun, Missing(FIELDS[end]));
    }
    for gap in 1..6 {
        let (before, after) = (fields[..gap].join(" "), fields[gap..].join(" "));
        all.insert(format!("{before}  {after}"), Malformed(FIELDS[gap]));
        all.insert(format!("{before}   {after}"), Malformed(FIELDS[gap]));
        for other in ["\t", "\u{a0}", "_", " \t", "\r\n"] {
            let field = if other.starts_with(' ') { gap } else { gap - 1 };
            all.insert(format!("{before}{other}{after}"), Malformed(FIELDS[field]));
        }
    }
    all.insert(format!(" {fen}"), Malformed(Placement));
    all.insert(format!("  {fen}"), Malformed(Placement));
    for end in ["\t", "\n", "\r\n", "\0", ";", "\u{feff}"] {
        all.insert(format!("{fen}{end}"), Malformed(FullmoveNumber));
    }
    for end in [" ", "  ", " 1", " x", " moves e2e4", " \t", " é", " bm e4;"] {
        all.insert(format!("{fen}{end}"), Trailing);
    }
    all.insert(format!("\u{feff}{fen}"), Malformed(Placement));
    all.insert(format!("\"{fen}\""), Malformed(Placement));
    all.insert(format!("fen {fen}"), Malformed(Placement));
}

/// Whether an error quotes the text: all of it, or the first hundred characters of a longer one.
fn is_excerpt(quoted: &str, text: &str) -> bool {
    let expected: String = text.chars().take(100).collect();
    if expected == text { quoted == text } else { quoted == format!("{expected}…") }
}

#[test]
fn a_thousand_malformed_fens_are_rejected_with_field_and_text() {
    let all = malformed();
    assert!(all.len() >= 1_000, "only {} different ones", all.len());
    let mut refused = BTreeMap::new();
    for (fen, expected) in &all {
        let error = Setup::from_fen(fen).expect_err(fen);
        assert_eq!(Position::from_fen(fen).expect_err(fen), error, "{fen:?}");
        let message = error.to_string();
        let found = match &error {
            FenError::Malformed { field, text, at, .. } => {
                let n = FIELDS.iter().position(|other| other == field).unwrap();
                let start: usize = fen.split(' ').take(n).map(|text| text.len() + 1).sum();
                let whole = fen.split(' ').nth(n).unwrap_or_default();
                assert!(is_excerpt(text, whole), "{fen:?}: {error}");
                assert!((start..=start + whole.len()).contains(at), "{fen:?}: {error}");
                assert!(fen.is_char_boundary(*at), "{fen:?}: {error}");
                assert!(message.contains(&format!("{field} '{text}'")), "{message}");
                Malformed(*field)
            }
            FenError::Missing(field) => {
                assert!(message.contains(&field.to_string()), "{message}");
                Missing(*field)
            }
            FenError::Trailing { text, at } => {
                assert!(is_excerpt(text, &fen[*at..]), "{fen:?}: {error}");
                assert!(message.contains(text.as_str()), "{message}");
                Trailing
            }
            _ => panic!("{fen:?} was read: {error}"),
        };
        assert_eq!(found, *expected, "{fen:?}: {error}");
        *refused.entry(format!("{found:?}")).or_insert(0) += 1;
    }
    // Every kind of error occurred.
    assert_eq!(refused.len(), 6 + 5 + 1 + 1, "{refused:?}");
    println!("{} malformed FENs refused: {refused:?}", all.len());
}

#[test]
fn random_mutations_never_panic_and_accepted_positions_are_legal() {
    let mut rng = Rng::from_seed(42);
    let mut accepted = 0;
    for n in 0..20_000 {
        let mut bytes = RICH[n % RICH.len()].as_bytes().to_vec();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len());
            match rng.below(3) {
                0 => bytes[at] = rng.below(128) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"pnbrqkPNBRQK12345678/ wbKQkq-e36"[rng.below(32)]),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match Position::from_fen(&text) {
            Ok(position) => {
                accepted += 1;
                let slow = SlowBoard::of(&position);
                assert!(!slow.in_check(!slow.turn), "{text}");
                assert_eq!(Position::from_fen(&position.fen()), Ok(position), "{text}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(accepted > 200, "{accepted}");
}

#[test]
fn only_the_documented_leniencies_are_accepted() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let position = Position::from_fen(fen).unwrap();
    for castling in ["KQkq", "qkQK", "HAha", "KAhq", "ahAH"] {
        let other = fen.replace("KQkq", castling);
        assert_eq!(Position::from_fen(&other), Ok(position), "{other}");
    }
    assert_eq!(Position::from_fen(&fen.replace("0 1", "000 0")), Ok(position));
    assert_eq!(Position::from_fen(&fen.replace("0 1", "00 0001")), Ok(position));
}
