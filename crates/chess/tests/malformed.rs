//! Bad input: texts that are no FEN, and FENs of no legal position. Each is refused with what is wrong
//! and where; nothing panics.

mod slow;

use std::collections::{BTreeMap, BTreeSet};

use chess::{
    Bitboard, Color, FenError, FenField, Piece, PieceType, Position, Rank, Setup, SetupProblems,
    Square,
};
use slow::SlowBoard;
use slow::games::{RICH, Random};

/// What a malformed FEN must be refused with.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Expected {
    Malformed(FenField),
    Missing(FenField),
    Trailing,
}

use Expected::{Malformed, Missing, Trailing};
use FenField::{Castling, EnPassant, FullmoveNumber, HalfmoveClock, Placement, Turn};

const FIELDS: [FenField; 6] = [Placement, Turn, Castling, EnPassant, HalfmoveClock, FullmoveNumber];

/// Texts that mean nothing in any field.
const JUNK: [&str; 14] =
    ["x", "?", ".", "_", "é", "♔", "０", "\t", "\n", "\0", "\u{7f}", "\u{a0}", "\u{200b}", "🏁"];

/// Malformed FENs by construction, each with what it must be refused with.
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
    let mut random = Random(41);
    for _ in 0..200 {
        // Anything, after a character that cannot begin a FEN.
        let mut text = JUNK[random.below(JUNK.len())].to_owned();
        for _ in 0..random.below(40) {
            text.extend(char::from_u32(random.below(0x3000) as u32));
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
        // One square fewer: a piece gone, or a digit.
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

#[test]
fn a_thousand_malformed_fens_are_refused_with_the_field_and_the_text() {
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
                assert_eq!(Some(text.as_str()), fen.split(' ').nth(n), "{fen:?}");
                assert!((start..=start + text.len()).contains(at), "{fen:?}: {error}");
                assert!(fen.is_char_boundary(*at), "{fen:?}: {error}");
                assert!(message.contains(&format!("{field} '{text}'")), "{message}");
                Malformed(*field)
            }
            FenError::Missing(field) => {
                assert!(message.contains(&field.to_string()), "{message}");
                Missing(*field)
            }
            FenError::Trailing { text, at } => {
                assert_eq!(*text, fen[*at..]);
                assert!(message.contains(text.as_str()), "{message}");
                Trailing
            }
            FenError::Illegal(_) => panic!("{fen:?} was read: {error}"),
        };
        assert_eq!(found, *expected, "{fen:?}: {error}");
        *refused.entry(format!("{found:?}")).or_insert(0) += 1;
    }
    // Every kind of error came up.
    assert_eq!(refused.len(), 6 + 5 + 1 + 1, "{refused:?}");
    println!("{} malformed FENs refused: {refused:?}", all.len());
}

#[test]
fn bytes_changed_at_random_never_panic_and_what_is_accepted_is_legal() {
    let mut random = Random(42);
    let mut accepted = 0;
    for n in 0..20_000 {
        let mut bytes = RICH[n % RICH.len()].as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.below(128) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"pnbrqkPNBRQK12345678/ wbKQkq-e36"[random.below(32)]),
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
fn leniencies_are_those_that_the_module_lists() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let position = Position::from_fen(fen).unwrap();
    for castling in ["KQkq", "qkQK", "HAha", "KAhq", "ahAH"] {
        let other = fen.replace("KQkq", castling);
        assert_eq!(Position::from_fen(&other), Ok(position), "{other}");
    }
    assert_eq!(Position::from_fen(&fen.replace("0 1", "000 0")), Ok(position));
    assert_eq!(Position::from_fen(&fen.replace("0 1", "00 0001")), Ok(position));
}

