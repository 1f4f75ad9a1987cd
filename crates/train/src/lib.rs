//! From games to networks: self-play, rescoring, training.

pub mod towers;
