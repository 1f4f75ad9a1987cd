//! Packed rows with any bits changed: an error, or a row that is packed to the same bytes again.

use chess::{PackedRow, Setup, chess960};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        (self.0 >> 33) as usize % n
    }
}

#[test]
fn bytes_that_are_read_are_written_the_same_again() {
    let mut random = Random(5);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..300 {
        let mut position = chess960::start(random.below(960) as u16).unwrap();
        for _ in 0..random.below(80) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.after(moves[random.below(moves.len())]);
        }
        let original = *PackedRow::new(&position).unwrap().as_bytes();
        for _ in 0..200 {
            let mut bytes = original;
            for _ in 0..1 + random.below(3) {
                bytes[random.below(32)] ^= 1 << random.below(8);
            }
            let row = PackedRow::from_bytes(bytes);
            let Ok(unpacked) = row.unpack() else {
                bad += 1;
                continue;
            };
            good += 1;
            let again = PackedRow::new(&unpacked.position).unwrap();
            assert_eq!(row.position_only(), again);
            assert_eq!(row.setup(), Ok(Setup::from(unpacked.position)));
            assert_eq!(row.turn(), unpacked.position.turn());
            let again = again.with_score(unpacked.score).with_result(unpacked.result);
            assert_eq!(unpacked.best_move.map_or(again, |m| again.with_move(m)), row);
        }
    }
    assert!(good > 1_000 && bad > 1_000, "{good} good, {bad} bad");
}
