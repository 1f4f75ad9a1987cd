//! HalfKP files made up for tests, so that nothing has to be downloaded.

/// Random numbers: SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (((self.next() >> 32) * bound as u64) >> 32) as usize
    }
}

/// How large the numbers of a made network are.
#[derive(Clone, Copy)]
pub enum Numbers {
    /// About as large as those of a trained one: what is clipped and what is not varies.
    #[allow(dead_code, reason = "not every test that shares this file makes such a network")]
    Usual,
    /// Any: sums overflow wherever they can.
    #[allow(dead_code, reason = "not every test that shares this file makes such a network")]
    Extreme,
}

pub const DESCRIPTION: &str = "made for a test";

/// A file of random weights.
pub fn file(numbers: Numbers, seed: u64) -> Vec<u8> {
    let mut rng = Rng(seed);
    let (mut narrow, mut wide) = (0, 0);
    let mut wide_number = |rng: &mut Rng| {
        wide = rng.next();
        match numbers {
            Numbers::Usual => (wide % 4096) as i32 - 2048,
            // A bias that no sum comes up to hides the sum: not all of them.
            Numbers::Extreme if wide.is_multiple_of(4) => i32::MIN + ((wide >> 32) as i32 & 0xffff),
            Numbers::Extreme => (wide % 65536) as i32 - 32768,
        }
    };
    let mut narrow_number = |rng: &mut Rng| {
        narrow = rng.next();
        match numbers {
            Numbers::Usual => (narrow % 61) as i16 - 30,
            Numbers::Extreme => narrow as i16,
        }
    };
    let mut file = Vec::with_capacity(21_022_520 + DESCRIPTION.len());
    let put = |file: &mut Vec<u8>, number: u32| file.extend(number.to_le_bytes());
    put(&mut file, 0x7AF3_2F16);
    put(&mut file, 0x3E5A_A6EE);
    put(&mut file, DESCRIPTION.len() as u32);
    file.extend(DESCRIPTION.as_bytes());
    put(&mut file, 0x5D69_D7B8);
    for _ in 0..256 * (1 + 41024) {
        file.extend(narrow_number(&mut rng).to_le_bytes());
    }
    put(&mut file, 0x6333_7156);
    for (inputs, outputs) in [(512, 32), (32, 32), (32, 1)] {
        for _ in 0..outputs {
            put(&mut file, wide_number(&mut rng) as u32);
        }
        file.extend((0..inputs * outputs).map(|_| narrow_number(&mut rng) as u8));
    }
    file
}
