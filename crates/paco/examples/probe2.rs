use paco::*;
use std::time::Instant;
fn best(name: &str, per: usize, mut f: impl FnMut()) {
    let mut b = f64::MAX;
    for _ in 0..6000 {
        let t = Instant::now();
        f();
        b = b.min(t.elapsed().as_nanos() as f64 / per as f64);
    }
    println!("{name}: {b:.1} ns");
}
fn main() {
    let mut x = 1u64;
    best("1000 dependent muls /cycle3", 1000, || {
        for _ in 0..1000 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
    });
    let mut rng = Rng::new(1);
    let mut all = vec![];
    while all.len() < 500 {
        let mut game = Game::default();
        random_playout(&mut game, &mut rng, 10000, |g| {
            if g.outcome().is_none() && rand(g) && all.len() < 500 {
                all.push(*g.position())
            }
        });
    }
    fn rand(g: &Game) -> bool {
        g.position().key() % 7 == 0
    }
    let n = all.len();
    best("legal", n, || {
        let mut s = 0;
        for p in &all {
            s += p.legal().len();
        }
        std::hint::black_box(s);
    });
    let lifts: Vec<_> = all.iter().filter(|p| p.required() == Required::Lift).copied().collect();
    best("legal lift", lifts.len(), || {
        let mut s = 0;
        for p in &lifts {
            s += p.legal().len();
        }
        std::hint::black_box(s);
    });
    let mut out = vec![0u32; 38 * n];
    best("index", n, || {
        for p in &all {
            p.write_indices(Options::USE_PERSPECTIVE, &mut out[..38]).unwrap();
            std::hint::black_box(&out);
        }
    });
    best("index batch", n, || {
        write_indices_batch(&all, Options::USE_PERSPECTIVE, &mut out).unwrap();
        std::hint::black_box(&out);
    });
    for k in [32, 64, 128, 256] {
        best(&format!("index batch of {k}"), k, || {
            write_indices_batch(&all[..k], Options::USE_PERSPECTIVE, &mut out[..38 * k]).unwrap();
            std::hint::black_box(&out);
        });
    }
    for k in [64, 256] {
        best(&format!("index single of {k}"), k, || {
            for p in &all[..k] {
                p.write_indices(Options::USE_PERSPECTIVE, &mut out[..38]).unwrap();
                std::hint::black_box(&out);
            }
        });
    }
    best("index batch 6", n, || {
        let mut o = std::mem::take(&mut out);
        o.resize(41 * n, 0);
        write_indices_batch(&all, Options::from_number(6).unwrap(), &mut o).unwrap();
        std::hint::black_box(&o);
        out = o
    });
    let mut ten = vec![0f32; 1920];
    best("tensor", n, || {
        for p in &all {
            p.write_tensor(Options::USE_PERSPECTIVE, &mut ten).unwrap();
            std::hint::black_box(&ten);
        }
    });
    let mut tb = TensorBatch::new(Options::USE_PERSPECTIVE, 16);
    best("tensor batch", n, || {
        for (i, p) in all.iter().enumerate() {
            tb.write(i % 16, p).unwrap();
            std::hint::black_box(&tb);
        }
    });
    best("fill 1920", 1, || {
        ten.fill(0.0);
        std::hint::black_box(&mut ten);
    });
    best("copy", n, || {
        for p in &all {
            let q = *std::hint::black_box(p);
            std::hint::black_box(&q);
        }
    });
    best("playout", 442 * 3, || {
        let mut game = Game::default();
        for _ in 0..3 {
            game.restart(Position::default());
            random_playout(&mut game, &mut rng, 10000, |_| {});
        }
    });
    best("perft", 99312, || {
        std::hint::black_box(perft(&Position::default(), 7));
    });
}
