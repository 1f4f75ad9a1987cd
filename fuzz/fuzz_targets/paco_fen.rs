//! Any bytes as a Paco Ŝako FEN: an error, or a position that keeps every invariant, is written and
//! read back to an equal one, and on which no query panics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_paco::{Options, Position, Rules};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for rules in [Rules::Exact, Rules::Compat] {
        let position = match Position::from_fen(text, rules) {
            Ok(position) => position,
            Err(error) => {
                assert!(error.at <= text.len());
                continue;
            }
        };
        assert_eq!(position.broken_invariant(), None);
        assert_eq!(Position::from_fen(&position.to_extended_fen(), rules), Ok(position));
        let legal = position.legal();
        assert_eq!(legal.iter().count(), legal.len());
        let _ = (position.sako(200), position.sako_against(200));
        for options in Options::all_sets() {
            assert_eq!(position.indices(options).is_ok(), position.piece_count() == 32);
        }
        for action in legal.iter().take(4) {
            let mut after = position;
            after.play_unchecked(action);
            assert_eq!(after.broken_invariant(), None);
        }
    }
});
