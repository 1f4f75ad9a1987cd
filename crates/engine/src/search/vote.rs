//! Voting among the threads for the best move.
//!
//! With lazy SMP the threads end at different depths, and often with different best moves. Each votes for its
//! own, with a weight that grows with its completed depth and with its score above the lowest of all. The
//! move with the most votes is played, with line, score and depth of the weightiest thread that voted for
//! it. All ties go to the lower thread, that is the main thread first.
//!
//! What is proven is not put to the vote. A win is played whichever thread has found it, the shortest mate
//! first. A thread whose best move loses has no vote beside others; if all moves lose, the longest
//! resistance is played.
//!
//! Reference: <https://www.chessprogramming.org/Lazy_SMP>

use std::cmp::Reverse;

use chess::Move;

use super::Settings;
use super::limits::Limits;
use super::worker::Worker;
use crate::table::Bound;
use crate::value::{self, Value, WIN_BOUND};

/// The score above the lowest at which a thread has twice the weight of that with the lowest, at the same
/// depth. Not tuned.
const BASE: Value = 20;

/// What a thread brings to the vote: its best move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ballot {
    pub m: Move,
    pub score: Value,
    pub bound: Bound,
    /// The last completed depth.
    pub depth: i32,
}

impl Ballot {
    /// The ballot of a worker; none before its first iteration is complete.
    pub fn of(worker: &Worker) -> Option<Self> {
        let best = worker.root_moves.first()?;
        let result = best.result.filter(|_| worker.completed_depth > 0)?;
        let depth = worker.completed_depth;
        Some(Self { m: best.m, score: result.score, bound: result.bound, depth })
    }

    /// Whether the move is a proven win.
    fn wins(&self) -> bool {
        self.score >= WIN_BOUND && self.bound != Bound::Upper
    }

    /// Whether the move is a proven loss.
    fn loses(&self) -> bool {
        self.score <= -WIN_BOUND && self.bound != Bound::Lower
    }

    /// The score for the weight. A win or a loss that is not proven is an evaluation like others.
    fn evaluation(&self) -> Value {
        value::clamp_evaluation(self.score)
    }
}

/// Whether the threads vote. With a limit of depth or mate, the result is that of the main thread, which has
/// reached it; with several lines (or candidates of limited strength), the lines belong together; with one
/// move there is nothing to vote on. Wins that another thread has proven count in any case.
pub(super) fn is_held(limits: &Limits, settings: &Settings, root_moves: usize) -> bool {
    let limited = limits.depth.is_some() || limits.mate.is_some();
    let one_line = settings.multi_pv <= 1 && settings.weakening.is_none();
    one_line && !limited && root_moves > 1
}

