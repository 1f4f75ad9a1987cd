//! A fixed search over built-in positions: the node count identifies the search, the time its speed.

use std::time::{Duration, Instant};

use chess::Game;
use nnue::AnyNetwork;

use crate::search::{Control, Engine, Limits, Settings, ThreadError};
use crate::table::OutOfMemory;

/// The default depth.
pub const DEPTH: u32 = 12;
/// The table size in MiB.
pub const HASH: usize = 16;

/// Openings, middlegames and endgames: perft positions, common openings, and positions that the
/// benches of other engines have long used.
pub const POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqkb1r/pp3ppp/2np1n2/4p3/3NP3/2N5/PPP1BPPP/R1BQK2R w KQkq - 0 7",
    "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6",
    "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/PBN1PN2/1P2QPPP/R1BR2K1 w - - 0 12",
    "2rq1rk1/pb1nbppp/1p2pn2/3p4/2PP4/1PN1PN2/PB2BPPP/2RQ1RK1 w - - 4 12",
    "r1b2rk1/2q1bppp/p2ppn2/1p6/3QP3/1BN1B3/PPP2PPP/R4RK1 w - - 0 14",
    "3r1rk1/p3qppp/2bb4/2p5/3p4/1P2P3/PBQN1PPP/2R2RK1 w - - 0 1",
    "r1r3k1/4bppp/p1b1p3/qp1pP3/3N1P2/P1P1B3/1P2Q1PP/R3R1K1 b - - 1 21",
    "2r2rk1/1p3ppp/p2qbb2/3p4/3N4/1P2B3/P2Q1PPP/2R2RK1 w - - 5 22",
    "8/pp3k2/2p2p1p/2P1pPpP/PP2P1P1/4K3/8/8 w - - 0 40",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
    "8/5pk1/5p1p/2R5/5K2/1r4P1/7P/8 b - - 8 50",
    "6k1/3b3r/1p1p4/p1n2p2/1PPNpP1q/P3Q1p1/1R1RB1P1/5K2 b - - 0 1",
    "5rk1/1rP3pp/p4n2/3Pp3/1P2Pq2/2Q4P/P5P1/R3R1K1 b - - 0 32",
    "4r1k1/5p1p/1q1p2p1/2pP4/2P1rP2/1P1Q2P1/P4RKP/4R3 w - - 0 31",
    "1r1bk2r/2R2ppp/p3p3/1b2P2q/4QP2/4N3/1B4PP/3R2K1 w k - 0 1",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
];

/// The result of a bench.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Nodes searched; deterministic with one thread.
    pub nodes: u64,
    /// Wall-clock time.
    pub time: Duration,
}

impl Work {
    /// Nodes per second.
    pub fn nodes_per_second(self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-9)) as u64
    }
}

/// Why a bench cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The table cannot be allocated.
    #[error(transparent)]
    Table(#[from] OutOfMemory),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] ThreadError),
}

/// Searches all [`POSITIONS`] with a new engine and this network, or the classical evaluation, and calls
/// `report` after each. A stop ends it early.
pub fn run(
    depth: u32,
    threads: usize,
    network: Option<AnyNetwork>,
    control: &Control,
    mut report: impl FnMut(usize, &str, Work),
) -> Result<Work, BenchError> {
    let mut engine = Engine::new(HASH)?;
    engine.set_network(network);
    engine.set_threads(threads)?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut total = Work { nodes: 0, time: Duration::ZERO };
    for (n, fen) in POSITIONS.iter().enumerate() {
        let game = Game::new(fen.parse().unwrap_or_default());
        engine.new_game();
        let start = Instant::now();
        let found = engine.search(&game, &limits, Settings::default(), control, &|_| {});
        let work = Work { nodes: found.nodes, time: start.elapsed() };
        if control.is_stopped() {
            break;
        }
        report(n, fen, work);
        total = Work { nodes: total.nodes + work.nodes, time: total.time + work.time };
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    #[test]
    fn all_positions_are_legal() {
        for fen in POSITIONS {
            fen.parse::<Position>().unwrap();
        }
    }
}
