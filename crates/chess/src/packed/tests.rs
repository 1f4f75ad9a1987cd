use super::*;
use crate::rng::Rng;

/// The reference: square by square.
fn reference_bytes(position: &Position) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut codes = Vec::new();
    for square in Square::all() {
        let Some(piece) = position.piece_at(square) else { continue };
        bytes[square.index() / 8] |= 1 << (square.index() % 8);
        let behind = match piece.color() {
            Color::White => square.index().checked_sub(8),
            Color::Black => Some(square.index() + 8),
        };
        let is_en_passant_pawn = piece.piece_type() == PieceType::Pawn
            && piece.color() != position.turn()
            && position.en_passant().map(Square::index) == behind;
        codes.push(match piece.letter() {
            _ if is_en_passant_pawn => 7,
            'R' if position.castling_rooks().has(square) => 6,
            'r' if position.castling_rooks().has(square) => 14,
            'k' if position.turn() == Color::Black => 15,
            letter => "PNBRQK??pnbrqk".find(letter).unwrap() as u8,
        });
    }
    for (n, code) in codes.into_iter().enumerate() {
        bytes[8 + n / 2] |= code << (4 * (n % 2));
    }
    bytes[25] = 0x80;
    bytes[28..30].copy_from_slice(&position.fullmove_number().to_le_bytes());
    bytes[30..].copy_from_slice(&position.halfmove_clock().to_le_bytes());
    bytes
}

#[test]
fn positions_of_random_games_match_the_reference_and_round_trip() {
    let mut rng = Rng::from_seed(11);
    let mut random = |n: usize| rng.below(n);
    let mut with_en_passant = 0;
    for game in 0..120 {
        let start = if game % 3 == 0 { 518 } else { random(960) as u16 };
        let mut position = crate::chess960::start(start).unwrap();
        for _ in 0..150 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[random(moves.len())];
            let plain = PackedRow::new(&position).unwrap();
            assert_eq!(*plain.as_bytes(), reference_bytes(&position), "{position}");
            assert_eq!(plain.turn(), position.turn());
            assert_eq!(plain.setup(), Ok(Setup::from(position)));
            let all = Square::all().filter_map(|s| Some((s, position.piece_at(s)?)));
            assert!(plain.pieces().eq(all), "{position}");
            let score = match random(4) {
                0 => None,
                1 => Some(Score::Mate(random(255) as i32 - 127)),
                _ => Some(Score::Centipawns(random(63_999) as i32 - 31_999)),
            };
            let result = GameResult::ALL[random(4)];
            let row = plain.with_move(m).with_score(score).with_result(result);
            let unpacked = Unpacked { position, best_move: Some(m), score, result };
            assert_eq!(row.unpack(), Ok(unpacked));
            assert_eq!(row.position_only(), plain);
            with_en_passant += usize::from(position.en_passant().is_some());
            position = position.after(m);
        }
    }
    assert!(with_en_passant > 10, "{with_en_passant}");
}

#[test]
fn scores_and_clocks_out_of_range_are_rejected() {
    let row = PackedRow::new(&Position::INITIAL).unwrap();
    for score in [Score::Centipawns(32_000), Score::Centipawns(i32::MIN), Score::Mate(128)] {
        assert!(!PackedRow::has_room_for(score));
        assert_eq!(row.with_score(Some(score)).score(), Ok(None));
    }
    let with_clock = |clock| {
        let fen = format!("4k3/8/8/8/8/8/8/4K2R w - - {clock} 9000");
        PackedRow::new(&fen.parse().unwrap()).map(|row| row.position().unwrap().fen() == fen)
    };
    assert_eq!(with_clock(16_383), Some(true));
    assert_eq!(with_clock(16_384), None);
}

#[test]
fn any_bytes_have_at_most_thirty_two_pieces() {
    let mut rng = Rng::from_seed(3);
    for _ in 0..2_000 {
        let bytes = std::array::from_fn(|_| rng.next_u64() as u8);
        assert!(PackedRow::from_bytes(bytes).pieces().count() <= 32);
    }
    assert_eq!(PackedRow::from_bytes([255; 32]).pieces().count(), 32);
    assert_eq!(PackedRow::from_bytes([0; 32]).pieces().count(), 0);
}

#[test]
fn invalid_rows_are_rejected_with_the_reason() {
    let good = *PackedRow::new(&Position::INITIAL).unwrap().as_bytes();
    let with = |changes: &[(usize, u8)]| {
        let mut bytes = good;
        for &(at, byte) in changes {
            bytes[at] = byte;
        }
        PackedRow::from_bytes(bytes).unpack().map(|_| ())
    };
    assert_eq!(with(&[]), Ok(()));
    assert_eq!(with(&[(3, 1)]), Err(PackedError::TooManyPieces(33)));
    assert_eq!(with(&[(1, 0)]), Err(PackedError::Leftover));
    assert_eq!(with(&[(28, 0)]), Err(PackedError::MoveNumber));
    assert_eq!(with(&[(12, 0x07)]), Err(PackedError::EnPassant));
    assert_eq!(with(&[(25, 0x7e)]), Err(PackedError::Score(0x7e00)));
    assert!(matches!(with(&[(26, 1)]), Err(PackedError::Move(_))));
    assert!(matches!(with(&[(8, 0x55)]), Err(PackedError::Position(_))));
}
