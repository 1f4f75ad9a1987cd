//! The commands of a session.

use std::path::Path;

use chess::{Color, Game, Position};
use uci::{BoxError, Go, Handler, Info, OptionDecl, Output, bestmove};

use super::options::{Effect, EvalSource, Limit, Options};
use super::slot::{EngineSlot, SlotError};
use super::{limits, perft, report};
use crate::bench;
use crate::eval::{Evaluator, file};
use crate::openings::{self, Recipe};
use crate::search::{Control, Engine, Limits, Report, Settings};
use crate::syzygy::Tablebases;
use crate::table::OutOfMemory;
use crate::weaken::{self, Weakening};

/// The engine behind the protocol.
pub struct EngineHandler {
    name: String,
    authors: String,
    output: Output,
    options: Options,
    slot: EngineSlot,
    /// Searches so far: the seed of weakened play.
    searches: u64,
}

impl EngineHandler {
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
            slot: EngineSlot::new(engine, output.clone()),
            output,
            options,
            searches: 0,
        })
    }

    /// The engine. A search that has answered or been stopped is joined first; any other is an error.
    fn engine(&mut self) -> Result<&mut Engine, SlotError> {
        if self.slot.is_searching() {
            return Err(SlotError::Busy);
        }
        self.wait();
        self.slot.engine()
    }

    /// Waits for the end of the search.
    pub fn wait(&mut self) {
        if self.slot.join() {
            return;
        }
        self.output.error("the engine is lost: a new one has all options at their defaults");
        self.options.reset();
        match Engine::new(self.options.default_hash()) {
            Ok(engine) => self.slot = EngineSlot::new(engine, self.output.clone()),
            Err(error) => self.output.error(error),
        }
    }

    /// Runs `work` on its own thread; where none can be started, the fallback answers.
    fn start(
        &mut self,
        pondering: bool,
        fallback: Option<String>,
        work: impl FnOnce(&mut Engine, &Control, &Output) -> Option<String> + Send + 'static,
    ) {
        if let Err(error) = self.slot.start(pondering, fallback.clone(), work) {
            self.output.error(format_args!("no thread can be started: {error}"));
            fallback.iter().for_each(|line| self.output.line(line));
        }
    }

    fn apply(&mut self, effect: Effect) -> Result<(), BoxError> {
        let output = self.output.clone();
        let engine = self.slot.engine()?;
        match effect {
            Effect::None => {}
            Effect::Hash(mebibytes) => {
                let old = engine.hash();
                let set = engine.set_hash(mebibytes);
                set.map_err(|error| format!("Hash: {error}; still {old} MiB"))?;
            }
            Effect::Threads(threads) => {
                let old = engine.threads();
                let set = engine.set_threads(threads);
                set.map_err(|error| format!("Threads: {error}; still {old}"))?;
            }
            Effect::ClearHash => engine.clear_table(),
            Effect::SyzygyPath(path) => {
                engine.set_tablebases(None);
                if path.is_empty() {
                    return Ok(());
                }
                let tables = Tablebases::open(&path).map_err(|e| format!("SyzygyPath: {e}"))?;
                let (pieces, warnings) = (tables.max_pieces(), tables.warnings());
                engine.set_tablebases(Some(tables));
                output.line(format_args!("info string tablebases for up to {pieces} pieces"));
                for warning in warnings {
                    output.line(format_args!("info string warning: {warning}"));
                }
            }
            Effect::Evaluation(evaluation) => {
                let network = match evaluation {
                    EvalSource::Embedded => file::embedded(),
                    EvalSource::Classic => None,
                    EvalSource::File(path) => {
                        let loaded = file::load(Path::new(&path));
                        let problem = |e| format!("EvalFile: '{}': {e}", uci::excerpt(&path));
                        Some(loaded.map_err(problem)?)
                    }
                };
                engine.set_network(network);
                output.line(format_args!("info string evaluation by {}", evaluation_name(engine)));
            }
        }
        Ok(())
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
        let any_move = position.legal_moves().first().copied();
        let fallback = bestmove(&position, any_move, None, options.chess960);
        self.start(ponder, Some(fallback), move |engine, control, output| {
            let report = |report: Report<'_>| {
                // Lines beyond MultiPV are candidates for weakened play only.
                let is_hidden =
                    matches!(report, Report::Line(line) if line.number > options.multi_pv);
                if !is_hidden {
                    output.line(report::info_line(&position, report, &options));
                }
            };
            let found = engine.search(&game, &limits, settings, control, &report);
            if found.best.is_none() {
                output.line(Info::no_legal_moves(&position));
            }
            Some(bestmove(&position, found.best, found.ponder, options.chess960))
        });
    }

    fn evaluate(&mut self, game: Option<&Game>) -> Result<(), BoxError> {
        let position = *game.ok_or("no position")?.position();
        if position.in_check() {
            self.output.line("info string evaluation: none, in check");
            return Ok(());
        }
        let engine = self.engine()?;
        let mut evaluator = Evaluator::new(engine.network());
        evaluator.reset(&position);
        let score = evaluator.centipawns(&position);
        let name = evaluation_name(engine);
        let turn = position.turn();
        let white = if turn == Color::White { score } else { -score };
        self.output.line(format_args!(
            "info string evaluation: {:+.2} for White, {:+.2} for the player to move ({turn})",
            f64::from(white) / 100.0,
            f64::from(score) / 100.0,
        ));
        self.output.line(format_args!("info string evaluation by {name}"));
        Ok(())
    }

    fn bench(&mut self, args: &str) -> Result<(), BoxError> {
        let depth = args.split_ascii_whitespace().next().map_or(Ok(bench::DEPTH), str::parse);
        let depth = depth.map_err(|_| format!("'{}' is not a depth", uci::excerpt(args)))?;
        self.engine()?;
        self.start(false, None, move |engine, control, output| {
            let report = |n: usize, fen: &str, work: bench::Work| {
                output.line(format_args!("{:2} {:>9} nodes  {fen}", n + 1, work.nodes));
            };
            Some(match bench::run(depth, 1, engine.network(), control, report) {
                Ok(work) => format!("{} nodes {} nps", work.nodes, work.nodes_per_second()),
                Err(error) => format!("info string error: bench: {error}"),
            })
        });
        Ok(())
    }

    /// `genfens N seed S book B`: openings for data generation, as OpenBench requests them.
    fn genfens(&mut self, args: &str) -> Result<(), BoxError> {
        let mut words = args.split_ascii_whitespace();
        let mut count = None;
        let (mut seed, mut book) = (0u64, None);
        while let Some(word) = words.next() {
            match word {
                "seed" => match words.next().map(str::parse) {
                    Some(Ok(number)) => seed = number,
                    _ => return Err("no number after 'seed'".into()),
                },
                "book" => book = words.next().filter(|&name| !name.eq_ignore_ascii_case("none")),
                // Other words are extra arguments from OpenBench.
                _ => count = count.or(word.parse::<u64>().ok()),
            }
        }
        let count = count.ok_or("no number of openings")?;
        let book = book.map(str::to_owned);
        self.engine()?;
        self.start(false, None, move |engine, control, output| {
            let read = |path: String| openings::read_book(Path::new(&path))?.into_iter().collect();
            let starts: Vec<Position> = match book.map_or(Ok(Vec::new()), read) {
                Ok(starts) => starts,
                Err(error) => return Some(format!("info string error: genfens: {error}")),
            };
            for n in 0..count {
                // Either side begins in half of the openings.
                let plies = Recipe::default().plies + (n % 2) as usize;
                let recipe = Recipe { plies, ..Recipe::default() };
                let game = openings::random(engine, &starts, recipe, seed, n, control)?;
                output.line(format_args!("info string genfens {}", game.position().fen()));
            }
            None
        });
        Ok(())
    }
}

