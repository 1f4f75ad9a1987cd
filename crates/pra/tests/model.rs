//! The CPU engine against a slow twin of it, and its gradients against differences.

mod twin;

use chess::Position;
use chess::pgn::GameResult;
use chess::rng::Rng;
use pra::{Batch, Config, Engine, LossWeights, Weights};
use twin::Twin;

/// Every option on its own, all, and none.
fn configs() -> Vec<Config> {
    let reference = Config::reference(1, 24);
    vec![
        reference,
        Config { promotions: true, ..reference },
        Config { state_input: true, ..reference },
        Config { turned: true, ..reference },
        Config { self_in_masks: true, ..reference },
        Config { light_value: true, ..reference },
        Config { legal_mask: true, ..reference },
        Config { promotions: true, legal_mask: true, ..reference },
        Config::reference(2, 24),
        Config::new(2, 36),
    ]
}

/// Weights none of which is 0.
fn weights(config: &Config) -> Weights {
    let mut weights = Weights::random(config, 5).unwrap();
    let mut rng = Rng::new(6, 0);
    let layout = weights.layout().clone();
    for tensor in layout.tensors() {
        // A value of almost 1 has no gradient to speak of.
        let size = if tensor.name.starts_with("value_head") { 0.01 } else { 0.4 };
        for value in &mut weights.values_mut()[tensor.range.clone()] {
            *value = 0.5 * *value + size * (rng.next_f32() - 0.5);
        }
    }
    weights
}

/// Positions of both players, with promotions, castling, en passant, known and unknown outcomes.
fn batch(config: &Config) -> Batch {
    let positions = [
        ("r3k2r/1P4pp/8/2pP4/8/8/5n2/R3K2R w KQkq c6 0 1", "b7a8n", GameResult::WhiteWins),
        ("r3k2r/8/8/8/3pP3/8/2p5/1N2K2R b Kkq e3 0 1", "c2b1q", GameResult::BlackWins),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", GameResult::Unknown),
    ];
    let mut batch = Batch::default();
    for (fen, uci, result) in positions {
        let position: Position = fen.parse().unwrap();
        let turn = position.turn();
        let target = config.move_index(turn, position.parse_uci(uci).unwrap());
        let legal = config.legal_moves(&position).map(|(_, index)| index);
        batch.push(config.tokens(&position), legal, target, config.outcome(turn, None, result));
    }
    batch
}

#[test]
fn the_engine_says_what_its_twin_says() {
    for config in configs() {
        let (weights, batch) = (weights(&config), batch(&config));
        let twin = Twin::new(&weights);
        let mut engine = Engine::new(&config, 2);
        let predictions = engine.predict(&weights, &batch.tokens);
        assert_eq!(predictions.len(), batch.len());
        for (tokens, prediction) in batch.tokens.iter().zip(&predictions) {
            let answer = twin.answer(tokens);
            for (ours, exact) in prediction.logits.iter().zip(&answer.logits) {
                assert!((f64::from(*ours) - exact).abs() < 2e-5, "{config:?}: {ours} {exact}");
            }
            let exact = match answer.value[..] {
                [win, _, loss] => win - loss,
                _ => answer.value[0],
            };
            assert!((f64::from(prediction.value()) - exact).abs() < 1e-5, "{config:?}");
        }
        let weights_of_loss = LossWeights { policy: 0.7, value: 0.4 };
        let (ours, exact) = (
            engine.losses(&weights, &batch).total(weights_of_loss),
            twin.loss(&batch, weights_of_loss),
        );
        assert!((ours - exact).abs() < 1e-5 * exact, "{config:?}: {ours} {exact}");
    }
}

