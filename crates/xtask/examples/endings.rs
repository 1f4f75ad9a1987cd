//! Known endings without tablebases: of how many won positions the engine mates from, against the best
//! defense, and how it scores drawn ones. `runs/endings.sh` builds and runs it.
//!
//! ```text
//! cargo run --release -p xtask --no-default-features --example endings -- [--tables DIR]
//!   [--positions 100] [--nodes 20000] [--draw-nodes 100000] [--seed 1] [--threads N] [ENDING...]
//! ```
//!
//! **Won**: random positions that the tablebases call won, either color attacking, either side to move. The
//! engine has one thread, 16 MB of hash and no tablebases; the defender plays the move that draws, or that
//! lasts longest, by the tablebases (by a search like the attacker's where there is no DTZ file). A position
//! counts if it ends in mate before a draw can be claimed. After KPK's promotion the game continues.
//!
//! **Drawn**: random positions that the tablebases call drawn, the stronger side to move, and a list of known
//! ones. A position counts if the engine scores it within half a pawn of a draw.
//!
//! Every position begins with an empty hash table, so that the numbers depend on the arguments alone, not on
//! threads or time. The exit code is 1 if any position fails. Random ones that fail are listed on standard
//! error.

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use tabiya_chess::rng::Rng;
use tabiya_chess::{Color, Game, Move, Outcome, Piece, PieceType, Position, Setup, Square};
use tabiya_engine::search::{Control, Engine, Limits, Settings, with_deep_stack};
use tabiya_engine::syzygy::{Tablebases, Wdl};
use tabiya_engine::wdl::to_cp;

/// Endings that the first side wins, but for some positions.
const WON: [&str; 5] = ["KQvK", "KRvK", "KBBvK", "KBNvK", "KPvK"];

/// Endings that are drawn, but for some positions.
const DRAWN: [&str; 5] = ["KNNvK", "KRvKB", "KRvKN", "KBPvK", "KPvK"];

/// Drawn positions that evaluations like to take for won.
const KNOWN: [(&str, &str); 13] = [
    ("KNNvK", "8/8/8/4k3/8/8/8/1NN1K3 w - - 0 1"),
    ("KNNvK, the king in the corner", "k7/8/1K6/8/3N4/8/8/4N3 w - - 0 1"),
    ("wrong bishop", "k7/8/8/8/P7/8/1B4K1/8 w - - 0 1"),
    ("wrong bishop, the king arrives in time", "8/2k5/8/8/P7/8/1B4K1/8 w - - 0 1"),
    ("opposite bishops", "4B3/p7/5p2/1P2k1p1/4P1K1/8/8/b7 w - - 0 1"),
    ("KRvKB, in the center", "8/8/8/4k3/8/3b4/8/R3K3 w - - 0 1"),
    ("KRvKB, the safe corner", "7k/R7/6K1/8/8/8/8/6b1 w - - 0 1"),
    ("KRvKB, at the edge", "3k4/1R6/3K4/8/8/8/8/5b2 w - - 0 1"),
    ("KRvKN, in the center", "8/8/8/4k3/8/3n4/8/R3K3 w - - 0 1"),
    ("KRvKN, at the edge", "3k4/3n4/3K4/8/8/8/8/R7 w - - 0 1"),
    ("KRvKN, the knight beside its king", "4k3/6n1/4K3/8/8/8/8/5R2 w - - 0 1"),
    ("KPvK, the opposition", "4k3/8/4K3/4P3/8/8/8/8 b - - 0 1"),
    ("KPvK, a rook pawn", "8/8/8/8/7P/8/4k1K1/8 b - - 0 1"),
];

/// A drawn position is within this many centipawns of a draw.
const DRAWN_WITHIN: i32 = 50;

struct Options {
    tables: Option<String>,
    positions: usize,
    nodes: u64,
    draw_nodes: u64,
    seed: u64,
    threads: usize,
    endings: Vec<String>,
}

