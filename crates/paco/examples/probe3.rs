use paco::*;
fn main() {
    let mut rng = Rng::new(1);
    let mut all = vec![];
    while all.len() < 500 {
        let mut game = Game::default();
        random_playout(&mut game, &mut rng, 10000, |g| {
            if g.outcome().is_none() && g.position().key() % 7 == 0 && all.len() < 500 {
                all.push(*g.position())
            }
        });
    }
    let n = all.len();
    let mut out = vec![0u32; 38 * n];
    let which = std::env::args().nth(1).unwrap();
    let mut ten = vec![0f32; 1920];
    for _ in 0..40000 {
        match which.as_str() {
            "i" => {
                write_indices_batch(&all, Options::USE_PERSPECTIVE, &mut out).unwrap();
                std::hint::black_box(&out);
            }
            "f" => {
                for _ in 0..n {
                    ten.fill(0.0);
                    std::hint::black_box(&mut ten);
                }
            }
            _ => {
                for p in &all {
                    p.write_tensor(Options::USE_PERSPECTIVE, &mut ten).unwrap();
                    std::hint::black_box(&ten);
                }
            }
        }
    }
}
