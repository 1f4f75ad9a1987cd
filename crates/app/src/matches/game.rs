//! One game between two engines.

use std::fmt::Write;
use std::time::{Duration, Instant};

use chess::{CastlingStyle, Color, Game, Move, Outcome, Position};

use super::adjudicate::{Adjudicator, Ruling};
use super::info::{Info, Score, Thought};
use super::limits::{Clock, Limits};
use super::openings::Opening;
use super::record::{Ending, Fault, SideReport};
use super::uci::{Engine, Trouble};

/// How long an engine that has lost on time has to answer `stop`.
const STOP_TIME: Duration = Duration::from_secs(2);

/// What holds for all games of a match.
#[derive(Clone, Debug)]
pub struct Rules {
    pub chess960: bool,
    /// How far behind the end of its time a move is still taken.
    pub margin: Duration,
    /// How long an engine may be silent where no clock runs: when it thinks.
    pub patience: Duration,
    /// The same for `uciok` and `readyok`.
    pub ready_patience: Duration,
    /// The game is drawn after this many moves.
    pub max_moves: Option<u32>,
    pub adjudicator: Adjudicator,
}

/// An engine at the board.
pub struct Seat {
    pub engine: Engine,
    pub limits: Limits,
    clock: Option<Clock>,
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

/// A game that was played to its end.
pub struct Played {
    pub game: Game,
    /// Notes on the last moves; the first moves are the opening's.
    pub notes: Vec<MoveNote>,
    pub winner: Option<Color>,
    pub ending: Ending,
    /// The ending in words.
    pub reason: String,
}

/// Why an engine made no move.
enum Failure {
    Lost(Ending, String),
    Interrupted,
}

/// Plays a game; nothing if the match was interrupted. `seats` are White and Black.
pub fn play(seats: &mut [Seat; 2], opening: &Opening, rules: &Rules) -> Option<Played> {
    let mut board = Table::new(opening, rules);
    let mut adjudicator = rules.adjudicator.clone();
    let mut notes = Vec::new();
    let (winner, ending, reason) = match begin(seats, rules) {
        Err((_, Failure::Interrupted)) => return None,
        Err((loser, Failure::Lost(ending, why))) => (Some(!loser), ending, why),
        Ok(()) => loop {
            if let Some(over) = board.is_over(rules) {
                break over;
            }
            let mover = board.game.position().turn();
            let number = u32::from(board.game.position().fullmove_number());
            let clocks = seats.each_ref().map(|seat| seat.clock.clone());
            let seat = &mut seats[mover as usize];
            match think(seat, &clocks, &board, rules) {
                Ok((m, note)) => {
                    board.play(m);
                    notes.push(note);
                    // A game that is over by the rules needs no ruling.
                    let score = note.score.map(Score::centipawns);
                    let ruling = adjudicator.judge(mover, score, number);
                    if let Some(ruling) = ruling.filter(|_| board.is_over(rules).is_none()) {
                        break match ruling {
                            Ruling::Win(winner) => (
                                Some(winner),
                                Ending::AdjudicatedWin,
                                format!("both engines see {winner} win"),
                            ),
                            Ruling::Draw => (
                                None,
                                Ending::AdjudicatedDraw,
                                "both engines see a draw".to_owned(),
                            ),
                        };
                    }
                }
                Err(Failure::Interrupted) => return None,
                Err(Failure::Lost(ending, why)) => break (Some(!mover), ending, why),
            }
        },
    };
    for seat in seats.iter_mut().filter(|seat| !seat.is_broken) {
        wind_up(seat, rules);
    }
    Some(Played { game: board.game, notes, winner, ending, reason })
}

/// Tells both engines that a new game begins. An error names who failed.
fn begin(seats: &mut [Seat; 2], rules: &Rules) -> Result<(), (Color, Failure)> {
    for color in Color::ALL {
        let seat = &mut seats[color as usize];
        let greeted = seat.engine.send("ucinewgame");
        greeted
            .and_then(|()| seat.engine.ready(rules.ready_patience))
            .map(|_| ())
            .map_err(|trouble| (color, no_answer(seat, trouble, "isready")))?;
    }
    Ok(())
}

/// Finds out whether an engine is still well after the game: one that dies then has not lost it, but
/// is named all the same.
fn wind_up(seat: &mut Seat, rules: &Rules) {
    match seat.engine.ready(rules.ready_patience) {
        Ok(unasked) => note_unasked(seat, unasked),
        Err(trouble) => {
            let _ = no_answer(seat, trouble, "isready after the game");
        }
    }
}

fn note_unasked(seat: &mut Seat, unasked: u32) {
    seat.report.faults.add(Fault::ExtraBestmove, unasked, "a bestmove without a go");
}

/// The failure of an engine that does not answer where no clock runs.
fn no_answer(seat: &mut Seat, trouble: Trouble, to: &str) -> Failure {
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

/// Lets an engine choose its move.
fn think(
    seat: &mut Seat,
    clocks: &[Option<Clock>; 2],
    board: &Table,
    rules: &Rules,
) -> Result<(Move, MoveNote), Failure> {
    let asked = seat.engine.send(&board.command);
    match asked.and_then(|()| seat.engine.ready(rules.ready_patience)) {
        Ok(unasked) => note_unasked(seat, unasked),
        Err(trouble) => return Err(no_answer(seat, trouble, "isready")),
    }
    let go = go_command(seat, clocks);
    let position = *board.game.position();
    if let Err(trouble) = seat.engine.send(&go) {
        return Err(no_answer(seat, trouble, "go"));
    }
    // The clock runs from here to the moment the answer is read, which the reading thread notes.
    let start = Instant::now();
    let remaining = seat.clock.as_ref().map(Clock::remaining);
    let budget = [remaining, seat.limits.movetime].into_iter().flatten().min();
    let deadline = start + budget.map_or(rules.patience, |budget| budget + rules.margin);
    let mut thought = Thought::default();
    let answer = match await_move(seat, deadline, &position, &mut thought) {
        Ok(answer) => answer,
        Err(Trouble::Silent) if budget.is_some() => {
            let late = wait_for_stop(seat, start, &position);
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
) -> Result<super::uci::Line, Trouble> {
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

/// The game, and how it is told to engines.
struct Table {
    game: Game,
    /// The `position` command of the current position.
    command: String,
    style: CastlingStyle,
}

impl Table {
    fn new(opening: &Opening, rules: &Rules) -> Self {
        let start = opening.start;
        let style = crate::input::castling_style(rules.chess960);
        let command = if start == Position::INITIAL && !rules.chess960 {
            "position startpos".to_owned()
        } else {
            format!("position fen {start}")
        };
        let mut table = Self { game: Game::new(start), command, style };
        for &m in &opening.moves {
            table.play(m);
        }
        table
    }

    fn play(&mut self, m: Move) {
        let first = if self.game.is_empty() { " moves" } else { "" };
        let text = self.game.position().uci(m, self.style);
        // Moves come from the position itself: an illegal one is not told to anybody.
        if self.game.play(m).is_ok() {
            let _ = write!(self.command, "{first} {text}");
        }
    }

    /// How the game ended, if it did. Draws that players may claim are given at once.
    fn is_over(&self, rules: &Rules) -> Option<(Option<Color>, Ending, String)> {
        let draw = |reason| {
            let ending = Ending::of_draw(reason);
            (None, ending, format!("draw: {ending}"))
        };
        if let Some(outcome) = self.game.outcome() {
            return Some(match outcome {
                Outcome::Checkmate(winner) => {
                    (Some(winner), Ending::Checkmate, format!("{winner} mates"))
                }
                Outcome::Draw(reason) => draw(reason),
            });
        }
        if let Some(reason) = self.game.claimable_draw() {
            return Some(draw(reason));
        }
        let number = u32::from(self.game.position().fullmove_number());
        let too_long = rules.max_moves.is_some_and(|limit| number > limit);
        too_long.then(|| (None, Ending::MoveLimit, "draw: the move limit".to_owned()))
    }
}
