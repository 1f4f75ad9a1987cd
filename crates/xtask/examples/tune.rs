//! Fits the weights of the classical evaluation to games with engine evaluations.
//!
//! ```text
//! cargo run --release -p xtask --example tune -- GAMES.pgn.zst [EPOCHS] > weights.rs
//! ```
//!
//! Every position with an evaluation, not in check and not decided, is one example; its target is a mixture of
//! that evaluation as an expected score, and the game result (Texel tuning). The evaluation is linear in its
//! weights given phase and scale, so that gradients are exact; the optimizer is Adam with shuffled mini-batches.
//! The counts come from [`tally`], the engine's own evaluation function.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tabiya_chess::pgn::{
    Annotation, GameResult, Next, PgnError, Replay, Score, Watcher, annotations, read,
};
use tabiya_chess::rng::Rng;
use tabiya_chess::{Color, Move, Position};
use tabiya_data::{Chunk, Input, ReadOptions, read_games};
use tabiya_engine::eval::classic::{FULL_PHASE, FULL_SCALE, Tally, phase, scale, tally};
use tabiya_engine::eval::terms::{COUNT, PIECE_SQUARE, RUNS, TEMPO};
use tabiya_engine::eval::weights::WEIGHTS;

/// Centipawns at an expected score of 10/11.
const SIGMOID_SCALE: f32 = 400.0;
/// The weight of the evaluation in the target; the rest is the game result.
const EVALUATION_SHARE: f32 = 0.75;
const LARGEST_EVALUATION: i32 = 1000;
const BATCH: usize = 16_384;
const RATE: f32 = 1.0;
/// Regularization towards the anchors, for rare terms.
const DECAY: f32 = 2e-7;

struct Example {
    counts: Vec<(u16, i8)>,
    middle: f32,
    target: f32,
    scales: [f32; 2],
}

#[derive(Default)]
struct Counts(BTreeMap<u16, i8>);

impl Tally for Counts {
    fn add(&mut self, color: Color, term: usize, count: i32) {
        let sign = if color == Color::White { count } else { -count };
        *self.0.entry(term as u16).or_default() += sign as i8;
    }
}

fn expected(centipawns: f32) -> f32 {
    1.0 / (1.0 + (-centipawns * std::f32::consts::LN_10 / SIGMOID_SCALE).exp())
}

/// Collects the examples of games.
#[derive(Default)]
struct Collector {
    game: Vec<(Position, i32)>,
    position: Option<Position>,
    result: Option<GameResult>,
    examples: Vec<Example>,
}

impl Watcher for Collector {
    fn begin_moves(&mut self, _: &Position) -> Next {
        self.game.clear();
        self.position = None;
        self.result = None;
        Next::Go
    }

    fn played(&mut self, _: &Position, m: Move, after: &Position) -> Next {
        // Positions after a capture are not quiet: their evaluations include the recapture.
        self.position = (!after.in_check() && !m.is_capture()).then_some(*after);
        Next::Go
    }

    fn comment(&mut self, text: &[u8]) -> Next {
        for annotation in annotations(text) {
            if let (Annotation::Eval(eval), Some(position)) = (annotation, self.position)
                && let Score::Centipawns(score) = eval.score
                && score.abs() <= LARGEST_EVALUATION
                && position.fullmove_number() > 5
            {
                self.game.push((position, score));
            }
        }
        Next::Go
    }

    fn result(&mut self, result: GameResult) {
        self.result = Some(result);
    }

    fn error(&mut self, _: PgnError) {}

    fn end_game(&mut self) {
        let result = match self.result {
            Some(GameResult::WhiteWins) => 1.0,
            Some(GameResult::BlackWins) => 0.0,
            Some(GameResult::Draw) => 0.5,
            _ => return,
        };
        for (position, score) in self.game.drain(..) {
            let mut counts = Counts::default();
            tally(&position, &mut counts);
            let scales = [Color::White, Color::Black]
                .map(|color| scale(&position, color) as f32 / FULL_SCALE as f32);
            self.examples.push(Example {
                counts: counts.0.into_iter().filter(|&(_, count)| count != 0).collect(),
                middle: phase(&position) as f32 / FULL_PHASE as f32,
                target: EVALUATION_SHARE * expected(score as f32)
                    + (1.0 - EVALUATION_SHARE) * result,
                scales,
            });
        }
    }
}

fn load(path: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let work = |chunk: Chunk<'_>| {
        let mut replay = Replay::new(Collector::default());
        if let Chunk::Games(text) = chunk {
            read(text, &mut replay);
        }
        replay.into_watcher().examples
    };
    let input = Input::open(path.as_ref()).expect("the file of games can be opened");
    let merge = |mut part: Vec<Example>, _| {
        examples.append(&mut part);
        ControlFlow::Continue(())
    };
    read_games(input, &ReadOptions::default(), work, merge).expect("the file can be read");
    examples
}

