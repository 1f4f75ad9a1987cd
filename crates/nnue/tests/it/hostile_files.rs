//! Invalid network files: each gives an error that names the cause.

use chess::rng::Rng;
use tabiya_nnue::network::{HIDDEN_STEP, MAX_FILE_LEN, ShapeError};
use tabiya_nnue::{LoadError, Network, Shape};

fn file() -> Vec<u8> {
    let mut king_buckets = [0; 64];
    king_buckets[..8].fill(1);
    let shape = Shape { mirrored: true, king_buckets, output_buckets: 5, ..Shape::plain(32) };
    Network::random(shape, 1).expect("a valid shape").to_bytes()
}

fn error(bytes: &[u8]) -> LoadError {
    Network::from_bytes(bytes).expect_err("an error")
}

/// The file with one header field changed.
fn with(at: usize, number: u32) -> Vec<u8> {
    let mut bytes = file();
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    bytes
}

#[test]
fn a_valid_file_round_trips() {
    let bytes = file();
    let network = Network::from_bytes(&bytes).expect("our own file");
    assert_eq!(network.to_bytes(), bytes);
    assert!(network.shape().mirrored);
    assert_eq!(network.shape().king_bucket_count(), 2);
    assert!(bytes.len() <= MAX_FILE_LEN);
}

#[test]
fn a_file_cut_off_anywhere_is_truncated() {
    let bytes = file();
    for point in 0..256 {
        for len in [point, bytes.len() * point / 256, bytes.len() - 1 - point] {
            let found = error(&bytes[..len]);
            assert!(matches!(found, LoadError::Truncated { found, .. } if found == len));
        }
    }
}

#[test]
fn a_file_with_trailing_bytes_is_too_long() {
    let mut bytes = file();
    let expected = bytes.len();
    bytes.push(0);
    assert_eq!(error(&bytes), LoadError::TooLong { expected, found: expected + 1 });
}

#[test]
fn every_changed_byte_is_detected() {
    let mut bytes = file();
    let mut rng = Rng::new(1, 0);
    for n in 0..10_000 {
        // Every eighth in the header.
        let at = if n % 8 == 0 { n / 8 % 96 } else { rng.below(bytes.len()) };
        let change = (rng.next_u64() as u8).max(1);
        bytes[at] ^= change;
        assert!(Network::from_bytes(&bytes).is_err(), "byte {at} changed by {change:#x}");
        bytes[at] ^= change;
    }
    assert!(Network::from_bytes(&bytes).is_ok());
}

#[test]
fn errors_name_the_header_field() {
    assert_eq!(error(b"not a network at all"), LoadError::Magic);
    assert_eq!(error(&with(8, 3)), LoadError::Version(3));
    assert_eq!(error(&with(12, 97)), LoadError::HeaderLength(97));
    assert_eq!(error(&with(16, 33)), LoadError::Shape(ShapeError::Hidden(33, HIDDEN_STEP)));
    let huge = u32::MAX as usize;
    assert_eq!(error(&with(16, u32::MAX)), LoadError::Shape(ShapeError::Hidden(huge, HIDDEN_STEP)));
    assert_eq!(error(&with(20, 3)), LoadError::KingBuckets { stated: 3, used: 2 });
    assert_eq!(error(&with(24, 0)), LoadError::Shape(ShapeError::OutputBuckets(0)));
    assert_eq!(error(&with(28, 2)), LoadError::Mirroring(2));
    assert!(matches!(error(&with(32, 0xff)), LoadError::Shape(ShapeError::KingBucket(..))));
    // A valid shape, but not that of the file.
    assert!(matches!(error(&with(16, 2048)), LoadError::Truncated { .. }));
    assert!(matches!(error(&with(24, 1)), LoadError::TooLong { .. }));
    // A weight.
    assert!(matches!(error(&with(96, 12345)), LoadError::Checksum { .. }));
}

#[test]
fn random_bytes_are_rejected_even_after_a_valid_start() {
    let good = file();
    let mut rng = Rng::new(7, 0);
    for n in 0..2_000 {
        let mut bytes: Vec<u8> = (0..200 + n % 100).map(|_| rng.next_u64() as u8).collect();
        assert_eq!(error(&bytes), LoadError::Magic);
        let kept = n % 97;
        bytes[..kept].copy_from_slice(&good[..kept]);
        assert!(Network::from_bytes(&bytes).is_err());
    }
}
