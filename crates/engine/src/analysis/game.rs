//! Evaluates the positions of a game and judges its moves, suspects by two or three looks.
//!
//! A short search of every position nominates suspects: moves whose loss in expected points earns a
//! judgement. Scores of short searches differ by that much from depth to depth, so a suspect is judged by a
//! second, longer look at the position before it: a search of all moves, and one of the move played
//! alone to the same depth. What then looks like a mistake or a blunder gets a third look, longer again.
//! The loss is the minimum over all looks and over the last depths of the last one; the best move of a
//! look has lost nothing. A judgement needs a loss that clears its threshold by the standard deviation that
//! losses have at that number of nodes.

use chess::pgn::{GameTree, NodeId};
use chess::{Color, Game, Move, Position};

use super::judge::{DUBIOUS, Judgement, MISTAKE, loss};
use super::notation::game_title;
use super::results::{PositionSearch, SearchResults};
use super::worker::AnalysisError;
use crate::search::Limits;
use crate::value::{DRAW, MATE, Value, is_decided, white_pov};
use crate::wdl::carry_cp;

/// A longer look at a suspect.
struct Look {
    /// Time and nodes, as multiples of those of the first search.
    factor: u32,
    /// Plies added to a depth limit.
    plies: u32,
}

/// The second look at every suspect.
const SECOND_LOOK: Look = Look { factor: 8, plies: 4 };
/// The third look, at moves that look like mistakes after the second.
const THIRD_LOOK: Look = Look { factor: 32, plies: 6 };

/// The loss is the minimum over this many last depths.
const STABLE_DEPTHS: i32 = 4;

/// The standard deviation of the loss that a look of so many nodes finds, in expected points.
///
/// Between looks of 8 and of 80 million nodes, losses of suspects in master games changed by 0.09. The
/// square root is an assumption; `runs/marks.py` measures what comes of it. With few pieces on the board
/// evaluations that look stable change late, when the search reaches what decides the ending.
fn deviation(nodes: u64, pieces: usize) -> f64 {
    let deviation = (0.09 * (8e6 / nodes.max(1) as f64).sqrt()).min(0.12);
    if pieces <= 9 { 2.5 * deviation } else { deviation }
}

/// A move of a game with its evaluation.
#[derive(Clone, Debug)]
pub struct MoveAnalysis {
    /// Its node in the tree.
    pub id: NodeId,
    /// The position before it.
    pub before: Position,
    /// The move.
    pub m: Move,
    /// The score after the move in centipawns, from White's point of view.
    pub white: Value,
    /// Expected points lost.
    pub loss: f64,
    /// The judgement for the loss.
    pub judgement: Option<Judgement>,
    /// The principal variation after the move: the refutation of a bad one.
    pub reply: Vec<Move>,
    /// The engine's choice if it is another move: principal variation and score from White's point of view.
    pub better: Option<(Vec<Move>, Value)>,
}

/// A game with the evaluations of its moves.
#[derive(Debug)]
pub struct GameAnalysis {
    /// The game.
    pub tree: GameTree,
    /// The score before the first move, from White's point of view.
    pub start: Value,
    /// The moves of the main line, null moves left out.
    pub moves: Vec<MoveAnalysis>,
    /// Whether the analysis was stopped before the last move.
    pub stopped: bool,
    /// The syntax error in the PGN after the last move.
    pub problem: Option<String>,
}

/// The loss of a move, for the player who made it.
#[derive(Clone, Default, Debug)]
struct Verdict {
    loss: f64,
    /// The standard deviation of the loss; 0 if it is certain.
    deviation: f64,
    better: Option<(Vec<Move>, Value)>,
}

impl Verdict {
    fn judgement(&self) -> Option<Judgement> {
        Judgement::of_estimate(self.loss, self.deviation)
    }
}

/// A ply of the main line. A null move has no move.
struct Ply {
    id: NodeId,
    played: Option<Move>,
    after: Position,
}

/// The state of an analysis.
struct Analyzer<'a, S> {
    searcher: &'a mut S,
    limits: &'a Limits,
    start: Position,
    line: Vec<Ply>,
    /// Search results of the positions, the start included.
    results: Vec<SearchResults>,
    /// The verdicts of the longer looks.
    verdicts: Vec<Option<Verdict>>,
}

