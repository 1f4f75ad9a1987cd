//! Inputs from outside, however wrong: a typed error or a right answer, never a panic.

use chess::Color;
use proptest::prelude::*;
use tabiya_paco::{
    Action, Game, Options, Position, Required, Rng, Rules, Setup, Turns, random_playout,
};

const SIGNS: &[u8] = b"prnbqkPRNBQKacdefghijlmosuvwxyzACDEFGHIJLMOSTUVWXYZ_12345678/^ wb0-=:";

fn positions(count: usize) -> Vec<Position> {
    let mut rng = Rng::from_seed(99);
    let mut positions = Vec::new();
    while positions.len() < count {
        random_playout(&mut Game::default(), &mut rng, 5000, |game| {
            if game.position().key().is_multiple_of(37) {
                positions.push(*game.position());
            }
        });
    }
    positions
}

/// Whatever has been read is a position, and is written and read back to an equal one.
fn assert_sound(position: Position) {
    assert_eq!(position.broken_invariant(), None, "{}", position.to_extended_fen());
    let text = position.to_extended_fen();
    assert_eq!(Position::from_fen(&text, position.rules()), Ok(position), "{text}");
    assert_eq!(Setup::from(&position).position(position.rules()), Ok(position));
    let _ = (position.sako(2000), position.sako_against(2000), position.legal());
    for options in Options::all_sets() {
        assert_eq!(position.indices(options).is_ok(), position.piece_count() == 32);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text_is_a_sound_position_or_an_error_with_a_place(text in "\\PC{0,90}") {
        for rules in [Rules::Exact, Rules::Compat] {
            match Position::from_fen(&text, rules) {
                Ok(position) => assert_sound(position),
                Err(error) => prop_assert!(error.at <= text.len() && !error.to_string().is_empty()),
            }
        }
        let _ = Setup::from_matrix(&text);
        prop_assert!(Position::default().parse_turn(&text).is_err());
    }

    #[test]
    fn fens_with_changed_signs_are_sound_positions_or_errors(
        index in 0usize..200,
        changes in prop::collection::vec((0usize..80, 0usize..SIGNS.len(), 0u8..3), 1..5),
        compat: bool,
    ) {
        thread_local!(static POSITIONS: Vec<Position> = positions(200));
        let text = POSITIONS.with(|all| all[index % all.len()].to_extended_fen());
        let mut bytes = text.into_bytes();
        for (place, sign, what) in changes {
            let place = place % bytes.len();
            match what {
                0 => bytes[place] = SIGNS[sign],
                1 => bytes.insert(place, SIGNS[sign]),
                _ => { bytes.remove(place); }
            }
        }
        let text = String::from_utf8(bytes).unwrap();
        let rules = if compat { Rules::Compat } else { Rules::Exact };
        match Position::from_fen(&text, rules) {
            Ok(position) => assert_sound(position),
            Err(error) => prop_assert!(error.at <= text.len()),
        }
    }

    #[test]
    fn any_numbers_are_played_or_refused_and_refusal_changes_nothing(
        numbers in prop::collection::vec(any::<(u8, bool)>(), 0..120),
        compat: bool,
    ) {
        let rules = if compat { Rules::Compat } else { Rules::Exact };
        let mut game = Game::new(Position::default().with_rules(rules), 3);
        for (number, guided) in numbers {
            let before = *game.position();
            // Half of the numbers choose among the legal actions, so that games get somewhere.
            let action = if guided {
                let legal = game.legal();
                legal.nth(usize::from(number) % legal.len().max(1))
            } else {
                Action::from_policy_index(number)
            };
            let Some(action) = action else { continue };
            let legal = game.legal().has(action);
            prop_assert_eq!(game.play(action).is_ok(), legal);
            if !legal {
                prop_assert_eq!(*game.position(), before);
            }
            prop_assert_eq!(game.position().broken_invariant(), None);
        }
    }

    #[test]
    fn any_turn_text_is_legal_or_refused(text in "[PRNBQKOa-h0-9>x=:\\-]{0,14}") {
        thread_local!(static POSITIONS: Vec<Position> = positions(50));
        POSITIONS.with(|all| {
            for position in all {
                if let Ok(actions) = position.parse_turn(&text) {
                    let mut after = *position;
                    for action in actions {
                        after.play(action).unwrap();
                    }
                    assert_eq!(after.broken_invariant(), None);
                }
            }
        });
    }
}

#[test]
fn turns_never_contain_dead_ends_nor_the_same_end_twice() {
    let mut turns = Turns::new();
    let mut checked = 0;
    for position in positions(150) {
        turns.generate_within(&position, 5000);
        let mut ends = std::collections::HashSet::new();
        for turn in turns.iter() {
            let mut now = position;
            for action in turn.actions() {
                now.play(action).unwrap();
            }
            assert_eq!(&now, turn.position());
            let over = now.ending().is_some() || now.player() != position.player();
            assert!(over && now.required() != Required::Place, "{position}");
            assert!(ends.insert(now.to_extended_fen()), "{position} {now}");
            checked += 1;
        }
    }
    assert!(checked > 5000, "{checked}");
}

#[test]
fn turns_are_all_that_a_walk_through_all_actions_finds() {
    /// All ends of the turn, by walking through every sequence, states seen before left out.
    fn walk(
        now: Position,
        player: Color,
        seen: &mut std::collections::HashSet<String>,
        ends: &mut std::collections::BTreeSet<String>,
    ) {
        if now.ending().is_some() || now.player() != player {
            ends.insert(now.to_extended_fen());
            return;
        }
        for action in now.legal().iter() {
            let mut next = now;
            next.play(action).unwrap();
            if seen.insert(next.to_extended_fen()) {
                walk(next, player, seen, ends);
            }
        }
    }
    let mut turns = Turns::new();
    for position in positions(120) {
        turns.generate_within(&position, 1500);
        if !turns.is_complete() {
            continue;
        }
        let mut ends = Default::default();
        walk(position, position.player(), &mut Default::default(), &mut ends);
        if position.ending().is_some() {
            ends.clear();
        }
        let found: std::collections::BTreeSet<String> =
            turns.iter().map(|turn| turn.position().to_extended_fen()).collect();
        assert_eq!(found, ends, "{position}");
    }
}
