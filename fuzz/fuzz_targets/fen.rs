//! FEN, strict and lenient: what is read is written so that it is read as the same; what the strict
//! reader takes, the lenient one takes for the same position.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_chess::{FenStyle, FenWriter, Position};

fuzz_target!(|text: &str| {
    let lenient = Position::from_fen_lenient(text);
    if let Ok(position) = Position::from_fen(text) {
        assert_eq!(lenient, Ok(position));
    }
    let Ok(position) = lenient else { return };
    for style in [FenStyle::Standard, FenStyle::Shredder] {
        let fen = position.fen_in(style);
        // A check that cannot have come about is forgiven by the lenient reader alone.
        assert_eq!(Position::from_fen_lenient(&fen), Ok(position), "{fen}");
        let mut bytes = Vec::new();
        FenWriter::new(style).append(&position, &mut bytes);
        assert_eq!(bytes, fen.as_bytes());
    }
});
