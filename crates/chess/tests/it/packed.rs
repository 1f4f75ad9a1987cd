//! Packed rows with flipped bits: an error, or a row that packs to the same bytes.

use tabiya_chess::rng::Rng;
use tabiya_chess::{PackedRow, Setup, chess960, random};

#[test]
fn accepted_rows_round_trip_to_the_same_bytes() {
    let mut rng = Rng::from_seed(5);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..300 {
        let start = chess960::start(rng.below(960) as u16).unwrap();
        let plies = rng.below(80);
        let last = random::game(start, &mut rng).take(plies).last();
        let position = last.map_or(start, |(before, m)| before.after(m));
        let original = *PackedRow::new(&position).unwrap().as_bytes();
        for _ in 0..200 {
            let mut bytes = original;
            for _ in 0..1 + rng.below(3) {
                bytes[rng.below(32)] ^= 1 << rng.below(8);
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
