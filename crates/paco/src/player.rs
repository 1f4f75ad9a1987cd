//! Players: one that searches, one that only looks at its own turn, one that plays at random.
//!
//! The searching player looks at whole turns with alpha-beta, deeper and deeper until it is told to
//! stop. Two things make it more than a brute: in every position it first asks whether the side to
//! move has Ŝako (the chain search answers in microseconds), so that every line is seen one turn
//! further where it matters, and a Paco in 1 is never missed; and turns are ordered by what they
//! leave, those that lose at once last.
//!
//! The library reads no clock: the caller gives a function that says when to stop.

use crate::eval::{WIN, evaluate};
use crate::{Action, Answer, Position, Rng, Turns};

/// How many states one question about Ŝako may visit inside the search.
const SAKO_IN_SEARCH: u32 = 2_000;
/// How many states of a turn are generated at the root and deeper down.
const ROOT_NODES: usize = 30_000;
const INNER_NODES: usize = 4_000;
/// How many positions are looked at between two questions whether to stop.
const PATIENCE: usize = 256;
/// The first turns are looked at in any case, so that there is something to choose from.
const ALWAYS_SEEN: usize = 24;
/// What a repeated position counts for the player: nearly a loss. Unions are pushed to and fro all
/// too easily, and the one who gives way first is seldom worse off.
const REPETITION: i32 = -1500;
/// No search goes deeper.
const MAX_DEPTH: u32 = 32;

/// What a player has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The turn.
    pub actions: Vec<Action>,
    /// Its value for the player, about 100 for a pawn; near [`WIN`] when a Paco is certain.
    pub score: i32,
    /// To which depth in turns it was searched.
    pub depth: u32,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// The searching player. It keeps its memory from one turn to the next.
///
/// ```
/// use paco::{Player, Position};
/// let mut player = Player::new(1);
/// let choice = player.choose(&Position::default(), 2, &mut || false).unwrap();
/// assert_eq!(choice.actions.len(), 2);
/// ```
#[derive(Debug)]
pub struct Player {
    rng: Rng,
    generators: Vec<Turns>,
    nodes: u64,
    /// Positions looked at since the last question whether to stop.
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
    /// A player; the seed decides between turns of equal value.
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Rng::from_seed(seed),
            generators: Vec::new(),
            nodes: 0,
            unasked: 0,
            avoid: Vec::new(),
        }
    }

    /// Tells the player which settled positions count as draws, for instance because they have
    /// been there before.
    pub fn avoid(&mut self, keys: impl IntoIterator<Item = u64>) {
        self.avoid.clear();
        self.avoid.extend(keys);
    }

    /// Chooses a turn (or the rest of one) by searching up to `max_depth` turns deep, or until
    /// `stop` says so. `None` if there is no turn that can be completed.
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
        root.sort_by_key(|turn| std::cmp::Reverse(turn.score));
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

    /// Counts work and asks now and then whether to stop: a clock is not read in every node.
    fn work(&mut self, positions: usize, stop: &mut dyn FnMut() -> bool) -> Result<(), Stopped> {
        self.unasked += positions;
        if self.unasked < PATIENCE {
            return Ok(());
        }
        self.unasked = 0;
        if stop() { Err(Stopped) } else { Ok(()) }
    }

    /// One iteration of the root. When it is stopped, what has been found so far still counts.
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

    /// The value of a turn's end at first sight, for the player who has made the turn.
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
        let asked = self.work(turns.len(), stop);
        let mut order: Vec<(i32, usize)> = Vec::with_capacity(turns.len());
        if let Err(stopped) = asked {
            self.generators.push(turns);
            return Err(stopped);
        }
        for (index, turn) in turns.iter().enumerate() {
            // 5. One turn before the end the order is by evaluation alone: asking for Ŝako is what
            //    the search does next anyway.
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

/// A player that takes a Paco if it has one and otherwise the turn that looks best right after it,
/// without a thought for the reply.
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

/// A player that plays random actions, and starts its turn anew when it has come to a dead end.
/// `None` if there is no turn that can be completed.
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
