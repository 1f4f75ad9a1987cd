//! A model, or random play, behind the UCI protocol.
//!
//! There is no search: a move is chosen at once, whatever the clock, and `bestmove` follows at once, or
//! on `stop` or `ponderhit` where the protocol requires that. With the option `Human Time` it follows after
//! the time that a person might think with that clock; `stop` ends it. Besides the protocol, `d` shows the
//! board and `eval` the prediction of the model.

use std::time::{Duration, Instant};

use chess::rng::Rng;
use chess::{Game, Move, Outcome, Score};
use uci::{BoxError, Go, Handler, Info, OptionDecl, Output, bestmove, find_option, move_text};

use crate::imitation::{self, fitted_temperature};
use crate::pace::{Clock, thinking_time};
use crate::player::{Player, score};
use crate::timed_answer::TimedAnswer;

/// A short search that refuses blunders.
pub trait Veto: Send {
    /// How many centipawns worse than the best move a move is.
    fn loss(&mut self, game: &Game, m: Move) -> i32;
}

/// Moves that are tried before one is played in spite of its loss: the time of a move is bounded.
const VETO_TRIES: usize = 8;

/// The highest rating that can be set.
const MAX_ELO: i64 = 4000;
/// The value of `Temperature` and `Max Loss` for what fits the rating.
const FITTED: i64 = -1;

/// A player without search.
pub struct PolicyHandler {
    /// `None` plays uniformly random legal moves.
    model: Option<Player>,
    rng: Rng,
    chess960: bool,
    avoid_draws: bool,
    /// The ratings of the player and of the opponent; 0 if unknown.
    ratings: [u16; 2],
    /// The sampling temperature; `None` for the one that fits the rating.
    temperature: Option<f32>,
    veto: Option<Box<dyn Veto>>,
    /// The greatest loss of a move in centipawns, 0 for any; `None` for that of the rating.
    max_loss: Option<i32>,
    /// Whether moves take as long as a person's.
    has_human_time: bool,
    /// The spread of thinking times, apart from the choice of moves.
    pace: Rng,
    /// The `bestmove` line.
    answer: TimedAnswer,
    output: Output,
}

impl PolicyHandler {
    /// Plays with a model, or at random without one.
    pub fn new(model: Option<Player>, output: Output) -> Self {
        let rng = Rng::new(1, 0);
        Self {
            model,
            rng,
            chess960: false,
            avoid_draws: false,
            ratings: [0; 2],
            temperature: None,
            veto: None,
            max_loss: None,
            has_human_time: false,
            pace: pace(1),
            answer: TimedAnswer::new(output.clone()),
            output,
        }
    }

    /// The same with a search that can refuse moves, which adds the option `Max Loss`.
    pub fn with_veto(self, veto: Box<dyn Veto>) -> Self {
        Self { veto: Some(veto), ..self }
    }

    /// Sets ratings and temperature of the model. An opponent of unknown rating is taken to be as strong as the
    /// player. Without a temperature it is the one fitted to the rating, or 0 where there is none.
    fn set_imitation(&mut self) {
        let [own, opponent] = self.ratings.map(|rating| Some(rating).filter(|&rating| rating > 0));
        let Some(player) = &mut self.model else { return };
        player.ratings = [own, opponent.or(own)];
        let rating = own.filter(|_| player.weights().config().ratings);
        let fitted = || rating.map_or(0.0, fitted_temperature);
        player.temperature = self.temperature.unwrap_or_else(fitted);
    }