/// FENs of no legal position, and everything that is wrong with each.
fn impossible() -> Vec<(&'static str, SetupProblems)> {
    type P = SetupProblems;
    let too_many_white = P::TOO_MANY_WHITE_PIECES;
    let too_many_black = P::TOO_MANY_BLACK_PIECES;
    vec![
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", P::NO_WHITE_KING),
        ("8/8/8/8/8/8/8/4K3 b - - 0 1", P::NO_BLACK_KING),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", P::TOO_MANY_WHITE_KINGS),
        ("k3k3/8/8/8/8/8/8/4K3 b - - 0 1", P::TOO_MANY_BLACK_KINGS),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", P::TOO_MANY_WHITE_PAWNS),
        ("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", P::TOO_MANY_BLACK_PAWNS),
        ("4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", P::TOO_MANY_WHITE_PROMOTIONS),
        ("4k3/8/8/8/8/8/PPPPPPPP/RRR1K3 w - - 0 1", P::TOO_MANY_WHITE_PROMOTIONS),
        ("4k3/8/8/8/8/8/PPPPPPPP/B1B1K3 w - - 0 1", P::TOO_MANY_WHITE_PROMOTIONS),
        ("1nnnk3/pppppppp/8/8/8/8/8/4K3 w - - 0 1", P::TOO_MANY_BLACK_PROMOTIONS),
        ("qqqqk3/ppppp3/q7/8/8/8/8/4K3 b - - 0 1", P::TOO_MANY_BLACK_PROMOTIONS),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", P::PAWN_ON_LAST_RANK),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", P::PAWN_ON_LAST_RANK),
        ("p3k3/8/8/8/8/8/8/4K3 w - - 0 1", P::PAWN_ON_LAST_RANK),
        ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", P::PAWN_ON_LAST_RANK),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", P::OPPONENT_IN_CHECK),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", P::OPPONENT_IN_CHECK),
        ("4k3/3P4/8/8/8/8/8/4K3 w - - 0 1", P::OPPONENT_IN_CHECK),
        ("4k3/8/8/8/8/3n4/8/4K3 b - - 0 1", P::OPPONENT_IN_CHECK),
        // Three checkers; two on one line; a check older than the pawn's double step.
        ("4k3/8/3N4/8/B7/8/8/K3R3 b - - 0 1", P::IMPOSSIBLE_CHECK),
        ("4R3/8/8/4k3/8/8/8/K3R3 b - - 0 1", P::IMPOSSIBLE_CHECK),
        ("8/6B1/8/4k3/8/2Q5/8/K7 b - - 0 1", P::IMPOSSIBLE_CHECK),
        ("8/8/8/8/1pP5/5k2/8/1K5B b - c3 0 1", P::IMPOSSIBLE_CHECK),
        ("8/8/8/2k5/3Pp3/8/8/B3K1Q1 b - d3 0 1", P::IMPOSSIBLE_CHECK),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", P::CASTLING_RIGHT_WITHOUT_ROOK),
        ("4k3/8/8/8/8/8/8/R3K3 w H - 0 1", P::CASTLING_RIGHT_WITHOUT_ROOK),
        ("4k3/8/8/8/8/8/8/4K2r w K - 0 1", P::CASTLING_RIGHT_WITHOUT_ROOK),
        ("4k3/8/8/8/8/8/8/4K2R w E - 0 1", P::CASTLING_RIGHT_WITHOUT_ROOK),
        ("4k3/8/8/8/8/8/4K3/7R w K - 0 1", P::CASTLING_RIGHT_WITHOUT_KING),
        ("r7/4k3/8/8/8/8/8/4K3 w q - 0 1", P::CASTLING_RIGHT_WITHOUT_KING),
        ("4k3/8/8/8/8/8/8/4K1RR w HG - 0 1", P::TWO_CASTLING_RIGHTS_ON_ONE_SIDE),
        ("rr2k3/8/8/8/8/8/8/4K3 w ab - 0 1", P::TWO_CASTLING_RIGHTS_ON_ONE_SIDE),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", P::IMPOSSIBLE_EN_PASSANT),
        ("4k3/8/8/4P3/8/8/8/4K3 w - e6 0 1", P::IMPOSSIBLE_EN_PASSANT),
        ("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1", P::IMPOSSIBLE_EN_PASSANT),
        ("3nk3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 1", P::IMPOSSIBLE_EN_PASSANT),
        ("4k3/8/8/8/3Pp3/8/3N4/4K3 b - d3 0 1", P::IMPOSSIBLE_EN_PASSANT),
        // Several at once.
        ("8/8/8/8/8/8/8/8 w - - 0 1", P::NO_WHITE_KING | P::NO_BLACK_KING),
        (
            "4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQ - 0 1",
            too_many_white | P::TOO_MANY_WHITE_PROMOTIONS,
        ),
        ("rnbqkbnr/pppppppp/p7/8/8/8/8/4K3 w kq - 0 1", too_many_black | P::TOO_MANY_BLACK_PAWNS),
        ("rnbqkbnr/pppppppp/8/k7/8/8/8/4K3 w kq - 0 1", too_many_black | P::TOO_MANY_BLACK_KINGS),
        (
            "P3k3/8/8/8/8/8/8/4RK2 w A e6 0 1",
            P::PAWN_ON_LAST_RANK
                | P::OPPONENT_IN_CHECK
                | P::IMPOSSIBLE_EN_PASSANT
                | P::CASTLING_RIGHT_WITHOUT_ROOK,
        ),
        (
            "4k3/8/8/8/8/8/4K3/8 w K - 0 1",
            P::CASTLING_RIGHT_WITHOUT_ROOK | P::CASTLING_RIGHT_WITHOUT_KING,
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w GH - 0 1",
            P::CASTLING_RIGHT_WITHOUT_ROOK | P::TWO_CASTLING_RIGHTS_ON_ONE_SIDE,
        ),
        (
            "qqqqqqqq/qqqqqqqq/qqqqqqqq/qqqqqqqq/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - - 0 1",
            P::NO_WHITE_KING
                | P::NO_BLACK_KING
                | too_many_white
                | too_many_black
                | P::TOO_MANY_WHITE_PROMOTIONS
                | P::TOO_MANY_BLACK_PROMOTIONS,
        ),
        (
            "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP b KQkq e3 0 1",
            P::NO_WHITE_KING
                | P::NO_BLACK_KING
                | P::TOO_MANY_WHITE_PAWNS
                | P::TOO_MANY_BLACK_PAWNS
                | P::PAWN_ON_LAST_RANK
                | P::CASTLING_RIGHT_WITHOUT_ROOK
                | P::CASTLING_RIGHT_WITHOUT_KING
                | P::IMPOSSIBLE_EN_PASSANT,
        ),
        (
            "4k3/8/3N4/8/B7/8/8/K3R3 b q e3 0 1",
            P::IMPOSSIBLE_CHECK | P::CASTLING_RIGHT_WITHOUT_ROOK | P::IMPOSSIBLE_EN_PASSANT,
        ),
    ]
}

