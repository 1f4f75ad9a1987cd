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
mod tests;
