//! SAN, LAN and UCI notation: round trips, and the reasons of rejected moves.

use tabiya_chess::rng::Rng;
use tabiya_chess::{CastlingStyle, Illegality, Position, SanError, Square, chess960};

fn position(fen: &str) -> Position {
    fen.parse().unwrap()
}

fn refused(fen: &str, text: &str) -> SanError {
    position(fen).parse_san(text).unwrap_err()
}

fn illegal(fen: &str, text: &str) -> Illegality {
    match refused(fen, text) {
        SanError::Illegal { why, .. } => why,
        other => panic!("{other}"),
    }
}

#[test]
fn moves_of_random_games_round_trip_in_every_notation() {
    let mut rng = Rng::from_seed(3);
    for game in 0..60 {
        let number = if game % 3 == 0 { rng.below(960) as u16 } else { 518 };
        let mut position = chess960::start(number).unwrap();
        for _ in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            for &m in &moves {
                let (san, lan) = (position.san(m), position.lan(m));
                assert_eq!(position.parse_san(&san), Ok(m), "{san} in {position}");
                assert_eq!(position.parse_san(&lan), Ok(m), "{lan} in {position}");
                for style in [CastlingStyle::Standard, CastlingStyle::Chess960] {
                    let uci = position.uci(m, style);
                    assert_eq!(position.parse_uci(&uci), Ok(m), "{uci} in {position}");
                }
                let after = position.after(m);
                let mark = if after.is_checkmate() {
                    "#"
                } else if after.in_check() {
                    "+"
                } else {
                    ""
                };
                assert_eq!(san.trim_end_matches(['+', '#']).len() + mark.len(), san.len());
                assert!(san.ends_with(mark));
            }
            position = position.after(moves[rng.below(moves.len())]);
        }
    }
}

#[test]
fn disambiguation_is_the_least_that_legal_moves_need() {
    let cases = [
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "b1d2", "Nbd2"),
        ("4k3/8/8/1N6/8/8/8/1N2K3 w - - 0 1", "b1c3", "N1c3"),
        ("6k1/8/8/Q3Q3/8/8/8/Q3K3 w - - 0 1", "a5c3", "Qa5c3"),
        ("6k1/8/8/Q3Q3/8/8/8/Q3K3 w - - 0 1", "e5h8", "Qh8+"),
        // The other knight is pinned: no disambiguation.
        ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", "O-O"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O"),
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+"),
        ("3q2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", "exd8=Q+"),
        ("4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1", "d5c6", "dxc6"),
    ];
    for (fen, uci, san) in cases {
        let position = position(fen);
        let m = position.parse_uci(uci).unwrap();
        assert_eq!(position.san(m).as_str(), san, "{fen}");
        assert_eq!(position.parse_san(san), Ok(m));
    }
}

#[test]
fn every_rejection_has_a_reason() {
    let two_rooks = "4k3/8/8/8/8/8/8/R2K3R w - - 0 1";
    let SanError::Ambiguous { candidates, .. } = refused("4k3/8/8/R7/8/8/8/R3K3 w - - 0 1", "Ra3")
    else {
        panic!();
    };
    assert_eq!(candidates.len(), 2);
    assert!(matches!(refused(two_rooks, "Qd4"), SanError::NoSuchMove { to: Square::D4, .. }));
    assert!(matches!(refused(two_rooks, "xyz"), SanError::Malformed { .. }));
    let pinned = illegal("4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1", "Nc3");
    assert!(matches!(pinned, Illegality::Pinned { from: Square::E2, pinner: Square::E8, .. }));
    let checked = illegal("4r1k1/8/8/8/8/8/8/N3K3 w - - 0 1", "Nb3");
    assert_eq!(checked, Illegality::StaysInCheck { checker: Square::E8 });
    let into = illegal("3r2k1/8/8/8/8/8/8/4K3 w - - 0 1", "Kd1");
    assert_eq!(into, Illegality::IntoCheck { attacker: Square::D8 });
    assert_eq!(illegal(two_rooks, "Rd1"), Illegality::OwnPiece(Square::D1));
    let promotion = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    assert_eq!(illegal(promotion, "a8"), Illegality::PromotionMissing);
    assert_eq!(
        illegal("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "a7=Q"),
        Illegality::NoPromotionThere(Square::A7)
    );
    assert_eq!(illegal(two_rooks, "O-O"), Illegality::NoCastlingRight);
    let castling = |fen: &str| illegal(fen, "O-O");
    assert_eq!(
        castling("4k3/8/8/8/8/8/8/4KN1R w K - 0 1"),
        Illegality::CastlingBlocked(Square::F1)
    );
    assert_eq!(castling("4r1k1/8/8/8/8/8/8/4K2R w K - 0 1"), Illegality::CastlingOutOfCheck);
    assert_eq!(
        castling("5rk1/8/8/8/8/8/8/4K2R w K - 0 1"),
        Illegality::CastlingThroughCheck(Square::F1)
    );
    assert_eq!(illegal(two_rooks, "--"), Illegality::Null);
    assert_eq!(illegal("4r1k1/8/8/8/8/8/8/4K3 w - - 0 1", "--"), Illegality::NullInCheck);
    for error in [refused(two_rooks, "Ra1"), refused(two_rooks, "Qd4"), refused(two_rooks, "O-O")] {
        assert!(error.to_string().starts_with('\''), "{error}");
    }
}

#[test]
fn chess960_castling_is_distinguished_from_a_king_move() {
    // The king goes one step either way: castling is O-O, the step is Kg1.
    let position = position("4k3/8/8/8/8/8/8/5K1R w H - 0 1");
    let castles = position.parse_san("O-O").unwrap();
    let steps = position.parse_san("Kg1").unwrap();
    assert_ne!(castles, steps);
    assert_eq!(position.uci(castles, CastlingStyle::Chess960).as_str(), "f1h1");
    assert_eq!(position.uci(steps, CastlingStyle::Chess960).as_str(), "f1g1");
}

#[test]
fn moves_in_uci_are_read_in_both_styles_and_refused_with_reasons() {
    let position = position("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
    for (a, b) in [("e8g8", "e8h8"), ("e8c8", "e8a8")] {
        assert_eq!(position.parse_uci(a), position.parse_uci(b));
        assert!(position.parse_uci(a).unwrap().is_castling());
    }
    for bad in ["", "e8", "e8g8q", "e8e9", "E8G8", "e1g1", "a8a1q", "0000", "e8b8", "e8g8 ", "é8g8"]
    {
        assert!(position.parse_uci(bad).is_err(), "{bad}");
    }
}