#[test]
fn impossible_setups_are_refused_with_all_their_reasons() {
    let mut seen = SetupProblems::empty();
    for (fen, expected) in impossible() {
        let setup = Setup::from_fen(fen).expect("a FEN, if of no legal position");
        let error = setup.position().expect_err(fen);
        assert_eq!(error.problems, expected, "{fen}: {error}");
        assert_eq!(Position::from_fen(fen), Err(FenError::Illegal(error)));
        // Each reason is in the message: as many sentences as flags.
        let sentences = error.to_string().split("; ").count();
        assert_eq!(sentences, expected.iter_names().count(), "{error}");
        if expected.iter_names().count() == 1 {
            seen |= expected;
        }
    }
    // Only 17 pieces are never alone: one of them is a pawn, a king or a promotion too many.
    let alone = SetupProblems::all()
        - SetupProblems::TOO_MANY_WHITE_PIECES
        - SetupProblems::TOO_MANY_BLACK_PIECES;
    assert_eq!(seen, alone, "a problem has no case of its own");
}

#[test]
fn what_can_be_forgiven_is_forgiven_and_nothing_else() {
    for (fen, problems) in impossible() {
        let setup = Setup::from_fen(fen).unwrap();
        let hard = problems - SetupProblems::FORGIVABLE;
        for flag in SetupProblems::all().iter() {
            let left = problems - (flag & SetupProblems::FORGIVABLE);
            match setup.position_forgiving(flag) {
                Ok(_) => assert!(left.is_empty(), "{fen} with {flag:?} forgiven"),
                Err(error) => assert_eq!(error.problems, left, "{fen} with {flag:?} forgiven"),
            }
        }
        match setup.position_forgiving(SetupProblems::all()) {
            Err(error) => assert_eq!(error.problems, hard, "{fen}"),
            Ok(position) => {
                assert!(hard.is_empty(), "{fen}");
                // Only a check can still be impossible; rights and squares that could not be are
                // gone.
                let again = Setup::from(position).position();
                if problems.contains(SetupProblems::IMPOSSIBLE_CHECK) {
                    assert!(again.is_ok_and(|again| again == position) || position.in_check());
                } else {
                    assert_eq!(again, Ok(position), "{fen}");
                }
                let slow = SlowBoard::of(&position);
                let moves: BTreeSet<_> = position.legal_moves().into_iter().collect();
                assert_eq!(moves, slow.legal_moves(), "{fen}");
                for m in moves {
                    let _ = position.after(m); // checks its invariants in debug builds
                }
            }
        }
    }
}

#[test]
fn forgiving_keeps_the_outermost_of_two_rights_on_one_side() {
    let setup = Setup::from_fen("4k3/8/8/8/8/8/8/RR2K1RR w HGBA - 0 1").unwrap();
    let position = setup.position_forgiving(SetupProblems::all()).unwrap();
    assert_eq!(position.fen(), "4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1");
}

