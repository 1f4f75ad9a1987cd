//! Forward and backward pass of 64 positions, up to the gradient of the parameters.

use chess::PackedRow;
use nnue::features::{Features, MAX_ACTIVE};
use nnue::towers::{SLABS, Towers};
use simd::row64::{Row, add_to_rows, clip_rows, dot, matmul_add, transpose};

use super::Options;
use super::examples::target;

/// Positions in a block.
pub(super) const SIZE: usize = 64;

/// The activations of a layer for all positions of a block.
pub(super) type Values = Box<[Row; SIZE]>;

fn values() -> Values {
    Box::new([Row::ZERO; SIZE])
}

/// The outputs of both towers in a slab.
pub(super) struct SlabValues {
    pub mover: Values,
    pub opponent: Values,
}

/// The three layers of the head, transposed for the backward pass.
pub(super) struct Transposed {
    layers: [Values; 3],
}

impl Transposed {
    pub(super) fn new() -> Self {
        Self { layers: [values(), values(), values()] }
    }

    pub(super) fn set(&mut self, towers: &Towers) {
        for (layer, transposed) in towers.head().layers.iter().zip(&mut self.layers) {
            transpose(layer.weights, transposed);
        }
    }
}

/// A block. The rest of an incomplete block has no active features and zero error, so that it adds nothing
/// to any gradient.
pub(super) struct Block {
    active: Vec<([u16; MAX_ACTIVE], usize, usize)>,
    pub slabs: Vec<SlabValues>,
    /// The layer after the towers, the inner layer and the output of the residual block, the last layer.
    pub hidden: Values,
    pub inner: Values,
    pub residual: Values,
    pub last: Values,
    /// The gradients of the loss with respect to these layers, before clipping.
    pub hidden_error: Values,
    pub inner_error: Values,
    pub residual_error: Values,
    pub last_error: Values,
    /// The gradient of the loss with respect to the output.
    pub output_error: [f32; SIZE],
    /// The sum of the losses.
    pub loss: f64,
    count: usize,
}

impl Block {
    pub(super) fn new() -> Self {
        let slab = |_| SlabValues { mover: values(), opponent: values() };
        Self {
            active: vec![([0; MAX_ACTIVE], 0, 0); SIZE],
            slabs: (0..SLABS).map(slab).collect(),
            hidden: values(),
            inner: values(),
            residual: values(),
            last: values(),
            hidden_error: values(),
            inner_error: values(),
            residual_error: values(),
            last_error: values(),
            output_error: [0.0; SIZE],
            loss: 0.0,
            count: 0,
        }
    }

    /// The number of positions.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The active features of a position: of the side to move, and of the opponent.
    #[inline]
    pub(super) fn active(&self, position: usize) -> [&[u16]; 2] {
        let (features, mover, all) = &self.active[position];
        [&features[..*mover], &features[*mover..*all]]
    }

    /// Forward and backward pass; each position has this weight in the loss.
    pub(super) fn forward_backward(
        &mut self,
        rows: &[PackedRow],
        towers: &Towers,
        transposed: &Transposed,
        options: &Options,
        weight: f32,
    ) {
        self.count = rows.len().min(SIZE);
        for (row, (features, mover, all)) in rows.iter().zip(&mut self.active) {
            // The rows were validated when they were read.
            let seen = row.setup().map(|setup| Features::seen_by(&setup.board, setup.turn));
            let [own, other] = seen.as_ref().map_or([&[][..]; 2], |seen| seen.active(features));
            (*mover, *all) = (own.len(), own.len() + other.len());
        }
        self.forward(towers);
        self.errors(rows, towers, options, weight);
        self.backward(transposed);
    }

    fn forward(&mut self, towers: &Towers) {
        let head = towers.head();
        let [first, second, last] = head.layers;
        self.hidden.fill(*head.bias);
        for number in 0..SLABS {
            let slab = towers.slab(number);
            let SlabValues { mover, opponent } = &mut self.slabs[number];
            // The memory of the inner layer is still free: it holds the sums.
            for p in 0..self.count {
                let (features, own, all) = &self.active[p];
                let active = [&features[..*own], &features[*own..*all]];
                slab.towers(active, [&mut mover[p], &mut opponent[p]]);
            }
            add(&mut self.inner[..self.count], &mover[..], &opponent[..]);
            matmul_add(&self.inner[..self.count], slab.next, &mut self.hidden[..]);
        }
        clip_rows(&mut self.hidden[..]);
        self.inner.fill(*first.bias);
        matmul_add(&self.hidden[..], first.weights, &mut self.inner[..]);
        clip_rows(&mut self.inner[..]);
        self.residual.copy_from_slice(&self.hidden[..]);
        add_to_rows(&mut self.residual[..], second.bias);
        matmul_add(&self.inner[..], second.weights, &mut self.residual[..]);
        clip_rows(&mut self.residual[..]);
        self.last.fill(*last.bias);
        matmul_add(&self.residual[..], last.weights, &mut self.last[..]);
        clip_rows(&mut self.last[..]);
    }

    /// The loss and its gradient with respect to the output.
    fn errors(&mut self, rows: &[PackedRow], towers: &Towers, options: &Options, weight: f32) {
        let head = towers.head();
        self.output_error.fill(0.0);
        self.loss = 0.0;
        for (p, row) in rows.iter().take(self.count).enumerate() {
            let output = dot(&self.last[p], head.output) + head.output_bias;
            let difference = output - target(row, options.clip);
            self.loss += huber(difference);
            self.output_error[p] = difference.clamp(-1.0, 1.0) * weight;
        }
        outer_product(&mut self.last_error, &self.output_error, head.output);
        mask(&mut self.last_error, &self.last);
    }

    fn backward(&mut self, Transposed { layers: [first, second, last] }: &Transposed) {
        self.residual_error.fill(Row::ZERO);
        matmul_add(&self.last_error[..], last, &mut self.residual_error[..]);
        mask(&mut self.residual_error, &self.residual);
        self.inner_error.fill(Row::ZERO);
        matmul_add(&self.residual_error[..], second, &mut self.inner_error[..]);
        mask(&mut self.inner_error, &self.inner);
        // The skip connection passes the gradient through.
        self.hidden_error.copy_from_slice(&self.residual_error[..]);
        matmul_add(&self.inner_error[..], first, &mut self.hidden_error[..]);
        mask(&mut self.hidden_error, &self.hidden);
    }
}

simd::vectorize! {
    /// `sums = a + b`.
    pub(super) fn add(sums: &mut [Row], a: &[Row], b: &[Row]; _) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum = *a;
            sum.add(b);
        }
    }

    /// A row for each factor: `rows[p] = factors[p] · row`.
    fn outer_product(rows: &mut [Row; SIZE], factors: &[f32; SIZE], row: &Row; _) {
        for (into, &factor) in rows.iter_mut().zip(factors) {
            for n in 0..64 {
                into.0[n] = factor * row.0[n];
            }
        }
    }

    /// The gradient of a clipped value is 0.
    pub(super) fn mask(errors: &mut [Row; SIZE], values: &[Row; SIZE]; _) {
        for (errors, values) in errors.iter_mut().zip(values) {
            for n in 0..64 {
                let value = values.0[n];
                errors.0[n] = if value > 0.0 && value < 1.0 { errors.0[n] } else { 0.0 };
            }
        }
    }
}

/// The Huber loss of a difference in pawns: quadratic up to 1, linear beyond.
pub(super) fn huber(difference: f32) -> f64 {
    let size = f64::from(difference.abs());
    if size <= 1.0 { 0.5 * size * size } else { size - 0.5 }
}
