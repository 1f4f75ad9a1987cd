//! Random HalfKP files for tests.

use chess::rng::Rng;

/// The magnitude of random parameters.
#[derive(Clone, Copy)]
pub enum Magnitude {
    /// About that of a trained network: some activations are clipped, some are not.
    Trained,
    /// Any: sums overflow wherever they can.
    #[allow(dead_code, reason = "not every test that shares this file uses it")]
    Extreme,
}

pub const DESCRIPTION: &str = "random, for tests";

/// A file with random parameters.
pub fn file(magnitude: Magnitude, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed, 0);
    let bias = |rng: &mut Rng| {
        let bits = rng.next_u64();
        match magnitude {
            Magnitude::Trained => (bits % 4096) as i32 - 2048,
            // A bias beyond all sums hides them: only some are.
            Magnitude::Extreme if bits.is_multiple_of(4) => {
                i32::MIN + ((bits >> 32) as i32 & 0xffff)
            }
            Magnitude::Extreme => (bits % 65536) as i32 - 32768,
        }
    };
    let weight = |rng: &mut Rng| match magnitude {
        Magnitude::Trained => rng.below(61) as i16 - 30,
        Magnitude::Extreme => rng.next_u64() as i16,
    };
    let mut file = Vec::with_capacity(21_022_520 + DESCRIPTION.len());
    let put = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    put(&mut file, 0x7AF3_2F16);
    put(&mut file, 0x3E5A_A6EE);
    put(&mut file, DESCRIPTION.len() as u32);
    file.extend(DESCRIPTION.as_bytes());
    put(&mut file, 0x5D69_D7B8);
    for _ in 0..256 * (1 + 41024) {
        file.extend(weight(&mut rng).to_le_bytes());
    }
    put(&mut file, 0x6333_7156);
    for (inputs, outputs) in [(512, 32), (32, 32), (32, 1)] {
        for _ in 0..outputs {
            put(&mut file, bias(&mut rng) as u32);
        }
        file.extend((0..inputs * outputs).map(|_| weight(&mut rng) as u8));
    }
    file
}
