//! The move generator against the reference implementation, over random games of chess and Chess960.

use crate::slow;
use std::collections::BTreeSet;

use crate::slow::SlowBoard;
use crate::slow::games::play;
use tabiya_chess::{
    Bitboard, CastlingStyle, Color, FenStyle, Move, MoveFilter, MoveKind, MoveList, Observer,
    Piece, Position, Setup, Square,
};

/// The moves as a set; none may be listed twice.
fn set(moves: MoveList) -> BTreeSet<Move> {
    let set: BTreeSet<Move> = moves.iter().copied().collect();
    assert_eq!(set.len(), moves.len(), "a move is listed twice in {moves:?}");
    set
}

#[test]
fn the_legal_moves_are_those_of_the_slow_generator() {
    let mut kinds = [0; 16];
    let (mut checks, mut double_checks, mut mates, mut stalemates) = (0, 0, 0, 0);
    play(1, 400, 80, |position, slow, _| {
        let expected = slow.legal_moves();
        assert_eq!(set(position.legal_moves()), expected, "{position}");
        assert_eq!(position.count_legal_moves(), expected.len(), "{position}");
        assert_eq!(position.has_legal_move(), !expected.is_empty(), "{position}");

        let checkers = slow.attackers(slow.king(slow.turn), !slow.turn);
        assert_eq!(position.checkers(), checkers, "{position}");
        assert_eq!(position.in_check(), checkers.any(), "{position}");
        assert_eq!(position.is_checkmate(), checkers.any() && expected.is_empty(), "{position}");
        assert_eq!(position.is_stalemate(), !checkers.any() && expected.is_empty(), "{position}");

        for m in &expected {
            kinds[m.kind() as usize] += 1;
        }
        checks += usize::from(checkers.any());
        double_checks += usize::from(checkers.many());
        mates += usize::from(position.is_checkmate());
        stalemates += usize::from(position.is_stalemate());
    });
    // The games must have been worth it.
    use MoveKind::*;
    for kind in [Quiet, DoublePush, Castling, Capture, EnPassant, Promotion, PromotionCapture] {
        assert!(kinds[kind as usize] >= 50, "{kind:?}: {}", kinds[kind as usize]);
    }
    let ends = (checks, double_checks, mates, stalemates);
    assert!(checks >= 100 && double_checks >= 3 && mates >= 3 && stalemates >= 1, "{ends:?}");
}

#[test]
fn a_filter_passes_exactly_its_moves() {
    play(2, 60, 80, |position, slow, rng| {
        let all = slow.legal_moves();
        let in_check = slow.in_check(slow.turn);
        let (from, to) = (Bitboard(rng.next_u64()), Bitboard(rng.next_u64()));
        let (captures, quiets) = (rng.below(2) == 0, rng.below(2) == 0);
        let filters = [
            MoveFilter::ALL,
            MoveFilter::CAPTURES,
            MoveFilter::QUIETS,
            MoveFilter::EVASIONS,
            MoveFilter { from, ..MoveFilter::ALL },
            MoveFilter { to, ..MoveFilter::ALL },
            MoveFilter { from, to, captures, quiets, only_in_check: rng.below(2) == 0 },
        ];
        for filter in filters {
            let expected: BTreeSet<Move> = all
                .iter()
                .copied()
                .filter(|m| filter.from.has(m.from()) && filter.to.has(m.to()))
                .filter(|m| if m.is_capture() { filter.captures } else { filter.quiets })
                .filter(|_| in_check || !filter.only_in_check)
                .collect();
            assert_eq!(set(position.moves(filter)), expected, "{filter:?} in {position}");
        }
    });
}

#[test]
fn of_all_16_bit_patterns_only_legal_moves_are_legal() {
    let mut positions = 0;
    play(3, 12, 60, |position, slow, rng| {
        if rng.below(8) != 0 {
            return;
        }
        positions += 1;
        let expected = slow.legal_moves();
        let found: BTreeSet<Move> =
            (0..=u16::MAX).map(Move::from_bits).filter(|&m| position.is_legal(m)).collect();
        assert_eq!(found, expected, "{position}");
    });
    assert!(positions >= 40, "{positions}");
}

