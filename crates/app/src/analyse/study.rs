//! Evaluates the positions of a game and judges its moves, suspects by two searches.
//!
//! A short search of every position nominates suspects: moves after which the expectation is lower than
//! before by what earns a mark. Scores of short searches differ by that much for no reason but their
//! depth, so a suspect is judged by a longer second search of the position before it: of all moves, and
//! of the move played alone to the same depth. The loss that counts is the least one of both looks and of
//! the last depths of the second, less what a longer search may still take back; a move that the second
//! search prefers itself has lost nothing.

use anyhow::Result;
use chess::pgn::{GameTree, NodeId};
use chess::{Color, Game, Move, Position};
use engine::score::{DRAW, MATE, Score, is_decided};
use engine::search::Limits;

use super::judge::{DUBIOUS, Mark, loss};
use super::thinker::{Line, Thinker};
use super::view::for_white;

/// How much longer the second search of a suspect is, in time or nodes.
const SECOND_LOOK: u32 = 8;
/// How much deeper it is if the depth is limited.
const SECOND_DEPTH: u32 = 4;

/// A loss counts as far as it held at this many depths, up to the last.
const STABLE_DEPTHS: i32 = 4;

/// How much of a loss a longer search may take back, in expected points. An estimate, not yet fitted:
/// it shrinks to a third with about four plies more.
fn uncertainty(depth: i32) -> f64 {
    (0.08 * 0.77_f64.powi(depth - 20)).min(0.15)
}

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
    /// Whether it was interrupted before the last move was judged.
    pub stopped: bool,
    /// What is wrong with the text of the game behind its last move.
    pub problem: Option<String>,
}

/// A search's result at one depth, for the player to move.
#[derive(Clone, Default, Debug)]
struct Found {
    depth: i32,
    score: Score,
    line: Vec<Move>,
}

impl Found {
    fn of(line: &Line) -> Self {
        Self { depth: line.depth, score: line.score, line: line.moves.clone() }
    }
}

/// What a position is worth: the results of its last search by depth, the deepest last; never empty.
#[derive(Clone, Debug)]
pub struct Evaluation(Vec<Found>);

/// Who searches: the engine, or a script in tests.
pub trait Search {
    fn new_game(&mut self);

    /// Searches a position that has a legal move; nothing if it was interrupted.
    fn search(&mut self, game: &Game, limits: &Limits) -> Result<Option<Evaluation>>;
}

impl Search for Thinker {
    fn new_game(&mut self) {
        self.new_game();
    }

    fn search(&mut self, game: &Game, limits: &Limits) -> Result<Option<Evaluation>> {
        let mut by_depth: Vec<Found> = Vec::new();
        let lines = self.think(game, limits, |line| {
            by_depth.retain(|found| found.depth < line.depth);
            by_depth.push(Found::of(line));
        })?;
        if self.interrupted() {
            return Ok(None);
        }
        if by_depth.is_empty() {
            by_depth.push(lines.first().map_or_else(Found::default, Found::of));
        }
        Ok(Some(Evaluation(by_depth)))
    }
}

impl Evaluation {
    fn known(score: Score) -> Self {
        Self(vec![Found { score, ..Found::default() }])
    }

    fn last(&self) -> &Found {
        &self.0[self.0.len() - 1]
    }

    /// The result at a depth, or at the deepest one before it.
    fn at(&self, depth: i32) -> &Found {
        self.0.iter().rfind(|found| found.depth <= depth).unwrap_or(&self.0[0])
    }

    /// The same for the position after the first move of the line: a mate is a ply nearer there.
    fn after_move(&self) -> Self {
        let nearer = |score: Score| if is_decided(score) { score + score.signum() } else { score };
        let shifted = self.0.iter().map(|found| Found {
            depth: found.depth - 1,
            score: -nearer(found.score),
            line: found.line.get(1..).unwrap_or_default().to_vec(),
        });
        Self(shifted.collect())
    }
}

/// The judgement of a move: what it lost, and what was better with its score for the player.
#[derive(Clone, Default, Debug)]
struct Verdict {
    loss: f64,
    /// How much less it may be by a longer search.
    uncertainty: f64,
    better: Option<(Vec<Move>, Score)>,
}