impl Handler for EngineHandler {
    fn id(&self) -> (String, String) {
        (self.name.clone(), self.authors.clone())
    }

    fn options(&self) -> Vec<OptionDecl> {
        self.options.declarations()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), BoxError> {
        self.engine()?;
        let effect = self.options.set(name, value)?;
        self.apply(effect)
    }

    fn new_game(&mut self) -> Result<(), BoxError> {
        self.engine()?.new_game();
        Ok(())
    }

    fn check_idle(&mut self) -> Result<(), BoxError> {
        self.engine()?;
        Ok(())
    }

    fn go(&mut self, game: Game, go: Go) -> Result<(), BoxError> {
        match go.perft {
            Some(depth) => {
                let chess960 = self.options.chess960;
                self.start(false, None, move |_, control, output| {
                    perft::divide(game.position(), depth, chess960, control, output);
                    None
                });
            }
            None => {
                let limits = limits::search_limits(&go, game.position().turn());
                self.search(game, limits, go.ponder);
            }
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.slot.stop();
    }

    fn ponder_hit(&mut self) {
        self.slot.ponder_hit();
    }

    fn quit(&mut self) {
        self.slot.stop();
        self.wait();
    }

    fn extension(&mut self, word: &str, args: &str, game: Option<&Game>) -> Result<bool, BoxError> {
        match word {
            "eval" => self.evaluate(game)?,
            "bench" => self.bench(args)?,
            "genfens" => self.genfens(args)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The evaluation in use.
fn evaluation_name(engine: &Engine) -> String {
    match engine.network() {
        None => "the classical evaluation".to_owned(),
        Some(network) => format!("a network {network}"),
    }
}
