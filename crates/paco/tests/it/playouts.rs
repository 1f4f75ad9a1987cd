//! Random games with every invariant checked after every action, against slow and obvious twins.
//!
//! `PACO_GAMES=100000 cargo test -p tabiya-paco --test playouts` plays more of them.

use crate::slow;
use chess::{Color, Square};
use tabiya_paco::{
    Action, Answer, Game, Legal, Options, Position, Required, Rng, Rules, TensorBatch, expand,
    random_playout, write_indices_batch, write_tensors_batch,
};

fn games(default: u64) -> u64 {
    std::env::var("PACO_GAMES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A start position of Fischer random chess for every third game, the standard one otherwise.
fn start(rng: &mut Rng, number: u64) -> Position {
    if number % 3 != 2 {
        return Position::default();
    }
    let mut row = vec!['R', 'K', 'R'];
    for piece in ['B', 'N', 'Q', 'B', 'N'] {
        row.insert(rng.below(row.len() + 1), piece);
    }
    let white: String = row.iter().collect();
    let black = white.to_lowercase();
    let files: String =
        (0..8).filter(|&i| row[i] == 'R').map(|i| (b'A' + i as u8) as char).collect();
    let castling = format!("{files}{}", files.to_lowercase());
    format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w 0 {castling} - -").parse().unwrap()
}

#[test]
fn random_games_keep_every_invariant() {
    let mut rng = Rng::from_seed(0x5a60);
    let mut actions = 0;
    let mut ends = std::collections::BTreeMap::<String, u64>::new();
    for number in 0..games(1000) {
        let start = start(&mut rng, number);
        let mut game = Game::new(start, 3);
        actions += random_playout(&mut game, &mut rng, 20_000, |game| {
            let position = game.position();
            assert_eq!(position.broken_invariant(), None, "{}", position.to_extended_fen());
            assert_eq!(position.piece_count(), 32);
            assert_eq!(position.to_extended_fen().parse::<Position>(), Ok(*position));
            if position.promotion().is_none() {
                // The plain form loses nothing but the number of the turn.
                let plain: Position = position.to_string().parse().unwrap();
                assert_eq!(plain.key(), position.key());
                assert_eq!(plain.ending(), position.ending());
            }
            // Nothing legal: the game is over, a chain is at a dead end, or no piece can be lifted.
            let stuck = game.legal().is_empty() && game.outcome().is_none();
            assert!(!stuck || position.required() != Required::PromoteThenLift);
            assert_eq!(stuck, game.is_dead_end());
            let option = Options::from_bits_truncate((position.key() >> 32) as u8 & 7);
            assert_eq!(position.indices(option).unwrap().len(), option.index_len());
        }) as u64;
        let end = game.outcome().map_or("standstill".to_owned(), |outcome| outcome.to_string());
        *ends.entry(end).or_default() += 1;
    }
    println!("{actions} actions, {ends:?}");
    assert!(ends.keys().any(|end| end.starts_with("PacoVictory")), "{ends:?}");
}

#[test]
fn legal_actions_equal_those_of_the_slow_twin() {
    let mut rng = Rng::from_seed(7);
    let mut castlings = 0;
    for number in 0..games(120).min(2000) {
        let start = start(&mut rng, number);
        random_playout(&mut Game::new(start, 0), &mut rng, 20_000, |game| {
            let position = game.position();
            let slow = slow::legal_without_castling(position);
            let fast: Vec<Action> = position.legal().iter().collect();
            if fast == slow {
                return;
            }
            // What the twin does not know is castling: more places for a king, or a king that can
            // be lifted only to castle.
            let extra: Vec<Action> =
                fast.iter().copied().filter(|action| !slow.contains(action)).collect();
            assert_eq!(fast.len(), slow.len() + extra.len(), "{position}");
            let me = position.player();
            let king = position.king_square(me).unwrap();
            for action in extra {
                castlings += 1;
                match action {
                    Action::Lift(square) => assert_eq!(square, king),
                    Action::Place(target) => assert_castling(position, king, target),
                    Action::Promote(_) => panic!("{position}"),
                }
            }
        });
    }
    assert!(castlings > 20, "{castlings}");
}

/// The king may be placed there to castle: the right is held, the ways are free, and no square of
/// the king's way can be reached by the opponent.
fn assert_castling(position: &Position, king: Square, target: Square) {
    let me = position.player();
    let rank = king.rank();
    let castles = position.castling_rooks(me).into_iter().any(|rook| {
        let queen_side = rook < king;
        let (king_to, rook_to) = if queen_side { (2, 3) } else { (6, 5) };
        let standard = king.file() == chess::File::E
            && rook.file() == if queen_side { chess::File::A } else { chess::File::H };
        let placed = if standard { king_to } else { rook.file().index() };
        if placed != target.file().index() || rank != target.rank() {
            return false;
        }
        let span = |a: usize, b: usize| a.min(b)..=a.max(b);
        let free = |file: usize| {
            let square = Square::new(chess::File::from_index_wrapping(file), rank);
            square == king || square == rook || !position.occupied().has(square)
        };
        let king_file = king.file().index();
        let threatened = slow::reached(position, !me, None, Some(king));
        let safe = |file: usize| {
            let square = Square::new(chess::File::from_index_wrapping(file), rank);
            threatened.as_ref().is_none_or(|reached| !reached.contains(&square))
        };
        span(king_file, king_to).all(free)
            && span(rook.file().index(), rook_to).all(free)
            && span(king_file, king_to).all(safe)
    });
    assert!(castles, "{position}: {king} to {target}");
}

#[test]
fn castling_is_never_refused_without_a_reason() {
    let mut rng = Rng::from_seed(11);
    let (mut allowed, mut threatened) = (0, 0);
    for number in 0..games(300).min(4000) {
        let start = start(&mut rng, number);
        random_playout(&mut Game::new(start, 0), &mut rng, 300, |game| {
            let position = game.position();
            let Some(hand) = position.hand() else { return };
            let me = position.player();
            let rights = position.castling_rooks(me);
            if hand.piece != tabiya_paco::PieceType::King || rights.is_empty() {
                return;
            }
            let Legal::Places(places) = position.legal() else { panic!("{position}") };
            for rook in rights {
                let queen_side = rook < hand.square;
                let (king_to, rook_to) = if queen_side { (2, 3) } else { (6, 5) };
                let standard = hand.square.file() == chess::File::E
                    && rook.file() == if queen_side { chess::File::A } else { chess::File::H };
                let square =
                    |file| Square::new(chess::File::from_index_wrapping(file), rook.rank());
                let target = if standard { square(king_to) } else { rook };
                let span = |a: usize, b: usize| (a.min(b)..=a.max(b)).map(square);
                let from = hand.square.file().index();
                let blocked = span(from, king_to)
                    .chain(span(rook.file().index(), rook_to))
                    .any(|s| s != rook && s != hand.square && position.occupied().has(s));
                if places.has(target) {
                    allowed += 1;
                    assert_castling(position, hand.square, target);
                } else if !blocked {
                    let Some(reached) = slow::reached(position, !me, None, None) else { continue };
                    threatened += 1;
                    assert!(span(from, king_to).any(|s| reached.contains(&s)), "{position}");
                }
            }
        });
    }
    assert!(allowed > 20 && threatened > 5, "{allowed} {threatened}");
}

#[test]
fn sako_and_threats_equal_the_walk_through_every_chain() {
    let mut rng = Rng::from_seed(3);
    let [mut yes, mut no] = [0, 0];
    for number in 0..games(60).min(3000) {
        let start = start(&mut rng, number);
        random_playout(&mut Game::new(start, 0), &mut rng, 20_000, |game| {
            let position = game.position();
            // Not all of them: the walk is slow.
            if position.required() != Required::Lift
                || position.ending().is_some()
                || !(position.en_passant().is_some() || position.key().is_multiple_of(24))
            {
                return;
            }
            for color in Color::ALL {
                let mine = color == position.player();
                let en_passant = position.en_passant().filter(|_| mine);
                let Some(reached) = slow::reached(position, color, en_passant, None) else {
                    continue;
                };
                let king = position.king_square(!color).unwrap();
                let fast =
                    if mine { position.sako(1_000_000) } else { position.sako_against(1_000_000) };
                let slow = if reached.contains(&king) { Answer::Yes } else { Answer::No };
                assert_eq!(fast, slow, "{color} {position}");
                let threats: Vec<Square> = tabiya_paco::threats(position, color, 10_000_000)
                    .unwrap()
                    .into_iter()
                    .collect();
                let mut reached: Vec<Square> = reached.into_iter().collect();
                reached.sort();
                assert_eq!(threats, reached, "{color} {position}");
                match slow {
                    Answer::Yes => yes += 1,
                    _ => no += 1,
                }
                let found = position.paco_sequences(1_000_000, 50);
                if mine {
                    assert_eq!(found.sequences.is_empty(), slow == Answer::No);
                    for actions in &found.sequences {
                        let mut after = *position;
                        actions.iter().for_each(|&action| after.play(action).unwrap());
                        assert!(after.is_won_by(color), "{position} {actions:?}");
                    }
                }
            }
        });
    }
    assert!(yes > 50 && no > 200, "{yes} {no}");
}

#[test]
fn sako_inside_a_turn_is_what_the_rest_of_the_turn_can_do() {
    let mut rng = Rng::from_seed(23);
    let mut turns = tabiya_paco::Turns::new();
    let [mut yes, mut no] = [0, 0];
    for _ in 0..60 {
        random_playout(&mut Game::default(), &mut rng, 20_000, |game| {
            let position = game.position();
            if !position.key().is_multiple_of(16) || game.outcome().is_some() {
                return;
            }
            turns.generate_within(position, 3000);
            if !turns.is_complete() {
                return;
            }
            let wins = turns.iter().any(|turn| turn.position().is_won_by(position.player()));
            assert_eq!(
                position.sako(1_000_000) == Answer::Yes,
                wins,
                "{}",
                position.to_extended_fen()
            );
            if wins { yes += 1 } else { no += 1 }
        });
    }
    assert!(yes > 50 && no > 200, "{yes} {no}");
}

#[test]
fn representations_equal_their_definitions() {
    let mut rng = Rng::from_seed(13);
    let mut states = Vec::new();
    for number in 0..30 {
        let start = start(&mut rng, number);
        random_playout(&mut Game::new(start, 3), &mut rng, 20_000, |game| {
            let position = game.position();
            let rare = position.en_passant().is_some() || position.required().is_promotion();
            if rare || position.key().is_multiple_of(16) {
                states.push(*position);
            }
        });
    }
    for options in Options::all_sets() {
        let (len, floats) = (options.index_len(), options.tensor_len());
        let mut indices = vec![0; len * states.len()];
        write_indices_batch(&states, options, &mut indices).unwrap();
        let mut tensor = vec![f32::NAN; floats];
        let mut kept = TensorBatch::new(options, 3);
        for (i, state) in states.iter().enumerate() {
            let expected = slow::indices(state, options);
            assert_eq!(state.indices(options).unwrap(), expected, "{state} {options:?}");
            assert_eq!(indices[i * len..][..len], expected);
            let expected_tensor = slow::tensor(&expected, options);
            state.write_tensor(options, &mut tensor).unwrap();
            assert_eq!(tensor, expected_tensor, "{state} {options:?}");
            expand(&expected, options, &mut tensor).unwrap();
            assert_eq!(tensor, expected_tensor);
            kept.write(i % 3, state).unwrap();
            assert_eq!(kept.tensor(i % 3), expected_tensor);
        }
        let few = &states[..10];
        let mut tensors = vec![0.0; floats * few.len()];
        write_tensors_batch(few, options, &mut tensors).unwrap();
        let mut expanded = vec![1.0; floats * few.len()];
        tabiya_paco::expand_batch(&indices[..len * few.len()], options, &mut expanded).unwrap();
        assert_eq!(tensors, expanded);
    }
    let kinds: std::collections::BTreeSet<_> =
        states.iter().map(|state| state.required().name()).collect();
    assert_eq!(kinds.len(), 5, "{kinds:?}");
}

#[test]
fn anything_but_a_right_buffer_and_32_pieces_is_a_typed_error() {
    use tabiya_paco::RepresentationError as E;
    let few: Position = "4k3/8/8/8/8/8/8/4K3 w 0 - - -".parse().unwrap();
    let start = Position::default();
    let options = Options::USE_PERSPECTIVE;
    assert_eq!(few.indices(options), Err(E::PieceCount(2)));
    assert_eq!(few.tensor(options), Err(E::PieceCount(2)));
    let wrong = E::BufferLength { expected: 38, found: 37 };
    assert_eq!(start.write_indices(options, &mut [0; 37]), Err(wrong));
    assert_eq!(write_indices_batch(&[start], options, &mut [0; 37]), Err(wrong));
    let wrong = E::BufferLength { expected: 1920, found: 3 };
    assert_eq!(start.write_tensor(options, &mut [0.0; 3]), Err(wrong));
    let mut indices = start.indices(options).unwrap();
    indices[5] = 1600;
    let mut tensor = vec![0.0; 1920];
    let error = expand(&indices, options, &mut tensor).unwrap_err();
    assert_eq!(error, E::IndexOutOfRange { place: 5, value: 1600 });
    assert!(error.to_string().contains("1600"));
    let mut kept = TensorBatch::new(options, 1);
    assert!(kept.write(1, &start).is_err() && kept.write(0, &few).is_err());
    assert_eq!(Options::from_number(9), Err(E::UnknownOptions(9)));
}

#[test]
fn both_mistakes_about_castling_and_the_king_lift_are_only_made_in_compat() {
    let places = |fen: &str, rules| {
        let mut position = Position::from_fen(fen, rules).unwrap();
        let king = position.king_square(position.player()).unwrap();
        position.play(Action::Lift(king)).ok()?;
        match position.legal() {
            Legal::Places(places) => Some(places),
            _ => None,
        }
    };
    // White's own en-passant square is stale: Black may castle.
    let stale = "4k2r/8/7e/8/4P3/8/3PwP2/4K3 b 0 h e3 -";
    assert!(places(stale, Rules::Exact).unwrap().has(Square::G8));
    assert!(!places(stale, Rules::Compat).unwrap().has(Square::G8));
    // A king without an empty neighbor castles onto its rook's square.
    let fischer = "2rkr3/8/8/8/8/8/2PPP3/2RKB3 w 0 C - -";
    assert_eq!(places(fischer, Rules::Exact), Some(Square::C1.bitboard()));
    assert_eq!(places(fischer, Rules::Compat), None);
}

/// Positions that keep a plain walk through all chains busy for more than fifteen seconds.
#[test]
fn positions_with_endless_chains_are_answered_within_a_few_thousand_states() {
    for (fen, by_me, by_opponent) in [
        ("k7/2I2L2/l2rS1K1/w1T1L1o1/2sQ4/4S1j1/1sLi4/8 b 49 - - -", Answer::Yes, Answer::Yes),
        ("k6L/2I2L2/l2rS1K1/2T3o1/1w6/2l1SNj1/ssL5/8 b 41 - - -", Answer::Yes, Answer::Yes),
        ("k7/2I2L2/l2rS3/w1T3oK/2sQL3/4S1j1/1s1i4/6L1 b 53 - - -", Answer::Yes, Answer::Yes),
        ("7s/4k3/b1N5/1tsj2j1/1W2Lo1a/3J1d2/W2l1K2/4l3 w 46 - - -", Answer::Yes, Answer::No),
        ("k5d1/8/2w2T1L/1djD4/1lQ2K1j/1d3e2/2L2Ir1/3S4 w 4 - - -", Answer::Yes, Answer::Yes),
    ] {
        let position: Position = fen.parse().unwrap();
        assert_eq!(position.sako(5000), by_me, "{fen}");
        assert_eq!(position.sako_against(5000), by_opponent, "{fen}");
        // A way that is shown is a way that can be played.
        let found = position.paco_sequences(200_000, 3);
        assert_eq!(found.sequences.len(), 3);
        assert!(found.sequences.is_sorted_by_key(Vec::len));
        for actions in found.sequences {
            let mut after = position;
            actions.into_iter().for_each(|action| after.play(action).unwrap());
            assert!(after.is_won_by(position.player()));
        }
    }
}

#[test]
fn a_search_without_nodes_returns_unknown() {
    let mut rng = Rng::from_seed(17);
    let mut unknown = 0;
    for _ in 0..40 {
        random_playout(&mut Game::default(), &mut rng, 20_000, |game| {
            let position = game.position();
            if position.required() == Required::Lift && position.sako(0) == Answer::Unknown {
                unknown += 1;
            }
        });
    }
    assert!(unknown > 0, "some positions need the exact search");
}
