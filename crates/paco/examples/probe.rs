use paco::*;
use std::time::Instant;
fn main() {
    for fen in [
        "k7/2I2L2/l2rS1K1/w1T1L1o1/2sQ4/4S1j1/1sLi4/8 b 49 - - -",
        "k6L/2I2L2/l2rS1K1/2T3o1/1w6/2l1SNj1/ssL5/8 b 41 - - -",
        "k7/2I2L2/l2rS3/w1T3oK/2sQL3/4S1j1/1s1i4/6L1 b 53 - - -",
        "7s/4k3/b1N5/1tsj2j1/1W2Lo1a/3J1d2/W2l1K2/4l3 w 46 - - -",
        "k5d1/8/2w2T1L/1djD4/1lQ2K1j/1d3e2/2L2Ir1/3S4 w 4 - - -",
    ] {
        let p: Position = fen.parse().unwrap();
        let t = Instant::now();
        let a = p.sako(100_000_000);
        let e = t.elapsed();
        let t = Instant::now();
        let b = p.sako_against(100_000_000);
        println!("{a:?} {e:?} against {b:?} {:?}", t.elapsed());
    }
    let mut rng = Rng::new(1);
    let mut positions = vec![];
    while positions.len() < 100_000 {
        let mut game = Game::default();
        random_playout(&mut game, &mut rng, 10000, |g| {
            if g.position().required() == Required::Lift
                && g.outcome().is_none()
                && positions.len() < 100_000
            {
                positions.push(*g.position())
            }
        });
    }
    let mut times: Vec<(u128, usize, Answer)> = positions
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let t = Instant::now();
            let a = p.sako(1_000_000);
            (t.elapsed().as_nanos(), i, a)
        })
        .collect();
    times.sort_by_key(|t| t.0);
    let n = times.len();
    println!(
        "n {n} median {} p90 {} p99 {} p99.9 {} p99.99 {} max {} unknown {} yes {}",
        times[n / 2].0,
        times[n * 9 / 10].0,
        times[n * 99 / 100].0,
        times[n * 999 / 1000].0,
        times[n * 9999 / 10000].0,
        times[n - 1].0,
        times.iter().filter(|t| t.2 == Answer::Unknown).count(),
        times.iter().filter(|t| t.2 == Answer::Yes).count()
    );
    for t in times.iter().rev().take(15) {
        println!("{} {:?} {}", t.0, t.2, positions[t.1]);
    }
    // playouts
    let mut rng = Rng::new(1);
    let t = Instant::now();
    let mut acts = 0;
    let mut games = 0;
    let mut game = Game::default();
    for _ in 0..20000 {
        game.restart(Position::default());
        acts += random_playout(&mut game, &mut rng, 10000, |_| {});
        games += 1;
    }
    let e = t.elapsed().as_secs_f64();
    println!(
        "playouts {} games/s {} actions/s, {} acts/game",
        games as f64 / e,
        acts as f64 / e,
        acts / games
    );
    let t = Instant::now();
    let mut s = 0;
    for _ in 0..20 {
        for p in &positions {
            s += p.legal().len();
        }
    }
    println!("legal(lift) {} ns ({s})", t.elapsed().as_nanos() as f64 / 20. / n as f64);
    let mut out = vec![0u32; 38 * 1000];
    let t = Instant::now();
    for _ in 0..200 {
        for p in &positions[..1000] {
            p.write_indices(Options::USE_PERSPECTIVE, &mut out[..38]).unwrap();
            std::hint::black_box(&out);
        }
    }
    println!("index {} ns", t.elapsed().as_nanos() as f64 / 200. / 1000.);
    let t = Instant::now();
    for _ in 0..200 {
        write_indices_batch(&positions[..1000], Options::USE_PERSPECTIVE, &mut out).unwrap();
        std::hint::black_box(&out);
    }
    println!("index batch {} ns", t.elapsed().as_nanos() as f64 / 200. / 1000.);
    let mut ten = vec![0f32; 1920];
    let t = Instant::now();
    for _ in 0..200 {
        for p in &positions[..1000] {
            p.write_tensor(Options::USE_PERSPECTIVE, &mut ten).unwrap();
            std::hint::black_box(&ten);
        }
    }
    println!("tensor {} ns", t.elapsed().as_nanos() as f64 / 200. / 1000.);
    let t = Instant::now();
    let l = perft(&Position::default(), 11);
    println!("perft {l} {} M/s", l as f64 / t.elapsed().as_secs_f64() / 1e6);
    let t = Instant::now();
    let l = perft_played(&Position::default(), 10);
    println!("perft played {l} {} M/s", l as f64 / t.elapsed().as_secs_f64() / 1e6);
    println!("size {}", std::mem::size_of::<Position>());
}
