//! One move of one engine: it is asked, timed, and what it says is looked at.
//!
//! The clock runs from the moment `go` is written to the moment the answer is read, which the thread
//! that reads notes. All else an engine has to do, such as setting up the position, is before `go`.

use std::fmt::Write;
use std::time::{Duration, Instant};

use chess::{Move, Position};

use super::game::Rules;
use super::info::{Info, Score, Thought};
use super::limits::{Clock, Limits};
use super::record::{Ending, Fault, SideReport};
use super::uci::{Engine, Line, Trouble};

/// How long an engine that has lost on time has to answer `stop`.
const STOP_TIME: Duration = Duration::from_secs(2);

/// An engine at the board.
pub struct Seat {
    pub engine: Engine,
    pub limits: Limits,
    pub clock: Option<Clock>,
    pub report: SideReport,
    /// Whether the engine cannot be used again.
    pub is_broken: bool,
}

impl Seat {
    pub fn new(engine: Engine, limits: Limits) -> Self {
        let clock = limits.clock.map(Clock::new);
        Self { engine, limits, clock, report: SideReport::default(), is_broken: false }
    }

    fn fault(&mut self, fault: Fault, example: &str) {
        self.report.faults.add(fault, 1, example);
    }
}

/// What is noted about a move, for the PGN.
#[derive(Clone, Copy, Debug)]
pub struct MoveNote {
    /// From the mover's view.
    pub score: Option<Score>,
    pub depth: Option<u32>,
    pub elapsed: Duration,
    /// The time left, the increment included.
    pub clock: Option<Duration>,
}

/// Why an engine made no move.
pub enum Failure {
    Lost(Ending, String),
    Interrupted,
}

/// Lets an engine choose its move.
pub fn think(
    seat: &mut Seat,
    clocks: &[Option<Clock>; 2],
    (position, command): (&Position, &str),
    rules: &Rules,
) -> Result<(Move, MoveNote), Failure> {
    let asked = seat.engine.send(command);
    match asked.and_then(|()| seat.engine.ready(rules.ready_patience)) {
        Ok(unasked) => note_unasked(seat, unasked),
        Err(trouble) => return Err(no_answer(seat, trouble, "isready")),
    }
    let go = go_command(seat, clocks);
    if let Err(trouble) = seat.engine.send(&go) {
        return Err(no_answer(seat, trouble, "go"));
    }
    let start = Instant::now();
    let remaining = seat.clock.as_ref().map(Clock::remaining);
    let budget = [remaining, seat.limits.movetime].into_iter().flatten().min();
    let deadline = start + budget.map_or(rules.patience, |budget| budget + rules.margin);
    let mut thought = Thought::default();
    let answer = match await_move(seat, deadline, position, &mut thought) {
        Ok(answer) => answer,
        Err(Trouble::Silent) if budget.is_some() => {
            let late = wait_for_stop(seat, start, position);
            let used = late.unwrap_or_else(|| start.elapsed());
            note_time(seat, used, budget);
            return Err(time_loss(seat, used, budget.unwrap_or_default(), late.is_none()));
        }
        Err(trouble) => return Err(no_answer(seat, trouble, "go")),
    };
    let elapsed = answer.at.saturating_duration_since(start);
    note_time(seat, elapsed, budget);
    let in_movetime =
        seat.limits.movetime.is_none_or(|movetime| elapsed <= movetime + rules.margin);
    let on_clock = seat.clock.as_mut().is_none_or(|clock| clock.punch(elapsed, rules.margin));
    if !(in_movetime && on_clock) {
        return Err(time_loss(seat, elapsed, budget.unwrap_or_default(), false));
    }
    let text = answer.text.split_ascii_whitespace().nth(1).unwrap_or_default();
    match position.parse_uci(text) {
        Ok(m) => {
            seat.report.moves += 1;
            seat.report.nodes += thought.nodes.unwrap_or(0);
            seat.report.depths += u64::from(thought.depth.unwrap_or(0));
            let clock = seat.clock.as_ref().map(Clock::remaining);
            Ok((m, MoveNote { score: thought.score, depth: thought.depth, elapsed, clock }))
        }
        Err(why) => {
            let text: String = answer.text.trim().chars().take(80).collect();
            let why = format!("answered '{text}': {why}, in {}", position.fen());
            seat.fault(Fault::IllegalMove, &why);
            Err(Failure::Lost(Ending::IllegalMove, why))
        }
    }
}