    /// Chooses one of the allowed moves and reports it; with it the time that a person might think.
    fn choose(&mut self, game: &Game, allowed: &[Move], go: &Go) -> Option<(Move, Duration)> {
        let (position, first) = (game.position(), *allowed.first()?);
        let mut info = Info { depth: Some(1), nodes: Some(1), ..Info::default() };
        let mut time = Duration::ZERO;
        let m = match &mut self.model {
            None => {
                info.score = Some(Score::Centipawns(0));
                allowed[self.rng.below(allowed.len())]
            }
            Some(player) => {
                let prediction = player.predict_game(game);
                info.score = Some(Score::Centipawns(score(prediction.expected_score())));
                info.wdl = Some(permille(prediction.wdl));
                // A policy without underpromotions has no probability for some of the allowed moves.
                let max_loss = self.max_loss.unwrap_or_else(|| imitated_loss(player));
                let mut left = allowed.to_vec();
                // The move that loses least, if all that are tried are refused.
                let mut chosen = (first, i32::MAX);
                for _ in 0..VETO_TRIES {
                    let Some(m) = player.choose(&prediction, |m| left.contains(&m)) else { break };
                    let veto = self.veto.as_mut().filter(|_| max_loss > 0);
                    let loss = veto.map_or(0, |veto| veto.loss(game, m));
                    if loss < chosen.1 {
                        chosen = (m, loss);
                    }
                    if loss <= max_loss {
                        break;
                    }
                    left.retain(|&other| other != m);
                }
                let (chosen, _) = chosen;
                if self.has_human_time {
                    let clock = clock(game, go);
                    if clock.is_some() || go.move_time.is_some() {
                        time = thinking_time(&prediction, game, chosen, clock, &mut self.pace);
                        time = time.min(go.move_time.unwrap_or(Duration::MAX));
                    }
                }
                chosen
            }
        };
        info.pv = vec![move_text(position, m, self.chess960)];
        self.output.line(info);
        Some((m, time))
    }

    fn evaluate(&mut self, game: Option<&Game>) -> Result<(), BoxError> {
        let game = game.ok_or("no position")?;
        let position = *game.position();
        let Some(player) = &mut self.model else {
            self.output.line("info string evaluation: none, moves are random");
            return Ok(());
        };
        let prediction = player.predict_game(game);
        let [win, draw, loss] = prediction.wdl.map(|p| 100.0 * p);
        let (turn, expected) = (position.turn(), prediction.expected_score());
        self.output.line(format_args!(
            "info string evaluation: {turn} to move wins {win:.1} %, draws {draw:.1} %, loses {loss:.1} %, expects {expected:.3} points"
        ));
        for &(m, probability) in prediction.moves.iter().take(10) {
            let text = move_text(&position, m, self.chess960);
            self.output.line(format_args!("info string {:5.1} % {text}", 100.0 * probability));
        }
        Ok(())
    }
}

impl Handler for PolicyHandler {
    fn id(&self) -> (String, String) {
        let version = env!("CARGO_PKG_VERSION");
        let name = match &self.model {
            None => format!("Tabiya {version} random"),
            Some(player) => {
                let config = player.weights().config();
                format!("Tabiya {version} PRA d{} n{}", config.depth, config.n_embd)
            }
        };
        (name, "the Tabiya developers".to_owned())
    }

    fn options(&self) -> Vec<OptionDecl> {
        let mut options = vec![
            OptionDecl::spin("Temperature", FITTED, FITTED, 1000),
            OptionDecl::spin("Elo", 0, 0, MAX_ELO),
            OptionDecl::spin("OpponentElo", 0, 0, MAX_ELO),
            OptionDecl::spin("Seed", 1, 0, i32::MAX.into()),
            OptionDecl::check("Avoid Draws", false),
            OptionDecl::check("UCI_Chess960", false),
            OptionDecl::check("UCI_ShowWDL", true),
            OptionDecl::check("Ponder", false),
        ];
        if self.model.is_some() {
            options.push(OptionDecl::check("Human Time", false));
        }
        if self.veto.is_some() {
            options.push(OptionDecl::spin("Max Loss", FITTED, FITTED, 10_000));
        }
        options
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), BoxError> {
        let options = self.options();
        let option = find_option(&options, name)?;
        match option.name.as_str() {
            "Temperature" => {
                let hundredths = option.parse_spin(value)?;
                self.temperature = (hundredths != FITTED).then_some(hundredths as f32 / 100.0);
                self.set_imitation();
            }
            "Seed" => {
                let seed = option.parse_spin(value)? as u64;
                self.rng = Rng::new(seed, 0);
                self.pace = pace(seed);
                if let Some(player) = &mut self.model {
                    player.set_seed(seed);
                }
            }
            "Elo" | "OpponentElo" => {
                let which = usize::from(option.name != "Elo");
                self.ratings[which] = u16::try_from(option.parse_spin(value)?).unwrap_or_default();
                self.set_imitation();
                let reads_ratings =
                    self.model.as_ref().is_some_and(|player| player.weights().config().ratings);
                if self.ratings[which] > 0 && !reads_ratings {
                    let name = &option.name;
                    self.output.line(format_args!(
                        "info string {name} has no effect: the player reads no ratings"
                    ));
                }
            }
            "Human Time" => self.has_human_time = option.parse_check(value)?,
            "Max Loss" => {
                let centipawns = option.parse_spin(value)?;
                let explicit = Some(centipawns).filter(|&centipawns| centipawns != FITTED);
                self.max_loss = explicit.map(|loss| i32::try_from(loss).unwrap_or_default());
            }
            "Avoid Draws" => self.avoid_draws = option.parse_check(value)?,
            "UCI_Chess960" => self.chess960 = option.parse_check(value)?,
            // WDL is always shown, and pondering changes nothing.
            _ => drop(option.parse_check(value)?),
        }
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), BoxError> {
        Ok(())
    }

