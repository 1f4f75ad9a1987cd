//! The model once more: slow, obvious, in double precision, and without a line of the engine's.

use pra::config::{HEADS, PIECE_HEADS};
use pra::encode::{PLAIN_MOVES, POLICY, promotion_of};
use pra::{Batch, Config, LossWeights, Weights, masks};

type Rows = Vec<Vec<f64>>;

pub struct Twin {
    config: Config,
    weights: Weights,
    values: Vec<f64>,
}

/// What the twin says of a position.
pub struct Answer {
    pub logits: Vec<f64>,
    /// Value (reference) or win, draw, loss.
    pub value: Vec<f64>,
}

fn norm(row: &[f64]) -> Vec<f64> {
    let mean = row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
    row.iter().map(|x| x / (mean + 1.19e-7).sqrt()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn softmax(numbers: &[f64]) -> Vec<f64> {
    let most = numbers.iter().copied().fold(f64::MIN, f64::max);
    let all: Vec<f64> = numbers.iter().map(|x| (x - most).exp()).collect();
    let sum: f64 = all.iter().sum();
    all.iter().map(|x| x / sum).collect()
}

impl Twin {
    pub fn new(weights: &Weights) -> Self {
        let values = weights.values().iter().map(|&value| f64::from(value)).collect();
        Self { config: *weights.config(), weights: weights.clone(), values }
    }

    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    fn tensor(&self, name: &str) -> Rows {
        let tensor = self.weights.layout().tensors().iter().find(|tensor| tensor.name == name);
        let tensor = tensor.unwrap_or_else(|| panic!("no tensor {name}"));
        let columns = tensor.matrix().1;
        self.values[tensor.range.clone()].chunks(columns).map(<[f64]>::to_vec).collect()
    }

    fn apply(&self, name: &str, x: &Rows) -> Rows {
        let matrix = self.tensor(name);
        x.iter().map(|row| matrix.iter().map(|weights| dot(row, weights)).collect()).collect()
    }

    pub fn answer(&self, tokens: &pra::encode::Tokens) -> Answer {
        let [pieces, places, sides] = ["piece", "position", "side"]
            .map(|name| self.tensor(&format!("embedding.{name}_embed.weight")));
        let side = &sides[usize::from(tokens.side)];
        let mut x: Rows = (0..64)
            .map(|square| {
                let piece = &pieces[usize::from(tokens.squares[square])];
                let sum = |n: usize| piece[n] + places[square][n] + side[n];
                norm(&(0..self.config.n_embd).map(sum).collect::<Vec<_>>())
            })
            .collect();
        for block in 0..self.config.depth {
            let name = |part: &str| format!("blocks.{block}.{part}");
            let seen = self.attention(block, &x.iter().map(|row| norm(row)).collect());
            add(&mut x, &self.apply(&name("attn.c_proj.weight"), &seen));
            let normed: Rows = x.iter().map(|row| norm(row)).collect();
            let mut neurons = self.apply(&name("mlp.c_fc.weight"), &normed);
            neurons.iter_mut().flatten().for_each(|x| *x = x.max(0.0).powi(2));
            add(&mut x, &self.apply(&name("mlp.c_proj.weight"), &neurons));
        }
        let x: Rows = x.iter().map(|row| norm(row)).collect();
        Answer { logits: self.policy(&x), value: self.value(&x) }
    }

    fn attention(&self, block: usize, x: &Rows) -> Rows {
        let name = |part: &str| format!("blocks.{block}.attn.{part}");
        let [q, k, v] =
            ["c_q", "c_k", "c_v"].map(|part| self.apply(&name(&format!("{part}.weight")), x));
        let free: Vec<f64> = self.tensor(&name("free_attn_logits")).concat();
        let size = self.config.n_embd / HEADS;
        let mut seen = vec![vec![0.0; self.config.n_embd]; 64];
        for head in 0..HEADS {
            let own = head * size..(head + 1) * size;
            for from in 0..64 {
                let query = norm(&q[from][own.clone()]);
                let looks = |to: usize| {
                    let score = dot(&query, &norm(&k[to][own.clone()])) / (size as f64).sqrt();
                    score + self.bias(&free, head, from, to)
                };
                let shares = softmax(&(0..64).map(looks).collect::<Vec<_>>());
                for (to, share) in shares.iter().enumerate() {
                    for n in own.clone() {
                        seen[from][n] += share * v[to][n];
                    }
                }
            }
        }
        seen
    }

    fn bias(&self, free: &[f64], head: usize, from: usize, to: usize) -> f64 {
        if head < PIECE_HEADS {
            let [from, to] = [from, to].map(chess::Square::from_index);
            let is_seen = masks::reach(masks::HEAD_PIECES[head], from).has(to)
                || (self.config.self_in_masks && from == to);
            return if is_seen { 0.0 } else { f64::NEG_INFINITY };
        }
        let logit = free[((head - PIECE_HEADS) * 64 + from) * 64 + to];
        (1.0 / (1.0 + (-logit).exp()) + 1e-6).ln()
    }

    fn policy(&self, x: &Rows) -> Vec<f64> {
        let from = self.apply("policy_head.from_proj.weight", x);
        let to = self.apply("policy_head.to_proj.weight", x);
        let scale = (self.config.n_embd as f64).sqrt();
        let plain = |index: usize| dot(&from[index / 64], &to[index % 64]) / scale;
        let mut logits: Vec<f64> = (0..PLAIN_MOVES).map(plain).collect();
        logits.resize(POLICY, 0.0);
        if self.config.promotions {
            let weights = self.tensor("policy_head.promotion.weight");
            for (index, logit) in logits.iter_mut().enumerate() {
                if let Some((from, to, piece)) = promotion_of(index as u16) {
                    *logit = plain(from * 64 + to) + dot(&x[from], &weights[piece]);
                }
            }
        }
        logits
    }

    fn value(&self, x: &Rows) -> Vec<f64> {
        let mut inputs = x.concat();
        if self.config.light_value {
            inputs = self.apply("value_head.squares.weight", x).concat();
        }
        let mut neurons = self.apply("value_head.fc1.weight", &vec![inputs]);
        neurons[0].iter_mut().for_each(|x| *x = x.max(0.0).powi(2));
        let outputs = self.apply("value_head.fc2.weight", &neurons).concat();
        if self.config.light_value { softmax(&outputs) } else { vec![outputs[0].tanh()] }
    }

    /// The loss of a batch.
    pub fn loss(&self, batch: &Batch, weights: LossWeights) -> f64 {
        let (mut policy, mut value, mut valued) = (0.0, 0.0, 0);
        for n in 0..batch.len() {
            let answer = self.answer(&batch.tokens[n]);
            let numbers: Vec<u16> = if self.config.legal_mask {
                batch.legal(n).to_vec()
            } else {
                let plain = 0..PLAIN_MOVES as u16;
                let more = PLAIN_MOVES as u16..POLICY as u16;
                let has_more = self.config.promotions;
                let more = more.filter(|&index| has_more && promotion_of(index).is_some());
                plain.chain(more).collect()
            };
            let logits: Vec<f64> =
                numbers.iter().map(|&index| answer.logits[usize::from(index)]).collect();
            let place = numbers.iter().position(|&index| index == batch.targets[n]).unwrap();
            policy -= softmax(&logits)[place].ln();
            let target = batch.outcomes[n].map(f64::from);
            if target.iter().sum::<f64>() == 0.0 {
                continue;
            }
            valued += 1;
            if self.config.light_value {
                value -= (0..3).map(|k| target[k] * answer.value[k].ln()).sum::<f64>();
            } else {
                value += (answer.value[0] - (target[0] - target[2])).powi(2);
            }
        }
        f64::from(weights.policy) * policy / batch.len() as f64
            + f64::from(weights.value) * value / f64::from(valued.max(1))
    }
}

fn add(x: &mut Rows, more: &Rows) {
    for (x, more) in x.iter_mut().zip(more) {
        x.iter_mut().zip(more).for_each(|(x, more)| *x += more);
    }
}
