//! Positions to measure on: random games from the start, the same every time.

use chess::Position;

/// So many different positions of random games.
pub fn positions(count: usize) -> Vec<Position> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
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
