//! Random games to test with: always the same ones for the same seed.

use chess::{Move, MoveKind, Position, chess960};

use super::SlowBoard;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Starts where castling, en passant and promotions are near.
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

/// The n-th start: chess, one of Fischer's, or one of [`RICH`].
fn start(n: usize, random: &mut Random) -> Position {
    match n % 4 {
        0 => Position::INITIAL,
        1 => chess960::start(random.below(960) as u16).expect("a number below 960"),
        _ => RICH[random.below(RICH.len())].parse().expect("a legal position"),
    }
}

/// A legal move; rare kinds of move are preferred now and then.
pub fn choose(position: &Position, random: &mut Random) -> Option<Move> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return None;
    }
    if random.below(4) == 0 {
        let rare: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|m| !matches!(m.kind(), MoveKind::Quiet | MoveKind::Capture))
            .collect();
        if !rare.is_empty() {
            return Some(rare[random.below(rare.len())]);
        }
    }
    Some(moves[random.below(moves.len())])
}

/// Plays random games and shows each position with its slow twin, which is kept by its own moves.
pub fn play(
    seed: u64,
    games: usize,
    plies: usize,
    mut show: impl FnMut(&Position, &SlowBoard, &mut Random),
) {
    let mut random = Random(seed);
    for n in 0..games {
        let mut position = start(n, &mut random);
        let mut slow = SlowBoard::of(&position);
        for _ in 0..plies {
            show(&position, &slow, &mut random);
            let Some(m) = choose(&position, &mut random) else { break };
            position = position.after(m);
            slow = slow.after(m);
        }
    }
}