    fn check_idle(&mut self) -> Result<(), BoxError> {
        match self.answer.is_pending() {
            true => Err("a search is running, send stop first".into()),
            false => Ok(()),
        }
    }

    fn go(&mut self, game: Game, go: Go) -> Result<(), BoxError> {
        let begun = Instant::now();
        if go.perft.is_some() {
            return Err("perft is not supported".into());
        }
        let position = game.position();
        let legal: Vec<Move> = position.legal_moves().into_iter().collect();
        let requested = narrowed(&legal, |m| go.search_moves.contains(&m));
        let allowed = if self.avoid_draws {
            let mut next = game.clone();
            narrowed(&requested, |m| !allows_draw(&mut next, m))
        } else {
            requested
        };
        let chosen = self.choose(&game, &allowed, &go);
        if chosen.is_none() {
            self.output.line(Info::no_legal_moves(position));
        }
        let (best, due) = (chosen.map(|(m, _)| m), chosen.map(|(_, time)| begun + time));
        self.answer.hold(bestmove(position, best, None, self.chess960), due);
        // Without any limit the answer is due at once: more time would change nothing.
        if !go.ponder && !go.infinite {
            self.answer.start_timer();
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.answer.release();
    }

    fn ponder_hit(&mut self) {
        self.answer.start_timer();
    }

    fn quit(&mut self) {
        self.stop();
    }

    fn extension(&mut self, word: &str, _: &str, game: Option<&Game>) -> Result<bool, BoxError> {
        match word {
            "eval" => self.evaluate(game).map(|()| true),
            _ => Ok(false),
        }
    }
}

/// The greatest loss of a move by the rating that a model imitates; 0, for any, where there is none.
fn imitated_loss(player: &Player) -> i32 {
    let rating = player.ratings[0].filter(|_| player.weights().config().ratings);
    rating.map_or(0, imitation::max_loss)
}

/// The generator of the spread of thinking times.
const fn pace(seed: u64) -> Rng {
    Rng::new(seed, 1)
}

/// The clock of the player to move.
fn clock(game: &Game, go: &Go) -> Option<Clock> {
    let color = game.position().turn().index();
    let (increment, moves_to_go) = (go.increment[color], go.moves_to_go);
    go.time[color].map(|remaining| Clock { remaining, increment, moves_to_go })
}

/// The moves that pass; all of them if none does.
fn narrowed(moves: &[Move], mut passes: impl FnMut(Move) -> bool) -> Vec<Move> {
    let some: Vec<Move> = moves.iter().copied().filter(|&m| passes(m)).collect();
    if some.is_empty() { moves.to_vec() } else { some }
}

/// Whether a move draws, repeats a position, or lets the opponent draw with the next move.
fn allows_draw(game: &mut Game, m: Move) -> bool {
    if game.play(m).is_err() {
        return false;
    }
    let replies = game.position().legal_moves();
    let draws = is_drawn(game)
        || game.repetitions() > 1
        || replies.into_iter().any(|reply| {
            if game.play(reply).is_err() {
                return false;
            }
            let draws = is_drawn(game);
            game.undo();
            draws
        });
    game.undo();
    draws
}

/// Whether the game is drawn, or a draw can be claimed.
fn is_drawn(game: &Game) -> bool {
    matches!(game.outcome(), Some(Outcome::Draw(_))) || game.claimable_draw().is_some()
}

/// Win, draw and loss in permille, with a sum of 1000.
fn permille(wdl: [f32; 3]) -> [u32; 3] {
    let part = |p: f32| (1000.0 * p.clamp(0.0, 1.0)).round() as u32;
    let win = part(wdl[0]);
    let loss = part(wdl[2]).min(1000 - win);
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};

