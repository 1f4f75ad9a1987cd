//! `tabiya pra uci`, and `tabiya --pra DIR`: the model as a player of the Universal Chess Interface.
//!
//! It looks at a position once and plays what its policy says, whatever the clock. As with the engine,
//! any line is taken, what cannot be understood is answered by `info string error: …`, and there is one
//! `bestmove` for each `go`: at once, or on `stop` or `ponderhit` where the protocol wants that;
//! `bestmove (none)` if there is no move or no position.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use chess::picture::{Style, text_board};
use chess::rng::Rng;
use chess::{Color, Game, Move, Position};
use engine::uci::{Go, Next, castling_style, parse_game, shown, split_value};
use pra::player::{Player, score};

use super::model::model_folder_or_shipped;
use crate::Outcome;
use crate::uci::{each_command, say};

/// Plays what the model says, without search, as a UCI engine
///
/// Options: Temperature, in hundredths, 0 for the likeliest move always; Seed, what chance comes from;
/// Avoid Draws, to leave out moves that draw, repeat or let the opponent draw at once, if there are others; UCI_Chess960. Besides the
/// protocol, `d` shows the board and `eval` what the model says of it.
#[derive(clap::Args)]
pub struct UciArgs {
    /// The folder of a model; the one in this program unless given
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Play any legal move instead, one as likely as the other
    #[arg(long, conflicts_with = "model")]
    random: bool,
}

impl UciArgs {
    /// The player with the model in a folder.
    pub fn of(folder: PathBuf) -> Self {
        Self { model: Some(folder), random: false }
    }
}

/// Speaks the protocol until `quit` or the end of input.
pub fn run(args: &UciArgs) -> Outcome {
    let model = match args.random {
        true => None,
        false => Some(Player::new(model_folder_or_shipped(args.model.as_deref())?, 1)),
    };
    let mut session = Session::new(model);
    each_command(|line| session.line(line, &mut say));
    Ok(ExitCode::SUCCESS)
}

/// What takes a line.
type Say<'a> = &'a mut dyn FnMut(&str);

/// A session: commands in, lines out. Nothing takes long, so there is nothing to wait for.
struct Session {
    /// Nothing for a player that moves at random.
    model: Option<Player>,
    rng: Rng,
    /// Nothing after a `position` that could not be understood.
    game: Option<Game>,
    chess960: bool,
    avoids_draws: bool,
    /// The answer to a `go` that has to wait for `stop` or `ponderhit`.
    waiting: Option<String>,
}

impl Session {
    fn new(model: Option<Player>) -> Self {
        Self {
            model,
            rng: Rng::new(1, 0),
            game: Some(Game::default()),
            chess960: false,
            avoids_draws: false,
            waiting: None,
        }
    }

    /// Takes a line. Should a command break, that is told, and the session goes on.
    fn line(&mut self, line: &str, say: Say<'_>) -> Next {
        catch_unwind(AssertUnwindSafe(|| self.command(line, say))).unwrap_or_else(|_| {
            error("the command broke off", say);
            Next::Go
        })
    }

