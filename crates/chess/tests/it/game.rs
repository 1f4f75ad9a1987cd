//! Games: repetition, the 50- and 75-move rules, dead positions, taking back; against a recount from
//! the first move.

use crate::slow;
use crate::slow::SlowBoard;
use crate::slow::games::choose;
use tabiya_chess::rng::Rng;
use tabiya_chess::{
    Color, DrawReason, Game, IllegalMove, Move, MoveKind, Outcome, Position, Square,
};

fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(Position::from_fen(fen).unwrap());
    for m in moves.split_whitespace() {
        game.play(game.position().parse_uci(m).unwrap()).unwrap();
    }
    game
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A game that mostly goes back and forth, so that positions recur and the clock runs.
fn shuffle(game: &Game, rng: &mut Rng) -> Option<Move> {
    let back = game
        .moves()
        .len()
        .checked_sub(2)
        .and_then(|n| game.moves().nth(n))
        .map(|m| Move::new(m.to(), m.from(), MoveKind::Quiet));
    match back {
        Some(back) if rng.below(3) != 0 && game.position().is_legal(back) => Some(back),
        _ => {
            let quiet = |m: &Move| m.kind() == MoveKind::Quiet && game.position().see(*m) >= 0;
            let moves: Vec<Move> =
                game.position().legal_moves().into_iter().filter(quiet).collect();
            if moves.is_empty() || rng.below(40) == 0 {
                return choose(game.position(), rng);
            }
            Some(moves[rng.below(moves.len())])
        }
    }
}

/// The outcome by the rules, from the identities of all positions so far.
fn slow_outcome(history: &[SlowBoard], repetitions: usize) -> Option<Outcome> {
    let now = history.last()?;
    let draw = |reason| Some(Outcome::Draw(reason));
    if now.legal_moves().is_empty() {
        return if now.in_check(now.turn) {
            Some(Outcome::Checkmate(!now.turn))
        } else {
            draw(DrawReason::Stalemate)
        };
    }
    let only_kings = now.squares.iter().flatten().count() == 2;
    match () {
        () if only_kings => draw(DrawReason::InsufficientMaterial),
        () if now.halfmoves >= 150 => draw(DrawReason::SeventyFiveMoves),
        () if repetitions >= 5 => draw(DrawReason::FivefoldRepetition),
        () => None,
    }
}

#[test]
fn repetitions_and_clocks_are_those_of_a_recount() {
    let mut rng = Rng::from_seed(31);
    let mut seen = [0; 6];
    let (mut fifty, mut seventy_five) = (0, 0);
    for n in 0..60 {
        let fen = slow::games::RICH[n % slow::games::RICH.len()];
        let mut game = Game::new(if n % 3 == 0 {
            Position::INITIAL
        } else {
            Position::from_fen(fen).unwrap()
        });
        let mut history = vec![SlowBoard::of(game.position())];
        let mut identities = vec![history[0].identity()];
        for _ in 0..200 {
            let now = history.last().unwrap();
            let identity = identities.last().unwrap();
            let repetitions = identities.iter().filter(|other| *other == identity).count();
            assert_eq!(game.repetitions(), repetitions, "{}", game.position());
            seen[repetitions.min(5)] += 1;

            let clock = u32::from(game.position().halfmove_clock());
            assert_eq!(clock, now.halfmoves, "{}", game.position());
            let over = now.legal_moves().is_empty();
            let claimable = if clock >= 100 && !over {
                Some(DrawReason::FiftyMoves)
            } else if repetitions >= 3 {
                Some(DrawReason::ThreefoldRepetition)
            } else {
                None
            };
            assert_eq!(game.claimable_draw(), claimable, "{}", game.position());
            fifty += usize::from(clock >= 100);
            seventy_five += usize::from(clock >= 150);

            // Dead positions have a table of their own below.
            if !game.position().is_insufficient_material() {
                assert_eq!(game.outcome(), slow_outcome(&history, repetitions));
            }
            let Some(m) = shuffle(&game, &mut rng) else { break };
            game.play(m).unwrap();
            history.push(now.after(m));
            identities.push(history.last().unwrap().identity());
        }
        let (moves, last) = (game.len(), *game.position());
        assert_eq!(moves, history.len() - 1);
        let played: Vec<Move> = game.moves().collect();

        // Taking everything back gives every position again; playing it again gives the last one.
        for (n, expected) in history.iter().enumerate().rev() {
            let mut found = SlowBoard::of(game.position());
            assert_eq!(found.passed, expected.en_passant());
            found.passed = expected.passed;
            assert_eq!(found, *expected);
            assert_eq!(game.undo(), n.checked_sub(1).map(|n| played[n]));
        }
        assert!(game.is_empty());
        for &m in &played {
            game.play(m).unwrap();
        }
        assert_eq!(*game.position(), last);
    }
    assert!(seen[2] > 100 && seen[3] > 30 && seen[5] > 10, "{seen:?}");
    assert!(fifty > 50 && seventy_five > 10, "{fifty} {seventy_five}");
}

