//! A session: commands in, lines out.

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Instant;

use chess::{CastlingStyle, Game, Position, perft, picture};

use super::format::{self, castling_style};
use super::go::Go;
use super::options::{Effect, Evaluation, Limit, Options, shown};
use crate::bench;
use crate::eval::file;
use crate::openings::{self, Recipe};
use crate::search::{Control, Engine, Limits, Report, Settings, builder};
use crate::syzygy::Tablebases;
use crate::table::OutOfMemory;
use crate::weaken::{self, Weakening};

/// Takes the lines that a session gives, from any thread.
type Output = Arc<dyn Fn(&str) + Send + Sync>;

/// Whether a session goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Send the next line.
    Go,
    /// It was told to end.
    Quit,
}

/// A session of the protocol; see the [module](super).
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use engine::uci::Session;
/// let lines = Arc::new(Mutex::new(Vec::new()));
/// let sink = lines.clone();
/// let output = Arc::new(move |line: &str| sink.lock().unwrap().push(line.to_owned()));
/// let mut session = Session::new("Engine 1.0", "its authors", Default::default(), output)?;
/// session.line("position startpos moves f2f3 e7e5 g2g4");
/// session.line("go depth 3");
/// session.wait();
/// assert_eq!(lines.lock().unwrap().last().unwrap(), "bestmove d8h4");
/// # Ok::<(), engine::table::OutOfMemory>(())
/// ```
pub struct Session {
    name: String,
    authors: String,
    output: Output,
    options: Options,
    /// Nothing after a `position` that could not be understood.
    game: Option<Game>,
    state: State,
    searches: u64,
}

enum State {
    Idle(Box<Engine>),
    Busy(Running),
    /// Only while one becomes the other.
    Between,
}

struct Running {
    /// Gives the engine back.
    thread: JoinHandle<Option<Box<Engine>>>,
    control: Arc<Control>,
    /// It has given its answer, or is about to: the thread ends at once.
    answered: Arc<AtomicBool>,
}

impl Session {
    /// A session at the starting position.
    pub fn new(
        name: &str,
        authors: &str,
        limit: Limit,
        output: Output,
    ) -> Result<Self, OutOfMemory> {
        let options = Options::new(limit);
        let engine = Engine::new(options.default_hash())?;
        Ok(Self {
            name: name.to_owned(),
            authors: authors.to_owned(),
            output,
            options,
            game: Some(Game::default()),
            state: State::Idle(Box::new(engine)),
            searches: 0,
        })
    }

    fn say(&self, line: &str) {
        (self.output)(line);
    }

    fn error(&self, problem: impl std::fmt::Display) {
        self.say(&format!("info string error: {problem}"));
    }

    /// Takes a line. Should a command break, that is told, and the session goes on.
    pub fn line(&mut self, line: &str) -> Next {
        catch_unwind(AssertUnwindSafe(|| self.command(line))).unwrap_or_else(|_| {
            self.error("the command broke off");
            Next::Go
        })
    }

