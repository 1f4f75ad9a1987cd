//! Invalid network files: each gives an error that names the cause.

use chess::rng::Rng;
use tabiya_nnue::network::{HIDDEN_STEP, Head, MAX_FILE_LEN, ShapeError, dense};
use tabiya_nnue::{LoadError, Network, Shape};

/// A file of the smallest hidden layer of the head: version 1 with a linear one, 2 with a dense one.
fn file(head: Head) -> Vec<u8> {
    let hidden = match head {
        Head::Linear => HIDDEN_STEP,
        Head::Dense => dense::STEP,
    };
    let mut king_buckets = [0; 64];
    king_buckets[..8].fill(1);
    let shape =
        Shape { mirrored: true, king_buckets, output_buckets: 5, head, ..Shape::plain(hidden) };
    Network::random(shape, 1).expect("a valid shape").to_bytes()
}

fn files() -> [Vec<u8>; 2] {
    [Head::Linear, Head::Dense].map(file)
}

fn error(bytes: &[u8]) -> LoadError {
    Network::from_bytes(bytes).expect_err("an error")
}

/// The file of a linear head with one header field changed.
fn with(at: usize, number: u32) -> Vec<u8> {
    changed(Head::Linear, at, number)
}

fn changed(head: Head, at: usize, number: u32) -> Vec<u8> {
    let mut bytes = file(head);
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    bytes
}

#[test]
fn a_valid_file_round_trips() {
    for (version, head) in [(1, Head::Linear), (2, Head::Dense)] {
        let bytes = file(head);
        let network = Network::from_bytes(&bytes).expect("our own file");
        assert_eq!(network.to_bytes(), bytes);
        assert_eq!((bytes[8], network.shape().head), (version, head));
        assert_eq!(network.dense_layers().map(<[_]>::len), (head == Head::Dense).then_some(5));
        assert!(network.shape().mirrored);
        assert_eq!(network.shape().king_bucket_count(), 2);
        assert!(bytes.len() <= MAX_FILE_LEN);
    }
}

#[test]
fn a_file_cut_off_anywhere_is_truncated() {
    for bytes in files() {
        for point in 0..256 {
            for len in [point, bytes.len() * point / 256, bytes.len() - 1 - point] {
                let found = error(&bytes[..len]);
                assert!(matches!(found, LoadError::Truncated { found, .. } if found == len));
            }
        }
    }
}

#[test]
fn a_file_with_trailing_bytes_is_too_long() {
    for mut bytes in files() {
        let expected = bytes.len();
        bytes.push(0);
        assert_eq!(error(&bytes), LoadError::TooLong { expected, found: expected + 1 });
    }
}

#[test]
fn every_changed_byte_is_detected() {
    let mut rng = Rng::new(1, 0);
    for mut bytes in files() {
        // As many bytes in all for either file: the larger one is checked less often.
        for n in 0..(1 << 30) / bytes.len() {
            // Every eighth in the header.
            let at = if n % 8 == 0 { n / 8 % 96 } else { rng.below(bytes.len()) };
            let change = (rng.next_u64() as u8).max(1);
            bytes[at] ^= change;
            assert!(Network::from_bytes(&bytes).is_err(), "byte {at} changed by {change:#x}");
            bytes[at] ^= change;
        }
        assert!(Network::from_bytes(&bytes).is_ok());
    }
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
    // A hidden layer that only a linear head may have, in a file of version 2.
    assert_eq!(error(&with(8, 2)), LoadError::Shape(ShapeError::Hidden(32, dense::STEP)));
    let narrow = changed(Head::Dense, 16, 32);
    assert_eq!(error(&narrow), LoadError::Shape(ShapeError::Hidden(32, dense::STEP)));
    assert_eq!(
        error(&narrow).to_string(),
        "a hidden layer of 32: not a multiple of 128 from 128 to 2048"
    );
    // The layers of one head in a file of the other's version.
    assert!(matches!(error(&changed(Head::Dense, 8, 1)), LoadError::TooLong { .. }));
    assert_eq!(error(&with(12, 97)).to_string(), "header of 97 bytes, not 96");
    // A valid shape, but not that of the file.
    assert!(matches!(error(&with(16, 2048)), LoadError::Truncated { .. }));
    assert!(matches!(error(&with(24, 1)), LoadError::TooLong { .. }));
    // A weight.
    assert!(matches!(error(&with(96, 12345)), LoadError::Checksum { .. }));
}

#[test]
fn random_bytes_are_rejected_even_after_a_valid_start() {
    let good = files();
    let mut rng = Rng::new(7, 0);
    for n in 0..4_000 {
        let mut bytes: Vec<u8> = (0..200 + n % 100).map(|_| rng.next_u64() as u8).collect();
        assert_eq!(error(&bytes), LoadError::Magic);
        let kept = n % 97;
        bytes[..kept].copy_from_slice(&good[n % 2][..kept]);
        assert!(Network::from_bytes(&bytes).is_err());
    }
}
