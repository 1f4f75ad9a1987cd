//! FENs and setups of illegal positions: each is rejected with all its problems.

use std::collections::BTreeSet;

use tabiya_chess::rng::Rng;
use tabiya_chess::{
    Bitboard, Color, FenError, Piece, PieceType, Position, Rank, Setup, SetupProblems, Square,
};

use crate::slow::SlowBoard;

/// FENs of illegal positions with all their problems.
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
fn illegal_setups_are_rejected_with_all_problems() {
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

/// A setup with random pieces, rights and clocks.
fn random_setup(rng: &mut Rng) -> Setup {
    let mut setup = Setup::EMPTY;
    let pieces = [2, 4, 8, 20, 34, 64][rng.below(6)];
    if rng.below(4) > 0 {
        for piece in [Piece::ALL[5], Piece::ALL[11]] {
            setup.board.put(Square::from_index_wrapping(rng.below(64)), piece);
        }
    }
    for _ in 0..pieces {
        let square = Square::from_index_wrapping(rng.below(64));
        setup.board.put(square, Piece::ALL[rng.below(if pieces > 20 { 12 } else { 11 })]);
    }
    setup.turn = Color::ALL[rng.below(2)];
    if rng.below(2) == 0 {
        setup.en_passant = Some(Square::from_index_wrapping(rng.below(64)));
    }
    if rng.below(2) == 0 {
        setup.castling_rooks = Bitboard(rng.next_u64() & rng.next_u64() & rng.next_u64());
    }
    setup.halfmove_clock = rng.next_u64() as u16;
    setup.fullmove_number = rng.next_u64() as u16;
    setup
}

#[test]
fn problems_of_random_setups_match_the_reference_and_nothing_panics() {
    let mut rng = Rng::from_seed(43);
    let counted = SetupProblems::from_bits_truncate(SetupProblems::OPPONENT_IN_CHECK.bits() - 1);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let setup = random_setup(&mut rng);
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