impl Options {
    fn parse() -> Result<Self, Box<dyn std::error::Error>> {
        let threads = std::thread::available_parallelism().map_or(1, Into::into);
        let (positions, nodes, draw_nodes, seed) = (100, 20_000, 100_000, 1);
        let (tables, endings) = (None, Vec::new());
        let mut options = Self { tables, positions, nodes, draw_nodes, seed, threads, endings };
        let mut args = std::env::args().skip(1);
        while let Some(name) = args.next() {
            if !name.starts_with("--") {
                options.endings.push(name);
                continue;
            }
            let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
            match name.as_str() {
                "--tables" => options.tables = Some(value),
                "--positions" => options.positions = value.parse()?,
                "--nodes" => options.nodes = value.parse()?,
                "--draw-nodes" => options.draw_nodes = value.parse()?,
                "--seed" => options.seed = value.parse()?,
                "--threads" => options.threads = value.parse()?,
                _ => return Err(format!("unknown option {name}").into()),
            }
        }
        let is_known = |ending: &String| WON.iter().chain(&DRAWN).any(|known| known == ending);
        if let Some(unknown) = options.endings.iter().find(|ending| !is_known(ending)) {
            return Err(format!("{unknown} is none of {WON:?} and {DRAWN:?}").into());
        }
        Ok(options)
    }

    fn wants(&self, ending: &str) -> bool {
        self.endings.is_empty() || self.endings.iter().any(|wanted| wanted == ending)
    }

    /// Calls `check` for the numbers below `count` on all threads, each with an engine; the results in order.
    fn in_parallel<T: Send>(
        &self,
        count: usize,
        check: impl Fn(&mut Engine, usize) -> T + Sync,
    ) -> Result<Vec<T>, Box<dyn std::error::Error>> {
        let next = AtomicUsize::new(0);
        let worker = || {
            with_deep_stack(|| {
                let mut engine = Engine::new(16).map_err(|error| error.to_string())?;
                let numbers = std::iter::repeat_with(|| next.fetch_add(1, Relaxed));
                let checked = numbers.take_while(|&number| number < count).map(|number| {
                    engine.new_game();
                    (number, check(&mut engine, number))
                });
                Ok::<Vec<_>, String>(checked.collect())
            })
            .unwrap_or_else(|| Err("a thread could not be started".to_owned()))
        };
        let mut results = Vec::new();
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads.max(1)).map(|_| scope.spawn(worker)).collect();
            for worker in workers {
                results.extend(worker.join().map_err(|_| "a thread panicked")??);
            }
            Ok::<(), Box<dyn std::error::Error>>(())
        })?;
        results.sort_by_key(|&(number, _)| number);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }
}