impl GameAnalysis {
    /// Analyzes the main line of a game. `on_position` is called after every position.
    pub fn run(
        tree: GameTree,
        searcher: &mut impl PositionSearch,
        limits: &Limits,
        on_position: impl Fn(),
    ) -> Result<Self, AnalysisError> {
        searcher.new_game();
        let start = *tree.root().position();
        let plies = tree.main_line();
        let line: Vec<Ply> = plies
            .map(|(id, node)| Ply { id, played: node.played(), after: *node.position() })
            .collect();
        let verdicts = vec![None; line.len()];
        let mut analyzer =
            Analyzer { searcher, limits, start, line, results: Vec::new(), verdicts };
        let mut judged = 0;
        if analyzer.evaluate()? {
            on_position();
            for n in 0..analyzer.line.len() {
                if !(analyzer.evaluate()? && analyzer.check_suspects()?) {
                    break;
                }
                judged = n + 1;
                on_position();
            }
        }
        let moves = (0..judged).filter_map(|n| analyzer.judged(n)).collect();
        let first = analyzer.results.first().map_or(DRAW, |results| results.last().score);
        let stopped = judged < analyzer.line.len();
        Ok(Self { tree, start: white_pov(first, start.turn()), moves, stopped, problem: None })
    }

    /// The [title](game_title) of the game.
    pub fn title(&self) -> String {
        game_title(&self.tree)
    }

    /// How many moves of a player have each judgement, and the mean loss per move.
    pub fn tally(&self, color: Color) -> ([usize; 3], f64) {
        let theirs = || self.moves.iter().filter(|judged| judged.before.turn() == color);
        let count =
            |judgement| theirs().filter(|judged| judged.judgement == Some(judgement)).count();
        let sum: f64 = theirs().map(|judged| judged.loss).sum();
        (Judgement::ALL.map(count), sum / theirs().count().max(1) as f64)
    }
}

