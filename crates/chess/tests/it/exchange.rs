//! Static exchange evaluation against a recursion on a slow board.

use crate::slow;
use crate::slow::SlowBoard;
use tabiya_chess::{Color, Move, MoveKind, Piece, PieceType, Position, Square, see};

fn value(piece: Piece) -> i32 {
    see::VALUES[piece.piece_type().index()]
}

/// What the player wins on this square if he begins to capture there, or does not.
fn best_exchange(board: &SlowBoard, square: Square, player: Color) -> i32 {
    let attackers = board.attackers(square, player);
    let cheapest = attackers
        .into_iter()
        .min_by_key(|&from| (board.at(from).map(Piece::piece_type), from))
        .and_then(|from| Some((from, board.at(from)?)));
    let (Some((from, piece)), Some(victim)) = (cheapest, board.at(square)) else { return 0 };
    if piece.piece_type() == PieceType::King && board.is_attacked(square, !player) {
        return 0;
    }
    let mut next = board.clone();
    next.squares[from.index()] = None;
    next.squares[square.index()] = Some(piece);
    (value(victim) - best_exchange(&next, square, !player)).max(0)
}

fn slow_see(board: &SlowBoard, m: Move) -> i32 {
    if m.is_castling() {
        return 0;
    }
    let mover = board.at(m.from()).unwrap();
    let next = board.after(m);
    let arrived = next.at(m.to()).unwrap();
    let taken = match m.kind() {
        MoveKind::EnPassant => see::VALUES[PieceType::Pawn.index()],
        _ => board.at(m.to()).map_or(0, value),
    };
    taken + value(arrived) - value(mover) - best_exchange(&next, m.to(), !board.turn)
}

fn compare(position: &Position, slow: &SlowBoard) -> i32 {
    let mut best = 0;
    for m in slow.legal_moves() {
        let expected = slow_see(slow, m);
        assert_eq!(position.see(m), expected, "{m:?} in {position}");
        let around = [-20_000, -901, -900, -500, -300, -101, -100, -99, -1, 0, 1, 99, 100, 300]
            .into_iter()
            .chain([500, 900, 20_000])
            .chain(expected - 2..=expected + 2);
        for threshold in around {
            let reaches = position.see_reaches(m, threshold);
            assert_eq!(reaches, expected >= threshold, "{m:?} reaches {threshold} in {position}");
        }
        best = best.max(expected);
    }
    best
}

#[test]
fn see_in_random_games_matches_the_recursive_reference() {
    let mut winning = 0;
    slow::games::play(21, 120, 80, |position, slow, _| {
        winning += usize::from(compare(position, slow) > 0);
    });
    assert!(winning >= 1_000, "{winning}");
}

#[test]
fn long_exchanges_equal_the_recursion() {
    let crowded = [
        "3r2k1/1b1r1pp1/2n1q3/3p4/2P1P3/1BN2Q2/3R2PP/3R2K1 w - - 0 1",
        "k2r3q/3r2b1/2n1bn2/2pp4/2PP4/2N1BN2/3R2B1/K2R3Q b - - 0 1",
        "k2r3q/3r2b1/2n1bn2/2pp4/2PP4/2N1BN2/3R2B1/K2R3Q w - - 0 1",
        "6k1/5p2/4pbp1/8/3PK3/8/1B6/Q7 b - - 0 1",
        "4k3/6b1/8/8/3pK3/8/8/3R4 w - - 0 1",
        "3q3k/3r4/3r4/3p4/3P4/3R4/3R4/3Q3K w - - 0 1",
        "7k/8/1b6/2b5/3p4/4B3/5B2/6QK w - - 0 1",
    ];
    for fen in crowded {
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        compare(&position, &SlowBoard::of(&position));
    }
    let known = [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", 100 - 300),
    ];
    for (fen, m, expected) in known {
        let position = Position::from_fen(fen).unwrap();
        let m = position.parse_uci(m).unwrap();
        assert_eq!(position.see(m), expected, "{m} in {fen}");
        compare(&position, &SlowBoard::of(&position));
    }
}
