//! The players, and Paco in one, two and three turns.

use std::cell::Cell;

use tabiya_paco::{
    Answer, Game, Options, Outcome, PacoIn, Player, Position, Record, Required, Rng, SelfPlayEvent,
    Turns, greedy_turn, random_playout, random_turn, self_play,
};

/// Settled positions of random games that a filter lets through.
fn settled(seed: u64, count: usize, keep: impl Fn(&Position) -> bool) -> Vec<Position> {
    let mut rng = Rng::from_seed(seed);
    let mut found = Vec::new();
    while found.len() < count {
        random_playout(&mut Game::default(), &mut rng, 20_000, |game| {
            let position = game.position();
            let settled = position.required() == Required::Lift && game.outcome().is_none();
            if found.len() < count && settled && position.key().is_multiple_of(5) && keep(position)
            {
                found.push(*position);
            }
        });
    }
    found
}

#[test]
fn a_paco_in_one_is_taken_in_a_thousand_of_a_thousand_positions() {
    let positions = settled(1, 1000, |position| position.sako(1_000_000) == Answer::Yes);
    let mut player = Player::new(1);
    for position in positions {
        let choice = player.choose(&position, 3, &mut || true).unwrap();
        let mut after = position;
        for action in choice.actions {
            after.play(action).unwrap();
        }
        assert!(after.is_won_by(position.player()), "{position}");
    }
}

/// Paco within n turns from the definition, without order, budget or short cuts.
fn forced(position: &Position, n: u32) -> bool {
    let me = position.player();
    let mut turns = Turns::new();
    turns.generate(position);
    turns.iter().any(|turn| {
        let after = turn.position();
        if after.is_won_by(me) {
            return true;
        }
        if n == 1 || after.ending().is_some() {
            return false;
        }
        let mut replies = Turns::new();
        replies.generate(after);
        !replies.is_empty()
            && replies
                .iter()
                .all(|reply| reply.position().ending().is_none() && forced(reply.position(), n - 1))
    })
}

#[test]
fn paco_in_two_equals_its_definition() {
    let mut turns = Turns::new();
    // Early in a game there are few unions, so that the definition comes to an end.
    let mut positions = settled(2, 30, |position| {
        position.half_moves() < 24 && position.sako(1_000_000) == Answer::No
    });
    // The last two steps of a ladder of rooks.
    positions.push("7k/R7/1R6/8/8/8/8/K7 w 0 - - -".parse().unwrap());
    let [mut yes, mut no] = [0, 0];
    for position in positions {
        turns.generate_within(&position, 100);
        if !turns.is_complete() {
            continue;
        }
        let found = position.paco_in(2, 10_000_000);
        match (&found, forced(&position, 2)) {
            (PacoIn::Yes(actions), true) => {
                yes += 1;
                let mut after = position;
                actions.iter().for_each(|&action| after.play(action).unwrap());
                assert_eq!(after.sako(1_000_000), Answer::No, "{position}");
            }
            (PacoIn::No, false) => no += 1,
            (found, slow) => panic!("{position}: {found:?}, but {slow}"),
        }
    }
    assert!(yes > 0 && no > 5, "{yes} {no}");
}

#[test]
fn the_player_finds_a_paco_in_two() {
    let found = settled(4, 12, |position| {
        position.sako(1_000_000) == Answer::No && matches!(position.paco_in(2, 500), PacoIn::Yes(_))
    });
    let mut player = Player::new(1);
    for position in found {
        let choice = player.choose(&position, 2, &mut || false).unwrap();
        assert!(choice.score > tabiya_paco::WIN - 10, "{position} {}", choice.score);
        let mut after = position;
        choice.actions.iter().for_each(|&action| after.play(action).unwrap());
        let mut replies = Turns::new();
        replies.generate(&after);
        for reply in replies.iter() {
            assert_eq!(reply.position().sako(1_000_000), Answer::Yes, "{position}");
        }
    }
}

