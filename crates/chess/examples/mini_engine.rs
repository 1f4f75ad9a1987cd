//! A UCI engine in sixty lines: alpha-beta on material, with captures searched to quiet positions.
//!
//! `cargo run --release --example mini_engine`

use tabiya_chess::{Color, Game, MoveFilter, PieceType, Position};

const VALUES: [i32; 6] = [100, 320, 330, 500, 900, 0];
const MATE: i32 = 30_000;

/// Material and mobility from the side to move.
fn evaluate(position: &Position) -> i32 {
    let count = |color: Color, piece: PieceType| position.pieces(color, piece).len() as i32;
    let (us, them) = (position.turn(), !position.turn());
    let value = |piece: PieceType| VALUES[piece.index()] * (count(us, piece) - count(them, piece));
    let material: i32 = PieceType::ALL.into_iter().map(value).sum();
    let mobility = position.after_null().map_or(0, |null| null.count_legal_moves() as i32);
    material + position.count_legal_moves() as i32 - mobility
}

fn search(position: &Position, depth: u32, ply: i32, mut alpha: i32, beta: i32) -> i32 {
    if !position.has_legal_move() {
        return if position.in_check() { ply - MATE } else { 0 };
    }
    if position.halfmove_clock() >= 100 || position.is_insufficient_material() {
        return 0;
    }
    let mut best = if depth == 0 { evaluate(position) } else { -MATE };
    alpha = alpha.max(best);
    let mut moves = position.moves(if depth == 0 { MoveFilter::CAPTURES } else { MoveFilter::ALL });
    moves.sort_by_cached_key(|&m| if m.is_capture() { -1000 - position.see(m) } else { 0 });
    for m in moves {
        if alpha >= beta {
            break;
        }
        let score = -search(&position.after(m), depth.saturating_sub(1), ply + 1, -beta, -alpha);
        best = best.max(score);
        alpha = alpha.max(best);
    }
    best
}

fn main() {
    let mut game = Game::default();
    let parse = |text: &str| Game::parse(text.trim_start_matches("fen "));
    for line in std::io::stdin().lines().map_while(Result::ok) {
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("uci", _) => println!("id name Mini\nuciok"),
            ("isready", _) => println!("readyok"),
            ("position", text) => game = parse(text).unwrap_or(game),
            ("go", _) => {
                let position = game.position();
                let score = |&m: &_| -search(&position.after(m), 2, 1, -MATE, MATE);
                let best = position.legal_moves().into_iter().max_by_key(score);
                println!("bestmove {}", best.map_or("0000".to_owned(), |m| m.to_string()));
            }
            ("quit", _) => return,
            _ => {}
        }
    }
}