    use uci::Server;

    use crate::{Config, Weights};

    const LONG: Duration = Duration::from_secs(600);

    /// A player with weights of which all have an effect, and its output.
    fn start(config: &Config) -> (Server<PolicyHandler>, Receiver<String>) {
        let mut weights = Weights::random(config, 7).unwrap();
        for (n, value) in weights.values_mut().iter_mut().enumerate() {
            if *value == 0.0 {
                *value = ((n * 7919) % 101) as f32 / 250.0 - 0.2;
            }
        }
        let (sender, lines) = channel();
        let output = Output::from(Arc::new(move |line: &str| drop(sender.send(line.to_owned()))));
        let handler = PolicyHandler::new(Some(Player::new(weights, 1)), output.clone());
        (Server::new(handler, output), lines)
    }

    fn tiny() -> Config {
        Config::new(1, 12)
    }

    fn send(
        server: &mut Server<PolicyHandler>,
        lines: &Receiver<String>,
        line: &str,
    ) -> Vec<String> {
        server.line(line);
        lines.try_iter().collect()
    }

    #[test]
    fn the_rating_sets_the_temperature_unless_there_is_one() {
        let (mut server, lines) = start(&tiny());
        let temperature = |server: &Server<PolicyHandler>| {
            server.handler.model.as_ref().map(|player| player.temperature)
        };
        assert_eq!(temperature(&server), Some(0.0));
        for elo in [1000, 1500, 2800] {
            let line = format!("setoption name Elo value {elo}");
            assert!(send(&mut server, &lines, &line).is_empty());
            assert_eq!(temperature(&server), Some(fitted_temperature(elo)));
        }
        send(&mut server, &lines, "setoption name Temperature value 40");
        send(&mut server, &lines, "setoption name Elo value 1200");
        assert_eq!(temperature(&server), Some(0.4));
        send(&mut server, &lines, "setoption name Temperature value -1");
        assert_eq!(temperature(&server), Some(fitted_temperature(1200)));
        send(&mut server, &lines, "setoption name Elo value 0");
        assert_eq!(temperature(&server), Some(0.0));
    }

    #[test]
    fn a_move_that_loses_more_than_the_rating_allows_is_refused() {
        struct OnlyE4;
        impl Veto for OnlyE4 {
            fn loss(&mut self, game: &Game, m: Move) -> i32 {
                let e4 = game.position().parse_uci("e2e4").expect("legal");
                if m == e4 { 0 } else { imitation::max_loss(1500) + 1 }
            }
        }
        let output = Output::from(Arc::new(|_: &str| {}));
        let player = Player::new(Weights::random(&tiny(), 7).expect("a size"), 1);
        let mut handler = PolicyHandler::new(Some(player), output).with_veto(Box::new(OnlyE4));
        let game = Game::default();
        let legal = ["a2a3", "e2e4", "d2d4", "g1f3"];
        let legal = legal.map(|m| game.position().parse_uci(m).expect("legal"));
        let e4 = legal[1];
        let mut best = |options: &[(&str, &str)]| {
            for (name, value) in options {
                handler.set_option(name, value).expect("an option");
            }
            handler.choose(&game, &legal, &Go::default()).expect("a move").0
        };
        assert_ne!(best(&[]), e4, "without a rating any move is played");
        assert_eq!(best(&[("Elo", "1500"), ("Temperature", "0")]), e4);
        assert_ne!(best(&[("Elo", "1400")]), e4, "a weaker player allows more");
        assert_ne!(best(&[("Elo", "1500"), ("Max Loss", "0")]), e4);
        assert_eq!(best(&[("Max Loss", "-1")]), e4);
    }