/// A ply of the main line. A null move has no move.
struct Ply {
    id: NodeId,
    played: Option<Move>,
    after: Position,
}

/// A game under analysis.
struct Analysis<'a, S> {
    searcher: &'a mut S,
    limits: &'a Limits,
    start: Position,
    line: Vec<Ply>,
    /// What the positions are worth, the first one included.
    evaluations: Vec<Evaluation>,
    /// The verdicts of the second look.
    second: Vec<Option<Verdict>>,
}

/// Evaluates a game. `step` is called for every position that is done.
pub fn study(
    tree: GameTree,
    searcher: &mut impl Search,
    limits: &Limits,
    step: impl Fn(),
) -> Result<Study> {
    searcher.new_game();
    let start = *tree.root().position();
    let plies = tree.main_line();
    let line: Vec<Ply> = plies
        .map(|(id, node)| Ply { id, played: node.played(), after: *node.position() })
        .collect();
    let second = vec![None; line.len()];
    let mut analysis = Analysis { searcher, limits, start, line, evaluations: Vec::new(), second };
    let mut judged = 0;
    if analysis.evaluate()? {
        step();
        for n in 0..analysis.line.len() {
            if !(analysis.evaluate()? && analysis.check_suspects()?) {
                break;
            }
            judged = n + 1;
            step();
        }
    }
    let moves = (0..judged).filter_map(|n| analysis.judged(n)).collect();
    let first = analysis.evaluations.first().map_or(DRAW, |evaluation| evaluation.last().score);
    let stopped = judged < analysis.line.len();
    Ok(Study { tree, start: for_white(first, start.turn()), moves, stopped, problem: None })
}

