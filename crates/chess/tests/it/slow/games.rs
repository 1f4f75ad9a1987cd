//! Random games, reproducible by seed.

use tabiya_chess::rng::Rng;
use tabiya_chess::{Move, MoveKind, Position, chess960};

use super::SlowBoard;

/// Positions rich in castling, en passant and promotions.
pub const RICH: [&str; 15] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r3k2r/1p1p1p1p/8/P1P1P1P1/p1p1p1p1/8/1P1P1P1P/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/PpPpPpPp/pPpPpPpP/8/8/R3K2R w KQkq - 0 1",
    "8/PPPPPPPP/2k5/8/8/5K2/pppppppp/8 w - - 0 1",
    "1r2k1r1/4p1p1/8/3P1P2/3p1p2/8/4P1P1/1R2K1R1 w GBgb - 0 1",
    "rk5r/p6p/8/8/8/8/P6P/R5KR w HAha - 0 1",
    "2kr4/2p1p3/q7/1P1P1P2/1p1p1p2/Q7/2P1P3/2KR4 w Dd - 0 1",
    "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
    "r7/8/8/8/RPpPp1k1/8/4P3/3RK3 b D d3 0 1",
    "7k/8/4Q3/8/8/8/8/K4Q2 w - - 0 1",
    "k7/2p5/8/8/4QR2/8/8/K6R b - - 0 1",
    "6k1/3R1ppp/8/4N3/b2r4/2n2N2/5PPP/6K1 w - - 90 60",
];

/// The start of the `n`th game: chess, Chess960, or one of [`RICH`].
fn start(n: usize, rng: &mut Rng) -> Position {
    match n % 4 {
        0 => Position::INITIAL,
        1 => chess960::start(rng.below(960) as u16).expect("a number below 960"),
        _ => RICH[rng.below(RICH.len())].parse().expect("a legal position"),
    }
}

/// A random legal move; one in four prefers castling, promotions, double pushes and en passant.
pub fn choose(position: &Position, rng: &mut Rng) -> Option<Move> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return None;
    }
    if rng.below(4) == 0 {
        let rare: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|m| !matches!(m.kind(), MoveKind::Quiet | MoveKind::Capture))
            .collect();
        if !rare.is_empty() {
            return Some(rare[rng.below(rare.len())]);
        }
    }
    Some(moves[rng.below(moves.len())])
}

/// Plays random games and visits each position with its reference board, updated by its own moves.
pub fn play(
    seed: u64,
    games: usize,
    plies: usize,
    mut visit: impl FnMut(&Position, &SlowBoard, &mut Rng),
) {
    let mut rng = Rng::from_seed(seed);
    for n in 0..games {
        let mut position = start(n, &mut rng);
        let mut slow = SlowBoard::of(&position);
        for _ in 0..plies {
            visit(&position, &slow, &mut rng);
            let Some(m) = choose(&position, &mut rng) else { break };
            position = position.after(m);
            slow = slow.after(m);
        }
    }
}
