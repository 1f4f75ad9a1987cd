//! Elementary endings without tablebases: won ones are won, drawn ones are seen as drawn.
//!
//! `TABIYA_ENDINGS=100` plays that many random positions of each kind; it wants a release build:
//!
//! ```text
//! TABIYA_ENDINGS=100 cargo test --release -p tabiya-engine --test it endings -- --nocapture
//! ```

use chess::rng::Rng;
use chess::{Board, Color, Game, Outcome, Piece, Position, Setup, Square};
use tabiya_engine::search::{Control, Engine, Limits, Settings, with_deep_stack};
use tabiya_engine::wdl::to_cp;

/// Nodes for each move.
const NODES: u64 = 20_000;

fn best(engine: &mut Engine, game: &Game, nodes: u64) -> (chess::Move, i32) {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let found = engine.search(game, &limits, Settings::default(), &Control::new(false), &|_| {});
    (found.best.expect("a legal move"), found.score)
}

/// A random position with these pieces, White to move, where Black cannot take one of them at once.
fn random_position(rng: &mut Rng, pieces: &str) -> Position {
    loop {
        let mut board = Board::EMPTY;
        for letter in pieces.chars() {
            let square = Square::from_index_wrapping(rng.below(64));
            board.put(square, Piece::from_letter(letter).expect("a piece"));
        }
        let setup = Setup { board, ..Setup::EMPTY };
        let Ok(position) = setup.position() else { continue };
        let complete = position.occupied().len() == pieces.len();
        let king = position.king(Color::Black);
        let near = |square: Square| square.distance(king) <= 2;
        let white = position.board().color(Color::White);
        if complete && !white.into_iter().any(near) && position.has_legal_move() {
            return position;
        }
    }
}

/// Plays on until the game is over; `None` without a mate.
fn moves_to_mate(position: Position) -> Option<u16> {
    let mut engine = Engine::new(4).expect("memory");
    let mut game = Game::new(position);
    while game.outcome().is_none() && game.claimable_draw().is_none() {
        let (m, _) = best(&mut engine, &game, NODES);
        game.play(m).expect("legal");
    }
    let mated = game.outcome() == Some(Outcome::Checkmate(Color::White));
    mated.then(|| game.position().fullmove_number() - position.fullmove_number())
}

#[test]
fn won_endings_are_mated_within_fifty_moves() {
    let count = std::env::var("TABIYA_ENDINGS").map_or(1, |n| n.parse().expect("a number"));
    for pieces in ["KQk", "KRk", "KBBk", "KBNk"] {
        let mut rng = Rng::new(11, 0);
        let (mut mated, mut longest) = (0, 0);
        for _ in 0..count {
            let mut position = random_position(&mut rng, pieces);
            // Two bishops of one color win nothing.
            while pieces == "KBBk" && position.is_insufficient_material() {
                position = random_position(&mut rng, pieces);
            }
            let moves = with_deep_stack(|| moves_to_mate(position)).expect("a thread");
            if moves.is_none() {
                eprintln!("{pieces}: no mate from {position}");
            }
            mated += u32::from(moves.is_some());
            longest = longest.max(moves.unwrap_or(0));
        }
        eprintln!("{pieces}: {mated} of {count} mated, in at most {longest} moves");
        assert_eq!(mated, count, "{pieces}");
    }
}

#[test]
fn the_rook_of_a_known_failure_mates() {
    let position: Position = "8/8/6R1/6K1/8/8/8/2k5 w - - 0 1".parse().expect("a position");
    assert!(with_deep_stack(|| moves_to_mate(position)).expect("a thread").is_some());
}

#[test]
fn drawn_endings_are_seen_as_drawn() {
    for fen in [
        "8/8/8/4k3/8/8/8/1NN1K3 w - - 0 1",
        "k7/8/8/8/P7/8/1B4K1/8 w - - 0 1",
        "4B3/p7/5p2/1P2k1p1/4P1K1/8/8/b7 w - - 0 1",
        "8/8/8/4k3/8/3b4/8/R3K3 w - - 0 1",
        "8/8/8/4k3/8/3n4/8/R3K3 w - - 0 1",
    ] {
        let game = Game::new(fen.parse().expect("a position"));
        let score = with_deep_stack(|| {
            let mut engine = Engine::new(4).expect("memory");
            best(&mut engine, &game, 100_000).1
        });
        let score = score.expect("a thread");
        let score = to_cp(score, game.position());
        assert!(score.abs() <= 50, "{fen}: {score}");
    }
}
