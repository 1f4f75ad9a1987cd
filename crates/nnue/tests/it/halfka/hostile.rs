//! Truncated, damaged and inconsistent files.

use chess::Position;
use chess::rng::Rng;
use tabiya_nnue::halfka::{Leb128Error, LoadError, Network};
use test_support::halfka::{self, DESCRIPTION, WIDTH};
use test_support::halfkp::Weights;

/// Where the hash of the feature transformer is, and the first block after it.
const TRANSFORMER: usize = 12 + DESCRIPTION.len();
const BLOCK: usize = TRANSFORMER + 4;
/// A layer stack.
const STACK: usize = 4 + 64 + 16 * WIDTH + 128 + 1024 + 4 + 32;

#[test]
fn a_file_cut_off_anywhere_is_truncated() {
    let file = halfka::file(Weights::Typical, 1);
    let mut rng = Rng::new(7, 0);
    let beginning = 0..200;
    let end = (1..64).map(|n| file.len() - n);
    let somewhere = (0..100).map(|_| rng.below(file.len()));
    for length in beginning.chain(end).chain(somewhere) {
        let error = Network::from_bytes(&file[..length]).unwrap_err();
        let LoadError::Truncated { found, expected, .. } = error else {
            panic!("{length}: {error}")
        };
        assert_eq!(found, length);
        assert!(length < expected && expected <= file.len(), "{length}: {expected}");
    }
    let longer = [&file[..], &[0]].concat();
    let (found, expected) = (longer.len(), file.len());
    let error = Network::from_bytes(&longer).unwrap_err();
    assert_eq!(error, LoadError::TrailingBytes { found, expected });
}

/// The byte offsets of the three blocks.
fn blocks(file: &[u8]) -> [usize; 3] {
    let mut at = BLOCK;
    [(); 3].map(|()| {
        let block = at;
        let length = u32::from_le_bytes(file[at + 17..at + 21].try_into().unwrap());
        at += 21 + length as usize;
        block
    })
}

#[test]
fn a_wrong_length_of_a_block_or_of_the_description_is_detected() {
    let good = halfka::file(Weights::Typical, 1);
    for (n, block) in blocks(&good).into_iter().enumerate() {
        let at = block + 17;
        let length = u32::from_le_bytes(good[at..at + 4].try_into().unwrap());
        for declared in [0, 1, length - 1, length + 1, length + 100, 1 << 28, u32::MAX] {
            let mut file = good.clone();
            file[at..at + 4].copy_from_slice(&declared.to_le_bytes());
            match Network::from_bytes(&file).unwrap_err() {
                LoadError::BlockLength { offset, declared: stated, .. } => {
                    assert_eq!((offset, stated), (block, declared));
                }
                // What follows is not where it is expected.
                LoadError::Magic { offset, .. } => {
                    assert_eq!(offset, block + 21 + declared as usize)
                }
                LoadError::Hash { offset, .. } => {
                    assert_eq!((n, offset), (2, block + 21 + declared as usize));
                }
                LoadError::Truncated { .. } => assert!(declared > length),
                error => panic!("{declared}: {error}"),
            }
        }
    }
    for declared in [0, 1, 14, 16, 65_536, 65_537, u32::MAX] {
        let mut file = good.clone();
        file[8..12].copy_from_slice(&u32::to_le_bytes(declared));
        match Network::from_bytes(&file).unwrap_err() {
            LoadError::Description { .. } => assert!(declared > 65_536),
            LoadError::Width { .. } => assert!(declared <= 65_536),
            error => panic!("{declared}: {error}"),
        }
    }
}

#[test]
fn a_flipped_bit_in_a_header_is_detected_and_elsewhere_it_is_another_network_or_an_error() {
    let mut file = halfka::file(Weights::Typical, 1);
    let stack = file.len() - STACK;
    let headers: Vec<usize> = (0..8)
        .chain(TRANSFORMER..BLOCK + 21)
        .chain(blocks(&file).into_iter().flat_map(|block| block..block + 21))
        .chain(stack..stack + 4)
        .collect();
    for &at in &headers {
        for bit in 0..8 {
            file[at] ^= 1 << bit;
            Network::from_bytes(&file).expect_err("a header is checked");
            file[at] ^= 1 << bit;
        }
    }
    let mut rng = Rng::new(9, 0);
    let (mut networks, mut errors) = (0, 0);
    for _ in 0..60 {
        let at = BLOCK + 21 + rng.below(file.len() - BLOCK - 21);
        let bit = 1 << rng.below(8);
        file[at] ^= bit;
        match Network::from_bytes(&file) {
            Ok(network) => {
                network.evaluate(&Position::INITIAL);
                networks += 1;
            }
            Err(LoadError::Numbers { .. }) => errors += 1,
            Err(error) => panic!("{at}: {error}"),
        }
        file[at] ^= bit;
    }
    assert!(networks > 10 && errors > 0, "{networks} networks, {errors} errors");
}

#[test]
fn numbers_out_of_range_are_errors_with_their_index() {
    let mut file = halfka::file(Weights::Extreme, 1);
    let [bias, ..] = blocks(&file);
    // The longest number there: three bytes, whose last one then has too many bits.
    let bytes = &file[bias + 21..];
    let long = bytes.windows(3).position(|w| w[0] > 127 && w[1] > 127 && w[2] < 128).unwrap();
    file[bias + 21 + long + 2] = 0x3f;
    let error = Network::from_bytes(&file).unwrap_err();
    let LoadError::Numbers { part: "the bias", offset, error } = error else { panic!("{error}") };
    assert_eq!(offset, bias);
    assert!(matches!(error, Leb128Error::OutOfRange { index } if index <= long), "{error}");
}

#[test]
fn random_and_empty_bytes_are_rejected() {
    assert!(matches!(Network::from_bytes(&[]), Err(LoadError::Truncated { found: 0, .. })));
    let mut rng = Rng::new(10, 0);
    for length in [1, 4, 12, 100, 1_000_000] {
        let mut bytes: Vec<u8> = (0..length).map(|_| rng.next_u64() as u8).collect();
        assert!(!Network::recognizes(&bytes));
        assert!(Network::from_bytes(&bytes).is_err());
        let version = 0x7AF3_2F20_u32.to_le_bytes();
        for (byte, version) in bytes.iter_mut().zip(version) {
            *byte = version;
        }
        assert!(Network::from_bytes(&bytes).is_err());
    }
}
