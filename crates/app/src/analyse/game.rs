//! Whole games, move by move.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use chess::pgn::{GameTree, NodeId, read_trees};
use chess::{Color, Game, Move, Position};
use data::Input;
use engine::score::{DRAW, MATE, Score};
use engine::search::Limits;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::judge::{Mark, loss};
use super::thinker::{Line, Thinker};
use super::view::for_white;
use super::{AnalyseArgs, annotate, graph, report};
use crate::Outcome;

const USUAL: Duration = Duration::from_millis(300);
/// Larger files hold more games than anyone could have analysed.
const LARGEST: u64 = 256 << 20;

/// A move of a game, and what it is worth.
#[derive(Clone, Debug)]
pub struct Judged {
    pub id: NodeId,
    pub before: Position,
    pub m: Move,
    /// The score after the move, as White sees it.
    pub white: Score,
    /// Expected points given away.
    pub loss: f64,
    pub mark: Option<Mark>,
    /// What the engine would have played, if that is another move: its line and score, as White sees it.
    pub better: Option<(Vec<Move>, Score)>,
}

/// A game and what it is worth, as far as that is known.
pub struct Study {
    pub tree: GameTree,
    /// The score before the first move, as White sees it.
    pub start: Score,
    pub moves: Vec<Judged>,
}

pub fn run(args: &AnalyseArgs, path: &Path, out: &mut dyn Write) -> Outcome {
    let (games, problems) = read(path, args.game)?;
    for problem in &problems {
        eprintln!("tabiya: {}: {problem}", path.display());
    }
    ensure!(!games.is_empty(), "{}: there are no games to analyse", path.display());
    ensure!(
        args.svg.is_none() || games.len() == 1,
        "--svg draws one game, and there are {}: choose one with --game N",
        games.len()
    );
    let mut annotated = match &args.annotate {
        None => None,
        Some(path) => Some(BufWriter::new(
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?,
        )),
    };
    let limits = args.limits(USUAL);
    let mut thinker = Thinker::new(args)?;
    let mut all: Vec<Value> = Vec::new();
    let count = games.len();
    for (n, tree) in games.into_iter().enumerate() {
        let study = study(tree, &mut thinker, &limits, args.json)?;
        if args.json {
            all.push(report::as_json(&study));
        } else {
            if n > 0 {
                writeln!(out)?;
            }
            report::write(&study, out)?;
            out.flush()?;
        }
        if let Some(path) = &args.svg {
            std::fs::write(path, graph::draw(&study))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        if let Some(file) = &mut annotated {
            writeln!(file, "{}", annotate::annotated(&study)?)?;
        }
        if thinker.interrupted() {
            if n + 1 < count && !args.json {
                writeln!(out, "\nInterrupted: {} of {count} games were not begun.", count - n - 1)?;
            }
            break;
        }
    }
    if let Some(mut file) = annotated {
        file.flush()?;
    }
    if args.json {
        writeln!(out, "{}", json!({ "games": all }))?;
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The games of a file, or the one that is wanted, and what is wrong with others.
fn read(path: &Path, wanted: Option<u32>) -> anyhow::Result<(Vec<GameTree>, Vec<String>)> {
    let mut text = Vec::new();
    // Its message has its cause in it.
    let input = Input::open(path).map_err(|error| anyhow!("{error}"))?;
    let name = input.name().to_owned();
    input
        .take(LARGEST + 1)
        .read_to_end(&mut text)
        .with_context(|| format!("cannot read {name}"))?;
    ensure!(text.len() as u64 <= LARGEST, "{name} is larger than {} MiB", LARGEST >> 20);
    let games = read_trees(&text);
    let count = games.len();
    let (mut good, mut problems) = (Vec::new(), Vec::new());
    for (n, game) in games.into_iter().enumerate() {
        if wanted.is_some_and(|wanted| wanted as usize != n + 1) {
            continue;
        }
        match game {
            Ok(tree) => good.push(tree),
            Err(error) => problems.push(format!("game {}: {error}", n + 1)),
        }
    }
    match wanted {
        Some(n) if n as usize > count => bail!("{name} has {count} games, and no game {n}"),
        Some(_) if !problems.is_empty() => bail!("{name}: {}", problems.join("; ")),
        _ => Ok((good, problems)),
    }
}

/// The score of the position at hand for its player, and the best line.
fn evaluate(
    thinker: &mut Thinker,
    game: &Game,
    limits: &Limits,
) -> anyhow::Result<(Score, Vec<Move>)> {
    let position = game.position();
    if !position.has_legal_move() {
        return Ok((if position.in_check() { -MATE } else { DRAW }, Vec::new()));
    }
    if game.outcome().is_some() {
        return Ok((DRAW, Vec::new()));
    }
    let lines: Vec<Line> = thinker.think(game, limits, |_| {})?;
    Ok(lines.into_iter().next().map_or((DRAW, Vec::new()), |line| (line.score, line.moves)))
}

fn study(
    tree: GameTree,
    thinker: &mut Thinker,
    limits: &Limits,
    quiet: bool,
) -> anyhow::Result<Study> {
    thinker.new_game();
    let line: Vec<(NodeId, Option<Move>, Position)> =
        tree.main_line().map(|(id, node)| (id, node.played(), *node.position())).collect();
    let bar = progress(line.len() as u64 + 1, quiet);
    let mut game = Game::new(*tree.root().position());
    let (mut score, mut best) = evaluate(thinker, &game, limits)?;
    bar.inc(1);
    let start = for_white(score, game.position().turn());
    let mut moves = Vec::new();
    for (id, played, after) in line {
        if thinker.interrupted() {
            break;
        }
        let before = *game.position();
        // A null move is no move of a game: it begins anew behind it.
        if played.is_none_or(|m| game.play(m).is_err()) {
            game = Game::new(after);
        }
        let (next, next_best) = evaluate(thinker, &game, limits)?;
        bar.inc(1);
        if let Some(m) = played {
            let as_played = -next;
            let same = best.first() == Some(&m);
            let loss = if same { 0.0 } else { loss(score, as_played) };
            let turn = before.turn();
            let better = (!same && !best.is_empty()).then(|| (best, for_white(score, turn)));
            let white = for_white(next, !turn);
            moves.push(Judged { id, before, m, white, loss, mark: Mark::of(loss), better });
        }
        (score, best) = (next, next_best);
    }
    bar.finish_and_clear();
    Ok(Study { tree, start, moves })
}

fn progress(moves: u64, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(moves);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} positions, {eta} left")
    {
        bar.set_style(style);
    }
    bar
}

impl Study {
    /// `White – Black, Event, Date`, as far as it is known.
    pub fn title(&self) -> String {
        let tag = |name| self.tree.tag(name).filter(|v| !v.is_empty() && !v.starts_with('?'));
        let player = |name| tag(name).unwrap_or(name);
        let mut title = format!("{} – {}", player("White"), player("Black"));
        for name in ["Event", "Date"] {
            if let Some(value) = tag(name) {
                title.push_str(", ");
                title.push_str(value.trim_end_matches(".??"));
            }
        }
        title
    }

    /// How often a player's moves got each mark, and the points given away on average.
    pub fn tally(&self, color: Color) -> ([usize; 3], f64) {
        let theirs = || self.moves.iter().filter(|judged| judged.before.turn() == color);
        let count = |mark| theirs().filter(|judged| judged.mark == Some(mark)).count();
        let sum: f64 = theirs().map(|judged| judged.loss).sum();
        (Mark::ALL.map(count), sum / theirs().count().max(1) as f64)
    }
}
