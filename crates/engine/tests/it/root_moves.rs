//! Ordering and reporting of root moves, with tablebases and by the search.
//!
//! The tables of `data/syzygy` are the smallest in which wins can be thrown away.

use std::sync::Mutex;

use chess::rng::Rng;
use chess::{Color, Game, Piece, PieceType, Position, Setup, Square};
use tabiya_engine::search::{
    Control, Engine, Found, Limits, Report, RootMove, Settings, with_deep_stack,
};
use tabiya_engine::syzygy::Tablebases;
use tabiya_engine::value::{self, Value};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

/// The legal moves with their tablebase ranks and scores.
fn ranked(tables: &Tablebases, position: &Position) -> Vec<RootMove> {
    let mut moves: Vec<RootMove> = position.legal_moves().into_iter().map(RootMove::new).collect();
    tables.rank_root(&Game::new(*position), &mut moves);
    moves
}

fn wins(m: &RootMove) -> bool {
    m.tablebase_score.expect("a move that the tables know") >= value::WIN_BOUND
}

fn loses(m: &RootMove) -> bool {
    m.tablebase_score.expect("a move that the tables know") <= -value::WIN_BOUND
}

/// Whether a move wins within the fifty-move rule, seen from the other side: every reply loses.
fn keeps_the_win(tables: &Tablebases, position: &Position, m: chess::Move) -> bool {
    let next = position.after(m);
    if !next.has_legal_move() {
        return next.in_check();
    }
    next.halfmove_clock() < 100 && ranked(tables, &next).iter().all(loses)
}

/// A random position of these pieces against a king, with the largest halfmove clock that still wins, if some
/// of the moves throw the win away.
fn narrow_win(tables: &Tablebases, pieces: &[PieceType], seed: u64) -> Option<Position> {
    let mut rng = Rng::from_seed(seed);
    let mut square = || Square::from_index_wrapping(rng.below(64));
    let winner = Color::ALL[seed as usize % 2];
    let mut setup = Setup { turn: winner, ..Setup::EMPTY };
    setup.board.put(square(), Piece::new(!winner, PieceType::King));
    for &piece in [PieceType::King].iter().chain(pieces) {
        let to = square();
        if setup.board.piece_at(to).is_some() {
            return None;
        }
        setup.board.put(to, Piece::new(winner, piece));
    }
    let with_clock = |halfmove_clock| Setup { halfmove_clock, ..setup }.position().ok();
    let is_won = |position: &Position| ranked(tables, position).iter().any(wins);
    let is_narrow = |position: &Position| ranked(tables, position).iter().any(|m| !wins(m));
    (0..100).rev().filter_map(with_clock).find(is_won).filter(is_narrow)
}

fn search(
    engine: &mut Engine,
    position: Position,
    limits: &Limits,
    multi_pv: usize,
    report: &(dyn Fn(Report<'_>) + Sync),
) -> Found {
    engine.new_game();
    let settings = Settings { multi_pv, ..Settings::default() };
    engine.search(&Game::new(position), limits, settings, &Control::new(false), report)
}

#[test]
fn wins_just_inside_the_fifty_move_rule_are_kept_whatever_the_number_of_lines() {
    use PieceType::{Bishop, Pawn, Queen, Rook};
    let tables = Tablebases::open(FOLDER).expect("they are part of the repository");
    let positions: Vec<Position> = [&[Queen][..], &[Rook], &[Pawn], &[Bishop, Bishop]]
        .into_iter()
        .flat_map(|pieces| {
            (0..).filter_map(|seed| narrow_win(&tables, pieces, seed)).take(45).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(positions.len(), 180);
    let run = || {
        let mut engine = Engine::new(1).expect("memory");
        engine.set_tablebases(Some(tables.clone()));
        let limits = Limits { depth: Some(4), ..Limits::default() };
        for multi_pv in [1, 2, 3, 5, 20] {
            let mut lost = Vec::new();
            for position in &positions {
                let known = ranked(&tables, position);
                let lines = Mutex::new(Vec::<(i32, Value, Option<Value>)>::new());
                let report = |report: Report<'_>| {
                    let Report::Line(line) = report else { return };
                    let m = known.iter().find(|m| m.m == line.line[0]).expect("a legal move");
                    let mut lines = lines.lock().unwrap();
                    lines.truncate(line.number - 1);
                    assert_eq!(lines.len(), line.number - 1, "no line is left out");
                    lines.push((m.tablebase_rank, line.score, m.tablebase_score));
                };
                let found = search(&mut engine, *position, &limits, multi_pv, &report);
                let best = found.best.expect("a legal move");
                if !keeps_the_win(&tables, position, best) {
                    lost.push(format!("{position}: {best}"));
                }
                let lines = lines.into_inner().unwrap();
                assert_eq!(lines.len(), multi_pv.min(known.len()), "{position}");
                assert!(lines.is_sorted_by(|a, b| a.0 >= b.0), "{position}: {lines:?}");
                for (_, score, tablebase_score) in lines {
                    assert!(value::is_mate(score) || Some(score) == tablebase_score, "{position}");
                }
            }
            assert!(lost.is_empty(), "MultiPV {multi_pv}: {} lost: {lost:#?}", lost.len());
        }
    };
    with_deep_stack(run).expect("see above");
}

/// Black is a queen, a rook and a bishop down: no move of his is worth anything near zero.
const LOST: &str = "6k1/5ppp/8/8/8/8/5PPP/2BQR1K1 b - - 0 1";

#[test]
fn only_moves_that_were_searched_are_reported_wherever_a_search_is_stopped() {
    let run = || {
        let mut engine = Engine::new(1).expect("memory");
        let position: Position = LOST.parse().expect("a legal position");
        for nodes in (1..4000).step_by(61) {
            for multi_pv in [1, 3, 20] {
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                let report = |report: Report<'_>| {
                    if let Report::Line(line) = report {
                        assert!(line.score < -300, "{nodes} nodes, MultiPV {multi_pv}: {line:?}");
                    }
                };
                let found = search(&mut engine, position, &limits, multi_pv, &report);
                assert!(found.score < -300, "{nodes} nodes, MultiPV {multi_pv}: {}", found.score);
            }
        }
    };
    with_deep_stack(run).expect("see above");
}
