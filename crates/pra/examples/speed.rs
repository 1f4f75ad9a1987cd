//! How fast the engine is: positions a second and CPU second.
use chess::Position;
use pra::*;
use std::time::Instant;
fn main() {
    let args: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let (depth, d, threads, own) = (args[0], args[1], args[2], args[3]);
    let config = if own == 1 { Config::new(depth, d) } else { Config::reference(depth, d) };
    let weights = Weights::random(&config, 1).unwrap();
    let mut engine = Engine::new(&config, threads);
    let position = Position::INITIAL;
    let mut batch = Batch::default();
    for _ in 0..64 {
        batch.push(
            config.tokens(&position),
            config.legal_moves(&position).map(|m| m.1),
            12 * 64 + 28,
            [1.0, 0.0, 0.0],
        );
    }
    let mut gradient = vec![0.0; weights.values().len()];
    let cpu = || {
        let text = std::fs::read_to_string("/proc/self/stat").unwrap();
        let f: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
        (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
    };
    for _ in 0..2 {
        let (t, c) = (Instant::now(), cpu());
        let mut n = 0;
        while cpu() - c < 3.0 {
            engine.gradient(&weights, &batch, (64, 64), LossWeights::default(), &mut gradient);
            n += 64;
        }
        let (wall, used) = (t.elapsed().as_secs_f64(), cpu() - c);
        let gf = 3.0 * config.forward_flops() as f64 * n as f64 / used / 1e9;
        println!(
            "train {:.0}/s wall, {:.0} per CPU s, {gf:.0} GFLOP/s per core",
            n as f64 / wall,
            n as f64 / used
        );
        if std::env::var("TRAIN").is_ok() {
            continue;
        }
        for count in [1, 64, 256] {
            let tokens = vec![batch.tokens[0]; count];
            let (t, c) = (Instant::now(), cpu());
            let mut n = 0;
            while cpu() - c < 1.5 {
                engine.predict(&weights, &tokens);
                n += count;
            }
            let (wall, used) = (t.elapsed().as_secs_f64(), cpu() - c);
            println!(
                "infer {count}: {:.0}/s wall, {:.0} per CPU s, {:.0} GFLOP/s",
                n as f64 / wall,
                n as f64 / used,
                config.forward_flops() as f64 * n as f64 / used / 1e9
            );
        }
    }
}
