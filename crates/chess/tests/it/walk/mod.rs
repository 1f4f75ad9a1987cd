//! One property for the property test and the fuzzer: bytes make a position and a walk of legal
//! moves from it, and everything a position promises holds at each step.
//!
//! A text before the first line feed is read as FEN; without one, the first two bytes are the number
//! of a Chess960 start. Each byte that follows chooses a legal move.

use tabiya_chess::{CastlingStyle, FenStyle, Game, Position, Setup, SetupProblems, chess960};

use crate::slow::SlowBoard;

/// Walks as the bytes say, up to a maximum number of moves.
pub fn walk(bytes: &[u8], most: usize) {
    let Some((start, choices)) = start(bytes) else { return };
    let mut game = Game::new(start);
    check(game.position());
    for &choice in choices.iter().take(most) {
        let moves = game.position().legal_moves();
        let Some(&m) = moves.get(choice as usize % moves.len().max(1)) else { break };
        let text = game.position().uci(m, CastlingStyle::Chess960);
        assert_eq!(game.position().parse_uci(&text), Ok(m));
        let gives_check = game.position().gives_check(m);
        let before = *game.position();
        game.play(m).expect("a listed move is legal");
        assert_eq!(game.position().in_check(), gives_check, "{m:?} in {before}");
        check(game.position());
        assert_eq!(
            game.position().halfmove_clock() == 0,
            is_irreversible(&before, game.position())
        );
    }
    while game.undo().is_some() {}
    assert_eq!(*game.position(), start);
}

/// A pawn has moved or a piece is gone.
fn is_irreversible(before: &Position, after: &Position) -> bool {
    before.occupied().len() != after.occupied().len() || before.pawn_key() != after.pawn_key()
}

/// The position to start from. Text that is no FEN, or no legal position, only has to be refused
/// with a message.
fn start(bytes: &[u8]) -> Option<(Position, &[u8])> {
    let Some(end) = bytes.iter().position(|&byte| byte == b'\n') else {
        let (number, choices) = bytes.split_first_chunk()?;
        return Some((chess960::start(u16::from_le_bytes(*number) % chess960::STARTS)?, choices));
    };
    let text = String::from_utf8_lossy(&bytes[..end]);
    let setup = match Setup::from_fen(&text) {
        Ok(setup) => setup,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    let position = match setup.position() {
        Ok(position) => position,
        Err(error) => {
            assert!(!error.problems.is_empty());
            assert!(!error.to_string().is_empty());
            let forgiven = setup.position_forgiving(SetupProblems::all());
            let forgivable = (error.problems - SetupProblems::FORGIVABLE).is_empty();
            assert_eq!(forgiven.is_ok(), forgivable, "{text}");
            forgiven.ok()?
        }
    };
    Some((position, &bytes[end + 1..]))
}

fn check(position: &Position) {
    let context = || position.fen();
    let slow = SlowBoard::of(position);
    assert!(!slow.in_check(!position.turn()), "{}", context());
    assert_eq!(position.in_check(), slow.in_check(position.turn()), "{}", context());

    // A setup may have been forgiven a check that cannot have come about; nothing else is wrong
    // with it then.
    let made_again = |setup: Setup| setup.position_forgiving(SetupProblems::IMPOSSIBLE_CHECK);
    for style in [FenStyle::Standard, FenStyle::Shredder] {
        let fen = position.fen_in(style);
        let again = Setup::from_fen(&fen).map(made_again);
        assert_eq!(again, Ok(Ok(*position)), "{fen}");
    }
    let again = made_again(Setup::from(*position)).expect("a position is a legal setup");
    assert_eq!(again.key(), position.key(), "{}", context());
    assert_eq!(again.pawn_key(), position.pawn_key(), "{}", context());

    let moves = position.legal_moves();
    assert_eq!(moves.len(), position.count_legal_moves(), "{}", context());
    assert_eq!(!moves.is_empty(), position.has_legal_move(), "{}", context());
    let mut seen = [0u64; 1 << 10];
    for &m in &moves {
        assert!(position.is_legal(m), "{m:?} in {}", context());
        let (word, bit) = (m.to_bits() as usize / 64, 1 << (m.to_bits() % 64));
        assert!(seen[word] & bit == 0, "{m:?} twice in {}", context());
        seen[word] |= bit;
    }
}
