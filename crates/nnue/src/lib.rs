//! Chess networks: features, file formats, accumulators, inference.
//!
//! [`features`] are bits of a position for networks of any kind. [`network`] is the engine's own kind,
//! [`halfkp`] Stockfish's first; [`AnyNetwork`] is one of either, read from a file. [`towers`] is a
//! floating-point model for whole batches.

mod any;
pub mod features;
pub mod halfkp;
pub mod network;
pub mod simd;
pub mod towers;

pub use any::{AnyLoadError, AnyNetwork, MAX_FILE_LEN, halfkp_centipawns};
pub use network::{Accumulators, LoadError, Network, Shape};

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
