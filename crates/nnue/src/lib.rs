//! Chess networks: features, file formats, accumulators, inference.

pub mod features;
pub mod towers;

#[cfg(test)]
pub(crate) mod testing {
    //! What several tests need.

    use chess::Position;

    /// Positions of random games, the same every time.
    pub(crate) fn random_positions(count: usize) -> Vec<Position> {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut positions = Vec::with_capacity(count);
        let mut position = Position::INITIAL;
        while positions.len() < count {
            let moves = position.legal_moves();
            if moves.is_empty() || position.fullmove_number() > 90 {
                position = Position::INITIAL;
                continue;
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            position = position.after(moves[(state >> 33) as usize % moves.len()]);
            positions.push(position);
        }
        positions
    }
}
