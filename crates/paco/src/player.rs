//! Players: alpha-beta search, greedy, random.
//!
//! The searching player runs alpha-beta with iterative deepening over whole turns until it is stopped. Every
//! node first tests for Ŝako of the side to move (the chain search takes microseconds), which extends each line
//! by one turn and never misses a Paco in 1. Turns are ordered by their static evaluation, immediate losses
//! last.
//!
//! The library reads no clock: the caller provides a stop function.

use alloc::vec::Vec;

use crate::eval::{WIN, evaluate};
use crate::{Action, Answer, Position, Rng, Turns};

/// Node limit of a Ŝako test inside the search.
const SAKO_IN_SEARCH: u32 = 2_000;
/// Node limits of turn generation at the root and below.
const ROOT_NODES: usize = 30_000;
const INNER_NODES: usize = 4_000;
/// Nodes between two calls of the stop function.
const PATIENCE: usize = 256;
/// Turns evaluated before the first call of the stop function, so that there is a choice.
const ALWAYS_SEEN: usize = 24;
/// The score of a repeated position: nearly a loss, since unions are shuffled back and forth too easily.
const REPETITION: i32 = -1500;
/// The maximum depth.
const MAX_DEPTH: u32 = 32;

/// The chosen turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The turn.
    pub actions: Vec<Action>,
    /// Its value for the player, about 100 for a pawn; near [`WIN`] when a Paco is certain.
    pub score: i32,
    /// The depth in turns.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
}

/// The searching player. It reuses its allocations between turns.
///
/// ```
/// use tabiya_paco::{Player, Position};
/// let mut player = Player::new(1);
/// let choice = player.choose(&Position::default(), 2, &mut || false).unwrap();
/// assert_eq!(choice.actions.len(), 2);
/// ```
#[derive(Debug)]
pub struct Player {
    rng: Rng,
    generators: Vec<Turns>,
    nodes: u64,
    /// Nodes since the last call of the stop function.
    unasked: usize,
    avoid: Vec<u64>,
}

/// The search was stopped from outside.
struct Stopped;

/// A turn at the root with its value in the last finished iteration.
struct RootTurn {
    index: usize,
    score: i32,
}

