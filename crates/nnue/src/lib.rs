//! Chess networks: features, file formats, accumulators, inference.

pub mod halfkp;