#[test]
fn a_move_gives_check_if_the_king_is_attacked_once_it_is_made() {
    let (mut checks, mut castling_checks, mut en_passant_checks) = (0, 0, 0);
    let mut compare = |position: &Position, slow: &SlowBoard| {
        for m in slow.legal_moves() {
            let expected = slow.after(m).in_check(!slow.turn);
            assert_eq!(position.gives_check(m), expected, "{m:?} in {position}");
            checks += usize::from(expected);
            castling_checks += usize::from(expected && m.is_castling());
            en_passant_checks += usize::from(expected && m.kind() == MoveKind::EnPassant);
        }
    };
    play(4, 60, 80, |position, slow, _| compare(position, slow));
    let chosen = [
        "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
        "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
        "1k6/8/8/8/8/8/8/5KR1 w G - 0 1",
        "7k/8/8/8/8/8/8/2RK4 w C - 0 1",
        "8/5k2/8/2Pp4/2B5/1K6/8/8 w - d6 0 1",
        "8/8/8/R1pP1k2/8/8/8/K7 w - c6 0 1",
        "8/2k2P2/8/8/8/8/8/K7 w - - 0 1",
        "3k4/8/8/8/8/8/8/RK6 w A - 0 1",
    ];
    for fen in chosen {
        let position: Position = fen.parse().unwrap();
        compare(&position, &SlowBoard::of(&position));
    }
    assert!(checks >= 500 && castling_checks >= 3 && en_passant_checks >= 2);
}

#[test]
fn moves_lead_where_the_slow_board_goes() {
    play(5, 60, 80, |position, slow, _| {
        let mut shown = BTreeSet::new();
        position.for_each_child(|m, child| {
            assert!(shown.insert(m), "{m:?} twice in {position}");
            let made = position.after(m);
            assert_eq!(*child, made, "{m:?} in {position}");
            assert_eq!((child.key(), child.pawn_key()), (made.key(), made.pawn_key()));
            let expected = slow.after(m);
            let mut found = SlowBoard::of(child);
            assert_eq!(found.passed, expected.en_passant(), "{m:?} in {position}");
            found.passed = expected.passed;
            assert_eq!(found, expected, "{m:?} in {position}");
        });
        assert_eq!(shown, slow.legal_moves(), "{position}");
    });
}

#[test]
fn fens_are_those_of_the_slow_writer_and_are_read_back() {
    play(6, 100, 80, |position, slow, _| {
        for style in [FenStyle::Standard, FenStyle::Shredder] {
            let fen = position.fen_in(style);
            assert_eq!(fen, slow.fen(style == FenStyle::Shredder));
            let again = Position::from_fen(&fen);
            assert_eq!(again, Ok(*position));
            assert_eq!(again.map(|again| again.key()), Ok(position.key()));
        }
    });
}

#[test]
fn keys_are_those_of_the_same_position_set_up_anew() {
    play(7, 100, 80, |position, slow, _| {
        let again = Setup::from(*position).position().expect("a legal position");
        assert_eq!(again, *position);
        assert_eq!((again.key(), again.pawn_key()), (position.key(), position.pawn_key()));

        // The clocks are not part of the key, and an en-passant square that means nothing neither.
        let setup = Setup {
            halfmove_clock: 7,
            fullmove_number: 99,
            en_passant: slow.passed,
            ..Setup::from(*position)
        };
        assert_eq!(setup.position().map(|other| other.key()), Ok(position.key()), "{position}");
    });
}

#[test]
fn whatever_differs_gives_another_key() {
    let mut seen = std::collections::HashMap::new();
    play(8, 160, 80, |position, slow, _| {
        let identity = slow.identity();
        let known = seen.entry(position.key()).or_insert_with(|| identity.clone());
        assert_eq!(*known, identity, "two positions with one key");
    });
    let by_identity: BTreeSet<&String> = seen.values().collect();
    assert_eq!(by_identity.len(), seen.len(), "one position with two keys");
    assert!(seen.len() > 5_000, "{}", seen.len());
}