    fn command(&mut self, line: &str) -> Next {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        let (command, rest) = line.split_once(|c: char| c.is_whitespace()).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "" => {}
            "uci" => self.introduce(),
            "isready" => self.say("readyok"),
            "ucinewgame" => {
                if let Some(engine) = self.engine("ucinewgame") {
                    engine.new_game();
                    self.game = Some(Game::default());
                }
            }
            "position" => self.position(rest),
            "go" => self.go(rest),
            "stop" => self.stop(),
            "ponderhit" => {
                if let State::Busy(running) = &self.state {
                    running.control.ponder_hit();
                }
            }
            "setoption" => self.set_option(rest),
            "debug" | "register" => {}
            "d" => self.show(),
            "eval" => self.evaluate(),
            "bench" => self.bench(rest),
            "genfens" => self.generate_openings(rest),
            "quit" => {
                self.stop();
                self.wait();
                return Next::Quit;
            }
            _ => self.error(format_args!("unknown command '{}'", shown(command))),
        }
        Next::Go
    }

    fn introduce(&self) {
        self.say(&format!("id name {}", self.name));
        self.say(&format!("id author {}", self.authors));
        for line in self.options.announcement().lines() {
            self.say(line);
        }
        self.say("uciok");
    }

    /// The engine, once it is free. A search that has answered or was stopped is waited for; one that
    /// goes on is not disturbed.
    fn engine(&mut self, wanted_by: &str) -> Option<&mut Engine> {
        if let State::Busy(running) = &self.state
            && !running.answered.load(SeqCst)
            && !running.control.is_stopped()
        {
            self.error(format_args!("{wanted_by}: a search is running, send stop first"));
            return None;
        }
        self.wait();
        if !matches!(self.state, State::Idle(_)) {
            self.error(format_args!("{wanted_by}: there is no engine"));
        }
        match &mut self.state {
            State::Idle(engine) => Some(engine),
            _ => None,
        }
    }

    fn stop(&self) {
        if let State::Busy(running) = &self.state {
            running.control.stop();
        }
    }

    /// Waits until the search is over. No command of the protocol does that: the line that ends an
    /// infinite search must always get through.
    pub fn wait(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Between) {
            State::Busy(running) => match running.thread.join() {
                Ok(Some(engine)) => State::Idle(engine),
                _ => State::Between, // cannot be: the thread catches its panics
            },
            other => other,
        };
        if matches!(self.state, State::Between) {
            self.error("the engine is lost: a new one has all options at their defaults");
            self.options.reset();
            match Engine::new(self.options.default_hash()) {
                Ok(engine) => self.state = State::Idle(Box::new(engine)),
                Err(error) => self.error(error),
            }
        }
    }

    fn position(&mut self, words: &str) {
        self.game = None;
        match parse_game(words) {
            Ok(game) => self.game = Some(game),
            Err(problem) => self.error(format_args!("position: {problem}")),
        }
    }

    fn set_option(&mut self, words: &str) {
        let Some(words) = words.strip_prefix("name").map(str::trim_start) else {
            return self.error("setoption: no name");
        };
        let (name, value) = split_value(words);
        if self.engine("setoption").is_none() {
            return;
        }
        match self.options.set(name, value) {
            Err(problem) => self.error(format_args!("setoption: {problem}")),
            Ok(effect) => {
                if let Err(problem) = self.apply(effect) {
                    self.error(format_args!("setoption: {problem}"));
                }
            }
        }
    }

    fn apply(&mut self, effect: Effect) -> Result<(), String> {
        let State::Idle(engine) = &mut self.state else { return Ok(()) };
        match effect {
            Effect::None => {}
            Effect::Hash(mebibytes) => {
                let old = engine.hash();
                engine
                    .set_hash(mebibytes)
                    .map_err(|error| format!("Hash: {error}; {old} MiB are kept"))?;
            }
            Effect::Threads(threads) => {
                let old = engine.threads();
                let set = engine.set_threads(threads);
                set.map_err(|error| format!("Threads: {error}; as many as before: {old}"))?;
            }
            Effect::ClearHash => engine.clear_table(),
            Effect::SyzygyPath(path) => {
                engine.set_tablebases(None);
                if !path.is_empty() {
                    let tables = Tablebases::open(&path).map_err(|e| format!("SyzygyPath: {e}"))?;
                    let (pieces, warnings) = (tables.max_pieces(), tables.warnings());
                    engine.set_tablebases(Some(tables));
                    self.say(&format!("info string tablebases for up to {pieces} pieces"));
                    for warning in warnings {
                        self.say(&format!("info string warning: {warning}"));
                    }
                }
            }
            Effect::Evaluation(evaluation) => {
                let network = match evaluation {
                    Evaluation::Embedded => file::embedded(),
                    Evaluation::Classic => None,
                    Evaluation::File(path) => {
                        let loaded = file::load(Path::new(&path));
                        Some(loaded.map_err(|e| format!("EvalFile: '{}': {e}", shown(&path)))?)
                    }
                };
                engine.set_network(network);
                let name = evaluation_name(engine);
                self.say(&format!("info string evaluation by {name}"));
            }
        }
        Ok(())
    }

    fn go(&mut self, words: &str) {
        if self.engine("go").is_none() {
            return;
        }
        let Some(game) = self.game.clone() else {
            self.error("go: there is no position");
            return self.say("bestmove (none)");
        };
        let mut problems = Vec::new();
        let go = Go::parse(words, game.position(), |problem| problems.push(problem));
        for problem in problems {
            self.error(problem);
        }
        match go {
            Go::Perft(depth) => {
                let chess960 = self.options.chess960;
                self.start(false, None, move |_, control, output| {
                    count_moves(game.position(), depth, chess960, control, output);
                    None
                });
            }
            Go::Search { limits, ponder } => self.search(game, limits, ponder),
        }
    }

    fn search(&mut self, game: Game, mut limits: Limits, ponder: bool) {
        let options = self.options.clone();
        self.searches += 1;
        let random = chess::rng::mix(game.position().key() ^ self.searches);
        let mut settings = Settings {
            multi_pv: options.multi_pv,
            overhead: options.overhead,
            weakening: options.weakened_to().map(|elo| Weakening { elo, random }),
        };
        if let Some(Weakening { elo, .. }) = settings.weakening {
            settings.multi_pv = settings.multi_pv.max(weaken::CANDIDATES);
            let nodes = weaken::nodes(elo);
            limits.nodes = Some(limits.nodes.map_or(nodes, |limit| limit.min(nodes)));
        }
        let position = *game.position();
        let fallback =
            position.legal_moves().first().map(|&m| best_move(&position, m, None, &options));
        let fallback = fallback.unwrap_or_else(|| "bestmove (none)".to_owned());
        self.start(ponder, Some(fallback), move |engine, control, output| {
            let report = |report: Report<'_>| {
                // Lines that are only there to choose a weaker move from are not told.
                if let Report::Line(line) = report
                    && line.number > options.multi_pv
                {
                    return;
                }
                output(&format::info(&position, report, options.chess960, options.show_wdl));
            };
            let found = engine.search(&game, &limits, settings, control, &report);
            let Some(best) = found.best else {
                let score = if position.in_check() { "mate 0" } else { "cp 0" };
                output(&format!("info depth 0 score {score}"));
                return Some("bestmove (none)".to_owned());
            };
            Some(best_move(&position, best, found.ponder, &options))
        });
    }

    /// Runs something on a thread of its own. What it gives back is said last; if it breaks, the
    /// fallback is.
    fn start(
        &mut self,
        pondering: bool,
        fallback: Option<String>,
        work: impl FnOnce(&mut Engine, &Control, &Output) -> Option<String> + Send + 'static,
    ) {
        let control = Arc::new(Control::new(pondering));
        let answered = Arc::new(AtomicBool::new(false));
        let output = self.output.clone();
        let (inner_control, inner_answered) = (control.clone(), answered.clone());
        let last = fallback.clone();
        // The engine follows once the thread has started: it is kept if none can be.
        let (hand_over, take) = channel::<Box<Engine>>();
        let run = move || {
            let mut engine = take.recv().ok()?;
            let result =
                catch_unwind(AssertUnwindSafe(|| work(&mut engine, &inner_control, &output)));
            let answer = result.unwrap_or_else(|_| {
                output("info string error: the search broke off");
                engine.new_game();
                fallback
            });
            inner_answered.store(true, SeqCst);
            if let Some(answer) = answer {
                output(&answer);
            }
            Some(engine)
        };
        let thread = match builder().and_then(|builder| builder.spawn(run)) {
            Ok(thread) => thread,
            Err(error) => {
                self.error(format_args!("no thread can be started: {error}"));
                return last.iter().for_each(|last| self.say(last));
            }
        };
        let busy = State::Busy(Running { thread, control, answered });
        if let State::Idle(engine) = std::mem::replace(&mut self.state, busy) {
            let _ = hand_over.send(engine);
        }
    }

    fn show(&self) {
        let Some(game) = &self.game else { return self.error("d: there is no position") };
        let position = game.position();
        let piece_on = |square| position.piece_at(square);
        let board = picture::text_board(piece_on, chess::Color::White, picture::Style::Ascii);
        for line in board.lines() {
            self.say(line);
        }
        self.say(&format!("Fen: {}", position.fen()));
        self.say(&format!("Key: {:016x}", position.key()));
        let checkers: Vec<_> = position.checkers().into_iter().map(|s| s.name()).collect();
        self.say(&format!("Checkers: {}", checkers.join(" ")));
        self.say(&format!("Legal moves: {}", position.count_legal_moves()));
    }

    fn evaluate(&mut self) {
        let Some(position) = self.game.as_ref().map(|game| *game.position()) else {
            return self.error("eval: there is no position");
        };
        if position.in_check() {
            return self.say("info string evaluation: none, in check");
        }
        let Some(engine) = self.engine("eval") else { return };
        let score = engine.evaluate(&position);
        let name = evaluation_name(engine);
        let turn = position.turn();
        let white = if turn == chess::Color::White { score } else { -score };
        self.say(&format!(
            "info string evaluation: {:+.2} for White, {:+.2} for the player to move ({turn})",
            f64::from(white) / 100.0,
            f64::from(score) / 100.0,
        ));
        self.say(&format!("info string evaluation by {name}"));
    }

    fn bench(&mut self, words: &str) {
        let depth = words.split_ascii_whitespace().next().map_or(Ok(bench::DEPTH), str::parse);
        let Ok(depth) = depth else {
            return self.error(format_args!("bench: '{}' is no depth", shown(words)));
        };
        if self.engine("bench").is_none() {
            return;
        }
        self.start(false, None, move |engine, control, output| {
            let tell = |n: usize, fen: &str, work: bench::Work| {
                output(&format!("{:2} {:>9} nodes  {fen}", n + 1, work.nodes));
            };
            Some(match bench::run(depth, 1, engine.network(), control, tell) {
                Ok(work) => format!("{} nodes {} nps", work.nodes, work.nodes_per_second()),
                Err(error) => format!("info string error: bench: {error}"),
            })
        });
    }

    /// `genfens N seed S book B`: openings for data generation, as OpenBench asks for them.
    fn generate_openings(&mut self, words: &str) {
        let mut words = words.split_ascii_whitespace();
        let mut count = None;
        let (mut seed, mut book) = (0u64, None);
        while let Some(word) = words.next() {
            match word {
                "seed" => match words.next().map(str::parse) {
                    Some(Ok(number)) => seed = number,
                    _ => return self.error("genfens: no number behind 'seed'"),
                },
                "book" => book = words.next().filter(|&name| !name.eq_ignore_ascii_case("none")),
                _ => match word.parse::<u64>() {
                    Ok(number) if count.is_none() => count = Some(number),
                    // OpenBench may add words of the user's.
                    _ => {}
                },
            }
        }
        let Some(count) = count else { return self.error("genfens: no number of openings") };
        let book = book.map(str::to_owned);
        if self.engine("genfens").is_none() {
            return;
        }
        self.start(false, None, move |engine, control, output| {
            let starts = match book.as_deref().map(read_book).transpose() {
                Ok(starts) => starts.unwrap_or_default(),
                Err(problem) => return Some(format!("info string error: genfens: {problem}")),
            };
            for n in 0..count {
                let recipe = Recipe::default();
                let game = openings::random(engine, &starts, recipe, seed, n, control)?;
                output(&format!("info string genfens {}", game.position().fen()));
            }
            None
        });
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}

