//! Packed rows of any bytes: an error, or a row that is packed to the same bytes again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_chess::{PackedRow, Setup};

fuzz_target!(|bytes: [u8; 32]| {
    let row = PackedRow::from_bytes(bytes);
    let _ = (row.setup(), row.score(), row.turn(), row.best_move());
    let Ok(unpacked) = row.unpack() else { return };
    let again = PackedRow::new(&unpacked.position).expect("a clock that had room has room");
    assert_eq!(row.position_only(), again);
    assert_eq!(row.setup(), Ok(Setup::from(unpacked.position)));
    assert_eq!(row.turn(), unpacked.position.turn());
    let again = again.with_score(unpacked.score).with_result(unpacked.result);
    let again = unpacked.best_move.map_or(again, |m| again.with_move(m));
    assert_eq!(again, row);
});