#[test]
fn a_null_move_passes_the_turn_unless_in_check() {
    let mut refused = 0;
    play(9, 60, 80, |position, slow, _| {
        let Some(passed) = position.after_null() else {
            assert!(slow.in_check(slow.turn), "{position}");
            refused += 1;
            return;
        };
        assert!(!slow.in_check(slow.turn), "{position}");
        let mut expected = slow.clone();
        expected.turn = !slow.turn;
        expected.passed = None;
        expected.halfmoves += 1;
        expected.fullmoves += u32::from(slow.turn == Color::Black);
        assert_eq!(SlowBoard::of(&passed), expected, "{position}");
        let again = Setup::from(passed).position().expect("a legal position");
        assert_eq!((again.key(), again.pawn_key()), (passed.key(), passed.pawn_key()));
    });
    assert!(refused > 0);
}

/// A board maintained by an observer alone.
#[derive(Clone, PartialEq, Debug)]
struct ObservedBoard([Option<Piece>; 64]);

impl Observer for ObservedBoard {
    fn put(&mut self, piece: Piece, square: Square) {
        let before = self.0[square.index()].replace(piece);
        assert_eq!(before, None, "{piece} was put on an occupied square");
    }

    fn remove(&mut self, piece: Piece, square: Square) {
        let before = self.0[square.index()].take();
        assert_eq!(before, Some(piece), "something else was removed from {square}");
    }
}

#[test]
fn observed_changes_give_the_new_board() {
    play(10, 60, 80, |position, slow, _| {
        for &m in &position.legal_moves() {
            let mut observed = ObservedBoard(slow.squares);
            let next = position.after_observed(m, &mut observed);
            assert_eq!(observed.0, slow.after(m).squares, "{m:?} in {position}");
            assert_eq!(next, position.after(m));
        }
    });
}

#[test]
fn uci_moves_round_trip_in_both_castling_styles() {
    play(11, 100, 80, |position, _, _| {
        let moves = position.legal_moves();
        for style in [CastlingStyle::Standard, CastlingStyle::Chess960] {
            let mut texts = BTreeSet::new();
            for &m in &moves {
                let text = position.uci(m, style);
                assert_eq!(position.parse_uci(&text), Ok(m), "{text} in {position}");
                assert!(texts.insert(text), "{text} means two moves in {position}");
                match style {
                    CastlingStyle::Standard => assert_eq!(text.as_str(), m.to_string()),
                    CastlingStyle::Chess960 => {
                        assert_eq!(text[..4], format!("{}{}", m.from(), m.to()));
                    }
                }
            }
        }
    });
}

#[test]
fn every_uci_text_is_either_legal_or_rejected() {
    let squares: Vec<String> = Square::all().map(|square| square.to_string()).collect();
    play(12, 4, 60, |position, slow, rng| {
        if rng.below(6) != 0 {
            return;
        }
        let legal = slow.legal_moves();
        for from in &squares {
            for to in &squares {
                for promotion in ["", "n", "b", "r", "q"] {
                    let text = format!("{from}{to}{promotion}");
                    let by_rook = legal.iter().find(|m| m.to_string() == text);
                    // A king's move of two squares or more is castling.
                    let by_king = || {
                        legal.iter().find(|m| {
                            let (king_to, _) = slow::castling_targets(m.from(), m.to());
                            m.is_castling()
                                && m.from().file().index().abs_diff(king_to.file().index()) > 1
                                && format!("{}{king_to}", m.from()) == text
                        })
                    };
                    let expected = by_rook.or_else(by_king).copied();
                    assert_eq!(position.parse_uci(&text).ok(), expected, "{text} in {position}");
                }
            }
        }
    });
}

#[test]
fn texts_that_are_no_moves_are_refused_with_the_text() {
    let texts =
        ["", "e", "e2", "e2e", "e2e9", "i2e4", "e2e4k", "e2e4p", "e2e4Q", "e7e8qq", " e2e4"]
            .into_iter()
            .chain([
                "e2e4 ",
                "E2E4",
                "0000",
                "--",
                "O-O",
                "e2-e4",
                "é2e4",
                "e2é4",
                "e2e4\u{0}",
                "♙e4",
            ]);
    for text in texts {
        let error = Position::INITIAL.parse_uci(text).unwrap_err();
        assert_eq!(error, tabiya_chess::UciError::Malformed(text.to_owned()));
        assert!(error.to_string().contains(text));
    }
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "not legal")]
fn debug_builds_do_not_make_illegal_moves() {
    let _ = Position::INITIAL.after(Move::new(Square::E2, Square::E5, MoveKind::Quiet));
}