/// The evaluation, and its gradient's two factors.
fn evaluate(example: &Example, weights: &[[f32; 2]]) -> (f32, [f32; 2]) {
    let (mut middle, mut end) = (0.0, 0.0);
    for &(term, count) in &example.counts {
        let weight = weights[term as usize];
        middle += weight[0] * f32::from(count);
        end += weight[1] * f32::from(count);
    }
    let scale = example.scales[usize::from(end <= 0.0)];
    let factors = [example.middle, (1.0 - example.middle) * scale];
    (middle * factors[0] + end * factors[1], factors)
}

fn loss(examples: &[Example], weights: &[[f32; 2]]) -> f64 {
    let sum: f64 = examples
        .iter()
        .map(|e| f64::from(expected(evaluate(e, weights).0) - e.target).powi(2))
        .sum();
    sum / examples.len() as f64
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a file of games with evaluations");
    let epochs: usize = arguments.next().map_or(30, |n| n.parse().expect("a number of epochs"));
    let mut examples = load(&path);
    let held_out = examples.split_off(examples.len() * 19 / 20);
    eprintln!("{} examples, {} held out", examples.len(), held_out.len());
    let mut weights: Vec<[f32; 2]> =
        WEIGHTS.iter().map(|&(middle, end)| [f32::from(middle), f32::from(end)]).collect();
    weights[TEMPO] = [12.0, 6.0];
    eprintln!("before: {:.6}", loss(&held_out, &weights));
    let (mut first, mut second) = (vec![[0f32; 2]; COUNT], vec![[0f32; 2]; COUNT]);
    let mut step = 0i32;
    let mut rng = Rng::from_seed(0);
    let mut order: Vec<u32> = (0..examples.len() as u32).collect();
    for epoch in 0..epochs {
        let anchors = anchors(&weights);
        rng.shuffle(&mut order);
        let rate = RATE * (0.02 + 0.98 * (1.0 - epoch as f32 / epochs as f32).powi(2));
        for batch in order.chunks(BATCH) {
            let mut gradient = vec![[0f32; 2]; COUNT];
            for &n in batch {
                let example = &examples[n as usize];
                let (score, factors) = evaluate(example, &weights);
                let found = expected(score);
                let slope = (found - example.target) * found * (1.0 - found);
                for &(term, count) in &example.counts {
                    let by = slope * f32::from(count);
                    gradient[term as usize][0] += by * factors[0];
                    gradient[term as usize][1] += by * factors[1];
                }
            }
            step += 1;
            let unbias = (1.0 - 0.999f32.powi(step)).sqrt() / (1.0 - 0.9f32.powi(step));
            for term in 0..COUNT {
                for half in 0..2 {
                    // The evaluations are after the move of one player: the tempo cannot be fitted.
                    if term == TEMPO {
                        continue;
                    }
                    // In units in which a pawn is about 1.
                    let g = gradient[term][half] / batch.len() as f32 * 400.0
                        + DECAY * (weights[term][half] - anchors[term][half]);
                    first[term][half] = 0.9 * first[term][half] + 0.1 * g;
                    second[term][half] = 0.999 * second[term][half] + 0.001 * g * g;
                    weights[term][half] -=
                        rate * unbias * first[term][half] / (second[term][half].sqrt() + 1e-6);
                }
            }
        }
        eprintln!("epoch {epoch}: {:.6}", loss(&held_out, &weights));
    }
    print_weights(&weights);
}

/// The anchors: the mean over all squares for piece-square weights, zero for others.
fn anchors(weights: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let mut anchors = vec![[0.0; 2]; COUNT];
    for piece in 0..6 {
        let squares = PIECE_SQUARE + piece * 64..PIECE_SQUARE + (piece + 1) * 64;
        let possible =
            if piece == 0 { squares.start + 8..squares.end - 8 } else { squares.clone() };
        for half in 0..2 {
            let sum: f32 = weights[possible.clone()].iter().map(|weight| weight[half]).sum();
            for anchor in &mut anchors[squares.clone()] {
                anchor[half] = sum / possible.len() as f32;
            }
        }
    }
    anchors
}

fn print_weights(weights: &[[f32; 2]]) {
    println!(
        "//! The weights of the classical evaluation, for the middlegame and the endgame: generated by `xtask/examples/tune.rs`."
    );
    println!("//! Do not edit.");
    println!();
    println!("use super::terms::COUNT;");
    println!();
    println!("/// By term, in the order of [`terms`](super::terms).");
    println!("#[rustfmt::skip]");
    println!("pub const WEIGHTS: [(i16, i16); COUNT] = [");
    let mut rest = weights;
    for &(name, len) in RUNS {
        let (run, after) = rest.split_at(len);
        rest = after;
        println!("    // {name}");
        for line in run.chunks(8) {
            let pairs: Vec<String> = line
                .iter()
                .map(|[middle, end]| format!("({}, {})", middle.round(), end.round()))
                .collect();
            println!("    {},", pairs.join(", "));
        }
    }
    println!("];");
}