/// Reads what the engine says up to its move.
fn await_move(
    seat: &mut Seat,
    deadline: Instant,
    position: &Position,
    thought: &mut Thought,
) -> Result<Line, Trouble> {
    loop {
        let line = seat.engine.line(deadline)?;
        if line.text.split_ascii_whitespace().next() == Some("bestmove") {
            return Ok(line);
        }
        if let Some(info) = Info::parse(&line.text) {
            thought.add(&info);
            if let Some(illegal) = info.illegal_pv_move(position) {
                let illegal: String = illegal.chars().take(20).collect();
                let text: String = line.text.chars().take(400).collect();
                let example = format!("{illegal} in '{text}', from {}", position.fen());
                seat.fault(Fault::IllegalPv, &example);
            }
        }
    }
}

/// Stops an engine whose time is over. When its move came at last, if it did; if not, it is broken.
fn wait_for_stop(seat: &mut Seat, start: Instant, position: &Position) -> Option<Duration> {
    let stopped = seat.engine.send("stop").and_then(|()| {
        await_move(seat, Instant::now() + STOP_TIME, position, &mut Thought::default())
    });
    seat.is_broken = stopped.is_err();
    stopped.ok().map(|line| line.at.saturating_duration_since(start))
}

fn time_loss(seat: &mut Seat, used: Duration, budget: Duration, is_deaf: bool) -> Failure {
    let deaf = if is_deaf { ", and did not stop" } else { "" };
    let (used, budget) = (1000.0 * used.as_secs_f64(), 1000.0 * budget.as_secs_f64());
    let why = format!("used {used:.1} ms of {budget:.1} ms{deaf}");
    seat.fault(Fault::TimeLoss, &why);
    Failure::Lost(Ending::TimeLoss, why)
}

/// Keeps account of the time, lost or not.
fn note_time(seat: &mut Seat, elapsed: Duration, budget: Option<Duration>) {
    let milliseconds = |time: Duration| 1000.0 * time.as_secs_f64();
    let report = &mut seat.report;
    report.milliseconds += milliseconds(elapsed);
    if let Some(budget) = budget {
        report.overrun = report.overrun.max(milliseconds(elapsed.saturating_sub(budget)));
    }
    if let Some(clock) = &seat.clock {
        let left = milliseconds(clock.remaining().saturating_sub(elapsed));
        report.lowest_clock = Some(report.lowest_clock.map_or(left, |lowest| lowest.min(left)));
    }
}

/// `go` with all that bounds this move. An engine without a clock that meets one with a clock shows
/// the other's in place of its own.
fn go_command(seat: &Seat, clocks: &[Option<Clock>; 2]) -> String {
    let mut go = "go".to_owned();
    if let Some(own) = &seat.clock {
        let [white, black] = clocks.each_ref().map(|clock| clock.as_ref().unwrap_or(own));
        let left = |clock: &Clock| clock.remaining().as_millis().max(1);
        let _ = write!(
            go,
            " wtime {} btime {} winc {} binc {}",
            left(white),
            left(black),
            white.increment().as_millis(),
            black.increment().as_millis()
        );
        if let Some(moves) = own.moves_to_go() {
            let _ = write!(go, " movestogo {moves}");
        }
    }
    if let Some(time) = seat.limits.movetime {
        let _ = write!(go, " movetime {}", time.as_millis());
    }
    if let Some(nodes) = seat.limits.nodes {
        let _ = write!(go, " nodes {nodes}");
    }
    if let Some(depth) = seat.limits.depth {
        let _ = write!(go, " depth {depth}");
    }
    go
}

/// Counts moves that nobody had asked for.
pub fn note_unasked(seat: &mut Seat, unasked: u32) {
    seat.report.faults.add(Fault::ExtraBestmove, unasked, "a bestmove without a go");
}

/// The failure of an engine that does not answer where no clock runs.
pub fn no_answer(seat: &mut Seat, trouble: Trouble, to: &str) -> Failure {
    seat.is_broken = true;
    match trouble {
        Trouble::Interrupted => Failure::Interrupted,
        Trouble::Ended(how) => {
            seat.fault(Fault::Crash, &how);
            Failure::Lost(Ending::Crash, how)
        }
        Trouble::Silent => {
            let how = format!("did not answer {to}");
            seat.fault(Fault::Hang, &how);
            Failure::Lost(Ending::Hang, how)
        }
    }
}
