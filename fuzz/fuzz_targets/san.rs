//! Algebraic notation: any bytes in positions along a random game give a legal move or a reason; every
//! legal move survives being written, short and long.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_chess::{Position, San, chess960};

fuzz_target!(|bytes: &[u8]| {
    let [start, steps, text @ ..] = bytes else { return };
    let number = if *start < 128 { 518 } else { u16::from(*start) * 3 };
    let mut position = chess960::start(number).unwrap_or(Position::INITIAL);
    // The text itself determines the moves made before it is read.
    for n in 0..usize::from(steps % 64) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let choice = n * 31 + text.get(n % text.len().max(1)).map_or(0, |&byte| byte as usize);
        position = position.after(moves[choice % moves.len()]);
    }
    match position.parse_san_bytes(text) {
        Ok(m) => {
            assert!(position.is_legal(m));
            let san = San::parse(text).expect("it was read before");
            assert_eq!(position.play_san(san), Some((m, position.after(m))));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let moves = position.legal_moves();
    if let Some(&m) = moves.get(text.len() % moves.len().max(1)) {
        assert_eq!(position.parse_san(&position.san(m)), Ok(m));
        assert_eq!(position.parse_san(&position.lan(m)), Ok(m));
    }
});
