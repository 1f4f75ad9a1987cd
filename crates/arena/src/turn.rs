//! One move of one engine.
//!
//! The clock runs from the moment `go` is written to the moment `bestmove` arrives at the reader thread.
//! Everything else, such as setting up the position, happens before `go`.

use std::time::{Duration, Instant};

use chess::{Color, Move, Position, Score};
use uci::{EngineError, EngineProcess, Go, Info, ReceivedLine};

use crate::game::Rules;
use crate::time_control::PlayerClock;
use crate::{Ending, EngineLimits, Fault, PlayerRecord};

/// How long an engine that has lost on time may take to answer `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// An engine in a game.
pub struct Seat {
    pub engine: EngineProcess,
    pub limits: EngineLimits,
    pub clock: Option<PlayerClock>,
    pub record: PlayerRecord,
    /// The engine cannot be used again.
    pub is_broken: bool,
}

impl Seat {
    pub fn new(engine: EngineProcess, limits: EngineLimits) -> Self {
        let clock = limits.tc.map(PlayerClock::new);
        Self { engine, limits, clock, record: PlayerRecord::default(), is_broken: false }
    }

    fn fault(&mut self, fault: Fault, example: &str) {
        self.record.faults.add(fault, 1, example);
    }
}

/// A move in the PGN.
#[derive(Clone, Copy, Debug)]
pub struct MoveStats {
    /// From the mover's point of view.
    pub score: Option<Score>,
    pub depth: Option<u32>,
    pub elapsed: Duration,
    /// The time left, increment included.
    pub clock: Option<Duration>,
}

/// Why an engine made no move.
pub enum MoveFailure {
    Loss(Ending, String),
    Interrupted,
}

/// The result of a search, from its `info` lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct SearchSummary {
    score: Option<Score>,
    depth: Option<u32>,
    nodes: Option<u64>,
}

impl SearchSummary {
    /// Adds a line. Further lines of MultiPV do not count, and a bound only while there is no exact score.
    fn add(&mut self, info: &Info) {
        self.nodes = info.nodes.or(self.nodes);
        let is_bound = info.lowerbound || info.upperbound;
        let is_first = info.multipv.unwrap_or(1) == 1;
        if is_first && info.score.is_some() && !(is_bound && self.score.is_some()) {
            self.score = info.score;
            self.depth = info.depth.or(self.depth);
        }
    }
}

/// Lets an engine make its move.
pub fn play_move(
    seat: &mut Seat,
    clocks: &[Option<PlayerClock>; 2],
    (position, position_command): (&Position, &str),
    rules: &Rules,
) -> Result<(Move, MoveStats), MoveFailure> {
    let sent = seat.engine.send(position_command);
    match sent.and_then(|()| seat.engine.ready(rules.ready_timeout)) {
        Ok(unsolicited) => add_unsolicited(seat, unsolicited),
        Err(error) => return Err(failure(seat, error, "isready")),
    }
    let go = go_command(seat, clocks).to_string();
    if let Err(error) = seat.engine.send(&go) {
        return Err(failure(seat, error, "go"));
    }
    let start = Instant::now();
    let remaining = seat.clock.as_ref().map(PlayerClock::remaining);
    let budget = [remaining, seat.limits.movetime].into_iter().flatten().min();
    let deadline = start + budget.map_or(rules.timeout, |budget| budget + rules.time_margin);
    let mut summary = SearchSummary::default();
    let answer = match await_bestmove(seat, deadline, position, &mut summary) {
        Ok(answer) => answer,
        Err(EngineError::Timeout) if budget.is_some() => {
            let late = stop_search(seat, start, position);
            let used = late.unwrap_or_else(|| start.elapsed());
            add_time(seat, used, budget);
            return Err(time_loss(seat, used, budget.unwrap_or_default(), late.is_none()));
        }
        Err(error) => return Err(failure(seat, error, "go")),
    };
    let elapsed = answer.at.saturating_duration_since(start);
    add_time(seat, elapsed, budget);
    let in_movetime =
        seat.limits.movetime.is_none_or(|movetime| elapsed <= movetime + rules.time_margin);
    let on_clock = seat.clock.as_mut().is_none_or(|clock| clock.punch(elapsed, rules.time_margin));
    if !(in_movetime && on_clock) {
        return Err(time_loss(seat, elapsed, budget.unwrap_or_default(), false));
    }
    let text = answer.text.split_ascii_whitespace().nth(1).unwrap_or_default();
    match position.parse_uci(text) {
        Ok(m) => {
            let SearchSummary { score, depth, nodes } = summary;
            seat.record.moves += 1;
            seat.record.nodes += nodes.unwrap_or(0);
            seat.record.depths += u64::from(depth.unwrap_or(0));
            let clock = seat.clock.as_ref().map(PlayerClock::remaining);
            Ok((m, MoveStats { score, depth, elapsed, clock }))
        }
        Err(error) => {
            let text: String = answer.text.trim().chars().take(80).collect();
            let why = format!("answered '{text}': {error}, in {}", position.fen());
            seat.fault(Fault::IllegalMove, &why);
            Err(MoveFailure::Loss(Ending::IllegalMove, why))
        }
    }
}