impl Player {
    /// A player; the seed breaks ties between turns of equal value.
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Rng::from_seed(seed),
            generators: Vec::new(),
            nodes: 0,
            unasked: 0,
            avoid: Vec::new(),
        }
    }

    /// Sets the settled positions that count as repetitions.
    pub fn avoid(&mut self, keys: impl IntoIterator<Item = u64>) {
        self.avoid.clear();
        self.avoid.extend(keys);
    }

    /// Chooses a turn (or the rest of one) by a search to `max_depth` turns, or until `stop` returns true.
    /// `None` if no turn can be completed.
    pub fn choose(
        &mut self,
        position: &Position,
        max_depth: u32,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Choice> {
        self.nodes = 0;
        // 1. A Paco now.
        let win = position.paco_sequences(crate::SAKO_NODES, 1);
        if let Some(actions) = win.sequences.into_iter().next() {
            return Some(Choice { actions, score: WIN, depth: 1, nodes: 1 });
        }
        // 2. All turns, in an order of first sight.
        let mut turns = Turns::new();
        turns.generate_within(position, ROOT_NODES);
        if turns.is_empty() {
            turns.generate(position);
        }
        let mut root: Vec<RootTurn> = Vec::with_capacity(turns.len());
        for (index, turn) in turns.iter().enumerate() {
            if index >= ALWAYS_SEEN && self.work(1, stop).is_err() {
                break;
            }
            let noise = self.rng.below(8) as i32;
            root.push(RootTurn { index, score: self.at_sight(turn.position()) + noise });
        }
        root.sort_by_key(|turn| core::cmp::Reverse(turn.score));
        // 3. Deeper and deeper; the best so far is always known.
        let mut depth = 1;
        while depth < max_depth.min(MAX_DEPTH) {
            let best = root.first()?.score;
            if root.len() == 1 || best.abs() > WIN - 100 {
                break;
            }
            depth += 1;
            if self.iterate(&turns, &mut root, depth, stop).is_err() {
                depth -= 1;
                break;
            }
        }
        let best = root.first()?;
        let actions = turns.get(best.index)?.actions();
        Some(Choice { actions, score: best.score, depth, nodes: self.nodes })
    }

    /// Counts a node and calls the stop function at intervals.
    fn work(&mut self, positions: usize, stop: &mut dyn FnMut() -> bool) -> Result<(), Stopped> {
        self.unasked += positions;
        if self.unasked < PATIENCE {
            return Ok(());
        }
        self.unasked = 0;
        if stop() { Err(Stopped) } else { Ok(()) }
    }

    /// One iteration of the root. A stopped iteration keeps its finished results.
    fn iterate(
        &mut self,
        turns: &Turns,
        root: &mut [RootTurn],
        depth: u32,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<(), Stopped> {
        let mut alpha = -WIN;
        for i in 0..root.len() {
            let Some(turn) = turns.get(root[i].index) else { continue };
            let score = if self.avoid.contains(&turn.position().key()) {
                REPETITION
            } else {
                -self.search(turn.position(), depth - 1, -WIN, -alpha, 1, stop)?
            };
            // Later turns are only known to be no better: they keep their order behind the best.
            root[i].score = score;
            if score > alpha || i == 0 {
                alpha = alpha.max(score);
                root[..=i].rotate_right(1);
            }
        }
        Ok(())
    }

    /// The static evaluation after a turn, for the player who made it.
    fn at_sight(&mut self, after: &Position) -> i32 {
        self.nodes += 1;
        if self.avoid.contains(&after.key()) {
            REPETITION
        } else if after.ending().is_some() {
            -ended(after, 1)
        } else if after.sako(SAKO_IN_SEARCH) == Answer::Yes {
            -(WIN - 1)
        } else {
            -evaluate(after)
        }
    }

    /// Alpha-beta: the value for the player to move.
    fn search(
        &mut self,
        position: &Position,
        depth: u32,
        mut alpha: i32,
        beta: i32,
        ply: i32,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<i32, Stopped> {
        self.nodes += 1;
        // 1. Time is up?
        self.work(1, stop)?;
        // 2. The game is over, or the side to move wins at once.
        if position.ending().is_some() {
            return Ok(ended(position, ply));
        }
        if position.sako(SAKO_IN_SEARCH) == Answer::Yes {
            return Ok(WIN - ply);
        }
        // The opponent's answer may lead back to what has been there: he pushes the union back.
        if ply == 2 && self.avoid.contains(&position.key()) {
            return Ok(REPETITION);
        }
        // 3. Deep enough.
        if depth == 0 {
            return Ok(evaluate(position));
        }
        // 4. All turns, the promising ones first.
        let mut turns = self.generators.pop().unwrap_or_default();
        turns.generate_within(position, INNER_NODES);
        let within_limit = self.work(turns.len(), stop);
        let mut order: Vec<(i32, usize)> = Vec::with_capacity(turns.len());
        if let Err(stopped) = within_limit {
            self.generators.push(turns);
            return Err(stopped);
        }
        for (index, turn) in turns.iter().enumerate() {
            // 5. One turn before the end the order is by evaluation alone: the search for Ŝako
            //    is the next step anyway.
            let sight = if depth == 1 {
                -evaluate(turn.position())
            } else {
                self.at_sight(turn.position())
            };
            order.push((-sight, index));
        }
        order.sort_unstable();
        // 6. Without a turn the game stands still: nobody wins.
        let mut best = if order.is_empty() { 0 } else { -WIN };
        for (_, index) in order {
            let Some(turn) = turns.get(index) else { continue };
            let found = self.search(turn.position(), depth - 1, -beta, -alpha, ply + 1, stop);
            let score = match found {
                Ok(score) => -score,
                Err(stopped) => {
                    self.generators.push(turns);
                    return Err(stopped);
                }
            };
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.generators.push(turns);
        Ok(best)
    }
}

/// The value of a finished game for the player to move.
fn ended(position: &Position, ply: i32) -> i32 {
    match position.ending() {
        Some(crate::Ending::Paco(winner)) if winner == position.player() => WIN - ply,
        Some(crate::Ending::Paco(_)) => -(WIN - ply),
        _ => 0,
    }
}

/// The greedy player: a Paco if there is one, otherwise the turn with the best static evaluation.
pub fn greedy_turn(position: &Position, rng: &mut Rng) -> Option<Vec<Action>> {
    let win = position.paco_sequences(crate::SAKO_NODES, 1);
    if let Some(actions) = win.sequences.into_iter().next() {
        return Some(actions);
    }
    let mut turns = Turns::new();
    turns.generate_within(position, ROOT_NODES);
    if turns.is_empty() {
        turns.generate(position);
    }
    turns
        .iter()
        .max_by_key(|turn| -evaluate(turn.position()) + rng.below(8) as i32)
        .map(|turn| turn.actions())
}

/// The random player: random actions, restarting the turn at a dead end. `None` if no turn can be completed.
pub fn random_turn(position: &Position, rng: &mut Rng) -> Option<Vec<Action>> {
    for _ in 0..1000 {
        let mut now = *position;
        let mut actions = Vec::new();
        loop {
            let legal = now.legal();
            let Some(action) = legal.nth(rng.below(legal.len())) else { break };
            now.play_unchecked(action);
            actions.push(action);
            if now.half_moves() != position.half_moves() || now.ending().is_some() {
                return Some(actions);
            }
        }
    }
    let mut turns = Turns::new();
    turns.generate(position);
    turns.get(rng.below(turns.len())).map(|turn| turn.actions())
}
