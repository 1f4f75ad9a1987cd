//! Moves in UCI notation: any text in positions along a game gives a legal move or a reason, and what
//! is legal survives being written in both styles.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_chess::{CastlingStyle, Position, chess960};

fuzz_target!(|text: &str| {
    let mut words = text.split(' ');
    let number = words.next().and_then(|word| word.parse().ok()).unwrap_or(518);
    let mut position = chess960::start(number).unwrap_or(Position::INITIAL);
    for word in words.take(40) {
        let Ok(m) = position.parse_uci(word) else { continue };
        assert!(position.is_legal(m));
        for style in [CastlingStyle::Standard, CastlingStyle::Chess960] {
            let written = position.uci(m, style);
            assert_eq!(position.parse_uci(&written), Ok(m));
            let mut bytes = Vec::new();
            position.append_uci_bytes(m, style, &mut bytes);
            assert_eq!(bytes, written.as_bytes());
        }
        position = position.after(m);
    }
});
