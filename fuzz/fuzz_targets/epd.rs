//! EPD: what is read is written so that it is read as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_chess::Epd;

fuzz_target!(|text: &str| {
    let Ok(epd) = Epd::parse(text) else { return };
    for operation in &epd.operations {
        let _ = epd.moves(&operation.opcode);
    }
    let written = epd.to_string();
    let read = Epd::parse(&written).expect("what is written can be read");
    assert_eq!(read.operations, epd.operations, "{written}");
    assert_eq!(read.to_string(), written);
});
