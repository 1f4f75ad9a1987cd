//! A search: depth, score and principal variation as they are found, then the best move.
//!
//! `cargo run --release --example search -- 12 "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"`

use std::error::Error;

use tabiya_engine::analysis::numbered_san;
use tabiya_engine::chess::{Game, Position};
use tabiya_engine::search::{Control, Engine, Limits, Report, Settings};
use tabiya_engine::value::to_score;
use tabiya_engine::wdl::to_cp;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let depth: u32 = args.next().map_or(Ok(10), |depth| depth.parse())?;
    let position = match args.next() {
        Some(fen) => Position::from_fen(&fen)?,
        None => Position::INITIAL,
    };

    let mut engine = Engine::new(16)?; // MiB of transposition table
    // A game has the history, which repetitions need.
    let game = Game::new(position);
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    // With `control`, another thread can stop the search.
    let control = Control::new(false);
    let report = |report: Report<'_>| {
        if let Report::Line(line) = report {
            let moves = numbered_san(&position, line.line).join(" ");
            let score = to_score(to_cp(line.score, &position)); // in centipawns
            println!("depth {:2}  {:8}  {moves}", line.depth, score.to_string());
        }
    };
    let found = engine.search(&game, &limits, Settings::default(), &control, &report);
    match found.best {
        Some(m) => println!("best move: {} ({} nodes)", position.san(m), found.nodes),
        None => println!("no legal move"),
    }
    Ok(())
}