/// What evaluates, for people.
fn evaluation_name(engine: &Engine) -> String {
    match engine.network() {
        None => "hand-written terms".to_owned(),
        Some(network) => format!("a network {network}"),
    }
}

/// Splits what follows `name` in a `setoption`: the name may have blanks in it, and there may be no value.
pub fn split_value(words: &str) -> (&str, &str) {
    let mut from = 0;
    while let Some(at) = words[from..].find("value") {
        let (start, end) = (from + at, from + at + "value".len());
        let before = words[..start].chars().next_back().is_none_or(char::is_whitespace);
        let after = words[end..].chars().next().is_none_or(char::is_whitespace);
        if before && after {
            return (words[..start].trim(), words[end..].trim());
        }
        from = end;
    }
    (words.trim(), "")
}

/// The game that the words behind `position` tell, or what is wrong with them.
pub fn parse_game(words: &str) -> Result<Game, String> {
    let mut tokens = words.split_ascii_whitespace();
    let start = match tokens.next() {
        Some("startpos") => {
            match tokens.next() {
                None | Some("moves") => {}
                Some(word) => return Err(format!("unknown word '{}'", shown(word))),
            }
            Position::INITIAL
        }
        Some("fen") => {
            let fen: Vec<&str> = tokens.by_ref().take_while(|&word| word != "moves").collect();
            let mut fen = fen.join(" ");
            // Without the clocks, as in EPD, they are at their start.
            let fields = fen.split(' ').count();
            if fields == 4 {
                fen.push_str(" 0 1");
            } else if fields == 5 {
                fen.push_str(" 1");
            }
            Position::from_fen(&fen).map_err(|error| error.to_string())?
        }
        Some(word) => return Err(format!("unknown word '{}'", shown(word))),
        None => return Err("neither 'startpos' nor 'fen'".to_owned()),
    };
    let mut game = Game::new(start);
    for (n, text) in tokens.enumerate() {
        let position = game.position();
        let m = position
            .parse_uci(text)
            .map_err(|error| format!("move {} '{}': {error}", n + 1, shown(text)))?;
        game.play(m).map_err(|error| format!("move {}: {error}", n + 1))?;
    }
    Ok(game)
}

