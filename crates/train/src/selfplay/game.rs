//! One game of self-play, and its rows.

use chess::pgn::GameResult;
use chess::{Color, Game, Outcome, PackedRow, Position, chess960};
use data::{Counts, Row, Split};
use engine::openings::{self, Recipe};
use engine::search::{Control, Engine, Limits, Settings};
use engine::syzygy::Tablebases;
use engine::value::{self, to_score};

use super::SelfplayOptions;
use super::adjudicate::Adjudicator;
use crate::rescore::teacher::white_pov;
use chess::rng::Rng;

/// Plays the game with this number and appends its rows. They depend on the options and the number alone:
/// the engine is cleared first. An interrupted game must be discarded: its rows have no result.
pub fn play(
    engine: &mut Engine,
    options: &SelfplayOptions,
    tablebases: Option<&Tablebases>,
    number: u64,
    rows: &mut Vec<Row>,
    counts: &mut Counts,
    is_stopped: &dyn Fn() -> bool,
) {
    let mut rng = Rng::new(options.seed, number);
    let is_validation = rng.random_bool(options.val_fraction);
    let split = if is_validation { Split::Validation } else { Split::Train };
    let (least, most) = options.random_plies;
    let plies = least + rng.below(most.saturating_sub(least) as usize + 1) as u32;
    let control = Control::new(false);
    let recipe =
        Recipe { plies: plies as usize, nodes: options.balance_nodes, balance: options.balance };
    let seed = rng.next_u64();
    let start = options
        .chess960
        .then(|| chess960::start(rng.below(chess960::STARTS.into()) as u16))
        .flatten();
    let opening = openings::random(engine, start.as_slice(), recipe, seed, 0, &control);
    let Some(mut game) = opening else { return };
    engine.new_game();
    let limits = Limits { nodes: Some(options.nodes), ..Limits::default() };
    let mut adjudicator = Adjudicator::new(options.adjudication);
    let first = rows.len();
    let result = loop {
        if let Some(result) = game_result(&game, tablebases) {
            break result;
        }
        if is_stopped() {
            return;
        }
        let position = *game.position();
        let found = engine.search(&game, &limits, Settings::default(), &control, &|_| {});
        let Some(best) = found.best else { break GameResult::Unknown };
        let skipped = &mut counts.skipped_positions;
        if position.in_check() {
            skipped.check += 1;
        } else if best.is_capture() {
            skipped.capture += 1;
        } else if value::is_decided(found.score) {
            skipped.no_eval += 1;
        } else if let Some(packed) = PackedRow::new(&position) {
            let score = white_pov(to_score(found.score), position.turn());
            let packed = packed.with_move(best).with_score(Some(score));
            rows.push(Row { split, ..Row::of_packed(packed) });
        }
        let ply = u32::try_from(game.len()).unwrap_or(u32::MAX);
        if let Some(result) = adjudicator.add(value::white_pov(found.score, position.turn()), ply) {
            break result;
        }
        if game.play(best).is_err() {
            break GameResult::Unknown;
        }
    };
    for row in &mut rows[first..] {
        row.packed = row.packed.with_result(result);
    }
    counts.games += 1;
    counts.moves += game.len() as u64;
}

/// The result by the rules, claimable draws included, or by the tablebases.
fn game_result(game: &Game, tablebases: Option<&Tablebases>) -> Option<GameResult> {
    match game.outcome() {
        Some(Outcome::Checkmate(Color::White)) => return Some(GameResult::WhiteWins),
        Some(Outcome::Checkmate(Color::Black)) => return Some(GameResult::BlackWins),
        Some(Outcome::Draw(_)) => return Some(GameResult::Draw),
        None if game.claimable_draw().is_some() => return Some(GameResult::Draw),
        None => {}
    }
    tablebase_result(tablebases?, game.position())
}

/// The result by the tablebases.
fn tablebase_result(tablebases: &Tablebases, position: &Position) -> Option<GameResult> {
    let score = value::white_pov(tablebases.score(position, 0)?, position.turn());
    Some(match score {
        _ if !value::is_decided(score) => GameResult::Draw,
        1.. => GameResult::WhiteWins,
        _ => GameResult::BlackWins,
    })
}

/// Whether a row passes the filters of self-play.
#[cfg(test)]
pub(super) fn is_quiet(row: &PackedRow) -> bool {
    let unpacked = row.unpack().unwrap();
    !unpacked.position.in_check()
        && unpacked.best_move.is_some_and(|m| !m.is_capture())
        && matches!(unpacked.score, Some(chess::pgn::Score::Centipawns(_)))
        && unpacked.result != GameResult::Unknown
}
