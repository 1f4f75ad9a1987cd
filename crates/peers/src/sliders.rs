//! Slider backends side by side: queen attacks on boards from random games, and perft is what
//! decides in the end (build with `TABIYA_SLIDERS=…` to see that).

use std::hint::black_box;

use chess::{Bitboard, Square, sliders};
use serde_json::json;

use crate::table::{best_rate, print};

/// How many look-ups one measurement makes.
const LOOKUPS: usize = 1 << 24;

/// A measurement over many boards.
type Pass = Box<dyn Fn(&[Bitboard])>;

/// One way to find a queen's attacks.
struct Backend {
    name: &'static str,
    queen: Box<dyn Fn(Square, Bitboard) -> Bitboard>,
    /// The measurement, compiled for this backend so that it is inlined.
    pass: Pass,
}

impl Backend {
    fn new(
        name: &'static str,
        queen: impl Fn(Square, Bitboard) -> Bitboard + Copy + 'static,
    ) -> Self {
        Self { name, queen: Box::new(queen), pass: Box::new(move |boards| pass(boards, queen)) }
    }
}

/// One pass over all boards and squares.
fn pass(boards: &[Bitboard], queen: impl Fn(Square, Bitboard) -> Bitboard) {
    let mut sum = 0u64;
    for round in 0..LOOKUPS / boards.len() {
        for (n, &occupied) in boards.iter().enumerate() {
            // Each look-up depends on nothing before it, as in move generation.
            let square = Square::from_index_wrapping(n.wrapping_mul(29) + round.wrapping_mul(7));
            sum = sum.wrapping_add(queen(square, occupied).0);
        }
    }
    black_box(sum);
}

pub fn run(rounds: u32, as_json: bool) -> anyhow::Result<()> {
    let boards: Vec<Bitboard> =
        crate::corpus::positions(1024).iter().map(|position| position.occupied()).collect();
    let backends = [
        Backend::new("tabiya pext", |s, o| sliders::pext::rook(s, o) | sliders::pext::bishop(s, o)),
        Backend::new("tabiya magic", |s, o| {
            sliders::magic::rook(s, o) | sliders::magic::bishop(s, o)
        }),
        Backend::new("tabiya hyperbola", |s, o| {
            sliders::hyperbola::rook(s, o) | sliders::hyperbola::bishop(s, o)
        }),
        Backend::new("tabiya above/below", |s, o| {
            sliders::above_below::rook(s, o) | sliders::above_below::bishop(s, o)
        }),
        Backend::new("cozy-chess (pext)", cozy_queen),
        Backend::new("shakmaty (magic)", shakmaty_queen),
    ];
    for Backend { name, queen, .. } in &backends {
        for (n, &occupied) in boards.iter().enumerate() {
            let square = Square::from_index_wrapping(n);
            anyhow::ensure!(
                queen(square, occupied) == sliders::queen(square, occupied),
                "{name} differs on {square}"
            );
        }
    }
    let tasks = backends.map(|backend| (backend.name, backend.pass));
    let speeds = best_rate(rounds, LOOKUPS as f64 / 1e6, &tasks, |pass| pass(&boards));
    if as_json {
        let map: serde_json::Map<_, _> =
            speeds.iter().map(|&(name, speed)| (name.to_owned(), json!(speed * 1e6))).collect();
        println!("{}", json!({ "queen_lookups": map, "chosen": sliders::BACKEND }));
        return Ok(());
    }
    let cozy = speeds[4].1;
    let rows: Vec<Vec<String>> = speeds
        .iter()
        .map(|(name, speed)| {
            vec![(*name).to_owned(), format!("{speed:.0}"), format!("{:.2}", speed / cozy)]
        })
        .collect();
    let title =
        format!("Queen attacks, million per CPU second (this build uses {})", sliders::BACKEND);
    print(&title, &["", "lookups", "× cozy-chess"], &rows);
    Ok(())
}

#[inline(always)]
fn cozy_queen(square: Square, occupied: Bitboard) -> Bitboard {
    let (square, occupied) =
        (cozy_chess::Square::index(square.index()), cozy_chess::BitBoard(occupied.0));
    let attacks = cozy_chess::get_rook_moves(square, occupied)
        | cozy_chess::get_bishop_moves(square, occupied);
    Bitboard(attacks.0)
}

#[inline(always)]
fn shakmaty_queen(square: Square, occupied: Bitboard) -> Bitboard {
    let square = shakmaty::Square::new(square.index() as u32);
    Bitboard(shakmaty::attacks::queen_attacks(square, shakmaty::Bitboard(occupied.0)).0)
}
