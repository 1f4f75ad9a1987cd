//! The transformer against a reference implementation in f64, its gradients against finite differences,
//! and a model written by the first version.

mod twin;

use chess::pgn::GameResult;
use chess::rng::Rng;
use chess::{Board, Position, Square};
use serde_json::Value;
use simd::{InstructionSet, Kernels};
use tabiya_pra::encode::Context;
use tabiya_pra::player::Player;
use tabiya_pra::{
    Batch, CONFIG, Config, LossWeights, MODEL, Precision, Transformer, Weights, encode,
};
use twin::Twin;

/// Each option alone, all, and none.
fn configs() -> Vec<Config> {
    let reference = Config::reference(1, 24);
    vec![
        reference,
        Config { promotions: true, ..reference },
        Config { state_input: true, ..reference },
        Config { flipped: true, ..reference },
        Config { self_in_masks: true, ..reference },
        Config { light_value: true, ..reference },
        Config { legal_mask: true, ..reference },
        Config { promotions: true, legal_mask: true, ..reference },
        Config { history: true, ..reference },
        Config { ratings: true, ..reference },
        Config { history: true, ratings: true, flipped: true, ..reference },
        Config::reference(2, 24),
        Config::new(2, 36),
    ]
}

/// Random weights, none of which is 0.
fn weights(config: &Config) -> Weights {
    let mut weights = Weights::random(config, 5).unwrap();
    let mut rng = Rng::new(6, 0);
    let layout = weights.layout().clone();
    for tensor in layout.tensors() {
        // A saturated tanh has almost no gradient.
        let size = if tensor.name.starts_with("value_head") { 0.01 } else { 0.4 };
        for value in &mut weights.values_mut()[tensor.range.clone()] {
            *value = 0.5 * *value + size * (rng.next_f32() - 0.5);
        }
    }
    weights
}

/// Positions of both sides, with promotions, castling, en passant, known and unknown results, with and without
/// history and ratings.
fn batch(config: &Config) -> Batch {
    let positions = [
        ("r3k2r/1P4pp/8/2pP4/8/8/5n2/R3K2R w KQkq c6 0 1", "b7a8n", GameResult::WhiteWins),
        ("r3k2r/8/8/8/3pP3/8/2p5/1N2K2R b Kkq e3 0 1", "c2b1q", GameResult::BlackWins),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", GameResult::Unknown),
    ];
    // Any boards.
    let earlier: Vec<Board> = positions
        .iter()
        .flat_map(|(fen, ..)| {
            let mut board = *fen.parse::<Position>().unwrap().board();
            board.remove(Square::E1);
            [board, Board::INITIAL, Board::EMPTY]
        })
        .collect();
    let contexts = [
        Context { earlier: &earlier, ratings: [Some(1530), Some(2100)] },
        Context { earlier: &earlier[2..5], ratings: [None, Some(3000)] },
        Context::default(),
    ];
    let mut batch = Batch::default();
    for ((fen, uci, result), context) in positions.into_iter().zip(contexts) {
        let position: Position = fen.parse().unwrap();
        let turn = position.turn();
        let target = encode::move_index(config, turn, position.parse_uci(uci).unwrap());
        let legal = encode::legal_moves(config, &position).map(|(_, index)| index);
        let outcome = encode::outcome(config, turn, None, result);
        batch.push(encode::tokens_in(config, &position, &context), legal, target, outcome);
    }
    batch
}

#[test]
fn outputs_and_losses_agree_with_the_reference_implementation() {
    for config in configs() {
        let (weights, batch) = (weights(&config), batch(&config));
        let twin = Twin::new(&weights);
        let mut model = Transformer::new(&config, 2);
        let predictions = model.predict(&weights, &batch.tokens);
        assert_eq!(predictions.len(), batch.len());
        for (tokens, prediction) in batch.tokens.iter().zip(&predictions) {
            let output = twin.forward(tokens);
            for (ours, exact) in prediction.logits.iter().zip(&output.logits) {
                assert!((f64::from(*ours) - exact).abs() < 2e-5, "{config:?}: {ours} {exact}");
            }
            let exact = match output.value[..] {
                [win, _, loss] => win - loss,
                _ => output.value[0],
            };
            assert!((f64::from(prediction.value()) - exact).abs() < 1e-5, "{config:?}");
        }
        let loss_weights = LossWeights { policy: 0.7, value: 0.4 };
        let (ours, exact) =
            (model.losses(&weights, &batch).total(loss_weights), twin.loss(&batch, loss_weights));
        assert!((ours - exact).abs() < 1e-5 * exact, "{config:?}: {ours} {exact}");
    }
}

