//! Any bytes as the file of a network: an error, or a network that is written to the same bytes and
//! evaluates. The checksum is put right now and then, so that more than it is tried.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_chess::Position;
use tabiya_nnue::network::{LoadError, Network};
use tabiya_nnue::{AnyLoadError, AnyNetwork};

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    let mut read = AnyNetwork::from_bytes(&bytes);
    if let Err(AnyLoadError::Tabiya(LoadError::Checksum { found, .. })) = read {
        let sum = bytes.len() - 8;
        bytes[sum..].copy_from_slice(&found.to_le_bytes());
        read = AnyNetwork::from_bytes(&bytes);
        assert!(read.is_ok());
    }
    // The rest of a file is too long for a fuzzer to find: a header with weights of its own choice.
    if let Err(AnyLoadError::Tabiya(LoadError::Truncated { expected, found })) = read
        && expected <= 1 << 20
        && found >= 96
    {
        bytes.resize(expected, bytes[95]);
        let Err(LoadError::Checksum { found, .. }) = Network::from_bytes(&bytes) else { return };
        bytes[expected - 8..].copy_from_slice(&found.to_le_bytes());
        read = AnyNetwork::from_bytes(&bytes);
        assert!(read.is_ok());
    }
    let Ok(network) = read else { return };
    let _ = network.evaluate(&Position::INITIAL);
    if let AnyNetwork::Tabiya(network) = network {
        assert_eq!(network.to_bytes(), bytes);
    }
});