fn best_move(
    position: &Position,
    m: chess::Move,
    expected: Option<chess::Move>,
    options: &Options,
) -> String {
    let mut text =
        format!("bestmove {}", position.uci(m, castling_style(position, options.chess960)));
    let next = position.after(m);
    if let Some(answer) = expected.filter(|&answer| next.is_legal(answer)) {
        let style = castling_style(&next, options.chess960);
        let _ = write!(text, " ponder {}", next.uci(answer, style));
    }
    text
}

/// Counts down to this depth are made in one go; a stop is looked for between them.
const PERFT_AT_ONCE: u32 = 3;

fn count_moves(
    position: &Position,
    depth: u32,
    chess960: bool,
    control: &Control,
    output: &Output,
) {
    fn count(position: &Position, depth: u32, control: &Control) -> u64 {
        if depth <= PERFT_AT_ONCE {
            return perft::bulk(position, depth);
        }
        let mut sum = 0;
        for m in position.legal_moves() {
            if control.is_stopped() {
                break;
            }
            sum += count(&position.after(m), depth - 1, control);
        }
        sum
    }
    let start = Instant::now();
    let style = if chess960 { CastlingStyle::Chess960 } else { castling_style(position, false) };
    let mut total = u64::from(depth == 0);
    if depth > 0 {
        for m in position.legal_moves() {
            let nodes = count(&position.after(m), depth - 1, control);
            if control.is_stopped() {
                output("info string perft was stopped");
                return;
            }
            output(&format!("{}: {nodes}", position.uci(m, style)));
            total += nodes;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    output(&format!("info string {:.0} nodes a second", total as f64 / seconds.max(1e-9)));
    output(&format!("Nodes searched: {total}"));
}

/// The largest book that is read.
const LARGEST_BOOK: u64 = 1 << 30;

/// The positions of a book of lines that begin with a FEN.
fn read_book(path: &str) -> Result<Vec<Position>, String> {
    // A device or a pipe might never end.
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(format!("{}: no file", shown(path))),
        Ok(metadata) if metadata.len() > LARGEST_BOOK => {
            return Err(format!("{}: too large for a book", shown(path)));
        }
        _ => {}
    }
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", shown(path)))?;
    let mut starts = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let epd: chess::Epd =
            line.parse().map_err(|error| format!("{}, line {}: {error}", shown(path), n + 1))?;
        starts.push(epd.position);
    }
    if starts.is_empty() { Err(format!("{}: no positions", shown(path))) } else { Ok(starts) }
}
