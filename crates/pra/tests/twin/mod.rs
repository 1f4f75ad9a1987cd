//! A reference implementation of the model: slow, obvious, in f64, sharing no code with the transformer.

use tabiya_pra::config::{HEADS, PIECE_HEADS};
use tabiya_pra::encode::{PLAIN_MOVES, POLICY, promotion_of};
use tabiya_pra::{Batch, Config, LossWeights, Weights, masks};

type Rows = Vec<Vec<f64>>;

pub struct Twin {
    config: Config,
    weights: Weights,
    values: Vec<f64>,
}

/// The output for a position.
pub struct Output {
    pub logits: Vec<f64>,
    /// Value (reference head), or win, draw and loss probabilities.
    pub value: Vec<f64>,
}

fn rms_norm(row: &[f64]) -> Vec<f64> {
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

    fn linear(&self, name: &str, x: &Rows) -> Rows {
        let matrix = self.tensor(name);
        x.iter().map(|row| matrix.iter().map(|weights| dot(row, weights)).collect()).collect()
    }

    /// The embeddings of history and ratings on a square.
    fn context(&self, tokens: &tabiya_pra::encode::Tokens, square: usize) -> Vec<f64> {
        let mut sum = vec![0.0; self.config.n_embd];
        let mut add = |row: &[f64], weight: f64| {
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x);
        };
        if self.config.history {
            let table = self.tensor("embedding.history_embed.weight");
            for ply in 0..usize::from(tokens.plies) {
                let token = usize::from(tokens.history[ply][square]);
                if token < 13 {
                    add(&table[ply * 13 + token], 1.0);
                }
            }
        }
        if self.config.attackers {
            let table = self.tensor("embedding.attacker_embed.weight");
            for (kind, row) in table.iter().enumerate() {
                add(row, f64::from(tokens.attackers[square] >> kind & 1));
            }
        }
        if self.config.ratings {
            for (name, rating) in ["own", "opponent"].into_iter().zip(tokens.ratings) {
                let table = self.tensor(&format!("embedding.{name}_rating_embed.weight"));
                if rating == 0 {
                    add(&table[0], 1.0);
                    continue;
                }
                let place = (f64::from(rating).clamp(600.0, 2900.0) - 600.0) / 100.0;
                let (row, weight) = (place as usize, place.fract());
                add(&table[1 + row], 1.0 - weight);
                if weight > 0.0 {
                    add(&table[2 + row], weight);
                }
            }
        }
        sum
    }

    pub fn forward(&self, tokens: &tabiya_pra::encode::Tokens) -> Output {
        let [pieces, positions, sides] = ["piece", "position", "side"]
            .map(|name| self.tensor(&format!("embedding.{name}_embed.weight")));
        let side = &sides[usize::from(tokens.side)];
        let mut x: Rows = (0..64)
            .map(|square| {
                let piece = &pieces[usize::from(tokens.squares[square])];
                let more = self.context(tokens, square);
                let sum = |n: usize| piece[n] + positions[square][n] + side[n] + more[n];
                rms_norm(&(0..self.config.n_embd).map(sum).collect::<Vec<_>>())
            })
            .collect();
        for block in 0..self.config.depth {
            let name = |part: &str| format!("blocks.{block}.{part}");
            let attention = self.attention(block, &x.iter().map(|row| rms_norm(row)).collect());
            add(&mut x, &self.linear(&name("attn.c_proj.weight"), &attention));
            let normed: Rows = x.iter().map(|row| rms_norm(row)).collect();
            let mut hidden = self.linear(&name("mlp.c_fc.weight"), &normed);
            hidden.iter_mut().flatten().for_each(|x| *x = x.max(0.0).powi(2));
            add(&mut x, &self.linear(&name("mlp.c_proj.weight"), &hidden));
        }
        let x: Rows = x.iter().map(|row| rms_norm(row)).collect();
        Output { logits: self.policy(&x), value: self.value(&x) }
    }

    fn attention(&self, block: usize, x: &Rows) -> Rows {
        let name = |part: &str| format!("blocks.{block}.attn.{part}");
        let [q, k, v] =
            ["c_q", "c_k", "c_v"].map(|part| self.linear(&name(&format!("{part}.weight")), x));
        let free: Vec<f64> = self.tensor(&name("free_attn_logits")).concat();
        let head_dim = self.config.n_embd / HEADS;
        let mut output = vec![vec![0.0; self.config.n_embd]; 64];
        for head in 0..HEADS {
            let own = head * head_dim..(head + 1) * head_dim;
            for from in 0..64 {
                let query = rms_norm(&q[from][own.clone()]);
                let score = |to: usize| {
                    let dot =
                        dot(&query, &rms_norm(&k[to][own.clone()])) / (head_dim as f64).sqrt();
                    dot + self.bias(&free, head, from, to)
                };
                let weights = softmax(&(0..64).map(score).collect::<Vec<_>>());
                for (to, weight) in weights.iter().enumerate() {
                    for n in own.clone() {
                        output[from][n] += weight * v[to][n];
                    }
                }
            }
        }
        output
    }

    fn bias(&self, free: &[f64], head: usize, from: usize, to: usize) -> f64 {
        if head < PIECE_HEADS {
            let [from, to] = [from, to].map(chess::Square::from_index_wrapping);
            let is_visible = masks::reach(masks::HEAD_PIECES[head], from).has(to)
                || (self.config.self_in_masks && from == to);
            return if is_visible { 0.0 } else { f64::NEG_INFINITY };
        }
        let logit = free[((head - PIECE_HEADS) * 64 + from) * 64 + to];
        (1.0 / (1.0 + (-logit).exp()) + 1e-6).ln()
    }

    fn policy(&self, x: &Rows) -> Vec<f64> {
        let from = self.linear("policy_head.from_proj.weight", x);
        let to = self.linear("policy_head.to_proj.weight", x);
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
            inputs = self.linear("value_head.squares.weight", x).concat();
        }
        let mut hidden = self.linear("value_head.fc1.weight", &vec![inputs]);
        hidden[0].iter_mut().for_each(|x| *x = x.max(0.0).powi(2));
        let outputs = self.linear("value_head.fc2.weight", &hidden).concat();
        if self.config.light_value { softmax(&outputs) } else { vec![outputs[0].tanh()] }
    }

    /// The loss of a batch.
    pub fn loss(&self, batch: &Batch, weights: LossWeights) -> f64 {
        let (mut policy, mut value, mut valued) = (0.0, 0.0, 0);
        for n in 0..batch.len() {
            let output = self.forward(&batch.tokens[n]);
            let indices: Vec<u16> = if self.config.legal_mask {
                batch.legal(n).to_vec()
            } else {
                let plain = 0..PLAIN_MOVES as u16;
                let more = PLAIN_MOVES as u16..POLICY as u16;
                let has_more = self.config.promotions;
                let more = more.filter(|&index| has_more && promotion_of(index).is_some());
                plain.chain(more).collect()
            };
            let logits: Vec<f64> =
                indices.iter().map(|&index| output.logits[usize::from(index)]).collect();
            let place = indices.iter().position(|&index| index == batch.targets[n]).unwrap();
            policy -= softmax(&logits)[place].ln();
            let target = batch.outcomes[n].map(f64::from);
            if target.iter().sum::<f64>() == 0.0 {
                continue;
            }
            valued += 1;
            if self.config.light_value {
                value -= (0..3).map(|k| target[k] * output.value[k].ln()).sum::<f64>();
            } else {
                value += (output.value[0] - (target[0] - target[2])).powi(2);
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
