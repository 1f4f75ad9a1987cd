//! The names of the instruction sets that this CPU supports, for `TABIYA_CPU`.

use tabiya_simd::InstructionSet;

fn main() {
    for set in InstructionSet::ALL.into_iter().filter(|set| set.is_supported()) {
        println!("{set}");
    }
}