#[test]
fn an_illegal_move_is_named_and_changes_nothing() {
    let mut game = game(START, "e2e4");
    let before = *game.position();
    let m = Move::new(Square::E2, Square::E4, MoveKind::DoublePush);
    let error = game.play(m).unwrap_err();
    assert_eq!(error, IllegalMove { m, fen: before.fen() });
    assert!(error.to_string().contains("e2e4") && error.to_string().contains(&before.fen()));
    assert_eq!((*game.position(), game.len()), (before, 1));
    assert_eq!(*game.initial_position(), Position::INITIAL);
}

#[test]
fn a_position_with_other_castling_rights_is_another_position() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    assert_eq!(game(fen, "a1b1 a8b8 b1a1 b8a8").repetitions(), 1);
    assert_eq!(game(fen, "a1b1 a8b8 b1a1 b8a8 a1b1 a8b8 b1a1 b8a8").repetitions(), 2);
}

#[test]
fn a_position_with_a_legal_en_passant_capture_is_another_position() {
    let shuffle = "g8f6 g1f3 f6g8 f3g1";
    // The pawn on e4 can be taken once; afterwards the same pieces are another position.
    let takes = "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 3";
    assert_eq!(game(takes, &format!("e2e4 {shuffle}")).repetitions(), 1);
    assert_eq!(game(takes, &format!("e2e4 {shuffle} {shuffle}")).repetitions(), 2);
    // Where nobody can take, the double step leaves nothing behind.
    assert_eq!(game(START, &format!("e2e4 {shuffle}")).repetitions(), 2);
    // A pawn that is pinned cannot take either.
    let pinned = "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1";
    assert_eq!(game(pinned, "e2e4 d8e8 e1f1 e8d8 f1e1").repetitions(), 2);
}

#[test]
fn a_position_recurs_however_long_ago_it_was() {
    // The rook leaves a1 for 60 moves of each player.
    let away = "b1b2 g8h8 b2b1 h8g8 ".repeat(29);
    let game = game("7k/8/8/8/8/8/8/R3K3 w - - 0 1", &format!("a1b1 h8g8 {away} b1a1 g8h8"));
    assert_eq!((game.len(), game.repetitions()), (120, 2));
    assert_eq!(game.position().halfmove_clock(), 120);
}

#[test]
fn clocks_from_the_fen_count() {
    let fifty = game("4k3/8/8/8/8/8/8/R3K3 w - - 98 80", "a1a2");
    assert_eq!(fifty.claimable_draw(), None);
    let fifty = game("4k3/8/8/8/8/8/8/R3K3 w - - 98 80", "a1a2 e8e7");
    assert_eq!((fifty.claimable_draw(), fifty.outcome()), (Some(DrawReason::FiftyMoves), None));
    let seventy_five = game("4k3/8/8/8/8/8/8/R3K3 w - - 148 100", "a1a2 e8e7");
    assert_eq!(seventy_five.outcome(), Some(Outcome::Draw(DrawReason::SeventyFiveMoves)));
    let reset = game("4k3/8/8/8/8/8/P7/R3K3 w - - 149 100", "a2a3");
    assert_eq!((reset.outcome(), reset.claimable_draw()), (None, None));
}