    fn command(&mut self, line: &str, say: Say<'_>) -> Next {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        let (command, rest) = line.split_once(|c: char| c.is_whitespace()).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "" | "debug" | "register" => {}
            "uci" => self.introduce(say),
            "isready" => say("readyok"),
            "ucinewgame" => self.game = Some(Game::default()),
            "position" => {
                let game = parse_game(rest);
                self.game = game.map_err(|problem| error(format!("position: {problem}"), say)).ok();
            }
            "go" => self.go(rest, say),
            "stop" | "ponderhit" => {
                if let Some(answer) = self.waiting.take() {
                    say(&answer);
                }
            }
            "setoption" => {
                if let Err(problem) = self.set_option(rest) {
                    error(format!("setoption: {problem}"), say);
                }
            }
            "d" => self.show(say),
            "eval" => self.evaluate(say),
            "quit" => {
                if let Some(answer) = self.waiting.take() {
                    say(&answer);
                }
                return Next::Quit;
            }
            _ => error(format!("unknown command '{}'", shown(command)), say),
        }
        Next::Go
    }

    fn introduce(&self, say: Say<'_>) {
        let version = env!("CARGO_PKG_VERSION");
        let name = match &self.model {
            None => format!("Tabiya {version} random"),
            Some(player) => {
                let config = player.weights().config();
                format!("Tabiya {version} PRA d{} n{}", config.depth, config.n_embd)
            }
        };
        say(&format!("id name {name}"));
        say("id author the Tabiya developers");
        say("option name Temperature type spin default 0 min 0 max 1000");
        say("option name Seed type spin default 1 min 0 max 2147483647");
        say("option name Avoid Draws type check default false");
        say("option name UCI_Chess960 type check default false");
        say("option name UCI_ShowWDL type check default true");
        say("option name Ponder type check default false");
        say("uciok");
    }

    fn set_option(&mut self, words: &str) -> Result<(), String> {
        let words = words.strip_prefix("name").map(str::trim_start).ok_or("no name")?;
        let (name, value) = split_value(words);
        let plain: String = name.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
        let number = |max: u64| {
            let number = value.parse::<u64>().ok().filter(|&number| number <= max);
            number.ok_or(format!("{name}: '{}' is no number 0 to {max}", shown(value)))
        };
        let check = || match value.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(format!("{name}: '{}' is neither true nor false", shown(value))),
        };
        match plain.to_ascii_lowercase().as_str() {
            "temperature" => {
                let hundredths = number(1000)?;
                if let Some(player) = &mut self.model {
                    player.temperature = hundredths as f32 / 100.0;
                }
            }
            "seed" => {
                let seed = number(i32::MAX as u64)?;
                self.rng = Rng::new(seed, 0);
                if let Some(player) = &mut self.model {
                    player.set_seed(seed);
                }
            }
            "avoiddraws" => self.avoids_draws = check()?,
            "ucichess960" => self.chess960 = check()?,
            // Chances are always told, and thinking takes no time that could be the opponent's.
            "ucishowwdl" | "ponder" => drop(check()?),
            _ => return Err(format!("unknown option '{}'", shown(name))),
        }
        Ok(())
    }

    fn go(&mut self, words: &str, say: Say<'_>) {
        if self.waiting.is_some() {
            return error("go: a search is running, send stop first", say);
        }
        let Some(game) = self.game.clone() else {
            error("go: there is no position", say);
            return say("bestmove (none)");
        };
        let position = game.position();
        let go = Go::parse(words, position, |problem| error(problem, say));
        let Go::Search { limits, ponder } = go else {
            return error("go: this player counts no moves", say);
        };
        let legal: Vec<Move> = position.legal_moves().into_iter().collect();
        let asked: Vec<Move> = legal.iter().copied().filter(|m| limits.moves.contains(m)).collect();
        let mut allowed = if asked.is_empty() { legal } else { asked };
        if self.avoids_draws {
            let mut after = game.clone();
            let better: Vec<Move> =
                allowed.iter().copied().filter(|&m| !draws_at_once(&mut after, m)).collect();
            if !better.is_empty() {
                allowed = better;
            }
        }
        let answer = match self.choose(position, &allowed, say) {
            Some(m) => {
                let style = castling_style(position, self.chess960);
                format!("bestmove {}", position.uci(m, style))
            }
            None => {
                let score = if position.in_check() { "mate 0" } else { "cp 0" };
                say(&format!("info depth 0 score {score}"));
                "bestmove (none)".to_owned()
            }
        };
        // A `go` without any limit is answered at once: thinking longer would change nothing.
        if ponder || words.split_ascii_whitespace().any(|word| word == "infinite") {
            self.waiting = Some(answer);
        } else {
            say(&answer);
        }
    }

    /// Chooses one of the moves that are allowed, and tells why.
    fn choose(&mut self, position: &Position, allowed: &[Move], say: Say<'_>) -> Option<Move> {
        let style = castling_style(position, self.chess960);
        let Some(player) = &mut self.model else {
            if allowed.is_empty() {
                return None;
            }
            let m = allowed[self.rng.below(allowed.len())];
            say(&format!("info depth 1 score cp 0 nodes 1 pv {}", position.uci(m, style)));
            return Some(m);
        };
        if allowed.is_empty() {
            return None;
        }
        let prediction = player.predict(position);
        // A policy without promotions may have nothing to say of what was asked for.
        let m =
            player.choose(&prediction, |m| allowed.contains(&m)).or(allowed.first().copied())?;
        let [win, draw, loss] = thousandths(prediction.wdl);
        say(&format!(
            "info depth 1 score cp {} wdl {win} {draw} {loss} nodes 1 pv {}",
            score(prediction.expected_score()),
            position.uci(m, style)
        ));
        Some(m)
    }

    fn show(&self, say: Say<'_>) {
        let Some(game) = &self.game else { return error("d: there is no position", say) };
        let position = game.position();
        let board = text_board(|square| position.piece_at(square), Color::White, Style::Ascii);
        board.lines().for_each(&mut *say);
        say(&format!("Fen: {}", position.fen()));
        say(&format!("Legal moves: {}", position.count_legal_moves()));
    }

    fn evaluate(&mut self, say: Say<'_>) {
        let Some(game) = &self.game else { return error("eval: there is no position", say) };
        let position = *game.position();
        let Some(player) = &mut self.model else {
            return say("info string evaluation: none, moves are random");
        };
        let prediction = player.predict(&position);
        let [win, draw, loss] = prediction.wdl.map(|p| 100.0 * p);
        let expected = prediction.expected_score();
        let turn = position.turn();
        say(&format!(
            "info string evaluation: {turn} to move wins {win:.1} %, draws {draw:.1} %, loses {loss:.1} %, expects {expected:.3} points"
        ));
        let style = castling_style(&position, self.chess960);
        for &(m, probability) in prediction.moves.iter().take(10) {
            say(&format!("info string {:5.1} % {}", 100.0 * probability, position.uci(m, style)));
        }
    }
}

fn error(problem: impl std::fmt::Display, say: Say<'_>) {
    say(&format!("info string error: {problem}"));
}

/// Whether a move ends the game drawn, brings a position back that was there before, or lets the
/// opponent draw with his next move.
fn draws_at_once(game: &mut Game, m: Move) -> bool {
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

/// Whether the game is drawn, or can be claimed to be.
fn is_drawn(game: &Game) -> bool {
    matches!(game.outcome(), Some(chess::Outcome::Draw(_))) || game.claimable_draw().is_some()
}

/// Win, draw and loss in whole thousandths that add up to 1000.
fn thousandths(wdl: [f32; 3]) -> [u32; 3] {
    let part = |p: f32| (1000.0 * p.clamp(0.0, 1.0)).round() as u32;
    let win = part(wdl[0]);
    let loss = part(wdl[2]).min(1000 - win);
    [win, 1000 - win - loss, loss]
}