/// The problems that can be seen by counting, and the check, on a slow board.
fn counted_problems(setup: &Setup) -> SetupProblems {
    type P = SetupProblems;
    let mut found = P::empty();
    let squares = Square::all().map(|square| (square, setup.board.piece_at(square)));
    let pieces: Vec<(Square, Piece)> = squares.filter_map(|(at, p)| Some((at, p?))).collect();
    let count = |wanted: &dyn Fn(Square, Piece) -> bool| {
        pieces.iter().filter(|&&(square, piece)| wanted(square, piece)).count()
    };
    let flags = [
        [
            P::NO_WHITE_KING,
            P::TOO_MANY_WHITE_KINGS,
            P::TOO_MANY_WHITE_PIECES,
            P::TOO_MANY_WHITE_PAWNS,
            P::TOO_MANY_WHITE_PROMOTIONS,
        ],
        [
            P::NO_BLACK_KING,
            P::TOO_MANY_BLACK_KINGS,
            P::TOO_MANY_BLACK_PIECES,
            P::TOO_MANY_BLACK_PAWNS,
            P::TOO_MANY_BLACK_PROMOTIONS,
        ],
    ];
    for color in Color::ALL {
        let of = |kind: PieceType| count(&|_, piece| piece == Piece::new(color, kind));
        let bishops = |light: bool| {
            count(&|square, piece| {
                piece == Piece::new(color, PieceType::Bishop)
                    && ((square.file().index() + square.rank().index()) % 2 == 1) == light
            })
        };
        let more = |number: usize, initial: usize| number.saturating_sub(initial);
        let promoted = more(of(PieceType::Knight), 2)
            + more(bishops(true), 1)
            + more(bishops(false), 1)
            + more(of(PieceType::Rook), 2)
            + more(of(PieceType::Queen), 1);
        let pawns = of(PieceType::Pawn);
        let [none, kings, many, many_pawns, promotions] = flags[color.index()];
        found.set(none, of(PieceType::King) == 0);
        found.set(kings, of(PieceType::King) > 1);
        found.set(many, count(&|_, piece| piece.color() == color) > 16);
        found.set(many_pawns, pawns > 8);
        found.set(promotions, promoted + pawns.min(8) > 8);
    }
    let on_last_rank = |square: Square, piece: Piece| {
        piece.piece_type() == PieceType::Pawn && matches!(square.rank(), Rank::First | Rank::Eighth)
    };
    found.set(P::PAWN_ON_LAST_RANK, count(&on_last_rank) > 0);
    found
}

/// A setup with anything anywhere.
fn random_setup(random: &mut Random) -> Setup {
    let mut setup = Setup::EMPTY;
    let pieces = [2, 4, 8, 20, 34, 64][random.below(6)];
    if random.below(4) > 0 {
        for piece in [Piece::ALL[5], Piece::ALL[11]] {
            setup.board.put(Square::from_index(random.below(64)), piece);
        }
    }
    for _ in 0..pieces {
        let square = Square::from_index(random.below(64));
        setup.board.put(square, Piece::ALL[random.below(if pieces > 20 { 12 } else { 11 })]);
    }
    setup.turn = Color::ALL[random.below(2)];
    if random.below(2) == 0 {
        setup.en_passant = Some(Square::from_index(random.below(64)));
    }
    if random.below(2) == 0 {
        setup.castling_rooks = Bitboard(random.next() & random.next() & random.next());
    }
    setup.halfmove_clock = random.next() as u16;
    setup.fullmove_number = random.next() as u16;
    setup
}

#[test]
fn random_setups_are_judged_by_counting_and_never_panic() {
    let mut random = Random(43);
    let counted = SetupProblems::from_bits_truncate(SetupProblems::OPPONENT_IN_CHECK.bits() - 1);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let setup = random_setup(&mut random);
        let forgiven = setup.position_forgiving(SetupProblems::all());
        let problems = setup.position().err().map_or(SetupProblems::empty(), |e| e.problems);
        assert_eq!(problems & counted, counted_problems(&setup), "{setup:?}");
        assert_eq!(forgiven.is_ok(), (problems - SetupProblems::FORGIVABLE).is_empty());
        if let Ok(position) = forgiven {
            accepted += 1;
            let slow = SlowBoard::of(&position);
            assert!(!slow.in_check(!slow.turn), "{position}");
            let moves: BTreeSet<_> = position.legal_moves().into_iter().collect();
            assert_eq!(moves, slow.legal_moves(), "{position}");
        }
    }
    assert!(accepted > 500, "{accepted}");
}