#[test]
fn a_mate_with_the_75th_move_is_a_mate() {
    let mated = game("7k/8/6K1/8/8/8/8/R7 w - - 149 100", "a1a8");
    assert_eq!(mated.position().halfmove_clock(), 150);
    assert_eq!(mated.outcome(), Some(Outcome::Checkmate(Color::White)));
    assert_eq!(mated.claimable_draw(), None);
}

#[test]
fn results_are_written_as_pgn_writes_them() {
    let white = game("7k/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8");
    let black = game(START, "f2f3 e7e5 g2g4 d8h4");
    let drawn = game("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7");
    let results = [white, black, drawn].map(|game| game.outcome().map(Outcome::result));
    assert_eq!(results, [Some("1-0"), Some("0-1"), Some("1/2-1/2")]);
}

#[test]
fn clocks_stop_at_the_largest_number_they_can_hold() {
    let mut game = game("4k3/8/8/8/8/8/8/R3K3 b - - 65534 65534", "e8e7 a1a2 e7e8 a2a1 e8e7");
    assert_eq!(game.position().halfmove_clock(), 65535);
    assert_eq!(game.position().fullmove_number(), 65535);
    assert_eq!(game.undo().map(|m| m.to_string()), Some("e8e7".to_owned()));
}

/// FEN placement; whether White, whether Black cannot mate by any series of moves.
const DEAD: [(&str, bool, bool); 22] = [
    ("8/8/3k4/8/8/3K4/8/8", true, true),
    ("8/8/3k4/8/8/3K4/8/6N1", true, true),
    ("8/8/3k4/8/8/3K4/8/6B1", true, true),
    ("5b2/8/3k4/8/8/3K4/8/6B1", true, true),
    ("6b1/8/3k4/8/8/3K4/8/6B1", false, false),
    ("5b2/8/3k4/8/8/3KB3/8/6B1", true, true),
    ("8/8/3k4/8/8/3KB3/8/7B", false, true),
    ("8/8/3k4/8/8/3K4/8/5BN1", false, true),
    ("8/8/3k4/8/8/3K4/8/5NN1", false, true),
    ("6n1/8/3k4/8/8/3K4/8/6N1", false, false),
    ("6n1/8/3k4/8/8/3K4/8/6B1", false, false),
    ("6r1/8/3k4/8/8/3K4/8/6N1", false, false),
    ("6q1/8/3k4/8/8/3K4/8/6N1", true, false),
    ("6q1/8/3k4/8/8/3K4/8/6B1", true, false),
    ("6r1/8/3k4/8/8/3K4/8/6B1", true, false),
    ("8/6p1/3k4/8/8/3K4/8/6B1", false, false),
    ("8/6p1/3k4/8/8/3K4/8/6N1", false, false),
    ("8/6p1/3k4/8/8/3K4/8/8", true, false),
    ("8/8/3k4/8/8/3K4/6P1/8", false, true),
    ("8/8/3k4/8/8/3K4/8/6R1", false, true),
    ("8/8/3k4/8/8/3K4/8/6Q1", false, true),
    ("8/8/3k4/8/8/3K3B/8/5B1B", true, true),
];

#[test]
fn dead_positions_are_those_of_the_table() {
    for (placement, white, black) in DEAD {
        for turn in ["w", "b"] {
            let position = Position::from_fen(&format!("{placement} {turn} - - 0 1")).unwrap();
            assert_eq!(position.has_insufficient_material(Color::White), white, "{placement}");
            assert_eq!(position.has_insufficient_material(Color::Black), black, "{placement}");
            assert_eq!(position.is_insufficient_material(), white && black, "{placement}");
            let dead = Some(Outcome::Draw(DrawReason::InsufficientMaterial));
            assert_eq!(Game::new(position).outcome() == dead, white && black, "{placement}");
        }
    }
}