#[test]
fn paco_in_three_is_found_and_a_small_budget_is_admitted() {
    // Two rooks drive a lone king to the edge: ladder.
    let ladder: Position = "8/7k/R7/1R6/8/8/8/K7 w 0 - - -".parse().unwrap();
    assert_eq!(ladder.paco_in(1, 1000), PacoIn::No);
    assert_eq!(ladder.paco_in(2, 1_000_000), PacoIn::No);
    assert!(matches!(ladder.paco_in(3, 10_000_000), PacoIn::Yes(_)));
    assert_eq!(ladder.paco_in(3, 5), PacoIn::Unknown);
    // A lone king cannot unite with anything.
    let bare: Position = "4k3/8/8/8/8/8/8/4K3 w 0 - - -".parse().unwrap();
    assert_eq!(bare.paco_in(3, 1_000_000), PacoIn::No);
}

/// One game between two ways to choose a turn; who has won.
fn game(mut choose: impl FnMut(&Position) -> Vec<tabiya_paco::Action>) -> Option<chess::Color> {
    let mut game = Game::default();
    while game.outcome().is_none() && game.position().half_moves() < 1000 {
        for action in choose(game.position()) {
            game.play(action).unwrap();
        }
    }
    game.outcome().and_then(Outcome::winner)
}

#[test]
fn the_player_beats_random_play_and_does_not_lose_to_greed() {
    let mut player = Player::new(3);
    let mut rng = Rng::from_seed(3);
    for number in 0..10 {
        let me = chess::Color::ALL[number % 2];
        let winner = game(|position| {
            if position.player() == me {
                player.choose(position, 2, &mut || false).unwrap().actions
            } else {
                random_turn(position, &mut rng).unwrap()
            }
        });
        assert_eq!(winner, Some(me));
        let winner = game(|position| {
            if position.player() == me {
                player.choose(position, 2, &mut || false).unwrap().actions
            } else {
                greedy_turn(position, &mut rng).unwrap()
            }
        });
        assert_ne!(winner, Some(!me));
    }
}

#[test]
fn the_player_stops_on_request() {
    let polls = Cell::new(0);
    let mut player = Player::new(1);
    let choice = player
        .choose(&Position::default(), 30, &mut || {
            polls.set(polls.get() + 1);
            polls.get() > 20
        })
        .unwrap();
    assert_eq!(polls.get(), 21, "it ends when it is stopped");
    assert_eq!(choice.actions.len(), 2);
    assert!(choice.depth < 30);
}

#[test]
fn self_play_can_be_replayed_and_its_rows_fit() {
    let mut turns = 0;
    let record = self_play(&mut Player::new(5), &mut Rng::from_seed(5), 4, 2, 300, &mut |event| {
        turns += u32::from(event == SelfPlayEvent::TurnStart);
        false
    });
    assert!(turns > 0 && record.outcome.is_some());
    let again = self_play(&mut Player::new(5), &mut Rng::from_seed(5), 4, 2, 300, &mut |_| false);
    assert_eq!(again.actions, record.actions, "the same seed gives the same game");
    let json = record.to_json();
    assert_eq!(json["actions"].as_array().unwrap().len(), record.actions.len());
    assert_eq!(json["victory"], record.outcome.unwrap().to_string());
    for options in Options::all_sets() {
        let rows = record.rows(options).unwrap();
        assert_eq!(rows.len(), record.actions.len());
        for row in &rows {
            assert_eq!(row.indices.len(), options.index_len());
            assert!(row.legal.contains(&row.policy) && row.legal.is_sorted());
            assert!(row.to_json()["policy"].is_number());
        }
        let last = rows.last().unwrap();
        let won = record.outcome.unwrap().winner().is_some();
        assert_eq!(last.result, i8::from(won), "who acts last has won, if anybody has");
    }
    let given_up = Record { outcome: None, ..record };
    assert!(given_up.rows(Options::empty()).unwrap().iter().all(|row| row.result == 0));
}
