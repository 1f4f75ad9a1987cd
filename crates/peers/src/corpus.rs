//! Positions to measure on: random games from the start, the same every time.

use chess::Position;

/// Random numbers below a bound, the same for the same seed.
pub fn random(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 33) as usize % below
    }
}

/// So many different positions of random games.
pub fn positions(count: usize) -> Vec<Position> {
    let mut random = random(0x2545_f491_4f6c_dd1d);
    let mut found = Vec::with_capacity(count);
    let mut position = Position::INITIAL;
    while found.len() < count {
        let moves = position.legal_moves();
        if moves.is_empty() || position.fullmove_number() > 60 {
            position = Position::INITIAL;
            continue;
        }
        position = position.after(moves[random(moves.len())]);
        found.push(position);
    }
    found
}