/// The thread whose result is played. Without a vote it is the main thread, unless another has proven a
/// better win.
pub(super) fn choose(ballots: &[Option<Ballot>], is_held: bool) -> usize {
    let cast: Vec<(usize, Ballot)> =
        ballots.iter().enumerate().filter_map(|(n, ballot)| Some((n, (*ballot)?))).collect();
    let by_score = |&&(n, ballot): &&(usize, Ballot)| (ballot.score, Reverse(n));
    let win = cast.iter().filter(|(_, ballot)| ballot.wins()).max_by_key(by_score);
    if let Some(&(n, _)) = win {
        return n;
    }
    if !is_held {
        return 0;
    }
    let open = || cast.iter().filter(|(_, ballot)| !ballot.loses());
    let Some(lowest) = open().map(|(_, ballot)| ballot.evaluation()).min() else {
        return cast.iter().max_by_key(by_score).map_or(0, |&(n, _)| n);
    };
    let weight =
        |ballot: &Ballot| i64::from(ballot.depth) * i64::from(ballot.evaluation() - lowest + BASE);
    let votes = |m| open().filter(|(_, b)| b.m == m).map(|(_, b)| weight(b)).sum::<i64>();
    let best = open().max_by_key(|(n, b)| (votes(b.m), weight(b), Reverse(*n)));
    best.map_or(0, |&(n, _)| n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Weakening;
    use crate::value::{TABLEBASE_WIN, mate_in, mated_in};
    use chess::Position;
    use chess::rng::Rng;

    fn m(text: &str) -> Move {
        Position::INITIAL.parse_uci(text).expect("a legal move")
    }

    /// An exact result.
    fn exact(text: &str, score: Value, depth: i32) -> Option<Ballot> {
        Some(Ballot { m: m(text), score, bound: Bound::Exact, depth })
    }

    fn bounded(text: &str, score: Value, depth: i32, bound: Bound) -> Option<Ballot> {
        exact(text, score, depth).map(|ballot| Ballot { bound, ..ballot })
    }

    #[test]
    fn one_thread_is_chosen_without_a_vote() {
        assert_eq!(choose(&[exact("e2e4", -40, 9)], true), 0);
        assert_eq!(choose(&[exact("e2e4", mated_in(4), 9)], true), 0);
        assert_eq!(choose(&[None], true), 0);
        assert_eq!(choose(&[None, None], true), 0);
    }

    #[test]
    fn ties_go_to_the_main_thread() {
        let equal = [exact("e2e4", 30, 9), exact("d2d4", 30, 9), exact("c2c4", 30, 9)];
        assert_eq!(choose(&equal, true), 0);
        let same = [exact("e2e4", 30, 9), exact("e2e4", 30, 9)];
        assert_eq!(choose(&same, true), 0);
        let mates = [exact("e2e4", mate_in(5), 9), exact("d2d4", mate_in(5), 12)];
        assert_eq!(choose(&mates, true), 0);
    }

    #[test]
    fn greater_depth_or_a_better_score_outvotes_the_main_thread() {
        assert_eq!(choose(&[exact("e2e4", 30, 9), exact("d2d4", 30, 10)], true), 1);
        assert_eq!(choose(&[exact("e2e4", 30, 9), exact("d2d4", 50, 9)], true), 1);
        assert_eq!(choose(&[exact("e2e4", 30, 10), exact("d2d4", 30, 9)], true), 0);
        assert_eq!(choose(&[exact("e2e4", 50, 9), exact("d2d4", 30, 9)], true), 0);
        // Far below the others, a score weighs little even at great depth.
        assert_eq!(choose(&[exact("e2e4", 300, 9), exact("d2d4", -300, 20)], true), 0);
    }

    #[test]
    fn several_threads_outvote_a_better_one() {
        let ballots = [
            exact("e2e4", 35, 10),
            exact("d2d4", 30, 9),
            exact("d2d4", 31, 10),
            exact("d2d4", 30, 10),
        ];
        // The weightiest of those that voted for it.
        assert_eq!(choose(&ballots, true), 2);
    }

    #[test]
    fn a_thread_without_a_result_has_no_vote() {
        assert_eq!(choose(&[exact("e2e4", -200, 3), None, None], true), 0);
        assert_eq!(choose(&[None, exact("e2e4", -200, 3)], true), 1);
        assert_eq!(choose(&[None, exact("e2e4", -200, 3)], false), 0);
    }

    #[test]
    fn the_shortest_mate_is_played_whoever_finds_it() {
        let ballots = [
            exact("e2e4", 900, 20),
            exact("d2d4", mate_in(9), 12),
            exact("c2c4", mate_in(5), 8),
            exact("e2e4", 900, 20),
            exact("g1f3", TABLEBASE_WIN - 3, 20),
        ];
        for is_held in [true, false] {
            assert_eq!(choose(&ballots, is_held), 2);
            assert_eq!(choose(&ballots[..2], is_held), 1);
            let longer = [ballots[2], ballots[1]];
            assert_eq!(choose(&longer, is_held), 0, "the main thread's own is shorter");
        }
        let bound = bounded("a2a3", mate_in(3), 8, Bound::Lower);
        assert_eq!(choose(&[ballots[2], bound], true), 1, "or even shorter");
        let no_proof = bounded("a2a3", mate_in(3), 8, Bound::Upper);
        assert_eq!(choose(&[ballots[2], no_proof], true), 0);
        assert_eq!(choose(&[ballots[0], no_proof], false), 0);
    }

    #[test]
    fn a_proven_loss_is_avoided_and_delayed_if_all_moves_lose() {
        let lost = exact("e2e4", mated_in(8), 20);
        let other = exact("d2d4", -700, 5);
        assert_eq!(choose(&[lost, other, lost], true), 1);
        assert_eq!(choose(&[other, lost, lost], true), 0);
        let later = exact("c2c4", mated_in(12), 7);
        assert_eq!(choose(&[lost, later, lost], true), 1);
        // At best a loss is no proof: the true score may be anything above.
        let at_least = bounded("c2c4", mated_in(12), 7, Bound::Lower);
        assert_eq!(choose(&[lost, at_least], true), 1);
    }

    #[test]
    fn without_a_vote_the_main_thread_is_only_overruled_by_a_win() {
        assert_eq!(choose(&[exact("e2e4", 30, 9), exact("d2d4", 500, 12)], false), 0);
        assert_eq!(choose(&[exact("e2e4", mated_in(6), 9), exact("d2d4", 500, 12)], false), 0);
        assert_eq!(choose(&[exact("e2e4", 30, 9), exact("d2d4", mate_in(7), 9)], false), 1);
    }

    #[test]
    fn the_vote_is_held_only_where_it_makes_sense() {
        let (limits, settings) = (Limits::default(), Settings::default());
        assert!(is_held(&limits, &settings, 20));
        assert!(!is_held(&limits, &settings, 1));
        let nodes = Limits { nodes: Some(1000), infinite: true, ..limits.clone() };
        assert!(is_held(&nodes, &settings, 2));
        for limits in [
            Limits { depth: Some(9), ..limits.clone() },
            Limits { mate: Some(3), nodes: Some(1000), ..limits.clone() },
        ] {
            assert!(!is_held(&limits, &settings, 20), "{limits:?}");
        }
        let weakening = Some(Weakening { elo: 1500, random: 0 });
        for settings in [Settings { multi_pv: 2, ..settings }, Settings { weakening, ..settings }] {
            assert!(!is_held(&limits, &settings, 20), "{settings:?}");
        }
    }

    /// The same by the rules one after another, in plain loops.
    fn slowly(ballots: &[Option<Ballot>]) -> usize {
        let mut cast = Vec::new();
        for (n, ballot) in ballots.iter().enumerate() {
            if let Some(ballot) = ballot {
                cast.push((n, *ballot));
            }
        }
        if cast.is_empty() {
            return 0;
        }
        let highest = |of: &[(usize, Ballot)]| {
            let mut first = of[0];
            for &(n, ballot) in of {
                if ballot.score > first.1.score {
                    first = (n, ballot);
                }
            }
            first.0
        };
        let wins: Vec<_> = cast.iter().copied().filter(|(_, b)| b.score >= WIN_BOUND).collect();
        if !wins.is_empty() {
            return highest(&wins);
        }
        let open: Vec<_> = cast.iter().copied().filter(|(_, b)| b.score > -WIN_BOUND).collect();
        if open.is_empty() {
            return highest(&cast);
        }
        let mut lowest = Value::MAX;
        for (_, ballot) in &open {
            lowest = lowest.min(ballot.score);
        }
        let mut best = (i32::MIN, i32::MIN, 0);
        for &(n, ballot) in &open {
            let mut votes = 0;
            for (_, other) in &open {
                if other.m == ballot.m {
                    votes += other.depth * (other.score - lowest + BASE);
                }
            }
            let weight = ballot.depth * (ballot.score - lowest + BASE);
            if votes > best.0 || (votes == best.0 && weight > best.1) {
                best = (votes, weight, n);
            }
        }
        best.2
    }

    #[test]
    fn the_vote_agrees_with_its_rules_in_plain_loops() {
        let mut rng = Rng::from_seed(1);
        let moves = ["e2e4", "d2d4", "c2c4"];
        let mut chosen = [0; 6];
        for _ in 0..20_000 {
            let threads = 1 + rng.below(6);
            let decided = rng.below(4) == 0;
            let ballots: Vec<Option<Ballot>> = (0..threads)
                .map(|_| {
                    let score = match rng.below(8) {
                        0 if decided => mate_in(1 + rng.below(6)),
                        1..6 if decided => mated_in(2 + rng.below(6)),
                        _ => rng.below(60) as Value - 30,
                    };
                    let ballot = exact(moves[rng.below(3)], score, 8 + rng.below(4) as i32);
                    ballot.filter(|_| rng.below(10) > 0)
                })
                .collect();
            let n = choose(&ballots, true);
            assert_eq!(n, slowly(&ballots), "{ballots:?}");
            chosen[n] += 1;
        }
        assert!(chosen.iter().all(|&times| times > 100), "{chosen:?}");
    }
}