#[test]
fn gradients_of_every_tensor_agree_with_finite_differences() {
    let loss = LossWeights { policy: 1.0, value: 0.5 };
    for config in configs() {
        let (weights, batch) = (weights(&config), batch(&config));
        let mut twin = Twin::new(&weights);
        let mut gradient = vec![0.0; weights.values().len()];
        let of = (batch.len() as u64, batch.valued());
        let losses =
            Transformer::new(&config, 2).gradient(&weights, &batch, of, loss, &mut gradient);
        let exact = twin.loss(&batch, loss);
        assert!((losses.total(loss) - exact).abs() < 1e-5 * exact);
        let mut rng = Rng::new(9, 0);
        for tensor in weights.layout().tensors() {
            let own = &gradient[tensor.range.clone()];
            let size = own.iter().map(|g| f64::from(g.abs())).fold(0.0, f64::max);
            assert!(size > 0.0, "{config:?}: no gradient at all for {}", tensor.name);
            // The largest element, and a random one.
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
                    "{config:?}: element {n} of {}: {} {slope}",
                    tensor.name,
                    gradient[place]
                );
            }
        }
    }
}

#[test]
fn accumulated_gradients_add_up_and_threads_change_only_the_rounding() {
    let config = Config::new(2, 24);
    let (weights, batch) = (weights(&config), batch(&config));
    let of = (batch.len() as u64, batch.valued());
    let gradient = |threads: usize, parts: &[Batch]| {
        let mut gradient = vec![0.0; weights.values().len()];
        let mut model = Transformer::new(&config, threads);
        for part in parts {
            model.gradient(&weights, part, of, LossWeights::default(), &mut gradient);
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
fn gradients_in_bf16_are_close_to_those_in_f32() {
    if let Err(error) = Precision::Bf16.check() {
        println!("skipped: {error}");
        return;
    }
    for config in [Config::new(2, 36), Config::reference(2, 24)] {
        let (weights, batch) = (weights(&config), batch(&config));
        let of = (batch.len() as u64, batch.valued());
        let gradient = |precision: Precision, threads: usize| {
            let mut gradient = vec![0.0; weights.values().len()];
            let mut model = Transformer::new(&config, threads);
            model.set_precision(precision).unwrap();
            let loss = LossWeights::default();
            let losses = model.gradient(&weights, &batch, of, loss, &mut gradient);
            (gradient, losses.total(loss))
        };
        let (exact, exact_loss) = gradient(Precision::F32, 2);
        let (found, loss) = gradient(Precision::Bf16, 2);
        assert_eq!(found, gradient(Precision::Bf16, 2).0);
        assert!((loss - exact_loss).abs() < 0.01 * exact_loss, "{loss} {exact_loss}");
        for tensor in weights.layout().tensors() {
            let [exact, found] = [&exact, &found].map(|all| &all[tensor.range.clone()]);
            let norm = |values: &mut dyn Iterator<Item = f32>| -> f32 {
                values.map(|x| x * x).sum::<f32>().sqrt()
            };
            let size = norm(&mut exact.iter().copied());
            let error = norm(&mut exact.iter().zip(found).map(|(a, b)| a - b));
            assert!(error < 0.15 * size, "{config:?}: {}: {error} {size}", tensor.name);
        }
    }
}

#[test]
fn sequence_parallelism_gives_the_same_output_on_any_number_of_threads() {
    for config in [Config::new(2, 24), Config::reference(1, 96)] {
        let (weights, batch) = (weights(&config), batch(&config));
        let batched = Transformer::new(&config, 1).predict(&weights, &batch.tokens);
        for threads in [1, 2, 3, 4] {
            let mut model = Transformer::new(&config, threads);
            for (tokens, expected) in batch.tokens.iter().zip(&batched) {
                let [alone] = &model.predict(&weights, &[*tokens])[..] else { panic!() };
                for (a, b) in alone.logits.iter().zip(&expected.logits) {
                    assert!((a - b).abs() < 1e-5, "{threads}: {a} {b}");
                }
                assert!((alone.value() - expected.value()).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn attention_weights_sum_to_one_and_are_zero_where_masked() {
    let config = Config::reference(2, 24);
    let tokens = encode::tokens(&config, &Position::INITIAL);
    let attention = Transformer::new(&config, 1).attention_weights(&weights(&config), &tokens);
    assert_eq!(attention.len(), 2 * 12 * 64 * 64);
    let masks = tabiya_pra::masks::piece_masks(&config);
    for (n, row) in attention.chunks(64).enumerate() {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        let (head, from) = (n / 64 % 12, n % 64);
        if let Some(mask) = masks.get(head) {
            for (to, &weight) in row.iter().enumerate() {
                let is_visible = mask[from].has(Square::from_index_wrapping(to));
                assert_eq!(weight > 0.0, is_visible);
            }
        }
    }
}

#[test]
fn one_model_runs_different_weights_in_turn() {
    let config = Config::new(2, 24);
    let (mut weights, batch) = (weights(&config), batch(&config));
    let mut model = Transformer::new(&config, 1);
    // Each of them is cached in another form.
    for name in [
        "embedding.piece_embed.weight",
        "blocks.1.attn.free_attn_logits",
        "blocks.0.mlp.c_fc.weight",
    ] {
        let tensor = weights.layout().tensors().iter().find(|tensor| tensor.name == name);
        let range = tensor.unwrap().range.clone();
        let before = model.predict(&weights, &batch.tokens);
        let old = weights.clone();
        weights.values_mut()[range].iter_mut().for_each(|value| *value *= 1.5);
        let after = model.predict(&weights, &batch.tokens);
        assert!(after == Transformer::new(&config, 1).predict(&weights, &batch.tokens), "{name}");
        assert!(before != after, "{name}");
        assert!(before == model.predict(&old, &batch.tokens), "{name}");
    }
}

/// `predictions.jsonl` is the output of `tabiya pra predict --json` of that version on a CPU with
/// AVX-512; other vector widths round differently.
#[test]
fn a_model_of_the_first_version_loads_and_predicts_the_same_bits() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/old-model");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let weights = Weights::load(&folder).unwrap();
    let [light_value, history, ratings, attackers] = [false; 4];
    let config = Config { light_value, history, ratings, attackers, ..Config::new(1, 12) };
    assert_eq!(*weights.config(), config);
    let saved = tempfile::tempdir().unwrap();
    weights.save(saved.path(), true).unwrap();
    for name in [CONFIG, MODEL] {
        assert!(std::fs::read(saved.path().join(name)).unwrap() == read(name), "{name}");
    }
    let mut player = Player::new(weights, 1);
    let expected = String::from_utf8(read("predictions.jsonl")).unwrap();
    for line in expected.lines() {
        let expected: Value = serde_json::from_str(line).unwrap();
        let position: Position = expected["fen"].as_str().unwrap().parse().unwrap();
        let found = player.predict(&position).to_json(6);
        if Kernels::current().instruction_set() >= InstructionSet::Avx512 {
            assert_eq!(found.to_string(), line);
            continue;
        }
        for (found, expected) in
            found["moves"].as_array().unwrap().iter().zip(expected["moves"].as_array().unwrap())
        {
            let probability = |m: &Value| m["probability"].as_f64().unwrap();
            assert!(
                (probability(found) - probability(expected)).abs() < 1e-5,
                "{found} {expected}"
            );
        }
        let score = |prediction: &Value| prediction["value"]["expected"].as_f64().unwrap();
        assert!((score(&found) - score(&expected)).abs() < 1e-5, "{found} {expected}");
    }
}