impl<S: Search> Analysis<'_, S> {
    /// The game up to a position of the line.
    fn game(&self, plies: usize) -> Game {
        let mut game = Game::new(self.start);
        for ply in &self.line[..plies] {
            // A null move is no move of a game: it begins anew behind it.
            if ply.played.is_none_or(|m| game.play(m).is_err()) {
                game = Game::new(ply.after);
            }
        }
        game
    }

    /// Evaluates the next position. Whether that was done, and not interrupted.
    fn evaluate(&mut self) -> Result<bool> {
        let game = self.game(self.evaluations.len());
        let position = game.position();
        let evaluation = if !position.has_legal_move() {
            Evaluation::known(if position.in_check() { -MATE } else { DRAW })
        } else if game.outcome().is_some() {
            Evaluation::known(DRAW)
        } else if let Some(evaluation) = self.searcher.search(&game, self.limits)? {
            evaluation
        } else {
            return Ok(false);
        };
        self.evaluations.push(evaluation);
        Ok(true)
    }

    /// What the short searches say of a move.
    fn first_verdict(&self, n: usize) -> Verdict {
        let (before, after) = (self.evaluations[n].last(), self.evaluations[n + 1].last());
        let best = before.line.first();
        if best.is_none() || best == self.line[n].played.as_ref() {
            return Verdict::default();
        }
        Verdict {
            loss: loss(before.score, -after.score),
            uncertainty: 0.0,
            better: Some((before.line.clone(), before.score)),
        }
    }

    /// Gives every suspect its second look. Evaluations change by it, and with them the loss of the
    /// moves before and behind. Whether that was done, and not interrupted.
    fn check_suspects(&mut self) -> Result<bool> {
        let known = self.evaluations.len() - 1;
        while let Some(n) = (0..known).rev().find(|&n| self.is_suspect(n)) {
            if !self.look_again(n)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_suspect(&self, n: usize) -> bool {
        self.second[n].is_none()
            && self.line[n].played.is_some()
            && self.first_verdict(n).loss >= DUBIOUS
    }

    /// The second look at a move. Whether that was done, and not interrupted.
    fn look_again(&mut self, n: usize) -> Result<bool> {
        let Some(played) = self.line[n].played else { return Ok(true) };
        let first = self.first_verdict(n);
        let game = self.game(n);
        let mut limits = Limits {
            depth: self.limits.depth.map(|depth| depth + SECOND_DEPTH),
            nodes: self.limits.nodes.map(|nodes| nodes.saturating_mul(SECOND_LOOK.into())),
            move_time: self.limits.move_time.map(|time| time * SECOND_LOOK),
            ..self.limits.clone()
        };
        let Some(all) = self.searcher.search(&game, &limits)? else { return Ok(false) };
        if all.last().line.first() == Some(&played) {
            self.second[n] = Some(Verdict::default());
            self.refine(n, all.after_move());
            self.evaluations[n] = all;
            return Ok(true);
        }
        limits.depth = u32::try_from(all.last().depth).ok();
        limits.moves = vec![played];
        let Some(alone) = self.searcher.search(&game, &limits)? else { return Ok(false) };
        let depth = all.last().depth.min(alone.last().depth);
        let at_depth = |depth| match (all.at(depth), alone.at(depth)) {
            (best, _) if best.line.first() == Some(&played) => 0.0,
            (best, as_played) => loss(best.score, as_played.score),
        };
        let least =
            (0..STABLE_DEPTHS).map(|back| at_depth(depth - back)).fold(first.loss, f64::min);
        let is_certain = is_decided(all.at(depth).score) || is_decided(alone.at(depth).score);
        self.second[n] = Some(Verdict {
            loss: least,
            uncertainty: if is_certain { 0.0 } else { uncertainty(depth) },
            better: Some((all.last().line.clone(), all.last().score)),
        });
        self.refine(n, alone.after_move());
        self.evaluations[n] = all;
        Ok(true)
    }

    /// Replaces the evaluation after a move by that of a longer search. A mate or a draw on the board
    /// is known without one.
    fn refine(&mut self, n: usize, after: Evaluation) {
        if self.evaluations[n + 1].last().depth > 0 {
            self.evaluations[n + 1] = after;
        }
    }

    /// A move with its judgement; nothing for a null move.
    fn judged(&self, n: usize) -> Option<Judged> {
        let Ply { id, played, .. } = self.line[n];
        let m = played?;
        let before = if n == 0 { self.start } else { self.line[n - 1].after };
        let verdict = self.second[n].clone();
        let verdict = verdict.unwrap_or_else(|| self.first_verdict(n));
        let turn = before.turn();
        Some(Judged {
            id,
            before,
            m,
            white: for_white(self.evaluations[n + 1].last().score, !turn),
            loss: verdict.loss,
            mark: match self.second[n] {
                Some(_) => Mark::of(verdict.loss - verdict.uncertainty),
                None => None,
            },
            better: verdict.better.map(|(line, score)| (line, for_white(score, turn))),
        })
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use chess::pgn::read_trees;

    const FIRST: u64 = 100;
    const SECOND: u64 = FIRST * SECOND_LOOK as u64;

    /// Says for a position (by its moves so far), a number of nodes, and whether it may only search the
    /// move played: the score for the player to move, and the best move.
    struct Script<F> {
        script: F,
        searches: Vec<(usize, u64, bool)>,
    }

    impl<F: FnMut(usize, u64, bool) -> Option<(Score, &'static str)>> Search for Script<F> {
        fn new_game(&mut self) {}

        fn search(&mut self, game: &Game, limits: &Limits) -> Result<Option<Evaluation>> {
            let (ply, nodes) = (game.moves().len(), limits.nodes.unwrap());
            let restricted = !limits.moves.is_empty();
            self.searches.push((ply, nodes, restricted));
            let Some((score, san)) = (self.script)(ply, nodes, restricted) else { return Ok(None) };
            let line = vec![game.position().parse_san(san).unwrap()];
            assert!(limits.moves.is_empty() || limits.moves == line);
            Ok(Some(Evaluation(vec![Found { depth: 60, score, line }])))
        }
    }

    type Searches = Vec<(usize, u64, bool)>;

    fn of_script(
        text: &str,
        script: impl FnMut(usize, u64, bool) -> Option<(Score, &'static str)>,
    ) -> (Study, Searches) {
        let tree = read_trees(text.as_bytes()).remove(0).unwrap();
        let limits = Limits { nodes: Some(FIRST), ..Limits::default() };
        let mut script = Script { script, searches: Vec::new() };
        let study = study(tree, &mut script, &limits, || ()).unwrap();
        (study, script.searches)
    }

    fn marks(study: &Study) -> Vec<Option<Mark>> {
        study.moves.iter().map(|judged| judged.mark).collect()
    }

    #[test]
    fn a_move_that_the_second_search_prefers_gets_no_mark() {
        // The first look prefers d4 by far; the second finds that e4 was best.
        let (study, searches) = of_script("1. e4 e5 *", |ply, nodes, _| {
            Some(match (ply, nodes) {
                (0, FIRST) => (100, "d4"),
                (0, SECOND) => (90, "e4"),
                (1, FIRST) => (200, "c5"),
                (2, FIRST) => (100, "Nf3"),
                _ => panic!("{ply}"),
            })
        });
        assert_eq!(marks(&study), [None, None]);
        assert_eq!((study.start, study.moves[0].white, study.moves[0].loss), (90, 90, 0.0));
        assert_eq!(
            searches,
            [(0, FIRST, false), (1, FIRST, false), (0, SECOND, false), (2, FIRST, false)]
        );
    }

    #[test]
    fn a_mark_is_that_of_the_milder_one_of_two_looks() {
        // A blunder at first sight, a mistake at the second; both moves to the same depth.
        let (study, searches) = of_script("1. e4 *", |ply, nodes, restricted| {
            Some(match (ply, nodes, restricted) {
                (0, FIRST, _) => (200, "d4"),
                (0, SECOND, false) => (60, "d4"),
                (0, SECOND, true) => (-20, "e4"),
                (1, FIRST, _) => (200, "c5"),
                _ => panic!("{ply}"),
            })
        });
        assert_eq!(marks(&study), [Some(Mark::Mistake)]);
        assert_eq!(study.moves[0].loss, loss(60, -20));
        assert_eq!(study.moves[0].white, -20);
        assert_eq!(searches.len(), 4);
        assert_eq!(study.moves[0].better.as_ref().map(|(_, score)| *score), Some(60));
        // And the other way round: the second look cannot make it worse than it seemed.
        let (study, _) = of_script("1. e4 *", |ply, nodes, restricted| {
            Some(match (ply, nodes, restricted) {
                (0, FIRST, _) => (60, "d4"),
                (1, FIRST, _) => (20, "c5"),
                (0, SECOND, true) => (-300, "e4"),
                _ => (60, "d4"),
            })
        });
        assert_eq!(marks(&study), [Some(Mark::Mistake)]);
    }

    #[test]
    fn a_score_that_the_second_look_corrects_makes_the_move_before_a_suspect() {
        // Black's reply is a suspect. The second look finds that he stood much better than it seemed:
        // so White's move before was bad.
        let (study, _) = of_script("1. e4 e5 *", |ply, nodes, restricted| {
            Some(match (ply, nodes, restricted) {
                (0, _, true) => (-400, "e4"),
                (0, _, _) => (0, "d4"),
                (1, FIRST, _) => (0, "c5"),
                (1, _, true) => (0, "e5"),
                (1, _, false) => (400, "c5"),
                (2, ..) => (100, "Nf3"),
                _ => panic!("{ply}"),
            })
        });
        assert_eq!(marks(&study), [Some(Mark::Blunder), Some(Mark::Mistake)]);
    }

    #[test]
    fn moves_behind_an_interrupt_are_not_judged() {
        for stop_at in 0..4_usize {
            let mut searches = 0;
            let (study, _) = of_script("1. e4 e5 2. Nf3 *", |ply, _, _| {
                searches += 1;
                (searches <= stop_at).then_some((0, ["e4", "e5", "Nf3", "Nc6"][ply]))
            });
            assert_eq!(study.moves.len(), stop_at.saturating_sub(1));
            assert!(study.stopped);
        }
    }

    #[test]
    fn shallow_searches_mark_only_what_is_beyond_doubt() {
        assert!(uncertainty(60) < 1e-5);
        assert!((uncertainty(20) - 0.08).abs() < 1e-9);
        assert!(uncertainty(25) < uncertainty(20) / 3.0);
        assert_eq!(uncertainty(1), 0.15);
    }

    #[test]
    fn a_mate_is_a_ply_nearer_after_the_move() {
        use engine::score::{mate_in, mated_in};
        let found = |score| Evaluation(vec![Found { depth: 5, score, line: Vec::new() }]);
        assert_eq!(found(mate_in(7)).after_move().last().score, mated_in(6));
        assert_eq!(found(mated_in(6)).after_move().last().score, mate_in(5));
        assert_eq!(found(35).after_move().last().score, -35);
    }
}
