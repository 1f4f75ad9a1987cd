//! Truncated, damaged and inconsistent files.

use tabiya_nnue::halfkp::{LoadError, Network};

use chess::Position;
use chess::rng::Rng;
use test_support::halfkp::{self, DESCRIPTION, Weights};

const HEAD: usize = 12 + DESCRIPTION.len() + 4;

#[test]
fn a_file_cut_off_anywhere_is_truncated() {
    let file = halfkp::file(Weights::Typical, 1);
    let mut rng = Rng::new(7, 0);
    let beginning = 0..64;
    let end = (1..64).map(|n| file.len() - n);
    let somewhere = (0..129).map(|_| rng.below(file.len()));
    let mut points = 0;
    for length in beginning.chain(end).chain(somewhere) {
        let error = Network::from_bytes(&file[..length]).unwrap_err();
        let LoadError::Truncated { found, expected } = error else { panic!("{length}: {error}") };
        assert_eq!(found, length);
        assert!(expected == file.len() || length < 12, "{length}: {expected}");
        points += 1;
    }
    assert_eq!(points, 256);
}

#[test]
fn trailing_bytes_are_rejected() {
    let mut file = halfkp::file(Weights::Typical, 1);
    file.push(0);
    let (found, expected) = (file.len(), file.len() - 1);
    let error = Network::from_bytes(&file).unwrap_err();
    assert_eq!(error, LoadError::TrailingBytes { found, expected });
}

#[test]
fn a_wrong_description_length_is_detected() {
    let good = halfkp::file(Weights::Typical, 1);
    let length = DESCRIPTION.len() as u32;
    for declared in [0, 1, length - 1, length + 1, length + 4, 65_536, 65_537, u32::MAX] {
        let mut file = good.clone();
        file[8..12].copy_from_slice(&declared.to_le_bytes());
        match Network::from_bytes(&file).unwrap_err() {
            LoadError::Hash { part: "the feature transformer", .. } => assert!(declared < length),
            LoadError::Truncated { expected, .. } => {
                assert_eq!(expected, good.len() + (declared - length) as usize);
            }
            LoadError::Description { declared: stated } => assert_eq!(stated, declared),
            error => panic!("{declared}: {error}"),
        }
    }
}

#[test]
fn a_flipped_bit_is_detected_in_the_headers_and_harmless_in_the_weights() {
    let mut file = halfkp::file(Weights::Typical, 1);
    let mut rng = Rng::new(8, 0);
    let layers_hash = HEAD + 512 * (1 + 41024);
    let mut change = |file: &mut Vec<u8>, at: usize| {
        let bit = 1 << rng.below(8);
        file[at] ^= bit;
        let outcome = Network::from_bytes(file);
        match &outcome {
            Err(LoadError::Version { .. }) => assert!(at < 4),
            Err(LoadError::Hash { part: "the architecture", .. }) => assert!((4..8).contains(&at)),
            Err(LoadError::Hash { part: "the feature transformer", .. }) => {
                assert!((8..12).contains(&at) || (HEAD - 4..HEAD).contains(&at));
            }
            Err(LoadError::Hash { offset, .. }) => {
                assert_eq!(*offset, layers_hash);
                assert!((*offset..offset + 4).contains(&at));
            }
            Err(LoadError::Description { .. } | LoadError::Truncated { .. }) => {
                assert!((8..12).contains(&at));
            }
            Err(error) => panic!("{at}: {error}"),
            Ok(network) => {
                // The description or a weight: a different, valid network.
                assert!((12..HEAD - 4).contains(&at) || at >= HEAD);
                network.evaluate(&Position::INITIAL);
            }
        }
        file[at] ^= bit;
        outcome.is_ok()
    };
    let mut places = Rng::new(9, 0);
    for _ in 0..9_900 {
        // Errors in the headers are fast: nothing is allocated.
        let at = match places.below(17) {
            n @ 0..12 => n,
            n => HEAD - 4 + (n & 3),
        };
        assert!(!change(&mut file, at), "{at}");
    }
    for n in 0..4 {
        assert!(!change(&mut file, layers_hash + n));
    }
    for _ in 0..30 {
        let at = HEAD + places.below(file.len() - HEAD);
        change(&mut file, at);
        change(&mut file, 12 + places.below(DESCRIPTION.len()));
        let near_the_end = file.len() - 1 - places.below(17_000);
        change(&mut file, near_the_end);
    }
}

#[test]
fn random_and_empty_bytes_are_rejected() {
    assert!(matches!(Network::from_bytes(&[]), Err(LoadError::Truncated { found: 0, .. })));
    let mut rng = Rng::new(10, 0);
    for length in [1, 4, 12, 100, 1_000_000] {
        let bytes: Vec<u8> = (0..length).map(|_| rng.next_u64() as u8).collect();
        assert!(Network::from_bytes(&bytes).is_err());
        assert!(!Network::recognizes(&bytes));
    }
}
