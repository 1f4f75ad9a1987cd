//! Whatever position one starts from and whatever moves one plays: the promises hold. The fuzz
//! target `position` tests the same property.

use crate::{slow, walk};
use proptest::prelude::*;

/// FENs of all sorts for the walks to start from.
fn fen() -> impl Strategy<Value = String> {
    let rich = prop::sample::select(&slow::games::RICH[..]).prop_map(str::to_owned);
    // A FEN with some of its bytes replaced by others that occur in FENs: mostly nonsense.
    let bytes = prop::sample::select(&b"pnbrqkPNBRQK12345678/ wbKQkqACHach-e36"[..]);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), bytes), 1..4);
    let damaged = (rich.clone(), changes).prop_map(|(fen, changes)| {
        let mut bytes = fen.into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        String::from_utf8(bytes).expect("ASCII")
    });
    prop_oneof![rich, damaged, "\\PC{0,40}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn walks_from_any_chess960_start_keep_every_promise(
        number in 0u16..960,
        choices in prop::collection::vec(any::<u8>().prop_filter("no line feed", |b| *b != b'\n'), 0..120),
    ) {
        let mut bytes = number.to_le_bytes().to_vec();
        bytes.extend(choices);
        walk::walk(&bytes, usize::MAX);
    }

    #[test]
    fn walks_from_any_text_keep_every_promise(
        fen in fen(),
        choices in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut bytes = fen.into_bytes();
        bytes.push(b'\n');
        bytes.extend(choices);
        walk::walk(&bytes, usize::MAX);
    }

    #[test]
    fn walks_from_any_bytes_keep_every_promise(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        walk::walk(&bytes, usize::MAX);
    }
}

/// The inputs that the fuzzer found worth keeping.
#[test]
fn walks_of_the_fuzz_corpus_keep_every_promise() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/position");
    // Only a package has this file, and no corpus.
    if std::fs::exists(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml.orig")).unwrap() {
        println!("skipped: a package has no corpus");
        return;
    }
    let files = std::fs::read_dir(folder).unwrap();
    let inputs: Vec<Vec<u8>> =
        files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
    assert!(!inputs.is_empty(), "no inputs in {folder}");
    for bytes in inputs {
        walk::walk(&bytes, usize::MAX);
    }
}
