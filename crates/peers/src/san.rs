//! Moves in algebraic notation: each library reads the same texts and plays the moves they mean.

use std::hint::black_box;

use chess::rng::Rng;
use chess::{Move, Position, random};
use serde_json::json;
use shakmaty::Position as _;

use crate::table::{measure, print};

/// How many random games, of at most how many moves.
const GAMES: usize = 4_000;
const LENGTH: usize = 120;

/// Games as the texts of their moves.
type Games = Vec<Vec<String>>;

/// Plays all games; gives the number of moves.
type Task = fn(&Games) -> u64;

const LIBRARIES: [(&str, Task); 3] =
    [("tabiya", tabiya), ("cozy-chess", cozy), ("shakmaty", shakmaty)];

pub fn run(rounds: u32, as_json: bool) -> anyhow::Result<()> {
    let games = games();
    let expected: u64 = games.iter().map(|game| game.len() as u64).sum();
    let mut speeds = [0f64; 3];
    for _ in 0..rounds {
        for ((name, task), speed) in LIBRARIES.iter().zip(&mut speeds) {
            let (seconds, moves) = measure(|| task(black_box(&games)));
            anyhow::ensure!(moves == expected, "{name} plays {moves} of {expected} moves");
            *speed = speed.max(moves as f64 / seconds / 1e6);
        }
    }
    if as_json {
        let named: serde_json::Map<_, _> = LIBRARIES
            .iter()
            .zip(speeds)
            .map(|((name, _), speed)| ((*name).to_owned(), json!(speed * 1e6)))
            .collect();
        println!("{}", json!({ "san": named }));
        return Ok(());
    }
    let row = |n: usize| {
        let (name, speed) = (LIBRARIES[n].0, speeds[n]);
        vec![name.to_owned(), format!("{speed:.1}"), format!("{:.2}", speed / speeds[1])]
    };
    let title = format!("SAN, {expected} moves read and played: million per CPU second");
    print(&title, &["", "M moves/s", "× cozy-chess"], &(0..3).map(row).collect::<Vec<_>>());
    Ok(())
}

/// Random games, the same every time.
fn games() -> Games {
    let mut rng = Rng::new(2, 0);
    let san = |(position, m): (Position, Move)| position.san(m).to_string();
    let mut game = || random::game(Position::INITIAL, &mut rng).take(LENGTH).map(san).collect();
    (0..GAMES).map(|_| game()).collect()
}

fn tabiya(games: &Games) -> u64 {
    let mut moves = 0;
    for game in games {
        let mut position = Position::INITIAL;
        for text in game {
            let Ok(san) = chess::San::parse(text.as_bytes()) else { break };
            let Some((_, next)) = position.play_san(san) else { break };
            position = next;
            moves += 1;
        }
        black_box(&position);
    }
    moves
}

fn cozy(games: &Games) -> u64 {
    let mut moves = 0;
    for game in games {
        let mut board = cozy_chess::Board::default();
        for text in game {
            let Ok(m) = cozy_chess::util::parse_san_move(&board, text) else { break };
            board.play_unchecked(m);
            moves += 1;
        }
        black_box(&board);
    }
    moves
}

fn shakmaty(games: &Games) -> u64 {
    let mut moves = 0;
    for game in games {
        let mut position = shakmaty::Chess::default();
        for text in game {
            let Ok(san) = shakmaty::san::SanPlus::from_ascii(text.as_bytes()) else { break };
            let Ok(m) = san.san.to_move(&position) else { break };
            position.play_unchecked(m);
            moves += 1;
        }
        black_box(&position);
    }
    moves
}
