//! Any bytes as a game: the first chooses the rules, each further one a legal action or, now and
//! then, any action at all, which is played or refused without a trace.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_paco::{Action, Game, Position, Rules};

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let rules = if first & 1 == 0 { Rules::Exact } else { Rules::Compat };
    let mut game = Game::new(Position::default().with_rules(rules), 3);
    for &byte in rest.iter().take(600) {
        let legal = game.legal();
        if byte >= 250 {
            let action = Action::from_policy_index(byte.wrapping_mul(37) % 133);
            if let Some(action) = action {
                let before = *game.position();
                assert_eq!(game.play(action).is_ok(), legal.has(action));
                assert!(legal.has(action) || before == *game.position());
            }
        } else {
            match legal.nth(usize::from(byte) % legal.len().max(1)) {
                Some(action) => game.play_unchecked(action),
                None if game.turn_actions().is_empty() || game.outcome().is_some() => break,
                None => game.roll_back(),
            }
        }
        assert_eq!(game.position().piece_count(), 32);
    }
    // The game itself checks the invariants after each turn in such builds; here, also inside one.
    let position = game.position();
    assert_eq!(position.broken_invariant(), None);
    assert_eq!(Position::from_fen(&position.to_extended_fen(), rules), Ok(*position));
});