fn main() -> ExitCode {
    match Options::parse().and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("endings: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether no position failed.
fn run(options: &Options) -> Result<bool, Box<dyn std::error::Error>> {
    let in_repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tests/data/syzygy");
    let tables = Tablebases::open(options.tables.as_deref().unwrap_or(in_repository))?;
    let mut passed = true;
    println!("| won | mated | longest | {} nodes a move |\n|---|---:|---:|---|", options.nodes);
    for ending in WON.into_iter().filter(|ending| options.wants(ending)) {
        let Some(positions) = random_positions(options, &tables, ending, Wdl::Win) else {
            println!("| {ending} | | | no table |");
            continue;
        };
        let games = options.in_parallel(positions.len(), |engine, number| {
            play(engine, &tables, positions[number], options.nodes)
        })?;
        let mated = games.iter().filter(|game| game.mated).count();
        let longest = games.iter().map(|game| game.moves).max().unwrap_or(0);
        let perfect = games.iter().all(|game| game.perfect_defense);
        let note = if perfect { "best defense" } else { "the engine defends: no DTZ table" };
        println!("| {ending} | {mated} of {} | {longest} moves | {note} |", games.len());
        for (position, game) in positions.iter().zip(&games).filter(|(_, game)| !game.mated) {
            eprintln!("{ending}: no mate from {position}, {} moves: {}", game.moves, game.end);
        }
        passed &= mated == games.len();
    }
    println!(
        "\n| drawn | within ±0.50 | largest | {} nodes |\n|---|---:|---:|---|",
        options.draw_nodes
    );
    for ending in DRAWN.into_iter().filter(|ending| options.wants(ending)) {
        let Some(positions) = random_positions(options, &tables, ending, Wdl::Draw) else {
            println!("| {ending} | | | no table |");
            continue;
        };
        let scores = options.in_parallel(positions.len(), |engine, number| {
            search(engine, &Game::new(positions[number]), options.draw_nodes).1
        })?;
        let seen = scores.iter().filter(|score| score.abs() <= DRAWN_WITHIN).count();
        let largest = scores.iter().map(|score| score.abs()).max().unwrap_or(0);
        println!("| {ending} | {seen} of {} | {} | |", scores.len(), pawns(largest));
        let failed = positions.iter().zip(&scores).filter(|(_, score)| score.abs() > DRAWN_WITHIN);
        for (position, &score) in failed {
            eprintln!("{ending}: {} for {position}", pawns(score));
        }
        passed &= seen == scores.len();
    }
    if options.endings.is_empty() {
        println!("\n| drawn | score | position |\n|---|---:|---|");
        let scores = options.in_parallel(KNOWN.len(), |engine, number| {
            let position = KNOWN[number].1.parse().map_err(|_| KNOWN[number].1)?;
            Ok::<i32, &str>(search(engine, &Game::new(position), options.draw_nodes).1)
        })?;
        for ((name, fen), score) in KNOWN.into_iter().zip(scores) {
            let score = score?;
            println!("| {name} | {} | `{fen}` |", pawns(score));
            passed &= score.abs() <= DRAWN_WITHIN;
        }
    }
    Ok(passed)
}

fn pawns(score: i32) -> String {
    format!("{:.2}", f64::from(score) / 100.0)
}

/// Random positions of an ending such as `KRvKB`, with random colors, whose result for the stronger side is this;
/// none without a table. Where it is a draw, the stronger side is to move.
fn random_positions(
    options: &Options,
    tables: &Tablebases,
    ending: &str,
    result: Wdl,
) -> Option<Vec<Position>> {
    let mut rng = Rng::from_seed(options.seed);
    let mut found = Vec::new();
    while found.len() < options.positions {
        let strong = Color::ALL[rng.below(2)];
        let mut setup = Setup::EMPTY;
        let mut color = strong;
        for letter in ending.chars() {
            match PieceType::from_letter(letter) {
                Some(piece_type) => {
                    let square = Square::from_index_wrapping(rng.below(64));
                    setup.board.put(square, Piece::new(color, piece_type));
                }
                None => color = !color,
            }
        }
        let drawn = result == Wdl::Draw;
        setup.turn = if drawn { strong } else { Color::ALL[rng.below(2)] };
        let Ok(position) = setup.position() else { continue };
        if position.occupied().len() != ending.len() - 1 || !position.has_legal_move() {
            continue;
        }
        let wdl = tables.wdl(&position)?;
        let of_strong = if position.turn() == strong { wdl } else { -wdl };
        if of_strong == result {
            found.push(position);
        }
    }
    Some(found)
}

/// A game that was played out.
struct Played {
    mated: bool,
    moves: usize,
    end: String,
    perfect_defense: bool,
}

fn play(engine: &mut Engine, tables: &Tablebases, position: Position, nodes: u64) -> Played {
    // One side has more than a king.
    let strong =
        if position.board().color(Color::White).many() { Color::White } else { Color::Black };
    let mut game = Game::new(position);
    let mut perfect_defense = true;
    while game.outcome().is_none() && game.claimable_draw().is_none() {
        let defense = if game.position().turn() == strong { None } else { defend(tables, &game) };
        perfect_defense &= game.position().turn() == strong || defense.is_some();
        let Some(m) = defense.or_else(|| search(engine, &game, nodes).0) else { break };
        if game.play(m).is_err() {
            break;
        }
    }
    let mated = game.outcome() == Some(Outcome::Checkmate(strong));
    let end = match (game.outcome(), game.claimable_draw()) {
        (Some(outcome), _) => format!("{outcome:?}, {}", game.position()),
        (None, draw) => format!("{draw:?}, {}", game.position()),
    };
    Played { mated, moves: game.len().div_ceil(2), end, perfect_defense }
}

/// The defender's move that draws, or that loses last; none without tables.
fn defend(tables: &Tablebases, game: &Game) -> Option<Move> {
    let position = game.position();
    let mut best: Option<((Wdl, i32), Move)> = None;
    for m in position.legal_moves() {
        let next = position.after(m);
        let wdl = -tables.wdl(&next)?;
        let rank = (wdl, tables.dtz(&next)?.plies);
        if best.is_none_or(|(so_far, _)| rank > so_far) {
            best = Some((rank, m));
        }
    }
    best.map(|(_, m)| m)
}

/// The move of a search, and its score in centipawns.
fn search(engine: &mut Engine, game: &Game, nodes: u64) -> (Option<Move>, i32) {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let found = engine.search(game, &limits, Settings::default(), &Control::new(false), &|_| {});
    (found.best, to_cp(found.score, game.position()))
}
