//! FEN: reading with all checks of a legal position, and writing.

use std::hint::black_box;

use chess::Position;
use serde_json::json;

use crate::corpus;
use crate::table::{best_rate, print};

/// How many FENs one measurement reads or writes.
const FENS: usize = 1 << 19;
const CORPUS: usize = 4096;

/// One measurement over the whole corpus, many times.
fn repeat<T, R>(corpus: &[T], task: impl Fn(&T) -> R) {
    for _ in 0..FENS / corpus.len() {
        for item in corpus {
            black_box(task(black_box(item)));
        }
    }
}

type Task<'a> = Box<dyn Fn() + 'a>;

pub fn run(rounds: u32, as_json: bool) -> anyhow::Result<()> {
    let positions = corpus::positions(CORPUS);
    let fens: Vec<String> = positions.iter().map(Position::fen).collect();
    let cozy: Vec<cozy_chess::Board> = fens.iter().map(|fen| read_cozy(fen)).collect();
    let crate_boards: Vec<chess_crate::Board> = fens.iter().map(|fen| read_chess(fen)).collect();
    let shak: Vec<shakmaty::Chess> = fens.iter().map(|fen| read_shakmaty(fen)).collect();
    for (n, fen) in fens.iter().enumerate() {
        anyhow::ensure!(write_shakmaty(&shak[n]) == *fen, "shakmaty writes {fen} differently");
    }

    let readers: [(&str, Task); 4] = [
        ("tabiya", Box::new(|| repeat(&fens, |fen| fen.parse::<Position>()))),
        ("cozy-chess", Box::new(|| repeat(&fens, |fen| read_cozy(fen)))),
        ("chess", Box::new(|| repeat(&fens, |fen| read_chess(fen)))),
        ("shakmaty", Box::new(|| repeat(&fens, |fen| read_shakmaty(fen)))),
    ];
    let writers: [(&str, Task); 4] = [
        ("tabiya", Box::new(|| repeat(&positions, Position::fen))),
        ("cozy-chess", Box::new(|| repeat(&cozy, |board| board.to_string()))),
        ("chess", Box::new(|| repeat(&crate_boards, |board| board.to_string()))),
        ("shakmaty", Box::new(|| repeat(&shak, write_shakmaty))),
    ];
    let read = best_rate(rounds, FENS as f64 / 1e6, &readers, |task| task());
    let written = best_rate(rounds, FENS as f64 / 1e6, &writers, |task| task());
    if as_json {
        let map = |speeds: &[(&str, f64)]| -> serde_json::Map<_, _> {
            speeds.iter().map(|&(name, speed)| (name.to_owned(), json!(speed * 1e6))).collect()
        };
        println!("{}", json!({ "read": map(&read), "write": map(&written) }));
        return Ok(());
    }
    for (title, speeds) in [
        ("FEN read, legality checked: million per CPU second", read),
        ("FEN written to a new string: million per CPU second", written),
    ] {
        let (cozy, shakmaty) = (speeds[1].1, speeds[3].1);
        let rows: Vec<Vec<String>> = speeds
            .iter()
            .map(|&(name, speed)| {
                vec![
                    name.to_owned(),
                    format!("{speed:.2}"),
                    format!("{:.2}", speed / cozy),
                    format!("{:.2}", speed / shakmaty),
                ]
            })
            .collect();
        print(title, &["", "FENs", "× cozy-chess", "× shakmaty"], &rows);
    }
    Ok(())
}

fn read_cozy(fen: &str) -> cozy_chess::Board {
    cozy_chess::Board::from_fen(fen, false).expect("a FEN of ours")
}

fn read_chess(fen: &str) -> chess_crate::Board {
    fen.parse().expect("a FEN of ours")
}

fn read_shakmaty(fen: &str) -> shakmaty::Chess {
    let fen: shakmaty::fen::Fen = fen.parse().expect("a FEN of ours");
    fen.into_position(shakmaty::CastlingMode::Standard).expect("a legal position")
}

fn write_shakmaty(position: &shakmaty::Chess) -> String {
    shakmaty::fen::Fen::from_position(position, shakmaty::EnPassantMode::Legal).to_string()
}