#[test]
fn gradients_of_every_tensor_are_those_of_differences() {
    let loss = LossWeights { policy: 1.0, value: 0.5 };
    for config in configs() {
        let (weights, batch) = (weights(&config), batch(&config));
        let mut twin = Twin::new(&weights);
        let mut gradient = vec![0.0; weights.values().len()];
        let of = (batch.len() as u64, batch.valued());
        let losses = Engine::new(&config, 2).gradient(&weights, &batch, of, loss, &mut gradient);
        let exact = twin.loss(&batch, loss);
        assert!((losses.total(loss) - exact).abs() < 1e-5 * exact);
        let mut rng = Rng::new(9, 0);
        for tensor in weights.layout().tensors() {
            let own = &gradient[tensor.range.clone()];
            let size = own.iter().map(|g| f64::from(g.abs())).fold(0.0, f64::max);
            assert!(size > 0.0, "{config:?}: no gradient at all for {}", tensor.name);
            // The largest, and another.
            let largest = own.iter().position(|g| f64::from(g.abs()) == size).unwrap();
            for n in [largest, rng.below(own.len())] {
                let place = tensor.range.start + n;
                let before = twin.values_mut()[place];
                let mut at = |x: f64| {
                    twin.values_mut()[place] = x;
                    twin.loss(&batch, loss)
                };
                let slope = (at(before + 1e-5) - at(before - 1e-5)) / 2e-5;
                twin.values_mut()[place] = before;
                let error = (f64::from(gradient[place]) - slope).abs();
                assert!(
                    error < 5e-4 * size + 1e-7,
                    "{config:?}: number {n} of {}: {} {slope}",
                    tensor.name,
                    gradient[place]
                );
            }
        }
    }
}

#[test]
fn parts_of_a_batch_add_up_and_threads_change_only_the_rounding() {
    let config = Config::new(2, 24);
    let (weights, batch) = (weights(&config), batch(&config));
    let of = (batch.len() as u64, batch.valued());
    let gradient = |threads: usize, parts: &[Batch]| {
        let mut gradient = vec![0.0; weights.values().len()];
        let mut engine = Engine::new(&config, threads);
        for part in parts {
            engine.gradient(&weights, part, of, LossWeights::default(), &mut gradient);
        }
        gradient
    };
    let single: Vec<Batch> = (0..batch.len())
        .map(|n| {
            let mut part = Batch::default();
            let legal = batch.legal(n).to_vec();
            part.push(batch.tokens[n], legal, batch.targets[n], batch.outcomes[n]);
            part
        })
        .collect();
    let whole = gradient(1, std::slice::from_ref(&batch));
    assert_eq!(whole, gradient(1, std::slice::from_ref(&batch)));
    assert_eq!(gradient(2, &single), gradient(2, &single));
    for other in [gradient(1, &single), gradient(3, std::slice::from_ref(&batch))] {
        for (a, b) in whole.iter().zip(&other) {
            assert!((a - b).abs() <= 1e-6 + 1e-4 * a.abs(), "{a} {b}");
        }
    }
}

#[test]
fn a_single_position_is_the_same_on_any_number_of_threads() {
    for config in [Config::new(2, 24), Config::reference(1, 96)] {
        let (weights, batch) = (weights(&config), batch(&config));
        let together = Engine::new(&config, 1).predict(&weights, &batch.tokens);
        for threads in [1, 2, 3, 4] {
            let mut engine = Engine::new(&config, threads);
            for (tokens, expected) in batch.tokens.iter().zip(&together) {
                let [alone] = &engine.predict(&weights, &[*tokens])[..] else { panic!() };
                for (a, b) in alone.logits.iter().zip(&expected.logits) {
                    assert!((a - b).abs() < 1e-5, "{threads}: {a} {b}");
                }
                assert!((alone.value() - expected.value()).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn shares_of_attention_add_up_to_one_and_keep_to_the_masks() {
    let config = Config::reference(2, 24);
    let tokens = config.tokens(&Position::INITIAL);
    let shares = Engine::new(&config, 1).attention(&weights(&config), &tokens);
    assert_eq!(shares.len(), 2 * 12 * 64 * 64);
    let masks = pra::masks::piece_masks(&config);
    for (n, row) in shares.chunks(64).enumerate() {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        let (head, from) = (n / 64 % 12, n % 64);
        if let Some(mask) = masks.get(head) {
            for (to, &share) in row.iter().enumerate() {
                let is_seen = mask[from].has(chess::Square::from_index(to));
                assert_eq!(share > 0.0, is_seen);
            }
        }
    }
}
