//! Move generation: how fast each library walks the tree of legal moves.
//!
//! "Bulk" counts the last move without making it, with the fastest counting the library offers;
//! "leaf" makes every last move and keeps the compiler from dropping the result.

use std::hint::black_box;

use serde_json::json;

use crate::table::{geometric_mean, measure, print};

/// Name, FEN, depth, the right answer.
const POSITIONS: [(&str, &str, u32, u64); 4] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6, 119_060_324),
    (
        "kiwi",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        5,
        193_690_690,
    ),
    ("pos3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7, 178_633_661),
    (
        "pos6",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        5,
        164_075_551,
    ),
];

/// Counts the leaves below a FEN.
type Perft = fn(&str, u32) -> u64;

const LIBRARIES: [(&str, Perft, Perft); 4] = [
    ("tabiya", tabiya_bulk, tabiya_leaf),
    ("cozy-chess", cozy_bulk, cozy_leaf),
    ("chess", chess_bulk, chess_leaf),
    ("shakmaty", shakmaty_bulk, shakmaty_leaf),
];

pub fn run(rounds: u32, as_json: bool) -> anyhow::Result<()> {
    // speeds[bulk or leaf][library][position], million nodes per CPU second
    let mut speeds = [[[0f64; 4]; 4]; 2];
    for _ in 0..rounds {
        for (p, &(position, fen, depth, expected)) in POSITIONS.iter().enumerate() {
            for (l, &(library, bulk, leaf)) in LIBRARIES.iter().enumerate() {
                for (mode, (perft, depth)) in [(bulk, depth), (leaf, depth - 1)].iter().enumerate()
                {
                    let (seconds, nodes) = measure(|| perft(black_box(fen), *depth));
                    if mode == 0 {
                        anyhow::ensure!(
                            nodes == expected,
                            "{library} counts {nodes} for {position}"
                        );
                    }
                    let speed = nodes as f64 / seconds / 1e6;
                    speeds[mode][l][p] = speeds[mode][l][p].max(speed);
                }
            }
        }
    }
    let means = speeds.map(|mode| mode.map(|library| geometric_mean(&library)));
    if as_json {
        let mode = |n: usize| -> serde_json::Map<_, _> {
            LIBRARIES
                .iter()
                .zip(means[n])
                .map(|((name, ..), mean)| ((*name).to_owned(), json!(mean * 1e6)))
                .collect()
        };
        println!("{}", json!({ "bulk": mode(0), "leaf": mode(1) }));
        return Ok(());
    }
    let titles = [
        "Perft, bulk counting: million nodes per CPU second",
        "Perft, every leaf made (one ply less): million nodes per CPU second",
    ];
    for (mode, title) in titles.into_iter().enumerate() {
        let rows: Vec<Vec<String>> = LIBRARIES
            .iter()
            .enumerate()
            .map(|(l, (name, ..))| {
                let mut row = vec![(*name).to_owned()];
                row.extend(speeds[mode][l].iter().map(|speed| format!("{speed:.0}")));
                row.push(format!("{:.0}", means[mode][l]));
                row.push(format!("{:.2}", means[mode][l] / means[mode][1]));
                row
            })
            .collect();
        let names = POSITIONS.map(|(name, ..)| name);
        let header = ["", names[0], names[1], names[2], names[3], "geomean", "× cozy-chess"];
        print(title, &header, &rows);
    }
    Ok(())
}

fn tabiya_bulk(fen: &str, depth: u32) -> u64 {
    chess::perft::bulk(&fen.parse().expect("a FEN of ours"), depth)
}

fn tabiya_leaf(fen: &str, depth: u32) -> u64 {
    chess::perft::every_leaf(&fen.parse().expect("a FEN of ours"), depth)
}

fn cozy_bulk(fen: &str, depth: u32) -> u64 {
    fn walk(board: &cozy_chess::Board, depth: u32) -> u64 {
        let mut nodes = 0;
        if depth == 1 {
            board.generate_moves(|moves| {
                nodes += moves.len() as u64;
                false
            });
        } else {
            board.generate_moves(|moves| {
                for m in moves {
                    let mut child = board.clone();
                    child.play_unchecked(m);
                    nodes += walk(&child, depth - 1);
                }
                false
            });
        }
        nodes
    }
    walk(&fen.parse().expect("a FEN of ours"), depth)
}

fn cozy_leaf(fen: &str, depth: u32) -> u64 {
    fn walk(board: &cozy_chess::Board, depth: u32) -> u64 {
        let mut nodes = 0;
        if depth == 1 {
            board.generate_moves(|moves| {
                for m in moves {
                    let mut child = board.clone();
                    child.play_unchecked(m);
                    black_box(&child);
                    nodes += 1;
                }
                false
            });
        } else {
            board.generate_moves(|moves| {
                for m in moves {
                    let mut child = board.clone();
                    child.play_unchecked(m);
                    nodes += walk(&child, depth - 1);
                }
                false
            });
        }
        nodes
    }
    walk(&fen.parse().expect("a FEN of ours"), depth)
}

fn chess_bulk(fen: &str, depth: u32) -> u64 {
    chess_crate::MoveGen::movegen_perft_test(&fen.parse().expect("a FEN of ours"), depth as usize)
        as u64
}

fn chess_leaf(fen: &str, depth: u32) -> u64 {
    fn walk(board: &chess_crate::Board, depth: u32) -> u64 {
        let mut nodes = 0;
        for m in chess_crate::MoveGen::new_legal(board) {
            let child = board.make_move_new(m);
            if depth == 1 {
                black_box(&child);
                nodes += 1;
            } else {
                nodes += walk(&child, depth - 1);
            }
        }
        nodes
    }
    walk(&fen.parse().expect("a FEN of ours"), depth)
}

fn shakmaty_position(fen: &str) -> shakmaty::Chess {
    let fen: shakmaty::fen::Fen = fen.parse().expect("a FEN of ours");
    fen.into_position(shakmaty::CastlingMode::Standard).expect("a legal position")
}

fn shakmaty_bulk(fen: &str, depth: u32) -> u64 {
    shakmaty::perft(&shakmaty_position(fen), depth)
}

fn shakmaty_leaf(fen: &str, depth: u32) -> u64 {
    use shakmaty::Position;
    fn walk(position: &shakmaty::Chess, depth: u32) -> u64 {
        let mut nodes = 0;
        for m in position.legal_moves() {
            let mut child = position.clone();
            child.play_unchecked(m);
            if depth == 1 {
                black_box(&child);
                nodes += 1;
            } else {
                nodes += walk(&child, depth - 1);
            }
        }
        nodes
    }
    walk(&shakmaty_position(fen), depth)
}