    #[test]
    fn ratings_reach_the_model_and_are_reported_where_it_reads_none() {
        let (mut server, lines) = start(&tiny());
        let unknown = send(&mut server, &lines, "eval");
        send(&mut server, &lines, "setoption name Elo value 1200");
        let own = send(&mut server, &lines, "eval");
        send(&mut server, &lines, "setoption name OpponentElo value 2400");
        let both = send(&mut server, &lines, "eval");
        assert!(unknown != own && own != both);
        let (mut server, lines) = start(&Config { ratings: false, ..tiny() });
        let before = send(&mut server, &lines, "eval");
        let notice = send(&mut server, &lines, "setoption name Elo value 1200");
        assert!(notice[0].starts_with("info string Elo has no effect"), "{notice:?}");
        assert_eq!(send(&mut server, &lines, "eval"), before);
        assert_eq!(server.handler.model.as_ref().unwrap().temperature, 0.0);
    }

    #[test]
    fn the_moves_of_the_position_command_reach_the_model() {
        let eval = |config: &Config| {
            let (mut server, lines) = start(config);
            let moves = "g1f3 g8f6 f3g1 f6g8";
            let mut eval = |position: &str| {
                send(&mut server, &lines, position);
                send(&mut server, &lines, "eval")
            };
            let start = eval("position startpos");
            (start, eval(&format!("position startpos moves {moves}")))
        };
        let (start, played) = eval(&tiny());
        assert_ne!(start, played);
        let (start, played) = eval(&Config { history: false, ..tiny() });
        assert_eq!(start, played);
    }

    #[test]
    fn a_move_takes_a_persons_time_with_a_clock_only() {
        let (mut server, lines) = start(&tiny());
        send(&mut server, &lines, "setoption name Human Time value true");
        for go in ["go", "go depth 3", "go nodes 1", "go wtime 0 btime 0", "go movetime 0"] {
            assert!(send(&mut server, &lines, go).pop().unwrap().starts_with("bestmove"), "{go}");
        }
        // At most a tenth of the clock, or the time for the move.
        for go in ["go wtime 1000 btime 1", "go movetime 50"] {
            let begun = Instant::now();
            let answer = send(&mut server, &lines, go);
            assert!(!answer.iter().any(|line| line.starts_with("bestmove")), "{go}: {answer:?}");
            assert!(lines.recv_timeout(LONG).unwrap().starts_with("bestmove"));
            assert!(begun.elapsed() >= Duration::from_millis(20), "{go}");
        }
        send(&mut server, &lines, "setoption name Human Time value false");
        let answer = send(&mut server, &lines, "go wtime 60000 btime 60000");
        assert!(answer.last().unwrap().starts_with("bestmove"));
    }

    #[test]
    fn stop_and_quit_end_a_thinking_time() {
        let (mut server, lines) = start(&tiny());
        send(&mut server, &lines, "setoption name Human Time value true");
        let go = "go wtime 90000000 btime 90000000";
        for end in ["stop", "quit"] {
            let first = send(&mut server, &lines, go);
            assert!(!first.iter().any(|line| line.starts_with("bestmove")), "{first:?}");
            // Another search has to wait; the protocol goes on meanwhile.
            let second = send(&mut server, &lines, "go");
            assert!(second[0].contains("a search is running"), "{second:?}");
            assert_eq!(send(&mut server, &lines, "isready"), ["readyok"]);
            let answer = send(&mut server, &lines, end);
            assert!(answer.len() == 1 && answer[0].starts_with("bestmove"), "{answer:?}");
        }
        // After ponderhit only the rest of the time is left.
        send(&mut server, &lines, "go ponder wtime 2000 btime 2000");
        assert!(lines.recv_timeout(Duration::from_millis(250)).is_err());
        let answer = send(&mut server, &lines, "ponderhit");
        assert!(answer.len() == 1 && answer[0].starts_with("bestmove"), "{answer:?}");
        assert!(send(&mut server, &lines, "ponderhit").is_empty());
    }
}