impl<S: PositionSearch> Analyzer<'_, S> {
    /// The game up to a position of the main line.
    fn game(&self, plies: usize) -> Game {
        let mut game = Game::new(self.start);
        for ply in &self.line[..plies] {
            // `Game` has no null moves: the history restarts after one.
            if ply.played.is_none_or(|m| game.play(m).is_err()) {
                game = Game::new(ply.after);
            }
        }
        game
    }

    /// Evaluates the next position. Returns false if the search was stopped.
    fn evaluate(&mut self) -> Result<bool, AnalysisError> {
        let game = self.game(self.results.len());
        let position = game.position();
        let results = if !position.has_legal_move() {
            SearchResults::known(if position.in_check() { -MATE } else { DRAW })
        } else if game.outcome().is_some() {
            SearchResults::known(DRAW)
        } else if let Some(results) = self.searcher.search(&game, self.limits)? {
            results
        } else {
            return Ok(false);
        };
        self.results.push(results);
        Ok(true)
    }

    /// The position before a ply of the main line, or after the last one.
    fn position(&self, n: usize) -> &Position {
        n.checked_sub(1).map_or(&self.start, |last| &self.line[last].after)
    }

    /// The verdict of the short searches.
    fn first_verdict(&self, n: usize) -> Verdict {
        let (before, after) = (self.results[n].last(), self.results[n + 1].last());
        let (position, next) = (self.position(n), self.position(n + 1));
        let best = before.pv.first();
        if best.is_none() || best == self.line[n].played.as_ref() {
            return Verdict::default();
        }
        Verdict {
            loss: loss(before.score, carry_cp(-after.score, next, position), position),
            deviation: 0.0,
            better: Some((before.pv.clone(), before.score)),
        }
    }

    /// Gives every suspect its longer looks, which replace evaluations and so may change the loss of the
    /// moves before and after. Returns false if a search was stopped.
    fn check_suspects(&mut self) -> Result<bool, AnalysisError> {
        let known = self.results.len() - 1;
        while let Some(n) = (0..known).rev().find(|&n| self.is_suspect(n)) {
            if !self.look_again(n)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_suspect(&self, n: usize) -> bool {
        self.verdicts[n].is_none()
            && self.line[n].played.is_some()
            && self.first_verdict(n).loss >= DUBIOUS
    }

    /// The second look at a move, and the third if it still looks like a mistake. Returns false if a
    /// search was stopped.
    fn look_again(&mut self, n: usize) -> Result<bool, AnalysisError> {
        let Some(played) = self.line[n].played else { return Ok(true) };
        let mut verdict = self.first_verdict(n);
        for look in [SECOND_LOOK, THIRD_LOOK] {
            let Some(longer) = self.look(n, played, &look, verdict.loss)? else { return Ok(false) };
            verdict = longer;
            // A mate is certain.
            if verdict.loss < MISTAKE || verdict.deviation == 0.0 {
                break;
            }
        }
        self.verdicts[n] = Some(verdict);
        Ok(true)
    }

    /// One look at a move; the loss is at most that of the look before. `None` if a search was stopped.
    fn look(
        &mut self,
        n: usize,
        played: Move,
        look: &Look,
        max_loss: f64,
    ) -> Result<Option<Verdict>, AnalysisError> {
        let game = self.game(n);
        let mut limits = Limits {
            depth: self.limits.depth.map(|depth| depth + look.plies),
            nodes: self.limits.nodes.map(|nodes| nodes.saturating_mul(look.factor.into())),
            move_time: self.limits.move_time.map(|time| time * look.factor),
            ..self.limits.clone()
        };
        let Some(all) = self.searcher.search(&game, &limits)? else { return Ok(None) };
        if all.last().pv.first() == Some(&played) {
            self.refine(n, &all);
            self.results[n] = all;
            return Ok(Some(Verdict::default()));
        }
        limits.depth = u32::try_from(all.last().depth).ok();
        limits.moves = vec![played];
        let Some(alone) = self.searcher.search(&game, &limits)? else { return Ok(None) };
        let depth = all.last().depth.min(alone.last().depth);
        let at_depth = |depth| match (all.at(depth), alone.at(depth)) {
            (best, _) if best.pv.first() == Some(&played) => 0.0,
            (best, as_played) => loss(best.score, as_played.score, game.position()),
        };
        let least = (0..STABLE_DEPTHS).map(|back| at_depth(depth - back)).fold(max_loss, f64::min);
        let pieces = game.position().occupied().len();
        let is_certain = is_decided(all.at(depth).score) || is_decided(alone.at(depth).score);
        let verdict = Verdict {
            loss: least,
            deviation: if is_certain { 0.0 } else { deviation(all.last().nodes, pieces) },
            better: Some((all.last().pv.clone(), all.last().score)),
        };
        self.refine(n, &alone);
        self.results[n] = all;
        Ok(Some(verdict))
    }

    /// Replaces the results after a move by those of a longer search before it, unless the game ends there.
    fn refine(&mut self, n: usize, longer: &SearchResults) {
        if self.results[n + 1].last().depth > 0 {
            self.results[n + 1] = longer.after_move(self.position(n), self.position(n + 1));
        }
    }

    /// The move with its judgement; `None` for a null move.
    fn judged(&self, n: usize) -> Option<MoveAnalysis> {
        let Ply { id, played, .. } = self.line[n];
        let m = played?;
        let before = *self.position(n);
        let verdict = self.verdicts[n].clone();
        let verdict = verdict.unwrap_or_else(|| self.first_verdict(n));
        let turn = before.turn();
        Some(MoveAnalysis {
            id,
            before,
            m,
            white: white_pov(self.results[n + 1].last().score, !turn),
            loss: verdict.loss,
            judgement: self.verdicts[n].as_ref().and_then(Verdict::judgement),
            reply: self.results[n + 1].last().pv.clone(),
            better: verdict.better.map(|(line, score)| (line, white_pov(score, turn))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::DepthResult;
    use super::*;
    use chess::pgn::read_trees;

    const FIRST: u64 = 100;
    const SECOND: u64 = FIRST * SECOND_LOOK.factor as u64;
    const THIRD: u64 = FIRST * THIRD_LOOK.factor as u64;

    /// Maps the ply of a position, a node limit, and whether only the move played is searched, to the
    /// score for the side to move and the best move.
    struct Script<F> {
        script: F,
        searches: Vec<(usize, u64, bool)>,
    }

    impl<F: FnMut(usize, u64, bool) -> Option<(Value, &'static str)>> PositionSearch for Script<F> {
        fn new_game(&mut self) {}

        fn search(
            &mut self,
            game: &Game,
            limits: &Limits,
        ) -> Result<Option<SearchResults>, AnalysisError> {
            let (ply, nodes) = (game.moves().len(), limits.nodes.unwrap());
            let restricted = !limits.moves.is_empty();
            self.searches.push((ply, nodes, restricted));
            let Some((score, san)) = (self.script)(ply, nodes, restricted) else { return Ok(None) };
            let pv = vec![game.position().parse_san(san).unwrap()];
            assert!(limits.moves.is_empty() || limits.moves == pv);
            // As many nodes as make the loss all but certain.
            let nodes = u64::MAX;
            Ok(Some(SearchResults(vec![DepthResult { depth: 60, score, nodes, pv }])))
        }
    }

    type Searches = Vec<(usize, u64, bool)>;

    fn analyze(
        text: &str,
        script: impl FnMut(usize, u64, bool) -> Option<(Value, &'static str)>,
    ) -> (GameAnalysis, Searches) {
        let tree = read_trees(text.as_bytes()).remove(0).unwrap();
        let limits = Limits { nodes: Some(FIRST), ..Limits::default() };
        let mut script = Script { script, searches: Vec::new() };
        let analysis = GameAnalysis::run(tree, &mut script, &limits, || ()).unwrap();
        (analysis, script.searches)
    }

    fn judgements(analysis: &GameAnalysis) -> Vec<Option<Judgement>> {
        analysis.moves.iter().map(|judged| judged.judgement).collect()
    }

    #[test]
    fn the_best_move_of_the_second_search_gets_no_judgement() {
        // The first look prefers d4 by far; the second finds that e4 was best.
        let (analysis, searches) = analyze("1. e4 e5 *", |ply, nodes, _| {
            Some(match (ply, nodes) {
                (0, FIRST) => (100, "d4"),
                (0, SECOND) => (90, "e4"),
                (1, FIRST) => (200, "c5"),
                (2, FIRST) => (100, "Nf3"),
                _ => panic!("{ply}"),
            })
        });
        assert_eq!(judgements(&analysis), [None, None]);
        assert_eq!(
            (analysis.start, analysis.moves[0].white, analysis.moves[0].loss),
            (90, 90, 0.0)
        );
        assert_eq!(
            searches,
            [(0, FIRST, false), (1, FIRST, false), (0, SECOND, false), (2, FIRST, false)]
        );
    }

    #[test]
    fn the_smallest_loss_of_all_looks_decides_the_judgement() {
        // A blunder at the first look, a mistake at the second; both moves to the same depth.
        let (analysis, searches) = analyze("1. e4 *", |ply, nodes, restricted| {
            Some(match (ply, nodes, restricted) {
                (0, FIRST, _) => (200, "d4"),
                (0, SECOND | THIRD, false) => (60, "d4"),
                (0, SECOND | THIRD, true) => (-20, "e4"),
                (1, FIRST, _) => (200, "c5"),
                _ => panic!("{ply}"),
            })
        });
        assert_eq!(judgements(&analysis), [Some(Judgement::Mistake)]);
        assert_eq!(analysis.moves[0].loss, loss(60, -20, &Position::INITIAL));
        assert_eq!(analysis.moves[0].white, -20);
        assert_eq!(searches.len(), 6);
        assert_eq!(analysis.moves[0].better.as_ref().map(|(_, score)| *score), Some(60));
        // Conversely, the second look cannot increase the loss.
        let (analysis, _) = analyze("1. e4 *", |ply, nodes, restricted| {
            Some(match (ply, nodes, restricted) {
                (0, FIRST, _) => (60, "d4"),
                (1, FIRST, _) => (20, "c5"),
                (0, SECOND | THIRD, true) => (-300, "e4"),
                _ => (60, "d4"),
            })
        });
        assert_eq!(judgements(&analysis), [Some(Judgement::Mistake)]);
    }

    #[test]
    fn only_mistakes_get_a_third_look_and_it_may_take_them_back() {
        let look = |second, third| {
            analyze("1. e4 *", move |ply, nodes, restricted| {
                Some(match (ply, nodes, restricted) {
                    (0, SECOND, true) => (second, "e4"),
                    (0, THIRD, true) => (third, "e4"),
                    (0, ..) => (60, "d4"),
                    (1, ..) => (300, "c5"),
                    _ => panic!("{ply}"),
                })
            })
        };
        // A blunder after two looks, hardly worse than the best move after three.
        let (analysis, searches) = look(-300, 50);
        assert_eq!(judgements(&analysis), [None]);
        assert_eq!(analysis.moves[0].loss, loss(60, 50, &Position::INITIAL));
        assert_eq!(analysis.moves[0].white, 50);
        assert_eq!(searches.last(), Some(&(0, THIRD, true)));
        // A dubious move after two looks stays one.
        let (analysis, searches) = look(20, -300);
        assert_eq!(judgements(&analysis), [Some(Judgement::Dubious)]);
        assert_eq!(searches.last(), Some(&(0, SECOND, true)));
    }

    #[test]
    fn a_corrected_score_makes_the_previous_move_a_suspect() {
        // Black's reply is a suspect. The second look scores the position much higher for Black, so
        // White's move before it was bad.
        let (analysis, _) = analyze("1. e4 e5 *", |ply, nodes, restricted| {
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
        assert_eq!(judgements(&analysis), [Some(Judgement::Blunder), Some(Judgement::Mistake)]);
    }

    #[test]
    fn moves_after_a_stop_are_not_judged() {
        for stop_at in 0..4_usize {
            let mut searches = 0;
            let (analysis, _) = analyze("1. e4 e5 2. Nf3 *", |ply, _, _| {
                searches += 1;
                (searches <= stop_at).then_some((0, ["e4", "e5", "Nf3", "Nc6"][ply]))
            });
            assert_eq!(analysis.moves.len(), stop_at.saturating_sub(1));
            assert!(analysis.stopped);
        }
    }

    #[test]
    fn losses_are_less_certain_with_fewer_nodes_and_in_endings() {
        assert!((deviation(8_000_000, 32) - 0.09).abs() < 1e-9);
        assert!((deviation(800_000_000, 10) - 0.009).abs() < 1e-9);
        assert_eq!(deviation(0, 20), 0.12);
        assert!(deviation(u64::MAX, 32) < 1e-5);
        assert!((deviation(8_000_000, 7) - 0.225).abs() < 1e-9);
    }
}