/// Receives lines up to `bestmove`.
fn await_bestmove(
    seat: &mut Seat,
    deadline: Instant,
    position: &Position,
    summary: &mut SearchSummary,
) -> Result<ReceivedLine, EngineError> {
    loop {
        let line = seat.engine.receive(deadline)?;
        if line.text.split_ascii_whitespace().next() == Some("bestmove") {
            return Ok(line);
        }
        if let Some(info) = Info::parse(&line.text) {
            summary.add(&info);
            if let Some(illegal) = info.illegal_pv_move(position) {
                let illegal: String = illegal.chars().take(20).collect();
                let text: String = line.text.chars().take(400).collect();
                let example = format!("{illegal} in '{text}', from {}", position.fen());
                seat.fault(Fault::IllegalPv, &example);
            }
        }
    }
}

/// Stops an engine whose flag has fallen. Returns the time of its `bestmove`; without one, the engine is
/// broken.
fn stop_search(seat: &mut Seat, start: Instant, position: &Position) -> Option<Duration> {
    let stopped = seat.engine.send("stop").and_then(|()| {
        let deadline = Instant::now() + STOP_TIMEOUT;
        await_bestmove(seat, deadline, position, &mut SearchSummary::default())
    });
    seat.is_broken = stopped.is_err();
    stopped.ok().map(|line| line.at.saturating_duration_since(start))
}

fn time_loss(seat: &mut Seat, used: Duration, budget: Duration, ignores_stop: bool) -> MoveFailure {
    let stop = if ignores_stop { ", and did not stop" } else { "" };
    let (used, budget) = (milliseconds(used), milliseconds(budget));
    let why = format!("used {used:.1} ms of {budget:.1} ms{stop}");
    seat.fault(Fault::TimeLoss, &why);
    MoveFailure::Loss(Ending::TimeLoss, why)
}

/// Adds the time of a move to the record.
fn add_time(seat: &mut Seat, elapsed: Duration, budget: Option<Duration>) {
    let record = &mut seat.record;
    record.milliseconds += milliseconds(elapsed);
    if let Some(budget) = budget {
        record.overrun = record.overrun.max(milliseconds(elapsed.saturating_sub(budget)));
    }
    if let Some(clock) = &seat.clock {
        let left = milliseconds(clock.remaining().saturating_sub(elapsed));
        record.lowest_clock = Some(record.lowest_clock.map_or(left, |lowest| lowest.min(left)));
    }
}

fn milliseconds(time: Duration) -> f64 {
    1000.0 * time.as_secs_f64()
}

/// `go` with all limits of this move. If the opponent has no clock, its time is shown as our own.
fn go_command(seat: &Seat, clocks: &[Option<PlayerClock>; 2]) -> Go {
    let EngineLimits { movetime, nodes, depth, .. } = seat.limits;
    let mut go = Go { move_time: movetime, nodes, depth, ..Go::default() };
    if let Some(own) = &seat.clock {
        for color in Color::ALL.map(|color| color as usize) {
            let clock = clocks[color].as_ref().unwrap_or(own);
            go.time[color] = Some(clock.remaining().max(Duration::from_millis(1)));
            go.increment[color] = clock.increment();
        }
        go.moves_to_go = own.moves_to_go();
    }
    go
}

/// Counts `bestmove` lines without a `go`.
pub fn add_unsolicited(seat: &mut Seat, count: u32) {
    seat.record.faults.add(Fault::ExtraBestmove, count, "a bestmove without a go");
}

/// The failure of an engine that does not answer while no clock is running.
pub fn failure(seat: &mut Seat, error: EngineError, command: &str) -> MoveFailure {
    seat.is_broken = true;
    match error {
        EngineError::Interrupted => MoveFailure::Interrupted,
        EngineError::Exited(how) => {
            seat.fault(Fault::Crash, &how);
            MoveFailure::Loss(Ending::Crash, how)
        }
        EngineError::Timeout => {
            let how = format!("did not answer {command}");
            seat.fault(Fault::Hang, &how);
            MoveFailure::Loss(Ending::Hang, how)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_and_second_lines_do_not_replace_a_score() {
        let mut summary = SearchSummary::default();
        for line in [
            "info depth 1 score cp 10 lowerbound nodes 5",
            "info depth 2 score cp 20 nodes 50",
            "info depth 3 score cp 90 lowerbound nodes 60",
            "info depth 3 multipv 2 score cp -70 nodes 70",
            "info currmove e2e4",
        ] {
            summary.add(&Info::parse(line).unwrap());
        }
        assert_eq!(summary.score, Some(Score::Centipawns(20)));
        assert_eq!((summary.depth, summary.nodes), (Some(2), Some(70)));
    }
}
